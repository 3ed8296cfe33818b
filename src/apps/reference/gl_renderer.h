// Draws a Frame with OpenGL: an oracle for the pipeline's tests, and a competitor in its benchmarks.
//
//   EglContext context;
//   GlRenderer renderer(context);
//   renderer.prepare(frame);
//   renderer.draw({});
//   GlLayer picture = renderer.read(main_target(frame));
//
// It shares only frames with the pipeline, so agreement of the two pictures shows that both are right.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "brokkr/frame.h"
#include "reference/egl_context.h"

namespace brokkr {

// The shading of surfaces. flat: one colour for all; draw, triangle: one colour for each; depth: window depth as grey;
// material: the draw's material (captured draws have none and are coloured by draw).
enum class GlShading : uint8_t { material, draw, triangle, depth, flat };

struct GlOptions {
  GlShading shading = GlShading::material;
  std::optional<uint32_t> command_limit;  // stop before this command; default: run them all
  // Samples textures at the level of detail that the specification defines, for comparing pictures. Drivers approximate
  // it.
  bool exact_lod = false;
  bool operator==(const GlOptions&) const = default;
};

// One layer of a target. Rows run bottom to top; arrays hold width * height values.
struct GlLayer {
  int width = 0, height = 0;
  std::vector<uint32_t> color;     // RGBA8 (0xAABBGGRR), as stored; empty for RGBA16F
  std::vector<float> color_float;  // RGBA32F converted from RGBA16F; empty otherwise
  std::vector<float> depth;        // window depth in [0, 1]
  std::vector<uint8_t> stencil;
};

struct GlDrawStatistics {
  double frame_ms = 0;         // from an idle GL to glFinish's return, without upload and read-back
  uint64_t draw_calls = 0;     // GL draw calls; a multi-draw counts once
  uint64_t state_changes = 0;  // draw-state blocks applied
};

class GlRenderer {
 public:
  // `context` must outlive the renderer. In every call, it must be current on the calling thread.
  explicit GlRenderer(EglContext& context);
  ~GlRenderer();

  // Uploads the frame, which must outlive its use here. `exact_textures`: filters do not round, for comparing pictures.
  // Throws std::runtime_error if the frame is invalid, if the driver rejects a size, or if memory runs out.
  void prepare(const Frame& frame, bool exact_textures = false);

  // Draws the prepared frame from its start: targets begin with colour 0, depth 1 and stencil 0.
  GlDrawStatistics draw(const GlOptions& options);

  // The current content of a target's layer.
  GlLayer read(uint32_t target, uint32_t layer = 0);

  // Draws again and counts the samples that pass depth and stencil tests.
  uint64_t count_samples(const GlOptions& options);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// "flat" → GlShading::flat; empty for an unknown name.
std::optional<GlShading> gl_shading_from_name(std::string_view name);

// Orders a frame's commands so that OpenGL draws them fast: consecutive draws that differ only in their index range
// become one multi-draw, and draws of many views run view by view, so that each view's target is bound once.

// Draws that differ only in their ranges. The arrays are parallel, as glMultiDraw* takes them.
struct GlBatch {
  uint32_t command = 0;  // index of the first draw in Frame::commands
  std::vector<int32_t> counts;
  std::vector<const void*> index_offsets;  // byte offsets into the index buffer, for indexed draws
  std::vector<int32_t> first_vertices;     // base vertex of indexed draws, first vertex of others
  uint32_t instances = 1;                  // for VertexKind::transform draws (clip-space instances are items)
  uint32_t first_instance = 0;
};

// Batches with the same range of views.
struct GlPass {
  uint32_t first_view = 0, view_count = 1;
  std::vector<GlBatch> batches;
};

using GlStep = std::variant<GlPass, ClearCommand, BlitCommand>;

// The steps of a validated frame. They give the same image as the commands one by one.
std::vector<GlStep> schedule_steps(const Frame& frame, const GlOptions& options);

// A command's colour in GlShading::draw: neighbours in the command list get distinct hues.
glm::vec3 draw_color(uint32_t command);

}  // namespace brokkr
