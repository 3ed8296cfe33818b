// Compares a picture of the pipeline with the oracle's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "brokkr/renderer.h"
#include "oracle/oracle.h"

namespace brokkr::oracle {

// The origin of one of the picture's primitive ids, in the oracle's terms.
using Origin = std::function<Primitive(uint32_t)>;

struct Comparison {
  uint64_t pixels = 0;
  uint64_t color = 0, depth = 0, stencil = 0;  // certain pixels that differ
  uint64_t visible = 0, depth_writer = 0, overdraw = 0;
  uint64_t uncertain = 0;  // pixels with a plane that was not compared
  std::string first;       // the first pixel that differs, with both values; empty if none does

  bool equal() const { return color + depth + stencil + visible + depth_writer + overdraw == 0; }
};

// Colour may differ by 1/255 (RGBA16F: or 2^-8 of the value), depth by the slack of plane.h. Arrays that the layer
// leaves empty are not compared; identifiers only where `origin` is given. Throws std::invalid_argument when the sizes
// differ.
Comparison compare(const Result& oracle, const Surface& surface, const Layer& layer, const Origin& origin = {});

}  // namespace brokkr::oracle
