// The names of enumerators and flags in frame files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "brokkr/frame.h"

namespace brokkr::bkf {

// The names of an enumeration's values, in their order.
constexpr std::string_view names_of(CompareFunc) {
  return "never, less, equal, lequal, greater, notequal, gequal, always";
}
constexpr std::string_view names_of(CullMode) { return "none, front, back, front_and_back"; }
constexpr std::string_view names_of(FrontFace) { return "ccw, cw"; }
constexpr std::string_view names_of(PolygonMode) { return "fill, line, point"; }
constexpr std::string_view names_of(Topology) {
  return "triangles, triangle_strip, triangle_fan, points, lines, line_strip, line_loop";
}
constexpr std::string_view names_of(ColorFormat) { return "rgba8, rgba8_srgb, rgba16f"; }
constexpr std::string_view names_of(BlendFactor) {
  return "zero, one, src_color, one_minus_src_color, dst_color, one_minus_dst_color, src_alpha, one_minus_src_alpha, "
         "dst_alpha, one_minus_dst_alpha, constant_color, one_minus_constant_color, constant_alpha, "
         "one_minus_constant_alpha, src_alpha_saturate, src1_color, one_minus_src1_color, src1_alpha, "
         "one_minus_src1_alpha";
}
constexpr std::string_view names_of(BlendEquation) { return "add, subtract, reverse_subtract, min, max"; }
constexpr std::string_view names_of(StencilOp) {
  return "keep, zero, replace, increment, decrement, invert, increment_wrap, decrement_wrap";
}
enum class CommandType : uint8_t { draw, clear, blit, load, generate_mips, copy };
constexpr std::string_view names_of(CommandType) { return "draw, clear, blit, load, generate_mips, copy"; }
enum class PictureType : uint8_t { jpeg, png };
constexpr std::string_view names_of(PictureType) { return "jpeg, png"; }
constexpr std::string_view names_of(ShaderType) {
  return "float, vec2, vec3, vec4, int, ivec2, ivec3, ivec4, uint, uvec2, uvec3, uvec4, bool, bvec2, bvec3, bvec4, "
         "mat2, mat2x3, mat2x4, mat3x2, mat3, mat3x4, mat4x2, mat4x3, mat4";
}
constexpr std::string_view names_of(Interpolation) { return "smooth, flat, noperspective"; }
constexpr std::string_view names_of(TextureKind) {
  return "1d, 2d, 3d, cube, rectangle, 1d_array, 2d_array, cube_array, buffer";
}
constexpr std::string_view names_of(SampledType) { return "float, int, uint"; }
constexpr std::string_view names_of(EnvironmentMode) { return "modulate, replace, decal, blend, add, combine"; }
constexpr std::string_view names_of(CombineOp) {
  return "replace, modulate, add, add_signed, interpolate, subtract, dot3_rgb, dot3_rgba";
}
constexpr std::string_view names_of(CombineSource) {
  return "texture, constant, primary, previous, texture0, texture1, texture2, texture3, texture4, texture5, texture6, "
         "texture7";
}
constexpr std::string_view names_of(CombineOperand) { return "color, one_minus_color, alpha, one_minus_alpha"; }
constexpr std::string_view names_of(FogMode) { return "linear, exp, exp2"; }
constexpr std::string_view names_of(TexelFormat) {
  return "r8, rg8, rgba8, rgba8_srgb, r8_snorm, rg8_snorm, rgba8_snorm, r16, rg16, rgba16, r16_snorm, rg16_snorm, "
         "rgba16_snorm, r16f, rg16f, rgba16f, r32f, rg32f, rgba32f, r8i, rg8i, rgba8i, r16i, rg16i, rgba16i, r32i, "
         "rg32i, rgba32i, r8ui, rg8ui, rgba8ui, r16ui, rg16ui, rgba16ui, r32ui, rg32ui, rgba32ui, rgb10_a2, "
         "rgb10_a2ui, r11g11b10f, rgb9_e5, depth16, depth24, depth32f, stencil8, bc1, bc1_srgb, bc2, bc2_srgb, bc3, "
         "bc3_srgb, bc4, bc4_snorm, bc5, bc5_snorm, bc6h, bc6h_signed, bc7, bc7_srgb";
}
constexpr std::string_view names_of(TexelBase) {
  return "red, rg, rgb, rgba, alpha, luminance, luminance_alpha, intensity, depth, stencil";
}
constexpr std::string_view names_of(TargetPlane) {
  return "color0, color1, color2, color3, color4, color5, color6, color7, depth, stencil";
}
constexpr std::string_view names_of(TextureWrap) {
  return "repeat, mirrored_repeat, clamp_to_edge, clamp_to_border, clamp, mirror_clamp_to_edge";
}
constexpr std::string_view names_of(MipFilter) { return "none, nearest, linear"; }
constexpr std::string_view names_of(Swizzle) { return "r, g, b, a, 0, 1"; }
constexpr std::string_view names_of(DepthMode) { return "luminance, intensity, alpha, red"; }
// Names of the bits of DrawCommand::flags.
inline constexpr std::string_view kDrawFlags =
    "fragment-discard, fragment-depth, condition, clip-distance, multisample, depth-clamp, z-zero-to-one, "
    "origin-upper-left, provoking-first";

// Name number `index` of `names`; empty beyond the last one.
constexpr std::string_view name_at(std::string_view names, size_t index) {
  for (; index > 0; index--) names.remove_prefix(std::min(names.size(), names.substr(0, names.find(',')).size() + 2));
  return names.substr(0, names.find(','));
}

template <typename E>
constexpr std::string_view name_of(E value) {
  return name_at(names_of(value), size_t(value));
}

}  // namespace brokkr::bkf
