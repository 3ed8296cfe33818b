#include "oracle/surface.h"

#include <algorithm>
#include <cmath>

namespace brokkr::oracle {
namespace {

float srgb_to_linear(float s) {
  return float(s <= 0.04045f ? double(s) / 12.92 : std::pow((double(s) + 0.055) / 1.055, 2.4));
}

float linear_to_srgb(float l) {
  return float(l <= 0.0031308f ? double(l) * 12.92 : 1.055 * std::pow(double(l), 1 / 2.4) - 0.055);
}

uint16_t unorm8(float value) {
  const float clamped = value > 0 ? std::min(value, 1.0f) : 0.0f;  // NaN becomes 0
  return uint16_t(std::floor(clamped * 255.0f + 0.5f));
}

int64_t floor_divide(int64_t a, int64_t b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }

// Source coordinate for a destination pixel's centre: exact nearest sampling with integers.
int nearest(int pixel, int destination, int destination_extent, int source, int source_extent) {
  const int64_t numerator = (2 * int64_t(pixel - destination) + 1) * source_extent;
  return source + int(floor_divide(numerator, 2 * int64_t(destination_extent)));
}

}  // namespace

float half_to_float(uint16_t bits) {
  const float sign = bits & 0x8000 ? -1.0f : 1.0f;
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31) return mantissa ? std::nanf("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(float(mantissa), -24);
  return sign * std::ldexp(float(mantissa + 1024), exponent - 25);
}

uint16_t float_to_half(float value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return uint16_t(sign | 0x7e00);
  const double magnitude = std::fabs(double(value));
  if (magnitude >= 65520) return uint16_t(sign | 0x7c00);  // half-way beyond the largest: infinity
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), -14);
  // A multiple of the last place. Adding to the bits carries into the exponent by itself.
  const int units = int(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return uint16_t(sign | (units >= 1024 ? ((exponent + 14) << 10) + units : units));
}

glm::vec4 decode(ColorFormat format, const std::array<uint16_t, 4>& codes) {
  glm::vec4 color;
  for (int i = 0; i < 4; ++i) {
    const uint16_t code = codes[size_t(i)];
    if (format == ColorFormat::rgba16f) {
      color[i] = half_to_float(code);
    } else {
      const float value = float(code) / 255.0f;
      color[i] = format == ColorFormat::rgba8_srgb && i < 3 ? srgb_to_linear(value) : value;
    }
  }
  return color;
}

std::array<uint16_t, 4> encode(ColorFormat format, const glm::vec4& color) {
  std::array<uint16_t, 4> codes{};
  for (int i = 0; i < 4; ++i) {
    if (format == ColorFormat::rgba16f) {
      codes[size_t(i)] = float_to_half(color[i]);
    } else {
      const float value = std::clamp(color[i] > 0 ? color[i] : 0.0f, 0.0f, 1.0f);
      codes[size_t(i)] = unorm8(format == ColorFormat::rgba8_srgb && i < 3 ? linear_to_srgb(value) : value);
    }
  }
  return codes;
}

uint32_t packed(const Pixel& pixel) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value |= uint32_t(pixel.color[i]) << (8 * i);
  return value;
}

void clear(Surface& surface, const ClearCommand& command) {
  const Rect all{0, 0, surface.width, surface.height};
  const Rect rect = command.scissor.value_or(all);
  const int right = int(std::min(int64_t(rect.x) + rect.width, int64_t(surface.width)));
  const int top = int(std::min(int64_t(rect.y) + rect.height, int64_t(surface.height)));
  for (int y = std::max(rect.y, 0); y < top; ++y) {
    for (int x = std::max(rect.x, 0); x < right; ++x) {
      Pixel& pixel = surface.at(x, y);
      if (command.color) {
        pixel.color = encode(surface.format, *command.color);
        pixel.visible = kNoPrimitive;
        pixel.uncertain &= uint8_t(~kUncertainColor);
      }
      if (command.depth) {
        pixel.depth = std::clamp(*command.depth, 0.0f, 1.0f);
        pixel.depth_tolerance = 0;
        pixel.depth_geometry = 0;
        pixel.depth_writer = kNoPrimitive;
        pixel.uncertain &= uint8_t(~kUncertainDepth);
      }
      if (command.stencil) {
        pixel.stencil = *command.stencil;
        pixel.uncertain &= uint8_t(~kUncertainStencil);
      }
    }
  }
}

void blit(const Surface& from, Surface& to, const BlitCommand& command) {
  const Rect& source = command.source;
  const Rect& destination = command.destination;
  if (source.width == 0 || source.height == 0 || destination.width == 0 || destination.height == 0) return;
  const Surface before = from;  // source and destination may be one target
  const int left = std::min(destination.x, destination.x + destination.width);
  const int right = std::max(destination.x, destination.x + destination.width);
  const int bottom = std::min(destination.y, destination.y + destination.height);
  const int top = std::max(destination.y, destination.y + destination.height);
  for (int y = std::max(bottom, 0); y < std::min(top, to.height); ++y) {
    for (int x = std::max(left, 0); x < std::min(right, to.width); ++x) {
      const int u = nearest(x, destination.x, destination.width, source.x, source.width);
      const int v = nearest(y, destination.y, destination.height, source.y, source.height);
      if (u < 0 || v < 0 || u >= before.width || v >= before.height) continue;
      const Pixel& read = before.at(u, v);
      Pixel& written = to.at(x, y);
      uint8_t planes = 0;
      if (command.color) {
        written.color = before.format == to.format ? read.color : encode(to.format, decode(before.format, read.color));
        written.visible = read.visible;
        planes |= kUncertainColor;
      }
      if (command.depth) {
        written.depth = read.depth;
        written.depth_tolerance = read.depth_tolerance;
        written.depth_geometry = read.depth_geometry;
        written.depth_writer = read.depth_writer;
        planes |= kUncertainDepth;
      }
      if (command.stencil) {
        written.stencil = read.stencil;
        planes |= kUncertainStencil;
      }
      written.uncertain = uint8_t((written.uncertain & ~planes) | (read.uncertain & planes));
    }
  }
}

}  // namespace brokkr::oracle
