// The front end of run-time shaders, in separate processes: one brokkr-glsl compiles the texts of many programs. A text
// that crashes it fails its own program only; a new process compiles the others.
//
// Both ends of the pipe have the same version: numbers are 32 bits in this computer's byte order. A request is a task,
// the number of texts, and each text preceded by its length in bytes. Answers come in the order of requests; each is a
// status and a text preceded by its length in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace brokkr {
class Loading;
}

namespace brokkr::shader {

inline constexpr size_t kMostText = size_t(1) << 20;  // bytes of a program's texts

enum class GlslTask : uint32_t {
  compile,         // links all fragment shaders of a program to SPIR-V
  preprocess,      // preprocesses one shader's text
  compile_vertex,  // links all vertex shaders of a program to SPIR-V
  // Validates a module, freezes its specialization constants and inlines its functions. Takes the place of the two
  // above where the only text is one, and of preprocess, which then gives the module's instructions as text.
  spirv,
  spirv_vertex,
  disassemble,
};
enum class GlslStatus : uint32_t {
  result,
  fault,   // "LINE: what is wrong", where line 0 is no line
  broken,  // the same, and the process ends because its state is no longer reliable
};

using Texts = std::vector<std::string>;  // of one program; or one SPIR-V module's bytes

// Whether a text is a SPIR-V module, in this computer's byte order.
bool is_spirv(std::string_view text);

struct GlslAnswer {
  std::string bytes;  // the result; empty if there is none
  uint32_t line = 0;  // of the error; 0: none
  std::string problem;
  bool is_lasting = true;  // another run would give the same answer
  bool is_good() const { return problem.empty(); }
};

// Calls `take(number, answer)` for each of `programs` in order. Asks `loading` for the memory of each result, and
// whether to continue; an exception from it ends the compiler. If there is no compiler, or after eight programs have
// crashed it, the answers say so.
void run_glsl(GlslTask task, std::span<const Texts* const> programs, Loading& loading,
              const std::function<void(size_t, GlslAnswer)>& take);

}  // namespace brokkr::shader
