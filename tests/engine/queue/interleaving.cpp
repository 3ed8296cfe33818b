#include "interleaving.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace brokkr::queue_test {

thread_local StepHook* hook = nullptr;

namespace {

constexpr size_t kStack = 128 * 1024;

}  // namespace

RandomTurns::RandomTurns(int threads, uint32_t seed) : random_(seed), priority_(size_t(threads)) {
  std::iota(priority_.begin(), priority_.end(), 1);
  std::shuffle(priority_.begin(), priority_.end(), random_);
  change_one_in_ = std::array<uint32_t, 4>{2, 8, 20, 50}[random_() % 4];
}

int RandomTurns::next(int current, bool waits, const std::vector<bool>& finished) {
  if (waits || random_() % change_one_in_ == 0) priority_[size_t(current)] = --lowest_;
  int best = -1;
  for (int i = 0; i < int(finished.size()); ++i) {
    if (!finished[size_t(i)] && (best < 0 || priority_[size_t(i)] > priority_[size_t(best)])) best = i;
  }
  return best;
}

bool EveryTurn::begin() {
  while (started_ && !decisions_.empty() && decisions_.back().taken + 1 == decisions_.back().options) {
    decisions_.pop_back();
  }
  if (started_ && decisions_.empty()) return false;
  if (started_) ++decisions_.back().taken;
  started_ = true;
  made_ = 0;
  left_ = switches_;
  return true;
}

int EveryTurn::next(int current, bool waits, const std::vector<bool>& finished) {
  const int threads = int(finished.size());
  const bool goes_on = !waits && !finished[size_t(current)];
  if (goes_on && left_ == 0) return current;
  std::vector<int> options;
  if (goes_on) options.push_back(current);
  for (int k = 1; k < threads; ++k) {
    if (const int other = (current + k) % threads; !finished[size_t(other)]) options.push_back(other);
  }
  if (options.empty()) return finished[size_t(current)] ? -1 : current;
  if (waits && !finished[size_t(current)]) return options[0];
  if (made_ == decisions_.size()) decisions_.push_back({0, int(options.size())});
  const int taken = decisions_[made_++].taken;
  if (goes_on && taken > 0) --left_;
  return options[size_t(taken)];
}

Interleaving::Interleaving(int threads) : threads_(threads), context_(size_t(threads)) {
  for (int i = 0; i < threads; ++i) stack_.push_back(std::make_unique<char[]>(kStack));
}

Interleaving::~Interleaving() = default;

void Interleaving::enter(unsigned high, unsigned low) {
  auto* self = reinterpret_cast<Interleaving*>(uintptr_t(high) << 32 | uintptr_t(low));
  const int me = self->current_;
  (*self->program_)(me);
  self->finished_[size_t(me)] = true;
  const int next = self->policy_->next(me, true, self->finished_);
  if (next >= 0) self->resume(next);
  setcontext(&self->main_);
}

void Interleaving::resume(int thread) {
  current_ = thread;
  setcontext(&context_[size_t(thread)]);
}

void Interleaving::turn(bool waits) {
  ++steps_;
  if (steps_ >= limit_ && !gave_up_) {
    gave_up_ = true;
    (*give_up_)();
  }
  const int me = current_;
  int next = policy_->next(me, waits, finished_);
  // All threads must end finally, whatever the policy decides.
  for (int k = 1; gave_up_ && k <= threads_; ++k) {
    next = (me + k) % threads_;
    if (!finished_[size_t(next)]) break;
  }
  if (next == me) return;
  current_ = next;
  swapcontext(&context_[size_t(me)], &context_[size_t(next)]);
}

size_t Interleaving::run(const std::function<void(int)>& program, TurnPolicy& policy,
                         const std::function<void()>& give_up, size_t limit) {
  program_ = &program;
  policy_ = &policy;
  give_up_ = &give_up;
  steps_ = 0;
  limit_ = limit;
  gave_up_ = false;
  finished_.assign(size_t(threads_), false);
  const auto self = reinterpret_cast<uintptr_t>(this);
  for (int i = 0; i < threads_; ++i) {
    ucontext_t& c = context_[size_t(i)];
    getcontext(&c);
    c.uc_stack.ss_sp = stack_[size_t(i)].get();
    c.uc_stack.ss_size = kStack;
    c.uc_link = nullptr;
    makecontext(&c, reinterpret_cast<void (*)()>(&Interleaving::enter), 2, unsigned(self >> 32),
                unsigned(self & 0xffffffffu));
  }
  hook = this;
  current_ = std::max(0, policy.next(0, false, finished_));
  swapcontext(&main_, &context_[size_t(current_)]);
  hook = nullptr;
  return steps_;
}

}  // namespace brokkr::queue_test
