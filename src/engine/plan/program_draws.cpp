#include "plan/program_draws.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <span>
#include <stdexcept>

#include "base/loading.h"
#include "machine/cpu_isa.h"
#include "plan/expand.h"
#include "plan/launch_plan.h"
#include "shade/instance.h"
#include "shade/kernels.h"
#include "shader/simplify.h"
#include "shader/texels.h"

namespace brokkr {
namespace {

using shader::CapturedProgram;
using shader::Code;
using shader::ColorOutput;

// An upper bound on the variants of one program that are specialized for the textures of its draws. Each variant is
// compiled separately.
constexpr size_t kMaxFolded = 4;

template <class T>
uint32_t append(std::vector<T>& list, const std::vector<T>& more) {
  const auto first = uint32_t(list.size());
  list.insert(list.end(), more.begin(), more.end());
  return first;
}

bool has(const Code& code, std::initializer_list<shader::Op> ops) {
  return std::any_of(code.instructions.begin(), code.instructions.end(), [&](const shader::CodeInstruction& one) {
    return std::find(ops.begin(), ops.end(), one.op) != ops.end();
  });
}

// `index` 1 is the second source of blending.
const ColorOutput* output_of(const CapturedProgram& program, uint32_t buffer, uint32_t index = 0) {
  for (const ColorOutput& color : program.colors) {
    if ((color.buffer == buffer || color.to_all) && color.index == index) return &color;
  }
  return nullptr;
}

// The draw buffers of a state.
std::vector<DrawBuffer> buffers_of(const State& state) {
  if (!state.buffers.empty()) return state.buffers;
  return {{0, state.blend, state.color_mask}};
}

bool has_alpha(const Target& target, int plane) {
  if (size_t(plane) >= target.colors.size()) return true;
  switch (target.colors[size_t(plane)].base) {
    case TexelBase::red:
    case TexelBase::rg:
    case TexelBase::rgb:
    case TexelBase::luminance: return false;
    default: return true;
  }
}

// The targets with a colour without alpha that a blit or a copy takes to a colour with alpha, where it must be 1.
std::vector<bool> targets_with_alpha_one(const Frame& frame) {
  std::vector<bool> result(frame.targets.size());
  const auto look = [&](uint32_t source, int source_plane, uint32_t target, int target_plane) {
    if (!has_alpha(frame.targets[source], source_plane) && has_alpha(frame.targets[target], target_plane))
      result[source] = true;
  };
  for (const Command& command : frame.commands) {
    if (const auto* const blit = std::get_if<BlitCommand>(&command); blit != nullptr && blit->color)
      look(blit->from, 0, blit->to, 0);
    const auto* const copy = std::get_if<CopyCommand>(&command);
    if (copy != nullptr && copy->from_plane < TargetPlane::depth)
      look(copy->from, int(copy->from_plane), copy->to, int(copy->to_plane));
  }
  return result;
}

// Replaces a blend factor if the destination has no alpha; its alpha counts as 1.
uint8_t factor_without_alpha(uint8_t factor, bool of_alpha) {
  switch (BlendFactor(factor)) {
    case BlendFactor::dst_alpha: return uint8_t(BlendFactor::one);
    case BlendFactor::one_minus_dst_alpha: return uint8_t(BlendFactor::zero);
    case BlendFactor::src_alpha_saturate: return uint8_t(of_alpha ? BlendFactor::one : BlendFactor::zero);
    default: return factor;
  }
}

// Fills blending, or the logical operation, of a draw buffer's colour. color.plane: the plane that is written.
void fill_blending(const Target& target, const State& state, const DrawBuffer& buffer, ProgramColor& color) {
  const TexelFormat format = size_t(buffer.plane) < target.colors.size() ? target.colors[size_t(buffer.plane)].format
                                                                         : texel_format(target.format);
  const bool is_real = shader::type_of(format) == SampledType::real;
  if (state.logic_op) {
    // Integers of a first colour have codes only in the exact plane.
    const bool has_codes = is_real || color.plane != 0;
    color.blends =
        has_codes && fill_logic(*state.logic_op, format, state.framebuffer_srgb, color.blend_color, color.blend_alpha);
    return;
  }
  color.blends = is_real && blends(buffer.blend) ? 1 : 0;  // integers are never blended
  if (buffer.blend) fill_blend(*buffer.blend, color.blend_color, color.blend_alpha);
  if (has_alpha(target, buffer.plane)) return;
  for (const int side : {0, 1}) {
    color.blend_color[side] = factor_without_alpha(color.blend_color[side], false);
    color.blend_alpha[side] = factor_without_alpha(color.blend_alpha[side], true);
  }
}

// Returns true for a short program (kProgramShort): few instructions and at most one lookup, which is neither
// anisotropic nor mipmapped.
bool is_short(const Code& code) {
  constexpr uint32_t kFew = 64;
  const auto lookups = std::count_if(code.instructions.begin(), code.instructions.end(),
                                     [](const shader::CodeInstruction& one) { return asks_a_sampler(one.op); });
  return code.instructions.size() - code.head <= kFew && lookups <= 1 &&
         !has(code, {shader::Op::change_x, shader::Op::change_y, shader::Op::begin_loop});
}

uint32_t bits_of(const DrawCommand& draw, const State& state, const CapturedProgram& program) {
  const bool alpha_test = state.alpha_test && state.alpha_test->func != CompareFunc::always;
  const bool triangles = draw.topology <= Topology::triangle_fan;
  uint32_t bits = 0;
  const auto set = [&](bool on, uint32_t bit) { bits |= on ? bit : 0u; };
  set(alpha_test || has(program.code, {shader::Op::discard}), kProgramDiscards);
  set(alpha_test, kProgramAlphaTest);
  set(program.depth >= 0, kProgramDepth);
  set(has(program.code, {shader::Op::change_x, shader::Op::change_y}), kProgramQuads);
  set(is_short(program.code), kProgramShort);
  set((draw.flags & kProvokingFirst) != 0, kProgramProvokingFirst);
  set(!triangles, kProgramFront);
  set(!state.framebuffer_srgb, kProgramRaw);
  set(state.sample_shading, kProgramPerSample | kProgramPlaced);
  set(state.alpha_to_coverage, kProgramAlphaToCoverage | kProgramCoverage);
  set(program.sample_mask >= 0, kProgramMasksSamples | kProgramCoverage);
  return bits;
}

}  // namespace

void ProgramDraws::open(const Frame& frame, Loading& loading) {
  if (frame.inputs.empty()) return;
  const auto begin = std::chrono::steady_clock::now();
  alpha_one_ = targets_with_alpha_one(frame);
  programs_ = shader::translate_programs(frame, loading);
  textures_ = shader::make_sampled_textures(frame, loading);
  decode_loads(frame, loading);
  translate_ms_ = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

// Decodes the first layer of the first level of each texture that initializes a plane.
void ProgramDraws::decode_loads(const Frame& frame, Loading& loading) {
  for (const Command& command : frame.commands) {
    const auto* const load = std::get_if<LoadCommand>(&command);
    if (load == nullptr || load->plane == TargetPlane::stencil) continue;
    const CapturedTexture& texture = frame.captured_textures[load->texture];
    if (!texture.stored) continue;
    const auto [place, is_new] = first_of_loads_.try_emplace(load->texture, uint32_t(loads_.size()));
    if (!is_new) continue;
    const uint64_t words =
        uint64_t(texture.width) * uint64_t(texture.height) * words_of(shader::encoding_of(texture.format, false));
    loading.check((loads_.size() + words) * 2 * sizeof(uint32_t), "captured textures");
    loads_.resize(loads_.size() + size_t(words) + kTexelWordsBeyond);
    shader::decode_texels(texture.format, frame.texture_data.data() + texture.first_byte, texture.width, texture.height,
                          1, loads_.data() + place->second);
  }
}

std::optional<PhaseRecord> ProgramDraws::load_phase(const Frame& frame, const LoadCommand& load) const {
  const auto found = first_of_loads_.find(load.texture);
  if (found == first_of_loads_.end() || load.plane == TargetPlane::stencil) return {};
  const CapturedTexture& texture = frame.captured_textures[load.texture];
  PhaseRecord r{};
  r.kind = PhaseKind::load;
  r.target = load.target;
  r.planes = load.plane == TargetPlane::depth ? kPlaneDepth : kPlaneColor;
  r.color_plane = load.plane == TargetPlane::depth ? 0 : uint32_t(load.plane);
  r.first_word = found->second;
  r.encoding = uint32_t(shader::encoding_of(texture.format, false));
  r.image_width = texture.width;
  r.image_height = texture.height;
  return r;
}

std::string ProgramDraws::find_failure(const Frame& frame, const DrawCommand& draw,
                                       const CapturedProgram& program) const {
  if (!program.failure.empty()) return program.failure;
  if (program.code.registers > kMaxProgramRegisters)
    return fmt::format("it needs {} registers; the limit is {}", program.code.registers, kMaxProgramRegisters);
  const DrawInputs& inputs = frame.inputs[size_t(draw.inputs)];
  for (const uint32_t texture : program.textures) {
    if (texture >= inputs.textures.size()) continue;
    const BoundTexture& bound = inputs.textures[texture];
    if (bound.texture >= 0 && textures_.record_of(bound) < 0)
      return fmt::format("texture {} is not in the file", bound.texture);
  }
  return {};
}

uint32_t ProgramDraws::add(const Frame& frame, const DrawCommand& draw, const ExpandedDraw* expanded,
                           const Loading& loading) {
  if (draw.inputs < 0) return kNoProgram;
  const DrawInputs& inputs = frame.inputs[size_t(draw.inputs)];
  uint32_t number = shader::program_number(programs_, frame, inputs);
  std::string failure = find_failure(frame, draw, programs_[number]);
  if (failure.empty()) {
    if (expanded != nullptr && !expanded->smooth.empty()) number = smooth_program(number);
    if (programs_[number].failure.empty()) number = fold_program(inputs, number);
    if (programs_[number].failure.empty()) number = fold_varyings(frame, number);
    failure = programs_[number].failure;
  }
  if (!failure.empty()) {
    FalseColors& shown = false_colors_[inputs.program];
    if (shown.draws++ == 0) shown.reason = std::move(failure);
    return kNoProgram;
  }
  const CapturedProgram& program = programs_[number];
  const State& state = frame.states[draw.state];
  ProgramRecord record{};
  record.bits = bits_of(draw, state, program);
  record.stride = uint32_t(varying_components(frame.programs[inputs.program]));
  record.first_varying = inputs.first_varying;
  record.running = program.code.running;
  record.outputs = uint16_t(program.code.outputs);
  record.depth = program.depth >= 0 ? uint16_t(program.depth) : kNoOutput;
  record.sample_mask = program.sample_mask >= 0 ? uint16_t(program.sample_mask) : kNoOutput;
  const Target& target = frame.targets[frame.views[draw.first_view].target];
  add_colors(frame, frame.views[draw.first_view].target, state, program, record);
  place_code(number, record);
  sources_.push_back({draw.inputs, number, target.height, draw.vertices >= 0, {}});
  add_uniforms(frame, record);
  prove_discards(frame, draw, record);
  add_inputs(state, program, expanded, record);
  add_samplers(inputs, program, target.id == 0 && draw.vertex_kind == VertexKind::clip_space && frame.models.empty(),
               record);
  if (expanded != nullptr && !expanded->sources.empty()) add_varyings(frame, draw, *expanded, program, record, loading);
  sizes_.registers = std::max(sizes_.registers, program.code.registers);
  sizes_.masks = std::max(sizes_.masks, program.code.masks);
  sizes_.outputs = std::max(sizes_.outputs, program.code.outputs);
  records_.push_back(record);
  return uint32_t(records_.size() - 1);
}

bool ProgramDraws::reads(uint32_t number, uint32_t binding) const {
  const ProgramRecord& record = records_[number];
  if (record.color_count == 0 && (record.bits & (kRemovesSamples | kProgramDepth)) == 0) return false;
  const CapturedProgram& program = programs_[sources_[number].program];
  return std::any_of(program.code.instructions.begin(), program.code.instructions.end(), [&](const auto& one) {
    return one.op == shader::Op::sample && program.textures[one.extra & shader::kSamplerMask] == binding;
  });
}

uint32_t ProgramDraws::smooth_program(uint32_t number) {
  const auto [found, is_new] = smooth_.try_emplace(number, uint32_t(programs_.size()));
  if (is_new) programs_.push_back(shader::with_smooth_lines(programs_[number]));
  return found->second;
}

uint32_t ProgramDraws::fold_program(const DrawInputs& inputs, uint32_t number) {
  const CapturedProgram& program = programs_[number];
  std::vector<shader::LookupFacts> facts;
  for (size_t i = 0; i < program.textures.size(); ++i) {
    const uint32_t texture = program.textures[i];
    const int32_t record = texture < inputs.textures.size() ? textures_.record_of(inputs.textures[texture]) : -1;
    facts.push_back(
        shader::facts_of(program.program.samplers[i], record < 0 ? nullptr : &textures_.records[size_t(record)]));
  }
  std::map<std::vector<shader::LookupFacts>, uint32_t>& folded = folded_[number];
  if (const auto found = folded.find(facts); found != folded.end()) return found->second;
  if (facts.empty() || folded.size() >= kMaxFolded) return number;
  CapturedProgram made = program;
  shader::fold_lookups(made.program, facts, *shader::find_kernel(best_cpu_isa()));
  shader::make_code(made);
  const bool is_worth_it = !made.failure.empty() || made.code.instructions.size() < program.code.instructions.size() ||
                           std::any_of(facts.begin(), facts.end(), [](const auto& one) { return one.known != 0; });
  const bool fits = made.code.registers <= kMaxProgramRegisters;
  const uint32_t result = is_worth_it && fits ? uint32_t(programs_.size()) : number;
  if (result != number) programs_.push_back(std::move(made));
  return folded[facts] = result;
}

uint32_t ProgramDraws::fold_varyings(const Frame& frame, uint32_t number) {
  const auto [found, is_new] = for_varyings_.try_emplace(number, number);
  if (!is_new) return found->second;
  const std::map<uint32_t, uint32_t>& same = same_varyings(frame, programs_[number].number);
  std::map<uint32_t, uint32_t> words;
  for (uint32_t word = 0; word < programs_[number].inputs.size(); ++word) {
    const shader::InputWord& input = programs_[number].inputs[word];
    if (input.kind != shader::InputKind::varying || input.back != shader::kNoPlace) continue;
    if (const auto value = same.find(input.component); value != same.end()) words[word] = value->second;
  }
  if (words.empty()) return number;
  CapturedProgram made = programs_[number];
  shader::fold_inputs(made.program, words, *shader::find_kernel(best_cpu_isa()));
  shader::make_code(made);
  if (!made.failure.empty() || made.code.registers > kMaxProgramRegisters) return number;
  programs_.push_back(std::move(made));
  return found->second = uint32_t(programs_.size() - 1);
}

const std::map<uint32_t, uint32_t>& ProgramDraws::same_varyings(const Frame& frame, uint32_t program) {
  const auto [found, is_new] = same_varyings_.try_emplace(program);
  std::map<uint32_t, uint32_t>& same = found->second;
  if (!is_new) return same;
  const uint64_t stride = varying_components(frame.programs[program]);
  bool is_first = true;
  for (const Command& command : frame.commands) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr || draw->inputs < 0 || frame.inputs[size_t(draw->inputs)].program != program) continue;
    const uint64_t vertices = uint64_t(draw->vertex_count) * draw->instances;
    if (vertices == 0) continue;
    // Vertex programs and points have other varyings than those of the file.
    const bool replaces = draw->vertices >= 0 || frame.states[draw->state].coord_replace != 0;
    if (replaces || !proof_work_.take(vertices * (is_first ? stride : same.size()))) return same = {};
    const float* const first = frame.varyings.data() + frame.inputs[size_t(draw->inputs)].first_varying;
    for (uint32_t c = 0; c < stride && is_first; ++c) {
      const auto bits = std::bit_cast<uint32_t>(first[c]);
      if (first[c] == 1.0f || bits == 0) same[c] = bits;
    }
    is_first = false;
    std::erase_if(same, [&](const auto& one) {
      for (uint64_t v = 0; v < vertices; ++v) {
        if (std::bit_cast<uint32_t>(first[v * stride + one.first]) != one.second) return true;
      }
      return false;
    });
    if (same.empty()) return same;
  }
  return same;
}

