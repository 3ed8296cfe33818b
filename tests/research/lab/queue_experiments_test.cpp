// Every experiment runs with every queue on every machine of this build, and its numbers are consistent.
#include "lab/experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/command.h"
#include "cli/cli.h"
#include "each_machine.h"
#include "research_modules.h"

namespace brokkr::lab {
namespace {

LabOptions small() {
  LabOptions o;
  o.quick = true;
  o.runs = 1;
  o.loops = 20;
  o.warps = {1, 3};
  o.graphs.push_back(make_power_law_graph(300, 900, 1));
  return o;
}

ResultTable run_small(const std::string& experiment, LabMachine& on, const LabOptions& options) {
  return run_experiment(queue_experiments(), experiment, on, options, [](const auto&) {});
}

std::vector<Cells> measure_queues(const std::string& experiment, const std::string& machine) {
  const auto on = make_lab_machine(machine);
  return cells_of(run_small(experiment, *on, small()));
}

std::set<std::string> queues_of(const std::vector<Cells>& all) {
  std::set<std::string> names;
  for (const Cells& m : all) names.insert(m.at("queue"));
  return names;
}

using QueueExperiments = EachMachine;

TEST_P(QueueExperiments, BalancedPairsLeaveNothing) {
  const auto all = measure_queues("balanced", GetParam());
  EXPECT_EQ(queues_of(all).size(), size_t(kQueueKinds));
  for (const Cells& m : all) {
    EXPECT_EQ(m.at("error"), "") << m.at("queue");
    EXPECT_EQ(m.number("enqueued"), m.number("threads") * 20) << m.at("queue");
    EXPECT_EQ(m.number("dequeued") + m.number("empty"), m.number("enqueued")) << m.at("queue");
    // A thread that has enqueued an element finds one, unless the queue may deny it.
    if (std::find_if(kQueueTraits.begin(), kQueueTraits.end(), [&](const QueueTraits& traits) {
          return m.at("queue") == traits.name && traits.here.linearizable == Claim::yes;
        }) != kQueueTraits.end()) {
      EXPECT_EQ(m.at("empty"), "0") << m.at("queue");
    }
    EXPECT_GE(m.number("mean_ms"), m.number("min_ms"));
    EXPECT_GE(m.number("max_ms"), m.number("mean_ms"));
  }
}

TEST_P(QueueExperiments, MixesLeanTheWayTheyShould) {
  const auto all = measure_queues("mix", GetParam());
  EXPECT_EQ(queues_of(all).size(), size_t(kQueueKinds) - 2);  // without the blocking queues
  for (const Cells& m : all) {
    EXPECT_EQ(m.at("error"), "") << m.at("queue");
    EXPECT_EQ(m.at("full"), "0") << m.at("queue");
    EXPECT_EQ(m.at("multiply_adds"), "128");
    EXPECT_EQ(m.number("enqueued") > m.number("dequeued") + m.number("empty"),
              m.number("p_enqueue") > m.number("p_dequeue"))
        << m.at("queue");
  }
  EXPECT_FALSE(measure_queues("ratio", GetParam()).empty());
}

TEST_P(QueueExperiments, PageRankIsRight) {
  const auto all = measure_queues("pagerank", GetParam());
  EXPECT_EQ(all.size(), (size_t(kQueueKinds) - 2) * 2);
  for (const Cells& m : all) {
    EXPECT_EQ(m.at("error"), "") << m.at("queue");
    EXPECT_EQ(m.at("nodes"), "300");
    EXPECT_GT(m.number("mean_ms"), 0) << m.at("queue");
  }
}

TEST_P(QueueExperiments, AtomicsAndPairs) {
  EXPECT_EQ(measure_queues("atomics", GetParam()).size(), 9u);
  for (const Cells& m : measure_queues("pairs", GetParam())) EXPECT_EQ(m.at("error"), "") << m.at("queue");
}

// Whole elements come out, as many as went in, in each of the three ways.
TEST_P(QueueExperiments, ElementsOfManyWords) {
  const auto all = measure_queues("elements", GetParam());
  EXPECT_EQ(all.size(), 3u * 2 * 2);  // ways, sizes, numbers of warps
  for (const Cells& m : all) {
    EXPECT_EQ(m.at("error"), "") << m.at("way") << " " << m.at("words");
    EXPECT_GT(m.number("mean_ms"), 0) << m.at("way");
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, QueueExperiments, each_machine(), machine_name);

TEST(LabOptions, AreChecked) {
  const auto machine = make_lab_machine("auto");
  LabOptions o = small();
  EXPECT_THROW(run_small("fastest", *machine, o), std::invalid_argument);
  o.iterations = 16;
  EXPECT_THROW(run_small("pagerank", *machine, o), std::invalid_argument);
  EXPECT_THROW(make_lab_machine("abacus"), std::invalid_argument);
}

// Configurations that cannot run at the same time are refused, not skipped.
TEST(LabOptions, MoreWarpsThanRunAtOnceAreRefused) {
  const auto machine = make_lab_machine("cpu");
  LabOptions o = small();
  o.warps = {1, 257};
  for (const char* experiment : {"balanced", "atomics", "pairs", "ratio", "pagerank", "mix", "elements"}) {
    EXPECT_THROW(run_small(experiment, *machine, o), std::invalid_argument) << experiment;
  }
  o.warps = {3};
  EXPECT_EQ(run_small("atomics", *machine, o).rows.size(), 6u);
}

int run(std::vector<const char*> words) {
  words.insert(words.begin(), "brokkr");
  return app::run(int(words.size()), words.data(), app::research_modules());
}

TEST(QueuesCommand, AnswersAsTheOthersDo) {
  EXPECT_EQ(run({"queues", "--list"}), app::kSuccess);
  EXPECT_EQ(run({"queues", "balanced", "--quick", "--queues", "bq,sfq", "--warps", "1,2", "--json", "-"}),
            app::kSuccess);
  EXPECT_EQ(run({"queues", "fastest"}), app::kUsageError);
  EXPECT_EQ(run({"queues", "--queues", "XQ"}), app::kUsageError);
  EXPECT_EQ(run({"queues", "--warps", "1,x"}), app::kUsageError);
  EXPECT_EQ(run({"queues", "--warps", "0"}), app::kUsageError);
  EXPECT_NE(run({"queues", "pairs", "--quick", "--machine", "cpu", "--warps", "300"}), app::kSuccess);
  EXPECT_EQ(run({"queues", "pairs", "--quick", "--machine", "emulated", "--loops", "10", "--warps", "3"}),
            app::kSuccess);
  EXPECT_EQ(run({"queues", "--iterations", "16"}), app::kUsageError);
  EXPECT_EQ(run({"queues", "pagerank", "--quick", "--graph", "there-is-none.txt"}), app::kFailure);
}

}  // namespace
}  // namespace brokkr::lab
