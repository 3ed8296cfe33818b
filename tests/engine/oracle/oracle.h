// The oracle: a naive sequential renderer of a Frame, with which tests compare the pipeline. It processes the commands
// one by one, the views, instances and triangles of a draw in turn, and every pixel of a triangle's bounding box. It
// shares only the description of a frame, and nothing of src/engine/geometry, src/engine/raster and
// src/engine/pipeline. It does not draw lines, points and polygon modes other than fill. If all vertices of a triangle
// reach the 1/256-pixel grid without clipping, exact integers decide coverage, and there is one right answer. With
// clipping, the pipeline may round as it likes. Samples nearer to an edge than `clip_tolerance` then count as
// uncertain, and so do all results that depend on them, such as a depth test against an uncertain depth or blending
// over an uncertain colour. Uncertainty is marked per pixel and plane, and comparisons skip it.
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
  int samples = 1, sample = 0;            // number of samples per pixel, and the sample that the surfaces hold
};

struct Counts {
  uint64_t triangles = 0;            // submitted
  uint64_t culled = 0;               // not finite, without area, or facing the culled way
  uint64_t clipped = 0;              // drawn with a tolerance
  uint64_t fragments = 0;            // covered samples, before any test
  uint64_t uncertain_fragments = 0;  // samples near an edge of a clipped triangle
};

struct Result {
  std::vector<std::vector<Surface>> targets;  // [target][layer]
  std::vector<Primitive> primitives;          // indexed by Pixel::visible and Pixel::depth_writer
  Counts counts;
};

// Renders the frame, which must pass `validate`. Targets start with colour 0, depth 1 and stencil 0. Throws
// std::invalid_argument for a draw that the oracle does not support (lines, points, polygon modes).
Result render(const Frame& frame, const Options& options);

}  // namespace brokkr::oracle
