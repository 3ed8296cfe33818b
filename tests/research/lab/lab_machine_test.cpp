// Experiments run on the best instruction set or on the requested one, and every row names it.
#include "lab/lab_machine.h"

#include <gtest/gtest.h>

#include <map>

#include "app/command.h"
#include "cli/cli.h"
#include "each_machine.h"
#include "lab/experiment.h"
#include "pipeline/cpu_machine.h"
#include "research_modules.h"

namespace brokkr::lab {
namespace {

const std::map<std::string, uint32_t> kLanes = {{"v2", 4}, {"v3", 8}, {"v4", 16}, {"neon", 4}};

TEST(LabMachine, IsTheBestThatRunsHere) {
  const auto machine = make_lab_machine("cpu");
  EXPECT_EQ(machine->detail, best_cpu_isa());
  EXPECT_EQ(machine->width(), kLanes.at(best_cpu_isa()));
}

TEST(LabMachine, HasEveryInstructionSetThatThePipelineHas) {
  for (const auto& [isa, lanes] : kLanes) {
    if (!cpu_supports(isa)) {
      EXPECT_THROW(make_lab_machine("cpu", isa), std::invalid_argument) << isa;
      continue;
    }
    const auto machine = make_lab_machine("auto", isa);
    EXPECT_EQ(machine->name, "cpu");
    EXPECT_EQ(machine->detail, isa);
    EXPECT_EQ(machine->width(), lanes);
  }
  EXPECT_THROW(make_lab_machine("cpu", "v9"), std::invalid_argument);
  EXPECT_THROW(make_lab_machine("emulated", "v3"), std::invalid_argument);
}

TEST(LabMachine, EveryRowSaysWhereItWasMeasured) {
  const auto machine = make_lab_machine("cpu");
  LabOptions o;
  o.quick = true;
  o.runs = 1;
  o.decisions = o.max_tasks = 200;
  o.workers = 2;
  o.render.machine = MachineKind::cpu;
  const auto check = [&](std::span<const Experiment> experiments, const std::string& name) {
    const auto rows = cells_of(run_experiment(experiments, name, *machine, o, [](const auto&) {}));
    ASSERT_FALSE(rows.empty()) << name;
    for (const Cells& m : rows) {
      EXPECT_EQ(m.at("machine"), "cpu") << name;
      EXPECT_EQ(m.at("detail"), best_cpu_isa()) << name;
      EXPECT_EQ(m.number("lanes"), kLanes.at(best_cpu_isa())) << name;
    }
  };
  check(queue_experiments(), "atomics");
  check(schedule_experiments(), "quotas");
  check(schedule_experiments(), "foveated");
}

TEST(LabMachine, IsChosenOnTheCommandLine) {
  const auto run = [](std::vector<const char*> words) {
    words.insert(words.begin(), "brokkr");
    return app::run(int(words.size()), words.data(), app::research_modules());
  };
  const std::string best = best_cpu_isa();
  EXPECT_EQ(run({"queues", "atomics", "--quick", "--isa", best.c_str(), "--json", "-"}), app::kSuccess);
  EXPECT_EQ(run({"queues", "atomics", "--quick", "--isa", "v9"}), app::kUsageError);
  EXPECT_EQ(run({"queues", "atomics", "--quick", "--isa", "emulated", "--machine", "cpu"}), app::kUsageError);
  if (cpu_supports("emulated")) {
    EXPECT_EQ(run({"schedule", "overhead", "--quick", "--isa", "emulated", "--json", "-"}), app::kSuccess);
  }
}

}  // namespace
}  // namespace brokkr::lab
