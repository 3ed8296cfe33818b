// Softshell's scheduler [Steinberger12] for programs of tasks: the baseline of [Kerbl18, Fig. 5.6 to 5.9].
//
// All work waits in one monolithic queue of packages. A package is a set of items of one task type, as many as a warp
// processes at once. A new task joins others of its type (aggregation): a hash map by type holds the package that
// accepts items while it waits in the queue. Packages are in memory that is allocated and freed while the program runs:
// pages of 32 packages with a word of bits each, searched from a scattered page on [Steinberger12a]. Warps that do
// nothing else sort the queue progressively by a priority function, which they evaluate again for every package that
// they see (schedule/task_loop.h).
//
// docs/research/scheduling.md lists the sources of each part, and where this reading may differ from the original.
#pragma once

#include "lab/plans.h"
#include "schedule/policies.h"
#include "schedule/task_loop.h"

BROKKR_MACHINE_BEGIN
namespace schedule_lab {

// `Priority` has maintain<Task> like a sorted leaf (schedule/task_tree.h).
template <class Priority, class... Tasks>
class Softshell {
 public:
  static constexpr bool kPackages = true;
  // The number of items in a package, which a warp processes at once.
  template <class Task>
  static constexpr uint32_t kItems = Task::kThreads < kWidth ? uint32_t(kWidth / Task::kThreads) : 1u;

  // The queue's element: a package's number, 1 or more.
  struct Package {
    static constexpr int kId = 0, kThreads = 32, kWords = 1;
    template <class Worker>
    BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int thread, Mask active) {
      Warp& w = worker.warp();
      if (!w.any(active && thread == Int(0))) return;
      PackageWorker<Worker>(worker).run(w.broadcast(payload[0], 0));
    }
  };
  struct Urgency : HasTasks {
    // The priority of the package's first item. The last user word is the address of the packages.
    template <class Task>
    BROKKR_FN static Uint maintain(const Uint (&payload)[1], const MaintainState& state) {
      device_atomic<uint64_t> address(state.user[ProgramMemory<Root>::kUserWords - 1]);
      uint32_t* packages = reinterpret_cast<uint32_t*>(address.load(kRelaxed));
      Uint urgency = 0u;
      (rate<Tasks>(packages, payload[0], state, urgency), ...);
      return urgency;
    }
  };
  using Root = Queue<Urgency, Package>;

  // The memory of a program, as host and device see it.
  struct Memory {
    ProgramMemory<Root> program;
    uint32_t* packages = nullptr;  // [pages * 32][kPackageWords]
    uint32_t* used = nullptr;      // [pages] of 32 bits, a bit per package
    uint64_t* open = nullptr;      // [kMapSlots], by type: generation * 2^32 + number of a package that accepts items
    uint32_t pages = 0;

    // `capacity`: packages in the queue, a power of two in 4 .. 2^26.
    static size_t bytes(uint32_t capacity, uint32_t workers) {
      return program_bytes(ProgramMemory<Root>::bytes(capacity, workers)) +
             size_t(pages_for(capacity)) * (32 * kPackageWords + 1) * 4 + (kMapSlots + 1) * 8;
    }
    static constexpr Memory layout(void* memory, uint32_t capacity) {
      Memory m{ProgramMemory<Root>::layout(memory, capacity)};
      // The words of each worker, which would follow, are absent in a program with one queue.
      const size_t at =
          program_bytes(size_t(reinterpret_cast<std::byte*>(m.program.local) - static_cast<std::byte*>(memory)));
      m.pages = pages_for(capacity);
      m.packages = reinterpret_cast<uint32_t*>(static_cast<std::byte*>(memory) + at);
      m.open = reinterpret_cast<uint64_t*>(m.packages + size_t(m.pages) * 32 * kPackageWords);
      m.used = reinterpret_cast<uint32_t*>(m.open + kMapSlots);
      return m;
    }