bool ProgramDraws::has_alpha_one(const Frame& frame, uint32_t target, int plane) const {
  return target < alpha_one_.size() && alpha_one_[target] && !has_alpha(frame.targets[target], plane);
}

void ProgramDraws::add_colors(const Frame& frame, uint32_t number, const State& state, const CapturedProgram& program,
                              ProgramRecord& record) {
  const Target& target = frame.targets[number];
  const ColorOutput* const first = output_of(program, 0);
  record.alpha = first != nullptr && first->words == 4 ? uint16_t(first->first + 3) : kNoOutput;
  const std::vector<DrawBuffer> buffers = buffers_of(state);
  const auto exact = exact_encoding(target);
  for (uint32_t i = 0; i < buffers.size() && record.color_count < kMaxProgramColors; ++i) {
    const DrawBuffer& buffer = buffers[i];
    const ColorOutput* const output = output_of(program, i);
    if (buffer.plane < 0 || output == nullptr) continue;
    ProgramColor color{};
    color.first = uint16_t(output->first);
    color.words = uint8_t(std::min(output->words, 4u));
    color.second = kNoOutput;
    if (const ColorOutput* const second = output_of(program, i, 1)) {
      color.second = uint16_t(second->first);
      color.second_words = uint8_t(std::min(second->words, 4u));
    }
    color.plane = uint8_t(buffer.plane);
    for (size_t c = 0; c < 4; ++c) color.mask |= uint8_t(buffer.color_mask[c] ? 1u << c : 0u);
    if (color.mask == 0) continue;
    fill_blending(target, state, buffer, color);
    if (state.alpha_to_one && target.samples > 1) {  // missing alpha is 1
      color.words = std::min(color.words, uint8_t(3));
      color.second_words = std::min(color.second_words, uint8_t(3));
    }
    if (has_alpha_one(frame, number, buffer.plane)) {
      if (color.blends != 0) {
        color.mask &= 7;  // blending needs the source's alpha, and the target keeps its own
      } else {
        color.words = std::min(color.words, uint8_t(3));
      }
      if (color.mask == 0) continue;
    }
    color.bounded = buffer.plane == 0 && is_bounded_half(target) ? 1 : 0;
    record.colors[record.color_count++] = color;
    if (buffer.plane != 0 || !exact || record.color_count == kMaxProgramColors) continue;
    color.plane = uint8_t(kExactPlane);
    color.bounded = 0;  // the encoding of the colour bounds it
    fill_blending(target, state, buffer, color);
    record.colors[record.color_count++] = color;
  }
}

