// Counts and times of one launch. They are always collected, every RenderResult contains them, and `--stats` writes
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// A span in one block's timeline (Chrome trace, `--trace`).
struct TraceEvent {
  uint32_t block = 0;
  uint8_t stage = 0;      // Stage
  uint32_t argument = 0;  // batch or rasterizer number
  double begin_us = 0, end_us = 0;
};

enum class Stage : uint8_t { geometry, rasterize, idle, count };
inline constexpr const char* kStageNames[] = {"geometry", "rasterize", "idle"};

struct BlockTime {
  double ms[size_t(Stage::count)] = {};
};

// The cost of preparing a frame's programs, which is paid once, however often the frame is rendered.
struct ShaderWork {
  double translate_ms = 0;            // from GLSL to instructions, including the frame's textures
  double cache_ms = 0;                // loading compiled code from the cache
  double compile_ms = 0;              // compilers, running in parallel
  uint64_t compiled = 0, cached = 0;  // programs compiled, and programs found in the cache
};

struct Statistics {
  std::string machine, isa, pattern;
  std::string kernel;  // GPU: the kernel that was chosen for the frame (docs/research/gpu.md); otherwise empty
  int workers = 0, warps_per_block = 0, width = 0, rasterizers = 0, bin = 0;
  // Renderer::render takes frame_ms + read_back_ms of its caller's time. Earlier, Renderer::prepare took prepare_ms,
  // and the frame's updates took update_ms. A frame costs nothing else.
  double frame_ms = 0;      // from the call until the picture is in the machine's memory: plan, uploads, launch, counts
  double launch_ms = 0;     // part of frame_ms: from the start of the first block to the end of the last
  double upload_ms = 0;     // part of frame_ms, on a GPU: allocating memory and copying tables
  double read_back_ms = 0;  // from the machine's memory to RenderResult::targets; 0 if they are left out
  double prepare_ms = 0;    // draw tables, batches and mip chains, once for all frames
  double update_ms = 0;     // time of PreparedFrame::update_… since the previous frame

  uint64_t batches = 0, draws = 0, phases = 0, ordered_phases = 0;
  uint64_t indices = 0, vertex_shader_runs = 0;
  // VertexShading::pipeline only: runs of vertex programs, which are among the vertex shader runs; draws that ran them;
  // and draws whose vertices the host has computed: lines, points, wireframes, and draws whose program cannot run.
  uint64_t vertex_program_runs = 0, vertex_program_draws = 0, vertex_prepared_draws = 0;
  uint64_t vertex_loops_cut = 0;  // tasks in which a vertex program's loop reached its iteration limit
  uint64_t triangles_in = 0, triangles_culled = 0, triangles_clipped = 0, triangles_out = 0;
  uint64_t triangles_direct = 0;  // small triangles among them that geometry drew itself (SmallTriangles::direct)
  uint64_t triangle_rasterizer_pairs = 0, triangle_bin_pairs = 0;
  uint64_t queue_elements = 0;             // sent to rasterizers: a triangle block and a mask, 8 bytes each
  uint64_t fragments = 0;                  // covered samples, without those in tiles that hierarchical depth rejected
  uint64_t fragments_shaded = 0;           // samples for which a fragment shader ran
  uint64_t quads = 0;                      // 2x2 groups of the tile path with a covered sample
  uint64_t visits = 0;                     // rasterizer visits
  uint64_t admission_waits = 0;            // times that no batch could start because store or window were full
  uint64_t queue_peak = 0;                 // most elements observed in one rasterizer's queue
  uint64_t store_peak = 0;                 // most triangle blocks in use at once
  uint64_t spins = 0;                      // pauses taken while waiting
  uint64_t loops_cut = 0;                  // visits in which a program's loop reached its iteration limit and was ended
  uint64_t store_bytes = 0;                // triangle store, queues and pending lists: the fixed part of the memory
  uint64_t target_bytes = 0;               // render targets and their key planes
  uint64_t frame_bytes = 0;                // the prepared frame: input and its tables
  uint64_t upload_bytes = 0;               // tables copied to a GPU for this frame
  uint64_t download_bytes = 0;             // counts and trace copied from a GPU, without pictures
  double asr = 0;                          // vertex shader runs per triangle
  double load_cv = 0;                      // coefficient of variation of fragments over rasterizers
  uint64_t discard_unknown_triangles = 0;  // triangles whose discards a clip-space replay cannot know
  // Shading::program only: the number of draws that ran their programs, and of draws whose program could not run.
  uint64_t program_draws = 0, false_color_draws = 0;

  std::vector<uint64_t> rasterizer_fragments;  // load of each rasterizer
  std::vector<uint64_t> bin_fragments;         // load of each bin of the main target, row by row
  int bins_x = 0, bins_y = 0;
  std::vector<std::string> false_colors;  // one line for each program that could not run
  // Shading::program only. `shaders` says how programs ran, "interpreted" or "compiled". `shaders_problem` says why
  // they were not compiled; it is empty if an option forbade it or if compiling takes longer than it saves.
  std::string shaders, shaders_problem;
  ShaderWork shader_work;
  std::vector<BlockTime> block_times;
  std::vector<TraceEvent> trace;

  // The statistics as text. to_json has all of them except the trace.
  std::string to_json() const;
  std::string to_csv() const;           // one header line, one value line (scalars only)
  std::string to_chrome_trace() const;  // chrome://tracing, Perfetto
};

}  // namespace brokkr
#pragma GCC visibility pop
