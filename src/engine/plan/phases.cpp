// Finds the draws that may be rasterized in any order, and the places of clears and blits between them.

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include "plan/color_code.h"
#include "plan/prepare.h"
#include "shader/texels.h"
#include "target/samples.h"

namespace brokkr {

// The plane that holds a colour exactly: kExactPlane instead of 0 if the target has an exact plane.
uint32_t whole_plane(const Frame& frame, uint32_t target, uint32_t color_plane) {
  return color_plane == 0 && exact_encoding(frame.targets[target]) ? kExactPlane : color_plane;
}

namespace {

bool has_few_codes(const Target& target) {
  const std::optional<TexelEncoding> encoding = exact_encoding(target);
  return encoding && has_few_bits(*encoding);
}

// The format in which a clear's colour is stored. It is sRGB-encoded only if the application lets OpenGL encode
// colours.
ColorFormat cleared_format(const Frame& frame, const ClearCommand& clear, bool programs) {
  const ColorFormat format = stored_format(frame.targets[clear.target], programs);
  const bool encodes =
      std::any_of(frame.states.begin(), frame.states.end(), [](const State& state) { return state.framebuffer_srgb; });
  return programs && format == ColorFormat::rgba8_srgb && !encodes ? ColorFormat::rgba8 : format;
}

// The colour that a clear gives a plane.
glm::vec4 cleared_color(const PreparedFrame::Impl& prepared, const ClearCommand& clear, int plane, glm::vec4 color) {
  if (prepared.programs.has_alpha_one(*prepared.frame, clear.target, plane)) color.a = 1;
  return color;
}

PhaseRecord clear_phase(const PreparedFrame::Impl& prepared, const ClearCommand& c, bool programs) {
  const Frame& frame = *prepared.frame;
  const Target& target = frame.targets[c.target];
  PhaseRecord r{};
  r.kind = PhaseKind::clear;
  r.target = c.target;
  if (c.color) {
    r.planes |= kPlaneColor;
    const bool bounded = programs && is_bounded_half(target);
    const glm::vec4 color = programs ? cleared_color(prepared, c, 0, *c.color) : *c.color;
    r.color =
        color_code(cleared_format(frame, c, programs), bounded ? glm::clamp(color, glm::vec4(0), glm::vec4(1)) : color);
  }
  if (c.depth) {
    r.planes |= kPlaneDepth;
    r.depth = std::clamp(*c.depth, 0.0f, 1.0f) + 0.0f;
  }
  if (c.stencil) {
    r.planes |= kPlaneStencil;
    r.stencil = *c.stencil;
  }
  const Rect whole{0, 0, target.width, target.height};
  const Rect rect = c.scissor.value_or(whole);
  const auto end = [](int start, int size) { return int32_t(std::min<int64_t>(int64_t(start) + size, 1 << 20)); };
  r.rect[0] = std::max(rect.x, 0);
  r.rect[1] = std::max(rect.y, 0);
  r.rect[2] = std::min(end(rect.x, rect.width), target.width);
  r.rect[3] = std::min(end(rect.y, rect.height), target.height);
  return r;
}

// Stores the clear's colour for a plane. Integer components are passed as their bits.
void set_clear_color(const Target& target, size_t plane, const glm::vec4& color, PhaseRecord& phase) {
  const SampledType type =
      plane < target.colors.size() ? shader::type_of(target.colors[plane].format) : SampledType::real;
  const double min = type == SampledType::natural ? 0 : -2147483648.0;
  const double max = type == SampledType::natural ? 4294967295.0 : 2147483647.0;
  for (int i = 0; i < 4; ++i) {
    const auto whole = uint32_t(int64_t(std::clamp(std::isnan(color[i]) ? 0.0 : double(color[i]), min, max)));
    phase.clear_color[i] = type == SampledType::real ? color[i] : std::bit_cast<float>(whole);
  }
}

// Adds a phase for each colour plane that a clear writes, beyond the first colour's own.
void clear_planes(const PreparedFrame::Impl& prepared, const ClearCommand& clear, std::vector<PhaseRecord>& phases) {
  PhaseRecord phase = phases.back();
  const Target& target = prepared.frame->targets[clear.target];
  phase.planes = kPlaneColor;
  if (clear.color && exact_encoding(target)) {
    phase.color_plane = kExactPlane;
    set_clear_color(target, 0, cleared_color(prepared, clear, 0, *clear.color), phase);
    phases.push_back(phase);
  }
  for (const PlaneColor& other : clear.other_colors) {
    phase.color_plane = uint32_t(other.plane);
    set_clear_color(target, size_t(other.plane), cleared_color(prepared, clear, int(other.plane), other.color), phase);
    phases.push_back(phase);
  }
}

PhaseRecord blit_phase(const BlitCommand& b, uint32_t gate) {
  PhaseRecord r{};
  r.kind = PhaseKind::blit;
  r.target = b.to;
  r.source_target = b.from;
  r.planes = (b.color ? kPlaneColor : 0u) | (b.depth ? kPlaneDepth : 0u) | (b.stencil ? kPlaneStencil : 0u);
  const Rect s = b.source, d = b.destination;
  const int32_t source[4] = {s.x, s.y, s.width, s.height}, destination[4] = {d.x, d.y, d.width, d.height};
  std::copy(source, source + 4, r.source);
  std::copy(destination, destination + 4, r.destination);
  r.gate = gate;
  return r;
}

PhaseRecord copy_phase(const Frame& frame, const CopyCommand& copy, uint32_t gate) {
  BlitCommand blit;
  blit.from = copy.from;
  blit.to = copy.to;
  blit.source = copy.source;
  blit.destination = {copy.x, copy.y, copy.source.width, copy.source.height};
  blit.color = copy.from_plane < TargetPlane::depth;
  blit.depth = copy.from_plane == TargetPlane::depth;
  blit.stencil = copy.from_plane == TargetPlane::stencil;
  PhaseRecord r = blit_phase(blit, gate);
  if (!blit.color) return r;
  r.source_plane = uint32_t(copy.from_plane);
  r.color_plane = uint32_t(copy.to_plane);
  if (r.color_plane != 0) r.source_plane = whole_plane(frame, copy.from, r.source_plane);
  return r;
}

// Returns the phase that copies a first colour's exact plane along with a blit or a copy; empty if the destination has
// no exact plane.
std::optional<PhaseRecord> exact_copy(const Frame& frame, PhaseRecord r) {
  if ((r.planes & kPlaneColor) == 0 || whole_plane(frame, r.target, r.color_plane) != kExactPlane) return {};
  r.planes = kPlaneColor;
  r.color_plane = kExactPlane;
  r.source_plane = whole_plane(frame, r.source_target, r.source_plane);
  return r;
}

}  // namespace

// Returns the phases of a command in order, without their ends; none for commands that write no planes. `gates` counts
// the phases at which all rasterizers wait for each other.
std::vector<PhaseRecord> plane_phases(const PreparedFrame::Impl& prepared, const Command& command, bool programs,
                                      uint32_t& gates) {
  const Frame& frame = *prepared.frame;
  std::vector<PhaseRecord> phases;
  if (const auto* clear = std::get_if<ClearCommand>(&command)) {
    phases.push_back(clear_phase(prepared, *clear, programs));
    if (programs) clear_planes(prepared, *clear, phases);
    return phases;
  }
  if (const auto* blit = std::get_if<BlitCommand>(&command)) phases.push_back(blit_phase(*blit, gates++));
  if (!programs) return phases;
  if (const auto* copy = std::get_if<CopyCommand>(&command)) phases.push_back(copy_phase(frame, *copy, gates++));
  for (PhaseRecord& phase : phases) {  // the halves of a colour with few codes are not the codes
    if ((phase.planes & kPlaneColor) != 0 && phase.source_plane == 0 &&
        has_few_codes(frame.targets[phase.source_target]))
      phase.source_plane = kExactPlane;
  }
  if (!phases.empty()) {
    if (auto exact = exact_copy(frame, phases.back())) {
      exact->gate = gates++;
      phases.push_back(*exact);
    }
  }
  if (const auto* load = std::get_if<LoadCommand>(&command)) {
    const auto phase = prepared.programs.load_phase(frame, *load);
    if (phase) phases.push_back(*phase);
    if (phase && phase->planes == kPlaneColor && whole_plane(frame, load->target, phase->color_plane) == kExactPlane) {
      phases.push_back(*phase);
      phases.back().color_plane = kExactPlane;
    }
  }
  return phases;
}

namespace {

// The properties that all order-free draws of one phase share.
struct FreeDraw {
  uint8_t key_bits = 0;
  uint8_t color_planes = 0;
};

// Returns true if the draw's program permits free order. It must write all channels of some colours, including the
// target's first colour, or write no colour.
bool program_is_free(const ProgramRecord& program, FreeDraw& draw) {
  if ((program.bits & (kProgramDiscards | kProgramDepth)) != 0) return false;
  for (uint32_t i = 0; i < program.color_count; ++i) {
    const ProgramColor& color = program.colors[i];
    if (color.blends != 0 || color.mask != 15) return false;
    draw.color_planes |= uint8_t(1u << color.plane);
  }
  return program.color_count == 0 || (draw.color_planes & 1) != 0;
}

// Returns true if the draw goes to pixels of several samples, and its program needs to know, or changes, which of them
// the primitive covers.
bool needs_coverage(const PreparedFrame::Impl& frame, const DrawRecord& d, const DrawKey& key) {
  return d.reach != 0 && key.programs && d.program != kNoProgram &&
         (frame.programs.record(d.program).bits & kProgramCoverage) != 0;
}

bool colors_are_free(const PreparedFrame::Impl& frame, const DrawRecord& d, const DrawKey& key, FreeDraw& draw) {
  if (key.programs && d.program != kNoProgram) return program_is_free(frame.programs.record(d.program), draw);
  const float cutoff = frame.materials[d.material].alpha_cutoff;
  const bool discards = (d.bits & kDrawMaterial) && ((d.bits & kDrawAlphaTest) || cutoff > 0);
  draw.color_planes = d.color_mask != 0 ? 1 : 0;
  return (d.bits & kDrawBlend) == 0 && !(discards && key.materials) && (d.color_mask == 0 || d.color_mask == 15);
}

// An order-free draw tests and writes depth with one strict order of (depth, submission), writes all colour channels or
// none, and has no state that depends on earlier draws.
bool order_free(const PreparedFrame::Impl& frame, const DrawRecord& d, const DrawKey& key, FreeDraw& draw) {
  const uint32_t needed = kDrawDepthTest | kDrawDepthWrite;
  if ((d.bits & needed) != needed || (d.bits & kDrawStencil) != 0 || needs_coverage(frame, d, key) ||
      !colors_are_free(frame, d, key, draw))
    return false;
  uint8_t& key_bits = draw.key_bits;
  key_bits = draw.color_planes == 0 ? kKeyDepthOnly : 0;
  switch (CompareFunc(d.depth_func)) {
    case CompareFunc::less: return true;
    case CompareFunc::lequal: key_bits |= kKeyLastWins; return true;
    case CompareFunc::greater: key_bits |= kKeyGreater; return true;
    case CompareFunc::gequal: key_bits |= kKeyGreater | kKeyLastWins; return true;
    default: return false;
  }
}

// The planes beside the colours that a draw tests or writes.
uint32_t planes_beside_colors(const DrawRecord& d) {
  return ((d.bits & (kDrawDepthTest | kDrawDepthWrite)) != 0 ? kPlaneDepth : 0u) |
         ((d.bits & kDrawStencil) != 0 ? kPlaneStencil : 0u);
}

// The phases that copy planes into the textures that programs read.
class Publications {
 public:
  Publications(const PreparedFrame::Impl& frame, DrawPlan& plan)
      : frame_(*frame.frame),
        programs_(frame.programs),
        plan_(plan),
        done_(frame_.captured_textures.size(), false),
        held_(frame_.captured_textures.size(), false),
        read_(frame_.captured_textures.size(), false) {}

