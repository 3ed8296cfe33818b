#include "brokkr/renderer.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/failure.h"
#include "base/loading.h"
#include "base/processors.h"
#include "pipeline/cpu_machine.h"
#include "pipeline/task_machine.h"
#include "plan/options.h"
#include "plan/prepare.h"
#include "raster/program_memory.h"
#include "raster/shading_traits.h"
#include "shader/texels.h"
#if defined(BROKKR_HAVE_CUDA)
#include "pipeline/cuda/machine.h"
#endif

namespace brokkr {

namespace {

class Stopwatch {
 public:
  double ms() const { return std::chrono::duration<double, std::milli>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

// After a launch is asked to finish, it may spend this time on queued work before it is asked to leave. With the host's
// time and a last piece of work, the launch ends within 100 ms of the request. A frame budget adds a tenth of itself,
// so that frames use the time they were given.
double finish_ms(bool spent, double budget_ms) {
  constexpr double kMaxMs = 20;
  return spent ? std::min(kMaxMs, 0.1 * budget_ms) : kMaxMs;
}

constexpr double kAskAgainMs = 20;  // between two calls of Renderer::watch's function

// Asks the function of Renderer::watch, if there is one, until it returns true.
class Question {
 public:
  Question(std::atomic<uint32_t>& abort, const std::function<bool()>& ends) : abort_(abort), ends_(ends) {}

  bool is_open() const { return bool(ends_); }
  void ask() {
    if (!ends_ || abort_.load(std::memory_order_relaxed) != 0) return;
    const double now = since_.ms();
    if (now - asked_ < kAskAgainMs) return;
    asked_ = now;
    if (ends_()) abort_.store(1);
  }

 private:
  std::atomic<uint32_t>& abort_;
  const std::function<bool()>& ends_;
  const Stopwatch since_;
  double asked_ = 0;
};

// Asks a launch to end on request or when its budget (0: none) is spent.
class Watch {
 public:
  Watch(MachineBackend& machine, std::atomic<uint32_t>& abort, const std::function<bool()>& ends, double budget_ms)
      : machine_(machine), abort_(abort), question_(abort, ends), budget_ms_(budget_ms) {}

  void look() {
    if (!has_asked_ && !question_.is_open() && budget_ms_ <= 0 && abort_.load(std::memory_order_relaxed) == 0) return;
    if (has_asked_) {
      if (launch_.ms() < leave_ms_) return;
      machine_.request(kAbortLeave);
      leave_ms_ = kNever;
      return;
    }
    question_.ask();
    const bool spent = budget_ms_ > 0 && launch_.ms() >= budget_ms_;
    if (!spent && abort_.load(std::memory_order_relaxed) == 0) return;
    machine_.request(kAbortFinish);
    has_asked_ = true;
    leave_ms_ = launch_.ms() + finish_ms(spent, budget_ms_);
  }
  bool has_asked() const { return has_asked_; }
  // The time until the next look is due.
  double next_ms() const {
    constexpr double kLookAgainMs = 10;
    const double due = has_asked_ ? leave_ms_ : budget_ms_ > 0 ? budget_ms_ : kNever;
    return std::clamp(due - launch_.ms(), kLeastMs, kLookAgainMs);
  }

 private:
  static constexpr double kNever = 1e300, kLeastMs = 0.01;
  MachineBackend& machine_;
  std::atomic<uint32_t>& abort_;
  Question question_;
  double budget_ms_;
  const Stopwatch launch_;
  bool has_asked_ = false;
  double leave_ms_ = 0;
};

// Works for the started launch if the machine lets this thread, and waits for its end. Returns true if the launch was
// asked to end.
bool wait_for_end(MachineBackend& machine, std::atomic<uint32_t>& abort, const std::function<bool()>& ends,
                  double budget_ms) {
  Watch watch(machine, abort, ends, budget_ms);
  machine.work({[](void* watched) { static_cast<Watch*>(watched)->look(); }, &watch});
  do {
    watch.look();
  } while (!machine.wait(watch.next_ms()));
  return watch.has_asked();
}

// Sets whether the maker's code may be used: from the cache, or compiled. A compiler takes longer than a few fast
// frames, so we use only cached code until frames have taken kWorthCompilingMs in total.
bool is_compiled(shader::CodeMaker& maker, bool must, double program_ms, std::atomic<uint32_t>& abort,
                 const std::function<bool()>& ends) {
  constexpr double kWorthCompilingMs = 250;
  if (must || program_ms > kWorthCompilingMs) maker.start();
  if (must) {
    Question question(abort, ends);
    maker.wait(abort, [&] { question.ask(); });
  }
  return maker.is_ready();
}

// Makes the launch use compiled programs and vertex programs if there are any, and reports how programs run. It uses
// all compiled, or none.
void choose_shaders(PreparedFrame::Impl& frame, MachineBackend& machine, const RenderOptions& options,
                    std::atomic<uint32_t>& abort, const std::function<bool()>& ends, Statistics& s) {
  const bool programs = options.shading == Shading::program && frame.programs.any();
  const bool vertices = options.vertex_stage == VertexShading::pipeline && frame.vertices.any();
  frame.programs.use_compiled(nullptr);
  frame.vertices.use_compiled(nullptr);
  machine.use_code(nullptr);
  if (!programs && !vertices) return;
  const std::string isa = machine.compiled_isa();
  const bool must = options.shaders == ShaderCode::compiled;
  s.shaders = "interpreted";
  if (options.shaders == ShaderCode::interpreted) return;
  if (isa.empty()) {
    if (must)
      throw MachineError(
          "shaders: the emulated machine interprets them; choose shaders auto, or the machine cpu or cuda");
    return;
  }
  std::unique_ptr<shader::CodeMaker>& maker = frame.compiled[{isa, programs, vertices}];
  if (!maker) {
    shader::CodeMaker::Codes codes;
    if (programs) codes.programs = frame.programs.codes();
    if (vertices) codes.vertex_programs = frame.vertices.codes();
    maker = machine.make_code_maker();
    maker->take_cached(codes);
  }
  if (is_compiled(*maker, must, frame.program_ms, abort, ends)) {
    try {
      machine.use_code(maker.get());
    } catch (const std::runtime_error& error) {
      maker->fail(error.what());
    }
  }
  s.shaders_problem = maker->problem();
  if (must && maker->failed()) throw MachineError("shaders: " + maker->problem());
  if (!maker->is_ready()) return;
  const shader::CompiledShader* const functions = maker->functions();
  if (programs) frame.programs.use_compiled(functions);
  if (vertices && functions != nullptr)
    frame.vertices.use_compiled(functions + (programs ? frame.programs.codes().size() : 0));
  s.shaders = "compiled";
  const shader::CodeMaker::Made& made = maker->made();
  s.shader_work.compiled += made.compiled;
  s.shader_work.cached += made.cached;
  s.shader_work.compile_ms += made.compile_ms;
  s.shader_work.cache_ms += made.cache_ms;
}

}  // namespace

// Bytes per sample of colours beyond the first.
uint64_t memory_of_more_colors(const Target& target) {
  uint64_t words = 0;
  for (size_t i = 1; i < target.colors.size(); ++i)
    words += words_of(shader::encoding_of(target.colors[i].format, true));
  if (const auto exact = exact_encoding(target)) words += words_of(*exact);
  return words * sizeof(uint32_t);
}

// The memory of a frame's targets and of the pictures made from them, in bytes. `slice`: ViewSlice::views.
uint64_t memory_of_targets(const Frame& frame, const RenderOptions& options, bool read_back, uint32_t slice) {
  constexpr uint64_t kColor = 4, kDepth = 4, kStencil = 1, kOrder = 4, kDirect = 8, kId = 4, kOverdraw = 4,
                     kHalfPicture = 16, kStamp = kStampWords * 4;
  const bool overdraw = shading_traits(options.shading).overdraw;
  const auto region = uint64_t(std::min(options.bin, kMaxRegion));
  const bool programs = options.shading == Shading::program;
  const auto is_half = [&](const Target& target) { return stored_format(target, programs) == ColorFormat::rgba16f; };
  const bool half = std::any_of(frame.targets.begin(), frame.targets.end(), is_half);
  const bool direct = options.small_triangles == SmallTriangles::direct;
  const uint64_t shown = kDepth + kStencil + (options.keep_ids || options.keep_stamps ? 2 * kId : 0) +
                         (options.keep_stamps ? kStamp : 0) + (overdraw ? kOverdraw : 0);
  uint64_t bytes = 0;
  for (const Target& target : frame.targets) {
    const uint64_t layers = slice != 0 ? slice : uint64_t(target.layers);
    const uint64_t regions = (uint64_t(target.width) + region - 1) / region *
                             ((uint64_t(target.height) + region - 1) / region) * layers *
                             samples_of(target, options.samples);
    const uint64_t pixels = uint64_t(target.width) * uint64_t(target.height) * layers;
    bytes += regions * (region * region * (shown + kOrder + (direct ? kDirect : 0) + (half ? 2 : 1) * kColor) +
                        sizeof(RegionState) + 2 * sizeof(RegionRecord));
    if (programs) bytes += regions * region * region * memory_of_more_colors(target);
    if (read_back) bytes += pixels * (shown + (is_half(target) ? kHalfPicture : kColor));
  }
  return bytes;
}

// An upper bound in bytes on the memory that a launch touches of its store, queues, pending lists and block storage.
// These are allocated page by page, so the bound counts the blocks that the frame's batches can fill.
uint64_t memory_of_launch(const LaunchPlan& plan) {
  const MemoryShape& m = plan.memory;
  const uint64_t task_blocks = uint64_t(plan.draws->batches) * (plan.sizes.blocks_per_task / plan.sizes.task_batches);
  const uint64_t blocks = std::min<uint64_t>(m.store_blocks, task_blocks),
                 slot = QueueMemory<2>::kSlotWords * sizeof(uint32_t), pending = 2 * sizeof(uint32_t),
                 of_sorting = sizeof(uint64_t);
  const uint64_t programs = m.programs ? m.blocks * m.warps * uint64_t(ProgramLayout(*m.programs).bytes) : 0;
  return programs + (m.position_words + m.varying_words) * sizeof(uint32_t) + blocks * sizeof(TriangleBlock) +
         m.rasterizers * (sizeof(QueueControl) + sizeof(RasterizerState) + blocks * (slot + pending)) +
         m.blocks * (m.shared_bytes + blocks * of_sorting);
}

// Assumes that each triangle covers each sample. The CPU draws kMaxFragments in a few milliseconds; for most frames
// below this limit, waking threads takes longer than drawing.
bool is_short(const PreparedFrame::Impl& frame, const RenderOptions& options) {
  constexpr uint64_t kMaxFragments = 1u << 21;
  constexpr uint64_t kInstructions = 4;  // of programs that take as long as the rest of a fragment
  const bool programs = options.shading == Shading::program && frame.programs.any();
  if (frame.vertices.any() || options.frame_budget_ms > 0 || (programs && frame.programs.has_loops())) return false;
  uint64_t samples = 0;
  for (const Target& target : frame.frame->targets)
    samples += uint64_t(target.width) * uint64_t(target.height) * uint64_t(target.layers) *
               samples_of(target, options.samples);
  const uint64_t of_program = programs ? frame.programs.longest() / kInstructions : 0;
  if (frame.batch_run.size() * uint64_t(kBatchTriangles) * samples * (1 + of_program) > kMaxFragments) return false;
  const auto is_plain = [](const Command& command) {
    return std::holds_alternative<DrawCommand>(command) || std::holds_alternative<ClearCommand>(command);
  };
  return !programs || std::all_of(frame.frame->commands.begin(), frame.frame->commands.end(), is_plain);
}

// The number of views that each launch should draw if all layers of a batch are read back; 0: one launch draws all. The
// pictures and the triangle blocks of a slice fit into the caches, where the next launch draws again. Larger slices
// take longer per view, and so do small ones, whose launches take longer to begin and to end.
uint32_t slice_of(const PreparedFrame::Impl& frame, const RenderOptions& options, const ReadBack& wanted) {
  constexpr uint64_t kSliceBytes = 4u << 20;  // of colours and depths
  constexpr uint64_t kLeastViews = 8;
  const Target& target = frame.frame->targets[wanted.target];
  const auto layers = uint64_t(target.layers);
  const bool simple = options.shading == Shading::flat || options.shading == Shading::material ||
                      options.shading == Shading::metallic_roughness || options.shading == Shading::program;
  if (!simple || options.keep_ids || options.keep_stamps || options.trace || options.frame_budget_ms > 0 ||
      options.reuse != ReuseMode::automatic || has_ranks(options.policy) ||
      options.vertex_stage == VertexShading::pipeline || wanted.planes.empty() || wanted.first_layer != 0 ||
      (wanted.layers != 0 && wanted.layers != layers) || !frame.can_slice())
    return 0;
  const auto edge = [](int pixels) { return (uint64_t(pixels) + kMaxRegion - 1) / kMaxRegion * kMaxRegion; };
  const uint64_t of_view =
      edge(target.width) * edge(target.height) * samples_of(target, options.samples) *
      (stored_format(target, options.shading == Shading::program) == ColorFormat::rgba16f ? 12 : 8);
  const uint64_t max_views = kSliceBytes / of_view;
  if (max_views < kLeastViews || layers < 2 * max_views) return 0;
  const uint64_t slices = (layers + max_views - 1) / max_views;
  return uint32_t((layers + slices - 1) / slices);
}

struct Renderer::Impl {
  std::map<std::string, std::unique_ptr<MachineBackend>> machines;
  std::atomic<uint32_t> abort{0};
  std::function<bool()> ends;
  MachineBackend* last = nullptr;  // the machine that rendered the last frame
  uint64_t allowed = 0;            // largest total size in bytes that was accepted under `allowed_limit`
  int allowed_limit = -1;

