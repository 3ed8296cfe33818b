// The queue tests' workers on one build of the CPU machine.
#include "queue_machines.h"
#include "queue_workers.h"

BROKKR_MACHINE_BEGIN
namespace queue_workers {

template <int kWords>
static queue_test::QueueEntries<kWords> entries() {
  return {[](const Script<kWords>& script) {
            Warp w;
            for (int i = 0; i < script.steps; ++i) {
              run_step(w, script.memory, script.step[i], script.result[i]);
            }
          },
          [](const Plan<kWords>& plan, int worker) {
            Warp w;
            run_worker(w, plan, worker);
          },
          [](const Recycling<kWords>& plan, int worker) {
            Warp w;
            recycle(w, plan, worker);
          }};
}

queue_test::QueueMachine machine() {
  return {kWidth,
          entries<1>(),
          entries<4>(),
          entries<16>(),
          [](QueueControl& control, uint32_t capacity) { return Broker<>(control, capacity).observed_full(); },
          [](QueueControl& control, uint32_t capacity) { return Broker<>(control, capacity).observed_empty(); }};
}

}  // namespace queue_workers
BROKKR_MACHINE_END
