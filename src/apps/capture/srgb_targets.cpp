#include "capture/srgb_targets.h"

#include <algorithm>
#include <cmath>

namespace brokkr::capture {
namespace {

bool is_srgb(const Frame& frame, uint32_t target) {
  const std::vector<TargetColor>& colors = frame.targets[target].colors;
  return !colors.empty() && colors[0].format == TexelFormat::rgba8_srgb;
}

float light_of(float code) { return code <= 0.04045f ? code / 12.92f : std::pow((code + 0.055f) / 1.055f, 2.4f); }

float code_of(float light) {
  return light <= 0.0031308f ? light * 12.92f : 1.055f * std::pow(light, 1 / 2.4f) - 0.055f;
}

}  // namespace

// Those of which a command encodes or decodes the colours.
std::vector<bool> SrgbTargets::encoded_targets(const Frame& frame) const {
  std::vector<bool> result(frame.targets.size());
  for (const Command& command : frame.commands) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    if (draw && frame.states[draw->state].framebuffer_srgb) result[frame.views[draw->first_view].target] = true;
  }
  for (const auto& [command, encodes] : clears_) {
    if (encodes) result[std::get<ClearCommand>(frame.commands[command]).target] = true;
  }
  for (const auto& [command, encodes] : blits_) {
    const auto& blit = std::get<BlitCommand>(frame.commands[command]);
    if (encodes) result[blit.from] = result[blit.to] = true;
  }
  return result;
}

// A reader encodes clears of sRGB targets once a state of the frame encodes colours.
void SrgbTargets::settle_clears(Frame& frame) const {
  const bool encoded =
      std::any_of(frame.states.begin(), frame.states.end(), [](const State& state) { return state.framebuffer_srgb; });
  for (const auto& [command, encodes] : clears_) {
    auto& clear = std::get<ClearCommand>(frame.commands[command]);
    if (encodes == encoded || !is_srgb(frame, clear.target)) continue;
    for (int i = 0; i < 3; i++) {
      float& c = (*clear.color)[i];
      c = encodes ? code_of(std::clamp(c, 0.0f, 1.0f)) : light_of(std::clamp(c, 0.0f, 1.0f));
    }
  }
}

size_t SrgbTargets::settle(Frame& frame, const std::function<bool(uint32_t)>& is_window) const {
  const std::vector<bool> encoded = encoded_targets(frame);
  // Between two targets of sRGB, codes stay codes: such a window can stay what it is.
  std::vector<bool> has_kin(frame.targets.size());
  for (const auto& [command, encodes] : blits_) {
    const auto& blit = std::get<BlitCommand>(frame.commands[command]);
    if (is_srgb(frame, blit.from) && is_srgb(frame, blit.to)) has_kin[blit.from] = has_kin[blit.to] = true;
  }
  for (uint32_t i = 0; i < frame.targets.size(); i++) {
    if (is_window(i) && is_srgb(frame, i) && !encoded[i] && !has_kin[i])
      frame.targets[i].colors[0].format = TexelFormat::rgba8;
  }
  settle_clears(frame);
  return static_cast<size_t>(std::count_if(blits_.begin(), blits_.end(), [&](const auto& call) {
    const auto& blit = std::get<BlitCommand>(frame.commands[call.first]);
    return !call.second && is_srgb(frame, blit.from) != is_srgb(frame, blit.to);
  }));
}

}  // namespace brokkr::capture