void ProgramDraws::place_code(uint32_t number, ProgramRecord& record) {
  const Code& code = programs_[number].code;
  const auto [place, is_new] = placed_.try_emplace(number);
  if (is_new) {
    place->second = {uint32_t(placed_.size() - 1), append(code_, code.instructions),
                     uint32_t(code.instructions.size())};
    has_loops_ |= code.has_loops();
    longest_ = std::max(longest_, place->second.instructions);
  }
  record.code = place->second.number;
  record.first_instruction = place->second.first_instruction;
  record.head = code.head;
  record.instructions = place->second.instructions;
}

std::vector<const Code*> ProgramDraws::codes() const {
  std::vector<const Code*> all(placed_.size());
  for (const auto& [number, placed] : placed_) all[placed.number] = &programs_[number].code;
  return all;
}

ProgramPresets::ProgramPresets(const Code& code, const std::vector<uint32_t>& uniforms) {
  const shader::Instance instance(code, *shader::find_kernel(best_cpu_isa()), uniforms);
  all = instance.presets();
  first_mask = all.size();
  const auto add_mask = [&](uint16_t number) { all.push_back({number, instance.truth(number) ? 1u : 0u}); };
  for (const shader::Preset& preset : code.mask_constants) add_mask(preset.number);
  for (uint32_t i = 0; i < code.head; ++i) {
    if (shader::gives_mask(code.instructions[i].op)) add_mask(code.instructions[i].result[0]);
  }
}

