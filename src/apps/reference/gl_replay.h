// A captured frame through OpenGL with its own fragment programs: what the capture holds of a picture, and an oracle
// for everything that runs those programs.
//
//   EglContext context("software", GlProfile::compatibility);
//   GlReplay replay(context);
//   replay.prepare(frame);
//   replay.draw();
//   GlLayer picture = replay.read(main_target(frame));
//
// It shares nothing but frames with the pipeline.
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

// A program that the driver refuses, or that needs more than vertices have room for.
struct GlProgramFailure {
  uint32_t program = 0;  // index into Frame::programs
  std::string reason;
};

class GlReplay {
 public:
  // `context` is one of the compatibility profile; it must outlive this and be usable on the calling thread.
  explicit GlReplay(EglContext& context);
  ~GlReplay();

  // Uploads the frame, which must outlive its use here. Throws std::runtime_error on an invalid frame, and where the
  // driver refuses a target.
  void prepare(const Frame& frame);
  const std::vector<GlProgramFailure>& failures() const;

  // Draws the prepared frame from its beginning: targets start with colours 0, depth 1 and stencil 0. Draws whose
  // program is not known, or failed, are in the colour that GlShading::draw gives them.
  GlDrawStatistics draw(std::optional<uint32_t> command_limit = {});

  // The present content of a target's first colour, as 8 bits a channel.
  GlLayer read(uint32_t target);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace brokkr