  // Call when the phases so far are those of an earlier launch: what it published stays valid.
  void begin_launch() { held_.assign(held_.size(), false); }

  // Before a draw: publishes the textures that its programs read and whose planes were written since their last
  // publication. `records`: the draw's records.
  void add_for(const DrawCommand& draw, std::span<const DrawRecord> records) {
    if (draw.inputs < 0) return;
    const std::vector<BoundTexture>& all = frame_.inputs[size_t(draw.inputs)].textures;
    for (uint32_t i = 0; i < all.size(); ++i) {
      const BoundTexture& bound = all[i];
      const bool is_read = std::any_of(records.begin(), records.end(), [&](const DrawRecord& one) {
        return one.program != kNoProgram && programs_.reads(one.program, i);
      });
      if (bound.texture < 0 || !is_read) continue;
      publish(uint32_t(bound.texture));
      read_[size_t(bound.texture)] = true;
    }
  }
  // Call after a command that writes planes of a target. A texture holds what its planes hold at the time it is read.
  void note_written(uint32_t target, bool depth = true) {
    for (const shader::PublishedImage& image : programs_.textures().images) {
      if (image.target == target && (depth || image.plane != TargetPlane::depth)) done_[image.texture] = false;
    }
  }
  void note_written(const Command& command) {
    if (const auto* draw = std::get_if<DrawCommand>(&command)) {
      const DepthState& depth = frame_.states[draw->state].depth;
      for (uint32_t i = 0; i < draw->view_count; ++i)
        note_written(frame_.views[draw->first_view + i].target, depth.test && depth.write);
    } else if (const auto* clear = std::get_if<ClearCommand>(&command)) {
      note_written(clear->target);
    } else if (const auto* blit = std::get_if<BlitCommand>(&command)) {
      note_written(blit->to);
    } else if (const auto* load = std::get_if<LoadCommand>(&command)) {
      note_written(load->target);
    } else if (const auto* copy = std::get_if<CopyCommand>(&command)) {
      note_written(copy->to);
    }
  }
  void make_mips(uint32_t texture) {
    publish(texture);
    read_[texture] = true;
    const TextureTexels& texels = programs_.textures().textures[texture];
    for (uint32_t level = 1; level < texels.levels; ++level) {
      PhaseRecord r{};
      r.kind = PhaseKind::mips;
      r.texture = texture;
      r.level = level;
      push(r);
    }
  }

