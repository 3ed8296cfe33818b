// The path tracer's only task type [Kerbl18, 5.4.2]: takes four samples of each pixel in a region of 8 x 8 pixels. Then
// it enqueues itself again: in a single queue for even sampling, or in the bucket of its error.
//
// The samples of a region's pixels depend only on the region, its number of samples and the seed, never on who computes
// them or when.
#pragma once

#include "schedule/policies.h"
#include "schedule/task_loop.h"
#include "trace/scatter.h"
#include "trace/tables.h"
#include "trace/walk.h"

// Light paths, one per lane, starting at the lens.
//
// At each surface the path samples one light (a triangle or the sun) and continues in a direction that the surface
// samples. Contributions that both could have found are weighted by the balance heuristic [Veach97, 9.2]. A ray passes
// through cut-outs and transparent surfaces and continues behind them. Russian roulette ends paths, more likely if they
// carry little light; paths also end after a maximum number of bounces.

BROKKR_MACHINE_BEGIN
namespace trace_machine {

// The number of cut-outs that a path's ray may pass; the next one is opaque.
BROKKR_CONSTANT int kMaxPassed = 64;
// Errors of regions, at most 64 times 1000, in words that neighbours read.
BROKKR_CONSTANT float kErrorUnits = 32768.0f;
// Russian roulette starts at this bounce.
BROKKR_CONSTANT int kSafeBounces = 3;

struct Path {
  Ray ray;
  V3 carries, gathered;
  Float density = 0.0f;  // density of the direction, by the surface that the path left; 0: the lens
  Int bounce = 0, passed = 0;
};

struct PathCounts {
  Uint segments = 0u, shadows = 0u;
  Effort effort;
};

// The scene in which paths find hits, the warp's memory for a search, and the counts, which they add to.
struct PathTools {
  const SceneTables& scene;
  uint32_t* stack;
  PathCounts& counts;

  BROKKR_FN Search search() const { return {scene, stack, counts.effort}; }
};

// Pairs of a sample's dimensions.
enum PairOf : uint32_t { kPixelPair, kLensPair, kFirstBouncePair, kPairsOfBounce = 4 };

BROKKR_FN Path start_path(const LensRecord& lens, Float px, Float py, const Sampler& sampler) {
  const V2 in_pixel = sampler.point(uint32_t(kPixelPair));
  const Float x = px + in_pixel.x, y = py + in_pixel.y;
  V3 direction = uniform(lens.corner) + uniform(lens.right) * x + uniform(lens.up) * y;
  V3 origin = uniform(lens.eye);
  if (lens.aperture > 0.0f) {
    const V2 on_lens = disk_point(sampler.point(uint32_t(kLensPair)));
    const V3 offset =
        uniform(lens.lens_x) * (on_lens.x * lens.aperture) + uniform(lens.lens_y) * (on_lens.y * lens.aperture);
    origin = origin + offset;
    direction = direction * lens.focus - offset;
  }
  Path path;
  path.ray = make_ray(origin, normalized(direction));
  path.carries = all_of(1.0f);
  path.gathered = all_of(0.0f);
  return path;
}

// The fraction 0..1 of light that passes along the ray up to its limit, for lanes m.
BROKKR_FN Float unhindered(Warp& w, Search search, Ray ray, Mask m) {
  const SceneTables& scene = search.scene;
  if (scene.all_opaque) return select(any_hit(w, search, ray, m), 0.0f, Float(1.0f));
  Float through = 1.0f;
  Mask active = m;
  for (int passed = 0; passed < kMaxPassed && w.any(active); ++passed) {
    const Hit hit = nearest_hit(w, search, ray, active);
    active = active && hit.primitive != kNone;
    if (!w.any(active)) break;
    through = select(active, through * (1.0f - find_opacity(w, scene, hit, active)), through);
    active = active && through > 0.0f;
    ray.after = select(active, hit.t, ray.after);
    ray.after_primitive = select(active, as_int(hit.primitive), ray.after_primitive);
  }
  return select(active, 0.0f, through);
}

// The point at which a path meets a surface: the surface, its axes, and its scattering of the path's light.
struct Bounce {
  const Surface& surface;
  Axes axes;
  Scattering scattering;

