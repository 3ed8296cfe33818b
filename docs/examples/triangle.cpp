// Renders a triangle and writes it as triangle.png.
#include <brokkr/frame.h>
#include <brokkr/image.h>
#include <brokkr/renderer.h>

#include <cstdio>

int main() {
  constexpr int kSize = 256;
  brokkr::Frame frame;  // or load_frame("scene.obj", {}) of <brokkr/load.h>
  frame.targets.push_back({.width = kSize, .height = kSize});
  frame.views.emplace_back();
  frame.states.emplace_back().viewport = {0, 0, kSize, kSize};
  frame.materials.emplace_back();
  frame.positions = {{-0.8f, -0.7f, 0, 1}, {0.8f, -0.7f, 0, 1}, {0, 0.8f, 0, 1}};  // clip space: x, y, z, w
  frame.commands.emplace_back(brokkr::ClearCommand{.color = glm::vec4(0, 0, 0, 1), .depth = 1.0f});
  frame.commands.emplace_back(brokkr::DrawCommand{.element_count = 3, .vertex_count = 3});

  brokkr::Renderer renderer;  // on the best machine that is found
  const brokkr::RenderResult result = renderer.render(frame, {});
  brokkr::write_png("triangle.png", result.targets[brokkr::main_target(frame)].layers[0]);
  std::printf("%s: %.2f ms\n", result.statistics.machine.c_str(), result.statistics.frame_ms);
}
