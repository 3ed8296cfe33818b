// The work of scheduling tests as data, and the programs of one build (schedule_kernel.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace brokkr::schedule_test {

// A task of the tests: what it is scheduled by, and who it is.
struct Job {
  uint32_t key;       // class, process or priority, as the program's tree reads it
  uint32_t deadline;  // microseconds since the program began
  uint32_t id;
  uint32_t kind;  // of several tasks: which one
};

struct Plan {
  void* memory = nullptr;  // Program::bytes(capacity, workers), zeroed; Program::prepare
  uint32_t capacity = 64, workers = 1, maintainers = 1;
  const Job* seeds = nullptr;  // [seed_count], put by worker 0
  uint32_t seed_count = 0;
  uint32_t respawns = 0;  // tasks that come after the seeds: each that runs makes one of its key, while there are
  uint32_t work_ns = 0;   // a task's time, times (1 + key) where `uneven`
  bool uneven = false;
  uint64_t begun_ns = 0;  // the program began so long ago; 0: it begins with its first worker
  // Filled in.
  uint32_t* log = nullptr;  // ids in the order in which they ran
  uint32_t* ran = nullptr;  // how many
  uint32_t* respawned = nullptr;
  uint32_t* lanes = nullptr;        // [2]: calls of execute, and lanes that were active in them
  uint64_t* longest_ns = nullptr;   // of all tasks
  uint64_t* snapshot = nullptr;     // [6] if not null: shared words 0 .. 4 when the last respawn was made, and 1
  uint64_t* shared = nullptr;       // the tree's
  uint32_t* refused_ids = nullptr;  // [1 + seed_count]: how many, then who found the queue full
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

// The result for a block that wants tasks (schedule/watermark.h).
struct Admission {
  uint32_t tasks, stock;  // that may start, and blocks of the store that it has then
  bool refused;
};

// The part of a frame that lies below a watermark (pipeline/choose.h).
struct Mark {
  uint32_t tasks, batches;
};

// Tasks that end together: `count` at most a warp's width.
struct TasksDone {
  uint32_t first, count;
};

// Why a rasterizer has work: elements wait in its queue, it waits for no batch, or all tasks are complete.
enum class Work { elements, awake, end };

struct Programs {
  int width;
  const Program* all;
  int count;
  // Sorts a queue of `n` jobs with deadlines `deadline` for `passes` passes; returns what is then in the queue, in
  // order.
  void (*sort)(uint32_t* deadline, int n, int passes);
  // Sum of 1 .. n by recursive halving, over tasks of one thread and of 32: with a queue per type, and in one sorted
  // queue.
  uint64_t (*halving)(bool monolithic, uint32_t n, int workers, void (*launch)(int, void (*)(void*, int), void*));
  // A block wants `want` tasks, each of which may fill `each` blocks, while so many blocks of the store are free.
  Admission (*admit)(uint32_t free_blocks, uint32_t each, int want);
  // True if one of `workers` blocks gets `want` tasks while so many are under way, in a ring of `window` tasks.
  bool (*has_room)(uint32_t window, uint32_t under_way, int workers, int want);
  // `tasks` tasks, each with `each` blocks in stock, use `used` [tasks] of them. owners [tasks * each]: how many tasks,
  // or the stock, have each block then.
  void (*settle)(int tasks, uint32_t each, const uint32_t* used, uint32_t* owners);
  // The first `complete` of `tasks` tasks are complete, each of which has four batches but the last.
  Mark (*mark)(uint32_t complete, uint32_t tasks, uint32_t batches);
  // One worker completes `ranges` [n] of `tasks` tasks one after the other, with a ring of `window` tasks, or, where
  // `counted`, by counting them. marks [n]: the watermark after each.
  void (*complete)(uint32_t tasks, uint32_t window, bool counted, const TasksDone* ranges, int n, uint32_t* marks);
  // The rasterizer that a decision finds, or -1, where rasterizer `r` alone has work (no other is awake, or all others
  // are claimed) and the search begins at `begin` (pipeline/launch_tree.h).
  int (*find)(uint32_t rasterizers, uint32_t begin, uint32_t r, Work work);
  // `workers` put `each` elements into queues of rasterizers and empty them by their bits. Returns how many were taken.
  uint32_t (*take)(uint32_t rasterizers, uint32_t each, int workers, void (*launch)(int, void (*)(void*, int), void*));
};

}  // namespace brokkr::schedule_test
