#include "plan/vertex_draws.h"

#include <algorithm>
#include <stdexcept>

#include "base/loading.h"
#include "plan/expand.h"
#include "plan/vertex_stage.h"

namespace brokkr {
namespace {

using shader::CapturedVertexProgram;
using shader::Code;
using shader::VertexWord;

// Gathers compute indices of attributes in 31 bits.
constexpr uint64_t kMaxAttributeWords = uint64_t(1) << 31;

template <class T>
uint32_t append(std::vector<T>& list, const std::vector<T>& more) {
  const auto first = uint32_t(list.size());
  list.insert(list.end(), more.begin(), more.end());
  return first;
}

VertexWordRecord word_record(const Frame& frame, const VertexInputs& inputs, const VertexWord& word) {
  VertexWordRecord r{};
  r.source = VertexWordSource::same;
  switch (word.source) {
    case shader::VertexSource::attribute: {
      const VertexStream& stream = inputs.attributes[word.attribute];
      const ShaderType type = frame.vertex_programs[inputs.program].attributes[word.attribute].type;
      r.source = stream.divisor == 0 ? VertexWordSource::of_vertex : VertexWordSource::of_instance;
      r.first = uint32_t(stream.first + word.component);
      r.components = shape_of(type).components();
      r.last = stream.count - 1;
      r.divisor = stream.divisor;
      break;
    }
    case shader::VertexSource::vertex:
      r.source = VertexWordSource::vertex;
      r.first = word.with_base ? uint32_t(inputs.base_vertex) : 0;
      break;
    case shader::VertexSource::instance:
      r.source = VertexWordSource::instance;
      r.first = word.with_base ? uint32_t(inputs.base_instance) : 0;
      break;
    case shader::VertexSource::base_vertex: r.first = uint32_t(inputs.base_vertex); break;
    case shader::VertexSource::base_instance: r.first = uint32_t(inputs.base_instance); break;
    case shader::VertexSource::draw: r.first = uint32_t(inputs.draw); break;
    case shader::VertexSource::zero: break;
  }
  return r;
}

}  // namespace

void VertexDraws::open(const Frame& frame, std::vector<DrawRecord>& draws, const shader::SampledTextures& textures,
                       Loading& loading) {
  is_open_ = true;
  if (frame.vertex_inputs.empty()) return;
  programs_ = shader::translate_vertex_programs(frame, loading);
  std::map<uint32_t, uint32_t> of_command;  // a command has a draw record per target
  for (DrawRecord& record : draws) {
    loading.step();
    const auto& draw = std::get<DrawCommand>(frame.commands[record.command]);
    if (draw.vertices < 0) continue;
    const auto [place, is_new] = of_command.try_emplace(record.command, kNoProgram);
    if (is_new && can_run(frame, draw)) place->second = add(frame, draw, textures);
    if (is_new && place->second == kNoProgram) ++prepared_;
    record.vertices = place->second;
  }
}

// The vertices of lines, points and wireframes become triangles on the host, which needs their positions.
bool VertexDraws::can_run(const Frame& frame, const DrawCommand& draw) const {
  const VertexInputs& inputs = frame.vertex_inputs[size_t(draw.vertices)];
  const CapturedVertexProgram& program = programs_[inputs.program];
  const bool has_textures = program.textures.empty() || !frame.inputs.empty();
  return has_textures && !needs_expansion(draw, frame.states[draw.state]) &&
         frame.attributes.size() < kMaxAttributeWords && program.code.registers <= kMaxProgramRegisters &&
         vertex_failure(frame, inputs, program).empty();
}

uint32_t VertexDraws::add(const Frame& frame, const DrawCommand& draw, const shader::SampledTextures& textures) {
  const VertexInputs& inputs = frame.vertex_inputs[size_t(draw.vertices)];
  const CapturedVertexProgram& program = programs_[inputs.program];
  VertexRecord record{};
  record.program = uint32_t(program_records_.size());
  add_program(frame, inputs, textures);
  add_inputs(frame, inputs, record);
  record.position = program.position;
  record.results = 0;
  if (draw.inputs >= 0) {
    const DrawInputs& fragment_inputs = frame.inputs[size_t(draw.inputs)];
    record.stride = uint32_t(varying_components(frame.programs[fragment_inputs.program]));
    record.first_varying = fragment_inputs.first_varying;
    const std::vector<VertexResult> results = vertex_results(frame, draw, program);
    record.first_result = append(results_, results);
    record.results = uint32_t(results.size());
  }
  vertices_.push_back(draw.vertices);
  records_.push_back(record);
  sizes_.registers = std::max(sizes_.registers, program.code.registers);
  sizes_.masks = std::max(sizes_.masks, program.code.masks);
  sizes_.outputs = std::max(sizes_.outputs, program.code.outputs);
  return uint32_t(records_.size() - 1);
}

void VertexDraws::add_program(const Frame& frame, const VertexInputs& inputs, const shader::SampledTextures& textures) {
  const CapturedVertexProgram& program = programs_[inputs.program];
  const Code& code = program.code;
  const auto [place, is_new] = placed_.try_emplace(inputs.program);
  if (is_new) {
    place->second = {uint32_t(placed_.size() - 1), append(code_, code.instructions)};
    has_loops_ |= code.has_loops();
  }
  ProgramRecord record{};
  record.code = place->second.code;
  record.first_instruction = place->second.first_instruction;
  record.head = code.head;
  record.instructions = uint32_t(code.instructions.size());
  record.running = code.running;
  record.outputs = uint16_t(code.outputs);
  const std::vector<uint32_t> words = vertex_uniforms(frame, inputs, program);
  record.first_uniform = append(uniforms_, words);
  record.uniform_words = uint32_t(words.size());
  const ProgramPresets presets(code, words);
  record.presets = uint32_t(presets.first_mask);
  record.mask_presets = uint32_t(presets.all.size() - presets.first_mask);
  record.first_preset = append(presets_, presets.all);
  record.first_sampler = append(samplers_, vertex_samplers(inputs, program, textures));
  program_records_.push_back(record);
}

// Inputs that the program does not read have no register.
void VertexDraws::add_inputs(const Frame& frame, const VertexInputs& inputs, VertexRecord& record) {
  const CapturedVertexProgram& program = programs_[inputs.program];
  record.first_input = uint32_t(inputs_.size());
  for (size_t word = 0; word < program.inputs.size(); ++word) {
    if (program.code.inputs[word] == shader::kNoRegister) continue;
    inputs_.push_back(word_record(frame, inputs, program.inputs[word]));
    inputs_.back().number = program.code.inputs[word];
  }
  record.inputs = uint32_t(inputs_.size()) - record.first_input;
}

bool VertexDraws::update_uniforms(const Frame& frame) {
  bool changed = false;
  for (size_t i = 0; i < records_.size(); ++i) {
    const VertexInputs& inputs = frame.vertex_inputs[size_t(vertices_[i])];
    const CapturedVertexProgram& program = programs_[inputs.program];
    const ProgramRecord& record = program_records_[records_[i].program];
    const std::vector<uint32_t> words = vertex_uniforms(frame, inputs, program);
    if (std::equal(words.begin(), words.end(), uniforms_.begin() + record.first_uniform)) continue;
    changed = true;
    std::copy(words.begin(), words.end(), uniforms_.begin() + record.first_uniform);
    const ProgramPresets presets(program.code, words);
    std::copy(presets.all.begin(), presets.all.end(), presets_.begin() + record.first_preset);
  }
  return changed;
}

std::vector<const Code*> VertexDraws::codes() const {
  std::vector<const Code*> all(placed_.size());
  for (const auto& [number, placed] : placed_) all[placed.code] = &programs_[number].code;
  return all;
}

VertexTables VertexDraws::tables(const Frame& frame) const {
  VertexTables t{};
  if (!any()) return t;
  t.programs.programs = program_records_.data();
  t.programs.code = code_.data();
  t.programs.compiled = compiled_;
  t.programs.presets = presets_.data();
  t.programs.uniforms = uniforms_.data();
  t.programs.samplers = samplers_.data();
  t.programs.sizes = sizes_;
  t.records = records_.data();
  t.inputs = inputs_.data();
  t.results = results_.data();
  t.attributes = frame.attributes.data();
  return t;
}

VertexDraws::Counts VertexDraws::counts(const Frame& frame) const {
  return {program_records_.size(), code_.size(),   presets_.size(), uniforms_.size(),       samplers_.size(),
          records_.size(),         inputs_.size(), results_.size(), frame.attributes.size()};
}

uint64_t VertexDraws::bytes() const {
  const auto size = [](const auto&... v) { return (uint64_t(v.size() * sizeof(v[0])) + ...); };
  return size(program_records_, code_, presets_, uniforms_, samplers_, records_, inputs_, results_);
}

}  // namespace brokkr
