// One frame while it is recorded: from GL calls to a Frame.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <glm/vec4.hpp>
#include <map>
#include <optional>
#include <string>

#include "brokkr/frame.h"
#include "capture/primitives.h"
#include "capture/program.h"
#include "capture/render_state.h"
#include "capture/targets.h"

namespace brokkr::capture {

// A draw as the application submitted it, whatever function it used.

// One draw of a call; multi-draws have several. Of a draw with indices `first` is unused.
struct SubDraw {
  uint32_t first = 0, count = 0;
  uint32_t instances = 1, base_instance = 0;
  int32_t base_vertex = 0;
  const void* indices = nullptr;  // pointer, or offset in the element array buffer
};

struct DrawCall {
  GLenum mode = GL_TRIANGLES;
  GLenum index_type = GL_NONE;  // GL_NONE: without indices
  bool instanced = false;       // submitted by a function that takes a number of instances
  std::vector<SubDraw> parts;
  // The same call again, in its own modes.
  std::function<void()> submit;
  // Only GL knows the vertices (display lists, evaluators): `mode` is then GL_POINTS, GL_LINES or GL_TRIANGLES, and
  // `parts` is empty.
  bool opaque = false;
  // Immediate mode: opaque, but the same vertices can be sent in another mode than `mode`.
  std::function<void(GLenum)> submit_as;
  // The call changes matrices and attributes, which must be restored (display lists).
  bool changes_state = false;
};

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
  // Notes a property that the file cannot hold, although the draw is recorded.
  void note(const std::string& what) { frame_.skipped_reasons[what]++; }

  void forget(GLenum kind, GLuint name) { targets_.forget(kind, name); }

  // Reads picture and depth of another window than the frame's, which is about to be swapped.
  void end_window(Context& context);

  // Reads the pictures at the end of the frame.
  Frame finish(Context& context);

 private:
  // The place in the file of the content of an image's plane.
  struct Content {
    size_t target = 0;
    bool drawn = false;    // since the last clear
    bool unknown = false;  // holds what an earlier frame left, which the file does not have
  };

  void add_targets(size_t target);
  Targets::Found find_target(Context& context, GLenum binding);
  void note_problem(const std::string& what, const std::string& problem);
  std::optional<size_t> window_target(Context& context);
  void add_window_reference(Context& context, size_t target);
  // Moves the content of the planes to the target, which is about to be used.
  void use(Context& context, size_t target, std::array<bool, kPlanes> planes, bool needs_content = true);
  // False where the file cannot hold it.
  bool load_earlier_content(Context& context, size_t target, Plane plane);
  void mark_drawn(size_t target, Plane plane);
  void add_reference(Context& context, size_t target, bool with_depth);
  uint32_t add_state(const State& state);

  struct Prepared {
    size_t target = 0;
    uint32_t state = 0, flags = 0;
  };
  void draw_part(Context& context, const DrawCall& call, const VertexStage& stage, const Prepared& prepared,
                 size_t part);
  void draw_with_ids(Context& context, const DrawCall& call, const VertexStage& stage, const Prepared& prepared);
  void draw_expanded(Context& context, const DrawCall& call, const VertexStage& stage, const Prepared& prepared);
  void add_draw(const Prepared& prepared, const Assembly& assembly, const std::vector<glm::vec4>& positions,
                uint32_t vertices, uint32_t instances, const std::string& label);
  void count_skip(const std::string& reason, uint64_t triangles, const std::string& label,
                  const std::optional<Prepared>& prepared);
  bool has_drawing_condition(Context& context, uint32_t& flags);

  Surface window_;
  Frame frame_;
  Targets targets_;
  std::vector<uint32_t> frame_targets_;  // Frame::targets of each of Targets::all()
  std::map<std::pair<Image, Plane>, Content> contents_;
  uint64_t draws_ = 0;
};

}  // namespace brokkr::capture