  BROKKR_FN Bounce(const Surface& s, const Ray& ray)
      : surface(s), axes(axes_around(s.normal)), scattering(s, axes.to_local(-ray.direction)) {}
};

// The light from one sampled light that the surface scatters along the path. `which` chooses the light, and u its
// point.
BROKKR_FN V3 light_from_lights(Warp& w, const PathTools& tools, const Bounce& bounce, Float which, V2 u, Mask m) {
  const SceneTables& scene = tools.scene;
  const Surface& s = bounce.surface;
  const Axes& axes = bounce.axes;
  const Scattering& scattering = bounce.scattering;
  const bool has_sun = scene.sun[0] + scene.sun[1] + scene.sun[2] > 0.0f;
  const bool has_lights = scene.light_count > 0;
  if (!has_sun && !has_lights) return all_of(0.0f);
  const float sun_part = has_sun ? (has_lights ? 0.5f : 1.0f) : 0.0f;
  const Mask by_sun = which < sun_part;
  const V3 start = s.point + s.geometric * (2.0f * scene.tolerance);  // the same origin as that of the path's next ray
  V3 to_light = uniform(scene.to_sun), radiance = uniform(scene.sun) * (has_sun ? 1.0f / sun_part : 0.0f);
  Float limit = 3e38f;
  Mask lit = m;
  if (has_lights) {
    const Float choice = (which - sun_part) * (1.0f / (1.0f - sun_part));
    Uint low = 0u, high = scene.light_count - 1;
    for (uint32_t size = scene.light_count; size > 1; size = (size + 1) / 2) {
      const Uint middle = (low + high) >> 1;
      const Mask above = choice >= gather_word(w, scene.lights, middle, kLightWords, light_word::kSum, m);
      const Mask open = low < high;
      low = select(open && above, middle + 1u, low);
      high = select(open && !above, middle, high);
    }
    const Uint id = gather_bits(w, scene.lights, low, kLightWords, light_word::kTriangle, m);
    const V3 corner = gather3(w, scene.triangles, id, kTriangleWords, triangle_word::kCorner, m);
    const V3 e1 = gather3(w, scene.triangles, id, kTriangleWords, triangle_word::kEdge1, m);
    const V3 e2 = gather3(w, scene.triangles, id, kTriangleWords, triangle_word::kEdge2, m);
    const Float root = sqrt(u.x);
    Hit there;
    there.u = root * (1.0f - u.y);
    there.v = root * u.y;
    there.primitive = id;
    const V3 away = corner + e1 * there.u + e2 * there.v - start;
    const Float distance2 = maximum(dot(away, away), 1e-20f);
    const Float distance = sqrt(distance2);
    const V3 direction = away * (1.0f / distance);
    const Float facing = absolute(dot(normalized(cross(e1, e2)), direction));
    const Uint material = gather_bits(w, scene.triangles, id, kTriangleWords, triangle_word::kMaterial, m);
    const auto field = [&](int k) { return gather_word(w, scene.materials, material, kMaterialWords, k, m); };
    const HitAttributes at(w, scene, there, m);
    const V3 emission =
        V3{field(kEmission), field(kEmission + 1), field(kEmission + 2)} * at.texel(material, kEmissionMapping).color;
    // Densities with respect to solid angle.
    const Float its_density = field(kLightDensity) * (1.0f - sun_part) * distance2 / maximum(facing, 1e-6f);
    const V3 local = axes.to_local(direction);
    const Float other = scattering.value(local).density;
    const Float weight = its_density / maximum(its_density + other, 1e-20f);
    const Mask usable = facing > 1e-6f && its_density > 0.0f;
    to_light = select3(by_sun, to_light, direction);
    radiance = select3(by_sun, radiance, emission * (weight / maximum(its_density, 1e-20f)));
    limit = select(by_sun, limit, distance * (1.0f - 1e-4f));
    lit = lit && (by_sun || usable);
  }
  const V3 local = axes.to_local(to_light);
  lit = lit && local.z > 0.0f && dot(to_light, s.geometric) > 0.0f;
  const V3 color = scattering.value(local).color * radiance;
  lit = lit && largest(color) > 0.0f;
  if (!w.any(lit)) return all_of(0.0f);
  tools.counts.shadows += select(lit, 1u, 0u);
  Ray ray = make_ray(start, to_light);
  ray.limit = limit;
  const Float through = unhindered(w, tools.search(), ray, lit);
  return select3(lit, color * through, all_of(0.0f));
}

// Advances the lanes of m to their next surface and beyond. Returns the lanes whose path continues; paths end after
// `bounces`.
BROKKR_FN Mask advance(Warp& w, const PathTools& tools, uint32_t bounces, Path& path, const Sampler& sampler, Mask m) {
  const SceneTables& scene = tools.scene;
  tools.counts.segments += select(m, 1u, 0u);
  const Hit hit = nearest_hit(w, tools.search(), path.ray, m);
  const Mask escaped = m && hit.primitive == kNone;
  path.gathered = select3(escaped, path.gathered + path.carries * uniform(scene.sky), path.gathered);
  Mask on = m && hit.primitive != kNone;
  if (!w.any(on)) return on;
  const Surface s = find_surface(w, scene, path.ray, hit, on);
  const Uint pair = as_uint(path.bounce) * uint32_t(kPairsOfBounce) + uint32_t(kFirstBouncePair);
  // Decides which surface is hit and whether the path ends; each passed cut-out transforms the first number.
  const V2 chances = sampler.point(pair);
  const Float met = fraction(chances.x + to_float(path.passed) * 0.61803399f);
  const Mask passes = on && met >= s.opacity && path.passed < kMaxPassed;
  path.passed = select(passes, path.passed + 1, path.passed);
  path.ray.after = select(passes, hit.t, path.ray.after);
  path.ray.after_primitive = select(passes, as_int(hit.primitive), path.ray.after_primitive);
  on = on && !passes;
  if (!w.any(on)) return passes;

  // Light that the surface emits. The path could also have found it by sampling lights at the previous surface.
  const Float facing = absolute(dot(s.geometric, path.ray.direction));
  const bool has_sun = scene.sun[0] + scene.sun[1] + scene.sun[2] > 0.0f;
  const Float asked = s.light_density * (has_sun ? 0.5f : 1.0f) * (hit.t * hit.t) / maximum(facing, 1e-6f);
  const Mask could = path.density > 0.0f && s.light_density > 0.0f && facing > 1e-6f;
  const Float weight = select(could, path.density / maximum(path.density + asked, 1e-20f), 1.0f);
  path.gathered = select3(on, path.gathered + path.carries * s.emission * weight, path.gathered);
  on = on && path.bounce < int(bounces);
  if (!w.any(on)) return passes;

  const Bounce bounce(s, path.ray);
  const V2 light_which = sampler.point(pair + 1u);
  const V3 direct = light_from_lights(w, tools, bounce, light_which.x, sampler.point(pair + 2u), on);
  path.gathered = select3(on, path.gathered + path.carries * direct, path.gathered);

  const V3 local = bounce.scattering.choose(light_which.y, sampler.point(pair + 3u));
  const Scattering::Value value = bounce.scattering.value(local);
  const V3 direction = bounce.axes.to_world(local);
  on = on && value.density > 1e-12f && dot(direction, s.geometric) > 0.0f;
  V3 carries = path.carries * value.color * (1.0f / maximum(value.density, 1e-12f));
  const Float survives = select(path.bounce >= kSafeBounces, clamp_to(largest(carries), 0.0f, 1.0f), 1.0f);
  on = on && chances.y < survives && largest(carries) > 0.0f;
  carries = carries * (1.0f / maximum(survives, 1e-12f));
  const Ray next = make_ray(s.point + s.geometric * (2.0f * scene.tolerance), normalized(direction));
  path.carries = select3(on, carries, path.carries);
  path.density = select(on, value.density, path.density);
  path.bounce = select(on, path.bounce + 1, path.bounce);
  path.passed = select(on, 0, path.passed);
  path.ray.origin = select3(on, next.origin, path.ray.origin);
  path.ray.direction = select3(on, next.direction, path.ray.direction);
  path.ray.inverse = select3(on, next.inverse, path.ray.inverse);
  path.ray.after = select(on, 0.0f, path.ray.after);
  path.ray.after_primitive = select(on, -1, path.ray.after_primitive);
  return on || passes;
}

}  // namespace trace_machine
BROKKR_MACHINE_END

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
  add(plane_number::kRed, c.x);
  add(plane_number::kGreen, c.y);
  add(plane_number::kBlue, c.z);
  const Float bright = luminance(c);
  add(plane_number::kSquares, bright * bright);
  const Float channel[3] = {c.x, c.y, c.z};
  for (int k = 0; k < 3; ++k) {
    extreme(plane_number::kMinColor + plane_number::kChannel * k, channel[k], false);
    extreme(plane_number::kMaxColor + plane_number::kChannel * k, channel[k], true);
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
    const Mask goes_on = advance(w, {plan.scene, stack, counts}, plan.bounces, path, sampler, running);
    const Mask ends = running && !goes_on;
    running = goes_on;
    if (!w.any(ends)) continue;
    add_sample(w, plan, path.gathered, as_int(pixel + region * uint32_t(kRegionPixels)),
               (as_uint(number & (kSamplesOfTask - 1)) + first_sample) == 0u, ends);
  }
  add_counts(w, plan, counts);
}

