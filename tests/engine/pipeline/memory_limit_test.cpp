// A frame that needs more memory than the limit is refused before it allocates any.
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "brokkr/renderer.h"
#include "oracle/frame_builder.h"

namespace brokkr {
namespace {

template <typename Work>
std::string refusal(Work&& work) {
  try {
    work();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MemoryLimit, HoldsWhenFramesArePreparedAndDrawn) {
  oracle::FrameBuilder b(2000, 2000);
  b.draw(b.default_state(), {{-1, -1, 0, 1}, {1, -1, 0, 1}, {0, 1, 0, 1}});
  b.frame.source = "a.bkf";
  Renderer renderer;
  RenderOptions options;
  options.memory_limit = 50;
  EXPECT_NE(refusal([&] { renderer.render(b.frame, options); }).find("a.bkf: field 'targets': needs"),
            std::string::npos);
  options.memory_limit = 500;
  EXPECT_FALSE(renderer.render(b.frame, options).targets.empty());
  // Many draws of few points.
  oracle::FrameBuilder points(16, 16);
  std::vector<glm::vec4> one(1, glm::vec4(0, 0, 0, 1));
  points.draw(points.default_state(), one);
  auto& draw = std::get<DrawCommand>(points.frame.commands.back());
  points.frame.indices.assign(100000, 0);
  draw.topology = Topology::points;
  draw.indexed = true;
  draw.first_index = 0;
  draw.element_count = 100000;
  LoadOptions least;
  least.memory_limit = 1;
  EXPECT_NE(refusal([&] { renderer.prepare(points.frame, least); }).find("needs"), std::string::npos);
}

// The sum counts: two things that fit alone do not fit together.
TEST(MemoryLimit, IsForAllThatIsThereAtATime) {
  // planes of 13 MB and more, texels of 16 MB, and half as much again for mip levels
  constexpr int kEdge = 1000, kTexture = 2048;
  oracle::FrameBuilder b(kEdge, kEdge);
  b.draw(b.default_state(), {{-1, -1, 0, 1}, {1, -1, 0, 1}, {0, 1, 0, 1}});
  Renderer renderer;
  RenderOptions options;
  options.memory_limit = 50;
  EXPECT_FALSE(renderer.render(b.frame, options).targets.empty());
  Texture texture;
  texture.width = texture.height = kTexture;
  texture.texels.assign(size_t(kTexture) * kTexture, 0xff00ff00u);
  b.frame.textures.push_back(texture);
  LoadOptions load;
  load.memory_limit = 200;
  PreparedFrame prepared = renderer.prepare(b.frame, load);
  EXPECT_NE(refusal([&] { renderer.render(prepared, options); }).find("field 'targets': needs"), std::string::npos);
  options.memory_limit = 200;
  EXPECT_FALSE(renderer.render(prepared, options).targets.empty());
  load.memory_limit = 20;
  EXPECT_NE(refusal([&] { renderer.prepare(b.frame, load); }).find("needs"), std::string::npos);
}

TEST(MemoryLimit, HoldsForTheStore) {
  oracle::FrameBuilder b(64, 64);
  std::vector<glm::vec4> corners(3 * 200000, glm::vec4(0, 0, 0, 1));
  corners[0].z = 2;  // behind the far plane: batches of a frame with clipping may fill seven blocks each
  b.draw(b.default_state(), corners);
  Renderer renderer;
  RenderOptions options;
  options.machine = MachineKind::cpu;
  options.workers = 1;
  options.rasterizers = 64;
  options.store_blocks = 1 << 16;  // 100 MB of blocks, and 80 of queues
  options.memory_limit = 100;
  EXPECT_NE(refusal([&] { renderer.render(b.frame, options); }).find("field 'store': needs"), std::string::npos);
  options.store_blocks = 0;
  options.rasterizers = 0;
  EXPECT_FALSE(renderer.render(b.frame, options).targets.empty());
}

// Preparation checks for cancellation often and stops at once.
TEST(Cancel, PreparingStops) {
  oracle::FrameBuilder b(16, 16);
  const std::vector<glm::vec4> corners(300000, glm::vec4(0, 0, 0, 1));
  b.draw(b.default_state(), corners);
  b.frame.indices.assign(corners.size(), 0);
  for (Command& command : b.frame.commands) {
    if (auto* draw = std::get_if<DrawCommand>(&command)) draw->topology = Topology::line_strip;
  }
  Renderer renderer;
  LoadOptions options;
  // Each check takes so long that the next place checks again.
  constexpr int kQuestions = 20;
  int asked = 0;
  options.progress = [&](double) {
    EXPECT_LT(asked, kQuestions) << "it went on";
    if (++asked == kQuestions) throw LoadCancelled();
    std::this_thread::sleep_for(std::chrono::milliseconds(11));
  };
  EXPECT_THROW(renderer.prepare(b.frame, options), LoadCancelled) << "it asked " << asked << " times";
}

}  // namespace
}  // namespace brokkr
