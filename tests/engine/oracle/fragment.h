// Per-fragment operations (OpenGL 4.6, chapter 17): alpha test, stencil test, depth test, blending, masks.
#pragma once

#include <cstdint>
#include <glm/vec4.hpp>

#include "brokkr/frame.h"
#include "oracle/surface.h"
#include "oracle/triangle.h"

namespace brokkr::oracle {

template <typename T>
bool passes(CompareFunc func, T value, T reference) {
  switch (func) {
    case CompareFunc::never: return false;
    case CompareFunc::less: return value < reference;
    case CompareFunc::equal: return value == reference;
    case CompareFunc::lequal: return value <= reference;
    case CompareFunc::greater: return value > reference;
    case CompareFunc::notequal: return value != reference;
    case CompareFunc::gequal: return value >= reference;
    case CompareFunc::always: return true;
  }
  return false;
}

// Colour after blending, before storing. Factors and sources are clamped for fixed-point formats.
glm::vec4 blend(const BlendState& state, ColorFormat format, glm::vec4 source, const glm::vec4& destination);

uint8_t stencil_result(StencilOp op, uint8_t stored, uint8_t reference);

// Runs a sample of primitive `id` through all tests and writes it if it passes, in submission order.
void shade(Surface& surface, const State& state, const Sample& sample, const glm::vec4& color, uint32_t id);

}  // namespace brokkr::oracle
