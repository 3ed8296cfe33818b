// One layer of a render target in the oracle. It stores codes instead of decoded values, so that it quantises where the
// pipeline does.
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec4.hpp>
#include <optional>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr::oracle {

inline constexpr uint32_t kNoPrimitive = ~0u;

// Planes of a pixel that depend on a sample or test within the tolerance of a clipped triangle.
enum Uncertain : uint8_t {
  kUncertainColor = 1,
  kUncertainDepth = 2,
  kUncertainStencil = 4,
  kUncertainOverdraw = 8,
};

struct Pixel {
  std::array<uint16_t, 4> color{};  // 8-bit codes or binary16 bits, by the surface's format
  float depth = 1;
  float depth_tolerance = 0;    // largest error of the pipeline's depth
  uint64_t depth_geometry = 0;  // Sample::geometry of the depth; 0: from a clear
  uint8_t stencil = 0;
  uint8_t uncertain = 0;                                         // Uncertain bits
  uint32_t visible = kNoPrimitive, depth_writer = kNoPrimitive;  // last writers; a clear resets them
  uint32_t overdraw = 0;                                         // covered samples, before any test
};

struct Surface {
  int width = 0, height = 0;
  ColorFormat format = ColorFormat::rgba8;
  std::vector<Pixel> pixels;  // rows bottom to top

  Pixel& at(int x, int y) { return pixels[size_t(y) * size_t(width) + size_t(x)]; }
  const Pixel& at(int x, int y) const { return pixels[size_t(y) * size_t(width) + size_t(x)]; }
};

// Linear value of stored codes and back (to nearest; binary16 ties to even). Fixed-point formats clamp to 0..1.
glm::vec4 decode(ColorFormat format, const std::array<uint16_t, 4>& codes);
std::array<uint16_t, 4> encode(ColorFormat format, const glm::vec4& color);

// The 8-bit codes as 0xAABBGGRR; rgba8 formats only.
uint32_t packed(const Pixel& pixel);

float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);

void clear(Surface& surface, const ClearCommand& command);
void blit(const Surface& from, Surface& to, const BlitCommand& command);

}  // namespace brokkr::oracle
