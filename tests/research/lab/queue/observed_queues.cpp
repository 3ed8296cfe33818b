// The queues compiled with an observer, as a separate machine: no other build shares their names.
#define BROKKR_ISA_IS_observed 4
#define BROKKR_ISA observed

#include "observed_queues.h"

#include <atomic>
#include <cstring>
#include <new>

#include "lab/queue/every_queue.h"

namespace brokkr::queue_test {

namespace {

template <QueueKind kKind, class Queue>
class Observed : public AnyQueue {
 public:
  explicit Observed(const QueueShape& shape) {
    storage_.shape = shape;
    bytes_ = Queue::bytes(shape);
    storage_.memory = static_cast<std::byte*>(::operator new(bytes_, std::align_val_t(64)));
    storage_.abort = &abort_;
    reset();
  }
  ~Observed() override { ::operator delete(storage_.memory, std::align_val_t(64)); }
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;

  Outcome enqueue(uint32_t thread, uint32_t value) override { return Queue(storage_).enqueue(thread, value); }
  Outcome dequeue(uint32_t thread, uint32_t& value) override { return Queue(storage_).dequeue(thread, value); }
  int dequeue_many(uint32_t thread, uint32_t* value, int n) override {
    if constexpr (queue_traits(kKind).here.multi_element == Claim::yes) {
      return Queue(storage_).dequeue_many(thread, value, n);
    } else {
      int got = 0;
      while (got < n && dequeue(thread, value[got]) == Outcome::done) ++got;
      return got;
    }
  }
  uint32_t allocated() override { return Queue(storage_).allocated(); }
  void abort() override { std::atomic_ref<uint32_t>(abort_).store(1); }
  void reset() override {
    std::memset(static_cast<void*>(storage_.memory), 0, bytes_);
    Queue::prepare(storage_.memory, storage_.shape);
    abort_ = 0;
  }

 private:
  QueueStorage storage_;
  size_t bytes_ = 0;
  uint32_t abort_ = 0;
};

}  // namespace

std::unique_ptr<AnyQueue> make_queue(QueueKind kind, const QueueShape& shape) {
  switch (kind) {
#define BROKKR_CASE(name, Class) \
  case QueueKind::name: return std::make_unique<Observed<QueueKind::name, Class<Hooked>>>(shape);
    BROKKR_EVERY_QUEUE(BROKKR_CASE)
#undef BROKKR_CASE
  }
  return nullptr;
}

std::vector<QueueKind> all_queues() {
  std::vector<QueueKind> all;
  for (const QueueTraits& traits : kQueueTraits) all.push_back(traits.kind);
  return all;
}

}  // namespace brokkr::queue_test
