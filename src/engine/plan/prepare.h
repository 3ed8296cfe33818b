// Converts a Frame into the tables that the kernel reads (frame/frame_tables.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/renderer.h"
#include "plan/launch_plan.h"
#include "plan/program_draws.h"
#include "plan/vertex_draws.h"
#include "shader/code_maker.h"

namespace brokkr {

// The properties of a Frame that its PreparedFrame relies on. The Frame belongs to the caller, who may have changed it
// after it was prepared.
class FrameShape {
 public:
  FrameShape() = default;
  explicit FrameShape(const Frame& frame);

  // Checks that all lists of the frame still have their lengths, that its targets have their sizes, and that its views
  // draw to the same places. Takes a microsecond. Throws std::invalid_argument with a message that names the field and
  // the remedy.
  void require(const Frame& frame) const;
  // Checks that the frame's commands and their data are unchanged. Call it before reading them again. Throws like
  // `require`.
  void require_commands(const Frame& frame) const;

 private:
  static constexpr size_t kLists = 23;
  std::array<size_t, kLists> sizes_{};
  std::vector<std::array<int, 4>> targets_;           // width, height, layers, a hash of formats
  std::vector<std::pair<uint32_t, uint32_t>> views_;  // target and layer
  uint64_t commands_ = 0;                             // a hash
};

// Detects frames that need no clipping. In most frames whole objects are visible: no vertex lies in front of the near
// plane, behind the far plane, or thousands of pixels outside the picture. Their triangles skip the clip test, and a
// batch reserves one block of the triangle store instead of seven.

// The bounding box of a draw's vertex positions: x, y, z, w as stored in the frame.
struct PositionBox {
  float low[4], high[4];
};

// Returns one box per draw record. The list is empty if draws share so many vertices that computing the boxes would
// take long.
std::vector<PositionBox> position_boxes(const PreparedFrame::Impl& frame);

// Computes the boxes again for draws that read positions first .. end - 1.
void update_boxes(PreparedFrame::Impl& frame, uint64_t first, uint64_t end);

// Returns true if no triangle of the frame can need clipping (needs_clipping, geometry/setup.h). Tests the corners of
// the boxes with a margin wider than all rounding errors of a vertex transform. Returns false if it cannot decide.
bool is_inside(const PreparedFrame::Impl& frame);

// A batch of views that several launches draw, a few views at a time, into the same few layers. Each launch's pictures
// are read back before the next one, while they are in the caches.
struct ViewSlice {
  uint32_t views = 0;  // views, and layers, of a launch; 0: a launch draws the whole frame
  // Tables in which views and layers count from the slice's first one. The runs of slices of one size are the same.
  std::vector<RunRecord> runs;
  std::vector<uint32_t> batch_run, draw_end;
  std::vector<ViewRecord> records;
};

class Loading;

class MachineBackend;

struct PreparedFrame::Impl {
  // Throws std::invalid_argument if the PreparedFrame was moved from.
  static Impl& of(const PreparedFrame& frame);

  const Frame* frame = nullptr;
  FrameShape shape;                // describes `frame` at the time it was prepared
  uint32_t main_target = 0;        // the main target of `frame`
  std::vector<DrawRecord> draws;   // one per draw command that has triangles, in order
  std::vector<uint32_t> draw_end;  // per draw: first batch after it
  std::vector<RunRecord> runs;
  std::vector<uint32_t> batch_run;
  std::vector<ViewRecord> views;
  std::vector<MaterialRecord> materials;
  std::vector<TextureRecord> textures;
  std::vector<uint32_t> texels;
  // The lists hold copies only if expansion added elements; otherwise the frame's lists are used.
  std::vector<uint32_t> expanded_indices;
  std::vector<glm::vec4> expanded_positions;
  ProgramDraws programs;
  VertexDraws vertices;  // made by the first launch that runs vertex programs (open_vertices)
  // Uniforms of vertex programs may have changed since the frame was prepared.
  bool vertices_moved = false;
  // The compiled code by MachineBackend::compiled_isa, and by whether it has programs and vertex programs.
  std::map<std::tuple<std::string, bool, bool>, std::unique_ptr<shader::CodeMaker>> compiled;
  double program_ms = 0;  // total for all frames that were drawn with programs
  // Triangles of draws whose discards a clip-space replay cannot know. `known` counts those whose programs can run.
  uint64_t discard_unknown_triangles = 0, discard_known_triangles = 0;
  double prepare_ms = 0;
  double update_ms = 0;  // time of updates, reported in the next frame's statistics
  // Unique numbers of the tables' contents, which tell devices whether their copies are valid. A camera move changes
  // only the numbers of the views and of the uniforms that depend on them.
  uint64_t version = 0, views_version = 0, uniforms_version = 0;
  uint64_t vertices_version = 0, models_version = 0, textures_version = 0;  // change with update_positions and the like
  std::vector<PositionBox> boxes;  // bounds of each draw's vertices; empty: too much work
  bool inside = false;             // no triangle needs clipping in the current views
  PlanCache plans;
  FramePart part;
  ViewSlice slice;
  MachineBackend* machine = nullptr;  // the machine that rendered the frame last, while its Renderer lives
  std::vector<uint32_t> whole_ids;    // FrameTables::whole_ids, for a part of a frame that requested them
  std::vector<glm::vec3> middles;     // draw_middles(*frame)
  std::vector<uint32_t> order;        // drawing_order: `draws` and all that numbers them are in it

