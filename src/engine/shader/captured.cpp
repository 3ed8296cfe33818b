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
#include <string_view>
#include <utility>

#include "base/loading.h"
#include "shader/places.h"
#include "shader/simplify.h"
#include "shader/translate.h"

namespace brokkr::shader {

namespace {

// The result of translating texts. It depends on nothing else in the frame.
struct Translated {
  Program program;
  Code code;
  uint32_t line = 0;    // of the error; 0: none
  std::string problem;  // the error of glslang or of our translator; empty: there is a program

  uint64_t bytes() const {
    return program.code.size() * sizeof(Instruction) + program.values.size() * sizeof(Value) +
           code.instructions.size() * sizeof(CodeInstruction);
  }
};
using Known = std::shared_ptr<const Translated>;

// Translations that this process has made. The store is emptied when it grows too large.
class Store {
 public:
  Known find(const Texts& texts) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(texts);
    return found == known_.end() ? nullptr : found->second;
  }
  void keep(const Texts& texts, const Known& one) {
    constexpr uint64_t kMost = uint64_t(128) << 20;  // bytes
    uint64_t bytes = one->bytes();
    for (const std::string& text : texts) bytes += text.size();
    const std::lock_guard lock(mutex_);
    if (bytes_ + bytes > kMost) {
      known_.clear();
      bytes_ = 0;
    }
    if (bytes <= kMost && known_.emplace(texts, one).second) bytes_ += bytes;
  }
  std::mutex& mutex() { return mutex_; }

 private:
  std::mutex mutex_;
  std::map<Texts, Known> known_;
  uint64_t bytes_ = 0;
};
// Consistent in a forked child too: no other thread of the parent modifies it during a fork.
Store& store() {
  static Store* const result = [] {
    static Store the_store;
    pthread_atfork([] { store().mutex().lock(); }, [] { store().mutex().unlock(); }, [] { store().mutex().unlock(); });
    return &the_store;
  }();
  return *result;
}

// Joins an error into one line, whatever names a text has put into it.
std::string one_line(uint32_t line, const std::string& what) {
  constexpr size_t kMost = 400;
  std::string text = line == 0 ? what : fmt::format("line {}: {}", line, what);
  if (text.size() > kMost) text = text.substr(0, kMost) + " …";
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return text;
}

#if defined(BROKKR_HAVE_SHADERS)
Known translated(const GlslAnswer& answer) {
  auto result = std::make_shared<Translated>();
  try {
    if (!answer.is_good()) throw ShaderError(answer.line, answer.problem);
    std::vector<uint32_t> words(answer.bytes.size() / sizeof(uint32_t));
    std::memcpy(words.data(), answer.bytes.data(), words.size() * sizeof(uint32_t));
    result->program = translate(read_module(std::move(words)));
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

void translate_texts(std::vector<const Texts*> wanted, Loading& loading, std::map<Texts, Known>& result) {
  run_glsl(GlslTask::compile, wanted, loading, [&](size_t number, const GlslAnswer& answer) {
    const Known one = translated(answer);
    if (answer.is_lasting) store().keep(*wanted[number], one);
    result[*wanted[number]] = one;
  });
}
#else
void translate_texts(std::vector<const Texts*> wanted, Loading&, std::map<Texts, Known>& result) {
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

// All programs with their texts, not yet translated.
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

std::vector<CapturedProgram> translate_programs(const Frame& frame, Loading& loading) {
  std::vector<CapturedProgram> programs = programs_of(frame);
  std::map<Texts, Known> known;  // texts of this frame
  std::vector<const Texts*> wanted;
  for (const CapturedProgram& program : programs) {
    const auto [found, is_new] = known.try_emplace(program.texts, nullptr);
    if (!is_new) continue;
    found->second = store().find(program.texts);
    if (!found->second) wanted.push_back(&program.texts);
  }
  translate_texts(std::move(wanted), loading, known);
  for (CapturedProgram& program : programs) {
    const Translated& from = *known.at(program.texts);
    loading.need(from.bytes(), "programs");
    program.program = from.program;
    program.code = from.code;
    if (!from.problem.empty()) {
      program.failure = one_line(from.line, from.problem);
      continue;
    }
    const FragmentProgram& source = frame.programs[program.number];
    const auto missing = find_places(source.fixed ? with_unit_samplers(source) : source, program);
    if (missing) program.failure = one_line(0, *missing);
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

Program translate_text(const std::string& text, const std::string& name, Loading& loading) {
  const Texts texts{text};
  std::map<Texts, Known> known{{texts, store().find(texts)}};
  Known& one = known.begin()->second;
  if (!one) translate_texts({&texts}, loading, known);
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
