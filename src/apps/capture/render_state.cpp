#include "capture/render_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "capture/read_back.h"
#include "capture/settings.h"
#include "capture/state_guard.h"
#include "capture/targets.h"
#include "frame/gl_names.h"

namespace brokkr::capture {
namespace {

CompareFunc to_compare(GLint func) { return static_cast<CompareFunc>(std::clamp(func - GL_NEVER, 0, 7)); }

BlendFactor to_factor(GLint factor, RenderState& out) {
  if (const auto known = from_gl<BlendFactor>(kGlBlendFactors, static_cast<GLenum>(factor))) return *known;
  out.notes.insert("an unknown blend factor, written as one");
  return BlendFactor::one;
}

BlendEquation to_equation(GLint equation, RenderState& out) {
  if (const auto known = from_gl<BlendEquation>(kGlBlendEquations, static_cast<GLenum>(equation))) return *known;
  out.notes.insert("an advanced blend equation, written as add");
  return BlendEquation::add;
}

StencilOp to_stencil_op(GLint op) {
  return from_gl<StencilOp>(kGlStencilOps, static_cast<GLenum>(op)).value_or(StencilOp::keep);
}

uint8_t low_byte(GLint value) { return static_cast<uint8_t>(static_cast<uint32_t>(value) & 0xff); }

void read_viewport(RenderState& out) {
  const auto [x, y, width, height] = get_floats<4>(GL_VIEWPORT);
  const auto [near, far] = get_floats<2>(GL_DEPTH_RANGE);
  out.state.viewport = {x, y, width, height};
  out.state.depth_near = std::clamp(near, 0.0f, 1.0f);
  out.state.depth_far = std::clamp(far, 0.0f, 1.0f);
}

Rect bounded(const std::array<GLint, 4>& box) {
  // Programs pass boxes that mean "everything" and can exceed the file's range.
  constexpr int64_t kFar = 1 << 29;
  const int64_t right = std::min<int64_t>(int64_t(box[0]) + box[2], kFar);
  const int64_t top = std::min<int64_t>(int64_t(box[1]) + box[3], kFar);
  const int64_t left = std::clamp<int64_t>(box[0], -kFar, kFar), bottom = std::clamp<int64_t>(box[1], -kFar, kFar);
  return Rect{static_cast<int>(left), static_cast<int>(bottom), static_cast<int>(std::max<int64_t>(right - left, 0)),
              static_cast<int>(std::max<int64_t>(top - bottom, 0))};
}

std::optional<Rect> read_scissor() {
  if (!is_enabled(GL_SCISSOR_TEST)) return std::nullopt;
  std::array<GLint, 4> box{};
  GL(GetIntegerv)(GL_SCISSOR_BOX, box.data());
  return bounded(box);
}

std::array<bool, 4> read_color_mask(const Context& context) {
  std::array<GLboolean, 4> mask{};
  GL(GetBooleanv)(GL_COLOR_WRITEMASK, mask.data());
  const bool drawn = draw_buffer(context) != GL_NONE;
  return {drawn && mask[0], drawn && mask[1], drawn && mask[2], drawn && mask[3]};
}

void read_depth(const Context& context, bool has_depth, RenderState& out) {
  out.state.depth.test = has_depth && is_enabled(GL_DEPTH_TEST);
  out.state.depth.write = out.state.depth.test && get_integer(GL_DEPTH_WRITEMASK) != 0;
  out.state.depth.func = to_compare(get_integer(GL_DEPTH_FUNC));
  if (context.info.depth_clamp && is_enabled(GL_DEPTH_CLAMP)) out.flags |= kDepthClamp;
}

PolygonMode to_mode(GLint mode) {
  return mode == GL_LINE ? PolygonMode::line : mode == GL_POINT ? PolygonMode::point : PolygonMode::fill;
}

std::optional<PolygonOffset> read_offset(PolygonMode mode) {
  const GLenum name = mode == PolygonMode::line    ? GL_POLYGON_OFFSET_LINE
                      : mode == PolygonMode::point ? GL_POLYGON_OFFSET_POINT
                                                   : GL_POLYGON_OFFSET_FILL;
  if (!is_enabled(name)) return std::nullopt;
  const PolygonOffset values{get_floats<1>(GL_POLYGON_OFFSET_FACTOR)[0], get_floats<1>(GL_POLYGON_OFFSET_UNITS)[0]};
  if (!std::isfinite(values.factor) || !std::isfinite(values.units)) return std::nullopt;
  return values;
}

void read_faces(const Context& context, RenderState& out) {
  State& state = out.state;
  if (is_enabled(GL_CULL_FACE)) {
    switch (get_integer(GL_CULL_FACE_MODE)) {
      case GL_FRONT: state.cull = CullMode::front; break;
      case GL_BACK: state.cull = CullMode::back; break;
      default: state.cull = CullMode::front_and_back; break;
    }
  }
  state.front_face = get_integer(GL_FRONT_FACE) == GL_CW ? FrontFace::cw : FrontFace::ccw;
  std::array<GLint, 2> modes{GL_FILL, 0};  // core contexts have only one mode
  GL(GetIntegerv)(GL_POLYGON_MODE, modes.data());
  if (context.info.compatibility && modes[1] != 0 && modes[0] != modes[1]) {
    if (state.cull == CullMode::front) modes[0] = modes[1];
    if (state.cull == CullMode::none) {
      out.back_mode = to_mode(modes[1]);
      out.back_offset = read_offset(*out.back_mode);
    }
  }
  state.polygon_mode = to_mode(modes[0]);
  state.polygon_offset = read_offset(state.polygon_mode);
}

void read_blend(const Context& context, RenderState& out) {
  if (!context.info.es && is_enabled(GL_COLOR_LOGIC_OP)) {
    out.state.logic_op = from_gl<LogicOp>(kGlLogicOps, static_cast<GLenum>(get_integer(GL_LOGIC_OP_MODE)));
  }
  if (!is_enabled(GL_BLEND)) return;
  BlendState blend;
  if (context.info.version >= 14) {
    blend.color.src = to_factor(get_integer(GL_BLEND_SRC_RGB), out);
    blend.color.dst = to_factor(get_integer(GL_BLEND_DST_RGB), out);
    blend.alpha.src = to_factor(get_integer(GL_BLEND_SRC_ALPHA), out);
    blend.alpha.dst = to_factor(get_integer(GL_BLEND_DST_ALPHA), out);
    blend.color.equation = to_equation(get_integer(GL_BLEND_EQUATION_RGB), out);
    blend.alpha.equation =
        context.info.version >= 20 ? to_equation(get_integer(GL_BLEND_EQUATION_ALPHA), out) : blend.color.equation;
    const auto constant = get_floats<4>(GL_BLEND_COLOR);
    for (int i = 0; i < 4; i++) {
      if (std::isfinite(constant[size_t(i)])) blend.constant[i] = constant[size_t(i)];
    }
  } else {
    blend.color.src = blend.alpha.src = to_factor(get_integer(GL_BLEND_SRC), out);
    blend.color.dst = blend.alpha.dst = to_factor(get_integer(GL_BLEND_DST), out);
  }
  out.state.blend = blend;
}

void read_alpha_test(const Context& context, RenderState& out) {
  if (!context.info.compatibility || !is_enabled(GL_ALPHA_TEST)) return;
  out.state.alpha_test = {to_compare(get_integer(GL_ALPHA_TEST_FUNC)), get_floats<1>(GL_ALPHA_TEST_REF)[0]};
}

struct StencilNames {
  GLenum func, ref, mask, write_mask, fail, depth_fail, pass;
};
constexpr StencilNames kFront = {GL_STENCIL_FUNC,           GL_STENCIL_REF,  GL_STENCIL_VALUE_MASK,
                                 GL_STENCIL_WRITEMASK,      GL_STENCIL_FAIL, GL_STENCIL_PASS_DEPTH_FAIL,
                                 GL_STENCIL_PASS_DEPTH_PASS};
constexpr StencilNames kBack = {GL_STENCIL_BACK_FUNC,           GL_STENCIL_BACK_REF,  GL_STENCIL_BACK_VALUE_MASK,
                                GL_STENCIL_BACK_WRITEMASK,      GL_STENCIL_BACK_FAIL, GL_STENCIL_BACK_PASS_DEPTH_FAIL,
                                GL_STENCIL_BACK_PASS_DEPTH_PASS};

StencilState read_stencil_side(const StencilNames& names) {
  StencilState stencil;
  stencil.func = to_compare(get_integer(names.func));
  stencil.ref = static_cast<uint8_t>(std::clamp(get_integer(names.ref), 0, 255));
  stencil.mask = low_byte(get_integer(names.mask));
  stencil.write_mask = low_byte(get_integer(names.write_mask));
  stencil.stencil_fail = to_stencil_op(get_integer(names.fail));
  stencil.depth_fail = to_stencil_op(get_integer(names.depth_fail));
  stencil.pass = to_stencil_op(get_integer(names.pass));
  return stencil;
}

void read_stencil(const Context& context, bool has_stencil, RenderState& out) {
  if (!has_stencil || !is_enabled(GL_STENCIL_TEST)) return;
  StencilState stencil = read_stencil_side(kFront);
  if (context.info.stencil_two_side) {
    const StencilState back = read_stencil_side(kBack);
    if (out.state.cull == CullMode::front) {
      stencil = back;
    } else if (out.state.cull == CullMode::none && !(back == stencil)) {
      out.back_stencil = back;
    }
  }
  out.state.stencil = stencil;
}

// The samples that glSampleCoverage and glSampleMaski draw. OpenGL leaves the choice for a coverage open; llvmpipe
// draws the first ones.
int read_sample_mask(const Context& context, int samples) {
  uint32_t mask = ~0u;
  if (is_enabled(GL_SAMPLE_COVERAGE)) {
    const float value = get_floats<1>(GL_SAMPLE_COVERAGE_VALUE)[0];
    mask = (1u << std::clamp(static_cast<int>(value * static_cast<float>(samples)), 0, 31)) - 1;
    if (get_integer(GL_SAMPLE_COVERAGE_INVERT) != 0) mask = ~mask;
  }
  if (context.info.version >= 32 && is_enabled(GL_SAMPLE_MASK)) {
    GLint bits = 0;
    GL(GetIntegeri_v)(GL_SAMPLE_MASK_VALUE, 0, &bits);
    mask &= static_cast<uint32_t>(bits);
  }
  const uint32_t without = samples < 8 ? 0xffu << samples : 0;  // samples that a pixel does not have
  return static_cast<int>((mask | without) & 0xff);
}

// Reads the state of targets with several samples a pixel.
void read_samples(const Context& context, State& state) {
  if (!context.info.multisample || get_integer(GL_SAMPLE_BUFFERS) < 1) return;
  const int samples = get_integer(GL_SAMPLES);
  state.one_sample = !is_multisampling(context.info);
  if (state.one_sample) return;  // the rest has no effect
  state.alpha_to_coverage = is_enabled(GL_SAMPLE_ALPHA_TO_COVERAGE);
  state.alpha_to_one = is_enabled(GL_SAMPLE_ALPHA_TO_ONE);
  state.sample_mask = read_sample_mask(context, samples);
  if (context.info.version < (context.info.es ? 32 : 40) || !is_enabled(GL_SAMPLE_SHADING)) return;
  state.sample_shading = get_floats<1>(GL_MIN_SAMPLE_SHADING_VALUE)[0] * static_cast<float>(samples) > 1;
}

// Reads the state that only programs use.
void read_program_state(const Context& context, State& state) {
  const auto finite = [](GLfloat value) { return std::isfinite(value) ? value : 1.0f; };
  // Multisampling replaces smooth lines.
  state.smooth_lines = is_enabled(GL_LINE_SMOOTH) && !is_multisampling(context.info);
  state.line_width = finite(get_floats<1>(GL_LINE_WIDTH)[0]);
  if (!context.info.es) state.point_size = finite(get_floats<1>(GL_POINT_SIZE)[0]);
  state.framebuffer_srgb = encodes_srgb(context.info);
  const bool old = context.info.compatibility;
  state.point_sprites = context.info.version >= 20 && (!old || is_enabled(GL_POINT_SPRITE));
  if (state.point_sprites) state.point_origin_low = get_integer(GL_POINT_SPRITE_COORD_ORIGIN) == GL_LOWER_LEFT;
  if (!old) return;
  state.flat_shading = get_integer(GL_SHADE_MODEL) == GL_FLAT;
  if (context.info.version >= 14) {
    const GLfloat min = get_floats<1>(GL_POINT_SIZE_MIN)[0], max = get_floats<1>(GL_POINT_SIZE_MAX)[0];
    state.point_size = std::min(std::max(state.point_size, min), max);
  }
  if (!state.point_sprites) return;
  Restore restore;
  restore.add([unit = get_name(GL_ACTIVE_TEXTURE)] { GL(ActiveTexture)(unit); });
  for (GLint unit = 0; unit < std::min(get_integer(GL_MAX_TEXTURE_COORDS), 8); unit++) {
    GLint replaces = 0;
    GL(ActiveTexture)(GL_TEXTURE0 + static_cast<GLenum>(unit));
    GL(GetTexEnviv)(GL_POINT_SPRITE, GL_COORD_REPLACE, &replaces);
    if (replaces != 0) state.coord_replace |= 1 << unit;
  }
}

void read_flags(const Context& context, RenderState& out) {
  const ContextInfo& info = context.info;
  if (info.clip_control) {
    if (get_integer(GL_CLIP_ORIGIN) == GL_UPPER_LEFT) out.flags |= kOriginUpperLeft;
    if (get_integer(GL_CLIP_DEPTH_MODE) == GL_ZERO_TO_ONE) out.flags |= kZeroToOne;
  }
  if (info.provoking_vertex && get_integer(GL_PROVOKING_VERTEX) == GL_FIRST_VERTEX_CONVENTION) {
    out.flags |= kProvokingFirst;
  }
  if (is_multisampling(info)) out.flags |= kMultisample;
  const GLint planes = std::min(get_integer(GL_MAX_CLIP_DISTANCES), 32);  // before OpenGL 3.0: GL_MAX_CLIP_PLANES
  for (GLint i = 0; i < planes; i++) {
    if (is_enabled(GL_CLIP_DISTANCE0 + static_cast<GLenum>(i))) out.clip_planes.push_back(i);
  }
}

}  // namespace

RenderState read_render_state(const Context& context, bool has_depth, bool has_stencil) {
  RenderState out;
  read_viewport(out);
  out.state.scissor = read_scissor();
  out.state.color_mask = read_color_mask(context);
  read_depth(context, has_depth, out);
  read_faces(context, out);
  read_blend(context, out);
  read_alpha_test(context, out);
  read_stencil(context, has_stencil, out);
  read_flags(context, out);
  read_samples(context, out.state);
  if (settings().programs) read_program_state(context, out.state);
  return out;
}

std::optional<StipplePattern> read_stipple(const Context& context, const RenderState& render) {
  if (!context.info.compatibility || render.state.polygon_mode != PolygonMode::fill || render.back_mode ||
      !is_enabled(GL_POLYGON_STIPPLE)) {
    return std::nullopt;
  }
  std::array<GLubyte, 128> bytes{};
  Restore restore;
  pack_plainly(context, restore);
  GL(GetPolygonStipple)(bytes.data());
  StipplePattern pattern{};
  for (size_t i = 0; i < bytes.size(); i++) pattern[i / 4] = pattern[i / 4] << 8 | bytes[i];
  const bool is_whole = std::all_of(pattern.begin(), pattern.end(), [](uint32_t row) { return row == ~uint32_t{0}; });
  return is_whole ? std::nullopt : std::optional(pattern);
}

std::optional<LineStipple> read_line_stipple(const Context& context, const RenderState& render) {
  if (!context.info.compatibility || !is_enabled(GL_LINE_STIPPLE)) return std::nullopt;
  LineStipple stipple;
  stipple.pattern = static_cast<uint16_t>(get_integer(GL_LINE_STIPPLE_PATTERN));
  stipple.factor = static_cast<uint32_t>(std::max(get_integer(GL_LINE_STIPPLE_REPEAT), 1));
  if (stipple.pattern == 0xffff) return std::nullopt;
  stipple.rectangular = is_multisampling(context.info) || is_enabled(GL_LINE_SMOOTH);
  stipple.viewport = render.state.viewport;
  stipple.clips_depth = (render.flags & kDepthClamp) == 0;
  stipple.zero_to_one = (render.flags & kZeroToOne) != 0;
  return stipple;
}

DrawBuffer read_draw_buffer(const Context& context, size_t number, RenderState& out) {
  const auto index = static_cast<GLuint>(number);
  const auto value = [&](GLenum name) {
    GLint result = 0;
    GL(GetIntegeri_v)(name, index, &result);
    return result;
  };
  const std::optional<BlendState>& first = out.state.blend;
  DrawBuffer buffer{static_cast<int>(number), first, {}};
  std::array<GLboolean, 4> mask{};
  GL(GetBooleani_v)(GL_COLOR_WRITEMASK, index, mask.data());
  for (size_t i = 0; i < 4; i++) buffer.color_mask[i] = mask[i] != 0;
  if (!GL(IsEnabledi)(GL_BLEND, index)) {
    buffer.blend.reset();
  } else if (context.info.separate_blend) {
    BlendState& blend = buffer.blend.emplace();
    blend.constant = first ? first->constant : glm::vec4(0.0f);
    blend.color = {to_factor(value(GL_BLEND_SRC_RGB), out), to_factor(value(GL_BLEND_DST_RGB), out),
                   to_equation(value(GL_BLEND_EQUATION_RGB), out)};
    blend.alpha = {to_factor(value(GL_BLEND_SRC_ALPHA), out), to_factor(value(GL_BLEND_DST_ALPHA), out),
                   to_equation(value(GL_BLEND_EQUATION_ALPHA), out)};
  }
  return buffer;
}

ClearMasks read_clear_masks(const Context& context) {
  ClearMasks masks;
  std::array<GLboolean, 4> color{};
  const int buffers = context.info.version >= (context.info.es ? 32 : 30) ? std::min(draw_buffer_count(context), 8) : 1;
  for (size_t i = 0; i < masks.color.size(); i++) {
    if (i == 0 || buffers == 1) GL(GetBooleanv)(GL_COLOR_WRITEMASK, color.data());
    if (i < size_t(buffers) && buffers > 1) GL(GetBooleani_v)(GL_COLOR_WRITEMASK, GLuint(i), color.data());
    for (size_t c = 0; c < 4; c++) masks.color[i][c] = color[c] != GL_FALSE;
  }
  masks.depth = get_integer(GL_DEPTH_WRITEMASK) != 0;
  masks.stencil = low_byte(get_integer(GL_STENCIL_WRITEMASK));
  masks.scissor = read_scissor();
  return masks;
}

void read_viewport_of(uint32_t number, State& state) {
  std::array<GLfloat, 4> place{};
  std::array<GLfloat, 2> range{};
  GL(GetFloati_v)(GL_VIEWPORT, number, place.data());
  GL(GetFloati_v)(GL_DEPTH_RANGE, number, range.data());
  state.viewport = {place[0], place[1], place[2], place[3]};
  state.depth_near = std::clamp(range[0], 0.0f, 1.0f);
  state.depth_far = std::clamp(range[1], 0.0f, 1.0f);
  state.scissor.reset();
  if (!GL(IsEnabledi)(GL_SCISSOR_TEST, number)) return;
  std::array<GLint, 4> box{};
  GL(GetIntegeri_v)(GL_SCISSOR_BOX, number, box.data());
  state.scissor = bounded(box);
}

namespace {

// llvmpipe clips, or passes on, this many vertices together.
constexpr size_t kTogether = 4096;

bool is_inside(const glm::vec4& p, uint32_t flags) {
  const float nearest = flags & kZeroToOne ? 0.0f : -p.w;
  return std::abs(p.x) <= p.w && std::abs(p.y) <= p.w && ((flags & kDepthClamp) != 0 || (p.z >= nearest && p.z <= p.w));
}

}  // namespace

bool is_flat(const State& state, const FragmentProgram* program) {
  const auto has_flat = [](const ProgramVarying& v) { return v.interpolation == Interpolation::flat; };
  return state.flat_shading ||
         (program != nullptr && std::any_of(program->varyings.begin(), program->varyings.end(), has_flat));
}

bool reads(const FragmentProgram* program, const char* name) {
  const auto has_name = [&](const std::string& text) { return text.find(name) != std::string::npos; };
  return program != nullptr && std::any_of(program->texts.begin(), program->texts.end(), has_name);
}

bool may_draw_outlines(const DrawCall& call, const RenderState& render, const VertexStage& stage,
                       const FragmentProgram* program) {
  const bool one_instance =
      std::all_of(call.parts.begin(), call.parts.end(), [](const SubDraw& part) { return part.instances == 1; });
  return render.state.polygon_mode == PolygonMode::line && !render.back_mode && !render.state.polygon_offset &&
         !is_flat(render.state, program) && (render.state.cull == CullMode::none || one_instance) &&
         std::find(stage.more.begin(), stage.more.end(), kBackColor) == stage.more.end() &&
         !reads(program, "gl_FrontFacing") && !reads(program, "gl_PrimitiveID");
}

void drop_points_outside(Replayed& part) {
  if (!part.assembly || part.assembly->topology != Topology::points || part.instances != 1) return;
  const auto is_outside = [&](uint32_t i) {
    const glm::vec4& p = part.positions[i];
    return std::abs(p.x) > p.w || std::abs(p.y) > p.w;
  };
  std::vector<uint32_t> indices = std::move(part.assembly->indices);
  if (!part.assembly->indexed) {
    indices.resize(part.vertices);
    std::iota(indices.begin(), indices.end(), 0u);
  }
  const size_t removed = std::erase_if(indices, is_outside);
  if (removed > 0) part.assembly->indexed = true;
  if (part.assembly->indexed) part.assembly->indices = std::move(indices);
}

void cull_outlines(Replayed& part, const State& state, uint32_t flags) {
  if (state.cull == CullMode::none || !part.assembly) return;
  const bool turned = (state.front_face == FrontFace::cw) != ((flags & kOriginUpperLeft) != 0);
  const bool front = state.cull != CullMode::back, back = state.cull != CullMode::front;
  Outlines outlines{std::move(*part.assembly), std::move(part.outlines)};
  cull_outlines(outlines, part.positions, {turned ? front : back, turned ? back : front});
  part.assembly = std::move(outlines.lines);
  part.outlines = std::move(outlines.sizes);
}

bool may_draw_whole_quads(const Context& context, const DrawCall& call, const RenderState& render, uint32_t flags,
                          const FragmentProgram* program) {
  return call.mode == GL_QUADS && !call.indexed() && (flags & kProvokingFirst) == 0 &&
         !is_flat(render.state, program) && render.state.polygon_mode == PolygonMode::fill && !render.back_mode &&
         render.clip_planes.empty() && is_llvmpipe(context);
}

bool is_llvmpipe(const Context& context) { return context.info.renderer.find("llvmpipe") != std::string::npos; }

void divide_whole_quads(Replayed& part, uint32_t flags) {
  constexpr std::array<uint32_t, 6> kCorners = {0, 1, 2, 0, 2, 3};
  if (!part.assembly || part.instances != 1) return;
  std::vector<uint32_t>& indices = part.assembly->indices;
  for (size_t first = 0; first < part.positions.size(); first += kTogether) {
    const size_t end = std::min(first + kTogether, part.positions.size());
    const bool whole = std::all_of(part.positions.begin() + ptrdiff_t(first), part.positions.begin() + ptrdiff_t(end),
                                   [&](const glm::vec4& p) { return is_inside(p, flags); });
    if (!whole) continue;
    for (size_t quad = first / 4; quad < end / 4; quad++) {
      for (size_t i = 0; i < kCorners.size(); i++) {
        indices.at(quad * kCorners.size() + i) = static_cast<uint32_t>(quad * 4) + kCorners[i];
      }
    }
  }
}

}  // namespace brokkr::capture
