// The colours of Shading::draw in plain scalar code for the oracle: the hash palette of shaders/shader.h, with the same
// order of single-precision operations.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/vec4.hpp>
#include <optional>
#include <variant>
#include <vector>

#include "brokkr/frame.h"
#include "oracle/assembly.h"
#include "oracle/oracle.h"

namespace brokkr {

// Captured draws that blend have this fraction of their opacity, so that the geometry behind them is visible.
inline constexpr float kSeeThroughOpacity = 0.4f;

inline glm::vec4 palette_color(uint32_t id) {
  uint32_t h = id + 0x9e3779b9u;
  h = (h ^ (h >> 16)) * 0x7feb352du;
  h = (h ^ (h >> 15)) * 0x846ca68bu;
  h ^= h >> 16;
  const float hue = float(h & 0xffffu) * (1.0f / 65536.0f);
  const float value = 0.62f + float((h >> 16) & 0xffu) * (0.38f / 255.0f);
  const auto channel = [&](float shift) {
    const float turned = hue + shift;
    const float t = std::fabs((turned - std::floor(turned)) * 6.0f - 3.0f) - 1.0f;
    return (0.35f + 0.65f * std::clamp(t, 0.0f, 1.0f)) * value;
  };
  return {channel(1.0f), channel(2.0f / 3.0f), channel(1.0f / 3.0f), 1.0f};
}

// Colours of a frame's draws under Shading::draw. Draws are numbered in the order of their commands; draws without a
// triangle do not count.
class DrawColors {
 public:
  explicit DrawColors(const Frame& frame) : colors_(frame.commands.size()) {
    uint32_t number = 0;
    for (size_t i = 0; i < frame.commands.size(); ++i) {
      const auto* draw = std::get_if<DrawCommand>(&frame.commands[i]);
      if (!draw || oracle::assemble(frame, *draw).empty()) continue;
      colors_[i] = palette_color(number++);
      const State& state = frame.states[draw->state];
      const std::optional<BlendState>& blend = state.blend;
      const bool blends = blend && !state.logic_op && !(blend->color == BlendTerm{} && blend->alpha == BlendTerm{});
      const bool captured = frame.materials[draw->material].kind == MaterialKind::none;
      if (captured && blends) colors_[i].w *= kSeeThroughOpacity;
    }
  }
  glm::vec4 operator()(const oracle::Primitive& primitive) const { return colors_[primitive.command]; }

 private:
  std::vector<glm::vec4> colors_;
};

}  // namespace brokkr