  // Throws unless `bytes` more than the frame's own memory fit the limit. The amount of free memory is queried only if
  // a frame needs more than every earlier one.
  void require(const PreparedFrame::Impl& frame, uint64_t bytes, const RenderOptions& options, std::string_view field) {
    const uint64_t held = frame.held(), needed = held + bytes;
    if (needed <= allowed && options.memory_limit == allowed_limit) return;
    require_memory(needed, memory_limit_bytes(options.memory_limit, held), field, frame.frame->source);
    allowed = needed;
    allowed_limit = options.memory_limit;
  }

  // Returns the plan of the launch. If an abort is pending, returns a plan whose batches form during the launch, which
  // ends at once, so that no batches are predicted for it.
  std::shared_ptr<const LaunchPlan> plan(PreparedFrame::Impl& frame, MachineBackend& on, RenderOptions& options) {
    struct Stopped {};
    Question question(abort, ends);
    const auto make = [&] {
      return frame.plans.get(frame, plan_key(frame, options, on.shape(options)), [&] {
        question.ask();
        if (abort.load(std::memory_order_relaxed) != 0) throw Stopped();
      });
    };
    try {
      return make();
    } catch (const Stopped&) {
      options.reuse = ReuseMode::none;
      return make();
    }
  }

  // Renders, and then calls read(machine, plan), which reads the result back.
  template <class Read>
  RenderResult render(PreparedFrame::Impl& p, RenderOptions options, bool read_back, const PlaneUse& use, Read&& read) {
    const Stopwatch call;
    const uint64_t target_bytes = memory_of_targets(*p.frame, options, read_back, p.slice.views);
    require(p, target_bytes, options, "targets");
    MachineBackend& on = machine(options);
    const std::shared_ptr<const LaunchPlan> its_plan = plan(p, on, options);
    require(p, target_bytes + memory_of_launch(*its_plan), options, "store");
    RenderResult result;
    Statistics& s = result.statistics;
    last = p.machine = &on;
    choose_shaders(p, on, options, abort, ends, s);
    on.use_planes(use);
    on.start(p, its_plan, options);
    result.aborted = wait_for_end(on, abort, ends, options.frame_budget_ms);
    fill_statistics(p, *its_plan, on.finish(result.aborted, s), s);
    if (s.vertex_loops_cut > 0 && !result.aborted)
      throw MachineError(
          "vertex-stage: a loop of a vertex program does not end within 65536 iterations; choose prepare, which leaves "
          "out the draws of such programs");
    s.update_ms = std::exchange(p.update_ms, 0.0);
    s.frame_ms = call.ms();
    if (!s.shaders.empty()) p.program_ms += s.frame_ms;
    if (read(on, *its_plan, result)) s.read_back_ms = call.ms() - s.frame_ms;
    return result;
  }

