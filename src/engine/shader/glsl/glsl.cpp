#include "shader/glsl/glsl.h"

#include <fmt/format.h>
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>
#include <spirv/unified1/spirv.hpp>
#include <utility>

namespace brokkr::shader {

namespace {

// Each nested bracket, and each operator of an expression, costs the compiler some stack frames. Within these limits it
// needs far less than a stack of 8 MiB.
constexpr size_t kMaxNested = 200, kMaxOperators = 4096;
// The version of a text without #version is OpenGL's, or that of OpenGL ES and WebGL if the text does not compile as
// the first.
constexpr int kDefaultVersion = 110, kDefaultVersionEs = 100;
constexpr std::string_view kDrawBuffers = "GL_EXT_draw_buffers", kFixedTransform = "ftransform";
constexpr EShMessages kMessages = EShMsgDefault;  // we avoid SPIR-V's rules, which forbid built-ins of old GLSL

// glslang keeps process-wide tables.
void begin_glslang() {
  static const bool begun = glslang::InitializeProcess();
  if (!begun) throw ShaderError(0, "glslang cannot be initialized");
}

uint32_t line_at(std::string_view text, size_t place) {
  return uint32_t(std::count(text.begin(), text.begin() + std::ptrdiff_t(place), '\n')) + 1;
}

// Throws if the text nests too deeply for the compiler's recursion.
void check_text(std::string_view text) {
  if (text.size() > kMaxText)
    throw ShaderError(0, fmt::format("the shader has {} bytes; at most {} are read", text.size(), kMaxText));
  size_t nested = 0, operators = 0;
  for (size_t place = 0; place < text.size(); ++place) {
    const char c = text[place];
    if (c == '\0') throw ShaderError(line_at(text, place), "a zero byte; a shader is text");
    if (c == '(' || c == '[' || c == '{') ++nested;
    if ((c == ')' || c == ']' || c == '}') && nested > 0) --nested;
    if (c == ';' || c == '{' || c == '}') operators = 0;
    if (std::string_view("+-*/%<>=&|^!~?").find(c) != std::string_view::npos) ++operators;
    if (c == '/' && place + 1 < text.size() && (text[place + 1] == '/' || text[place + 1] == '*')) {
      const bool is_line = text[place + 1] == '/';
      const size_t end = text.find(is_line ? "\n" : "*/", place + 2);
      place = end == std::string_view::npos ? text.size() : is_line ? end : end + 1;
      operators = 0;
    }
    if (nested > kMaxNested)
      throw ShaderError(line_at(text, place), fmt::format("brackets are nested more than {} deep", kMaxNested));
    if (operators > kMaxOperators)
      throw ShaderError(line_at(text, place), fmt::format("an expression has more than {} operators", kMaxOperators));
  }
}

// Parses the first error of glslang's log: "ERROR: 0:12: 'x' : undeclared identifier" is at line 12. `place` is a
// prefix of the message.
ShaderError error_of(std::string_view log, const std::string& place) {
  constexpr std::string_view kMark = "ERROR: ";
  const size_t begin = log.find(kMark);
  std::string_view what = begin == std::string_view::npos ? log : log.substr(begin + kMark.size());
  what = what.substr(0, what.find('\n'));
  uint32_t line = 0;
  const size_t first = what.find(':');
  if (first != std::string_view::npos) {
    const std::string_view rest = what.substr(first + 1);
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), line);
    if (error == std::errc() && end != rest.data() + rest.size() && *end == ':') {
      what = rest.substr(size_t(end - rest.data()) + 1);
    } else {
      line = 0;
    }
  }
  std::string text(what.substr(std::min(what.size(), what.find_first_not_of(' '))));
  while (text.ends_with(' ') || text.ends_with(':')) text.pop_back();
  for (size_t gap = text.find(" : "); gap != std::string::npos; gap = text.find(" : ")) text.replace(gap, 3, ": ");
  constexpr std::string_view kNothing = "'':";  // a syntax error names no word
  if (text.starts_with(kNothing)) text.erase(0, std::min(text.size(), text.find_first_not_of(' ', kNothing.size())));
  return {line, place + (text.empty() ? "it does not compile" : text)};
}

