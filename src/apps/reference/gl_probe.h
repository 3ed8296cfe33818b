// Drawings of the probe (src/probe) through OpenGL: how long they take, and in which order, when and where each pixel
// is written.
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
  uint32_t mode = 4;              // 0: points, 1: lines, 4: triangles, 5: a strip, as OpenGL has them
  std::vector<float> vertices;    // x and y, pixels from the lower left corner
  std::vector<uint32_t> batches;  // vertices of each call; empty: one call
  int background = 0;             // uniforms of the shader's text, as are the following
  bool waits = false;
  std::array<int32_t, 4> stars{};
  int mask = 0;  // early depth test: 1: only stars pass, 2: all but them, 0: there is none; not a part of the cost
  std::vector<std::array<int32_t, 4>> slow;  // at most 64
};

// Planes have a value for each pixel, rows bottom to top; those that the driver has no words for are empty.
struct GlProbeFilm {
  std::vector<uint32_t> order;  // rank among all fragments, counted by an atomic; ~0u: not drawn
  std::vector<uint32_t> unit;   // gl_SMIDNV of GL_NV_shader_thread_group
  std::vector<uint32_t> warp;   // gl_WarpIDNV
  std::vector<uint64_t> time;   // clockRealtimeEXT of GL_EXT_shader_realtime_clock
};

class GlProbe {
 public:
  // `work`: GLSL that declares the uniforms background, waits, stars, slow_count and slow, and `float work(ivec2
  // pixel)`. `context` must outlive this. Throws std::runtime_error where the driver does not take the shader.
  GlProbe(EglContext& context, const std::string& work);
  ~GlProbe();

  // The shortest of `runs` times from an idle OpenGL to glFinish's return, in ms, without anything that is written on
  // top. Of drivers of the CPU it is processor time: of the calling thread, which must be the process's first, and of
  // the driver's thread that draws longest. Throws std::runtime_error with OpenGL's error.
  double cost_ms(const GlProbeDrawing& drawing, int runs);
  GlProbeFilm film(const GlProbeDrawing& drawing);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace brokkr
