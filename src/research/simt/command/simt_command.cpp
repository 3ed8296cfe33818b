// brokkr simt: runs programs on a SIMT machine that counts cycles, and reproduces the figures of [Steffen12].

#include "simt/command/simt_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/input.h"
#include "app/text.h"
#include "app/workload.h"
#include "base/failure.h"
#include "base/file_io.h"
#include "brokkr/frame.h"
#include "brokkr/renderer.h"
#include "lab/lab_machine.h"
#include "log/text.h"
#include "pipeline/task_machine.h"
#include "ptx/program.h"
#include "simt/command/report.h"
#include "simt/device/control.h"

namespace brokkr::simt {

// Our own kernels as programs of `brokkr simt`: a frame through the pipeline, and the kernels of the queue experiments.
// They run on the simulated device, which compares each result with the CPU's.
struct DeviceProgram {
  const char *name, *title;
  // Runs the program once.
  void (*run)(DeviceControl& device, const app::Arguments& arguments, app::Progress& progress,
              std::vector<KernelRun>& runs);
};
const std::vector<DeviceProgram>& device_programs();
const DeviceProgram* find_device_program(const std::string& name);  // nullptr if there is none

// Throws std::runtime_error if the device library is missing or results differ.
std::vector<KernelRun> run_device_program(const DeviceProgram& program, const DeviceSettings& settings,
                                          const app::Arguments& arguments, app::Progress& progress, LaneTable& lanes);

namespace {

using app::Arguments;
using app::Progress;

constexpr const char* kUsualFrame = "glxgears.bkf";

std::string frame_file(const Arguments& arguments) {
  if (arguments.has("frame")) return arguments.text("frame");
  const std::filesystem::path scenes = app::bundled_folder("scenes");
  if (scenes.empty() || !is_there(scenes / kUsualFrame))
    fail("run_frame: scenes/{} is not beside this program; name a frame or scene with --frame", kUsualFrame);
  return (scenes / kUsualFrame).string();
}

// Renders a frame through the pipeline and compares the picture with the CPU's.
void run_frame(DeviceControl& device, const Arguments& arguments, Progress& progress, std::vector<KernelRun>& runs) {
  const std::string file = frame_file(arguments);
  const Frame frame = app::load_input(file, arguments, progress);
  RenderOptions options;
  options.workers = int(arguments.integer("workers", 0));
  options.machine = MachineKind::simt;
  Renderer renderer;
  progress.show("run_frame of " + file);
  const RenderResult ours = renderer.render(frame, options);
  runs = device.runs();
  options.machine = MachineKind::cpu;
  const RenderResult cpu = renderer.render(frame, options);
  for (size_t t = 0; t < cpu.targets.size(); ++t) {
    for (size_t l = 0; l < cpu.targets[t].layers.size(); ++l) {
      if (ours.targets[t].layers[l].color != cpu.targets[t].layers[l].color)
        fail("{}: the picture of target {}, layer {} is not the CPU's", file, t, l);
    }
  }
}

constexpr uint32_t kLoops = 10, kQueueLoops = 2, kQueueWarps = 16;
constexpr double kSeconds = 600;

// Records an experiment's launch under its name.
void take(const DeviceControl& device, const std::string& name, std::vector<KernelRun>& runs) {
  for (KernelRun run : device.runs()) {
    run.kernel = name;
    runs.push_back(std::move(run));
  }
}

// Every thread enqueues and dequeues an element, kQueueLoops times.
void run_mix(DeviceControl& device, lab::LabMachine& machine, QueueKind kind, Progress& progress,
             std::vector<KernelRun>& runs) {
  const lab::Crew crew{kQueueWarps, machine.width()};
  const std::string name = fmt::format("queue {}", queue_traits(kind).name);
  progress.show(name);
  QueueShape shape;
  shape.threads = crew.warps * crew.lanes;
  shape.homes = (crew.warps + machine.warps_per_block - 1) / machine.warps_per_block;
  const lab::LabArray<std::byte> memory(machine, machine.queue(kind).bytes(shape));
  const lab::LabArray<lab::MixCounts> counts(machine, crew.warps);
  lab::MixPlan plan;
  plan.queue = {memory.data(), machine.abort_word(), shape};
  plan.crew = crew;
  plan.min_loops = plan.max_loops = kQueueLoops;
  plan.counts = counts.data();
  machine.prepare_queue(kind, memory.data(), shape);
  device.forget();
  if (machine.run(machine.queue(kind).mix, plan, kSeconds) < 0) fail("{}: the experiment does not end", name);
  lab::MixCounts sum{};
  for (const lab::MixCounts& c : counts.values(0, crew.warps)) {
    sum.enqueued += c.enqueued;
    sum.dequeued += c.dequeued;
    sum.full += c.full;
    sum.empty += c.empty;
  }
  // Each thread has tried one enqueue and one dequeue per loop.
  const uint64_t tries = uint64_t(shape.threads) * kQueueLoops;
  if (sum.enqueued + sum.full != tries || sum.dequeued + sum.empty != tries || sum.dequeued > sum.enqueued)
    fail("{}: {} elements went in and {} came out of {} tries", name, sum.enqueued, sum.dequeued, tries);
  take(device, name, runs);
}

void run_queues(DeviceControl& device, const Arguments&, Progress& progress, std::vector<KernelRun>& runs) {
  const auto machine = lab::make_lab_machine("simt");
  for (size_t kind = 0; kind < size_t(kQueueKinds); ++kind) run_mix(device, *machine, QueueKind(kind), progress, runs);
}

// [Kerbl18, Fig. 4.1]
void run_atomics(DeviceControl& device, const Arguments&, Progress& progress, std::vector<KernelRun>& runs) {
  const auto machine = lab::make_lab_machine("simt");
  const uint32_t warps = kQueueWarps, threads = warps * machine->width();
  for (const auto& [access, name] : {std::pair{lab::AtomicAccess::contended, "atomics of one word"},
                                     {lab::AtomicAccess::own, "atomics of own words"},
                                     {lab::AtomicAccess::plain, "loads and stores"}}) {
    progress.show(name);
    constexpr size_t kLine = 16;  // words
    const lab::LabArray<uint32_t> words(*machine, (threads + 1) * kLine);
    lab::AtomicPlan plan;
    plan.crew = {warps, machine->width()};
    plan.loops = kLoops;
    plan.access = access;
    plan.abort = machine->abort_word();
    plan.words = words.data();
    device.forget();
    if (machine->run(machine->kernels.atomics, plan, kSeconds) < 0) fail("{}: the experiment does not end", name);
    uint64_t sum = 0;
    for (const uint32_t w : words.values()) sum += w;
    if (access != lab::AtomicAccess::plain && sum != uint64_t(threads) * kLoops)
      fail("{}: {} of {} additions were counted", name, sum, threads * kLoops);
    take(device, name, runs);
  }
}

constexpr DeviceProgram kDevicePrograms[] = {
    {"run_frame", "a frame through our own pipeline (--frame, --size)", run_frame},
    {"queue-mix", "each of the measured queues: threads enqueue and dequeue elements", run_queues},
    {"queue-atomics", "additions to one word, and to a separate word per thread", run_atomics},
};

std::string percent(uint64_t part, uint64_t whole) {
  return fmt::format("{:.1f}", whole == 0 ? 0.0 : 100.0 * double(part) / double(whole));
}

constexpr size_t kMaxRows = 30;

}  // namespace

const std::vector<DeviceProgram>& device_programs() {
  static const std::vector<DeviceProgram> all(std::begin(kDevicePrograms), std::end(kDevicePrograms));
  return all;
}

const DeviceProgram* find_device_program(const std::string& name) {
  for (const DeviceProgram& p : kDevicePrograms) {
    if (name == p.name) return &p;
  }
  return nullptr;
}

std::vector<KernelRun> run_device_program(const DeviceProgram& program, const DeviceSettings& settings,
                                          const Arguments& arguments, Progress& progress, LaneTable& lanes) {
  auto& device = *static_cast<DeviceControl*>(simt_device().control());
  device.set_up(settings);
  std::vector<KernelRun> runs;
  program.run(device, arguments, progress, runs);
  lanes = device.lanes();
  return runs;
}

nlohmann::ordered_json json_of(const LaneTable& lanes) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const FunctionLanes& f : lanes.rows()) {
    json.push_back({{"function", f.function},
                    {"file", f.file},
                    {"warp_instructions", f.counts.instructions},
                    {"lanes", f.counts.average()},
                    {"lost", f.counts.lost()},
                    {"worst_line", f.worst_line},
                    {"worst_line_lanes", f.worst.average()},
                    {"worst_line_lost", f.worst.lost()}});
  }
  return json;
}