EShLanguage language_of(Stage stage) { return stage == Stage::vertex ? EShLangVertex : EShLangFragment; }

// A shader parsed by glslang, with its text.
struct Shader {
  Shader(std::string_view text, Stage stage)
      : begin(text.data()), length(int(text.size())), shader(language_of(stage)) {
    shader.setStringsWithLengths(&begin, &length, 1);
    shader.setAutoMapLocations(true);
  }
  const char* begin;
  int length;
  glslang::TShader shader;
};

// Joins lines that end with a backslash, in every version of GLSL, as drivers do. Later lines keep their numbers.
std::string joined_lines(std::string_view text) {
  std::string result;
  size_t joined = 0;
  for (size_t place = 0; place < text.size(); ++place) {
    const std::string_view rest = text.substr(place);
    const size_t length = rest.starts_with("\\\r\n") ? 3 : rest.starts_with("\\\n") ? 2 : 0;
    if (length > 0) {
      ++joined;
      place += length - 1;
      continue;
    }
    result += text[place];
    if (text[place] != '\n') continue;
    result.append(joined, '\n');
    joined = 0;
  }
  return result;
}

// The version that a text declares.
int version_of(std::string_view text) {
  constexpr std::string_view kMark = "#version";
  size_t place = text.find(kMark);
  if (place == std::string_view::npos) return kDefaultVersion;
  place = std::min(text.find_first_not_of(" \t", place + kMark.size()), text.size());
  int version = kDefaultVersion;
  std::from_chars(text.data() + place, text.data() + text.size(), version);
  return version;
}

// Drivers accept rectangle textures in every version without an extension. In old text, they accept names of extensions
// that glslang knows only from 1.50 on. We therefore parse a rejected text again with both enabled. Returns the
// resulting shader, kept in `shaders`, or null.
Shader* parse_leniently(std::string_view text, Stage stage, const std::string& preamble, std::deque<Shader>& shaders) {
  constexpr int kLater = 150;
  const std::string names =
      "#extension GL_ARB_texture_rectangle : enable\n"
      "#extension GL_ARB_texture_query_lod : enable\n" +
      preamble;
  for (const bool later : {false, true}) {
    if (version_of(text) >= kLater) break;
    Shader& again = shaders.emplace_back(text, stage);
    again.shader.setPreamble(names.c_str());
    const bool good =
        later ? again.shader.parse(GetDefaultResources(), kLater, ECompatibilityProfile, true, false, kMessages)
              : again.shader.parse(GetDefaultResources(), kDefaultVersion, false, kMessages);
    if (good) return &again;
  }
  return nullptr;
}

// Parses the text with glslang and keeps the shader in `shaders`. Throws the compile error. If two versions were tried,
// throws the error at the later line.
glslang::TShader& parsed(std::string_view text, Stage stage, const std::string& place, std::deque<Shader>& shaders) {
  glslang::TShader& shader = shaders.emplace_back(text, stage).shader;
  std::string preamble;
  // glslang has no such extension. In WebGL 1 it lets a shader write to more than one output.
  if (text.find(kDrawBuffers) != std::string_view::npos) preamble = "#define GL_EXT_draw_buffers 1\n";
  // glslang's translation to SPIR-V fails at this function.
  if (stage == Stage::vertex && text.find(kFixedTransform) != std::string_view::npos)
    preamble += "#define ftransform() (gl_ModelViewProjectionMatrix * gl_Vertex)\n";
  shader.setPreamble(preamble.c_str());
  if (shader.parse(GetDefaultResources(), kDefaultVersion, false, kMessages)) return shader;
  ShaderError error = error_of(shader.getInfoLog(), place);
  if (text.find("#version") == std::string_view::npos) {
    glslang::TShader& again = shaders.emplace_back(text, stage).shader;
    if (again.parse(GetDefaultResources(), kDefaultVersionEs, false, kMessages)) return again;
    const ShaderError of_es = error_of(again.getInfoLog(), place);
    if (of_es.line() > error.line()) error = of_es;
  }
  if (Shader* const lenient = parse_leniently(text, stage, preamble, shaders)) return lenient->shader;
  throw error;
}

