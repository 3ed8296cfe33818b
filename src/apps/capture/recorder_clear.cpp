// Records clears. A clear of whole channels and whole stencils is a command of the file; one of some channels, or some
// bits of the stencil, is a triangle over the target, under the masks of the clear.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "capture/recorder.h"
#include "capture/render_state.h"
#include "capture/settings.h"
#include "capture/state_guard.h"
#include "frame/bkf_fields.h"

namespace brokkr::capture {
namespace {

// The channels that a colour has.
std::array<bool, 4> channels_of(const Target& target, size_t color) {
  if (color >= target.colors.size()) return {true, true, true, false};  // unknown: only positions are recorded
  switch (target.colors[color].base) {
    case TexelBase::red:
    case TexelBase::luminance:
    case TexelBase::intensity: return {true, false, false, false};
    case TexelBase::rg: return {true, true, false, false};
    case TexelBase::rgb: return {true, true, true, false};
    case TexelBase::alpha: return {false, false, false, true};
    case TexelBase::luminance_alpha: return {true, false, false, true};
    default: return {true, true, true, true};
  }
}

enum class Coverage : uint8_t { none, some, all };
Coverage coverage_of(const std::array<bool, 4>& mask, const std::array<bool, 4>& channels) {
  size_t kept = 0, cleared = 0;
  for (size_t i = 0; i < 4; i++) {
    if (channels[i]) ++(mask[i] ? cleared : kept);
  }
  return cleared == 0 ? Coverage::none : kept == 0 ? Coverage::all : Coverage::some;
}

// llvmpipe cuts off the bits that codes of 4 bits do not have; when it draws, it rounds.
glm::vec4 in_four_bits(const glm::vec4& color) {
  glm::vec4 result;
  for (int i = 0; i < 4; i++)
    result[i] = std::floor(std::round(std::clamp(color[i], 0.0f, 1.0f) * 255.0f) / 16.0f) / 15.0f;
  return result;
}

// A program that writes the same value to some of a target's colours, and the value as its uniforms.
struct ClearingProgram {
  FragmentProgram program;
  std::vector<uint32_t> words;
};
ClearingProgram clearing_program(const Target& target, const std::vector<size_t>& colors, const glm::vec4& value) {
  constexpr std::array<const char*, 3> kTypes = {"vec4", "ivec4", "uvec4"};
  constexpr std::array kShaderTypes = {ShaderType::vec4, ShaderType::ivec4, ShaderType::uvec4};
  ClearingProgram made;
  std::string declarations, body;
  for (const size_t color : colors) {
    const SampledType type = type_of(target.colors[color].format);
    const auto kind = static_cast<size_t>(type);
    const std::string number = std::to_string(color), value_name = "brokkr_value" + number,
                      color_name = "brokkr_color" + number;
    declarations +=
        std::string("uniform ") + kTypes[kind] + " " + value_name + ";\nout " + kTypes[kind] + " " + color_name + ";\n";
    body += "  " + color_name + " = " + value_name + ";\n";
    made.program.uniforms.push_back(
        {.name = value_name, .type = kShaderTypes[kind], .offset = static_cast<uint32_t>(made.words.size() * 4)});
    made.program.outputs.push_back(
        {.name = color_name, .type = kShaderTypes[kind], .location = static_cast<uint32_t>(color)});
    for (int i = 0; i < 4; i++) {
      const auto whole = static_cast<int64_t>(std::clamp(value[i], -2147483648.0f, 4294967040.0f));
      made.words.push_back(type == SampledType::real ? std::bit_cast<uint32_t>(value[i])
                                                     : static_cast<uint32_t>(whole));
    }
  }
  made.program.version = 130;
  made.program.texts = {"#version 130\n" + declarations + "void main() {\n" + body + "}\n"};
  return made;
}

}  // namespace

bool covers(const std::optional<Rect>& scissor, const TargetInfo& target) {
  return !scissor || (scissor->x <= 0 && scissor->y <= 0 && scissor->x + scissor->width >= target.width &&
                      scissor->y + scissor->height >= target.height);
}

void Recorder::clear(Context& context, const ClearValues& values) {
  if (is_enabled(GL_RASTERIZER_DISCARD)) return;
  const auto [target, problem, layers] = targets_.find(context, GL_DRAW_FRAMEBUFFER);
  if (!target) return note_problem("a clear", problem);
  if (!has_drawing_condition(context)) return;
  const ClearMasks masks = read_clear_masks(context);
  clear_target(context, values, masks, *target);
  for (uint32_t layer = 1; layer < layers; layer++) {
    const Targets::Found found = targets_.find(context, GL_DRAW_FRAMEBUFFER, layer);
    if (found.target) clear_target(context, values, masks, *found.target);
  }
}

void Recorder::clear_target(Context& context, const ClearValues& values, const ClearMasks& masks, uint32_t target) {
  const TargetInfo& info = targets_[target];
  ClearCommand command{.target = target};
  if (!covers(masks.scissor, info)) command.scissor = masks.scissor;
  Targets::Planes planes{};
  PartialClear partial{.target = target, .values = values, .scissor = command.scissor};
  glm::vec4 color = values.color.value_or(glm::vec4(0.0f));
  for (int i = 0; i < 4; i++) {
    if (!std::isfinite(color[i])) color[i] = 0;
  }
  partial.values.color = color;
  for (size_t i = 0; i < kMaxColorPlanes && values.color; i++) {
    const Plane plane = color_plane(i);
    if (!info.images.plane(plane) || values.draw_buffer.value_or(i) != i) continue;
    if (i == 0 && draw_buffer(context) == GL_NONE) continue;
    const std::vector<TargetColor>& known = frame_.targets[target].colors;
    const Coverage coverage = coverage_of(masks.color[i], channels_of(frame_.targets[target], i));
    if (coverage == Coverage::none) continue;
    if (coverage == Coverage::some) {
      partial.colors.push_back(i);
      partial.masks.push_back(masks.color[i]);
      continue;
    }
    planes[static_cast<size_t>(plane)] = true;
    const bool cuts =
        i < known.size() && known[i].format == TexelFormat::rgba4 && !command.scissor && is_llvmpipe(context);
    const glm::vec4 value = cuts ? in_four_bits(color) : color;
    if (i == 0) {
      command.color = value;
    } else {
      command.other_colors.push_back({file_plane(plane), value});
    }
  }
  if (values.depth && info.images.plane(Plane::depth) && masks.depth) {
    command.depth = std::isfinite(*values.depth) ? std::clamp(*values.depth, 0.0f, 1.0f) : 1.0f;
  }
  if (values.stencil && info.images.plane(Plane::stencil)) {
    if (masks.stencil == 0xff) command.stencil = static_cast<uint8_t>(*values.stencil & 0xff);
    if (masks.stencil != 0xff && masks.stencil != 0) partial.stencil = masks.stencil;
  }
  if (command.color || command.depth || command.stencil || !command.other_colors.empty()) {
    if (command.depth) targets_.end_depth(context, target, !command.scissor);
    planes[static_cast<size_t>(Plane::depth)] = command.depth.has_value();
    planes[static_cast<size_t>(Plane::stencil)] = command.stencil.has_value();
    targets_.use(context, target, planes, command.scissor.has_value());
    const std::vector<TargetColor>& colors = frame_.targets[target].colors;
    if (command.color && !colors.empty() && colors[0].format == TexelFormat::rgba8_srgb)
      srgb_targets_.note_clear(frame_.commands.size(), encodes_srgb(context.info));
    frame_.commands.emplace_back(command);
  }
  if (!partial.colors.empty() || partial.stencil != 0) clear_partly(context, partial);
}

void Recorder::clear_partly(Context& context, const PartialClear& clear) {
  const uint32_t target = clear.target;
  if (!settings().programs && !clear.colors.empty()) return note("a clear of some colour channels only");
  const TargetInfo& info = targets_[target];
  State state;
  state.viewport = {0, 0, info.width, info.height};
  state.scissor = clear.scissor;
  state.depth = {.test = false, .write = false};
  state.color_mask = {};
  state.framebuffer_srgb = encodes_srgb(context.info);
  Targets::Planes planes{};
  for (size_t i = 0; i < clear.colors.size(); i++) {
    const size_t color = clear.colors[i];
    planes[static_cast<size_t>(color_plane(color))] = true;
    if (color == 0) {
      state.color_mask = clear.masks[i];
      continue;
    }
    if (state.buffers.empty()) state.buffers.push_back({planes[0] ? 0 : -1, {}, state.color_mask});
    state.buffers.resize(color, {.plane = -1});
    state.buffers.push_back({static_cast<int>(color), {}, clear.masks[i]});
  }
  if (clear.stencil != 0) {
    planes[static_cast<size_t>(Plane::stencil)] = true;
    state.stencil = StencilState{.ref = static_cast<uint8_t>(*clear.values.stencil & 0xff),
                                 .write_mask = clear.stencil,
                                 .stencil_fail = StencilOp::replace,
                                 .depth_fail = StencilOp::replace,
                                 .pass = StencilOp::replace};
  }
  targets_.use(context, target, planes);
  targets_.mark_drawn(target, planes);
  std::optional<ShadingInputs> inputs;
  if (!clear.colors.empty()) {
    const ClearingProgram made = clearing_program(frame_.targets[target], clear.colors, *clear.values.color);
    inputs = shading_.made(made.program, made.words);
    note(std::string(bkf::kExpandedReason) + "a clear of some channels");
  }
  draw_over(target, state, inputs ? &*inputs : nullptr);
}

void Recorder::draw_over(uint32_t target, const State& state, const ShadingInputs* inputs) {
  DrawCommand draw;
  draw.first_view = target;
  draw.state = states_.number_of(state, frame_.states);
  Replayed part{.assembly = Assembly{}, .vertices = 3};
  part.positions = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
  add_draw(draw, part, inputs);
  draws_++;
}

}  // namespace brokkr::capture
