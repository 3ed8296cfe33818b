// A rank receives every primitive that is visible on its pixels, and few others.
#include "ranks/project.h"

#include <gtest/gtest.h>

#include "brokkr/load.h"
#include "oracle/soup.h"
#include "ranks/render.h"
#include "ranks/settings.h"

namespace brokkr::ranks {
namespace {

struct Projection {
  std::vector<ScreenBox> box;  // by primitive id
  size_t empty = 0, all = 0;
};

Projection project_all(PreparedFrame& prepared, const OwnedBins& owned) {
  Projection projection;
  const PreparedFrame::Impl& tables = PreparedFrame::Impl::of(prepared);
  projection.box.resize(tables.batch_run.size() * kBatchTriangles);
  const GivenDraws given(prepared);
  const Projector projector(tables, given, owned);
  for (const Merge& merge : merge_draws(given, {0, ~0u, {}}, ~0u)) {
    projector.for_boxes(merge, 0, merge.primitives, [&](uint32_t primitive, uint32_t, const ScreenBox& box) {
      projection.box[primitive] = box;
      projection.empty += box.empty() ? 1 : 0;
      ++projection.all;
    });
  }
  return projection;
}

// Each pixel's last writers lie within their boxes after every draw. Returns the number of checked writers.
size_t check_boxes(const Frame& frame) {
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  const auto owned = owned_bins(frame, {}, 0, 4);
  const Projection projection = project_all(prepared, *owned);
  EXPECT_LT(projection.empty, projection.all);
  RenderOptions options;
  options.keep_ids = true;
  size_t looked = 0;
  for (uint32_t limit = 1; limit <= frame.commands.size(); ++limit) {
    options.command_limit = limit;
    const RenderResult result = renderer.render(prepared, options);
    for (const TargetImage& image : result.targets) {
      for (const Layer& layer : image.layers) {
        for (const std::vector<uint32_t>* ids : {&layer.visible_id, &layer.depth_id}) {
          for (size_t pixel = 0; pixel < ids->size(); ++pixel) {
            const uint32_t id = (*ids)[pixel];
            // A blit also copies identifiers, but not to the primitive's place.
            if (id == kNoPrimitive) continue;
            const ScreenBox& box = projection.box[id];
            const int x = int(pixel) % layer.width, y = int(pixel) / layer.width;
            ++looked;
            const bool inside = x >= box.min_x && x <= box.max_x && y >= box.min_y && y <= box.max_y;
            EXPECT_TRUE(inside) << "primitive " << id << " at " << x << ", " << y;
            if (!inside) return looked;
          }
        }
      }
    }
  }
  return looked;
}

TEST(Projection, BoxesHoldWhatIsDrawn) {
  oracle::SoupOptions soup;
  soup.clipping = soup.depth_clamp = soup.instances = true;
  soup.layers = 2;
  size_t looked = 0;
  for (uint32_t seed = 1; seed <= 6; ++seed) looked += check_boxes(oracle::make_soup(seed, soup));
  EXPECT_GT(looked, 100000u);
}

TEST(Projection, BackFacesAreGivenToNobody) {
  LoadOptions load;
  load.width = load.height = 200;
  Frame frame = load_frame("generated:city?triangles=2000", load);
  Renderer renderer;
  const auto count = [&] {
    PreparedFrame prepared = renderer.prepare(frame);
    return project_all(prepared, *owned_bins(frame, {}, 0, 1)).empty;
  };
  for (State& state : frame.states) state.cull = CullMode::none;
  const size_t both = count();
  for (State& state : frame.states) state.cull = CullMode::back;
  const size_t front = count();
  EXPECT_GT(front, both + 500);
}

TEST(Squares, AllRanksTogetherHoldTheWholePicture) {
  oracle::SoupOptions soup;
  soup.layers = 2;
  for (const ColorFormat format : {ColorFormat::rgba8, ColorFormat::rgba16f}) {
    soup.format = format;
    const Frame frame = oracle::make_soup(9, soup);
    Renderer renderer;
    const TargetImage image = renderer.render(frame, {}).targets[0];
    TargetImage copy = image;
    for (Layer& layer : copy.layers) {
      std::fill(layer.color.begin(), layer.color.end(), 0u);
      std::fill(layer.color_float.begin(), layer.color_float.end(), 0.0f);
      std::fill(layer.depth.begin(), layer.depth.end(), -1.0f);
      std::fill(layer.stencil.begin(), layer.stencil.end(), uint8_t(77));
    }
    const PlaneUse all{0, kPlaneColor | kPlaneDepth | kPlaneStencil};
    size_t bytes = 0;
    for (int rank = 0; rank < 5; ++rank) {
      const auto owned = owned_bins(frame, {}, rank, 5);
      const Message squares = pack_squares(image, *owned, uint32_t(rank), all);
      bytes += squares.size();
      unpack_squares(squares, *owned, uint32_t(rank), all, copy);
      Message cut = squares;
      cut.pop_back();
      EXPECT_THROW(unpack_squares(cut, *owned, uint32_t(rank), all, copy), std::runtime_error);
    }
    for (size_t l = 0; l < 2; ++l) {
      EXPECT_EQ(copy.layers[l].color, image.layers[l].color);
      EXPECT_EQ(copy.layers[l].color_float, image.layers[l].color_float);
      EXPECT_EQ(copy.layers[l].depth, image.layers[l].depth);
      EXPECT_EQ(copy.layers[l].stencil, image.layers[l].stencil);
    }
    EXPECT_EQ(bytes, 2u * 200 * 150 * (format == ColorFormat::rgba8 ? 9 : 21));
  }
}

}  // namespace
}  // namespace brokkr::ranks
