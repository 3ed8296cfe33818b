// Every experiment runs with every queue, on every machine of this build, and its numbers add up.
#include "lab/queue_experiments.h"

#include <gtest/gtest.h>

#include <set>

#include "app/command.h"
#include "cli/cli.h"
#include "each_machine.h"

namespace brokkr::lab {
namespace {

ExperimentOptions small() {
  ExperimentOptions o;
  o.quick = true;
  o.runs = 1;
  o.loops = 20;
  o.warps = {1, 3};
  o.graphs.push_back(make_power_law_graph(300, 900, 1));
  return o;
}

std::vector<Measurement> measure(const std::string& experiment, const std::string& machine) {
  std::vector<Measurement> all;
  const auto on = make_lab_machine(machine);
  const ExperimentOptions options = small();
  run_queue_experiment(experiment, *on, options, {[&](const Measurement& m) { all.push_back(m); }, [](const auto&) {}});
  return all;
}

std::set<std::string> queues_of(const std::vector<Measurement>& all) {
  std::set<std::string> names;
  for (const Measurement& m : all) names.insert(m.queue);
  return names;
}

using QueueExperiments = EachMachine;

TEST_P(QueueExperiments, BalancedPairsLeaveNothing) {
  const auto all = measure("balanced", GetParam());
  EXPECT_EQ(queues_of(all).size(), size_t(kQueueKinds));
  for (const Measurement& m : all) {
    EXPECT_EQ(m.error, "") << m.queue;
    EXPECT_EQ(m.enqueued, uint64_t(m.threads) * 20) << m.queue;
    EXPECT_EQ(m.dequeued + m.empty, m.enqueued) << m.queue;
    // Whoever has enqueued an element finds one, unless the queue may deny it.
    if (m.queue != "GQ" && m.queue != "HTQ" && m.queue != "BWD" && m.queue != "BSQ") {
      EXPECT_EQ(m.empty, 0u) << m.queue;
    }
    EXPECT_GE(m.mean_ms, m.min_ms);
    EXPECT_GE(m.max_ms, m.mean_ms);
    EXPECT_EQ(measurement_cells(m).size(), measurement_columns().size());
  }
}

TEST_P(QueueExperiments, MixesLeanTheWayTheyShould) {
  const auto all = measure("mix", GetParam());
  EXPECT_EQ(queues_of(all).size(), size_t(kQueueKinds) - 2);  // without those that wait
  for (const Measurement& m : all) {
    EXPECT_EQ(m.error, "") << m.queue;
    EXPECT_EQ(m.full, 0u) << m.queue;
    EXPECT_EQ(m.multiply_adds, 128u);
    EXPECT_EQ(m.enqueued > m.dequeued + m.empty, m.enqueue_probability > m.dequeue_probability) << m.queue;
  }
  EXPECT_FALSE(measure("ratio", GetParam()).empty());
}

TEST_P(QueueExperiments, PageRankIsRight) {
  const auto all = measure("pagerank", GetParam());
  EXPECT_EQ(all.size(), (size_t(kQueueKinds) - 2) * 2);
  for (const Measurement& m : all) {
    EXPECT_EQ(m.error, "") << m.queue;
    EXPECT_EQ(m.nodes, 300u);
    EXPECT_GT(m.mean_ms, 0) << m.queue;
  }
}

TEST_P(QueueExperiments, AtomicsAndPairs) {
  EXPECT_EQ(measure("atomics", GetParam()).size(), 9u);
  for (const Measurement& m : measure("pairs", GetParam())) EXPECT_EQ(m.error, "") << m.queue;
}

INSTANTIATE_TEST_SUITE_P(Machines, QueueExperiments, each_machine(), machine_name);

TEST(QueueExperimentOptions, AreChecked) {
  const auto machine = make_lab_machine("auto");
  ExperimentOptions o = small();
  const ExperimentReport report{[](const auto&) {}, [](const auto&) {}};
  EXPECT_THROW(run_queue_experiment("fastest", *machine, o, report), std::invalid_argument);
  o.iterations = 16;
  EXPECT_THROW(run_queue_experiment("pagerank", *machine, o, report), std::invalid_argument);
  EXPECT_THROW(make_lab_machine("abacus"), std::invalid_argument);
}

int run(std::vector<const char*> words) {
  words.insert(words.begin(), "brokkr");
  return app::run(int(words.size()), words.data());
}

TEST(QueuesCommand, AnswersAsTheOthersDo) {
  EXPECT_EQ(run({"queues", "--list"}), app::kSuccess);
  EXPECT_EQ(run({"queues", "balanced", "--quick", "--queues", "bq,sfq", "--warps", "1,2", "--json", "-"}),
            app::kSuccess);
  EXPECT_EQ(run({"queues", "fastest"}), app::kUsageError);
  EXPECT_EQ(run({"queues", "--queues", "XQ"}), app::kUsageError);
  EXPECT_EQ(run({"queues", "--warps", "1,x"}), app::kUsageError);
  EXPECT_EQ(run({"queues", "--iterations", "16"}), app::kUsageError);
  EXPECT_EQ(run({"queues", "pagerank", "--quick", "--graph", "there-is-none.txt"}), app::kFailure);
}

}  // namespace
}  // namespace brokkr::lab