std::string table_of(const LaneTable& lanes) {
  const LaneCounts all = lanes.all();
  std::vector<std::vector<std::string>> rows;
  for (const FunctionLanes& f : lanes.rows()) {
    if (rows.size() == kMaxRows) break;
    rows.push_back({f.function, app::grouped(f.counts.instructions), percent(f.counts.instructions, all.instructions),
                    fmt::format("{:.1f}", f.counts.average()), percent(f.counts.lost(), all.lost()),
                    fmt::format("  {}:{}, {:.1f} lanes", f.file, f.worst_line, f.worst.average())});
  }
  return fmt::format("{} warp instructions of {:.2f} lanes\n", app::grouped(all.instructions), all.average()) +
         app::format_table(
             {"function", "warp instr.", "% of all", "lanes", "% of lost", "  line with the largest loss"}, rows);
}

std::string csv_of(const LaneTable& lanes) {
  const auto text_of = [](auto value) { return fmt::format("{}", value); };
  std::string text = csv_row(std::vector<std::string>{"function", "file", "warp_instructions", "lanes", "lost",
                                                      "worst_line", "worst_line_lanes", "worst_line_lost"});
  for (const FunctionLanes& f : lanes.rows()) {
    text += csv_row(std::vector<std::string>{
        f.function, f.file, text_of(f.counts.instructions), text_of(f.counts.average()), text_of(f.counts.lost()),
        text_of(f.worst_line), text_of(f.worst.average()), text_of(f.worst.lost())});
  }
  return text;
}

}  // namespace brokkr::simt

