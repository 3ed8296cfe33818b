// One frame while it is recorded: from GL calls to a Frame.
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec4.hpp>
#include <optional>
#include <string>

#include "brokkr/frame.h"
#include "capture/replay.h"
#include "capture/targets.h"

namespace brokkr::capture {

// The values of a clear, before masks and scissor.
struct ClearValues {
  std::optional<glm::vec4> color;
  std::optional<float> depth;
  std::optional<int> stencil;
};

class Recorder {
 public:
  // `window`: whose swap ends the frame.
  Recorder(Context& context, const Surface& window, int64_t frame_number);

  const Surface& window() const { return window_; }
  int64_t frame_number() const { return frame_.frame_number; }

  // Before the real call; the target is the bound draw framebuffer.
  void draw(Context& context, const DrawCall& call);
  void clear(Context& context, const ClearValues& values);
  // Corners as glBlitFramebuffer takes them; the targets are the bound framebuffers.
  void blit(Context& context, const std::array<GLint, 4>& source, const std::array<GLint, 4>& destination,
            GLbitfield mask);

  // Notes a draw that is not recorded, with its number of triangles as far as that is known.
  void skip(const std::string& reason, uint64_t triangles);

  void forget(GLenum kind, GLuint name) { targets_.forget(kind, name); }

  // Reads picture and depth of another window than the frame's, which is about to be swapped.
  void end_window(Context& context) { targets_.end_window(context); }

  // Reads the pictures at the end of the frame.
  Frame finish(Context& context);

 private:
  // Notes a property that the file cannot hold, although the command is recorded.
  void note(const std::string& what) { frame_.skipped_reasons[what]++; }
  void note_problem(const std::string& what, const std::string& problem);
  uint32_t add_state(const State& state);
  // `draw`: without vertices. A part that is not recorded keeps its place and says why.
  void add_draw(DrawCommand draw, const Replayed& part);
  void count_skip(const std::string& reason, uint64_t triangles, const std::string& label);
  bool has_drawing_condition(Context& context, uint32_t& flags);

  Surface window_;
  Frame frame_;
  Targets targets_;
  uint64_t draws_ = 0;
};

}  // namespace brokkr::capture
