// One triangle over the lower left half of a small target, through the installed library.
#include <cstdio>

#include "brokkr/frame.h"
#include "brokkr/renderer.h"

int main() {
  constexpr int kSize = 64;
  brokkr::Frame frame;
  frame.targets.push_back({.id = 0, .width = kSize, .height = kSize});
  frame.views.push_back({});
  brokkr::State state;
  state.viewport = {0, 0, kSize, kSize};
  frame.states.push_back(state);
  frame.materials.push_back({});
  frame.positions = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}};
  frame.commands.emplace_back(brokkr::ClearCommand{.color = glm::vec4(0), .depth = 1.0f});
  frame.commands.emplace_back(brokkr::DrawCommand{.element_count = 3, .vertex_count = 3});

  brokkr::Renderer renderer;
  const brokkr::RenderResult result = renderer.render(frame, {});
  const brokkr::Layer& layer = result.targets.at(0).layers.at(0);
  int covered = 0;
  for (const float depth : layer.depth) covered += depth == 0.5f ? 1 : 0;
  std::printf("%d pixels covered by %s\n", covered, result.statistics.machine.c_str());
  // Samples on the diagonal belong to the triangle or not by the top-left rule; it is not a top or left edge.
  return covered == kSize * (kSize - 1) / 2 ? 0 : 1;
}