// The error of a region under the plan's metric, summed over its pixels after n samples each.
//   gain      sigma / sqrt(n) - sigma / sqrt(n + 4): the expected improvement by four more samples [Kerbl18, 5.4.2]
//   contrast  uses in place of sigma the largest over the three channels of (most - least) / (most + least) of the
//             samples, divided by the channel's threshold [Mitchell87, 4]
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
      const Float mean =
          luminance({load(plane_number::kRed), load(plane_number::kGreen), load(plane_number::kBlue)}) / count;
      const Float variance = (load(plane_number::kSquares) - mean * mean * count) / maximum(count - 1.0f, 1.0f);
      spread = sqrt(maximum(variance, 0.0f));
    } else {
      const float threshold[3] = {0.4f, 0.3f, 0.6f};
      spread = 0.0f;
      for (int k = 0; k < 3; ++k) {
        const Float least = load(plane_number::kMinColor + plane_number::kChannel * k);
        const Float most = load(plane_number::kMaxColor + plane_number::kChannel * k);
        spread = maximum(spread, (most - least) / maximum(most + least, 1e-6f) * (1.0f / threshold[k]));
      }
    }
    const Float error = select(inside, clamp_to(spread * gain, 0.0f, 1000.0f), 0.0f);
    sum += w.reduce_add(Ulong(as_uint(to_int(error * 1048576.0f))));
  }
  return float(sum) * (1.0f / 1048576.0f);
}