std::vector<uint32_t> ProgramDraws::uniforms_of(const Frame& frame, const Source& source,
                                                const CapturedProgram& program) {
  const DrawInputs& inputs = frame.inputs[size_t(source.inputs)];
  const auto word_at = [&](int block, uint32_t word) {
    const bool is_there = block < 0 || size_t(block) < inputs.first_of_blocks.size();
    const uint64_t first = !is_there   ? ~uint64_t(0)
                           : block < 0 ? inputs.first_uniform
                                       : inputs.first_of_blocks[size_t(block)];
    if (first >= frame.uniforms.size() || word >= frame.uniforms.size() - first) {
      throw std::invalid_argument(fmt::format(
          "frame, field 'inputs': the uniforms of inputs {} no longer lie in 'uniforms'; prepare the frame again",
          source.inputs));
    }
    return frame.uniforms[size_t(first + word)];
  };
  std::vector<uint32_t> words;
  for (const shader::UniformWord& word : program.uniforms) {
    if (word.block == shader::kHeightOfTarget) {
      words.push_back(std::bit_cast<uint32_t>(float(source.height)));
      continue;
    }
    words.push_back(word.word == shader::kNoPlace ? 0 : word_at(word.block, word.word));
  }
  return words;
}

void ProgramDraws::add_uniforms(const Frame& frame, ProgramRecord& record) {
  const Source& source = sources_.back();
  const std::vector<uint32_t> words = uniforms_of(frame, source, programs_[source.program]);
  const ProgramPresets presets(programs_[source.program].code, words);
  record.uniform_words = uint32_t(words.size());
  record.first_uniform = append(uniforms_, words);
  record.presets = uint32_t(presets.first_mask);
  record.mask_presets = uint32_t(presets.all.size() - presets.first_mask);
  record.first_preset = append(presets_, presets.all);
}

