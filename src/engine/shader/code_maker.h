// Compiles a frame's shaders to machine code in the background with the computer's compilers, and keeps the result in
// the user's cache folder (shader/code_cache.h). No word of a file enters the text that a compiler reads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "shader/assemble.h"
#include "shader/compiled_call.h"

namespace brokkr::shader {

class CodeMaker {
 public:
  virtual ~CodeMaker() = default;
  CodeMaker() = default;
  CodeMaker(const CodeMaker&) = delete;
  CodeMaker& operator=(const CodeMaker&) = delete;

  // Sets the shaders, once, and loads those that the cache has.
  virtual void take_cached(std::span<const Code* const> codes) = 0;
  // Begins to compile the rest in the background, unless that has begun in this process.
  void start();
  // Waits until all shaders are ready, one fails, or `abort` is not 0.
  void wait(const std::atomic<uint32_t>& abort) const;

  // Functions of this process, by code number. Null until all are ready, and where code does not consist of such
  // functions.
  virtual const CompiledShader* functions() const { return nullptr; }

  // After success: how many shaders were compiled and how long that took, and how many the cache had and how long
  // loading them took (0 unless the cache had all).
  struct Made {
    uint64_t compiled = 0, cached = 0;
    double compile_ms = 0, cache_ms = 0;
  };
  const Made& made() const { return made_; }

  bool is_ready() const { return state_.load(std::memory_order_acquire) == State::ready; }
  bool failed() const { return state_.load(std::memory_order_acquire) == State::failed; }
  // Why the code is not usable, in one line; empty unless something failed.
  std::string problem() const { return failed() ? problem_ : ""; }
  // Marks the code as unusable.
  void fail(const std::string& problem);

 protected:
  // Marks the code as ready; states how many shaders were compiled and how many the cache had.
  void finish(uint64_t compiled, uint64_t cached);
  bool is_stopped() const { return stop_.load(); }
  // Stops the background work. Destructors of derived classes call it first.
  void end();

 private:
  enum class State { idle, runs, ready, failed };

  // The thread of a process that this one was forked from: not here.
  void leave_parents_thread();

  // In the background: all that is missing; then `finish`, unless it was stopped. Throws std::exception.
  virtual void compile() = 0;

  std::string problem_;
  Made made_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::atomic<State> state_{State::idle};
  std::atomic<bool> stop_{false};
  std::thread thread_;
  uint64_t process_ = 0;  // that thread_ runs in
};

}  // namespace brokkr::shader
