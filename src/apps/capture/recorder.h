// Records one frame: converts GL calls to a Frame.
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec4.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brokkr/frame.h"
#include "capture/image_format.h"
#include "capture/numbers.h"
#include "capture/replay.h"
#include "capture/shading.h"
#include "capture/targets.h"
#include "capture/textures.h"

namespace brokkr::capture {

struct RenderState;
struct ClearMasks;

// The values of a clear, before masks and scissor.
struct ClearValues {
  std::optional<glm::vec4> color;
  std::optional<size_t> draw_buffer;  // the draw buffer of the colour; empty: all
  std::optional<float> depth;
  std::optional<int> stencil;
};

// Returns true if a clear or blit under this scissor changes all pixels.
bool covers(const std::optional<Rect>& scissor, const TargetInfo& target);

// A level of the texture bound to a target, or a face of that level.
struct TextureLevel {
  GLenum target = GL_TEXTURE_2D;
  GLint level = 0;
};

class Recorder {
 public:
  // `window`: the window whose swap ends the frame.
  Recorder(Context& context, const Surface& window, int64_t frame_number);

  const Surface& window() const { return window_; }
  int64_t frame_number() const { return frame_.frame_number; }

  // Call these before the real call; they affect the target of the bound draw framebuffer.
  void draw(Context& context, const DrawCall& call);
  void clear(Context& context, const ClearValues& values);
  // Corners as in glBlitFramebuffer; the targets are the bound framebuffers.
  void blit(Context& context, const std::array<GLint, 4>& source, const std::array<GLint, 4>& destination,
            GLbitfield mask, GLenum filter);

  // Copies from the bound framebuffer to a level of the bound texture. `needs_content`: the level already exists.
  void copy(Context& context, const TextureLevel& level, const Rect& source, int x, int y, bool needs_content);
  void generate_mips(Context& context, GLenum target);

  // Records that a draw was skipped, with its number of triangles if known.
  void skip(const std::string& reason, uint64_t triangles);

  void forget(const Context& context, GLenum kind, GLuint name) {
    targets_.forget(context, kind, name);
    if (kind == GL_TEXTURE) textures_.written(context, name);
  }

  // Records that the application changes a texture's content; call it before or after the real call.
  void texture_written(const Context& context, GLuint name) {
    textures_.written(context, name);
    if (name != 0) targets_.written(context, name);
  }

  // Records that shaders may have stored to the images that the context binds for writing.
  void images_stored(const Context& context);

  // Reads picture and depth of a window other than the frame's, before its swap.
  void end_window(Context& context) { targets_.end_window(context); }

  // Makes `window` the one whose swap ends the frame, if the frame began before any window was shown.
  void take_window(const Surface& window);

  // Reads the pictures at the end of the frame.
  Frame finish(Context& context);

 private:
  // Records a property that the file cannot hold, although the command is stored.
  void note(const std::string& what) { frame_.skipped_reasons[what]++; }
  // Counts outputs of the last vertex stage that feedback does not record.
  void note_outputs(const VertexStage& stage, uint32_t layers);
  // Counts smoothing of a draw's primitives (GL_POINTS, GL_LINES) that the file cannot hold.
  void note_smoothing(const Context& context, GLenum primitive);
  // The stipple of a draw's triangles. Counts a stipple that the file cannot hold.
  std::optional<StipplePattern> stipple_of(const Context& context, const RenderState& render);
  void note_problem(const std::string& what, const std::string& problem);
  // `draw`: without vertices. A part that was not recorded stays in the frame and states the reason.
  void add_draw(DrawCommand draw, const Replayed& part, const ShadingInputs* inputs = nullptr);
  // Gives the draw its vertex program, or counts the reason why it has none. `vertex`: null if there is none.
  void add_vertices(DrawCommand& draw, const Replayed& part, const VertexStage& stage, const VertexInputs* vertex);
  void repeat_draw(uint32_t state);
  void clear_target(Context& context, const ClearValues& values, const ClearMasks& masks, uint32_t target);
  // The part of a clear that leaves channels or bits as they are.
  struct PartialClear {
    uint32_t target = 0;
    ClearValues values;
    std::optional<Rect> scissor;
    std::vector<size_t> colors;              // draw buffers, ascending
    std::vector<std::array<bool, 4>> masks;  // of each
    uint8_t stencil = 0;                     // the bits that are cleared
  };
  void clear_partly(Context& context, const PartialClear& clear);
  // Adds a triangle that covers the target. `inputs`: null if it writes no colour.
  void draw_over(uint32_t target, const State& state, const ShadingInputs* inputs);
  // Records a blit of colours as a draw that samples the source. Returns false if that cannot be.
  bool blit_as_draw(Context& context, const BlitCommand& blit, bool linear, const std::optional<Rect>& scissor);
  // A draw and where it goes. `back_state`: the state in which its back faces are drawn, if it differs. `layers`: of
  // the framebuffer.
  struct Drawing {
    DrawCommand draw;
    std::optional<uint32_t> back_state;
    Targets::Planes used{}, written{};
    uint32_t layers = 1;
  };
  // Records the draw's parts.
  void replay_draw(Context& context, const DrawCall& call, const RenderState& render, VertexStage& stage,
                   const Drawing& drawing);
  // Counts properties of outlines that the file cannot hold.
  void note_outlines(const Context& context, const DrawCall& call, const RenderState& render, const VertexStage& stage);
  // The draw in the target and with the viewport that a part of it goes to; empty if there is no such target.
  std::optional<Drawing> route_to(const Context& context, const Drawing& drawing, const Route& route);
  void count_skip(const std::string& reason, uint64_t triangles, const std::string& label);
  bool has_drawing_condition(const Context& context);

  Surface window_;
  Frame frame_;
  Numbers<State> states_;
  Targets targets_;
  Textures textures_;
  Shading shading_;
  uint64_t draws_ = 0;
  SrgbTargets srgb_targets_;
};

}  // namespace brokkr::capture
