// From a Frame to the tables that the kernel reads (frame/frame_tables.h).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/loading.h"
#include "plan/clip_bound.h"
#include "plan/frame_shape.h"
#include "plan/launch_plan.h"
#include "plan/program_draws.h"
#include "shader/code_maker.h"

namespace brokkr {

class MachineBackend;

struct PreparedFrame::Impl {
  // Throws std::invalid_argument for a PreparedFrame that was moved from.
  static Impl& of(const PreparedFrame& frame);

  const Frame* frame = nullptr;
  FrameShape shape;                // of `frame` when it was prepared
  uint32_t main_target = 0;        // of `frame`
  std::vector<DrawRecord> draws;   // one per draw command that has triangles, in order
  std::vector<uint32_t> draw_end;  // per draw: first batch after it
  std::vector<RunRecord> runs;
  std::vector<uint32_t> batch_run;
  std::vector<ViewRecord> views;
  std::vector<MaterialRecord> materials;
  std::vector<TextureRecord> textures;
  std::vector<uint32_t> texels;
  // Copies only where expansion added to them; else the frame's own are used.
  std::vector<uint32_t> own_indices;
  std::vector<glm::vec4> own_positions;
  ProgramDraws programs;
  std::map<std::string, std::unique_ptr<shader::CodeMaker>> compiled;   // by MachineBackend::compiled_isa
  double program_ms = 0;                                                // of all frames that were drawn with programs
  uint64_t discard_unknown_triangles = 0, discard_known_triangles = 0;  // known: to programs
  double prepare_ms = 0;
  double update_ms = 0;  // of update_views, for the next frame's statistics
  // Unique numbers of the tables' contents, for copies of them on devices. A camera changes only that of the views and
  // of the uniforms that follow it.
  uint64_t version = 0, views_version = 0, uniforms_version = 0;
  std::vector<PositionBox> boxes;  // of each draw's vertices; empty: too much work
  bool inside = false;             // no triangle needs clipping, with these views
  PlanCache plans;
  FramePart part;
  MachineBackend* machine = nullptr;  // that has rendered it last, as long as its Renderer is there
  std::vector<uint32_t> whole_ids;    // of a part of a frame that was asked for them: FrameTables::whole_ids

  // What `asked` is for this frame: Shading::program is Shading::material where there are no programs, and that the
  // shader of the frame's own materials.
  Shading shading(Shading asked) const;
  const std::vector<uint32_t>& indices() const { return own_indices.empty() ? frame->indices : own_indices; }
  const std::vector<glm::vec4>& positions() const { return own_positions.empty() ? frame->positions : own_positions; }
  // Pointers into host memory.
  FrameTables tables(const DrawPlan& plan) const;
  // What a launch reads.
  uint64_t bytes(const DrawPlan& plan) const;
  // The frame and what was made of it, in host memory.
  uint64_t held() const;
  // Draws, runs, batches or indices are others now: plans and copies on devices are of no use any more.
  void tables_changed();
};

// The parts of a draw's record that follow from `draw`, its state and its `target`; `command` is its number in the
// frame. The frame has passed `validate` (brokkr/frame.h).
DrawRecord make_draw(const Frame& frame, const DrawCommand& draw, const Target& target, uint32_t command);

// The samples of `target` whose centres lie inside the state's viewport and scissor: x0, y0, x1, y1 in pixels, x1 and
// y1 excluded; x0 >= x1 or y0 >= y1 where there are none.
void fill_rect(const State& state, const Target& target, int32_t (&rect)[4]);

// Of any material: what Blinn-Phong is translated to.
float roughness_of(const Material& m);

// Appends the texture's mip chain to `texels`: one word per texel, red in the lowest byte. Levels are box-filtered in
// linear light and rounded to the texture's own format, as OpenGL stores them. Of sRGB textures red, green and blue are
// then kept as the square root of linear light, which one multiplication undoes: in 11, 11 and 10 bits where alpha is 1
// everywhere, within 0.3/255 of the sRGB code's light; else in 8 bits each, within 1/255. `loading` hears of each row,
// and has the last word on memory.
TextureRecord append_mip_chain(const Texture& texture, std::vector<uint32_t>& texels, Loading& loading);

// The same levels in the texture's own format, as a captured texture that a program reads; appended to `data`.
CapturedTexture append_captured(const Texture& texture, std::vector<std::byte>& data, Loading& loading);

}  // namespace brokkr