// The error that determines the bucket of a region: its own error, or plan.neighbors times the largest latest error of
// its four neighbours if that is larger. So a region beside a noisy one gets samples again before its own four samples
// have found the noise: the non-local priorities that [Kerbl18, 8.3] leaves open. A neighbour that is being traced
// counts with its previous error.
BROKKR_FN float raised_error(Warp& w, const TracePlan& plan, uint32_t region, float error) {
  if (!(plan.neighbors > 0.0f)) return error;
  const uint32_t most = w.uniform([&]() -> uint32_t {
    const uint32_t x = region % plan.regions_x;
    uint32_t largest = 0;
    const auto look = [&](bool is_there, uint32_t other) {
      if (!is_there) return;
      const uint32_t theirs = device_atomic<uint32_t>(plan.errors[other]).load(kRelaxed);
      largest = theirs > largest ? theirs : largest;
    };
    look(x > 0, region - 1);
    look(x + 1 < plan.regions_x, region + 1);
    look(region >= plan.regions_x, region - plan.regions_x);
    look(region + plan.regions_x < plan.regions, region + plan.regions_x);
    return largest;
  });
  const float raised = float(most) * (plan.neighbors / kErrorUnits);
  return raised > error ? raised : error;
}

struct RegionTask {
  static constexpr int kId = 0, kThreads = 32, kWords = 2;  // region number, priority
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int thread, Mask) {
    Warp& w = worker.warp();
    const TracePlan& plan = worker.context().plan;
    const uint32_t region = w.broadcast(payload[0], 0);
    const uint32_t samples = w.uniform([&] { return plan.counts[region]; });
    // A narrow warp runs several times for one task; its first run decides whether the budget allows the task.
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
    const float measured = region_error(w, plan, region, now), error = raised_error(w, plan, region, measured);
    const bool again = w.uniform([&]() -> bool {
      plan.counts[region] = now;
      device_atomic<uint32_t>(plan.errors[region]).store(uint32_t(measured * kErrorUnits), kRelaxed);
      device_atomic<uint64_t>(plan.counters->tasks).fetch_add(1, kRelaxed);
      return plan.samples == 0 || now < plan.samples;
    });
    if (!again) return;
    const float part = (error - plan.low_error) / (plan.high_error - plan.low_error);
    const Float level = clamp_to(Float(part), 0.0f, 1.0f) * float(kFirstPriority - 0x20000u);
    const Uint next[kWords] = {region, plan.adaptive != 0 ? as_uint(to_int(level)) : Uint(kFirstPriority)};
    worker.template enqueue<RegionTask>(next, w.first_lanes(1));  // each queue has room for all regions
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
