#include "shader/captured.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/loading.h"
#include "shader/simplify.h"
#include "shader/spirv_module.h"

namespace brokkr::shader {

// Finds the places where a captured frame stores the words of a program, by their OpenGL names.

namespace {

// Splits the name of an element: "lights[2]" is element 2 of "lights". A name without an index is element 0.
struct ElementName {
  std::string_view array;
  uint32_t element = 0;
};
ElementName element_name(std::string_view name) {
  if (!name.ends_with(']')) return {name, 0};
  const size_t open = name.rfind('[');
  uint32_t element = 0;
  if (open == std::string_view::npos ||
      std::from_chars(name.data() + open + 1, name.data() + name.size() - 1, element).ec != std::errc())
    return {name, 0};
  return {name.substr(0, open), element};
}

// A word of a variable of the frame: the variable, the element, and the component within it.
template <class Variable>
struct FoundWord {
  const Variable* variable = nullptr;
  uint32_t element = 0, component = 0;
};

// Finds a variable. The frame lists an array once, or each of its elements.
template <class Variable, class Fits>
FoundWord<Variable> find_word(const std::vector<Variable>& all, const std::string& name, uint32_t word, Fits fits) {
  for (const Variable& one : all) {
    if (!fits(one)) continue;
    const uint32_t components = shape_of(one.type).components(), element = word / components;
    if (one.name == name && element < one.count) return {&one, element, word % components};
    if (one.name.size() <= name.size() || !one.name.starts_with(name)) continue;
    const ElementName part = element_name(one.name);
    if (part.array == name && element >= part.element && element - part.element < one.count)
      return {&one, element - part.element, word % components};
  }
  return {};
}

// The places of the data that programs of all stages read. `Described` is FragmentProgram with CapturedProgram, or
// VertexProgram with CapturedVertexProgram.
template <class Described, class Captured>
class CommonPlaces {
 protected:
  CommonPlaces(const Described& frame, Captured& captured)
      : frame_(frame), captured_(captured), program_(captured.program) {}

  void miss(bool is_read, const char* what, const std::string& name) {
    if (is_read && !missing_) missing_ = fmt::format("the frame holds no {} '{}'", what, name);
  }

  void find_what_is_read() {
    reads_input_.resize(program_.input_words);
    reads_sampler_.resize(program_.samplers.size());
    output_kinds_.resize(program_.output_words);
    for (const Instruction& one : program_.code) {
      for (size_t i = 0; i < one.operands; ++i) {
        const Value& value = program_.value(one.operand[i]);
        if (value.role == Role::input) reads_input_[value.payload] = true;
      }
      if (asks_a_sampler(one.op)) reads_sampler_.at(one.extra & kSamplerMask) = true;
      if (one.op == Op::output) output_kinds_[one.extra] = program_.value(one.operand[0]).kind;
    }
  }

  // The block's number, or -2 if there is none.
  int32_t block_number(const std::string& name) const {
    const auto is = [&](const ProgramBlock& block) { return block.name == name; };
    const auto found = std::find_if(frame_.blocks.begin(), frame_.blocks.end(), is);
    return found == frame_.blocks.end() ? -2 : int32_t(found - frame_.blocks.begin());
  }

  void place_uniforms() {
    captured_.uniforms.assign(program_.uniform_words, {});
    if (program_.height_word != kNoWord) captured_.uniforms[program_.height_word] = {kHeightOfTarget, 0};
    for (const Uniform& uniform : program_.uniforms) {
      const int32_t block = uniform.block.empty() ? -1 : block_number(uniform.block);
      // For an array of blocks, the frame lists the members of one block.
      const auto fits = [&](const ProgramUniform& one) {
        if (uniform.block.empty() || one.block < 0) return uniform.block.empty() && one.block < 0;
        return element_name(frame_.blocks[size_t(one.block)].name).array == element_name(uniform.block).array;
      };
      for (uint32_t i = 0; i < uniform.words; ++i) {
        const auto found = find_word(frame_.uniforms, uniform.name, i, fits);
        // A module states the places in its blocks.
        if (found.variable == nullptr && block >= 0 && i < uniform.places.size() &&
            uniform.places[i] < frame_.blocks[size_t(block)].size / 4) {
          captured_.uniforms[uniform.first + i] = {block, uniform.places[i]};
          continue;
        }
        // The driver leaves out inactive uniforms. Our translation may still read them; they need no place.
        if (found.variable == nullptr || block == -2) continue;
        captured_.uniforms[uniform.first + i] = {block, word_of(*found.variable, found.element, found.component)};
      }
    }
  }