   private:
    static constexpr size_t program_bytes(size_t bytes) { return (bytes + 63) / 64 * 64; }
    // A quarter more than the queue holds, so that a page with free space is found quickly, plus some for packages in
    // progress.
    static constexpr uint32_t pages_for(uint32_t capacity) { return capacity / 32 + capacity / 128 + 32; }
  };

  // The program of a worker (one warp); `context` as for Worker of schedule/task_loop.h.
  template <class Context>
  BROKKR_FN static void run(Warp& w, const Memory& memory, Context& context, uint32_t number) {
    w.once([&] {
      device_atomic<uint64_t>(memory.program.user[ProgramMemory<Root>::kUserWords - 1])
          .store(reinterpret_cast<uint64_t>(memory.packages), kRelaxed);
    });
    w.sync();
    Bound<Context> bound{memory, context};
    Worker<Root, Bound<Context>>(w, memory.program, bound, number).run();
  }

 private:
  static constexpr uint32_t kMapSlots = 64;
  // A package: two words of state, the number of items written, an unused word, then the items. The state holds the
  // number of items that have claimed a place, a bit for a package that accepts no more, the type, and the number of
  // packages that have been at this place, which distinguishes an old map entry from the current package.
  static constexpr uint32_t kHeadWords = 4;
  static constexpr uint64_t kClosed = 1u << 8;
  static constexpr int kTypeBit = 16, kGenerationBit = 32;
  static constexpr uint32_t kPackageWords = [] {
    uint32_t words = 0;
    ((words = words > kItems<Tasks> * Tasks::kWords ? words : kItems<Tasks> * Tasks::kWords), ...);
    return (kHeadWords + words + 15) / 16 * 16;
  }();

  BROKKR_FN static uint32_t* package_at(uint32_t* packages, uint32_t number) {
    return packages + size_t(number - 1) * kPackageWords;
  }
  BROKKR_FN static device_atomic<uint64_t> state_of(uint32_t* package) {
    return device_atomic<uint64_t>(*reinterpret_cast<uint64_t*>(package));
  }
  BROKKR_FN static int type_of(uint64_t state) { return int(state >> kTypeBit & 0xffffu); }

  template <class Task>
  BROKKR_FN static void rate(uint32_t* packages, Uint number, const MaintainState& state, Uint& urgency) {
    const auto number_of = Warp::spill(number);
    auto mine = Warp::spill(0u);
    Warp::Spilled<uint32_t> words[Task::kWords];
    for (auto& word : words) word = Warp::spill(0u);
    Warp::for_lanes(number != 0u, [&](int i) {  // lanes without an element have no package
      uint32_t* package = package_at(packages, number_of[i]);
      if (type_of(state_of(package).load(kRelaxed)) != Task::kId) return;
      mine.set(i, 1u);
      for (int k = 0; k < Task::kWords; ++k) words[k].set(i, package[kHeadWords + uint32_t(k)]);
    });
    Uint payload[Task::kWords];
    for (int k = 0; k < Task::kWords; ++k) payload[k] = words[k].lanes();
    urgency = select(mine.lanes() != 0u, Priority::template maintain<Task>(payload, state), urgency);
  }

  // The context of a worker's loop.
  template <class Context>
  struct Bound {
    const Memory& memory;
    Context& context;
    uint32_t draws = 0;  // random numbers of pages at which a search starts

    template <class Worker>
    BROKKR_FN void seed(Worker& worker) {
      PackageWorker<Worker> its(worker);
      context.seed(its);
    }
  };

  // The worker as a task sees it: it enqueues tasks as items of packages.
  template <class Inner>
  class PackageWorker {
   public:
    BROKKR_FN explicit PackageWorker(Inner& worker) : worker_(worker), m_(worker.context().memory) {}