void ProgramDraws::prove_discards(const Frame& frame, const DrawCommand& draw, ProgramRecord& record) {
  if ((record.bits & kProgramDiscards) == 0) return;
  // A user's vertex shader writes other varyings with each update.
  if (draw.vertices >= 0 && !frame.models.empty()) return;
  // The centre of a pixel of several samples may lie outside of the primitive, and varyings beyond the vertices'.
  if (frame.targets[frame.views[draw.first_view].target].samples > 1) return;
  Source& source = sources_.back();
  const CapturedProgram& program = programs_[source.program];
  if (!proof_work_.take(2 * DrawDiscards::work_of(program))) return;
  DrawDiscards& discards = source.discards.emplace(frame, draw, program, record.alpha, proof_work_);
  if (!set_discards(record, discards, program)) return;
  // It takes a while to read all texels.
  discards.add_textures(frame, frame.inputs[size_t(draw.inputs)], program, textures_, texel_ranges_, proof_work_);
  set_discards(record, discards, program);
}

// Returns true if the draw may discard fragments.
bool ProgramDraws::set_discards(ProgramRecord& record, DrawDiscards& discards, const CapturedProgram& program) const {
  const auto [by_program, by_alpha_test] =
      discards.possible(program, std::span(uniforms_).subspan(record.first_uniform, record.uniform_words));
  record.bits &= ~uint32_t(kProgramDiscards | kProgramAlphaTest);
  if (by_program || by_alpha_test) record.bits |= kProgramDiscards;
  if (by_alpha_test) record.bits |= kProgramAlphaTest;
  return by_program || by_alpha_test;
}

