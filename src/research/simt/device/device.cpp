// The simulated device: CUDA's runtime on the interpreter or, if cycles are counted, on the timed machine. The
// library's exports are at the end.
#include <fmt/format.h>

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "base/processors.h"
#include "brokkr/version.h"
#include "lab/plans.h"
#include "pipeline/cuda/machine.h"
#include "pipeline/task_machine.h"
#include "ptx/runtime.h"
#include "ptx/settings.h"
#include "reyes/reyes_plan.h"
#include "simt/device/control.h"
#include "simt/statistics.h"
#include "simt/timed_machine.h"
#include "trace/tables.h"

namespace brokkr::simt {
namespace {

class Device : public SimtDevice, public DeviceControl {
 public:
  Device() {
    ptx::hooks().run = [this](const ptx::Launch& launch) { run(launch); };
    set_up(DeviceSettings{.threads = 0});
  }

  void set_up(const std::string& config, int threads) override {
    DeviceSettings s;
    if (!config.empty()) s.config = find_config(config);
    s.threads = threads;
    set_up(s);
  }

  void set_up(const DeviceSettings& s) override {
    const std::lock_guard lock(mutex_);
    settings_ = s;
    runs_.clear();
    lanes_ = {};
    machines_.clear();
    ptx::Settings p = ptx::settings();
    p.threads = s.threads > 0 ? s.threads : usable_processors();
    p.multiprocessors = s.config ? int(s.config->cores) : std::max(2, p.threads);
    // The frame's watchdog uses the host's clock, so a device that counts cycles reports a lower clock rate.
    p.megahertz = s.config ? 1 : 16;
    ptx::change_settings(p);
    ptx::hooks().blocks = nullptr;
    if (!s.config) return;
    ptx::hooks().blocks = [this](const ptx::Program& program, const ptx::Function& f, int threads, size_t shared) {
      return int(machine_of(program).blocks_that_fit(f, uint32_t(threads), uint32_t(shared)));
    };
  }

  std::unique_ptr<MachineBackend> make_machine() override { return make_cuda_machine(); }
  std::unique_ptr<TaskMachine> make_task_machine() override { return make_cuda_task_machine(); }

  const void* kernels(std::string_view room) override {
    if (room == "trace") return &trace::cuda_trace_kernels();
    if (room == "reyes") return &cuda_reyes_kernels();
    if (room == "lab") return &lab::cuda_lab_kernels();
    throw std::runtime_error(fmt::format("machine simt: it has no kernels of {}", room));
  }

  std::string report() override {
    const std::lock_guard lock(mutex_);
    if (!settings_.config) return {};
    nlohmann::ordered_json json = {{"machine", settings_.config->name},
                                   {"policy", policy_names()[size_t(settings_.config->policy)]}};
    for (const auto& [name, run] : runs_) {
      nlohmann::ordered_json kernel = {{"kernel", name}, {"launches", run.launches}};
      kernel.update(json_of(run.statistics, settings_.config->warp));
      kernel.erase("windows");
      json["kernels"].push_back(std::move(kernel));
    }
    return json.dump(2);
  }
  void* control() override { return static_cast<DeviceControl*>(this); }

  std::vector<KernelRun> runs() const override {
    const std::lock_guard lock(mutex_);
    std::vector<KernelRun> all;
    for (const auto& [name, run] : runs_) all.push_back(run);
    return all;
  }
  void forget() override {
    const std::lock_guard lock(mutex_);
    runs_.clear();
  }
  LaneTable lanes() const override {
    const std::lock_guard lock(mutex_);
    return lanes_;
  }

 private:
  TimedMachine& machine_of(const ptx::Program& program) {
    const std::lock_guard lock(machines_mutex_);
    std::unique_ptr<TimedMachine>& m = machines_[&program];
    if (m == nullptr) m = std::make_unique<TimedMachine>(*settings_.config, program);
    return *m;
  }

  // Called on the queue's thread, for one launch at a time.
  void run(const ptx::Launch& launch) {
    KernelRun one;
    std::vector<uint64_t> runs, lanes;
    if (settings_.config) {
      TimedMachine& machine = machine_of(*launch.program);
      if (settings_.lanes) {
        runs.resize(launch.program->code.size());
        lanes.resize(launch.program->code.size());
        machine.on_issue = [&](const IssueEvent& e) {
          ++runs[e.group.pc];
          lanes[e.group.pc] += uint64_t(__builtin_popcount(e.group.lanes));
        };
      }
      one.statistics = machine.run(launch);
      machine.on_issue = nullptr;
      one.instructions = one.statistics.instructions;
    } else {
      ptx::Machine& machine = ptx::Queue::instance().machine;
      machine.count_lanes(settings_.lanes);
      const uint64_t before = machine.executed();
      machine.run(launch);
      one.instructions = machine.executed() - before;
      if (settings_.lanes) {
        runs = machine.profile().runs_of_each();
        lanes = machine.profile().lanes_of_each();
      }
    }
    const std::lock_guard lock(mutex_);
    if (settings_.lanes) lanes_.add(*launch.program, runs, lanes);
    KernelRun& all = runs_[short_name(launch.kernel->name)];
    all.kernel = short_name(launch.kernel->name);
    ++all.launches;
    all.instructions += one.instructions;
    all.statistics.add(one.statistics);
  }

  mutable std::mutex mutex_;
  std::mutex machines_mutex_;
  DeviceSettings settings_;
  std::map<std::string, KernelRun> runs_;
  LaneTable lanes_;
  std::map<const ptx::Program*, std::unique_ptr<TimedMachine>> machines_;
};

}  // namespace
}  // namespace brokkr::simt

// The version is part of the name, so that a library of another version is rejected.
[[gnu::visibility("default")]] brokkr::SimtDevice* brokkr_simt_device() __asm__("brokkr_simt_device_" BROKKR_VERSION);
brokkr::SimtDevice* brokkr_simt_device() {
  static auto* const device = new brokkr::simt::Device;  // its threads end with the process
  return device;
}
