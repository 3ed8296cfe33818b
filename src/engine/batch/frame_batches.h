// Index buffers of whole frames: `brokkr batches` measures them, `brokkr optimize` rewrites them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "batch/predict.h"
#include "batch/reorder.h"
#include "brokkr/frame.h"

namespace brokkr {

// The triangles of one draw, assembled: vertex numbers relative to its first vertex.
struct DrawTriangles {
  uint32_t command = 0;
  std::vector<uint32_t> indices;
};

// The triangle lists, strips and fans that have an index buffer, as lists. Draws without an index buffer share no
// vertices, and lines and points have no triangles; both are omitted, and so are empty draws.
std::vector<DrawTriangles> indexed_triangles(const Frame& frame);

// Returns true if reordering the draw's triangles cannot change the image: it tests and writes depth with `less` or
// similar, and uses neither blending nor stencil. (Triangles with equal depth at a sample may still swap.)
bool order_is_free(const Frame& frame, const DrawCommand& draw);

struct OptimizeOptions {
  ReorderMethod method = ReorderMethod::batch;
  uint32_t cache_size = 0;
  bool every_draw = false;      // false: only draws whose order is free
  bool number_vertices = true;  // renumber them in the order of first use
  bool keep_pages = true;       // the NVIDIA post-process, if the model requires it
};

struct OptimizeReport {
  uint32_t draws = 0, kept_draws = 0;  // number of reordered draws, and of unchanged draws
  uint64_t triangles = 0;              // in reordered draws
  uint64_t vertex_runs_before = 0, vertex_runs_after = 0;
  uint64_t vertices_before = 0, vertices_after = 0;  // in the frame
  double milliseconds = 0;                           // for the ordering alone
};

// Reorders the draws of `frame` in place. Draws that are not reordered keep sharing vertices. A draw whose vertices are
// renumbered or copied gets separate vertices.
OptimizeReport optimize_frame(Frame& frame, const BatchModel& model, const OptimizeOptions& options,
                              const std::function<void(const std::string&)>& progress = {});

}  // namespace brokkr
