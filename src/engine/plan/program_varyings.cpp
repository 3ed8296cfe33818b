// Connects a draw's program with its primitives: the varying that each input word reads, and the varyings of draws that
// have vertices of their own.
#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include "base/loading.h"
#include "plan/expand.h"
#include "plan/program_draws.h"

namespace brokkr {
namespace {

using shader::CapturedProgram;

bool has_own_vertices(const ExpandedDraw* expanded) { return expanded != nullptr && !expanded->sources.empty(); }

// Words that the vertices of expanded lines or points append to the frame's varyings, followed by the primitive's
// number.
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

}  // namespace

// Adds varyings first, in the order of their words.
void ProgramDraws::add_inputs(const State& state, const CapturedProgram& program, const ExpandedDraw* expanded,
                              ProgramRecord& record) {
  record.first_input = uint32_t(inputs_.size());
  bool is_flat = true;
  for (const bool varyings : {true, false}) {
    for (size_t word = 0; word < program.inputs.size(); ++word) {
      const shader::InputWord& input = program.inputs[word];
      const InputSource source = source_of(input, state.flat_shading, expanded);
      const uint16_t number =
          source == InputSource::facing ? program.code.mask_inputs[word] : program.code.inputs[word];
      if (number == shader::kNoRegister || (source <= InputSource::primitive) != varyings) continue;
      // The extra inputs of expanded draws follow the varyings of the file.
      const bool is_more = input.kind == shader::InputKind::point || input.kind == shader::InputKind::line;
      const bool is_last = input.kind == shader::InputKind::primitive && has_own_vertices(expanded);
      const uint32_t component =
          input.component + (is_more || is_last ? record.stride : 0) + (is_last ? more_words(*expanded) : 0);
      inputs_.push_back({number, source, 0, component, input.back == shader::kNoPlace ? component : input.back});
      if (input.back != shader::kNoPlace) record.bits |= kProgramTwoSided;
      if (source == InputSource::position || source == InputSource::no_perspective) record.bits |= kProgramWindow;
      const bool is_same =
          source == InputSource::flat || source == InputSource::primitive || source == InputSource::zero;
      is_flat = is_flat && is_same && input.back == shader::kNoPlace;
      ++(varyings ? record.varying_inputs : record.other_inputs);
    }
  }
  if (is_flat) record.bits |= kProgramFlat;
}

// The corners of lines and points have varyings of their own: those of the vertices that they come from, then
// gl_PointCoord for points (it replaces gl_TexCoord[i] if the state says so) and gl_PrimitiveID.
void ProgramDraws::add_varyings(const Frame& frame, const DrawCommand& draw, const ExpandedDraw& expanded,
                                const CapturedProgram& captured, ProgramRecord& record, const Loading& loading) {
  // The frame's own varyings stay in memory beside these. Elements may repeat a vertex often, and a growing list is
  // copied.
  const uint64_t more = expanded.sources.size() * uint64_t(record.stride + 5);
  loading.check((own_varyings_.size() + frame.varyings.size() + more) * 3 * sizeof(uint32_t),
                "varyings of lines and points");
  if (own_varyings_.empty()) {
    own_varyings_.resize(frame.varyings.size());
    std::transform(frame.varyings.begin(), frame.varyings.end(), own_varyings_.begin(),
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
  record.first_varying = own_varyings_.size();
  record.stride += more_words(expanded) + (with_primitives ? 1 : 0);
  const float* const from = frame.varyings.data() + inputs.first_varying;
  for (size_t number = 0; number < expanded.sources.size(); ++number) {
    const VertexSource& source = expanded.sources[number];
    const float *const a = from + size_t(source.a) * stride, *const b = from + size_t(source.b) * stride;
    const float* const flat = from + size_t(source.flat) * stride;
    const size_t first = own_varyings_.size();
    for (uint32_t i = 0; i < stride; ++i) {
      const float value = !is_smooth[i] ? flat[i] : source.t == 0 ? a[i] : a[i] + (b[i] - a[i]) * source.t;
      own_varyings_.push_back(std::bit_cast<uint32_t>(value));
    }
    for (int i = 0; i < 4 && !expanded.smooth.empty(); ++i)
      own_varyings_.push_back(std::bit_cast<uint32_t>(expanded.smooth[number][i]));
    if (expanded.are_points) {
      const size_t corner = number % 4;
      const float point[4] = {corner == 1 || corner == 2 ? 1.0f : 0.0f, corner >= 2 ? 1.0f : 0.0f, 0.0f, 1.0f};
      for (const uint32_t component : replaced) {
        for (uint32_t i = 0; i < 4; ++i) own_varyings_[first + component + i] = std::bit_cast<uint32_t>(point[i]);
      }
      own_varyings_.insert(own_varyings_.end(), {std::bit_cast<uint32_t>(point[0]), std::bit_cast<uint32_t>(point[1])});
    }
    if (with_primitives) own_varyings_.push_back(source.primitive);
  }
}

}  // namespace brokkr