// spirv-opt divides constants with this processor's instructions, and dividing the least integer by -1 ends the
// process. A signed division whose divisor may be -1 therefore divides by 1 instead if it is -1. The remainder is then
// 0, and the quotient is the negated dividend, which wraps, as it does on the machines.
class DivisionGuard {
 public:
  explicit DivisionGuard(const std::vector<uint32_t>& words) : words_(words) {}

  std::vector<uint32_t> guarded() {
    constexpr size_t kHeader = 5;
    if (words_.size() < kHeader) return words_;
    bound_ = words_[3];
    size_t functions = 0;  // length of the result before the first function
    for (size_t place = 0, length = kHeader; place < words_.size(); place += length) {
      if (place >= kHeader) length = std::max(words_[place] >> 16, 1u);
      const uint32_t* const word = &words_[place];
      const auto op = place < kHeader ? spv::OpNop : spv::Op(*word & 0xffff);
      if (op == spv::OpFunction && functions == 0) functions = result_.size();
      note(op, word, length);
      const bool divides = op == spv::OpSDiv || op == spv::OpSRem || op == spv::OpSMod;
      if (divides && !safe_.contains(word[4])) {
        divide(op, word[1], word[2], word[3], word[4]);
      } else {
        result_.insert(result_.end(), word, word + length);
      }
    }
    result_.insert(result_.begin() + std::ptrdiff_t(functions), made_.begin(), made_.end());
    result_[3] = bound_;
    return std::move(result_);
  }

 private:
  static void append(std::vector<uint32_t>& code, spv::Op op, std::initializer_list<uint32_t> operands) {
    code.push_back(uint32_t(operands.size() + 1) << 16 | uint32_t(op));
    code.insert(code.end(), operands);
  }

  void note(spv::Op op, const uint32_t* word, size_t length) {
    const bool is_composite = op == spv::OpConstantComposite;
    if (op == spv::OpTypeBool) types_of_truth_[0] = word[1];
    if (op == spv::OpTypeVector) vectors_[word[1]] = {word[2], word[3]};
    if ((op == spv::OpConstant && length == 4 && word[3] != ~0u) ||
        (is_composite && std::all_of(word + 3, word + length, [&](uint32_t part) { return safe_.contains(part); })))
      safe_.insert(word[2]);
  }

  // Returns the id of the type of a comparison of values of `type`.
  uint32_t truth_of(uint32_t type) {
    if (types_of_truth_[0] == 0) append(made_, spv::OpTypeBool, {types_of_truth_[0] = bound_++});
    const auto vector = vectors_.find(type);
    if (vector == vectors_.end()) return types_of_truth_[0];
    const uint32_t size = vector->second.second;
    for (const auto& [id, one] : vectors_)
      if (one == std::pair(types_of_truth_[0], size)) return id;
    if (types_of_truth_[size] == 0)
      append(made_, spv::OpTypeVector, {types_of_truth_[size] = bound_++, types_of_truth_[0], size});
    return types_of_truth_[size];
  }