 private:
  void push(PhaseRecord& r) {
    r.gate = plan_.blits++;
    r.end_batch = plan_.batches;
    plan_.phases.push_back(r);
  }
  // Returns true if no other texture gets its content from the image's target, and it gets the first colour, as its
  // regions store it.
  bool is_alone(const shader::PublishedImage& image) const {
    const auto& images = programs_.textures().images;
    const auto of_target =
        std::count_if(images.begin(), images.end(), [&](const auto& other) { return other.target == image.target; });
    return of_target == 1 && image.plane == TargetPlane::color0 && whole_plane(frame_, image.target, 0) == 0;
  }
  void publish(uint32_t texture) {
    if (done_[texture]) return;
    done_[texture] = true;
    const bool is_held = held_[texture];
    held_[texture] = true;
    for (const shader::PublishedImage& image : programs_.textures().images) {
      if (image.texture != texture || image.plane == TargetPlane::stencil) continue;
      PhaseRecord r{};
      r.kind = PhaseKind::publish;
      r.source_target = image.target;
      r.planes = image.plane == TargetPlane::depth ? kPlaneDepth : kPlaneColor;
      r.color_plane = image.plane == TargetPlane::depth ? 0 : whole_plane(frame_, image.target, uint32_t(image.plane));
      r.first_word = image.first_word;
      r.encoding = uint32_t(image.encoding);
      r.image_width = int32_t(image.width);
      r.image_height = int32_t(image.height);
      r.unread = read_[texture] ? 0 : 1;
      r.again = is_held && is_alone(image) ? 1 : 0;
      r.sample = image.sample;
      push(r);
    }
  }

