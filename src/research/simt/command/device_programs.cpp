#include "simt/command/device_programs.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>

#include "app/input.h"
#include "app/workload.h"
#include "base/failure.h"
#include "base/file_io.h"
#include "brokkr/renderer.h"
#include "lab/lab_machine.h"
#include "log/csv.h"
#include "pipeline/simt_device.h"

namespace brokkr::simt {
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

// All threads of 16 warps enqueue and dequeue an element, twice.
void run_queues(DeviceControl& device, const Arguments&, Progress& progress, std::vector<KernelRun>& runs) {
  const auto machine = lab::make_lab_machine("simt");
  const uint32_t warps = kQueueWarps, threads = warps * machine->width();
  for (size_t kind = 0; kind < size_t(kQueueKinds); ++kind) {
    const char* const name = queue_traits(QueueKind(kind)).name;
    progress.show(fmt::format("queue {}", name));
    QueueShape shape;
    shape.threads = threads;
    shape.homes = (warps + machine->warps_per_block - 1) / machine->warps_per_block;
    const lab::LabArray<std::byte> memory(*machine, machine->queue(QueueKind(kind)).bytes(shape));
    const lab::LabArray<lab::MixCounts> counts(*machine, warps);
    lab::MixPlan plan;
    plan.queue = {memory.data(), machine->abort_word(), shape};
    plan.crew = {warps, machine->width()};
    plan.least_loops = plan.most_loops = kQueueLoops;
    plan.counts = counts.data();
    machine->prepare_queue(QueueKind(kind), memory.data(), shape);
    device.forget();
    if (machine->run(machine->queue(QueueKind(kind)).mix, plan, kSeconds) < 0) fail("queue {}: it does not end", name);
    lab::MixCounts sum{};
    for (const lab::MixCounts& c : counts.values(0, warps)) {
      sum.enqueued += c.enqueued;
      sum.dequeued += c.dequeued;
      sum.full += c.full;
      sum.empty += c.empty;
    }
    // Each thread has tried one enqueue and one dequeue per loop.
    if (sum.enqueued + sum.full != uint64_t(threads) * kQueueLoops ||
        sum.dequeued + sum.empty != uint64_t(threads) * kQueueLoops || sum.dequeued > sum.enqueued)
      fail("queue {}: {} elements went in and {} came out of {} tries", name, sum.enqueued, sum.dequeued,
           threads * kQueueLoops);
    take(device, fmt::format("queue {}", name), runs);
  }
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
    plan.words = words.data();
    device.forget();
    if (machine->run(machine->kernels.atomics, plan, kSeconds) < 0) fail("{}: they do not end", name);
    uint64_t sum = 0;
    for (const uint32_t w : words.values()) sum += w;
    if (access != lab::AtomicAccess::plain && sum != uint64_t(threads) * kLoops)
      fail("{}: {} additions of {} are there", name, sum, threads * kLoops);
    take(device, name, runs);
  }
}

constexpr DeviceProgram kDevicePrograms[] = {
    {"run_frame", "a frame through our own pipeline (--frame, --size)", run_frame},
    {"queue-mix", "each of the measured queues: threads put elements in and take them out", run_queues},
    {"queue-atomics", "additions to one word, and to words of each thread's own", run_atomics},
};

std::string percent(uint64_t part, uint64_t whole) {
  return fmt::format("{:.1f}", whole == 0 ? 0.0 : 100.0 * double(part) / double(whole));
}

constexpr size_t kMostRows = 30;

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
    if (rows.size() == kMostRows) break;
    rows.push_back({f.function, app::grouped(f.counts.instructions), percent(f.counts.instructions, all.instructions),
                    fmt::format("{:.1f}", f.counts.average()), percent(f.counts.lost(), all.lost()),
                    fmt::format("  {}:{}, {:.1f} lanes", f.file, f.worst_line, f.worst.average())});
  }
  return fmt::format("{} warp instructions of {:.2f} lanes\n", app::grouped(all.instructions), all.average()) +
         app::format_table({"function", "warp instr.", "% of all", "lanes", "% of lost", "  line that loses most"},
                           rows);
}

std::string csv_of(const LaneTable& lanes) {
  std::string text = "function,file,warp_instructions,lanes,lost,worst_line,worst_line_lanes,worst_line_lost\n";
  for (const FunctionLanes& f : lanes.rows()) {
    text += fmt::format("{},{},{},{},{},{},{},{}\n", csv_cell(f.function), csv_cell(f.file), f.counts.instructions,
                        f.counts.average(), f.counts.lost(), f.worst_line, f.worst.average(), f.worst.lost());
  }
  return text;
}

}  // namespace brokkr::simt