  uint32_t constant(uint32_t type, uint32_t bits) {
    uint32_t& id = constants_[{type, bits}];
    if (id != 0) return id;
    const auto vector = vectors_.find(type);
    if (vector == vectors_.end()) {
      append(made_, spv::OpConstant, {type, id = bound_++, bits});
      return id;
    }
    const auto [element, size] = vector->second;
    const uint32_t part = constant(element, bits);
    id = bound_++;
    made_.push_back((size + 3) << 16 | uint32_t(spv::OpConstantComposite));
    made_.insert(made_.end(), {type, id});
    made_.insert(made_.end(), size, part);
    return id;
  }

  void divide(spv::Op op, uint32_t type, uint32_t result, uint32_t a, uint32_t b) {
    const uint32_t truth = truth_of(type), minus_one = constant(type, ~0u), one = constant(type, 1);
    const uint32_t is_minus_one = bound_++, divisor = bound_++;
    append(result_, spv::OpIEqual, {truth, is_minus_one, b, minus_one});
    append(result_, spv::OpSelect, {type, divisor, is_minus_one, one, b});
    if (op != spv::OpSDiv) return append(result_, op, {type, result, a, divisor});
    const uint32_t quotient = bound_++, negated = bound_++;
    append(result_, op, {type, quotient, a, divisor});
    append(result_, spv::OpSNegate, {type, negated, a});
    append(result_, spv::OpSelect, {type, result, is_minus_one, negated, quotient});
  }

  const std::vector<uint32_t>& words_;
  std::vector<uint32_t> result_, made_;  // `made_`: types and constants
  uint32_t bound_ = 0;
  std::set<uint32_t> safe_;                                      // constants that contain no -1
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> vectors_;    // element and size of vector types
  std::array<uint32_t, 5> types_of_truth_{};                     // by size of the vector; 0: the scalar
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> constants_;  // by type and bits
};

// The optimizer writes out every call. This many instructions do not fit into the memory of a shader (main.cpp).
constexpr uint64_t kMaxWrittenOut = uint64_t(1) << 22;

// Throws if the module has too many instructions once its calls are written out, so that the optimizer does not first
// spend minutes and gigabytes on them.
void check_calls(const std::vector<uint32_t>& words) {
  constexpr size_t kHeader = 5;
  struct Function {
    uint64_t instructions = 0;
    std::vector<uint32_t> calls;
    enum { unknown, visited, known } state = unknown;
  };
  std::map<uint32_t, Function> functions;
  std::vector<uint32_t> open;  // entry points, and below the functions whose callees are being counted
  Function* function = nullptr;
  for (size_t place = kHeader; place < words.size(); place += std::max(words[place] >> 16, 1u)) {
    const auto op = spv::Op(words[place] & 0xffff);
    if (op == spv::OpEntryPoint) open.push_back(words[place + 2]);
    if (op == spv::OpFunction) function = &functions[words[place + 2]];
    if (function == nullptr) continue;
    ++function->instructions;
    if (op == spv::OpFunctionCall) function->calls.push_back(words[place + 3]);
  }
  while (!open.empty()) {
    Function& f = functions[open.back()];
    if (f.state == Function::unknown) {
      f.state = Function::visited;
      for (const uint32_t callee : f.calls) {
        if (functions[callee].state == Function::unknown) open.push_back(callee);
      }
      continue;
    }
    open.pop_back();
    if (f.state == Function::known) continue;
    f.state = Function::known;
    for (const uint32_t callee : f.calls) f.instructions += functions[callee].instructions;
    if (f.instructions > kMaxWrittenOut)
      throw ShaderError(0, fmt::format("with its calls written out, it has more than {} instructions", kMaxWrittenOut));
  }
}

// Runs the passes that `add` registers.
template <class Add>
std::vector<uint32_t> passed(const std::vector<uint32_t>& words, Add add) {
  spvtools::Optimizer optimizer(SPV_ENV_UNIVERSAL_1_6);
  std::string problem;
  optimizer.SetMessageConsumer([&](spv_message_level_t level, const char*, const spv_position_t&, const char* message) {
    if (level <= SPV_MSG_ERROR && problem.empty()) problem = message;
  });
  add(optimizer);
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);  // the validator rejects loose uniforms
  std::vector<uint32_t> result;
  if (!optimizer.Run(words.data(), words.size(), &result, options))
    throw ShaderError(0, problem.empty() ? "the optimizer rejects it" : problem);
  return result;
}

