#include "lab/batches.h"

#include <gtest/gtest.h>

#include "batch/meshes.h"

namespace brokkr::lab {
namespace {

TEST(Batches, CachesMissAsTheyShould) {
  Indices triangle;  // ten times the same
  for (uint32_t i = 0; i < 30; ++i) triangle.push_back(i % 3);
  EXPECT_EQ(cache_misses(CachePolicy::fifo, triangle, 3), 3u);
  EXPECT_EQ(cache_misses(CachePolicy::fifo, triangle, 2), 30u);
  // 0 1 2 0 3 0 with three entries: FIFO drops 0 for 3, LRU drops 1.
  EXPECT_EQ(cache_misses(CachePolicy::fifo, Indices{0, 1, 2, 0, 3, 0}, 3), 5u);
  EXPECT_EQ(cache_misses(CachePolicy::lru, Indices{0, 1, 2, 0, 3, 0}, 3), 4u);
  EXPECT_EQ(cache_misses(CachePolicy::lru, grid(20), 1000), distinct_vertices(grid(20)));
}

}  // namespace
}  // namespace brokkr::lab
