// Draws that blend are drawn from back to front as their view sees them, wherever its camera goes.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "brokkr/camera.h"
#include "brokkr/drawing_order.h"
#include "brokkr/load.h"
#include "pictures.h"
#include "plan/prepare.h"

namespace brokkr {
namespace {

// Three squares at z = 0, 2 and -2 in red, green and blue, half transparent, and an opaque one below them.
const std::string kGlass =
    R"({"asset": {"version": "2.0"}, "buffers": [{"byteLength": 72, "uri": "data:application/octet-stream;base64,)"
    "AACAvwAAgL8AAAAAAACAPwAAgL8AAAAAAACAPwAAgD8AAAAAAACAvwAAgL8AAAAAAACAPwAAgD8AAAAAAACAvwAAgD8AAAAA"
    R"("}], "bufferViews": [{"buffer": 0, "byteLength": 72}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 6, "type": "VEC3"}],
    "materials": [
      {"alphaMode": "BLEND", "doubleSided": true, "pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 0.5]}},
      {"alphaMode": "BLEND", "doubleSided": true, "pbrMetallicRoughness": {"baseColorFactor": [0, 1, 0, 0.5]}},
      {"alphaMode": "BLEND", "doubleSided": true, "pbrMetallicRoughness": {"baseColorFactor": [0, 0, 1, 0.5]}},
      {"doubleSided": true}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]},
               {"primitives": [{"attributes": {"POSITION": 0}, "material": 1}]},
               {"primitives": [{"attributes": {"POSITION": 0}, "material": 2}]},
               {"primitives": [{"attributes": {"POSITION": 0}, "material": 3}]}],
    "nodes": [{"mesh": 0}, {"mesh": 1, "translation": [0, 0, 2]}, {"mesh": 2, "translation": [0, 0, -2]},
              {"mesh": 3, "translation": [0, -1, 0], "scale": [3, 1, 1]}],
    "scenes": [{"nodes": [0, 1, 2, 3]}]})";

Frame glass(const std::string& camera, int views = 0) {
  LoadOptions load;
  load.width = load.height = 64;
  load.camera = camera;
  load.views = views;
  return load_frame(std::as_bytes(std::span(kGlass)), "glass.gltf", load);
}

// View and z of the transparent squares, in the order in which they are drawn.
std::string drawn(const Frame& frame) {
  const std::vector<glm::vec3> middles = draw_middles(frame);
  std::string text;
  for (const uint32_t number : drawing_order(frame)) {
    const auto* const draw = std::get_if<DrawCommand>(&frame.commands[number]);
    if (draw == nullptr || (draw->flags & kBackToFront) == 0) continue;
    text += fmt::format("{}:{} ", draw->first_view, middles[number].z);
  }
  return text;
}

