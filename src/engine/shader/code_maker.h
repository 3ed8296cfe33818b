// Compiles a frame's shaders to machine code in the background with the computer's compilers, and keeps the result in
// the user's cache folder (shader/code_cache.h). The text that a compiler reads contains no word of a frame file.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "shader/assemble.h"
#include "shader/compiled_call.h"

namespace brokkr::shader {

class CodeMaker {
 public:
  virtual ~CodeMaker() = default;
  CodeMaker() = default;
  CodeMaker(const CodeMaker&) = delete;
  CodeMaker& operator=(const CodeMaker&) = delete;

  // The shaders of both stages by code number.
  struct Codes {
    std::vector<const Code*> programs, vertex_programs;
  };
  // Sets the shaders, once, and loads those that are in the cache.
  virtual void take_cached(const Codes& codes) = 0;
  // Starts to compile the rest in the background, unless this process has already started that.
  void start();
  // Waits until all shaders are ready, one fails, or `abort` is not 0. Calls `look` every few milliseconds.
  void wait(const std::atomic<uint32_t>& abort, const std::function<void()>& look = {}) const;

  // Functions of this process: those of programs by code number, then those of vertex programs. Null until all are
  // ready, or if the code does not consist of such functions.
  virtual const CompiledShader* functions() const { return nullptr; }

  // The result of a success: how many shaders were compiled and how long that took; how many were in the cache and how
  // long it took to load them (0 unless all were in the cache).
  struct Made {
    uint64_t compiled = 0, cached = 0;
    double compile_ms = 0, cache_ms = 0;
  };
  const Made& made() const { return made_; }

  bool is_ready() const { return state_.load(std::memory_order_acquire) == State::ready; }
  bool failed() const { return state_.load(std::memory_order_acquire) == State::failed; }
  // Says in one line why the code is not usable; empty unless something failed.
  std::string problem() const { return failed() ? problem_ : ""; }
  // Marks the code as unusable.
  void fail(const std::string& problem);

 protected:
  // Marks the code as ready. States how many shaders were compiled and how many were in the cache.
  void finish(uint64_t compiled, uint64_t cached);
  bool is_stopped() const { return stop_.load(); }
  // Stops the background work. Destructors of derived classes must call it first.
  void end();

 private:
  enum class State { idle, runs, ready, failed };

  // Forgets the thread if this process was forked from its owner: the thread does not exist here.
  void leave_parents_thread();

  // Runs in the background. Compiles everything that is missing, then calls `finish` unless it was stopped. Throws
  // std::exception.
  virtual void compile() = 0;

  std::string problem_;
  Made made_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::atomic<State> state_{State::idle};
  std::atomic<bool> stop_{false};
  std::thread thread_;
  uint64_t process_ = 0;  // the process that thread_ runs in
};

}  // namespace brokkr::shader