  // Draws and reads back slice after slice. Returns the sums of their statistics. After a request to end, the layers
  // that were not drawn are read back as they are at the start of a frame.
  RenderResult render_slices(PreparedFrame::Impl& p, const RenderOptions& options, const ReadBack& wanted,
                             uint32_t views) {
    struct Whole {  // at the end
      PreparedFrame::Impl& p;
      ~Whole() { p.set_slice(0, 0); }
    } whole{p};
    RenderResult all;
    const auto layers = uint32_t(p.frame->targets[wanted.target].layers);
    Question question(abort, ends);
    for (uint32_t first = 0; first < layers && !all.aborted; first += views) {
      p.set_slice(first, std::min(views, layers - first));
      const PlaneUse use{needs_of(wanted),
                         shown_colors(p, options, wanted, {0, first, std::min(views, layers - first)})};
      RenderResult one =
          render(p, options, false, use, [&](MachineBackend& on, const LaunchPlan& plan, RenderResult& result) {
            const uint32_t drawn = p.slice.views;
            const auto read = [&](const HostPlanes& planes, uint32_t first_layer) {
              const HeldLayers held{0, first_layer, std::min(drawn, layers - first_layer)};
              read_into(p, {*plan.targets, planes, held}, wanted, on.pool(), usable_processors());
            };
            HostPlanes planes = on.planes(needs_of(wanted));
            read(planes, first);
            if (!result.aborted) return true;
            const std::vector<RegionState> nothing(plan.targets->regions, initial_region());
            planes.region_state = nothing.data();
            for (uint32_t next = first + drawn; next < layers; next += drawn) read(planes, next);
            return true;
          });
      all.aborted = one.aborted;
      if (first == 0)
        all.statistics = std::move(one.statistics);
      else
        add_launch(one.statistics, all.statistics);
      question.ask();
    }
    return all;
  }

