// Hand-made small frames for tests of the oracle and of the pipeline. Positions are in window pixels.
#pragma once

#include <glm/vec2.hpp>
#include <glm/vec4.hpp>
#include <initializer_list>
#include <utility>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr::oracle {

// Clip-space position of a window position (pixels) at normalised depth `z` (-1..1) and distance `w`.
inline glm::vec4 clip_at(const glm::vec4& viewport, double x, double y, double z = 0, double w = 1) {
  const double ndc_x = (x - double(viewport.x)) / (0.5 * double(viewport.z)) - 1;
  const double ndc_y = (y - double(viewport.y)) / (0.5 * double(viewport.w)) - 1;
  return {float(ndc_x * w), float(ndc_y * w), float(z * w), float(w)};
}

class FrameBuilder {
 public:
  // One target with one view of each layer; the first command clears colour to 0, depth to 1, stencil to 0.
  FrameBuilder(int width, int height, ColorFormat format = ColorFormat::rgba8, int layers = 1) {
    frame.source = "frame builder";
    frame.window_width = width;
    frame.window_height = height;
    frame.targets.push_back({0, width, height, layers, format});
    for (int layer = 0; layer < layers; ++layer) {
      View view;
      view.layer = uint32_t(layer);
      frame.views.push_back(view);
    }
    frame.materials.emplace_back();
    clear(glm::vec4(0), 1.0f, uint8_t(0));
  }

  glm::vec4 viewport() const { return {0, 0, float(frame.targets[0].width), float(frame.targets[0].height)}; }

  // The state that most tests vary: whole target, no culling, depth test less.
  State default_state() const {
    State state;
    state.viewport = viewport();
    return state;
  }

  uint32_t clear(std::optional<glm::vec4> color, std::optional<float> depth, std::optional<uint8_t> stencil,
                 std::optional<Rect> scissor = {}) {
    return add(ClearCommand{0, color, depth, stencil, scissor});
  }

  // Adds a draw of clip-space positions. Change it through the returned reference before the next call.
  DrawCommand& draw(const State& state, const std::vector<glm::vec4>& positions,
                    Topology topology = Topology::triangles) {
    DrawCommand command;
    command.state = uint32_t(frame.states.size());
    frame.states.push_back(state);
    command.topology = topology;
    command.first_vertex = frame.positions.size();
    command.vertex_count = command.element_count = uint32_t(positions.size());
    frame.positions.insert(frame.positions.end(), positions.begin(), positions.end());
    add(command);
    return std::get<DrawCommand>(frame.commands.back());
  }

  // The same with indices relative to the draw's first vertex.
  DrawCommand& draw_indexed(const State& state, const std::vector<glm::vec4>& positions,
                            const std::vector<uint32_t>& indices, Topology topology = Topology::triangles) {
    DrawCommand& command = draw(state, positions, topology);
    command.indexed = true;
    command.first_index = frame.indices.size();
    command.element_count = uint32_t(indices.size());
    frame.indices.insert(frame.indices.end(), indices.begin(), indices.end());
    return command;
  }

  // Adds triangles at one depth from window positions (pixels) in the whole target.
  DrawCommand& draw_window(const State& state, const std::vector<glm::dvec2>& corners, double z = 0,
                           Topology topology = Topology::triangles) {
    std::vector<glm::vec4> positions;
    for (const glm::dvec2& corner : corners) {
      positions.push_back(clip_at(state.viewport, corner.x, corner.y, z));
    }
    return draw(state, positions, topology);
  }

  // `command`: one of Command's alternatives. It is built in place, since g++ 12 warns about moves of the variant.
  template <typename T>
  uint32_t add(T command) {
    frame.commands.emplace_back(std::in_place_type<T>, std::move(command));
    return uint32_t(frame.commands.size() - 1);
  }

  Frame frame;
};

}  // namespace brokkr::oracle
