#include "lab/batches.h"

#include <gtest/gtest.h>

#include <map>

#include "batch/meshes.h"
#include "brokkr/load.h"

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

// [Kerbl18, Fig. 6.1]: a step at every 96 indices on NVIDIA, at every 384 on AMD.
TEST(Batches, ThreeVerticesOverAndOverAreShadedOncePerBatch) {
  BatchRequest request;
  request.models = {batch_model("nvidia"), batch_model("amd")};
  const BatchExperiment& steps = batch_experiments()[1];
  ASSERT_STREQ(steps.name, "steps");
  Rows rows;
  steps.measure({"none", {}}, request, rows);
  steps.measure({"another", {}}, request, rows);
  ASSERT_EQ(rows.size(), 2u * kStepIndices / 3);
  for (const Row& r : rows) {
    const uint32_t size = r[0] == "nvidia" ? 96 : 384, indices = uint32_t(std::stoul(r[1]));
    EXPECT_EQ(std::stoul(r[2]), 3u * ((indices + size - 1) / size)) << r[0] << " " << indices;
  }
}

// A mesh of more than 2^16 vertices: what only one method gets is seen beside what all get, and what nobody gets.
TEST(Batches, ThePostProcessIsShownForNobodyForAllAndForOursAlone) {
  BatchRequest request;
  request.models = {batch_model("nvidia"), batch_model("amd")};
  request.methods = {reorder_method("original"), reorder_method("forsyth"), reorder_method("batch-fast")};
  request.progress = [](const auto&) {};
  const BatchInput input{"scan", load_frame("generated:scan?triangles=150000", {})};
  const BatchExperiment& asr = batch_experiments().front();
  Rows rows;
  asr.measure(input, request, rows);
  ASSERT_EQ(rows.size(), 3u * 3 + 3);  // AMD's model knows no blocks of 2^16
  const Row columns = split(asr.columns);
  const auto cell_of = [&](const Row& r, const char* column) {
    return r[size_t(std::find(columns.begin(), columns.end(), column) - columns.begin())];
  };
  std::map<std::string, std::string> rate, copies;
  for (const Row& r : rows) {
    const std::string key = cell_of(r, "model") + " " + cell_of(r, "post") + " " + cell_of(r, "method");
    rate[key] = cell_of(r, "asr");
    copies[key] = cell_of(r, "copies");
  }
  EXPECT_TRUE(rate.contains("amd none batch-fast"));
  for (const char* rival : {"original", "forsyth"}) {
    EXPECT_EQ(rate.at(std::string("nvidia ours ") + rival), rate.at(std::string("nvidia none ") + rival));
  }
  EXPECT_EQ(rate.at("nvidia ours batch-fast"), rate.at("nvidia all batch-fast"));
  for (const char* method : {"forsyth", "batch-fast"}) {
    EXPECT_LT(std::stod(rate.at(std::string("nvidia all ") + method)),
              std::stod(rate.at(std::string("nvidia none ") + method)));
    EXPECT_EQ(copies.at(std::string("nvidia none ") + method), "0");
    EXPECT_NE(copies.at(std::string("nvidia all ") + method), "0");
  }
}

}  // namespace
}  // namespace brokkr::lab