std::vector<uint32_t> optimized(std::vector<uint32_t> words) {
  constexpr uint32_t kVersion1_0 = 0x00010000;
  if (words.size() > 1) words[1] = kVersion1_0;  // without SPIR-V's rules, glslang leaves the version undefined
  check_calls(words);
  return passed(DivisionGuard(words).guarded(),
                [](spvtools::Optimizer& optimizer) { optimizer.RegisterPerformancePasses(); });
}

std::vector<uint32_t> words_of(std::string_view bytes) {
  if (bytes.size() > kMaxText)
    throw ShaderError(0, fmt::format("the module has {} bytes; at most {} are read", bytes.size(), kMaxText));
  if (bytes.size() % sizeof(uint32_t) != 0)
    throw ShaderError(0, "the module's length is not a multiple of 4 bytes; it is incomplete");
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

// Keeps only the entry point of `stage`: main, or otherwise the first. `words` must be valid.
std::vector<uint32_t> with_one_entry(const std::vector<uint32_t>& words, Stage stage) {
  constexpr size_t kHeader = 5;
  const uint32_t model = stage == Stage::vertex ? spv::ExecutionModelVertex : spv::ExecutionModelFragment;
  uint32_t chosen = 0;
  const auto each = [&](const auto& take) {
    for (size_t place = kHeader; place < words.size(); place += std::max(words[place] >> 16, 1u))
      take(&words[place], words[place] >> 16, spv::Op(words[place] & 0xffff));
  };
  using namespace std::string_view_literals;
  constexpr std::string_view kMain = "main\0"sv;  // names of modules end with a 0
  each([&](const uint32_t* word, size_t length, spv::Op op) {
    if (op != spv::OpEntryPoint || length < 4 || word[1] != model) return;
    const std::string_view name(reinterpret_cast<const char*>(word + 3), (length - 3) * sizeof(uint32_t));
    if (chosen == 0 || name.starts_with(kMain)) chosen = word[2];
  });
  if (chosen == 0)
    throw ShaderError(0, fmt::format("the module has no {} shader", stage == Stage::vertex ? "vertex" : "fragment"));
  std::vector<uint32_t> result(words.begin(), words.begin() + kHeader);
  bool is_there = false;
  each([&](const uint32_t* word, size_t length, spv::Op op) {
    if (op == spv::OpEntryPoint) {
      if (word[1] != model || word[2] != chosen || is_there) return;
      is_there = true;
    }
    const bool is_mode = op == spv::OpExecutionMode || op == spv::OpExecutionModeId;
    if (is_mode && word[1] != chosen) return;
    result.insert(result.end(), word, word + length);
  });
  return result;
}

// Moves the operations on specialization constants that the optimizer did not fold, such as a choice between floats, to
// the start of the function. `words`: a module with one function.
std::vector<uint32_t> with_computed_constants(const std::vector<uint32_t>& words) {
  constexpr size_t kHeader = 5;
  std::vector<uint32_t> result(words.begin(), words.begin() + kHeader), moved;
  bool is_in_function = false, is_done = false;
  for (size_t place = kHeader; place < words.size();) {
    const uint32_t* const word = &words[place];
    const size_t length = std::max(word[0] >> 16, 1u);
    const auto op = spv::Op(word[0] & 0xffff);
    place += length;
    if (op == spv::OpSpecConstantOp && length > 4) {
      moved.insert(moved.end(), {uint32_t(length - 1) << 16 | word[3], word[1], word[2]});
      moved.insert(moved.end(), word + 4, word + length);
      continue;
    }
    if (op == spv::OpSpecConstantComposite) {
      moved.push_back(uint32_t(length) << 16 | uint32_t(spv::OpCompositeConstruct));
      moved.insert(moved.end(), word + 1, word + length);
      continue;
    }
    is_in_function = is_in_function || op == spv::OpLabel;
    const bool is_head = op == spv::OpLabel || op == spv::OpVariable || op == spv::OpLine || op == spv::OpNoLine;
    if (is_in_function && !is_done && !is_head) {
      result.insert(result.end(), moved.begin(), moved.end());
      is_done = true;
    }
    result.insert(result.end(), word, word + length);
  }
  return result;
}

}  // namespace

