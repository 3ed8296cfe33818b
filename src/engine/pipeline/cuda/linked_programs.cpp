#include "pipeline/cuda/linked_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/processors.h"
#include "pipeline/cuda/compiler.h"
#include "shader/code_cache.h"
#include "shader/print_cpp.h"

// cmake/linked_kernel.cmake
extern "C" const std::byte brokkr_kernel_linked_begin[], brokkr_kernel_linked_end[];
extern "C" const std::byte brokkr_kernel_linked_vertices_begin[], brokkr_kernel_linked_vertices_end[];

namespace brokkr {
namespace {

namespace fs = std::filesystem;
using shader::Code;
using shader::CodeCache;

constexpr size_t kMaxParts = 8;  // each part parses all headers
// The registers per thread that the kernel's launch bounds allow: blocks have 256 threads.
constexpr int kMaxRegisters = std::min(255, 65536 / (256 * BROKKR_CUDA_BLOCKS_PER_SM) / 8 * 8);

// Declarations of the standard library that the lane types need; NVRTC has no standard headers.
constexpr const char* kStandardTypes = R"(#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
)";
constexpr const char* kStandardTraits = R"(#pragma once
namespace std {
template <class T> struct type_identity { using type = T; };
template <class T> using type_identity_t = typename type_identity<T>::type;
template <bool b, class T, class U> struct conditional { using type = T; };
template <class T, class U> struct conditional<false, T, U> { using type = U; };
template <bool b, class T, class U> using conditional_t = typename conditional<b, T, U>::type;
template <class T, class U> inline constexpr bool is_same_v = false;
template <class T> inline constexpr bool is_same_v<T, T> = true;
template <class T, class... U> inline constexpr bool is_one_of_v = (is_same_v<T, U> || ...);
template <class T>
inline constexpr bool is_integral_v =
    is_one_of_v<T, bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
                long long, unsigned long long>;
template <class T> inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_one_of_v<T, float, double>;
template <class T, class... From> inline constexpr bool is_constructible_v = __is_constructible(T, From...);
template <class From, class T> inline constexpr bool is_convertible_v = __is_convertible_to(From, T);
}
)";

constexpr CudaHeader kHeaders[] = {
    {"cstdint", kStandardTypes},
    {"type_traits", kStandardTraits},
    {"bit", "#pragma once\n"},
#include "brokkr_linked_headers.inc"
};

std::span<const std::byte> kernel(bool has_vertices) {
  if (has_vertices) return {brokkr_kernel_linked_vertices_begin, brokkr_kernel_linked_vertices_end};
  return {brokkr_kernel_linked_begin, brokkr_kernel_linked_end};
}

// A stage's programs in the text.
struct Stage {
  const char* dispatcher;  // the function that the kernel calls to run a program by number (shade/linked_call.h)
  const char* of_program;  // a program's function is this name, followed by the program's number
};
constexpr Stage kFragments = {"brokkr_run_program", "brokkr_shader_"};
constexpr Stage kVertices = {"brokkr_run_vertex_program", "brokkr_vertex_shader_"};

std::string name_of(const Stage& stage, size_t program) { return fmt::format("{}{}", stage.of_program, program); }

// The function that the kernel calls to run a program by number.
std::string dispatcher(const Stage& stage, size_t programs) {
  std::string declarations, cases;
  for (size_t i = 0; i < programs; ++i) {
    declarations += fmt::format("extern \"C\" BROKKR_EXPORTED void {}(CompiledCall* call);\n", name_of(stage, i));
    cases += fmt::format("    case {}: return {}(call);\n", i, name_of(stage, i));
  }
  return declarations +
         fmt::format("extern \"C\" BROKKR_EXPORTED void {}(uint32_t program, CompiledCall* call) {{\n",
                     stage.dispatcher) +
         "  switch (program) {\n" + cases + "    default: return;\n  }\n}\n";
}

std::vector<std::byte> read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  std::vector<std::byte> bytes(stream ? size_t(stream.tellg()) : 0);
  stream.seekg(0);
  if (!stream.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(bytes.size()))) bytes.clear();
  return bytes;
}

void keep(std::span<const std::byte> image, const std::string& name) {
  const CodeCache cache;
  const fs::path folder = cache.make_temporary(), file = folder / "image";
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(image.data()), std::streamsize(image.size()));
  stream.close();
  if (stream) cache.keep(file, name);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

}  // namespace

LinkedPrograms::LinkedPrograms(int architecture) : architecture_(architecture) {
  static std::atomic<uint64_t> last{0};
  number_ = ++last;
}

LinkedPrograms::~LinkedPrograms() { end(); }

// Splits the programs into parts of similar size; the first part contains the dispatchers.
void LinkedPrograms::print(const Codes& codes) {
  programs_ = codes.programs.size() + codes.vertex_programs.size();
  has_vertices_ = !codes.vertex_programs.empty();
  const size_t parts = std::min({size_t(programs_), kMaxParts, size_t(usable_processors())});
  texts_.assign(std::max<size_t>(parts, 1),
                "#define BROKKR_COMPILED_SHADER\n#include \"shade/linked_run.h\"\nusing namespace brokkr;\n");
  const auto add = [&](const Stage& stage, const std::vector<const Code*>& all) {
    texts_.front() += dispatcher(stage, all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      const auto shorter = [](const std::string& a, const std::string& b) { return a.size() < b.size(); };
      *std::min_element(texts_.begin(), texts_.end(), shorter) += shader::to_cpp(*all[i], name_of(stage, i), false);
    }
  };
  add(kFragments, codes.programs);
  if (has_vertices_) add(kVertices, codes.vertex_programs);
  std::string same = CudaCompiler::found().identity() + fmt::format("sm_{}\n", architecture_);
  for (const CudaHeader& header : kHeaders) same += header.text;
  const std::span<const std::byte> of_kernel = kernel(has_vertices_);
  same.append(reinterpret_cast<const char*>(of_kernel.data()), of_kernel.size());
  for (const std::string& text : texts_) same += text;
  name_ = shader::name_of_content(same) + ".cubin";
}

void LinkedPrograms::take_cached(const Codes& codes) {
  try {
    print(codes);
    const fs::path file = CodeCache().find(name_);
    if (!file.empty()) image_ = read_file(file);
    if (!image_.empty()) finish(0, programs_);
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void LinkedPrograms::compile() {
  const CudaCompiler& compiler = CudaCompiler::found();
  std::vector<std::string> ptx(texts_.size());
  std::vector<std::exception_ptr> errors(texts_.size());
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < texts_.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          ptx[i] = compiler.compile(texts_[i], kHeaders, architecture_, [this] { return is_stopped(); });
        } catch (...) {
          errors[i] = std::current_exception();
        }
      });
    }
  }
  if (is_stopped()) return;
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  image_ = compiler.link(kernel(has_vertices_), ptx, architecture_, kMaxRegisters);
  keep(image_, name_);
  finish(programs_, 0);
}

}  // namespace brokkr
