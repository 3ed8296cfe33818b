// The oracle: a naive sequential renderer of a Frame, to hold the pipeline against.
//
// It goes through the commands one by one, through the views, instances and triangles of a draw in turn, and through
// every pixel of a triangle's bounding box. It shares nothing with src/engine/geometry, src/engine/raster or
// src/engine/pipeline, only the description of a frame. Lines, points and polygon modes other than fill are left out.
//
// If all vertices of a triangle can be brought to the 1/256-pixel grid without clipping, coverage is decided by exact
// integers and is the one right answer. Where clipping is needed, its rounding is the pipeline's own business: samples
// nearer to an edge than `clip_tolerance` then count as uncertain, and so does everything that follows from them (a
// depth test against an uncertain depth, blending over an uncertain colour). What is uncertain is marked per pixel and
// plane, and is not to be compared.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/vec4.hpp>
#include <optional>
#include <vector>

#include "brokkr/frame.h"
#include "oracle/surface.h"

namespace brokkr::oracle {

// One submitted triangle. `triangle` counts the assembled triangles of the instance, restarts skipped.
struct Primitive {
  uint32_t command = 0, view = 0, instance = 0, triangle = 0;  // view: index into Frame::views
  bool operator==(const Primitive&) const = default;
};

// Linear RGBA of a whole triangle, before blending.
using ColorSource = std::function<glm::vec4(const Primitive&)>;

struct Options {
  ColorSource color;                      // required
  double clip_tolerance = 1.0 / 128;      // pixels
  std::optional<uint32_t> command_limit;  // stop before this command
  int samples = 1, sample = 0;            // which of how many samples of each pixel the surfaces hold
};

struct Counts {
  uint64_t triangles = 0;            // submitted
  uint64_t culled = 0;               // not finite, no area, or facing the culled way
  uint64_t clipped = 0;              // drawn with a tolerance
  uint64_t fragments = 0;            // covered samples, before any test
  uint64_t uncertain_fragments = 0;  // samples near an edge of a clipped triangle
};

struct Result {
  std::vector<std::vector<Surface>> targets;  // [target][layer]
  std::vector<Primitive> primitives;          // what Pixel::visible and Pixel::depth_writer index
  Counts counts;
};

// Renders the frame, which must pass `validate`. Targets start as colour 0, depth 1 and stencil 0. Throws
// std::invalid_argument for a draw that the oracle leaves out (lines, points, polygon modes).
Result render(const Frame& frame, const Options& options);

}  // namespace brokkr::oracle
