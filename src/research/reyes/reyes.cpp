#include "reyes/reyes.h"

#include <time.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/trigonometric.hpp>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "base/failure.h"
#include "base/memory_budget.h"
#include "formats/scene_setup.h"
#include "pipeline/task_machine.h"
#include "reyes/frame_cost.h"
#include "reyes/reyes_plan.h"
#include "schedule/schedule_tables.h"

namespace brokkr {

// Measures the time for which threads of this program were ready to run but waited for a processor.

// Waiting time in ns since each thread's start, by thread. Empty if the system does not report it.
using ThreadWaits = std::map<std::string, uint64_t>;

ThreadWaits thread_waits() {
  ThreadWaits waits;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc/self/task", error), end; !error && at != end;
       at.increment(error)) {
    // Linux's /proc/PID/schedstat: time on a processor, time in its queue, and number of turns.
    std::ifstream file(at->path() / "schedstat");
    uint64_t ran = 0, waited = 0;
    if (file >> ran >> waited) waits[at->path().filename().string()] = waited;
  }
  return waits;
}

// The longest wait of a single thread between two moments, in ms.
double longest_wait_ms(const ThreadWaits& before, const ThreadWaits& after) {
  uint64_t longest = 0;
  for (const auto& [thread, waited] : after) {
    const auto its = before.find(thread);
    const uint64_t then = its == before.end() ? 0 : its->second;
    longest = std::max(longest, waited > then ? waited - then : 0);
  }
  return double(longest) * 1e-6;
}

// Processor time of all threads since the program's start, in ms.
double processor_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) * 1e3 + double(t.tv_nsec) * 1e-6;
}

#define X(isa)                       \
  inline namespace isa {             \
  namespace reyes {                  \
  extern const ReyesKernels kernels; \
  }                                  \
  }
BROKKR_HAVE_ISA_LIST
#undef X