  // Checks and chooses for both public functions.
  RenderOptions begin(PreparedFrame::Impl& p, const RenderOptions& asked) {
    abort.store(0);
    check_options(asked);
    RenderOptions options = asked;
    p.shape.require(*p.frame);
    options.shading = p.shading(asked.shading);
    if (options.vertex_stage == VertexShading::pipeline)
      typed<MachineError>([&] { p.open_vertices(options.memory_limit); });
    return options;
  }

  MachineBackend& machine(const RenderOptions& options) {
    MachineKind kind = options.machine;
#if defined(BROKKR_HAVE_CUDA)
    if (kind == MachineKind::automatic && options.isa.empty() && cuda_is_available()) kind = MachineKind::cuda;
    if (kind == MachineKind::cuda) {
      std::unique_ptr<MachineBackend>& m = machines["cuda"];
      if (!m) m = make_cuda_machine();
      return *m;
    }
#else
    if (kind == MachineKind::cuda) {
      throw MachineError("machine: this library was built without CUDA; use the CPU, or rebuild with BROKKR_CUDA=ON");
    }
#endif
    if (kind == MachineKind::simt) {
      std::unique_ptr<MachineBackend>& m = machines["simt"];
      if (!m) m = simt_device().make_machine();
      return *m;
    }
    const std::string isa = kind == MachineKind::emulated ? "emulated" : options.isa;
    std::unique_ptr<MachineBackend>& m = machines["cpu " + isa];
    if (!m) m = std::make_unique<CpuMachine>(isa);
    return *m;
  }
};

Renderer::Renderer() : impl_(std::make_unique<Impl>()) {}
Renderer::~Renderer() = default;

RenderResult Renderer::render(PreparedFrame& frame, const RenderOptions& asked, bool read_back) {
  PreparedFrame::Impl& p = PreparedFrame::Impl::of(frame);
  const RenderOptions options = impl_->begin(p, asked);
  return typed<MachineError>([&] {
    return impl_->render(p, options, read_back, {},
                         [&](MachineBackend& machine, const LaunchPlan&, RenderResult& result) {
                           if (read_back) result.targets = machine.read_back();
                           return read_back;
                         });
  });
}

RenderResult Renderer::render(PreparedFrame& frame, const RenderOptions& asked, const ReadBack& wanted) {
  PreparedFrame::Impl& p = PreparedFrame::Impl::of(frame);
  RenderOptions options = impl_->begin(p, asked);
  check_read_back(p, options, wanted);
  const PlaneNeeds needs = needs_of(wanted);
  options.keep_ids |= needs.ids;
  return typed<MachineError>([&] {
    const bool on_cpu = impl_->machine(options).pool() != nullptr;
    if (options.workers == 0 && on_cpu && is_short(p, options)) options.workers = 1;
    if (const uint32_t views = on_cpu ? slice_of(p, options, wanted) : 0; views != 0)
      return impl_->render_slices(p, options, wanted, views);
    const uint32_t first = wanted.first_layer, all = uint32_t(p.frame->targets[wanted.target].layers);
    const HeldLayers held{first, first, wanted.layers != 0 ? wanted.layers : all - first};
    const PlaneUse use{needs, shown_colors(p, options, wanted, held)};
    return impl_->render(p, options, false, use, [&](MachineBackend& machine, const LaunchPlan& plan, RenderResult&) {
      if (wanted.planes.empty()) return false;
      read_into(p, {*plan.targets, machine.planes(needs), held}, wanted, machine.pool(), usable_processors());
      return true;
    });
  });
}

RenderResult Renderer::render(const Frame& frame, const RenderOptions& options) {
  LoadOptions load;
  load.memory_limit = options.memory_limit;
  PreparedFrame prepared = prepare(frame, load);
  return render(prepared, options);
}

bool Renderer::resolve_to_surface(uint32_t target, uint32_t layer, unsigned long long surface) {
  return impl_->last != nullptr && impl_->last->resolve_to_surface(target, layer, surface);
}

void Renderer::watch(std::function<bool()> ends) { impl_->ends = std::move(ends); }

void Renderer::request_abort() { impl_->abort.store(1); }

const char* library_version() { return BROKKR_VERSION; }

std::vector<MachineInfo> find_machines() {
  std::vector<MachineInfo> all;
  const int cores = usable_processors();
#if defined(BROKKR_HAVE_CUDA)
  for (MachineInfo& m : find_cuda_machines()) all.push_back(std::move(m));
#else
  all.push_back({MachineKind::cuda, "CUDA", "", 32, 0, false, "built without CUDA"});
#endif
  struct Build {
    const char *isa, *name;
  };
  for (const Build& b :
       {Build{"v4", "x86-64-v4"}, Build{"v3", "x86-64-v3"}, Build{"v2", "x86-64-v2"}, Build{"neon", "AArch64 NEON"}}) {
    const CpuKernel* found = find_cpu_kernel(b.isa);
    if (found == nullptr) continue;
    const bool runs = cpu_supports(b.isa);
    all.push_back({MachineKind::cpu, "CPU", b.name, found->width, cores, runs, runs ? "" : "this processor lacks it"});
  }
  if (const CpuKernel* found = find_cpu_kernel("emulated")) {
    all.push_back({MachineKind::emulated, "emulated warp", "32 lanes", found->width, cores, cpu_supports("emulated"),
                   "for tests"});
  }
  return all;
}

}  // namespace brokkr
