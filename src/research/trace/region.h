// The path tracer's only task type [Kerbl18, 5.4.2]: takes four samples of each pixel in a region of 8 x 8 pixels. Then
// it enqueues itself again: in a single queue for even sampling, or in the bucket of its error.
//
// The samples of a region's pixels depend only on the region, its number of samples and the seed, never on who computes
// them or when.
#pragma once

#include "schedule/policies.h"
#include "schedule/task_loop.h"
#include "trace/path.h"
#include "trace/trace_kernels.h"

BROKKR_MACHINE_BEGIN
namespace trace_machine {

// Priorities have 24 bits. The first samples of each region have the highest.
BROKKR_CONSTANT uint32_t kFirstPriority = 0xffffffu;

// Adds one sample per lane of m to the planes, each at its own index. `first`: the planes hold no samples yet.
BROKKR_FN void add_sample(Warp& w, const TracePlan& plan, V3 gathered, Int at, Mask first, Mask m) {
  const size_t plane = size_t(plan.regions) * uint32_t(kRegionPixels);
  const auto add = [&](int k, Float value) {
    float* p = plan.planes + size_t(k) * plane;
    w.scatter(p, at, w.gather(p, at, m) + value, m);
  };
  const auto extreme = [&](int k, Float value, bool most) {
    float* p = plan.planes + size_t(k) * plane;
    const Float old = w.gather(p, at, m);
    w.scatter(p, at, select(first, value, most ? maximum(old, value) : minimum(old, value)), m);
  };
  const V3 c = select3(is_finite(gathered.x + gathered.y + gathered.z), gathered, all_of(0.0f));
  add(0, c.x);
  add(1, c.y);
  add(2, c.z);
  const Float bright = luminance(c);
  add(3, bright * bright);
  const Float channel[3] = {c.x, c.y, c.z};
  for (int k = 0; k < 3; ++k) {
    extreme(4 + 2 * k, channel[k], false);
    extreme(5 + 2 * k, channel[k], true);
  }
}

BROKKR_FN void add_counts(Warp& w, const TracePlan& plan, const PathCounts& counts) {
  const uint64_t segments = w.reduce_add(Ulong(counts.segments)), shadows = w.reduce_add(Ulong(counts.shadows));
  const uint64_t steps = w.reduce_add(Ulong(counts.effort.steps)), tests = w.reduce_add(Ulong(counts.effort.tests));
  const uint64_t groups = w.reduce_add(Ulong(counts.effort.groups));
  w.once([&] {
    const auto add = [](uint64_t& to, uint64_t n) { device_atomic<uint64_t>(to).fetch_add(n, kRelaxed); };
    add(plan.counters->segments, segments);
    add(plan.counters->shadow_rays, shadows);
    add(plan.counters->steps, steps);
    add(plan.counters->groups, groups);
    add(plan.counters->tests, tests);
  });
}

// Takes samples in a region, with one lane per pixel at a time: pixels `thread` and thread + 32, one sample after
// another. A lane whose path has ended starts its next one immediately.
BROKKR_FN_NOINLINE void trace_samples(Warp& w, const TracePlan& plan, uint32_t region, uint32_t first_sample,
                                      Int thread, uint32_t* stack) {
  const uint32_t left = region % plan.regions_x * kRegion, low = region / plan.regions_x * kRegion;
  constexpr int kPathsOfLane = kRegionPixels / 32 * kSamplesOfTask;
  Int number = -1;  // sample number of the lane's path
  Mask running = false;
  Path path;
  Uint pixel = 0u;
  PathCounts counts;
  for (;;) {
    const Mask begins = !running && number < kPathsOfLane - 1;
    number = select(begins, number + 1, number);
    pixel = select(begins, as_uint(thread) + as_uint(number / kSamplesOfTask) * 32u, pixel);
    const Uint x = (pixel & 7u) + left, y = (pixel >> 3) + low;
    const Sampler sampler(hash_lanes(x + hash_lanes(y + hash_lanes(Uint(plan.seed)))),
                          as_uint(number & (kSamplesOfTask - 1)) + first_sample);
    // Regions at the picture's edges reach beyond it: those pixels are skipped.
    const Mask starts = begins && x < plan.width && y < plan.height;
    if (w.any(starts)) {
      const Path fresh = start_path(plan.lens, to_float(as_int(x)), to_float(as_int(y)), sampler);
      path.ray.origin = select3(starts, fresh.ray.origin, path.ray.origin);
      path.ray.direction = select3(starts, fresh.ray.direction, path.ray.direction);
      path.ray.inverse = select3(starts, fresh.ray.inverse, path.ray.inverse);
      path.ray.after = select(starts, 0.0f, path.ray.after);
      path.ray.after_primitive = select(starts, -1, path.ray.after_primitive);
      path.carries = select3(starts, fresh.carries, path.carries);
      path.gathered = select3(starts, fresh.gathered, path.gathered);
      path.density = select(starts, 0.0f, path.density);
      path.bounce = select(starts, 0, path.bounce);
      path.passed = select(starts, 0, path.passed);
    }
    running = running || starts;
    if (!w.any(running)) {
      if (w.any(number < kPathsOfLane - 1)) continue;
      break;
    }
    const Mask goes_on = advance(w, plan, path, sampler, counts, stack, running);
    const Mask ends = running && !goes_on;
    running = goes_on;
    if (!w.any(ends)) continue;
    add_sample(w, plan, path.gathered, as_int(pixel + region * uint32_t(kRegionPixels)),
               (as_uint(number & (kSamplesOfTask - 1)) + first_sample) == 0u, ends);
  }
  add_counts(w, plan, counts);
}

// The error of a region under the plan's metric, summed over its pixels after n samples each.
//   gain      sigma / sqrt(n) - sigma / sqrt(n + 4): what four samples more are expected to better [Kerbl18, 5.4.2]
//   contrast  (most - least) / (most + least) of the samples, of each channel by its threshold, the largest of the
//             three [Mitchell87, 4]; it takes the place of sigma
// The sum uses fixed-point numbers, so it does not depend on the order of additions.
BROKKR_FN_NOINLINE float region_error(Warp& w, const TracePlan& plan, uint32_t region, uint32_t n) {
  const size_t plane = size_t(plan.regions) * uint32_t(kRegionPixels);
  const uint32_t left = region % plan.regions_x * kRegion, low = region / plan.regions_x * kRegion;
  const Float count = float(n);
  const Float gain = 1.0f / sqrt(count) - 1.0f / sqrt(Float(float(n + uint32_t(kSamplesOfTask))));
  uint64_t sum = 0;
  for (int first = 0; first < kRegionPixels; first += kWidth) {
    const Uint pixel = as_uint(w.lane()) + uint32_t(first);
    const Mask inside = (pixel & 7u) + left < plan.width && (pixel >> 3) + low < plan.height;
    const auto load = [&](int k) {
      return w.gather(plan.planes + size_t(k) * plane, as_int(pixel + region * uint32_t(kRegionPixels)), inside);
    };
    Float spread;
    if (plan.metric == Metric::gain) {
      const Float mean = luminance({load(0), load(1), load(2)}) / count;
      const Float variance = (load(3) - mean * mean * count) / maximum(count - 1.0f, 1.0f);
      spread = sqrt(maximum(variance, 0.0f));
    } else {
      const float threshold[3] = {0.4f, 0.3f, 0.6f};
      spread = 0.0f;
      for (int k = 0; k < 3; ++k) {
        const Float least = load(4 + 2 * k), most = load(5 + 2 * k);
        spread = maximum(spread, (most - least) / maximum(most + least, 1e-6f) * (1.0f / threshold[k]));
      }
    }
    const Float error = select(inside, clamp_to(spread * gain, 0.0f, 1000.0f), 0.0f);
    sum += w.reduce_add(Ulong(as_uint(to_int(error * 1048576.0f))));
  }
  return float(sum) * (1.0f / 1048576.0f);
}

struct RegionTask {
  static constexpr int kId = 0, kThreads = 32, kWords = 2;  // region number, priority
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int thread, Mask) {
    Warp& w = worker.warp();
    const TracePlan& plan = worker.context().plan;
    const uint32_t region = w.broadcast(payload[0], 0);
    const uint32_t samples = w.uniform([&] { return plan.counts[region]; });
    // Narrow warps run several times for one task: the first time decides whether the budget has room for it.
    bool& is_over = worker.context().is_over;
    if (w.broadcast(thread, 0) == 0) {
      is_over = plan.budget != 0 && samples != 0 && w.uniform([&]() -> bool {
        return device_atomic<uint32_t>(*plan.begun).fetch_add(1, kRelaxed) >= plan.budget;
      });
    }
    if (is_over) return;
    trace_samples(w, plan, region, samples, thread, worker.context().stack);
    if (w.broadcast(thread, 0) + kWidth < kThreads) return;  // more pixels of the region follow
    w.sync();
    const uint32_t now = samples + uint32_t(kSamplesOfTask);
    const float error = region_error(w, plan, region, now);
    const bool again = w.uniform([&]() -> bool {
      plan.counts[region] = now;
      plan.errors[region] = error;
      device_atomic<uint64_t>(plan.counters->tasks).fetch_add(1, kRelaxed);
      return plan.samples == 0 || now < plan.samples;
    });
    if (!again) return;
    const float part = (error - plan.low_error) / (plan.high_error - plan.low_error);
    const Float level = clamp_to(Float(part), 0.0f, 1.0f) * float(kFirstPriority - 0x20000u);
    const Uint next[kWords] = {region, plan.adaptive != 0 ? as_uint(to_int(level)) : Uint(kFirstPriority)};
    worker.template enqueue<RegionTask>(next, w.first_lanes(1));  // each queue has room for every region
  }
};
using EvenTree = Queue<HasTasks, RegionTask>;
using Priorities = DecreasingPriorities<1>;  // like Discrete<1> if the patience is 0
using AdaptiveTree = Repeat<kBuckets, Priorities, Queue<HasTasks, RegionTask>>;