  static uint32_t word_of(const ProgramUniform& uniform, uint32_t element, uint32_t component) {
    const ShaderShape shape = shape_of(uniform.type);
    if (uniform.block < 0) return uniform.offset / 4 + element * shape.components() + component;
    const uint32_t column = component / shape.rows, row = component % shape.rows;
    const bool by_rows = uniform.row_major && shape.columns > 1;
    const uint32_t vector = by_rows ? row : column, number = by_rows ? column : row;
    return (uniform.offset + element * uniform.array_stride + vector * uniform.matrix_stride) / 4 + number;
  }

  void place_samplers() {
    for (size_t i = 0; i < program_.samplers.size(); ++i) {
      const SamplerInput& sampler = program_.samplers[i];
      const ElementName part = element_name(sampler.name);
      // An image with several samplers is listed once for each of them: "@0.1@0.2".
      uint32_t found = kNoPlace;
      if (!sampler.with.empty())
        found = place_of_sampler(sampler.name + sampler.with, part.array, sampler.with, part.element);
      if (found == kNoPlace) found = place_of_sampler(sampler.name, part.array, "", part.element);
      if (found == kNoPlace) miss(reads_sampler_[i], "sampler", sampler.name);
      captured_.textures.push_back(found);
    }
  }

  uint32_t place_of_sampler(const std::string& name, std::string_view array, const std::string& with,
                            uint32_t element) const {
    uint32_t first = 0, found = kNoPlace;
    for (const ProgramSampler& one : frame_.samplers) {
      if (one.name == name) found = first;
      if (one.name == std::string(array) + with && element < one.count) found = first + element;
      first += one.count;
    }
    return found;
  }

  const Described& frame_;
  Captured& captured_;
  const Program& program_;
  std::vector<bool> reads_input_, reads_sampler_;
  std::vector<Kind> output_kinds_;
  std::optional<std::string> missing_;
};

class Places : CommonPlaces<FragmentProgram, CapturedProgram> {
 public:
  Places(const FragmentProgram& frame, CapturedProgram& captured) : CommonPlaces(frame, captured) {}

  std::optional<std::string> find() {
    find_what_is_read();
    place_inputs();
    place_uniforms();
    place_samplers();
    place_outputs();
    return missing_;
  }

 private:
  void place_inputs() {
    captured_.inputs.assign(program_.input_words, {});
    for (const Input& input : program_.inputs) {
      for (uint32_t i = 0; i < input.words; ++i) {
        InputWord& word = captured_.inputs[input.first + i];
        word.kind = input.kind;
        word.interpolation = input.interpolation;
        word.centroid = input.centroid;
        word.sample = input.sample;
        word.color = input.name == "gl_Color" || input.name == "gl_SecondaryColor";
        // A geometry shader may write this input.
        const bool is_given = input.kind == InputKind::primitive && find_varying(input.name, 0).variable != nullptr;
        if (is_given) word.kind = InputKind::varying;
        if (word.kind != InputKind::varying) {
          word.component = i + (input.kind == InputKind::sample ? uint32_t(input.sample_word) : 0);
          continue;
        }
        const auto found = find_varying(input.name, i);
        if (found.variable == nullptr) {
          miss(reads_input_[input.first + i], "varying", input.name);
        } else {
          word.component = component_of(found);
        }
        if (!word.color) continue;
        const std::string back = "gl_Back" + input.name.substr(std::string_view("gl_").size());
        const auto back_varying = find_varying(back, i);
        if (back_varying.variable != nullptr) word.back = component_of(back_varying);
      }
    }
  }

  FoundWord<ProgramVarying> find_varying(const std::string& name, uint32_t word) const {
    return find_word(frame_.varyings, name, word, [](const ProgramVarying&) { return true; });
  }

  // The component of a vertex's varyings.
  static uint32_t component_of(const auto& place) {
    return place.variable->offset + place.element * shape_of(place.variable->type).components() + place.component;
  }

  void place_outputs() {
    for (const Output& output : program_.outputs) {
      if (output.location < 0) {
        (output.location == kSampleMaskLocation ? captured_.sample_mask : captured_.depth) = int32_t(output.first);
        continue;
      }
      ColorOutput color{.buffer = uint32_t(output.location), .index = uint32_t(output.index)};
      color.to_all = output.name == "gl_FragColor";
      color.first = output.first;
      color.words = std::min(output.words, 4u);
      color.kind = output_kinds_[output.first];
      if (!output.name.starts_with("gl_") && !frame_.outputs.empty() && !place_output(output, color)) continue;
      if (color.buffer < kMaxColorPlanes) captured_.colors.push_back(color);
    }
  }

