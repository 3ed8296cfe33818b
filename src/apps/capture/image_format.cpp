#include "capture/image_format.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace brokkr::capture {

TargetColor color_format(GLint internal) {
  struct Known {
    GLint name;
    TexelFormat format;
    TexelBase base;
  };
  static constexpr Known kKnown[] = {{GL_RGB, TexelFormat::rgba8, TexelBase::rgb},
                                     {GL_RGB8, TexelFormat::rgba8, TexelBase::rgb},
                                     {GL_RGB4, TexelFormat::rgba8, TexelBase::rgb},
                                     {GL_RGB5, TexelFormat::rgba8, TexelBase::rgb},
                                     {GL_RGB565, TexelFormat::rgba8, TexelBase::rgb},
                                     {GL_R3_G3_B2, TexelFormat::rgba8, TexelBase::rgb},
                                     {GL_SRGB8, TexelFormat::rgba8_srgb, TexelBase::rgb},
                                     {GL_SRGB8_ALPHA8, TexelFormat::rgba8_srgb, TexelBase::rgba},
                                     {GL_SRGB_ALPHA, TexelFormat::rgba8_srgb, TexelBase::rgba},
                                     {GL_RED, TexelFormat::r8, TexelBase::red},
                                     {GL_R8, TexelFormat::r8, TexelBase::red},
                                     {GL_RG, TexelFormat::rg8, TexelBase::rg},
                                     {GL_RG8, TexelFormat::rg8, TexelBase::rg},
                                     {GL_ALPHA, TexelFormat::r8, TexelBase::alpha},
                                     {GL_ALPHA8, TexelFormat::r8, TexelBase::alpha},
                                     {GL_LUMINANCE8, TexelFormat::r8, TexelBase::luminance},
                                     {GL_R16, TexelFormat::r16, TexelBase::red},
                                     {GL_RG16, TexelFormat::rg16, TexelBase::rg},
                                     {GL_RGB16, TexelFormat::rgba16, TexelBase::rgb},
                                     {GL_RGB12, TexelFormat::rgba16, TexelBase::rgb},
                                     {GL_RGBA16, TexelFormat::rgba16, TexelBase::rgba},
                                     {GL_RGBA12, TexelFormat::rgba16, TexelBase::rgba},
                                     {GL_R16F, TexelFormat::r16f, TexelBase::red},
                                     {GL_RG16F, TexelFormat::rg16f, TexelBase::rg},
                                     {GL_RGB16F, TexelFormat::rgba16f, TexelBase::rgb},
                                     {GL_RGBA16F, TexelFormat::rgba16f, TexelBase::rgba},
                                     {GL_R32F, TexelFormat::r32f, TexelBase::red},
                                     {GL_RG32F, TexelFormat::rg32f, TexelBase::rg},
                                     {GL_RGB32F, TexelFormat::rgba32f, TexelBase::rgb},
                                     {GL_RGBA32F, TexelFormat::rgba32f, TexelBase::rgba},
                                     {GL_R11F_G11F_B10F, TexelFormat::r11g11b10f, TexelBase::rgb},
                                     {GL_RGB10_A2, TexelFormat::rgb10_a2, TexelBase::rgba},
                                     {GL_RGB10, TexelFormat::rgb10_a2, TexelBase::rgb},
                                     {GL_RGB10_A2UI, TexelFormat::rgb10_a2ui, TexelBase::rgba},
                                     {GL_R8_SNORM, TexelFormat::r8_snorm, TexelBase::red},
                                     {GL_RG8_SNORM, TexelFormat::rg8_snorm, TexelBase::rg},
                                     {GL_RGBA8_SNORM, TexelFormat::rgba8_snorm, TexelBase::rgba},
                                     {GL_R16_SNORM, TexelFormat::r16_snorm, TexelBase::red},
                                     {GL_RG16_SNORM, TexelFormat::rg16_snorm, TexelBase::rg},
                                     {GL_RGBA16_SNORM, TexelFormat::rgba16_snorm, TexelBase::rgba},
                                     {GL_R8I, TexelFormat::r8i, TexelBase::red},
                                     {GL_R8UI, TexelFormat::r8ui, TexelBase::red},
                                     {GL_R16I, TexelFormat::r16i, TexelBase::red},
                                     {GL_R16UI, TexelFormat::r16ui, TexelBase::red},
                                     {GL_R32I, TexelFormat::r32i, TexelBase::red},
                                     {GL_R32UI, TexelFormat::r32ui, TexelBase::red},
                                     {GL_RG8I, TexelFormat::rg8i, TexelBase::rg},
                                     {GL_RG8UI, TexelFormat::rg8ui, TexelBase::rg},
                                     {GL_RG16I, TexelFormat::rg16i, TexelBase::rg},
                                     {GL_RG16UI, TexelFormat::rg16ui, TexelBase::rg},
                                     {GL_RG32I, TexelFormat::rg32i, TexelBase::rg},
                                     {GL_RG32UI, TexelFormat::rg32ui, TexelBase::rg},
                                     {GL_RGBA8I, TexelFormat::rgba8i, TexelBase::rgba},
                                     {GL_RGBA16I, TexelFormat::rgba16i, TexelBase::rgba},
                                     {GL_RGBA32I, TexelFormat::rgba32i, TexelBase::rgba},
                                     {GL_RGBA8UI, TexelFormat::rgba8ui, TexelBase::rgba},
                                     {GL_RGBA16UI, TexelFormat::rgba16ui, TexelBase::rgba},
                                     {GL_RGBA32UI, TexelFormat::rgba32ui, TexelBase::rgba}};
  const auto* const found =
      std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& known) { return known.name == internal; });
  if (found == std::end(kKnown)) return {TexelFormat::rgba8, TexelBase::rgba};
  return {found->format, found->base};
}