UniformChange ProgramDraws::update_uniforms(const Frame& frame) {
  UniformChange change = UniformChange::none;
  for (size_t i = 0; i < records_.size(); ++i) {
    const CapturedProgram& program = programs_[sources_[i].program];
    const std::vector<uint32_t> words = uniforms_of(frame, sources_[i], program);
    if (std::equal(words.begin(), words.end(), uniforms_.begin() + records_[i].first_uniform)) continue;
    change = std::max(change, UniformChange::values);
    std::copy(words.begin(), words.end(), uniforms_.begin() + records_[i].first_uniform);
    const ProgramPresets presets(program.code, words);
    std::copy(presets.all.begin(), presets.all.end(), presets_.begin() + records_[i].first_preset);
    if (!sources_[i].discards) continue;
    const uint32_t before = records_[i].bits;
    set_discards(records_[i], *sources_[i].discards, program);
    if (records_[i].bits != before) change = UniformChange::order;
  }
  return change;
}

UniformChange ProgramDraws::update_varyings(const Frame& frame, bool are_known) {
  UniformChange change = UniformChange::none;
  ProofWork work;
  for (size_t i = 0; i < records_.size(); ++i) {
    Source& source = sources_[i];
    if (!source.has_vertex_program || !source.discards) continue;
    const CapturedProgram& program = programs_[source.program];
    if (are_known)
      source.discards->read_varyings(frame, program, work);
    else
      source.discards->forget_varyings();
    const uint32_t before = records_[i].bits;
    set_discards(records_[i], *source.discards, program);
    if (records_[i].bits != before) change = UniformChange::order;
  }
  return change;
}

void ProgramDraws::add_samplers(const DrawInputs& inputs, const CapturedProgram& program, bool is_window,
                                ProgramRecord& record) {
  record.first_sampler = uint32_t(samplers_.size());
  for (const uint32_t texture : program.textures) {
    shader::SamplerSlot slot{.quad_lane = is_window ? 2 : 0};
    if (texture < inputs.textures.size() && inputs.textures[texture].texture >= 0)
      slot.record = textures_.record_of(inputs.textures[texture]);
    samplers_.push_back(slot);
  }
}

ProgramTables ProgramDraws::tables(const Frame& frame) const {
  ProgramTables t{};
  t.programs = records_.data();
  t.code = code_.data();
  t.compiled = compiled_;
  t.presets = presets_.data();
  t.inputs = inputs_.data();
  t.uniforms = uniforms_.data();
  t.samplers = samplers_.data();
  t.varyings =
      expanded_varyings_.empty() ? reinterpret_cast<const uint32_t*>(frame.varyings.data()) : expanded_varyings_.data();
  t.loads = loads_.data();
  t.textures = textures_.textures.data();
  t.sizes = sizes_;
  return t;
}

ProgramDraws::Counts ProgramDraws::counts(const Frame& frame) const {
  return {records_.size(),
          code_.size(),
          presets_.size(),
          inputs_.size(),
          uniforms_.size(),
          samplers_.size(),
          expanded_varyings_.empty() ? frame.varyings.size() : expanded_varyings_.size(),
          loads_.size()};
}

uint64_t ProgramDraws::bytes(const Frame& frame) const {
  const Counts n = counts(frame);
  return n.programs * sizeof(ProgramRecord) + n.code * sizeof(shader::CodeInstruction) +
         n.presets * sizeof(ProgramPreset) + n.inputs * sizeof(ProgramInput) +
         n.samplers * sizeof(shader::SamplerSlot) + (n.uniforms + n.varyings + n.loads) * sizeof(uint32_t);
}

// Connects a draw's program with its primitives: finds the varying that each input word reads, and makes varyings for
// draws whose vertices were generated.