struct TraceContext {
  const TracePlan& plan;
  uint32_t* stack;
  bool is_over = false;  // no samples are left for the current task
  template <class Worker>
  BROKKR_FN void seed(Worker& worker) {
    if (worker.number() != 0) return;
    Warp& w = worker.warp();
    for (uint32_t first = 0; first < plan.regions; first += uint32_t(kWidth)) {
      const Uint region = as_uint(w.lane()) + first;
      const Uint task[2] = {region, kFirstPriority};
      worker.template enqueue<RegionTask>(task, region < plan.regions);
    }
  }
};

template <class Root>
BROKKR_FN void run_tree(Warp& w, const TracePlan& plan, int warp) {
  auto memory = ProgramMemory<Root>::layout(plan.memory, plan.capacity);
  memory.stop = plan.pause;
  memory.queues.abort = plan.abort;
  memory.resumed = plan.resumed != 0;
  TraceContext context{plan, plan.stacks + size_t(uint32_t(warp)) * (3 * kStackEntries * 32)};
  Worker<Root, TraceContext>(w, memory, context, uint32_t(warp)).run();
}

// Same sizes as ProgramMemory::bytes, which only the host can call because it throws.
template <class Root>
constexpr TraceMemory memory_of(uint32_t capacity, uint32_t workers) {
  const size_t open_at = ProgramMemory<Root>::open_at(capacity);
  const size_t shared_at = ProgramMemory<Root>::shared_at(capacity);
  return {.bytes = open_at + 16 + size_t(workers) * Root::kLocal * sizeof(uint32_t),
          .open_at = open_at,
          .halvings_at = shared_at + Priorities::kHalvingsWord * sizeof(uint64_t),
          .patience_at = shared_at + Priorities::kPatienceWord * sizeof(uint64_t)};
}
static TraceMemory trace_memory(bool adaptive, uint32_t capacity, uint32_t workers) {
  return adaptive ? memory_of<AdaptiveTree>(capacity, workers) : memory_of<EvenTree>(capacity, workers);
}

BROKKR_FN void run_trace(Warp& w, const TracePlan& plan, int warp) {
  if (plan.adaptive != 0) {
    run_tree<AdaptiveTree>(w, plan, warp);
  } else {
    run_tree<EvenTree>(w, plan, warp);
  }
}

}  // namespace trace_machine
BROKKR_MACHINE_END
