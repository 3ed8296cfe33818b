// Threads that take turns access by access in an order that a test chooses. A schedule that real threads meet once in a
// million runs happens here on request, and again with the same seed.
#pragma once

#include <ucontext.h>

#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace brokkr::queue_test {

// Receives the accesses of the calling thread.
class StepHook {
 public:
  virtual ~StepHook() = default;
  virtual void step() = 0;           // called before each access
  virtual void pause(int spin) = 0;  // called when the thread can go on only after an access of another
};
// This thread's hook; nullptr: no hook is called, and waits yield.
extern thread_local StepHook* hook;

// An observer of queues (queue/broker_queue.h) that calls the hook.
struct Hooked {
  static void step() {
    if (hook != nullptr) hook->step();
  }
  static void pause(int spin) {
    if (hook != nullptr) {
      hook->pause(spin);
    } else {
      std::this_thread::yield();
    }
  }
};

// Chooses the next thread, given the one that has just reached an access or a wait.
class TurnPolicy {
 public:
  virtual ~TurnPolicy() = default;
  virtual int next(int current, bool waits, const std::vector<bool>& finished) = 0;
};

// Priorities that change at random moments, with long suspensions at any place (probabilistic concurrency testing
// [Burckhardt10]), or random turns. A waiting thread goes behind all others.
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

// Every order of turns with at most `switches` preemptions of a thread that could continue [Musuvathi07]. A waiting
// thread gives its turn to the next one.
class EveryTurn : public TurnPolicy {
 public:
  explicit EveryTurn(int switches) : switches_(switches) {}

  // Called before each run. Returns false if all orders have run.
  bool begin();
  int next(int current, bool waits, const std::vector<bool>& finished) override;

 private:
  struct Decision {
    int taken, options;
  };
  std::vector<Decision> decisions_;  // decisions of this run
  size_t made_ = 0;
  int switches_, left_ = 0;
  bool started_ = false;
};

class Interleaving : public StepHook {
 public:
  explicit Interleaving(int threads);
  ~Interleaving() override;

  // Runs program(0) .. program(threads - 1) until all end. After `limit` accesses and waits it calls `give_up` once,
  // which must make all of them end. Returns the number of accesses.
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
