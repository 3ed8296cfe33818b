// Selected planes in the caller's memory, and lists that change after preparation.
#include "brokkr/read_back.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/ext/matrix_transform.hpp>
#include <string>
#include <thread>

#include "brokkr/camera.h"
#include "brokkr/load.h"
#include "pictures.h"

namespace brokkr {
namespace {

constexpr int kViews = 3, kSide = 41;

Frame scene() {
  LoadOptions load;
  load.views = kViews;
  load.view_size = kSide;
  return load_frame("generated:sphere-100k?triangles=500&textured=1", load);
}

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

RenderOptions options_of(MachineKind machine) {
  RenderOptions options;
  options.machine = machine;
  options.keep_ids = true;
  return options;
}

TEST(ReadBack, IsThePictureWithRowsTurnedAndStrides) {
  const Frame frame = scene();
  for (const MachineKind machine : test::machines()) {
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(frame);
    const RenderResult whole = renderer.render(prepared, options_of(machine));
    constexpr size_t row = kSide + 3, layer = row * (kSide + 2);
    std::vector<uint32_t> color(layer * kViews, 7), ids(kSide * kSide * kViews);
    std::vector<float> depth(kSide * kSide * kViews);
    ReadBack wanted;
    wanted.planes = {{PixelPlane::color, bytes_of(color), row * 4, layer * 4},
                     {PixelPlane::depth, bytes_of(depth)},
                     {PixelPlane::visible_id, bytes_of(ids)}};
    const RenderResult result = renderer.render(prepared, options_of(machine), wanted);
    EXPECT_TRUE(result.targets.empty());
    for (size_t l = 0; l < kViews; ++l) {
      const Layer& expected = whole.targets[0].layers[l];
      for (size_t y = 0; y < kSide; ++y) {
        for (size_t x = 0; x < kSide; ++x) {
          const size_t there = (kSide - 1 - y) * kSide + x, here = (l * kSide + y) * kSide + x;
          ASSERT_EQ(color[l * layer + y * row + x], expected.color[there]);
          ASSERT_EQ(depth[here], expected.depth[there]);
          ASSERT_EQ(ids[here], expected.visible_id[there]);
        }
        ASSERT_EQ(color[l * layer + y * row + kSide], 7u) << "beyond the row";
      }
    }
  }
}

constexpr size_t kSmallPixels = 128 * 128;

// A generated scene from `views` cameras, each with a picture of kSmallPixels.
Frame small_views(const char* scene, size_t views) {
  LoadOptions load;
  load.views = int(views);
  load.view_size = 128;
  return load_frame(scene, load);
}

// Many views are drawn and read back a few at a time, with the pictures and counts of one launch.
TEST(ReadBack, ManyViews) {
  constexpr size_t views = 101, pixels = kSmallPixels, later = 70;
  const Frame frame = small_views("generated:sphere-100k?triangles=300&textured=1", views);
  for (const MachineKind machine : test::machines()) {
    RenderOptions options;
    options.machine = machine;
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(frame);
    const RenderResult whole = renderer.render(prepared, options);
    std::vector<uint32_t> color(views * pixels, 7);
    std::vector<float> depth(views * pixels, 7), distance(views * pixels, 7), of_later((views - later) * pixels);
    ReadBack wanted;
    wanted.rows_from_top = false;
    wanted.planes = {{PixelPlane::color, bytes_of(color)},
                     {PixelPlane::depth, bytes_of(depth)},
                     {PixelPlane::distance, bytes_of(distance)}};
    const Statistics s = renderer.render(prepared, options, wanted).statistics;
    EXPECT_EQ(s.triangles_in, whole.statistics.triangles_in);
    EXPECT_EQ(s.triangles_culled, whole.statistics.triangles_culled);
    EXPECT_EQ(s.fragments_shaded, whole.statistics.fragments_shaded);
    for (size_t l = 0; l < views; ++l) {
      const Layer& expected = whole.targets[0].layers[l];
      ASSERT_TRUE(std::equal(expected.color.begin(), expected.color.end(), color.begin() + ptrdiff_t(l * pixels))) << l;
      ASSERT_TRUE(std::equal(expected.depth.begin(), expected.depth.end(), depth.begin() + ptrdiff_t(l * pixels))) << l;
    }
    // Some layers of a batch come from one launch of all views, which the next launches draw again.
    wanted.first_layer = uint32_t(later);
    wanted.planes = {{PixelPlane::distance, bytes_of(of_later)}};
    EXPECT_EQ(renderer.render(prepared, options, wanted).statistics.triangles_in, whole.statistics.triangles_in);
    EXPECT_TRUE(std::equal(of_later.begin(), of_later.end(), distance.begin() + ptrdiff_t(later * pixels)));
  }
}

// Colours that nothing else reads go to the caller's memory during the launch. They are those of the whole picture,
// also after other launches, with any strides, and if clears follow the draws.
TEST(ReadBack, ColorsAlone) {
  enum class Clear { none, part, all };
  for (const size_t views : {size_t(3), size_t(70)}) {
    for (const Clear clear : {Clear::none, Clear::part, Clear::all}) {
      Frame frame = views == 3 ? scene() : small_views("generated:sphere-100k?triangles=300&textured=1", views);
      const auto side = size_t(frame.targets[0].width);
      if (clear != Clear::none) {
        ClearCommand last;
        last.color = {0.2f, 0.4f, 0.6f, 1.0f};
        if (clear == Clear::part) last.scissor = Rect{5, 3, 29, 31};
        frame.commands.emplace_back(last);
      }
      for (const MachineKind machine : test::machines()) {
        SCOPED_TRACE(testing::Message() << views << " views, clear " << int(clear) << ", machine " << int(machine));
        Renderer renderer;
        PreparedFrame prepared = renderer.prepare(frame);
        for (const int samples : {1, 4}) {
          RenderOptions options;
          options.machine = machine;
          options.samples = samples;
          const RenderResult whole = renderer.render(prepared, options);
          for (const size_t gap : {size_t(0), size_t(3)}) {
            const size_t row = side + gap, layer = row * side;
            std::vector<uint32_t> color(layer * views, 7);
            ReadBack wanted;
            wanted.rows_from_top = gap != 0;
            wanted.planes = {{PixelPlane::color, bytes_of(color), row * 4, layer * 4}};
            const Statistics s = renderer.render(prepared, options, wanted).statistics;
            // A launch draws few views, so that its triangles fit into the caches.
            if (views == 70 && (machine == MachineKind::cpu || machine == MachineKind::emulated)) {
              EXPECT_LT(2 * s.target_bytes, whole.statistics.target_bytes);
            }
            for (size_t l = 0; l < views; ++l) {
              const Layer& expected = whole.targets[0].layers[l];
              for (size_t y = 0; y < side; ++y) {
                const auto from = color.begin() + ptrdiff_t(l * layer + (gap != 0 ? side - 1 - y : y) * row);
                ASSERT_TRUE(std::equal(from, from + ptrdiff_t(side), expected.color.begin() + ptrdiff_t(y * side)))
                    << l << ", " << y;
              }
            }
            EXPECT_EQ(std::count(color.begin(), color.end(), 7u), ptrdiff_t(gap * side * views));
          }
        }
      }
    }
  }
}

// The same for some layers of a batch.
TEST(ReadBack, ColorsOfSomeLayers) {
  const Frame frame = scene();
  for (const MachineKind machine : test::machines()) {
    RenderOptions options;
    options.machine = machine;
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(frame);
    const RenderResult whole = renderer.render(prepared, options);
    std::vector<uint32_t> color(kSide * kSide, 7);
    ReadBack wanted;
    wanted.first_layer = wanted.layers = 1;
    wanted.rows_from_top = false;
    wanted.planes = {{PixelPlane::color, bytes_of(color)}};
    renderer.render(prepared, options, wanted);
    EXPECT_EQ(color, whole.targets[0].layers[1].color);
  }
}

// A batch that is ended early has pictures of what was drawn, and of nothing beyond it.
TEST(ReadBack, ManyViewsEndEarly) {
  constexpr int views = 256;
  const Frame frame = small_views("generated:sphere-100k?triangles=300", views);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions options;
  options.machine = MachineKind::cpu;
  std::vector<float> depth(views * kSmallPixels, 7);
  std::vector<uint32_t> color(views * kSmallPixels, 7);
  for (const PlaneMemory& plane :
       {PlaneMemory{PixelPlane::depth, bytes_of(depth)}, PlaneMemory{PixelPlane::color, bytes_of(color)}}) {
    ReadBack wanted;
    wanted.planes = {plane};
    std::thread stop([&] { renderer.request_abort(); });
    renderer.render(prepared, options, wanted);
    stop.join();
  }
  EXPECT_EQ(std::count(depth.begin(), depth.end(), 7.0f), 0);
  EXPECT_EQ(std::count(color.begin(), color.end(), 7u), 0);
}

// A function that has ended a batch is not asked again, as it may have forgotten why it did.
TEST(ReadBack, ManyViewsEndOnOneAnswer) {
  if (!test::is_there(MachineKind::emulated)) GTEST_SKIP() << "built without the emulated machine";
  constexpr int views = 96;
  const Frame frame = small_views("generated:sphere-100k?triangles=2000", views);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions options;
  options.machine = MachineKind::emulated;  // slow enough to be asked
  options.workers = 1;
  std::vector<float> depth(views * kSmallPixels);
  ReadBack wanted;
  wanted.planes = {{PixelPlane::depth, bytes_of(depth)}};
  int asked = 0;
  renderer.watch([&] { return ++asked == 1; });
  EXPECT_TRUE(renderer.render(prepared, options, wanted).aborted);
  EXPECT_EQ(asked, 1);
}

TEST(ReadBack, SurfacesLieWhereDepthSays) {
  const Frame frame = scene();
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  const size_t pixels = kSide * kSide * kViews;
  std::vector<float> position(pixels * 3), normal(pixels * 3), weights(pixels * 2), depth(pixels), distance(pixels);
  std::vector<int32_t> triangle(pixels), instance(pixels), command(pixels);
  std::vector<uint32_t> ids(pixels);
  ReadBack wanted;
  wanted.rows_from_top = false;
  wanted.planes = {{PixelPlane::position, bytes_of(position)},   {PixelPlane::normal, bytes_of(normal)},
                   {PixelPlane::barycentric, bytes_of(weights)}, {PixelPlane::depth, bytes_of(depth)},
                   {PixelPlane::distance, bytes_of(distance)},   {PixelPlane::triangle, bytes_of(triangle)},
                   {PixelPlane::instance, bytes_of(instance)},   {PixelPlane::command, bytes_of(command)},
                   {PixelPlane::visible_id, bytes_of(ids)}};
  renderer.render(prepared, options_of(MachineKind::cpu), wanted);
  size_t hits = 0;
  for (size_t i = 0; i < pixels; ++i) {
    const PrimitiveOrigin origin = prepared.origin(ids[i]);
    if (origin.command == ~0u) {
      ASSERT_EQ(triangle[i], -1);
      ASSERT_EQ(command[i], -1);
      ASSERT_TRUE(std::isinf(distance[i]));
      ASSERT_EQ(position[3 * i], 0);
      continue;
    }
    ++hits;
    ASSERT_EQ(triangle[i], int32_t(origin.triangle));
    ASSERT_EQ(command[i], int32_t(origin.command));
    const glm::vec3 at(position[3 * i], position[3 * i + 1], position[3 * i + 2]);
    const glm::vec4 clip = frame.views[origin.view].view_projection * glm::vec4(at, 1);
    // Depth belongs to corners at 1/256 pixel, which matters on steep surfaces.
    EXPECT_NEAR(0.5f + 0.5f * clip.z / clip.w, depth[i], 1e-3f);
    EXPECT_NEAR(clip.w, distance[i], 2e-3f * clip.w);
    EXPECT_NEAR(glm::length(glm::vec3(normal[3 * i], normal[3 * i + 1], normal[3 * i + 2])), 1, 1e-5f);
    EXPECT_GE(weights[2 * i], 0);
    EXPECT_LE(weights[2 * i] + weights[2 * i + 1], 1.000001f);
  }
  EXPECT_GT(hits, pixels / 20);
}

TEST(ReadBack, RefusesMemoryThatDoesNotFit) {
  const Frame frame = scene();
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  std::vector<uint32_t> small(kSide * kSide * kViews - 1);
  const auto refused = [&](const ReadBack& wanted, const char* word) {
    try {
      renderer.render(prepared, options_of(MachineKind::cpu), wanted);
      ADD_FAILURE() << word;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refused({.planes = {{PixelPlane::color, bytes_of(small)}}}, "plane 'color'");
  refused({.planes = {{PixelPlane::overdraw, bytes_of(small)}}}, "plane 'overdraw'");
  refused({.target = 1}, "target");
  refused({.first_layer = 2, .layers = 2}, "layers");
}

// After positions, models and textures change, the result is that of a newly prepared frame.
TEST(ReadBack, UpdatesAreAsPreparedAnew) {
  for (const MachineKind machine : test::machines()) {
    Frame frame = scene();
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(frame);
    renderer.render(prepared, options_of(machine));
    const auto expect_anew = [&] {
      const RenderResult changed = renderer.render(prepared, options_of(machine));
      Renderer other;
      test::expect_same_pictures(other.render(frame, options_of(machine)).targets, changed.targets);
    };
    for (glm::vec4& p : frame.positions) p.z *= 60;  // through the near plane: triangles need clipping now
    prepared.update_positions();
    expect_anew();
    for (glm::vec4& p : frame.positions) p.z /= 60;
    frame.models[0] = glm::translate(glm::mat4(1), {0.2f, 0.1f, 0});
    prepared.update_positions();
    prepared.update_models();
    for (glm::vec3& n : frame.normals) n = -n;
    prepared.update_normals();
    expect_anew();
    ASSERT_FALSE(frame.textures.empty());
    for (uint32_t& texel : frame.textures[0].texels) texel ^= 0x00ffffff;
    prepared.update_textures();
    expect_anew();
  }
}

TEST(ReadBack, BytesAreLoadedAsFilesAre) {
  const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const Frame frame = load_frame(std::as_bytes(std::span(text)), "a.obj", {});
  EXPECT_EQ(triangle_count(frame), 1u);
  const Bounds bounds = bounds_of(frame);
  EXPECT_EQ(bounds.high.x, 1);
  EXPECT_THROW(load_frame(std::as_bytes(std::span(text)), "a.xyz", {}), FileError);
  try {
    load_frame(std::as_bytes(std::span(text)), "a.ply", {});
    ADD_FAILURE();
  } catch (const FileError& error) {
    EXPECT_FALSE(error.remedy().empty());
    EXPECT_EQ(error.problem() + "; " + error.remedy(), error.what());
  }
}

}  // namespace
}  // namespace brokkr
