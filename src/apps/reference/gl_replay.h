// Draws a captured frame with OpenGL and its own programs of both stages. Draws without a vertex program get the
// computed vertices of the file. It shows what part of the picture the capture contains, and is an oracle for
// everything that runs those programs.
//
//   EglContext context("software", GlProfile::compatibility);
//   GlReplay replay(context);
//   replay.prepare(frame);
//   replay.draw();
//   GlLayer picture = replay.read(main_target(frame));
//
// It shares only frames with the pipeline.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "reference/egl_context.h"
#include "reference/gl_renderer.h"

namespace brokkr {

// A program that the driver rejects, or that needs more varyings than vertices can hold. If the reason is the vertex
// program, which it then names, the driver draws the vertices that our own vertex stage computed.
struct GlProgramFailure {
  uint32_t program = 0;  // index into Frame::programs
  std::string reason;
};

class GlReplay {
 public:
  // `context` must have the compatibility profile, outlive the object and be current on the calling thread.
  explicit GlReplay(EglContext& context);
  ~GlReplay();

  // Uploads the frame, which must outlive its use here. Throws std::runtime_error for an invalid frame, and if the
  // driver rejects a target.
  void prepare(const Frame& frame);
  const std::vector<GlProgramFailure>& failures() const;

  // Draws the prepared frame from its start: targets begin with colours 0, depth 1 and stencil 0. Draws whose program
  // is unknown or failed get their colour of GlShading::draw.
  GlDrawStatistics draw(std::optional<uint32_t> command_limit = {});

  // The current content of a target's first colour, with 8 bits per channel.
  GlLayer read(uint32_t target);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace brokkr