namespace brokkr::app {
namespace {

using namespace simt;

constexpr const char* kDefaultMachine = "thesis-7.1";
constexpr const char* kSpawnMachine = "thesis-7.3";
constexpr const char* kDeviceMachine = "h200-4";

void list_all() {
  std::cout << "programs:\n";
  for (const ProgramInfo& p : programs()) std::cout << fmt::format("  {:<14}{}\n", p.name, p.title);
  std::cout << "\nour own kernels:\n";
  for (const DeviceProgram& p : device_programs()) std::cout << fmt::format("  {:<14}{}\n", p.name, p.title);
  std::cout << "\nmachines:\n";
  for (const std::string& name : config_names())
    std::cout << fmt::format("  {:<14}{}\n", name, find_config(name).source);
  std::cout << "\nfigures:\n";
  for (const FigureInfo& f : figures()) std::cout << fmt::format("  {:<14}{}\n", f.name, f.title);
  if (!has_modules())
    std::cout << "\nThis program was built without nvcc (-DBROKKR_SIMT=ON requires it), so it has no kernels to run.\n";
}

// An unknown name is a usage error.
template <class F>
auto named(F&& find, const std::string& name) -> decltype(find(name)) {
  try {
    return find(name);
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

Config config_of(const Arguments& arguments, const std::string& program) {
  const bool spawns = program == "ray-spawn" || program == "branch-model";
  const char* const usual = find_device_program(program) != nullptr ? kDeviceMachine
                            : spawns                                ? kSpawnMachine
                                                                    : kDefaultMachine;
  Config c = find_config(arguments.text("config", usual));
  if (arguments.has("policy")) {
    const auto& names = policy_names();
    c.policy = PolicyKind(std::find(names.begin(), names.end(), arguments.text("policy")) - names.begin());
  }
  c.ways = uint32_t(arguments.integer("ways", c.ways));
  if (arguments.has("warps")) c.block_scheduling = false;
  if (arguments.has("no-conflicts")) c.spawn.conflicts = false;
  if (arguments.has("ideal")) c = with_ideal_memory(c);
  if (arguments.has("half-warps")) c = as_half_warps(c);
  if (arguments.has("mimd")) c = as_mimd(c);
  return c;
}

std::filesystem::path folder_of(const Arguments& arguments) {
  const std::filesystem::path folder = arguments.text("output");
  make_folder(folder);
  return folder;
}

template <class... Results>
void print(const Arguments& arguments, nlohmann::ordered_json json, const Results&... results) {
  if (!write_document(arguments.text("json"), json)) {
    std::cout << (arguments.has("csv") ? csv_of(results...) : table_of(results...));
  }
}

// The options that describe a machine. Figures set these themselves.
constexpr const char* kMachineOptions[] = {"config",     "policy", "ways",         "mimd", "ideal",
                                           "half-warps", "warps",  "no-conflicts", "scene"};

int run_figures(const Arguments& arguments, std::vector<std::string> names) {
  names.erase(names.begin());
  for (const char* option : kMachineOptions) {
    if (arguments.has(option))
      throw UsageError(
          fmt::format("--{} is for programs: a figure has its own machines and scenes; leave it out", option));
  }
  if (names.empty()) throw UsageError("figure: its number is missing; `brokkr simt --list` shows all figures");
  Progress progress;
  FigureOptions o;
  o.scale = uint32_t(arguments.integer("scale", 1));
  o.triangles = uint32_t(arguments.integer("triangles", 0));
  o.width = uint32_t(arguments.integer("pixels", 0));
  o.cycles = uint64_t(arguments.integer("cycles", 0));
  o.real_memory = arguments.has("real-memory");
  o.cores = uint32_t(arguments.integer("cores", 0));
  for (const std::string& name : names) {
    if (o.cores != 0 && name != "8.7" && name != "8.9")
      throw UsageError(fmt::format("--cores is for the figures 8.7 and 8.9, not for {}; leave it out", name));
  }
  std::mutex mutex;
  o.progress = [&](const std::string& what) {
    const std::lock_guard lock(mutex);
    progress.show(what);
  };
  for (const std::string& name : names) {
    const FigureInfo& info = named(find_figure, name);
    const FigureResult result = info.run(o);
    print(arguments, json_of(info, result), info, result);
    if (!arguments.has("output")) continue;
    for (const auto& [label, statistics] : result.timelines)
      write_timeline(folder_of(arguments) / fmt::format("simt-{}-{}.png", info.name, label), statistics);
  }
  return kSuccess;
}

// If no machine is given, only lanes are counted, not cycles.
void run_own(const Arguments& arguments, const DeviceProgram& program, std::vector<TimedRun>& runs, LaneTable& lanes) {
  DeviceSettings settings;  // one host thread, so that runs repeat exactly
  settings.lanes = arguments.has("lanes");
  const Config config = config_of(arguments, program.name);
  if (!settings.lanes || arguments.has("config")) settings.config = config;
  Progress progress;
  for (KernelRun& run : run_device_program(program, settings, arguments, progress, lanes)) {
    if (settings.config) runs.push_back({run.kernel, config, std::move(run.statistics)});
  }
}

// Checks which options apply to our own kernels.
void check_own(const Arguments& arguments, const std::vector<std::string>& names) {
  size_t count = 0;
  for (const std::string& name : names) count += find_device_program(name) != nullptr ? 1 : 0;
  for (const char* option : {"frame", "size", "workers", "lanes"}) {
    if (count < names.size() && arguments.has(option))
      throw UsageError(fmt::format("--{} is for our own kernels: run_frame, queue-mix, queue-atomics", option));
  }
  if (arguments.has("lanes") && names.size() > 1) throw UsageError("--lanes: name one program");
  for (const char* option : {"cycles", "scale", "triangles", "scene", "pixels", "mimd", "half-warps"}) {
    if (count > 0 && arguments.has(option))
      throw UsageError(fmt::format("--{} is not for our own kernels, whose warps have 32 lanes; leave it out", option));
  }
}

int run_programs(const Arguments& arguments, const std::vector<std::string>& names) {
  if (arguments.has("real-memory"))
    throw UsageError("--real-memory: is for figures; programs always use real memory unless --ideal is given");
  check_own(arguments, names);
  ProgramSize size;
  size.scale = uint32_t(arguments.integer("scale", size.scale));
  size.triangles = uint32_t(arguments.integer("triangles", size.triangles));
  if (const std::string place = arguments.text("scene"); !place.empty()) {
    const std::vector<std::string>& places = ray_place_names();
    size.place = RayPlace(std::find(places.begin(), places.end(), place) - places.begin());
  }
  size.width = uint32_t(arguments.integer("pixels", size.width));
  size.budget =
      std::make_shared<MemoryBudget>(int(arguments.integer("memory-limit", 0)), "choose fewer --triangles or --pixels");
  Progress progress;
  std::vector<TimedRun> runs;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  LaneTable lanes;
  for (const std::string& name : names) {
    if (const DeviceProgram* program = find_device_program(name)) {
      const size_t first = runs.size();
      run_own(arguments, *program, runs, lanes);
      for (size_t i = first; i < runs.size(); ++i) json.push_back(json_of(runs[i]));
      continue;
    }
    const ProgramInfo& program = named(find_program, name);
    const Config config = config_of(arguments, name);
    runs.push_back({name, config,
                    time_program(program, config, size, uint64_t(arguments.integer("cycles", 0)),
                                 [&](const std::string& what) { progress.show(what); })});
    json.push_back(json_of(runs.back()));
    if (arguments.has("output"))
      write_timeline(folder_of(arguments) / fmt::format("simt-{}.png", name), runs.back().statistics);
  }
  if (!arguments.has("lanes")) {
    print(arguments, json, runs);
  } else {
    print(arguments, json_of(lanes), lanes);
  }
  return kSuccess;
}

int run_simt(const Arguments& arguments) {
  if (arguments.has("list")) {
    list_all();
    return kSuccess;
  }
  const std::vector<std::string>& names = arguments.all("PROGRAM");
  if (names.empty())
    throw UsageError("simt: name programs, or figure and its number; `brokkr simt --list` shows them all");
  if (arguments.text("json") == "-" && arguments.has("csv"))
    throw UsageError("--json, --csv: only one of them can be standard output");
  const int64_t ways = arguments.integer("ways", 2);
  if ((ways & (ways - 1)) != 0) throw UsageError(fmt::format("--ways: {} is not a power of two of 1 to 32", ways));
  const int64_t pixels = arguments.integer("pixels", 64);
  if (pixels % 8 != 0) throw UsageError(fmt::format("--pixels: {} is not a multiple of 8", pixels));
  if (names[0] == "figure") return run_figures(arguments, names);
  return run_programs(arguments, names);
}

}  // namespace

Command simt_command() {
  return {
      "simt",
      "Time CUDA programs on a model of SIMT cores that needs no GPU",
      {several(text_option("PROGRAM", "PROGRAM", "Programs, or: figure NUMBER, of [Steffen12]")),
       text_option("--config", "FILE",
                   "The machine: a name of --list, or a JSON file (thesis-7.1; thesis-7.3 for "
                   "programs that spawn threads)"),
       choice_option("--policy", "POLICY", "Policy that selects the lanes of a warp that run together (the machine's)",
                     policy_names()),
       integer_option("--ways", "Number of places in a program at which a warp runs at once (the machine's)", 1, 32),
       flag("--mimd", "Run every thread independently, on as many lanes"),
       flag("--half-warps", "Use warps of half the size on twice the cores"),
       flag("--ideal", "Use memory that answers immediately"),
       flag("--real-memory", "Figure 8.7: use the memory of Table 7.3 instead of ideal memory"),
       integer_option("--cores", "Figures 8.7 and 8.9: use N of the 30 cores, with their share of memory (30)", 1, 30),
       flag("--warps", "Start each warp when there is room for it, not when there is room for its block"),
       flag("--no-conflicts", "Ignore bank conflicts in spawn memory"),
       integer_option("--scale", "Factor for the amount of work of programs (1)", 1, 64),
       choice_option("--scene", "SCENE", "Scene of rays (conference)", ray_place_names()),
       integer_option("--triangles", "Triangles in the scene of rays (2000; a figure's own)", 100, 4000000),
       integer_option("--pixels", "Rays per side of the picture (64; a figure's own)", 8, 1024),
       memory_option(),
       integer_option("--cycles", "Stop after N cycles, without a result", 1, 1e12),
       file_option("--frame", "FILE", "run_frame: the frame or scene (the bundled scenes/glxgears.bkf)"),
       size_option("--size", "run_frame: size of the picture (the frame's own)", 1, kMaxTargetSize),
       integer_option("--workers", "run_frame: blocks that run at the same time (as many as fit)", 1, 4096),
       flag("--lanes", "One of our own kernels: show where lanes idle, by function; with --config on that machine"),
       announced(output_option("-o,--output", "DIR", "Write active lanes over time as pictures")),
       json_option("Write the results as JSON"),
       flag("--csv", "Print CSV instead of a table"),
       flag("--list", "List programs, machines and figures")},
      run_simt};
}

}  // namespace brokkr::app