namespace {

using shader::CapturedProgram;

bool has_own_vertices(const ExpandedDraw* expanded) { return expanded != nullptr && !expanded->sources.empty(); }

// The number of words that the vertices of expanded lines or points append to the frame's varyings. The primitive's
// number follows these words.
uint32_t more_words(const ExpandedDraw& expanded) {
  return (expanded.are_points ? 2u : 0u) + (expanded.smooth.empty() ? 0u : 4u);
}

bool reads_primitive(const CapturedProgram& program) {
  for (size_t word = 0; word < program.inputs.size(); ++word) {
    if (program.inputs[word].kind == shader::InputKind::primitive && program.code.inputs[word] != shader::kNoRegister)
      return true;
  }
  return false;
}

InputSource source_of(const shader::InputWord& word, bool flat_colors, const ExpandedDraw* expanded) {
  if (word.kind == shader::InputKind::front_facing) return InputSource::facing;
  if (word.component == shader::kNoPlace) return InputSource::zero;
  switch (word.kind) {
    case shader::InputKind::position: return InputSource::position;
    case shader::InputKind::front_facing: break;
    case shader::InputKind::point:
      return expanded != nullptr && expanded->are_points ? InputSource::smooth : InputSource::zero;
    case shader::InputKind::line: return InputSource::smooth;
    case shader::InputKind::primitive: return has_own_vertices(expanded) ? InputSource::flat : InputSource::primitive;
    case shader::InputKind::sample: return InputSource::position;
    case shader::InputKind::varying: break;
  }
  if (word.color && flat_colors) return InputSource::flat;
  switch (word.interpolation) {
    case shader::Interpolation::smooth: break;
    case shader::Interpolation::no_perspective: return InputSource::no_perspective;
    case shader::Interpolation::flat: return InputSource::flat;
  }
  return InputSource::smooth;
}

// The place at which a word is interpolated in a pixel of several samples, and the bits of ProgramBit that follow.
struct WordPlace {
  InputPlace place = InputPlace::centre;
  uint32_t bits = 0;
};
WordPlace place_in_pixel(const shader::InputWord& word, InputSource source) {
  if (word.kind == shader::InputKind::sample) {
    switch (shader::SampleWord(word.component)) {
      case shader::SampleWord::number:
      case shader::SampleWord::position_x:
      case shader::SampleWord::position_y: return {InputPlace::centre, kProgramPlaced | kProgramPerSample};
      case shader::SampleWord::mask:
      case shader::SampleWord::centroid_x:
      case shader::SampleWord::centroid_y: return {InputPlace::centre, kProgramPlaced | kProgramCoverage};
      case shader::SampleWord::count:
      case shader::SampleWord::places_x:
      case shader::SampleWord::places_y: return {InputPlace::centre, kProgramPlaced};
    }
  }
  if (source != InputSource::smooth && source != InputSource::no_perspective) return {};
  if (word.sample) return {InputPlace::sample, kProgramPlaced | kProgramPerSample};
  if (word.centroid) return {InputPlace::centroid, kProgramPlaced | kProgramCoverage};
  return {};
}

}  // namespace

// Adds varyings first, in the order of their words.
void ProgramDraws::add_inputs(const State& state, const CapturedProgram& program, const ExpandedDraw* expanded,
                              ProgramRecord& record) {
  record.first_input = uint32_t(inputs_.size());
  bool is_flat = true, is_smooth = true;
  for (const bool varyings : {true, false}) {
    for (size_t word = 0; word < program.inputs.size(); ++word) {
      const shader::InputWord& input = program.inputs[word];
      const InputSource source = source_of(input, state.flat_shading, expanded);
      const uint16_t number =
          source == InputSource::facing ? program.code.mask_inputs[word] : program.code.inputs[word];
      if (number == shader::kNoRegister || (source <= InputSource::primitive) != varyings) continue;
      // The additional inputs of expanded draws follow the varyings of the file.
      const bool is_more = input.kind == shader::InputKind::point || input.kind == shader::InputKind::line;
      const bool is_last = input.kind == shader::InputKind::primitive && has_own_vertices(expanded);
      const bool is_sample = input.kind == shader::InputKind::sample;
      const uint32_t component = input.component + (is_sample ? kSampleComponent : 0) +
                                 (is_more || is_last ? record.stride : 0) + (is_last ? more_words(*expanded) : 0);
      const WordPlace place = place_in_pixel(input, source);
      record.bits |= place.bits;
      inputs_.push_back(
          {number, source, place.place, component, input.back == shader::kNoPlace ? component : input.back});
      if (input.back != shader::kNoPlace) record.bits |= kProgramTwoSided;
      if ((source == InputSource::position && !is_sample) || source == InputSource::no_perspective)
        record.bits |= kProgramWindow;
      const bool is_same =
          source == InputSource::flat || source == InputSource::primitive || source == InputSource::zero;
      is_flat = is_flat && is_same && input.back == shader::kNoPlace;
      is_smooth = is_smooth && source == InputSource::smooth && input.back == shader::kNoPlace;
      ++(varyings ? record.varying_inputs : record.other_inputs);
    }
  }
  if (is_flat) record.bits |= kProgramFlat;
  if (is_smooth && !is_flat) record.bits |= kProgramSmooth;
  if ((record.bits & kProgramPerSample) == 0) return;
  // gl_FragCoord is that of the sample, and so are all inputs if the state shades samples.
  record.bits |= kProgramPlaced;
  for (ProgramInput& input : std::span(inputs_).subspan(record.first_input)) {
    const bool varies = input.source == InputSource::smooth || input.source == InputSource::no_perspective;
    if ((varies && state.sample_shading) ||
        (input.source == InputSource::position && input.component < kSampleComponent))
      input.place = InputPlace::sample;
  }
}

