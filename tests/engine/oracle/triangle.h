// Computes the samples that three clip-space positions cover.
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec4.hpp>
#include <vector>

#include "brokkr/frame.h"
#include "oracle/plane.h"

namespace brokkr::oracle {

struct Sample {
  int x = 0, y = 0;
  bool certain = true;        // false: within the tolerance of a clipped triangle's edge
  float depth = 0;            // window depth, clamped
  float depth_tolerance = 0;  // 0: exact
  uint64_t geometry = 0;      // hash of vertices, viewport, scissor: equal ones give equal depths on both sides
};

enum class Fate : uint8_t { culled, drawn, clipped };

// Appends the samples that the triangle covers within `pixels`, each once. `clip_tolerance`: pixels, below 1. `place`:
// the sample's position in the pixel.
Fate cover(const std::array<glm::vec4, 3>& clip, const State& state, uint32_t flags, const PixelRect& pixels,
           double clip_tolerance, std::vector<Sample>& samples, const SamplePlace& place = {});

}  // namespace brokkr::oracle
