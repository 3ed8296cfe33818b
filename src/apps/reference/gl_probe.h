// Draws the probe's drawings (src/research/probe) with OpenGL. Measures their time, and records when, where and in
// which order each pixel is written.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "reference/egl_context.h"

namespace brokkr {

struct GlProbeDrawing {
  int width = 0, height = 0;
  uint32_t mode = 4;              // OpenGL's constants: 0: points, 1: lines, 4: triangles, 5: a strip
  std::vector<float> vertices;    // x and y, pixels from the lower left corner
  std::vector<uint32_t> batches;  // vertices per call; empty: one call
  int background = 0;             // like the next members, a uniform of the shader
  bool waits = false;
  std::array<int32_t, 4> stars{};
  int mask = 0;  // early depth test. 1: only stars pass, 2: all except stars pass, 0: none. Not part of the cost
  std::vector<std::array<int32_t, 4>> slow;  // at most 64
};

// Planes have one value per pixel, rows bottom to top; planes that the driver cannot provide are empty.
struct GlProbeFilm {
  std::vector<uint32_t> order;  // rank among all fragments, counted by an atomic; ~0u: not drawn
  std::vector<uint32_t> unit;   // gl_SMIDNV of GL_NV_shader_thread_group
  std::vector<uint32_t> warp;   // gl_WarpIDNV
  std::vector<uint64_t> time;   // clockRealtimeEXT of GL_EXT_shader_realtime_clock
};

class GlProbe {
 public:
  // `work`: GLSL that declares the uniforms background, waits, stars, slow_count and slow, and `float work(ivec2
  // pixel)`. `context` must outlive the object. Throws std::runtime_error if the driver rejects the shader.
  GlProbe(EglContext& context, const std::string& work);
  ~GlProbe();

  // The minimum of `runs` times from an idle OpenGL to the return of glFinish, in ms, without writing a film. For CPU
  // drivers it is processor time: that of the calling thread, which must be the process's first, plus that of the
  // driver's slowest drawing thread. Throws std::runtime_error with OpenGL's error.
  double cost_ms(const GlProbeDrawing& drawing, int runs);
  GlProbeFilm film(const GlProbeDrawing& drawing);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Counts how often an OpenGL driver runs the vertex shader for an index buffer [Kerbl18, 6.2.1].

// Indices first .. first + count - 1 of a buffer, drawn as a triangle list by one call.
struct GlIndexRange {
  uint32_t first = 0, count = 0;
};

// Components that a vertex shader can hand on beside its position, at least (Direct3D's limit, as in [Kerbl18, 6.2]).
inline constexpr uint32_t kMaxVertexAttributes = 124;

// The vertex shader invocations that the driver counts for each range (GL_ARB_pipeline_statistics_query, OpenGL 4.6),
// drawn off screen with a vertex shader that copies a position of three floats and hands on `attributes` components, 0
// .. kMaxVertexAttributes, which the fragment shader reads. Throws std::runtime_error if the driver cannot count or
// cannot hand on so many, and std::out_of_range for a range beyond `indices` or of incomplete triangles.
std::vector<uint64_t> count_vertex_runs(EglContext& context, std::span<const uint32_t> indices,
                                        std::span<const GlIndexRange> ranges, uint32_t attributes = 0);

// The runs of the vertex shader in one draw of a triangle list [Kerbl18, 6.2.2].
struct GlVertexRuns {
  uint32_t runs = 0;                   // whose results the draw used
  std::vector<uint32_t> run_of_index;  // per index: the run whose result it uses, 0 .. runs - 1 by first use
  // Per run: the wave that it ran in, 0 .. by first use; empty where vertex shaders have no subgroup operations.
  std::vector<uint32_t> wave_of_run;
};

// Draws once, off screen. Every run of the vertex shader takes a number by an atomic addition and hands it on;
// transform feedback then says which number each index received. Where the driver has GL_KHR_shader_subgroup for vertex
// shaders, one lane takes a number for its wave. Throws as count_vertex_runs, and std::runtime_error if a vertex shader
// of the driver cannot write to a buffer.
GlVertexRuns record_vertex_runs(EglContext& context, std::span<const uint32_t> indices);

}  // namespace brokkr
