// The oracle is watertight, and the meshes are as declared.
#include "oracle/mesh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "oracle/oracle.h"
#include "oracle/plane.h"

namespace brokkr::oracle {
namespace {

Result draw_mesh(const Frame& frame, double tolerance = 1.0 / 128) {
  validate(frame);
  return render(frame, {[](const Primitive&) { return glm::vec4(1); }, tolerance, {}});
}

uint64_t triangles_of(const Frame& frame) { return std::get<DrawCommand>(frame.commands.at(1)).element_count / 3; }

TEST(OracleMesh, EveryPixelOfAnUnclippedMeshIsHitOnce) {
  for (const MeshKind kind : {MeshKind::grid_points, MeshKind::centres, MeshKind::perspective}) {
    for (uint32_t seed = 0; seed < 6; ++seed) {
      const Mesh mesh = make_mesh(seed, kind);
      EXPECT_GT(triangles_of(mesh.frame), 500u);
      const Result result = draw_mesh(mesh.frame);
      EXPECT_EQ(result.counts.clipped, 0u);
      for (const Pixel& pixel : result.targets[0][0].pixels) {
        ASSERT_EQ(pixel.stencil, 1) << "kind " << int(kind) << " seed " << seed;
        ASSERT_EQ(packed(pixel), 0x80808080u);
        ASSERT_EQ(pixel.uncertain, 0);
      }
    }
  }
}

// Positions survive clip space: after the window transform they snap back to their original points.
TEST(OracleMesh, VerticesSnapToMultiplesOfHalfAPixel) {
  const Mesh mesh = make_mesh(1, MeshKind::centres);
  for (const glm::vec4& position : mesh.frame.positions) {
    const SnappedVertex v = snap(to_window(position, mesh.frame.states[0], 0));
    EXPECT_EQ(v.x % 128, 0);
    EXPECT_EQ(v.y % 128, 0);
  }
}

// With clipping, no sample is certainly hit twice, and no sample that is certainly inside is missed by all triangles.
TEST(OracleMesh, ClippedMeshesNeitherOverlapNorGape) {
  for (const MeshKind kind : {MeshKind::near_plane, MeshKind::guard_band}) {
    for (uint32_t seed = 0; seed < 4; ++seed) {
      const Mesh mesh = make_mesh(seed, kind);
      EXPECT_GT(triangles_of(mesh.frame), 40u);
      const Result outline = draw_mesh(mesh.outline);
      const Result certain = draw_mesh(mesh.frame, 1.0 / 128);
      EXPECT_GE(certain.counts.clipped, 5u) << "kind " << int(kind) << " seed " << seed;
      uint64_t inside = 0, outside = 0, settled = 0;
      for (size_t i = 0; i < outline.targets[0][0].pixels.size(); ++i) {
        const Pixel& whole = outline.targets[0][0].pixels[i];
        const Pixel& parts = certain.targets[0][0].pixels[i];
        if (whole.uncertain) continue;
        inside += whole.overdraw == 1;
        outside += whole.overdraw == 0;
        if (parts.uncertain) continue;
        ASSERT_EQ(parts.overdraw, whole.overdraw) << "kind " << int(kind) << " seed " << seed << " pixel " << i;
        ++settled;
      }
      EXPECT_GT(inside, 3000u) << "kind " << int(kind) << " seed " << seed;
      EXPECT_EQ(outside > 3000u, kind == MeshKind::near_plane) << seed;
      EXPECT_GT(double(settled), 0.9 * double(inside + outside));
    }
  }
}

// A mesh without one triangle has a visible gap: the property above can fail.
TEST(OracleMesh, AMissingTriangleShows) {
  Mesh mesh = make_mesh(3, MeshKind::grid_points);
  auto& draw_command = std::get<DrawCommand>(mesh.frame.commands[1]);
  const Result whole = draw_mesh(mesh.frame);
  draw_command.element_count -= 3 * 20;
  const Result holed = draw_mesh(mesh.frame);
  uint64_t missed = 0;
  for (const Pixel& pixel : holed.targets[0][0].pixels) missed += pixel.stencil == 0;
  EXPECT_GT(missed, 0u);
  EXPECT_EQ(holed.counts.fragments + missed, whole.counts.fragments);
}

}  // namespace
}  // namespace brokkr::oracle
