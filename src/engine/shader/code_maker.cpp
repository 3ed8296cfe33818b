#include "shader/code_maker.h"

#include <chrono>
#include <exception>
#include <utility>

#include "base/forked.h"

namespace brokkr::shader {

void CodeMaker::leave_parents_thread() {
  if (!thread_.joinable() || process_ == process_number()) return;
  leave_behind(std::make_shared<std::thread>(std::move(thread_)));
  if (state_.load() == State::runs) state_.store(State::idle);
}

void CodeMaker::start() {
  leave_parents_thread();
  if (state_.load() != State::idle) return;
  began_ = std::chrono::steady_clock::now();
  state_.store(State::runs);
  process_ = process_number();
  thread_ = std::thread([this] {
    try {
      compile();
    } catch (const std::exception& error) {
      fail(error.what());
    }
  });
}

void CodeMaker::wait(const std::atomic<uint32_t>& abort, const std::function<void()>& look) const {
  constexpr std::chrono::milliseconds kLook{5};
  while (state_.load(std::memory_order_acquire) == State::runs && abort.load(std::memory_order_relaxed) == 0) {
    std::this_thread::sleep_for(kLook);
    if (look) look();
  }
}

void CodeMaker::finish(uint64_t compiled, uint64_t cached) {
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began_;
  const bool in_background = state_.load() == State::runs;
  made_ = {compiled, cached, in_background ? took.count() : 0, in_background ? 0 : took.count()};
  state_.store(State::ready, std::memory_order_release);
}

void CodeMaker::fail(const std::string& problem) {
  problem_ = problem;
  state_.store(State::failed, std::memory_order_release);
}

void CodeMaker::end() {
  leave_parents_thread();
  stop_.store(true);
  if (thread_.joinable()) thread_.join();
}

}  // namespace brokkr::shader
