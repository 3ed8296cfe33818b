// Each policy keeps its promise: one worker makes the order of decisions deterministic, and real threads test the
// shares.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "schedule_launch.h"

namespace brokkr::schedule_test {
namespace {

uint32_t scramble(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

class Policies : public testing::TestWithParam<std::string> {
 protected:
  Launch program(const std::string& name) const { return Launch(programs_of(GetParam()), name); }
};

std::vector<Job> jobs_with_keys(const std::vector<uint32_t>& keys) {
  std::vector<Job> jobs;
  for (const uint32_t key : keys) jobs.push_back({key, 0, 0, 0});
  return jobs;
}
std::vector<Job> random_priorities(uint32_t n) {
  std::vector<uint32_t> keys;
  for (uint32_t i = 0; i < n; ++i) keys.push_back(scramble(i + 1) & 0xffffffu);
  return jobs_with_keys(keys);
}

TEST_P(Policies, OneQueueIsFirstInFirstOut) {
  Launch r = program("fifo");
  r.seeds = random_priorities(200);
  r.go();
  std::vector<uint32_t> expected(200);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(r.log, expected);
}

TEST_P(Policies, DiscretizedPrioritiesRunClassByClass) {
  for (const auto& [name, classes] : {std::pair{"discretized", 16u}, std::pair{"discretized 80", 80u}}) {
    Launch r = program(name);
    r.seeds = random_priorities(300);
    r.go();
    std::vector<uint32_t> expected(r.seeds.size());
    std::iota(expected.begin(), expected.end(), 0u);
    const auto class_of = [&](uint32_t id) { return uint64_t(r.seeds[id].key) * classes >> 24; };
    std::stable_sort(expected.begin(), expected.end(),
                     [&](uint32_t a, uint32_t b) { return class_of(a) > class_of(b); });
    EXPECT_EQ(r.log, expected) << name;
  }
}

// All priorities lie in the lowest of 16 classes. Once the bound has fallen to them, no job runs before one that is
// more urgent by at least a sixteenth of the bound.
TEST_P(Policies, DecreasingPrioritiesAreToldApart) {
  constexpr uint32_t kMaxKey = 1u << 18;
  std::vector<uint32_t> keys;
  for (uint32_t i = 0; i < 300; ++i) keys.push_back(scramble(i + 1) % kMaxKey);
  const auto run_with = [&](uint64_t patience) {
    Launch r = program("decreasing");
    r.seeds = jobs_with_keys(keys);
    r.capacity = 512;
    r.shared = {0, 0, patience};
    r.go();
    EXPECT_EQ(r.refusals, 0u);
    return r.keys();
  };
  EXPECT_EQ(run_with(0), keys) << "without patience they are one class";
  for (const uint64_t patience : {1u, 5u}) {
    const std::vector<uint32_t> order = run_with(patience);
    std::vector<uint32_t> sorted = order, all = keys;
    std::sort(sorted.begin(), sorted.end());
    std::sort(all.begin(), all.end());
    ASSERT_EQ(sorted, all);
    uint32_t least = kMaxKey;
    for (size_t i = 6 * patience; i < order.size(); ++i) {
      EXPECT_LT(order[i], least + kMaxKey / 16) << "job " << i << " with patience " << patience;
      least = std::min(least, order[i]);
    }
  }
}

TEST_P(Policies, RoundRobinTakesTurnsAndSkipsEmptyQueues) {
  Launch r = program("round-robin");
  r.seeds = jobs_with_keys({0, 0, 0, 0, 0, 1, 1, 3, 3, 3});
  r.go();
  // Worker 0 begins after child 0.
  EXPECT_EQ(r.keys(), (std::vector<uint32_t>{1, 3, 0, 1, 3, 0, 3, 0, 0, 0}));
}

TEST_P(Policies, FairSharesOfTimeFollowQuotas) {
  const std::vector<uint64_t> quotas = {7, 13, 20, 27, 33};
  Launch r = program("fair");
  for (uint32_t i = 0; i < 100; ++i) r.seeds.push_back({i % 5, 0, 0, 0});
  r.shared = {0, 0, 0, 0, 0};
  r.shared.insert(r.shared.end(), quotas.begin(), quotas.end());
  r.workers = 3;
  r.respawns = 1500;
  r.work_ns = 10000;
  r.snapshot.resize(6);
  r.uneven = true;  // a task of process 4 takes five times as long as one of process 0
  r.go();
  EXPECT_EQ(r.log.size(), 1600u);
  ASSERT_EQ(r.snapshot[5], 1u);
  const double total = double(std::accumulate(r.snapshot.begin(), r.snapshot.begin() + 5, uint64_t(0)));
  double least = 1e30;
  for (size_t p = 0; p < 5; ++p) least = std::min(least, double(r.snapshot[p]) / double(quotas[p]));
  // No process is chosen that is ahead of another, so a process leads at most by the tasks that run at a time. That is
  // 0.3 % of the whole if no thread is interrupted.
  const double ahead = r.workers * (double(r.longest_ns) + 20000);
  for (size_t p = 0; p < 5; ++p) {
    EXPECT_LE(double(r.snapshot[p]), least * double(quotas[p]) + ahead) << "process " << p << " of " << total << " ns";
  }
  EXPECT_GT(total, 1400 * 2000.0);
}

// The same with given times, against which the tasks' real times are negligible.
TEST_P(Policies, TheSmallestPartOfItsQuotaComesFirst) {
  Launch r = program("fair");
  r.seeds = jobs_with_keys({0, 1, 2, 3, 4, 0, 1, 2, 3, 4});
  r.shared = {70'000'000'000'000,
              26'000'000'000'000,
              100'000'000'000'000,
              27'000'000'000'000,
              132'000'000'000'000,
              7,
              13,
              20,
              27,
              33};
  r.go();
  EXPECT_EQ(r.keys(), (std::vector<uint32_t>{3, 3, 1, 1, 4, 4, 2, 2, 0, 0}));
}

std::vector<Job> random_deadlines(uint32_t n, uint32_t range) {
  std::vector<Job> jobs;
  for (uint32_t i = 0; i < n; ++i) jobs.push_back({0, scramble(i + 7) % range, 0, 0});
  return jobs;
}

TEST_P(Policies, DeadlinesInSlices) {
  Launch r = program("edf discretized");
  r.seeds = random_deadlines(250, 20000);  // 16 slices of 1000 us, the last takes the rest
  r.go();
  uint32_t last = 0;
  for (const uint32_t id : r.log) {
    const uint32_t slice = std::min(15u, r.seeds[id].deadline / 1000);
    EXPECT_GE(slice, last);
    last = slice;
  }
  EXPECT_EQ(r.log.size(), 250u);
}

TEST_P(Policies, DeadlinesInARingThatBeginsNow) {
  Launch r = program("edf wrap-around");  // 16 slices of 0.1 s: all of this happens in the first
  for (const uint32_t slice : {9u, 1u, 15u, 2u, 9u, 0u, 4u, 15u}) r.seeds.push_back({0, slice * 100000 + 5, 0, 0});
  r.seeds.push_back({0, 16 * 100000 + 2 * 100000 + 5, 0, 0});  // one lap later, in the bucket of slice 2
  r.go();
  std::vector<uint32_t> slices;
  for (const uint32_t id : r.log) slices.push_back(r.seeds[id].deadline / 100000);
  EXPECT_EQ(slices, (std::vector<uint32_t>{0, 1, 2, 18, 4, 9, 9, 15, 15}));
}

// The same if the current slice is 6 or, as time passes, one of the next: late tasks wait for the next lap.
TEST_P(Policies, DeadlinesInARingThatHasGoneOn) {
  Launch r = program("edf wrap-around");
  r.begun_ns = 610'000'000;
  for (const uint32_t slice : {5u, 16u, 13u, 4u, 18u, 15u}) r.seeds.push_back({0, slice * 100000 + 5, 0, 0});
  r.go();
  std::vector<uint32_t> slices;
  for (const uint32_t id : r.log) slices.push_back(r.seeds[id].deadline / 100000);
  EXPECT_EQ(slices, (std::vector<uint32_t>{13, 15, 16, 18, 4, 5}));
}

TEST_P(Policies, EarliestDeadlinePerJobIsExactForEvenSpacing) {
  Launch r = program("edf per job");
  const uint32_t spacing[6] = {100, 170, 230, 410, 640, 1000};
  for (uint32_t job = 0; job < 6; ++job) {
    for (uint32_t i = 0; i < 20; ++i) r.seeds.push_back({job, 50 + 7 * job + i * spacing[job], 0, 0});
  }
  r.shared.assign(6, 0);
  r.shared.insert(r.shared.end(), spacing, spacing + 6);
  r.go();
  std::vector<uint32_t> deadlines, expected;
  for (const uint32_t id : r.log) deadlines.push_back(r.seeds[id].deadline);
  for (const Job& job : r.seeds) expected.push_back(job.deadline);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(deadlines, expected);
}

TEST_P(Policies, AMaintainerSortsAllButTheFront) {
  const Programs programs = programs_of(GetParam());
  const int n = 600, margin = 2 * programs.width;
  std::vector<uint32_t> before, after;
  for (int i = 0; i < n; ++i) before.push_back(scramble(uint32_t(i) + 3) % 100000);
  after = before;
  programs.sort(after.data(), n, 0);
  EXPECT_EQ(after, before);
  // A window moves an element by at most its width per pass, and every pass brings the least one to the front.
  programs.sort(after.data(), n, 1);
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + margin, after.begin())) << "the safety margin was touched";
  EXPECT_EQ(*std::min_element(before.begin() + margin, before.end()),
            *std::min_element(after.begin() + margin, after.begin() + margin + programs.width));
  after = before;
  programs.sort(after.data(), n, 2 * n / programs.width + 2);
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + margin, after.begin())) << "the safety margin was touched";
  const int last = n - programs.width;  // windows begin at the back, so the first one may begin anywhere
  EXPECT_TRUE(std::is_sorted(after.begin() + margin + programs.width, after.begin() + last));
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  EXPECT_EQ(after, before) << "an element was lost or doubled";
}