  // Returns false if the driver found that the shader does not write the output.
  bool place_output(const Output& output, ColorOutput& color) const {
    const ElementName part = element_name(output.name);
    for (const ProgramOutput& one : frame_.outputs) {
      const bool is_whole = one.name == output.name, is_part = one.name == part.array && part.element < one.count;
      if (!is_whole && !is_part) continue;
      color.buffer = one.location + (is_whole ? 0 : part.element);
      color.index = one.index;
      return true;
    }
    return false;
  }
};

class VertexPlaces : CommonPlaces<VertexProgram, CapturedVertexProgram> {
 public:
  VertexPlaces(const VertexProgram& frame, CapturedVertexProgram& captured) : CommonPlaces(frame, captured) {}

  std::optional<std::string> find() {
    find_what_is_read();
    place_inputs();
    place_uniforms();
    place_samplers();
    place_position();
    return missing_;
  }

 private:
  struct Number {
    const char* name;
    VertexSource source;
    bool with_base;
  };
  static constexpr Number kNumbers[] = {{"gl_VertexID", VertexSource::vertex, true},
                                        {"gl_VertexIndex", VertexSource::vertex, true},
                                        {"gl_InstanceID", VertexSource::instance, false},
                                        {"gl_InstanceIndex", VertexSource::instance, true},
                                        {"gl_BaseVertex", VertexSource::base_vertex, false},
                                        {"gl_BaseInstance", VertexSource::base_instance, false},
                                        {"gl_DrawID", VertexSource::draw, false}};

  void place_inputs() {
    captured_.inputs.assign(program_.input_words, {});
    for (const Input& input : program_.inputs) {
      for (uint32_t i = 0; i < input.words; ++i) {
        VertexWord& input_word = captured_.inputs[input.first + i];
        if (place_attribute(input.name, i, input_word)) continue;
        // In older texts, names end in ARB.
        const auto* const number = std::find_if(std::begin(kNumbers), std::end(kNumbers), [&](const Number& one) {
          return input.name == one.name || input.name == std::string(one.name) + "ARB";
        });
        if (number != std::end(kNumbers)) {
          input_word = {.source = number->source, .with_base = number->with_base};
        } else {
          miss(reads_input_[input.first + i], "attribute", input.name);
        }
      }
    }
  }

  // A matrix or array is one attribute, or each element is one.
  bool place_attribute(const std::string& name, uint32_t word, VertexWord& input_word) const {
    for (uint32_t i = 0; i < frame_.attributes.size(); ++i) {
      const VertexAttribute& one = frame_.attributes[i];
      const uint32_t components = shape_of(one.type).components();
      const ElementName part = element_name(one.name);
      const uint32_t first = one.name == name ? 0 : part.element * components;
      if ((one.name != name && part.array != name) || word < first || word - first >= components) continue;
      input_word = {.source = VertexSource::attribute, .attribute = i, .component = word - first};
      return true;
    }
    return false;
  }

  void place_position() {
    const auto found = std::find_if(program_.outputs.begin(), program_.outputs.end(),
                                    [](const Output& one) { return one.name == "gl_Position" && one.words == 4; });
    if (found != program_.outputs.end()) {
      captured_.position = found->first;
    } else if (!missing_) {
      missing_ = "it does not write gl_Position; assign it in main";
    }
  }
};

}  // namespace

uint32_t find_output(const Program& vertex, const ProgramVarying& varying, uint32_t word, bool& is_color) {
  is_color = varying.name == "gl_Color" || varying.name == "gl_SecondaryColor" || varying.name == "gl_BackColor" ||
             varying.name == "gl_BackSecondaryColor";
  std::string name = varying.name;
  if (name == "gl_Color" || name == "gl_SecondaryColor") name.insert(std::string_view("gl_").size(), "Front");
  const ElementName part = element_name(name);
  const uint32_t components = shape_of(varying.type).components();
  for (const Output& output : vertex.outputs) {
    if (output.name == name) return word < output.words ? output.first + word : kNoWord;
    const ElementName of_output = element_name(output.name);
    // The output is an element, and the varying is the whole array, or the reverse.
    const uint64_t all = uint64_t(part.element) * components + word;
    if (part.array != name && output.name == part.array)
      return all < output.words ? uint32_t(output.first + all) : kNoWord;
    if (of_output.array == name && of_output.array != output.name && output.words != 0 &&
        word / output.words == of_output.element)
      return output.first + word % output.words;
  }
  return kNoWord;
}

// Fills `captured`, except program, code and failure, from its program and the frame's description of the program. A
// word needs no place if the program does not read it or the driver found it unused. Returns an error for a missing
// word: "the frame holds no varying 'uv'". Uniforms that the frame does not describe are 0.
std::optional<std::string> find_places(const FragmentProgram& frame, CapturedProgram& captured) {
  return Places(frame, captured).find();
}

namespace {

// The result of a translation of texts. It depends on nothing else in the frame.
struct Translated {
  Program program;
  Code code;
  uint32_t line = 0;    // line of the error; 0: none
  std::string problem;  // the error of glslang or of our translator; empty: there is a program

