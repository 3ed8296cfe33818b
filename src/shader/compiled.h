// Shaders as code of this processor: their C++ text (shader/print_cpp.h) is compiled by the system's compiler in the
// background, kept in the user's cache folder (shader/code_cache.h) and loaded. Texts hold no word of a file's.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "shader/assemble.h"
#include "shader/call.h"

namespace brokkr::shader {

class CompiledShaders {
 public:
  // For the kernel build `isa`: "v2", "v3", "v4" or "neon".
  explicit CompiledShaders(const std::string& isa);
  // Ends compilers that run, with all that they have started, and takes their files away.
  ~CompiledShaders();

  // Says which they are, once, and loads those that the cache has. `lanes`: of a vector of the kernel.
  void take_cached(std::span<const Code* const> codes, int lanes);
  // Begins to compile the rest in the background, unless that has begun.
  void start();
  // Waits until all is there, or fails, or `abort` is no longer 0.
  void wait(const std::atomic<uint32_t>& abort);

  // By number of the code; null until all are there.
  const CompiledShader* functions() const;
  bool failed() const { return state_.load(std::memory_order_acquire) == State::failed; }
  // Why there are none, in one line; empty as long as nothing failed.
  std::string problem() const { return failed() ? problem_ : ""; }

 private:
  enum class State { idle, runs, ready, failed };
  class Library;
  // A file of several shaders, which one compiler process makes.
  struct Part;

  void print(std::span<const Code* const> codes, int lanes);
  bool load(Part& part);
  void finish();
  void fail(const std::string& problem);
  void compile();

  std::string isa_;
  std::vector<std::string> compiler_;  // words of its command, with flags
  std::vector<Part> parts_;
  std::vector<CompiledShader> functions_;
  std::string problem_;
  std::atomic<State> state_{State::idle};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// The compiler's command: $CXX, else the first of c++, g++ and clang++ that is found. Empty: there is none.
std::vector<std::string> find_compiler();

}  // namespace brokkr::shader