  const Frame& frame_;
  const ProgramDraws& programs_;
  DrawPlan& plan_;
  // By number of the captured texture: nothing was written since it was published; this launch has published it; a draw
  // has read it.
  std::vector<bool> done_, held_, read_;
};

// Lets consecutive publications whose textures nothing has read wait once: a rasterizer copies its shares of all of
// them before it awaits the others' copies.
void join_publications(std::vector<PhaseRecord>& phases) {
  const auto is_new = [](const PhaseRecord& r) { return r.kind == PhaseKind::publish && r.unread != 0; };
  for (size_t i = 0; i < phases.size(); ++i) {
    const bool follows = i > 0 && phases[i - 1].joined != 0;
    phases[i].first_gate = follows ? phases[i - 1].first_gate : phases[i].gate;
    phases[i].joined = i + 1 < phases.size() && is_new(phases[i]) && is_new(phases[i + 1]) ? 1 : 0;
  }
}

// Returns DrawRecord::reach of a command's draws.
uint8_t reach_of_draw(const Frame& frame, const DrawCommand& draw, int samples) {
  uint32_t reach = 0;
  for (uint32_t i = 0; i < draw.view_count; ++i) {
    const Target& target = frame.targets[frame.views[draw.first_view + i].target];
    reach = std::max(reach, sample_reach(samples_of(target, samples)));
  }
  return uint8_t(reach);
}

// The target that is the application's window, as the capture numbers it; kEveryTarget if the frame has none.
uint32_t window_of(const Frame& frame) {
  const auto found =
      std::find_if(frame.targets.begin(), frame.targets.end(), [](const Target& t) { return t.id == 0; });
  return found != frame.targets.end() ? uint32_t(found - frame.targets.begin()) : kEveryTarget;
}

}  // namespace

DrawPlan plan_draws(const PreparedFrame::Impl& frame, const DrawKey& key, std::shared_ptr<const ReusePlan> reuse) {
  DrawPlan plan;
  Publications publications(frame, plan);
  plan.reuse = std::move(reuse);
  plan.inside = key.inside;
  plan.programs = key.programs;
  plan.vertices = key.vertices;
  if (plan.reuse != nullptr) plan.batch_triangles = plan.reuse->max_triangles;
  const auto push = [&](PhaseRecord r) {
    r.end_batch = plan.batches;
    plan.phases.push_back(r);
  };
  size_t next_draw = 0;
  for (uint32_t place = 0; place < key.command_limit; ++place) {
    if (place == key.first_command) {  // earlier publications stay valid
      plan.phases.clear();
      publications.begin_launch();
      plan.blits = plan.ordered_phases = 0;
    }
    const uint32_t c = frame.order[place];
    const Command& command = frame.frame->commands[c];
    for (const PhaseRecord& phase : plane_phases(frame, command, key.programs, plan.blits)) push(phase);
    if (const auto* mips = std::get_if<GenerateMipsCommand>(&command); mips != nullptr && key.programs)
      publications.make_mips(mips->texture);
    if (const auto* draw = std::get_if<DrawCommand>(&command); draw != nullptr && key.programs) {
      const auto first = frame.draws.begin() + ptrdiff_t(next_draw);
      publications.add_for(*draw, {first, std::find_if(first, frame.draws.end(),
                                                       [&](const DrawRecord& one) { return one.command != c; })});
    }
    for (; next_draw < frame.draws.size() && frame.draws[next_draw].command == c; ++next_draw) {
      DrawRecord draw = frame.draws[next_draw];
      draw.reach = reach_of_draw(*frame.frame, std::get<DrawCommand>(command), key.samples);
      FreeDraw common;
      const bool free = key.order == OrderMode::automatic && order_free(frame, draw, key, common);
      const PhaseKind kind = free ? PhaseKind::order_free : PhaseKind::ordered;
      if (!free) common = {};
      if (plan.phases.empty() || plan.phases.back().kind != kind || plan.phases.back().key_bits != common.key_bits ||
          plan.phases.back().color_planes != common.color_planes) {
        PhaseRecord r{};
        r.kind = kind;
        r.key_bits = common.key_bits;
        r.color_planes = common.color_planes;
        push(r);
        plan.ordered_phases += !free;
      }
      const std::vector<uint32_t>& draw_end = plan.reuse != nullptr ? plan.reuse->draw_end
                                              : key.slice != 0      ? frame.slice.draw_end
                                                                    : frame.draw_end;
      plan.batches = std::max(plan.batches, draw_end[next_draw]);  // 0 if no reuse was planned for a draw
      plan.phases.back().end_batch = plan.batches;
      if (!free) plan.phases.back().planes |= planes_beside_colors(draw);
      draw.phase = uint32_t(plan.phases.size() - 1);
      if (key.inside) draw.bits |= kDrawInside;
      if (key.vertices && draw.vertices != kNoProgram) draw.bits |= kDrawVertexProgram;
      plan.draws.push_back(draw);
    }
    if (key.programs) publications.note_written(command);
  }
  PhaseRecord finish{};
  finish.kind = PhaseKind::finish;
  finish.target = key.whole_planes ? kEveryTarget : window_of(*frame.frame);
  if (key.whole_planes) finish.planes = kPlaneColor | kPlaneDepth | kPlaneStencil;
  push(finish);
  join_publications(plan.phases);
  for (const PhaseRecord& r : plan.phases) plan.in_one &= r.end_batch == 0 || r.end_batch == plan.batches;
  plan.in_one &= plan.ordered_phases == 0;
  return plan;
}

}  // namespace brokkr
