#include "trace/tracer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "pipeline/task_machine.h"
#include "trace/tables.h"

namespace brokkr {
#define X(isa)                              \
  inline namespace isa {                    \
  namespace trace_build {                   \
  extern const trace::TraceKernels kernels; \
  }                                         \
  }
BROKKR_HAVE_ISA_LIST
#undef X
}  // namespace brokkr

namespace brokkr::trace {
namespace {

// Looks up TaskMachine::build.
const TraceKernels& trace_kernels(const std::string& build) {
#if defined(BROKKR_TRACE_CUDA)
  if (build == "cuda") return cuda_trace_kernels();
#endif
  if (build == "simt") return *static_cast<const TraceKernels*>(simt_device().kernels("trace"));
#define X(isa) \
  if (build == #isa) return isa::trace_build::kernels;
  BROKKR_HAVE_ISA_LIST
#undef X
  throw std::invalid_argument("--isa " + build + ": the path tracer was not built for it (see -DBROKKR_ISAS)");
}

float linear_of_srgb(int byte) {
  const double c = byte / 255.0;
  return float(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
}
std::vector<float> linear_table() {
  std::vector<float> table(256);
  for (int i = 0; i < 256; ++i) table[size_t(i)] = linear_of_srgb(i);
  return table;
}

// Allocates at least one element, so that every table has an address.
template <class T>
TaskArray<T> on_machine(TaskMachine& machine, const std::vector<T>& values) {
  return values.empty() ? TaskArray<T>(machine, 1) : TaskArray<T>(machine, values);
}

constexpr uint32_t kMaxRegions = 1u << 22;

// Host memory per pixel: three planes, the three floats of the picture, a count, a word for the screen, and a file to
// write.
constexpr uint64_t kPictureBytes = 12 + 12 + 4 + 4 + 8;

// The upper bound of errors is halved after this many consecutive tasks from the lower half of the buckets. Tasks run
// in order of urgency, so if the current task has a low error, all queued tasks have. With 1, the bound falls while
// tasks with higher errors are still in progress; with hundreds, small pictures are finished before it falls.
constexpr uint64_t kPatience = 16;

}  // namespace

struct Tracer::State {
  std::unique_ptr<TaskMachine> machine;
  const TraceKernels& kernels;
  Structure structure;
  TracePlan plan;
  uint32_t warps;
  TaskArray<TriangleRecord> triangles;
  TaskArray<CornerRecord> corners;
  TaskArray<MaterialRecord> materials;
  TaskArray<TextureRecord> textures;
  TaskArray<uint32_t> texels;
  TaskArray<float> linear;
  TaskArray<LightRecord> lights;
  TaskArray<uint32_t> places;
  TaskArray<KdNode> kd;
  TaskArray<BvhNode> bvh;
  TaskArray<WideNode> wide;
  TaskArray<TriangleBlock> blocks;
  TaskArray<uint32_t> cells;
  TaskArray<GrugGroup> groups;
  TaskArray<float> planes;
  TaskArray<uint32_t> errors, counts, begun, stacks;
  TaskArray<TraceCounters> counters;
  TaskArray<std::byte> memory;
  HeldMemory picture_memory;  // for TracePicture and its conversions
  uint64_t patience = 0;
  double ms = 0;

  static uint32_t regions_of(int width, int height) {
    const uint64_t x = uint64_t(width + kRegion - 1) / kRegion, y = uint64_t(height + kRegion - 1) / kRegion;
    if (x * y == 0 || x * y > kMaxRegions)
      throw std::invalid_argument("--size: a traced picture has 1 to " + std::to_string(kMaxRegions) +
                                  " regions of 8x8 pixels; choose a smaller one");
    return uint32_t(x * y);
  }
  static uint32_t warps_of(TaskMachine& m, const TraceKernels& k, const TraceOptions& o) {
    const uint32_t most = m.max_warps(k.on_gpu);
    if (o.workers > most)
      throw std::invalid_argument("--workers: machine " + m.name + " runs at most " + std::to_string(most) +
                                  " warps at once");
    return o.workers != 0 ? o.workers : std::min(m.usual_warps(k.on_gpu), most);
  }
  static uint32_t children_of(const TraceKernels& k, const TraceOptions& o) {
    return o.bvh_children != 0 ? o.bvh_children : k.width <= 2 * kWide ? uint32_t(kWide) : 2u;
  }
  static uint32_t capacity_of(uint32_t regions) { return std::max(4u, std::bit_ceil(regions)); }

  State(std::unique_ptr<TaskMachine> its_machine, const TraceScene& s, const TraceOptions& o)
      : machine(std::move(its_machine)),
        kernels(trace_kernels(machine->build)),
        structure(build_structure(s, o.structure, o.grid, children_of(kernels, o), machine->budget())),
        warps(warps_of(*machine, kernels, o)),
        triangles(on_machine(*machine, s.triangles)),
        corners(on_machine(*machine, s.corners)),
        materials(on_machine(*machine, s.materials)),
        textures(on_machine(*machine, s.textures)),
        texels(on_machine(*machine, s.texels)),
        linear(*machine, linear_table()),
        lights(on_machine(*machine, s.lights)),
        places(on_machine(*machine, structure.places)),
        kd(on_machine(*machine, structure.kd)),
        bvh(on_machine(*machine, structure.bvh)),
        wide(on_machine(*machine, structure.wide)),
        blocks(on_machine(*machine, structure.blocks)),
        cells(on_machine(*machine, structure.cells)),
        groups(on_machine(*machine, structure.groups)),
        planes(*machine, 1),
        errors(*machine, 1),
        counts(*machine, 1),
        begun(*machine, 1),
        stacks(*machine, size_t(warps) * 3 * kStackEntries * 32),
        counters(*machine, 1),
        memory(*machine, 1) {
    fill_scene(s);
    plan.seed = o.seed;
    plan.bounces = o.bounces;
    plan.adaptive = o.adaptive ? 1 : 0;
    plan.metric = o.metric;
    plan.low_error = o.low_error;
    plan.high_error = o.high_error;
    plan.neighbors = o.neighbors;
    patience = o.adaptive && o.decreasing_priorities ? kPatience : 0;
    plan.begun = begun.data();
    plan.counters = counters.data();
    plan.stacks = stacks.data();
    plan.abort = machine->abort_word();
    plan.pause = machine->pause_word();
    set_samples(o.samples, regions_of(s.width, s.height));
    look(s.width, s.height, s.lens);
  }
  // Computes the number of tasks for `regions` regions.
  void set_samples(uint32_t samples, uint32_t regions) {
    const uint32_t tasks = std::max(1u, (samples + kSamplesOfTask - 1) / kSamplesOfTask);
    const bool adaptive = plan.adaptive != 0;
    // The first task of each region does not count.
    const uint64_t budget = uint64_t(tasks - 1) * regions;
    if (adaptive && budget > 0xf0000000u)
      throw std::invalid_argument("--samples: too many for a picture of this size with --adaptive; choose fewer");
    plan.samples = adaptive && budget > 0 ? 0 : tasks * kSamplesOfTask;
    plan.budget = adaptive ? uint32_t(budget) : 0;
  }
  // Allocates memory for a picture of this size if the size has changed.
  void look(int width, int height, const LensRecord& lens) {
    const uint32_t regions = regions_of(width, height);
    plan.lens = lens;
    if (plan.width == uint32_t(width) && plan.height == uint32_t(height)) return;
    const bool fits = plan.regions == regions;
    plan.width = uint32_t(width);
    plan.height = uint32_t(height);
    plan.regions_x = uint32_t(width + kRegion - 1) / kRegion;
    plan.regions = regions;
    plan.capacity = capacity_of(regions);
    if (fits) return;
    picture_memory = {};
    picture_memory = HeldMemory(machine->budget(), uint64_t(regions) * kRegionPixels * kPictureBytes, "picture");
    planes = TaskArray<float>(*machine, size_t(kPlanes) * regions * kRegionPixels);
    errors = TaskArray<uint32_t>(*machine, regions);
    counts = TaskArray<uint32_t>(*machine, regions);
    memory = TaskArray<std::byte>(*machine, kernels.memory(plan.adaptive != 0, plan.capacity, warps).bytes);
    plan.planes = planes.data();
    plan.counts = counts.data();
    plan.errors = errors.data();
    plan.memory = memory.data();
  }
  void fill_scene(const TraceScene& s) {
    SceneTables& t = plan.scene;
    t.triangles = triangles.data();
    t.corners = corners.data();
    t.materials = materials.data();
    t.textures = textures.data();
    t.texels = texels.data();
    t.linear = linear.data();
    t.lights = lights.data();
    t.light_count = uint32_t(s.lights.size());
    for (int k = 0; k < 3; ++k) {
      t.sky[k] = s.sky[k];
      t.sun[k] = s.sun[k];
      t.to_sun[k] = s.to_sun[k];
      t.low[k] = s.low[k];
      t.high[k] = s.high[k];
    }
    t.tolerance = s.tolerance;
    t.all_opaque = s.all_opaque;
    t.structure = structure.kind;
    t.places = places.data();
    t.kd = kd.data();
    t.bvh = bvh.data();
    t.wide = wide.data();
    t.blocks = blocks.data();
    t.bvh_children = structure.bvh_children;
    t.cells = cells.data();
    t.groups = groups.data();
    t.grid_bits = structure.grid_bits;
  }
  TraceMemory its_places() const { return kernels.memory(plan.adaptive != 0, plan.capacity, warps); }
  // Sets the words of the program that are not initially 0.
  void begin() const {
    const TraceMemory at = its_places();
    machine->upload(memory.data() + at.open_at, &warps, sizeof warps);
    if (patience != 0) machine->upload(memory.data() + at.patience_at, &patience, sizeof patience);
  }
  uint32_t open() const {
    uint32_t tasks = 0;
    machine->download(&tasks, memory.data() + its_places().open_at, sizeof tasks);
    return tasks;
  }
  uint32_t halvings() const {
    uint64_t word = 0;
    if (patience != 0) machine->download(&word, memory.data() + its_places().halvings_at, sizeof word);
    return uint32_t(word);
  }
};

Tracer::Tracer(std::unique_ptr<TaskMachine> machine, const TraceScene& scene, const TraceOptions& options) {
  if (options.grid < 4 || options.grid > 1024 || !std::has_single_bit(options.grid))
    throw std::invalid_argument("--grid: " + std::to_string(options.grid) + " is not a power of two in 4 .. 1024");
  if (options.bvh_children != 0 && options.bvh_children != 2 && options.bvh_children != uint32_t(kWide))
    throw std::invalid_argument("--children: a node of the BVH has 2 or 8");
  if (!(options.high_error > options.low_error))
    throw std::invalid_argument("--worst-error: it must be above the least error");
  if (!(options.neighbors >= 0 && options.neighbors <= 1))
    throw std::invalid_argument("--neighbors: it must be 0 .. 1");
  state_ = std::make_unique<State>(std::move(machine), scene, options);
  reset();
}
Tracer::~Tracer() = default;

void Tracer::reset() {
  State& s = *state_;
  s.planes.clear();
  s.counts.clear();
  s.errors.clear();
  s.begun.clear();
  s.counters.clear();
  s.memory.clear();
  s.begin();
  s.plan.resumed = 0;
  s.ms = 0;
}
void Tracer::set_lens(const LensRecord& lens) {
  state_->plan.lens = lens;
  reset();
}
void Tracer::set_view(int width, int height, const LensRecord& lens, uint32_t samples) {
  state_->set_samples(samples, State::regions_of(width, height));
  state_->look(width, height, lens);
  reset();
}
void Tracer::request_pause() { state_->machine->request_pause(); }

TraceReport Tracer::run(double pause_ms) {
  State& s = *state_;
  constexpr double kNever = 1e9;  // ms
  const TaskRun run =
      s.machine->run(TaskKernel<TracePlan>{s.kernels.on_cpu, s.kernels.on_gpu}, s.plan, s.warps, {pause_ms, kNever});
  if (run.end == TaskEnd::aborted) throw std::runtime_error("the path tracer was aborted");
  s.plan.resumed = 1;
  s.ms += run.ms;
  const TraceCounters all = s.counters.values()[0];
  return {run.end,         s.open() == 0, s.ms,       all.tasks, all.segments,
          all.shadow_rays, all.steps,     all.groups, all.tests, s.halvings()};
}

TracePicture Tracer::picture() const {
  const State& s = *state_;
  const std::vector<float> planes = s.planes.values(0, size_t(3) * s.plan.regions * kRegionPixels);
  const std::vector<uint32_t> counts = s.counts.values();
  TracePicture picture;
  picture.width = int(s.plan.width);
  picture.height = int(s.plan.height);
  const size_t pixels = size_t(s.plan.width) * s.plan.height;
  picture.rgb.resize(pixels * 3);
  picture.samples.resize(pixels);
  const size_t plane = size_t(s.plan.regions) * kRegionPixels;
  for (uint32_t y = 0; y < s.plan.height; ++y) {
    for (uint32_t x = 0; x < s.plan.width; ++x) {
      const size_t region = size_t(y / kRegion) * s.plan.regions_x + x / kRegion;
      const size_t from = region * kRegionPixels + (y % kRegion) * kRegion + x % kRegion;
      const size_t to = size_t(y) * s.plan.width + x;
      picture.samples[to] = counts[region];
      if (counts[region] == 0) continue;
      for (size_t k = 0; k < 3; ++k) picture.rgb[to * 3 + k] = planes[k * plane + from] / float(counts[region]);
    }
  }
  return picture;
}

const Structure& Tracer::structure() const { return state_->structure; }
const TaskMachine& Tracer::machine() const { return *state_->machine; }
uint32_t Tracer::workers() const { return state_->warps; }

}  // namespace brokkr::trace

namespace brokkr::trace {

namespace {

uint32_t encoded(float linear) {
  const double c = std::clamp(double(linear), 0.0, 1.0);
  const double s = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
  return uint32_t(std::lround(s * 255));
}

// `encoded` by table lookup: a picture that is displayed repeatedly has millions of channels.
class Encoder {
 public:
  Encoder() {
    for (uint32_t i = 0; i < kEntries; ++i) first_[i] = uint8_t(encoded(start_of(i)));
    for (uint32_t level = 1; level < 256; ++level) threshold_[level] = threshold_of(level);
    threshold_[256] = 2;  // above all floats
  }
  uint32_t operator()(float linear) const {
    const float c = linear > 0 ? std::min(linear, 1.0f) : 0.0f;
    uint32_t level = first_[std::bit_cast<uint32_t>(c) >> kShift];
    while (c >= threshold_[level + 1]) ++level;
    return level;
  }