const ReyesKernels* find_reyes_kernels(const char* build) {
#define X(isa) \
  if (std::strcmp(build, #isa) == 0) return &isa::reyes::kernels;
  BROKKR_HAVE_ISA_LIST
#undef X
#if defined(BROKKR_REYES_CUDA)
  if (std::strcmp(build, "cuda") == 0) return &cuda_reyes_kernels();
#endif
  if (std::strcmp(build, "simt") == 0) return static_cast<const ReyesKernels*>(simt_device().kernels("reyes"));
  return nullptr;
}

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Initial capacity per grid; it grows if necessary. A grid has at most 289 vertices and 1536 indices, and gets more of
// both next to finer grids.
constexpr uint32_t kGridPoints = 320, kGridIndices = 1800, kGridEdges = 16;
constexpr uint32_t kFirstGrids = 4096, kMaxGrids = 1u << 20, kFirstQueue = 4096, kMaxQueue = 1u << 17;
// Size of the fixation point's surroundings, as a fraction of the picture's diagonal.
constexpr float kFalloff = 1.0f / 12;
// Fractions of a budget: the minimum for splits, and the reserve for frames that take longer than the previous ones. A
// larger minimum makes grids coarser, so that more pieces are split. A larger reserve makes fewer frames late and all
// frames coarser.
constexpr double kPartOfSplits = 0.2, kReserve = 0.04;
// The number of consecutive decisions that must find the upper half of the priorities empty before their bound is
// lowered. A smaller number reacts faster, but moves tasks more often.
constexpr uint64_t kPatience = 16;

// The memory of a grid.
uint64_t bytes_of_grids(uint64_t grids, uint64_t slack) {
  constexpr uint64_t kPoint = 8 * sizeof(float) + sizeof(uint32_t), kEdge = sizeof(uint64_t) + sizeof(uint32_t);
  return grids *
         (sizeof(GridRecord) + slack * (kGridPoints * kPoint + kGridIndices * sizeof(uint32_t)) + kGridEdges * kEdge);
}
// Host memory per patch: its points at rest and in motion, the numbers of its edges, and its part of the table that
// finds them.
constexpr uint64_t kPatchBytes = 2 * kPatchPoints * sizeof(glm::vec3) + 4 * (sizeof(uint32_t) + 112);

const ReyesKernels& kernels_of(const TaskMachine& machine) {
  const ReyesKernels* kernels = find_reyes_kernels(machine.build.c_str());
  if (kernels != nullptr) return *kernels;
  throw std::invalid_argument("micropolygons: machine " + machine.build + " is not built into this program");
}

MachineKind kind_of(const std::string& name) {
  for (const auto& choice : Choices<MachineKind>::all) {
    if (name == choice.name) return choice.value;
  }
  fail("machine '{}': there is no such machine", name);
}

}  // namespace

// The program's memory, large enough for all scenes so far.
struct ReyesMemory {
  TaskArray<std::byte> program;
  TaskArray<ReyesCounts> counts;
  TaskArray<GridRecord> grids;
  TaskArray<float> vertices, colors;
  TaskArray<uint32_t> parameters, indices;
  TaskArray<uint64_t> edge_keys;
  TaskArray<uint32_t> edge_marks;
  ReyesProgramMemory places;

  ReyesMemory(TaskMachine& machine, const ReyesProgramMemory& its, uint32_t grid_count, uint32_t slack)
      : program(machine, its.bytes),
        counts(machine, 1),
        grids(machine, grid_count),
        vertices(machine, size_t(grid_count) * kGridPoints * slack * 4),
        colors(machine, size_t(grid_count) * kGridPoints * slack * 4),
        parameters(machine, size_t(grid_count) * kGridPoints * slack),
        indices(machine, size_t(grid_count) * kGridIndices * slack),
        edge_keys(machine, size_t(grid_count) * kGridEdges),
        edge_marks(machine, size_t(grid_count) * kGridEdges),
        places(its) {}
};

struct Reyes::Impl {
  PatchScene scene;
  ReyesMachine settings;
  std::shared_ptr<MemoryBudget> budget;
  HeldMemory scene_memory;
  std::unique_ptr<TaskMachine> machine;
  const ReyesKernels& kernels;
  uint32_t workers = 1;
  Renderer renderer;
  RenderOptions render;
  TaskArray<uint32_t> edges, materials;
  TaskArray<float> palette, points;
  uint32_t grid_capacity = kFirstGrids, queue_capacity = kFirstQueue, slack = 1;
  std::unique_ptr<ReyesMemory> memory;
  FrameCost cost;
  uint32_t visible = 0;  // patches that were not culled in the last frame
  Frame frame;
  HeldMemory frame_memory, pictures_memory;
  uint64_t frame_bytes = 0;           // counted in frame_memory
  std::vector<uint32_t> raw_indices;  // in the order in which the machine wrote the indices

  Impl(PatchScene its, const ReyesMachine& s)
      : scene(std::move(its)),
        settings(s),
        budget(std::make_shared<MemoryBudget>(
            s.memory_limit, "give a larger --rate, a smaller --size or a limit (--tasks, --budget)", scene.name)),
        scene_memory(budget, scene.patches() * kPatchBytes, "patches"),
        machine(make_machine(s, budget)),
        kernels(kernels_of(*machine)),
        edges(*machine, edge_numbers(scene.points)),
        materials(*machine, scene.materials),
        palette(*machine, palette_of(scene)),
        points(*machine, scene.points.size() * 3) {
    workers = std::min(settings.workers > 0 ? settings.workers : machine->usual_warps(kernels.split.on_gpu),
                       machine->max_warps(kernels.split.on_gpu));
    render.machine = kind_of(machine->name);
    if (render.machine == MachineKind::cpu) render.isa = machine->build;
    render.workers = int(settings.workers);
    render.shading = Shading::material;
    // Use a store of the same size for all frames. If its size followed the frame's triangles, a frame that needs
    // another size would pay for new pages, which exceeds most budgets.
    if (!machine->is_gpu()) render.store_blocks = int(kMaxStoreBlocks);
    // A small memory limit leaves room for small pictures.
    const uint32_t least = std::bit_ceil(scene.patches() * 2);
    grid_capacity = std::max(kFirstGrids, least);
    while (grid_capacity > least && !budget->fits(2 * bytes_of_grids(grid_capacity, slack))) grid_capacity /= 2;
    make_memory();
    Material material;
    material.name = "micropolygons";
    material.kind = MaterialKind::metallic_roughness;
    material.diffuse = glm::vec3(1);
    material.unlit = true;
    frame.materials = {material};
    frame.models = {glm::mat4(1)};
  }

  static std::vector<float> palette_of(const PatchScene& scene) {
    std::vector<float> values;
    for (const PatchMaterial& m : scene.palette)
      values.insert(values.end(), {m.color.x, m.color.y, m.color.z, m.gloss, m.scales});
    return values;
  }

  static std::unique_ptr<TaskMachine> make_machine(const ReyesMachine& s, const std::shared_ptr<MemoryBudget>& budget) {
    std::unique_ptr<TaskMachine> made = make_task_machine(s.machine, s.isa);
    made->use_budget(budget, "grids");
    return made;
  }

  // The rest of the limit is for the pipeline, which counts the frame itself.
  int megabytes_of_pipeline() const {
    return int(std::clamp<uint64_t>((budget->left() + frame_bytes) >> 20, 1, 1u << 24));
  }

  void make_memory() {
    memory.reset();  // freed before a larger one is allocated
    memory = std::make_unique<ReyesMemory>(*machine, kernels.memory(queue_capacity, workers), grid_capacity, slack);
  }
  void grow(const ReyesCounts& counts) {
    const uint32_t more_slack = counts.lost > 0 ? slack * 2 : slack,
                   more_grids = counts.crowded > 0 ? grid_capacity * 2 : grid_capacity;
    if (more_grids > kMaxGrids || more_slack > 64) {
      fail("micropolygons: the picture needs more than {} grids; give a larger --rate or a smaller --size", kMaxGrids);
    }
    budget->check(bytes_of_grids(more_grids, more_slack) - bytes_of_grids(grid_capacity, slack), "grids");
    slack = more_slack;
    grid_capacity = more_grids;
    if (counts.crowded > 0) queue_capacity = std::min(kMaxQueue, queue_capacity * 2);
    make_memory();
  }
  bool can_have_more_grids() const {
    return grid_capacity < kMaxGrids && budget->fits(2 * bytes_of_grids(grid_capacity, slack));
  }

  // Sets up the frame's targets, view and clear.
  void set_up(float phase, const ReyesOptions& o, const std::vector<glm::vec3>& moved) {
    if (!(o.rate >= 0.25f && o.rate <= 64)) fail("micropolygons, field 'rate': {} is outside 0.25..64 pixels", o.rate);
    if (o.grid > 16 || (o.grid & (o.grid - 1)) != 0) {
      fail("micropolygons, field 'grid': {} is not one of 1, 2, 4, 8 and 16", o.grid);
    }
    Bounds bounds;
    for (const glm::vec3& point : moved) bounds.add(point);
    LoadOptions load;
    load.width = o.width;
    load.height = o.height;
    Camera camera = scene.camera ? *scene.camera : fit_camera(scene.bounds(), scene_aspect(load));
    camera = parse_camera(o.camera, camera);
    const glm::mat4 turn = glm::rotate(glm::mat4(1), glm::radians(o.turned), glm::normalize(camera.up));
    camera.eye = camera.target + glm::vec3(turn * glm::vec4(camera.eye - camera.target, 0));
    frame.commands.clear();
    set_up_scene(frame, bounds, camera, load);
    frame.source = scene.name + " at " + std::to_string(phase);
    frame.states = {opaque_state(frame)};
  }

  // The number of halvings of grids' sides: the largest number for which a frame without splits leaves part of the
  // budget for splits. If there is none, uses two triangles per patch, or a finer grid if that costs almost nothing
  // more.
  uint32_t dice_of(const ReyesOptions& o) const {
    if (o.grid != 0) return uint32_t(std::countr_zero(o.grid));
    if (o.budget_ms <= 0) return o.tasks ? 3 : kMaxDice;
    const auto least_ms = [&](uint32_t dice) {
      return cost.fixed_ms() + visible * (cost.grid_ms(dice) + cost.shade_ms(dice));
    };
    uint32_t dice = kMaxDice;
    while (dice > 0 && least_ms(dice) > (1 - kPartOfSplits) * o.budget_ms) --dice;
    const double last = least_ms(0) + 0.02 * o.budget_ms;
    while (dice < kMaxDice && least_ms(dice + 1) <= last) ++dice;
    return dice;
  }
  ReyesPlan plan_of(const ReyesOptions& o) {
    ReyesPlan plan;
    plan.points = points.data();
    plan.edges = edges.data();
    plan.materials = materials.data();
    plan.palette = palette.data();
    plan.patches = scene.patches();
    const View& view = frame.views[0];
    for (int c = 0; c < 4; ++c) {
      plan.clip_x[c] = view.view_projection[c][0];
      plan.clip_y[c] = view.view_projection[c][1];
      plan.clip_w[c] = view.view_projection[c][3];
    }
    const glm::vec3 light = glm::normalize(frame.light_direction);
    for (int c = 0; c < 3; ++c) plan.eye[c] = view.eye[c], plan.light[c] = light[c];
    plan.half_width = 0.5f * float(o.width);
    plan.half_height = 0.5f * float(o.height);
    plan.fixation_x = o.fixation ? (*o.fixation)[0] - plan.half_width : 0;
    plan.fixation_y = o.fixation ? (*o.fixation)[1] - plan.half_height : 0;
    plan.falloff = std::max(1.0f, kFalloff * std::hypot(float(o.width), float(o.height)));
    plan.rate = o.rate;
    plan.max_dice = dice_of(o);
    plan.priority = o.priority;
    plan.look = o.look;
    if (o.tasks) plan.task_limit = *o.tasks;
    return plan;
  }
  void give_memory(ReyesPlan& plan, const ReyesOptions& o) {
    if (!memory) make_memory();  // if more memory could not be allocated
    plan.program = memory->program.data();
    plan.queue_capacity = queue_capacity;
    plan.workers = workers;
    plan.abort = machine->abort_word();
    plan.counts = memory->counts.data();
    plan.grids = memory->grids.data();
    plan.grid_capacity = grid_capacity;
    plan.point_capacity = uint32_t(memory->parameters.size());
    plan.index_capacity = uint32_t(memory->indices.size());
    plan.vertices = memory->vertices.data();
    plan.colors = memory->colors.data();
    plan.parameters = memory->parameters.data();
    plan.indices = memory->indices.data();
    plan.edge_keys = memory->edge_keys.data();
    plan.edge_marks = memory->edge_marks.data();
    plan.edge_capacity = uint32_t(memory->edge_keys.size());
    const ReyesProgramMemory& places = memory->places;
    machine->clear(plan.program + places.words_at, places.bytes - places.words_at);
    machine->upload(plan.program + places.open_at, &workers, sizeof(workers));
    const uint64_t patience = o.decreasing_priorities ? kPatience : 0;
    machine->upload(plan.program + places.patience_at, &patience, sizeof(patience));
    memory->edge_keys.clear();
    memory->edge_marks.clear();
    ReyesCounts counts{};
    counts.total = scene.patches();
    machine->upload(plan.counts, &counts, sizeof(counts));
  }
  void run(const ReyesKernel& kernel, const ReyesPlan& plan) {
    const TaskKernel<ReyesPlan> its{kernel.on_cpu, kernel.on_gpu};
    if (machine->run(its, plan, workers, {}).end != TaskEnd::done) fail("micropolygons: the task program hangs");
  }

  // Splits, dices, shades and stitches into `memory`.
  void make_grids(ReyesPlan& plan, const ReyesOptions& o, ReyesStatistics& s, Clock::time_point frame_begin) {
    for (;;) {
      const Clock::time_point begin = Clock::now();
      give_memory(plan, o);
      if (s.budget_ms > 0) {
        const double left = (1 - kReserve) * s.budget_ms - since(frame_begin) - cost.fixed_ms();
        plan.deadline_ns = uint64_t(std::max(0.0, left) * 1e6);
        plan.split_ns = uint64_t(cost.split_ms() * 1e6);
        plan.grid_ns = uint64_t(cost.grid_ms(plan.max_dice) * 1e6);
        plan.shade_ns = uint64_t(cost.shade_ms(plan.max_dice) * 1e6);
      }
      run(kernels.split, plan);
      s.split_ms = since(begin);
      const Clock::time_point stitch = Clock::now();
      run(kernels.stitch, plan);
      s.stitch_ms = since(stitch);
      s.counts = memory->counts.values()[0];
      machine->download(&s.halvings, plan.program + memory->places.halvings_at, sizeof(s.halvings));
      // If there is a limit, pieces without room may stay unsplit; triangles must never be missing.
      if (s.counts.lost == 0 && (s.counts.crowded == 0 || plan.limited())) return;
      grow(s.counts);
    }
  }

  // Counts the memory of the frame's lists and of assembling them.
  void hold_frame(const ReyesCounts& counts, const ReyesOptions& o) {
    constexpr uint64_t kVertex = 2 * sizeof(glm::vec4) + sizeof(glm::vec3);
    // Memory for the lines of a grid along its four sides.
    constexpr uint64_t kLines = 4 << kMaxDice, kOfLine = 4 * kVertex + 6 * sizeof(uint32_t);
    uint64_t bytes = counts.points * kVertex + counts.indices * 2 * sizeof(uint32_t) +
                     counts.grids * (sizeof(GridRecord) + sizeof(uint32_t));
    if (o.grid_lines) bytes += counts.grids * kLines * kOfLine;
    frame_bytes = 0;
    frame_memory = {};
    frame_memory = HeldMemory(budget, bytes, "triangles");
    frame_bytes = bytes;
  }

  // Converts the grids to a draw of the frame.
  void fill_frame(const ReyesOptions& o, const ReyesPlan& plan, ReyesStatistics& s) {
    const Clock::time_point begin = Clock::now();
    const ReyesCounts& counts = s.counts;
    hold_frame(counts, o);
    frame.positions.resize(counts.points);
    frame.colors.resize(counts.points);
    machine->download(frame.positions.data(), memory->vertices.data(), frame.positions.size() * sizeof(glm::vec4));
    machine->download(frame.colors.data(), memory->colors.data(), frame.colors.size() * sizeof(glm::vec4));
    const std::vector<GridRecord> grids = memory->grids.values(0, counts.grids);
    if (raw_indices.size() < counts.indices) raw_indices.resize(counts.indices);
    machine->download(raw_indices.data(), memory->indices.data(), counts.indices * sizeof(uint32_t));
    std::vector<uint32_t> order(grids.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto place = [&](uint32_t g) { return std::tuple(grids[g].patch, grids[g].corner, grids[g].shape); };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return place(a) < place(b); });
    frame.indices.clear();
    frame.indices.reserve(counts.indices);
    for (const uint32_t g : order) {
      const auto first = raw_indices.begin() + grids[g].first_index;
      frame.indices.insert(frame.indices.end(), first, first + grids[g].indices);
    }
    s.triangles = frame.indices.size() / 3;
    s.vertices = frame.positions.size();
    // Vertices are already shaded, but a draw with a material needs normals.
    frame.normals.resize(frame.positions.size(), glm::vec3(0, 1, 0));
    DrawCommand draw;
    draw.vertex_kind = VertexKind::transform;
    draw.indexed = true;
    draw.element_count = uint32_t(frame.indices.size());
    draw.vertex_count = uint32_t(frame.positions.size());
    draw.label = "micropolygons";
    if (draw.element_count > 0) frame.commands.emplace_back(draw);
    if (o.grid_lines && draw.element_count > 0) add_lines(grids, order, draw, plan);
    s.stitch_ms += since(begin);
  }

  // Draws the sides of grids as lines one and a half pixels wide: triangles that face the eye, slightly in front of the
  // surface.
  void add_lines(const std::vector<GridRecord>& grids, const std::vector<uint32_t>& order, DrawCommand draw,
                 const ReyesPlan& plan) {
    constexpr float kHalfWidth = 0.75f, kBefore = 2e-3f;
    const glm::vec3 eye = frame.views[0].eye;
    const auto row = [](const float(&r)[4]) { return glm::vec3(r[0], r[1], r[2]); };
    const float pixel = 1 / (glm::length(row(plan.clip_y)) * plan.half_height);  // world units, at distance 1
    draw.first_vertex = frame.positions.size();
    draw.first_index = frame.indices.size();
    size_t lines = 0;
    for (const uint32_t g : order)
      lines += 2 * ((size_t(1) << (grids[g].shape >> 8 & 15u)) + (size_t(1) << (grids[g].shape >> 12 & 15u)));
    frame.positions.reserve(frame.positions.size() + 4 * lines);
    frame.colors.reserve(frame.colors.size() + 4 * lines);
    frame.indices.reserve(frame.indices.size() + 6 * lines);
    const auto line = [&](const glm::vec4& from, const glm::vec4& to) {
      const glm::vec3 a(from), b(to), across = glm::cross(b - a, eye - a);
      const float length = glm::length(across);
      const uint32_t first = uint32_t(frame.positions.size() - draw.first_vertex);
      for (const glm::vec3& end : {a, b}) {
        const float w = glm::dot(row(plan.clip_w), end) + plan.clip_w[3];
        const glm::vec3 aside = across * (length > 0 ? kHalfWidth * pixel * w / length : 0.0f);
        const glm::vec3 before = (eye - end) * kBefore;
        for (const float side : {-1.0f, 1.0f}) {
          frame.positions.emplace_back(end + before + aside * side, 1.0f);
          frame.colors.emplace_back(0.03f, 0.03f, 0.05f, 1.0f);
        }
      }
      for (const uint32_t corner : {0u, 1u, 2u, 2u, 1u, 3u}) frame.indices.push_back(first + corner);
    };
    for (const uint32_t g : order) {
      const GridRecord& grid = grids[g];
      const uint32_t columns = 1u << (grid.shape >> 8 & 15u), rows = 1u << (grid.shape >> 12 & 15u);
      const auto at = [&](uint32_t i, uint32_t j) { return frame.positions[grid.first_point + j * (columns + 1) + i]; };
      for (uint32_t i = 0; i < columns; ++i) {
        for (const uint32_t j : {0u, rows}) line(at(i, j), at(i + 1, j));
      }
      for (uint32_t j = 0; j < rows; ++j) {
        for (const uint32_t i : {0u, columns}) line(at(i, j), at(i, j + 1));
      }
    }
    frame.normals.resize(frame.positions.size(), glm::vec3(0, 1, 0));
    draw.vertex_count = uint32_t(frame.positions.size() - draw.first_vertex);
    draw.element_count = uint32_t(frame.indices.size() - draw.first_index);
    draw.label = "sides of grids";
    frame.commands.emplace_back(draw);
  }

  // After a frame: determines why it was late, and updates the prediction for the next frames.
  void conclude(ReyesStatistics& s, const ReyesPlan& plan, const ThreadWaits& before, double processor_before) {
    s.processor_ms = processor_ms() - processor_before;
    s.missed = s.budget_ms > 0 && s.frame_ms > s.budget_ms;
    if (s.budget_ms > 0) s.waited_ms = longest_wait_ms(before, thread_waits());
    if (s.missed) {
      s.miss = s.frame_ms - s.waited_ms <= s.budget_ms ? ReyesMiss::processors
               : s.least_ms > s.budget_ms              ? ReyesMiss::least
                                                       : ReyesMiss::estimate;
    }
    const double splits_ms = 1e-6 * double(s.counts.split_ns) / workers;
    cost.learn(s.triangles, s.counts.grids, plan.max_dice, std::max(0.0, s.split_ms - splits_ms),
               s.stitch_ms + s.sample_ms);
    if (s.budget_ms > 0 && s.counts.splits > 0) cost.learn_split(splits_ms / double(s.counts.splits));
    visible = std::clamp(s.counts.grids - std::min(s.counts.grids, s.counts.splits), 1u, scene.patches());
  }

  ReyesFrame draw(float phase, const ReyesOptions& o, bool read_back) {
    const std::vector<glm::vec3> moved = scene.points_at(phase);
    set_up(phase, o, moved);
    pictures_memory = {};
    pictures_memory =
        HeldMemory(budget, uint64_t(o.width) * uint64_t(o.height) * sizeof(uint32_t) * settings.pictures, "picture");
    ReyesFrame result;
    ReyesStatistics& s = result.statistics;
    s.budget_ms = o.budget_ms;
    s.machine = machine->name;
    s.isa = machine->detail;
    s.workers = workers;
    const ThreadWaits waits = o.budget_ms > 0 ? thread_waits() : ThreadWaits{};
    const double processor = processor_ms();
    const Clock::time_point begin = Clock::now();
    machine->upload(points.data(), moved.data(), moved.size() * sizeof(glm::vec3));
    ReyesPlan plan = plan_of(o);
    if (o.budget_ms > 0) s.least_ms = cost.expected_ms(visible, plan.max_dice);
    make_grids(plan, o, s, begin);
    fill_frame(o, plan, s);
    const Clock::time_point sample = Clock::now();
    LoadOptions load;
    render.memory_limit = load.memory_limit = megabytes_of_pipeline();
    PreparedFrame prepared = renderer.prepare(frame, load);
    const double prepare_ms = since(sample);
    RenderResult picture = renderer.render(prepared, render, read_back);
    // Reading the picture back is not part of displaying a frame.
    s.sample_ms = prepare_ms + picture.statistics.frame_ms;
    s.frame_ms = std::chrono::duration<double, std::milli>(sample - begin).count() + s.sample_ms;
    conclude(s, plan, waits, processor);
    // If there was time for more grids than fit, make room for more in later frames.
    if (s.counts.crowded > 0 && can_have_more_grids()) grow(s.counts);
    if (read_back) result.layer = std::move(picture.targets[0].layers[0]);
    return result;
  }

  // Draws frames of different sizes to measure the cost of a triangle.
  void calibrate(float phase, ReyesOptions o) {
    o.budget_ms = 0;
    o.tasks = 0;
    draw(phase, o, false);  // the first frame allocates memory
    cost = FrameCost{};
    cost.is_known(o.width, o.height);
    for (const uint32_t grid : {2u, 16u, 4u, 8u}) {
      o.grid = grid;
      draw(phase, o, false);
    }
  }
};

Reyes::Reyes(PatchScene scene, const ReyesMachine& machine)
    : impl_(std::make_unique<Impl>(std::move(scene), machine)) {}
Reyes::~Reyes() = default;

const PatchScene& Reyes::scene() const { return impl_->scene; }
const Frame& Reyes::frame() const { return impl_->frame; }

ReyesFrame Reyes::draw(float phase, const ReyesOptions& options, bool read_back) {
  if (options.budget_ms > 0 && !impl_->cost.is_known(options.width, options.height)) impl_->calibrate(phase, options);
  return impl_->draw(phase, options, read_back);
}

}  // namespace brokkr