    BROKKR_FN Warp& warp() { return worker_.warp(); }
    BROKKR_FN auto& context() { return worker_.context().context; }
    BROKKR_FN uint64_t* user() const { return worker_.user(); }
    BROKKR_FN uint32_t number() const { return worker_.number(); }
    BROKKR_FN uint64_t now() { return worker_.now(); }

    // Enqueues one task per lane of m. Returns the lanes whose task was accepted; for the others there was no memory or
    // no room in the queue.
    template <class Task>
    BROKKR_FN Mask enqueue(const Uint (&payload)[Task::kWords], Mask m) {
      Warp& w = warp();
      const uint32_t all = w.ballot(m);
      uint32_t left = all;
      while (left != 0) {
        const int got = join<Task>(payload, left);
        const int in = got > 0 ? got : open<Task>(payload, left);
        if (in == 0) break;
        for (int i = 0; i < in; ++i) left &= left - 1;
      }
      return w.lanes_of(all & ~left);
    }

    // Runs the items of a package that was taken from the queue.
    BROKKR_FN void run(uint32_t number) {
      Warp& w = warp();
      uint32_t* package = package_at(m_.packages, number);
      const uint64_t state = w.uniform([&]() -> uint64_t { return state_of(package).fetch_or(kClosed, kAcqRel); });
      const uint32_t n = uint32_t(state) & 0xffu;
      const bool there = w.uniform([&]() -> bool {
        for (int spin = 0; device_atomic<uint32_t>(package[2]).load(kAcquire) != n; ++spin) {
          if (system_atomic<uint32_t>(*m_.program.stop).load(kRelaxed) != 0) return false;
          pause(spin);
        }
        return true;
      });
      if (!there) return;
      w.sync();
      (run_items<Tasks>(package, number, type_of(state), int(n)), ...);
    }

   private:
    Inner& worker_;
    const Memory& m_;

    template <class Task>
    BROKKR_FN void run_items(uint32_t* package, uint32_t number, int type, int n) {
      if (type != Task::kId) return;
      Warp& w = warp();
      Warp::Spilled<uint32_t> words[Task::kWords];
      for (auto& word : words) word = w.spill(0u);
      w.for_lanes(w.first_lanes(n), [&](int i) {
        const uint32_t* item = package + kHeadWords + uint32_t(i) * uint32_t(Task::kWords);
        for (int k = 0; k < Task::kWords; ++k) words[k].set(i, item[k]);
      });
      w.sync();  // all items are read before the package is reused
      w.once([&] { free(number); });
      Uint element[1 + Task::kWords];
      element[0] = Uint(uint32_t(Task::kId));
      for (int k = 0; k < Task::kWords; ++k) element[1 + k] = words[k].lanes();
      Queue<HasTasks, Task>::run(*this, element, n);
    }

    // Adds the first lanes of `bits` to the package of this type that accepts items. Returns their number.
    template <class Task>
    BROKKR_FN int join(const Uint (&payload)[Task::kWords], uint32_t bits) {
      Warp& w = warp();
      const uint64_t place = w.uniform([&]() -> uint64_t {
        const uint64_t entry = device_atomic<uint64_t>(map_slot<Task>()).load(kAcquire);
        if (entry == 0) return 0;
        const uint32_t number = uint32_t(entry);
        auto state = state_of(package_at(m_.packages, number));
        uint64_t seen = state.load(kRelaxed);
        while (seen >> kGenerationBit == entry >> 32 && (seen & kClosed) == 0 && type_of(seen) == Task::kId &&
               (seen & 0xffu) < kItems<Task>) {
          const uint64_t room = kItems<Task> - (seen & 0xffu), wanted = uint64_t(count_bits(bits));
          const uint64_t n = wanted < room ? wanted : room;
          if (state.compare_exchange_weak(seen, seen + n, kAcqRel))
            return uint64_t(number) << 32 | (seen & 0xffu) << 8 | n;
        }
        return 0;
      });
      const int n = int(place & 0xffu);
      if (n == 0) return 0;
      uint32_t* package = package_at(m_.packages, uint32_t(place >> 32));
      write<Task>(package, uint32_t(place) >> 8 & 0xffu, payload, bits, n);
      w.once([&] { device_atomic<uint32_t>(package[2]).fetch_add(uint32_t(n), kRelease); });
      return n;
    }

