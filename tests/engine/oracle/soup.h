// Random frames for tests that compare the pipeline with the oracle. They are deterministic for a seed on every
// platform. All draws are of clip-space positions, and the first command of every target clears everything.
#pragma once

#include <cstdint>

#include "brokkr/frame.h"

namespace brokkr::oracle {

// The possible content of a soup. The defaults need no clipping, so the oracle is certain about every sample.
struct SoupOptions {
  int width = 200, height = 150, layers = 1;
  ColorFormat format = ColorFormat::rgba8;
  int draws = 10;
  int triangles = 60;        // approximate number per draw
  bool clipping = false;     // triangles across the near and far planes, the eye's plane, the guard band
  bool blending = true;      // all factors and equations, in half of the draws
  bool logic_ops = false;    // all logical operations, in most draws
  bool stencil = true;       // all functions and operations, in a quarter of the draws
  bool depth_states = true;  // all functions and masks; otherwise always less with depth writes
  bool masks = true;         // colour masks, scissors, separate viewports, face culling, depth ranges
  bool clears = true;        // between draws, whole and scissored
  bool blits = false;        // a second target with draws, and blits between the two
  bool instances = false;    // several instances, and several views per draw where there are layers
  bool alpha_test = false;   // the outcome depends on the alpha of the shading
  bool polygon_offset = false;
  bool depth_clamp = false;  // the flags depth-clamp and z-zero-to-one
  bool samples = false;      // masks of samples, pixels covered as a whole, and samples that lie upside down
};

// Triangles of all shapes: slivers, huge and sub-pixel ones, fans, strips with restarts, jittered grids, vertices on
// pixel centres, degenerate ones, ones entirely behind the eye, NaN and infinity, repeated geometry (depth ties).
// `validate` accepts the frame.
Frame make_soup(uint32_t seed, const SoupOptions& options);

}  // namespace brokkr::oracle