  // Resolves the requested shading for this frame. Without programs, Shading::program becomes Shading::material, and
  // Shading::material becomes the shader of the frame's own materials.
  Shading shading(Shading asked) const;
  const std::vector<uint32_t>& indices() const { return expanded_indices.empty() ? frame->indices : expanded_indices; }
  const std::vector<glm::vec4>& positions() const {
    return expanded_positions.empty() ? frame->positions : expanded_positions;
  }
  // The tables as pointers into host memory.
  FrameTables tables(const DrawPlan& plan) const;
  // The size in bytes of everything that a launch reads.
  uint64_t bytes(const DrawPlan& plan) const;
  // The size in bytes of the frame and the tables made from it, in host memory.
  uint64_t held() const;
  // Makes `vertices` if there is none yet. Throws MemoryLimitError; `memory_limit` as in RenderOptions.
  void open_vertices(int memory_limit);
  // Returns true if each view draws everything, into the layer of its own number in the only target, so that a launch
  // can draw some of the views.
  bool can_slice() const;
  // Makes the next launches draw views first .. first + count - 1; count 0: the whole frame. The frame must permit it
  // (can_slice), and only views may have changed since the last call with another count.
  void set_slice(uint32_t first, uint32_t count);
  // Takes over the varyings of draws with vertex programs (ProgramDraws::update_varyings).
  UniformChange update_varyings();
  // Puts draws, runs and batches into the order that the views and middles of today ask for.
  void reorder();
  // Call after draws, runs, batches or indices change: it invalidates plans and device copies.
  void tables_changed();
};

// Fills the parts of a draw's record that follow from `draw`, its state and its `target`. `command` is the draw's
// number in the frame. The frame must have passed `validate` (brokkr/frame.h).
DrawRecord make_draw(const Frame& frame, const DrawCommand& draw, const Target& target, uint32_t command);

// The unit of a polygon offset in 2^-24, as Mesa's software drivers choose it: two steps of a fixed-point format. For
// floats, ours is that of depths from 0.5 on.
float offset_unit(const Target& target);

// The samples of `target` whose centres lie inside the state's viewport and scissor: x0, y0, x1, y1 in pixels, where x1
// and y1 are excluded. The rectangle is empty if x0 >= x1 or y0 >= y1.
void fill_rect(const State& state, const Target& target, int32_t (&rect)[4]);

// The roughness of any material; Blinn-Phong exponents are converted.
float roughness_of(const Material& m);

// Appends the texture's mip chain to `texels`: one word per texel, red in the lowest byte. Levels are box-filtered in
// linear light and rounded to the texture's own format, as OpenGL stores them. For sRGB textures, red, green and blue
// are stored as the square root of linear light, which one multiplication decodes. They take 11, 11 and 10 bits if
// alpha is 1 everywhere (within 0.3/255 of the sRGB code's light), otherwise 8 bits each (within 1/255). `loading` is
// called for each row and may refuse memory.
TextureRecord append_mip_chain(const Texture& texture, std::vector<uint32_t>& texels, Loading& loading);

// Appends the same levels to `data` in the texture's own format, as programs read captured textures.
CapturedTexture append_captured(const Texture& texture, std::vector<std::byte>& data, Loading& loading);

}  // namespace brokkr
