// All measured queues behind one virtual interface. It calls a hook before every access to shared memory.
#pragma once

#include <memory>
#include <vector>

#include "lab/queue/queue_shape.h"
#include "queue/interleaving.h"

namespace brokkr::queue_test {

class AnyQueue {
 public:
  virtual ~AnyQueue() = default;
  virtual Outcome enqueue(uint32_t thread, uint32_t value) = 0;
  virtual Outcome dequeue(uint32_t thread, uint32_t& value) = 0;
  // Moves elements one by one if the queue has no operation for several.
  virtual int dequeue_many(uint32_t thread, uint32_t* value, int n) = 0;
  virtual uint32_t allocated() = 0;
  virtual void abort() = 0;
  virtual void reset() = 0;  // empties the queue; no thread may use it meanwhile
};
std::unique_ptr<AnyQueue> make_queue(QueueKind kind, const QueueShape& shape);

std::vector<QueueKind> all_queues();

}  // namespace brokkr::queue_test
