// Threads that take turns access by access, in an order that a test chooses: what real threads do once in a million
// times happens here whenever it is asked for, and again with the same seed.
#pragma once

#include <ucontext.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "observed_queues.h"

namespace brokkr::queue_test {

// Who goes on: given who has just reached an access or a wait, and whether it is a wait.
class TurnPolicy {
 public:
  virtual ~TurnPolicy() = default;
  virtual int next(int current, bool waits, const std::vector<bool>& finished) = 0;
};

// Priorities that change at random moments: long suspensions at any place (probabilistic concurrency testing
// [Burckhardt10]), or turns at random. A thread that waits goes behind all others.
class RandomTurns : public TurnPolicy {
 public:
  RandomTurns(int threads, uint32_t seed);
  int next(int current, bool waits, const std::vector<bool>& finished) override;

 private:
  std::mt19937 random_;
  std::vector<int> priority_;
  int lowest_ = 0;
  uint32_t change_one_in_;
};

class Interleaving : public StepHook {
 public:
  explicit Interleaving(int threads);
  ~Interleaving() override;

  // Runs program(0) .. program(threads - 1) to their ends. After `limit` accesses and waits `give_up` is called, once,
  // and must make all of them end. Returns how many accesses there were.
  size_t run(const std::function<void(int)>& program, TurnPolicy& policy, const std::function<void()>& give_up,
             size_t limit = 100000);
  bool gave_up() const { return gave_up_; }

  void step() override { turn(false); }
  void pause(int) override { turn(true); }

 private:
  static void enter(unsigned high, unsigned low);
  void turn(bool waits);
  void resume(int thread);

  int threads_;
  std::vector<ucontext_t> context_;
  std::vector<std::unique_ptr<char[]>> stack_;
  ucontext_t main_{};
  std::vector<bool> finished_;
  const std::function<void(int)>* program_ = nullptr;
  const std::function<void()>* give_up_ = nullptr;
  TurnPolicy* policy_ = nullptr;
  size_t steps_ = 0, limit_ = 0;
  int current_ = 0;
  bool gave_up_ = false;
};

}  // namespace brokkr::queue_test
