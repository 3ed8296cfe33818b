// Independent pieces of work on several threads.
#include "base/processors.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace brokkr {
namespace {

TEST(ParallelFor, DoesEachPieceOnce) {
  for (const int workers : {-1, 0, 1, 2, 7, 200}) {
    std::vector<int> done(100);
    parallel_for(100, workers, [&](int i) { ++done[size_t(i)]; });
    EXPECT_EQ(done, std::vector<int>(100, 1)) << workers;
  }
  parallel_for(0, 4, [](int) { FAIL() << "there is no piece"; });
}

TEST(ParallelFor, WatchesOnTheCallersThread) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> own{0};
  int watched = 0;
  const auto work = [&](int) { own += std::this_thread::get_id() == caller; };
  parallel_for(1000, 3, work, [&](int) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    ++watched;
  });
  EXPECT_EQ(watched, own.load());
}

TEST(ParallelFor, ThrowsAgainAndBeginsNothingAfter) {
  std::atomic<int> begun{0};
  const auto fails_at_3 = [&](int i) {
    ++begun;
    if (i == 3) throw std::runtime_error("three");
  };
  EXPECT_THROW(parallel_for(1 << 30, 2, fails_at_3), std::runtime_error);
  EXPECT_LT(begun.load(), 1 << 30);
  begun = 0;
  const auto cancel = [](int) { throw std::invalid_argument("cancelled"); };
  EXPECT_THROW(parallel_for(
                   1 << 30, 1, [&](int) { ++begun; }, cancel),
               std::invalid_argument);
  EXPECT_EQ(begun.load(), 1);
}

}  // namespace
}  // namespace brokkr