std::vector<uint32_t> list_order(const Frame& frame) {
  std::vector<uint32_t> order(frame.commands.size());
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

constexpr const char* kFront = "eye=0,1,9 target=0,0,0 near=1 far=20";
constexpr const char* kBack = "eye=1,1,-9 target=0,0,0 near=1 far=20";

TEST(DrawingOrder, IsFromBackToFrontForEachView) {
  EXPECT_EQ(drawn(glass(kFront)), "0:-2 0:0 0:2 ");
  EXPECT_EQ(drawn(glass(kBack)), "0:2 0:0 0:-2 ");
  EXPECT_EQ(drawn(glass("eye=0,0,9 target=0,0,0", 2)), "0:-2 0:0 0:2 1:2 1:0 1:-2 ");
}

TEST(DrawingOrder, LoadedFramesAreInIt) {
  for (const char* const camera : {kFront, kBack}) EXPECT_EQ(drawing_order(glass(camera)), list_order(glass(camera)));
}

TEST(DrawingOrder, OtherCommandsStay) {
  Frame frame = glass(kBack);
  frame.views = glass(kFront).views;
  std::vector<Command>& all = frame.commands;  // a clear, the opaque square, then z = 2, 0, -2
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(drawing_order(frame), (std::vector<uint32_t>{0, 1, 4, 3, 2}));
  all.insert(all.begin() + 4, ClearCommand{});
  EXPECT_EQ(drawing_order(frame), (std::vector<uint32_t>{0, 1, 3, 2, 4, 5}));
  all.erase(all.begin() + 4);
  std::get<DrawCommand>(all[3]).flags = 0;
  EXPECT_EQ(drawing_order(frame), list_order(frame));
  EXPECT_EQ(draw_middles(frame).size(), 5u);
  for (const size_t command : {2, 4}) std::get<DrawCommand>(all[command]).flags = 0;
  EXPECT_TRUE(draw_middles(frame).empty());
  // A parallel projection has depths, and what is equally far keeps its order.
  frame = glass(kFront);
  frame.views[0].view_projection = glm::mat4(1);
  EXPECT_EQ(drawn(frame), "0:2 0:0 0:-2 ");
  frame.views[0].view_projection[2][2] = 0;
  EXPECT_EQ(drawn(frame), "0:-2 0:0 0:2 ");
  frame.views[0].view_projection[2][2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(drawn(frame), "0:-2 0:0 0:2 ");
}

// A camera that moves orders them anew: the picture is that of a frame which was loaded for this camera.
TEST(DrawingOrder, FollowsAMovingCamera) {
  Frame frame = glass(kFront);
  const Frame behind = glass(kBack);
  for (const MachineKind machine : test::machines()) {
    for (const ReuseMode reuse : {ReuseMode::none, ReuseMode::precomputed}) {
      SCOPED_TRACE(int(machine) * 10 + int(reuse));
      RenderOptions options;
      options.machine = machine;
      options.reuse = reuse;
      Renderer renderer;
      frame.views = glass(kFront).views;
      PreparedFrame prepared = renderer.prepare(frame);
      const RenderResult front = renderer.render(prepared, options);
      frame.views = behind.views;
      prepared.update_views();
      const RenderResult moved = renderer.render(prepared, options);
      test::expect_same_pictures(renderer.render(behind, options).targets, moved.targets);
      const Layer &a = front.targets[0].layers[0], &b = moved.targets[0].layers[0];
      EXPECT_NE(a.color, b.color);
      frame.views = glass(kFront).views;
      prepared.update_views();
      test::expect_same_pictures(front.targets, renderer.render(prepared, options).targets);
    }
  }
}

// Moved vertices and models order them anew as well.
TEST(DrawingOrder, FollowsMovingObjects) {
  Frame frame = glass(kFront);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  const RenderResult before = renderer.render(prepared, {});
  std::swap(frame.models[std::get<DrawCommand>(frame.commands[2]).first_instance],
            frame.models[std::get<DrawCommand>(frame.commands[4]).first_instance]);
  prepared.update_models();
  EXPECT_EQ(PreparedFrame::Impl::of(prepared).order, (std::vector<uint32_t>{0, 1, 4, 3, 2}));
  const RenderResult moved = renderer.render(prepared, {});
  test::expect_same_pictures(renderer.render(frame, {}).targets, moved.targets);
  EXPECT_NE(moved.targets[0].layers[0].color, before.targets[0].layers[0].color);
}

// Identifiers, command limits and the tables follow.
TEST(DrawingOrder, NamesCommandsAsTheFrameDoes) {
  Frame frame = glass(kFront);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  frame.views = glass(kBack).views;
  prepared.update_views();
  const PreparedFrame::Impl& p = PreparedFrame::Impl::of(prepared);
  ASSERT_EQ(p.draws.size(), 4u);
  for (uint32_t batch = 0; batch < p.batch_run.size(); ++batch) {
    const PrimitiveOrigin origin = prepared.origin(batch * kBatchTriangles);
    EXPECT_EQ(origin.command, (std::vector<uint32_t>{1, 4, 3, 2})[batch]);
    EXPECT_EQ(p.draw_end[batch], batch + 1);
  }
  // Seen from behind, z = -2 is the last and in front of the others.
  RenderOptions options;
  options.keep_ids = true;
  const Layer all = renderer.render(prepared, options).targets[0].layers[0];
  const size_t middle = size_t(all.height / 2) * size_t(all.width) + size_t(all.width / 2);
  EXPECT_EQ(prepared.origin(all.visible_id[middle]).command, 2u);
  options.command_limit = 4;
  const Layer fewer = renderer.render(prepared, options).targets[0].layers[0];
  EXPECT_EQ(prepared.origin(fewer.visible_id[middle]).command, 3u);
}

}  // namespace
}  // namespace brokkr