std::vector<uint32_t> compile_glsl(std::span<const std::string> texts, Stage stage) {
  begin_glslang();
  std::deque<Shader> shaders;
  std::deque<std::string> joined;  // lives as long as the shaders
  glslang::TProgram program;
  for (const std::string& text : texts) {
    const auto number = &text - texts.data() + 1;
    const std::string place = texts.size() == 1 ? "" : fmt::format("text {}: ", number);
    check_text(joined.emplace_back(joined_lines(text)));
    program.addShader(&parsed(joined.back(), stage, place, shaders));
  }
  if (!program.link(kMessages)) throw error_of(program.getInfoLog(), "");
  const glslang::TIntermediate* const linked = program.getIntermediate(language_of(stage));
  if (linked == nullptr) throw ShaderError(0, "there is no shader");
  glslang::SpvOptions options;
  options.generateDebugInfo = true;  // line numbers
  options.disableOptimizer = true;   // our own passes follow
  std::vector<uint32_t> words;
  spv::SpvBuildLogger log;
  glslang::GlslangToSpv(*linked, words, &log, &options);
  return optimized(std::move(words));
}

std::vector<uint32_t> take_spirv(std::string_view bytes, Stage stage) {
  std::vector<uint32_t> words = words_of(bytes);
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  std::string problem;
  tools.SetMessageConsumer([&](spv_message_level_t level, const char*, const spv_position_t&, const char* message) {
    if (level <= SPV_MSG_ERROR && problem.empty()) problem = message;
  });
  if (!tools.Validate(words)) {
    problem = problem.substr(0, problem.find('\n'));
    throw ShaderError(0, "it is not valid SPIR-V: " + (problem.empty() ? "the validator does not say why" : problem));
  }
  words = passed(with_one_entry(words, stage), [](spvtools::Optimizer& optimizer) {
    optimizer.RegisterPass(spvtools::CreateFreezeSpecConstantValuePass());
    optimizer.RegisterPass(spvtools::CreateFoldSpecConstantOpAndCompositePass());
    optimizer.RegisterPass(spvtools::CreateUnifyConstantPass());
  });
  check_calls(words);
  return with_computed_constants(passed(DivisionGuard(words).guarded(), [](spvtools::Optimizer& optimizer) {
    optimizer.RegisterLegalizationPasses();
    optimizer.RegisterPerformancePasses();
  }));
}

std::string disassemble_spirv(std::string_view bytes) {
  const std::vector<uint32_t> words = words_of(bytes);
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  std::string text;
  if (!tools.Disassemble(words, &text, SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES | SPV_BINARY_TO_TEXT_OPTION_INDENT))
    throw ShaderError(0, "it is not a SPIR-V module");
  return text;
}

std::string preprocess_glsl(std::string_view text) {
  const std::string joined = joined_lines(text);
  check_text(joined);
  begin_glslang();
  Shader shader(joined, Stage::fragment);
  std::string result;
  glslang::TShader::ForbidIncluder includes;
  if (!shader.shader.preprocess(GetDefaultResources(), kDefaultVersion, ENoProfile, false, false, kMessages, &result,
                                includes))
    throw error_of(shader.shader.getInfoLog(), "");
  return result;
}

}  // namespace brokkr::shader
