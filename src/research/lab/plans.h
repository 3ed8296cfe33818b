// The work of the experiments with queues [Kerbl18, 4.6 and appendix A] and with scheduling [Kerbl18, 5.3] as data.
// Host code writes it, and machines run it (lab/workloads.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/queue/queue_shape.h"
#include "pipeline/task_machine.h"

namespace brokkr::lab {

// Warps 0 .. warps - 1. In each of them, `lanes` lanes use the queue as threads warp * lanes + lane.
struct Crew {
  uint32_t warps = 1, lanes = 1;
};

constexpr uint32_t scramble(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

struct MixCounts {
  uint64_t enqueued, dequeued, full, empty;
  float work;  // result of the multiply-adds, so that the compiler keeps them
};

// Every thread repeatedly enqueues, then dequeues, each with a given probability, and does multiply-adds after it got
// an element.
struct MixPlan {
  QueueStorage queue;
  Crew crew;
  uint32_t min_loops = 10, max_loops = 10;                        // per thread, drawn at random
  uint32_t enqueue_chance = 1u << 16, dequeue_chance = 1u << 16;  // in units of 2^-16
  uint32_t multiply_adds = 0;
  uint32_t seed = 1;
  MixCounts* counts = nullptr;  // [warps]
};

// [Kerbl18, Fig. 4.1]: additions to one word, additions to a separate word per thread, or loads and stores of that
// word.
enum class AtomicAccess : uint32_t { contended, own, plain };
struct AtomicPlan {
  Crew crew;
  uint32_t loops = 1000;
  AtomicAccess access = AtomicAccess::contended;
  uint32_t* words = nullptr;  // [1 + threads] lines of 64 bytes, zeroed
  uint32_t* abort = nullptr;
};

// Elements of `words` words through a broker queue [Kerbl18, 4.3.3]. Every thread makes one, enqueues it, dequeues one
// and adds up its words, `loops` times.
//   copied    the element is made in the thread's own memory and copied to its slot, and copied out of a slot
//   in_place  the thread gets a pointer to the slot, and makes and reads the element there
//   pooled    the element lies in a pool; one queue has the numbers of elements, another those of free places
enum class ElementWay : uint32_t { copied, in_place, pooled };
inline constexpr uint32_t kMaxElementWords = 64;
struct ElementSums {
  uint32_t put, got, made, taken;  // sums of all words modulo 2^32, and numbers of elements
};
struct ElementPlan {
  Crew crew;
  ElementWay way = ElementWay::copied;
  uint32_t words = 1, loops = 1000, capacity = 1024;
  std::byte* queue = nullptr;  // slot_pointer_bytes(capacity, pooled ? 1 : words), zeroed
  std::byte* free = nullptr;   // slot_pointer_bytes(capacity, 1), zeroed; pooled: the kernel fills it
  uint32_t* pool = nullptr;    // pooled: [capacity][words]
  uint32_t* begun = nullptr;   // zeroed: 1 as soon as `free` is full
  uint32_t* abort = nullptr;
  ElementSums* sums = nullptr;  // [warps]
};

// Page rank over queues. Ranks are fixed-point numbers with kRankOne as 1, so sums do not depend on the order. A node's
// item for iteration i is created when all its predecessors have contributed to iteration i; a node without
// predecessors creates its next item itself.
inline constexpr uint64_t kRankOne = uint64_t(1) << 56;
inline constexpr uint64_t kDampingNumerator = 17, kDampingDenominator = 20;
inline constexpr uint32_t kItemNodeBits = 27, kMaxRankIterations = 15;

struct RankPlan {
  QueueStorage queue;
  Crew crew;
  uint32_t fill = 0;  // 1: only enqueue each node's first item
  uint32_t nodes = 0, iterations = 8;
  const uint32_t* first_edge = nullptr;  // [nodes + 1]
  const uint32_t* target = nullptr;      // [edges]
  const uint32_t* in_degree = nullptr;   // [nodes]
  uint64_t* sum = nullptr;               // [iterations][nodes], zeroed
  uint32_t* arrived = nullptr;           // [iterations][nodes], zeroed
  uint32_t* done = nullptr;              // processed items, zeroed
  uint32_t* refused = nullptr;           // items that found the queue full: the result is invalid
};

// Trees of buckets over one kind of task. A task's words are: key (process, job or 24-bit priority), deadline, number,
// work.
enum class ScheduleProgram : uint32_t {
  fifo,          // one queue, like the tasks of one type in Whippletree
  fair_buckets,  // five processes, separate buckets with quotas
  fair_sorted,   // five processes, one sorted queue
  buckets16,     // discretized priorities
  buckets128,
  buckets128_one_lane,  // like buckets128, but a single lane searches from the highest class down
  priority_sorted,      // one sorted queue
  edf_sorted,
  edf_per_job,      // six jobs
  edf_discretized,  // 256 slices of 2.5 ms
  edf_wrap_around,  // ring of 256 slices of 40 us
  softshell_fair,   // Softshell's scheduler (lab/softshell.h) with the priorities of the sorted queues
  softshell_priority,
  softshell_edf,
};
inline constexpr int kSchedulePrograms = 14;
inline constexpr uint32_t kScheduleProcesses = 5, kScheduleJobs = 6;
// Blocks of the GPU in [Kerbl18, 5.3.3], for which the loads of Fig. 5.7 are given.
inline constexpr uint32_t kThesisBlocks = 88;

struct TaskRecord {
  uint32_t number, key;
  uint32_t ns;      // processor time, if shares of time are measured
  int32_t late_us;  // time from its deadline to its end
};

// The work of tasks, and how they are created.
//   quotas      starts with `tasks` tasks of five processes; each creates another of its process; ends after `limit`
//   priorities  starts with `tasks` tasks; each creates another with a random priority; ends after `limit`
//   deadlines   the last worker creates tasks of six jobs for `duration_us`, each due an interval later; a turn of a
//               job has load * per_turn tasks for kThesisBlocks workers, and proportionally fewer for fewer workers
//   direct      tasks 0 .. limit - 1 without any queue, distributed evenly
enum class ScheduleWork : uint32_t { quotas, priorities, deadlines, direct };

struct SchedulePlan {
  ScheduleProgram program = ScheduleProgram::fifo;
  ScheduleWork work = ScheduleWork::priorities;
  Crew crew;                    // workers: warps, including those that sort and the one that makes tasks
  uint32_t sorters = 0;         // number of first workers that only sort, if a queue is sorted
  std::byte* memory = nullptr;  // ProgramStart::bytes, zeroed except what host code writes
  uint32_t* abort = nullptr;
  uint32_t capacity = 1024;  // tasks per queue
  uint32_t tasks = 1000, limit = 10000;
  // Means per task; each task draws 0.5 .. 1.5 times as many.
  uint32_t multiply_adds = 500, memory_operations = 5;
  uint32_t load = 1, duration_us = 100000;
  uint32_t interval_us[kScheduleJobs] = {}, per_turn[kScheduleJobs] = {};
  uint32_t job_adds[kScheduleJobs] = {}, job_reads[kScheduleJobs] = {};  // means of a job's tasks
  uint32_t job_workers = 1;                                              // workers that run the jobs' tasks
  uint32_t quota[kScheduleProcesses] = {};
  uint32_t seed = 1;
  uint32_t* buffer = nullptr;  // [kScheduleBuffer], for memory operations
  TaskRecord* log = nullptr;   // [limit], in the order in which tasks were started
  // [4]: tasks started, created, refused; workers that have created their first tasks; zeroed
  uint32_t* begun = nullptr;
  // [2]: the time when all workers have created their first tasks, and the end of task `limit`.
  uint64_t* span_ns = nullptr;
};
inline constexpr uint32_t kScheduleBuffer = 1u << 20;

// Byte offsets in a program's memory at which host code writes before a run.
struct ProgramStart {
  size_t bytes = 0;  // total size
  size_t shared_at = 0, user_at = 0, open_at = 0;
};

// The priority of task `number`: 24 bits.
constexpr uint32_t drawn_priority(uint32_t number, uint32_t seed) {
  return scramble(number * 0x9e3779b9u + seed * 0x85ebca6bu) & 0xffffffu;
}

// The builds of the experiments: one table per CPU machine (lab/lab_kernel.cpp) and one for CUDA (lab/lab_kernel.cu).
template <class Plan>
using LabKernel = TaskKernel<Plan>;

struct QueueKernels {
  size_t (*bytes)(const QueueShape&);
  void (*prepare)(void*, const QueueShape&);  // works on host memory
  LabKernel<MixPlan> mix;
  LabKernel<RankPlan> rank;
};

struct ProgramKernel {
  // The memory that the plan's program needs. Throws std::invalid_argument for an invalid queue capacity.
  ProgramStart (*start)(const SchedulePlan&);
  LabKernel<SchedulePlan> run;
};

struct LabKernels {
  int width;  // lanes per warp
  LabKernel<AtomicPlan> atomics;
  LabKernel<ElementPlan> elements;
  QueueKernels queue[kQueueKinds];           // by QueueKind
  ProgramKernel program[kSchedulePrograms];  // by ScheduleProgram
};

const LabKernels& cuda_lab_kernels();

}  // namespace brokkr::lab