// The corners of lines and points get new varyings: those of the vertices that they come from, then gl_PointCoord for
// points (it replaces gl_TexCoord[i] if the state says so), then gl_PrimitiveID.
void ProgramDraws::add_varyings(const Frame& frame, const DrawCommand& draw, const ExpandedDraw& expanded,
                                const CapturedProgram& captured, ProgramRecord& record, const Loading& loading) {
  // The frame's varyings stay in memory beside the new ones. Elements may repeat a vertex often, and a growing list is
  // copied.
  const uint64_t more = expanded.sources.size() * uint64_t(record.stride + 5);
  loading.check((expanded_varyings_.size() + frame.varyings.size() + more) * 3 * sizeof(uint32_t),
                "varyings of lines and points");
  if (expanded_varyings_.empty()) {
    expanded_varyings_.resize(frame.varyings.size());
    std::transform(frame.varyings.begin(), frame.varyings.end(), expanded_varyings_.begin(),
                   [](float value) { return std::bit_cast<uint32_t>(value); });
  }
  const DrawInputs& inputs = frame.inputs[size_t(draw.inputs)];
  const FragmentProgram& program = frame.programs[inputs.program];
  const uint32_t stride = record.stride;
  const bool with_primitives = reads_primitive(captured);
  const bool flat_colors = frame.states[draw.state].flat_shading;
  std::vector<bool> is_smooth(stride);
  std::vector<uint32_t> replaced;  // components that the four numbers of gl_PointCoord replace
  for (const ProgramVarying& varying : program.varyings) {
    const uint32_t components = varying.count * shape_of(varying.type).components();
    const bool is_color = varying.name == "gl_Color" || varying.name == "gl_SecondaryColor" ||
                          varying.name == "gl_BackColor" || varying.name == "gl_BackSecondaryColor";
    const bool is_flat = varying.interpolation == Interpolation::flat || (flat_colors && is_color);
    for (uint32_t i = 0; i < components; ++i) is_smooth[varying.offset + i] = !is_flat;
    for (int unit = 0; unit < 8 && expanded.are_points && components == 4; ++unit) {
      const bool counts = (frame.states[draw.state].coord_replace >> unit & 1) != 0;
      if (counts && varying.name == fmt::format("gl_TexCoord[{}]", unit)) replaced.push_back(varying.offset);
    }
  }
  record.first_varying = expanded_varyings_.size();
  record.stride += more_words(expanded) + (with_primitives ? 1 : 0);
  const float* const vertices = frame.varyings.data() + inputs.first_varying;
  for (size_t number = 0; number < expanded.sources.size(); ++number) {
    const VertexSource& source = expanded.sources[number];
    const float *const a = vertices + size_t(source.a) * stride, *const b = vertices + size_t(source.b) * stride;
    const float* const flat = vertices + size_t(source.flat) * stride;
    const size_t first = expanded_varyings_.size();
    for (uint32_t i = 0; i < stride; ++i) {
      const float value = !is_smooth[i] ? flat[i] : source.t == 0 ? a[i] : a[i] + (b[i] - a[i]) * source.t;
      expanded_varyings_.push_back(std::bit_cast<uint32_t>(value));
    }
    for (int i = 0; i < 4 && !expanded.smooth.empty(); ++i)
      expanded_varyings_.push_back(std::bit_cast<uint32_t>(expanded.smooth[number][i]));
    if (expanded.are_points) {
      const size_t corner = number % 4;
      const float point[4] = {corner == 1 || corner == 2 ? 1.0f : 0.0f, corner >= 2 ? 1.0f : 0.0f, 0.0f, 1.0f};
      for (const uint32_t component : replaced) {
        for (uint32_t i = 0; i < 4; ++i) expanded_varyings_[first + component + i] = std::bit_cast<uint32_t>(point[i]);
      }
      expanded_varyings_.insert(expanded_varyings_.end(),
                                {std::bit_cast<uint32_t>(point[0]), std::bit_cast<uint32_t>(point[1])});
    }
    if (with_primitives) expanded_varyings_.push_back(source.primitive);
  }
}

}  // namespace brokkr