TEST_P(Policies, SortedQueuesRunWhatIsUrgentFirst) {
  for (const char* name : {"edf sorted", "priority sorted", "fair sorted"}) {
    Launch r = program(name);
    const bool fair = std::string(name) == "fair sorted", deadlines = std::string(name) == "edf sorted";
    for (uint32_t i = 0; i < 400; ++i) {
      r.seeds.push_back({fair ? i % 5 : scramble(i) & 0xffffffu, scramble(i) & 0xffffffu, 0, 0});
    }
    // Process 3 has run far less than its quota, process 1 far more.
    if (fair) r.user = {1000000, 4000000, 1000000, 10000, 1000000, 20, 20, 20, 20, 20};
    r.workers = 2;  // one sorts, one runs
    r.capacity = 1024;
    r.work_ns = 30000;
    r.go();
    ASSERT_EQ(r.log.size(), 400u) << name;
    // Pairs in the right order among those queued together: one half in an unsorted queue.
    uint64_t right = 0, all = 0;
    for (size_t i = 0; i < r.log.size(); ++i) {
      for (size_t j = i + 1; j < r.log.size(); ++j) {
        const Job &first = r.seeds[r.log[i]], &second = r.seeds[r.log[j]];
        if (fair) {
          if (first.key == second.key || (first.key != 3 && second.key != 3)) continue;
          right += first.key == 3;
        } else {
          right += deadlines ? first.deadline <= second.deadline : first.key >= second.key;
        }
        ++all;
      }
    }
    EXPECT_GT(double(right) / double(all), 0.6) << name;
  }
}

