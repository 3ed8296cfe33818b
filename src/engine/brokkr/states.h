// Render states of a draw, with OpenGL's meaning. Kernels include this header, so it contains only enumerations.
#pragma once

#include <cstdint>

namespace brokkr {

enum class CompareFunc : uint8_t { never, less, equal, lequal, greater, notequal, gequal, always };
enum class CullMode : uint8_t { none, front, back, front_and_back };
enum class FrontFace : uint8_t { ccw, cw };
enum class PolygonMode : uint8_t { fill, line, point };
enum class Topology : uint8_t { triangles, triangle_strip, triangle_fan, points, lines, line_strip, line_loop };
enum class ColorFormat : uint8_t { rgba8, rgba8_srgb, rgba16f };
enum class Wrap : uint8_t { repeat, mirrored_repeat, clamp_to_edge };
enum class MipFilter : uint8_t { none, nearest, linear };  // none: the base level at any distance
// The kinds of captured textures (programs.h).
// multisampled: two-dimensional, with the samples of a pixel as layers.
enum class TextureKind : uint8_t {
  one,
  two,
  three,
  cube,
  rectangle,
  one_array,
  two_array,
  cube_array,
  buffer,
  multisampled
};
enum class SampledType : uint8_t { real, integer, natural };  // type of a sampler's results: float, int, uint
enum class TextureWrap : uint8_t {
  repeat,
  mirrored_repeat,
  clamp_to_edge,
  clamp_to_border,
  clamp,  // clamps to the mean of edge and border
  mirror_clamp_to_edge
};
enum class BlendFactor : uint8_t {
  zero,
  one,
  src_color,
  one_minus_src_color,
  dst_color,
  one_minus_dst_color,
  src_alpha,
  one_minus_src_alpha,
  dst_alpha,
  one_minus_dst_alpha,
  constant_color,
  one_minus_constant_color,
  constant_alpha,
  one_minus_constant_alpha,
  src_alpha_saturate,
  // Factors of the program's second colour (ProgramOutput::index), or of the first colour if there is no second.
  src1_color,
  one_minus_src1_color,
  src1_alpha,
  one_minus_src1_alpha
};
enum class BlendEquation : uint8_t { add, subtract, reverse_subtract, min, max };
// Operations on a bit s of the source's code and a bit d of the destination's. Bit 0 of an enumerator's value is the
// result for s = d = 1, bit 1 for s = 1 and d = 0, bit 2 for s = 0 and d = 1, bit 3 for s = d = 0.
enum class LogicOp : uint8_t {
  clear,
  and_both,
  and_reverse,
  copy,
  and_inverted,
  noop,
  xor_both,
  or_both,
  nor,
  equiv,
  invert,
  or_reverse,
  copy_inverted,
  or_inverted,
  nand,
  set
};
enum class StencilOp : uint8_t { keep, zero, replace, increment, decrement, invert, increment_wrap, decrement_wrap };

}  // namespace brokkr
