// Programs of tasks on the machines that users have: a paused program continues where it stopped, and no task is lost
// when a queue or the pool of large payloads is full.
#include "pipeline/task_machine.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "pause_check.h"

#define BROKKR_PAUSE_MACHINE(isa)        \
  namespace brokkr::isa::pause_program { \
  pause_test::Kernels kernels();         \
  }
#if defined(BROKKR_SCHEDULE_CPU)
BROKKR_PAUSE_MACHINE(BROKKR_SCHEDULE_CPU)
#endif
#if defined(BROKKR_SCHEDULE_EMULATED)
BROKKR_PAUSE_MACHINE(emulated)
#endif
#undef BROKKR_PAUSE_MACHINE

namespace brokkr::pause_test {
namespace {

#define BROKKR_TEXT_OF(name) #name
#define BROKKR_TEXT(name) BROKKR_TEXT_OF(name)
void check_machine(TaskMachine& machine, const Kernels& kernels) {
  for (const uint32_t workers : {1u, 3u}) {
    check_pauses(machine, kernels.small, workers, 7);
    check_pauses(machine, kernels.small, workers, 7, kFewSlots);
    check_pauses(machine, kernels.large, workers, 7);
    check_pauses(machine, kernels.large, workers, 7, kFewSlots);
    check_pauses(machine, kernels.large, workers, 7, kFewRecords);
    check_pauses(machine, kernels.own, workers, 7);
    check_pauses(machine, kernels.own, workers, 7, kFewSlots);
  }
}

#if defined(BROKKR_SCHEDULE_CPU)
TEST(TaskMachines, GoOnAfterPausesOnTheCpu) {
  const auto machine = make_task_machine("cpu", BROKKR_TEXT(BROKKR_SCHEDULE_CPU));
  check_machine(*machine, BROKKR_SCHEDULE_CPU::pause_program::kernels());
}
#endif
#if defined(BROKKR_SCHEDULE_EMULATED)
TEST(TaskMachines, GoOnAfterPausesEmulated) {
  const auto machine = make_task_machine("emulated");
  check_machine(*machine, emulated::pause_program::kernels());
}
#endif
#undef BROKKR_TEXT
#undef BROKKR_TEXT_OF

TEST(TaskMachines, SayWhatTheyCannotBe) {
  EXPECT_THROW(make_task_machine("cpu", "v9"), std::invalid_argument);
  EXPECT_THROW(make_task_machine("emulated", "v3"), std::invalid_argument);
  EXPECT_THROW(make_task_machine("abacus"), std::invalid_argument);
}

TEST(TaskMachines, MemoryIsZeroedAndCopied) {
  const auto machine = make_task_machine("cpu");
  const TaskArray<uint32_t> array(*machine, 5);
  EXPECT_EQ(array.values(), std::vector<uint32_t>(5));
  const std::vector<uint32_t> words = {3, 1, 4};
  machine->upload(array.data() + 1, words.data(), words.size() * sizeof(uint32_t));
  EXPECT_EQ(array.values(1, 3), words);
  array.clear();
  EXPECT_EQ(array.values(), std::vector<uint32_t>(5));
}

}  // namespace
}  // namespace brokkr::pause_test