  uint64_t bytes() const {
    return program.code.size() * sizeof(Instruction) + program.values.size() * sizeof(Value) +
           code.instructions.size() * sizeof(CodeInstruction);
  }
};
using Known = std::shared_ptr<const Translated>;

// The translations that this process has made. The store is emptied when it grows too large.
class Store {
 public:
  Known find(Stage stage, const Texts& texts) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find({stage, texts});
    return found == known_.end() ? nullptr : found->second;
  }
  void keep(Stage stage, const Texts& texts, const Known& one) {
    constexpr uint64_t kMaxStoreBytes = uint64_t(128) << 20;  // bytes
    uint64_t bytes = one->bytes();
    for (const std::string& text : texts) bytes += text.size();
    const std::lock_guard lock(mutex_);
    if (bytes_ + bytes > kMaxStoreBytes) {
      known_.clear();
      bytes_ = 0;
    }
    if (bytes <= kMaxStoreBytes && known_.emplace(std::pair(stage, texts), one).second) bytes_ += bytes;
  }
  std::mutex& mutex() { return mutex_; }

 private:
  std::mutex mutex_;
  std::map<std::pair<Stage, Texts>, Known> known_;
  uint64_t bytes_ = 0;
};
// The store is consistent in a forked child too, because no other thread of the parent modifies it during a fork.
Store& store() {
  static Store* const result = [] {
    static Store the_store;
    pthread_atfork([] { store().mutex().lock(); }, [] { store().mutex().unlock(); }, [] { store().mutex().unlock(); });
    return &the_store;
  }();
  return *result;
}

// Joins an error into one line. A text may have put any names into it.
std::string one_line(uint32_t line, const std::string& what) {
  constexpr size_t kMaxLength = 400;
  std::string text = line == 0 ? what : fmt::format("line {}: {}", line, what);
  if (text.size() > kMaxLength) text = text.substr(0, kMaxLength) + " …";
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return text;
}

#if defined(BROKKR_HAVE_SHADERS)
Known translated(const GlslAnswer& answer, const Texts& texts) {
  auto result = std::make_shared<Translated>();
  try {
    if (!answer.is_good()) throw ShaderError(answer.line, answer.problem);
    std::vector<uint32_t> words(answer.bytes.size() / sizeof(uint32_t));
    std::memcpy(words.data(), answer.bytes.data(), words.size() * sizeof(uint32_t));
    SpirvModule module = read_module(std::move(words));
    if (is_spirv(texts.front())) name_by_numbers(module);
    result->program = translate(module);
    fold_masks(result->program);
    sweep(result->program);
    result->code = assemble(result->program);
  } catch (const ShaderError& error) {
    result->program = {};
    result->line = error.line();
    result->problem = error.what();
  }
  return result;
}

void translate_texts(Stage stage, std::vector<const Texts*> wanted, Loading& loading, std::map<Texts, Known>& result) {
  run_glsl(stage == Stage::vertex ? GlslTask::compile_vertex : GlslTask::compile, wanted, loading,
           [&](size_t number, const GlslAnswer& answer) {
             const Known one = translated(answer, *wanted[number]);
             if (answer.is_lasting) store().keep(stage, *wanted[number], one);
             result[*wanted[number]] = one;
           });
}
#else
void translate_texts(Stage, std::vector<const Texts*> wanted, Loading&, std::map<Texts, Known>& result) {
  auto none = std::make_shared<Translated>();
  none->problem = "this program was built without shaders; build with -DBROKKR_SHADERS=ON";
  for (const Texts* texts : wanted) result[*texts] = none;
}
#endif

std::vector<UnitTexture> units_of(const Frame& frame, const DrawInputs& inputs) {
  std::vector<UnitTexture> units = unit_textures(frame, inputs);
  units.resize(frame.programs[inputs.program].fixed->units.size());
  return units;
}

// The program with the sampler names that fixed_function_text gives it.
FragmentProgram with_unit_samplers(FragmentProgram program) {
  for (size_t i = 0; i < program.samplers.size(); ++i) program.samplers[i].name = unit_sampler(i);
  return program;
}

// Lists all programs with their texts, which are not translated yet.
std::vector<CapturedProgram> programs_of(const Frame& frame) {
  std::map<uint32_t, std::set<std::vector<UnitTexture>>> units;  // unit textures of fixed function, by program
  for (const DrawInputs& inputs : frame.inputs) {
    if (frame.programs[inputs.program].fixed) units[inputs.program].insert(units_of(frame, inputs));
  }
  std::vector<CapturedProgram> programs(frame.programs.size());
  for (uint32_t i = 0; i < frame.programs.size(); ++i) {
    const FragmentProgram& program = frame.programs[i];
    programs[i].number = i;
    programs[i].texts = program.texts;
    if (!program.fixed) continue;
    if (units[i].empty()) units[i].insert(std::vector<UnitTexture>(program.fixed->units.size()));
    uint32_t last = i;
    for (const std::vector<UnitTexture>& textures : units[i]) {
      if (!programs[last].texts.empty()) {
        programs[last].next = uint32_t(programs.size());
        last = uint32_t(programs.size());
        programs.emplace_back().number = i;
      }
      programs[last].units = textures;
      programs[last].texts = {fixed_function_text(program, textures)};
    }
  }
  return programs;
}

}  // namespace

