// The OpenGL constants of Frame's enumerators, in the enumerators' order. Captures read them, and the OpenGL reference
// sets them. Include an OpenGL header before this one (<GL/gl.h> and <GL/glext.h>, or GLAD's).
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

#include "brokkr/frame.h"

namespace brokkr {

inline constexpr GLenum kGlCompareFuncs[] = {GL_NEVER,   GL_LESS,     GL_EQUAL,  GL_LEQUAL,
                                             GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS};
inline constexpr GLenum kGlBlendFactors[] = {GL_ZERO,
                                             GL_ONE,
                                             GL_SRC_COLOR,
                                             GL_ONE_MINUS_SRC_COLOR,
                                             GL_DST_COLOR,
                                             GL_ONE_MINUS_DST_COLOR,
                                             GL_SRC_ALPHA,
                                             GL_ONE_MINUS_SRC_ALPHA,
                                             GL_DST_ALPHA,
                                             GL_ONE_MINUS_DST_ALPHA,
                                             GL_CONSTANT_COLOR,
                                             GL_ONE_MINUS_CONSTANT_COLOR,
                                             GL_CONSTANT_ALPHA,
                                             GL_ONE_MINUS_CONSTANT_ALPHA,
                                             GL_SRC_ALPHA_SATURATE,
                                             GL_SRC1_COLOR,
                                             GL_ONE_MINUS_SRC1_COLOR,
                                             GL_SRC1_ALPHA,
                                             GL_ONE_MINUS_SRC1_ALPHA};
inline constexpr GLenum kGlBlendEquations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN, GL_MAX};
inline constexpr GLenum kGlLogicOps[] = {
    GL_CLEAR, GL_AND,   GL_AND_REVERSE, GL_COPY,       GL_AND_INVERTED,  GL_NOOP,        GL_XOR,  GL_OR,
    GL_NOR,   GL_EQUIV, GL_INVERT,      GL_OR_REVERSE, GL_COPY_INVERTED, GL_OR_INVERTED, GL_NAND, GL_SET};
inline constexpr GLenum kGlStencilOps[] = {GL_KEEP, GL_ZERO,   GL_REPLACE,   GL_INCR,
                                           GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP};
inline constexpr GLenum kGlTopologies[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_POINTS,
                                           GL_LINES,     GL_LINE_STRIP,     GL_LINE_LOOP};

template <typename Enum, size_t N>
GLenum to_gl(const GLenum (&names)[N], Enum value) {
  return names[size_t(value)];
}

// The enumerator for OpenGL's constant `name`; empty if Frame has none.
template <typename Enum, size_t N>
std::optional<Enum> from_gl(const GLenum (&names)[N], GLenum name) {
  const auto found = std::find(std::begin(names), std::end(names), name);
  return found == std::end(names) ? std::nullopt : std::optional(Enum(found - std::begin(names)));
}

}  // namespace brokkr
