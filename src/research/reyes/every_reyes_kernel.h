// The table of functions of the task program and of the stages after it: the same text for every build, which defines
// by kernel<body>() how a body is run.
#pragma once

#include "reyes/reyes_kernels.h"
#include "reyes/reyes_program.h"
#include "reyes/stitch.h"

BROKKR_MACHINE_BEGIN
namespace reyes {

static ReyesProgramMemory program_memory(uint32_t queue_capacity, uint32_t workers) {
  using Memory = ProgramMemory<Root>;
  static_assert(Root::kShared == Splits::kOwnShared, "the words of the priorities are the first shared ones");
  const size_t open_at = Memory::open_at(queue_capacity), shared_at = Memory::shared_at(queue_capacity);
  return {.bytes = open_at + 16 + size_t(workers) * Root::kLocal * sizeof(uint32_t),
          .words_at = shared_at - sizeof(uint64_t),
          .open_at = open_at,
          .halvings_at = shared_at + Priorities::kHalvingsWord * sizeof(uint64_t),
          .patience_at = shared_at + Priorities::kPatienceWord * sizeof(uint64_t)};
}

}  // namespace reyes
BROKKR_MACHINE_END

#define BROKKR_REYES_KERNELS \
  { &program_memory, kernel<&run_program>(), kernel<&run_stitching>() }