namespace {

// Translates all texts, each text once.
template <class Programs, class TextsOf>
std::map<Texts, Known> translate_all(Stage stage, const Programs& programs, TextsOf texts_of, Loading& loading) {
  std::map<Texts, Known> known;
  std::vector<const Texts*> wanted;
  for (const auto& program : programs) {
    const auto [found, is_new] = known.try_emplace(texts_of(program), nullptr);
    if (!is_new) continue;
    found->second = store().find(stage, found->first);
    if (!found->second) wanted.push_back(&found->first);
  }
  translate_texts(stage, std::move(wanted), loading, known);
  return known;
}

}  // namespace

std::vector<CapturedProgram> translate_programs(const Frame& frame, Loading& loading) {
  std::vector<CapturedProgram> programs = programs_of(frame);
  const auto known = translate_all(
      Stage::fragment, programs, [](const CapturedProgram& one) -> const Texts& { return one.texts; }, loading);
  for (CapturedProgram& program : programs) {
    const Translated& translated = *known.at(program.texts);
    loading.need(translated.bytes(), "programs");
    program.program = translated.program;
    program.code = translated.code;
    if (!translated.problem.empty()) {
      program.failure = one_line(translated.line, translated.problem);
      continue;
    }
    const FragmentProgram& source = frame.programs[program.number];
    const auto missing = find_places(source.fixed ? with_unit_samplers(source) : source, program);
    if (missing) program.failure = one_line(0, *missing);
  }
  return programs;
}

std::vector<CapturedVertexProgram> translate_vertex_programs(const Frame& frame, Loading& loading) {
  const auto known = translate_all(
      Stage::vertex, frame.vertex_programs, [](const VertexProgram& one) -> const Texts& { return one.texts; },
      loading);
  std::vector<CapturedVertexProgram> programs(frame.vertex_programs.size());
  for (size_t i = 0; i < programs.size(); ++i) {
    const Translated& translated = *known.at(frame.vertex_programs[i].texts);
    loading.need(translated.bytes(), "vertex programs");
    programs[i].program = translated.program;
    programs[i].code = translated.code;
    if (!translated.problem.empty()) {
      programs[i].failure = one_line(translated.line, translated.problem);
    } else if (const auto missing = VertexPlaces(frame.vertex_programs[i], programs[i]).find()) {
      programs[i].failure = one_line(0, *missing);
    }
  }
  return programs;
}

void make_code(CapturedProgram& program) {
  try {
    program.code = assemble(program.program);
  } catch (const ShaderError& error) {
    program.failure = one_line(error.line(), error.what());
  }
}

Program translate_text(const std::string& text, const std::string& name, Loading& loading, Stage stage) {
  const Texts texts{text};
  std::map<Texts, Known> known{{texts, store().find(stage, texts)}};
  Known& one = known.begin()->second;
  if (!one) translate_texts(stage, {&texts}, loading, known);
  if (one->problem.empty()) return one->program;
  throw ShaderError(one->line,
                    name + (one->line == 0 ? ": " : fmt::format(":{}: ", one->line)) + one_line(0, one->problem));
}

uint32_t program_number(const std::vector<CapturedProgram>& programs, const Frame& frame, const DrawInputs& inputs) {
  uint32_t number = inputs.program;
  if (!frame.programs[number].fixed) return number;
  const std::vector<UnitTexture> units = units_of(frame, inputs);
  while (programs[number].units != units && programs[number].next != kNoPlace) number = programs[number].next;
  return number;
}

}  // namespace brokkr::shader