    // Makes a package of the first lanes of `bits` and enqueues it. Returns their number.
    template <class Task>
    BROKKR_FN int open(const Uint (&payload)[Task::kWords], uint32_t bits) {
      Warp& w = warp();
      const uint32_t draw = lab::scramble(number() * 0x9e3779b9u + worker_.context().draws++);
      const uint32_t made = w.uniform([&]() -> uint32_t { return allocate(draw); });
      if (made == 0) return 0;
      const int n = count_bits(bits) < int(kItems<Task>) ? count_bits(bits) : int(kItems<Task>);
      uint32_t* package = package_at(m_.packages, made);
      write<Task>(package, 0, payload, bits, n);
      const uint64_t generation = w.uniform([&]() -> uint64_t {
        auto state = state_of(package);
        const uint64_t next = (state.load(kRelaxed) >> kGenerationBit) + 1;
        device_atomic<uint32_t>(package[2]).store(uint32_t(n), kRelaxed);
        state.store(next << kGenerationBit | uint64_t(Task::kId) << kTypeBit | uint64_t(n), kRelease);
        return next;
      });
      const Uint element[1] = {Uint(made)};
      if (!w.any(worker_.template enqueue<Package>(element, w.first_lanes(1)))) {
        w.once([&] { free(made); });
        return 0;
      }
      if (n < int(kItems<Task>)) {
        w.once([&] { device_atomic<uint64_t>(map_slot<Task>()).store(generation << 32 | made, kRelease); });
      }
      return n;
    }

    // Writes the items of the first n lanes of `bits` to places `first` and on.
    template <class Task>
    BROKKR_FN void write(uint32_t* package, uint32_t first, const Uint (&payload)[Task::kWords], uint32_t bits, int n) {
      Warp& w = warp();
      Warp::Spilled<uint32_t> words[Task::kWords];
      for (int k = 0; k < Task::kWords; ++k) words[k] = w.spill(payload[k]);
      w.for_lanes(w.lanes_of(bits), [&](int i) {
        const int rank = count_bits(bits & ((1u << i) - 1u));
        if (rank >= n) return;
        uint32_t* item = package + kHeadWords + (first + uint32_t(rank)) * uint32_t(Task::kWords);
        for (int k = 0; k < Task::kWords; ++k) item[k] = words[k][i];
      });
      w.sync();
    }

    template <class Task>
    BROKKR_FN uint64_t& map_slot() {
      return m_.open[lab::scramble(uint32_t(Task::kId)) % kMapSlots];
    }

    // ---- Called by single lanes.

    // Allocates a package; 0: no memory is left.
    BROKKR_FN uint32_t allocate(uint32_t draw) {
      for (uint32_t probe = 0; probe < m_.pages; ++probe) {
        const uint32_t page = (draw % m_.pages + probe) % m_.pages;
        device_atomic<uint32_t> used(m_.used[page]);
        for (uint32_t bits = used.load(kRelaxed); bits != ~0u;) {
          const uint32_t bit = ~bits & (bits + 1);  // the lowest free one
          bits = used.fetch_or(bit, kAcquire);
          if ((bits & bit) == 0) return page * 32 + uint32_t(lowest_bit(bit)) + 1;
        }
      }
      return 0;
    }
    BROKKR_FN void free(uint32_t number) {
      const uint32_t bit = 1u << ((number - 1) % 32);
      device_atomic<uint32_t>(m_.used[(number - 1) / 32]).fetch_and(~bit, kRelease);
    }
  };
};

}  // namespace schedule_lab
BROKKR_MACHINE_END
