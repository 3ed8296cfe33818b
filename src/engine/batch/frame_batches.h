// Index buffers of whole frames, which `brokkr batches` measures and `brokkr optimize` rewrites.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "batch/batch_model.h"
#include "batch/reorder.h"
#include "brokkr/frame.h"

namespace brokkr {

// The triangles of one draw, assembled: vertex numbers relative to its first vertex.
struct DrawTriangles {
  uint32_t command = 0;
  std::vector<uint32_t> indices;
};

// Draws of triangle lists, strips and fans with an index buffer; strips and fans become lists. Draws without one share
// no vertex, and lines and points have no triangles: both are left out, as are empty draws.
std::vector<DrawTriangles> indexed_triangles(const Frame& frame);

// Whether the order of a draw's triangles may change without the image: it tests and writes depth with `less` or the
// like, and neither blends nor uses the stencil. (Triangles of equal depth at a sample may still take turns.)
bool order_is_free(const Frame& frame, const DrawCommand& draw);

struct OptimizeOptions {
  ReorderMethod method = ReorderMethod::batch;
  uint32_t cache_size = 0;
  bool every_draw = false;      // false: only draws whose order is free
  bool number_vertices = true;  // in the order of first use
  bool keep_pages = true;       // the NVIDIA post-process, where the model asks for it
};

struct OptimizeReport {
  uint32_t draws = 0, kept_draws = 0;  // reordered; left as they are
  uint64_t triangles = 0;              // of reordered draws
  uint64_t vertex_runs_before = 0, vertex_runs_after = 0;
  uint64_t vertices_before = 0, vertices_after = 0;  // of the frame
  double milliseconds = 0;                           // of ordering alone
};

// Reorders the draws of `frame` in place. Draws that share vertices keep sharing those of draws that are not reordered;
// a draw whose vertices are numbered anew or copied gets vertices of its own.
OptimizeReport optimize_frame(Frame& frame, const BatchModel& model, const OptimizeOptions& options,
                              const std::function<void(const std::string&)>& progress = {});

}  // namespace brokkr