 private:
  // Indexes floats up to 1 by their upper bits.
  static constexpr uint32_t kShift = 16, kEntries = (0x3f800000u >> kShift) + 1;
  static float start_of(uint32_t entry) { return std::bit_cast<float>(entry << kShift); }
  // The smallest float that becomes this level.
  static float threshold_of(uint32_t level) {
    uint32_t below = 0, at = 0x3f800000u;  // bit patterns of 0 and 1, which have the same order as the floats
    while (at - below > 1) {
      const uint32_t middle = (below + at) / 2;
      (encoded(std::bit_cast<float>(middle)) >= level ? at : below) = middle;
    }
    return std::bit_cast<float>(at);
  }
  std::array<uint8_t, kEntries> first_{};
  std::array<float, 257> threshold_{};
};

}  // namespace

float automatic_exposure(const TracePicture& picture, const glm::vec3& sky) {
  double sum = 0;
  uint64_t count = 0;
  for (size_t i = 0; i < picture.samples.size(); ++i) {
    const float* const c = &picture.rgb[3 * i];
    if (glm::vec3(c[0], c[1], c[2]) == sky) continue;
    const double luminance = 0.2126 * double(c[0]) + 0.7152 * double(c[1]) + 0.0722 * double(c[2]);
    if (!(luminance > 1e-6) || !std::isfinite(luminance)) continue;
    sum += std::log2(luminance);
    ++count;
  }
  if (count == 0) return 0;
  constexpr double kMiddleGrey = 0.18;
  return float(std::log2(kMiddleGrey) - sum / double(count));
}

std::vector<uint32_t> screen_pixels(const TracePicture& picture, float exposure, Tone tone) {
  static const Encoder encode;
  const float scale = std::exp2(exposure);
  std::vector<uint32_t> pixels(picture.samples.size());
  for (size_t i = 0; i < pixels.size(); ++i) {
    uint32_t pixel = 0xff000000u;
    for (size_t k = 0; k < 3; ++k) {
      float c = picture.rgb[3 * i + k] * scale;
      if (tone == Tone::filmic) c = c * (1 + c / 16) / (1 + c);
      pixel |= encode(c) << (8 * k);
    }
    pixels[i] = pixel;
  }
  return pixels;
}

std::vector<uint32_t> sample_map_pixels(const TracePicture& picture) {
  const uint32_t most = *std::max_element(picture.samples.begin(), picture.samples.end());
  std::vector<uint32_t> pixels(picture.samples.size());
  for (size_t i = 0; i < pixels.size(); ++i) {
    const uint32_t grey = most == 0 ? 0 : uint32_t(uint64_t(picture.samples[i]) * 255 / most);
    pixels[i] = 0xff000000u | grey * 0x010101u;
  }
  return pixels;
}

}  // namespace brokkr::trace