TEST_P(Policies, PrioritiesAboveLongestQueueBelow) {
  Launch r = program("priorities of kinds");
  const uint32_t low = 0, high = 0xffffff, width = uint32_t(programs_of(GetParam()).width);
  for (uint32_t i = 0; i < width; ++i) r.seeds.push_back({low, 0, 0, 0});
  for (uint32_t i = 0; i < 3; ++i) r.seeds.push_back({high, 0, 0, 0});
  for (uint32_t i = 0; i < 5; ++i) r.seeds.push_back({high, 0, 0, 1});
  r.go();
  ASSERT_EQ(r.log.size(), r.seeds.size());
  // A decision takes as many tasks as the warp has lanes: with five and three tasks, four lanes take four, then the
  // three.
  std::vector<uint32_t> kinds;
  for (uint32_t left[2] = {3, 5}; left[0] + left[1] > 0;) {
    const uint32_t kind = left[1] > left[0] ? 1 : 0, taken = std::min(left[kind], width);
    kinds.insert(kinds.end(), taken, kind);
    left[kind] -= taken;
  }
  kinds.resize(r.log.size(), 0);
  for (size_t i = 0; i < r.log.size(); ++i) {
    const Job& job = r.seeds[r.log[i]];
    EXPECT_EQ(job.key, i < 8 ? high : low) << i;
    EXPECT_EQ(job.kind, kinds[i]) << i;
  }
}

// A full warp goes first, whatever its kind. If no kind fills a warp, the lowest kind goes first.
TEST_P(Policies, FullWarpsGoBeforeTheLowestKind) {
  Launch r = program("kinds by warps");
  const uint32_t width = uint32_t(programs_of(GetParam()).width);
  std::vector<uint32_t> kinds;
  for (const auto& [kind, count] : {std::pair{0u, width - 1}, std::pair{1u, 2 * width + 1}}) {
    for (uint32_t i = 0; i < count; ++i) r.seeds.push_back({0, 0, 0, kind});
  }
  kinds.assign(2 * width, 1);
  kinds.insert(kinds.end(), width - 1, 0);
  kinds.push_back(1);
  r.go();
  ASSERT_EQ(r.log.size(), kinds.size());
  for (size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(r.seeds[r.log[i]].kind, kinds[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(Machines, Policies, testing::ValuesIn(machine_names()),
                         [](const auto& machine) { return machine.param; });

}  // namespace
}  // namespace brokkr::schedule_test