std::optional<TexelFormat> depth_format(GLint internal) {
  switch (internal) {
    case GL_DEPTH_COMPONENT16: return TexelFormat::depth16;
    case GL_DEPTH_COMPONENT:
    case GL_DEPTH_COMPONENT24:
    case GL_DEPTH_STENCIL:
    case GL_DEPTH24_STENCIL8: return TexelFormat::depth24;
    case GL_DEPTH_COMPONENT32:
    case GL_DEPTH_COMPONENT32F:
    case GL_DEPTH32F_STENCIL8: return TexelFormat::depth32f;
    default: return std::nullopt;
  }
}

std::optional<TexelFormat> stencil_format(GLint internal) {
  switch (internal) {
    case GL_DEPTH_STENCIL:
    case GL_DEPTH24_STENCIL8:
    case GL_DEPTH32F_STENCIL8:
    case GL_STENCIL_INDEX:
    case GL_STENCIL_INDEX8: return TexelFormat::stencil8;
    default: return std::nullopt;
  }
}

SampledType type_of(TexelFormat format) {
  using enum TexelFormat;
  if (format >= r8i && format <= rgba32i) return SampledType::integer;
  return (format >= r8ui && format <= rgba32ui) || format == rgb10_a2ui ? SampledType::natural : SampledType::real;
}

ReadFormat read_format(TexelFormat format) {
  using enum TexelFormat;
  if ((format >= r8i && format <= rgba32i)) return {rgba32i, GL_RGBA_INTEGER, GL_INT, 16};
  if ((format >= r8ui && format <= rgba32ui) || format == rgb10_a2ui)
    return {rgba32ui, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16};
  if ((format >= r32f && format <= rgba32f) || (format >= r8_snorm && format <= rgba8_snorm) ||
      (format >= r16_snorm && format <= rgba16_snorm))
    return {rgba32f, GL_RGBA, GL_FLOAT, 16};
  if ((format >= r16f && format <= rgba16f) || format == r11g11b10f) return {rgba16f, GL_RGBA, GL_HALF_FLOAT, 8};
  if ((format >= r16 && format <= rgba16) || format == rgb10_a2) return {rgba16, GL_RGBA, GL_UNSIGNED_SHORT, 8};
  return {rgba8, GL_RGBA, GL_UNSIGNED_BYTE, 4};
}

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

// Marks the targets for which some command encodes or decodes colours.
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

// A reader encodes clears of sRGB targets if any state of the frame encodes colours.
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
  // A blit between two sRGB targets copies the encoded values, so such a window keeps its format.
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
