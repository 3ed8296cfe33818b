// Makes machine code of a frame's shaders in the background, by compilers of the computer, and keeps it in the user's
// cache folder (shader/code_cache.h). Texts that compilers get hold no word of a file's.
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

  // Says which shaders they are, once, and takes what the cache has.
  virtual void take_cached(std::span<const Code* const> codes) = 0;
  // Begins to compile the rest in the background, unless that has begun in this process.
  void start();
  // Waits until all is there, or fails, or `abort` is no longer 0.
  void wait(const std::atomic<uint32_t>& abort) const;

  // Functions of this process, by number of the code; null until all are there, and where they are none.
  virtual const CompiledShader* functions() const { return nullptr; }

  // Once it is ready: shaders that compilers made, and how long that took; shaders that the cache had, and how long it
  // took to load them where it had all.
  struct Made {
    uint64_t compiled = 0, cached = 0;
    double compile_ms = 0, cache_ms = 0;
  };
  const Made& made() const { return made_; }

  bool is_ready() const { return state_.load(std::memory_order_acquire) == State::ready; }
  bool failed() const { return state_.load(std::memory_order_acquire) == State::failed; }
  // Why there is none, in one line; empty as long as nothing failed.
  std::string problem() const { return failed() ? problem_ : ""; }
  // What is made cannot be used.
  void fail(const std::string& problem);

 protected:
  // All is there; says how many shaders compilers made and how many the cache had.
  void finish(uint64_t compiled, uint64_t cached);
  bool is_stopped() const { return stop_.load(); }
  // Ends what runs in the background. Destructors of derived classes call it first.
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
