// The work of scheduling tests as data, and the programs of one build (schedule_kernel.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace brokkr::schedule_test {

// A task of the tests: its scheduling key and its identity.
struct Job {
  uint32_t key;       // class, process or priority, as the program's tree reads it
  uint32_t deadline;  // microseconds since the program began
  uint32_t id;
  uint32_t kind;  // with several task types: the type
};

struct Plan {
  void* memory = nullptr;  // Program::bytes(capacity, workers), zeroed; Program::prepare
  uint32_t capacity = 64, workers = 1, maintainers = 1;
  const Job* seeds = nullptr;  // [seed_count], put by worker 0
  uint32_t seed_count = 0;
  // number of tasks after the seeds: each task that runs creates one of its key until they are used up
  uint32_t respawns = 0;
  uint32_t work_ns = 0;  // a task's time, times (1 + key) where `uneven`
  bool uneven = false;
  uint64_t begun_ns = 0;  // the program began this long ago; 0: it begins with its first worker
  // Filled in.
  uint32_t* log = nullptr;  // ids in the order in which they ran
  uint32_t* ran = nullptr;  // number of tasks that ran
  uint32_t* respawned = nullptr;
  uint32_t* lanes = nullptr;        // [2]: calls of execute, and lanes that were active in them
  uint64_t* longest_ns = nullptr;   // longest time of a task
  uint64_t* snapshot = nullptr;     // [6] if not null: shared words 0 .. 4 when the last respawn was made, and 1
  uint64_t* shared = nullptr;       // the tree's
  uint32_t* refused_ids = nullptr;  // [1 + seed_count]: the number of refusals, then the refused tasks
};

struct Program {
  const char* name;
  int leaves, shared, words;
  size_t (*bytes)(uint32_t capacity, uint32_t workers);
  void (*prepare)(const Plan&);
  uint64_t* (*shared_of)(const Plan&);
  uint64_t* (*user_of)(const Plan&);
  uint32_t* (*stop_of)(const Plan&);
  uint32_t (*refused_of)(const Plan&);
  void (*run)(const Plan&, int worker);
};

// The result for a block that requests tasks (schedule/watermark.h).
struct Admission {
  uint32_t tasks, stock;  // tasks that may start, and blocks of the store that the block then holds
  bool refused;
};

// The part of a frame that lies below a watermark (pipeline/choose.h).
struct Mark {
  uint32_t tasks, batches;
};

// Tasks that end together; `count` is at most a warp's width.
struct TasksDone {
  uint32_t first, count;
};

// The reason why a rasterizer has work: elements are in its queue, it waits for no batch, or all tasks are complete.
enum class Work { elements, awake, end };

// The queues of halving.h: one per type, one that is sorted, or one per type of each worker's own, where the program's
// queues have room for four tasks.
enum class HalvingQueues { per_type, monolithic, own };

struct Programs {
  int width;
  const Program* all;
  int count;
  // Sorts a queue of `n` jobs with the deadlines `deadline` for `passes` passes. Writes the queue's order back.
  void (*sort)(uint32_t* deadline, int n, int passes);
  // Sum of 1 .. n by recursive halving, over tasks of one thread and of 32.
  uint64_t (*halving)(HalvingQueues queues, uint32_t n, int workers, void (*launch)(int, void (*)(void*, int), void*));
  // A block requests `want` tasks, each of which may fill `each` blocks, while `free_blocks` blocks of the store are
  // free.
  Admission (*admit)(uint32_t free_blocks, uint32_t each, int want);
  // True if one of `workers` blocks gets `want` tasks while `under_way` are in progress, in a ring of `window` tasks.
  bool (*has_room)(uint32_t window, uint32_t under_way, int workers, int want);
  // `tasks` tasks with `each` blocks in stock use `used` [tasks] of them. owners [tasks * each]: the number of owners
  // (tasks or the stock) of each block afterwards.
  void (*settle)(int tasks, uint32_t each, const uint32_t* used, uint32_t* owners);
  // The first `complete` of `tasks` tasks are complete. Each task but the last has four batches.
  Mark (*mark)(uint32_t complete, uint32_t tasks, uint32_t batches);
  // One worker completes `ranges` [n] of `tasks` tasks one after another, with a ring of `window` tasks or, if
  // `counted`, by counting them. marks [n]: the watermark after each.
  void (*complete)(uint32_t tasks, uint32_t window, bool counted, const TasksDone* ranges, int n, uint32_t* marks);
  // Returns the rasterizer that a decision finds, or -1, if only rasterizer `r` has work (no other is awake, or all
  // others are claimed) and the search begins at `begin` (pipeline/launch_tree.h).
  int (*find)(uint32_t rasterizers, uint32_t begin, uint32_t r, Work work);
  // `workers` workers put `each` elements into queues of rasterizers and empty them by their bits. Returns the number
  // of taken elements.
  uint32_t (*take)(uint32_t rasterizers, uint32_t each, int workers, void (*launch)(int, void (*)(void*, int), void*));
};

}  // namespace brokkr::schedule_test
