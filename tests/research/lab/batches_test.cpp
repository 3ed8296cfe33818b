#include "lab/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "batch/meshes.h"
#include "batch/predict.h"
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

// A driver's counts are in separate columns, next to the prediction for the same indices. This driver works as the
// model does, so both agree.
TEST(Batches, WhatADriverCountsStandsBesideWhatIsPredicted) {
  BatchRequest request;
  request.models = {batch_model("nvidia-gl")};
  request.methods = {reorder_method("original"), reorder_method("k-cache"), reorder_method("batch")};
  request.max_cache = 4;
  request.progress = [](const auto&) {};
  request.driver.name = "a driver";
  request.driver.count = [&](std::span<const uint32_t> indices, std::span<const IndexRange> ranges) {
    std::vector<uint64_t> runs;
    for (const IndexRange& range : ranges) {
      runs.push_back(predict_batches(request.models[0], indices.subspan(range.first, range.count)).vertex_runs);
    }
    return runs;
  };
  const BatchInput input{"openarena", load_frame("scenes/openarena.bkf", {})};
  ASSERT_GT(input.draws.size(), 1u);
  for (const BatchExperiment& e : batch_experiments()) {
    if (std::string(e.name) == "render") continue;
    const Row columns = split(e.columns);
    const auto place = [&](const std::string& column) {
      return size_t(std::find(columns.begin(), columns.end(), column) - columns.begin());
    };
    Rows rows;
    e.measure(input, request, rows);
    EXPECT_FALSE(rows.empty()) << e.name;
    for (const Row& r : rows) {
      ASSERT_EQ(r.size(), columns.size()) << e.name;
      EXPECT_EQ(r[place("driver")], "a driver") << e.name;
      EXPECT_EQ(r[place("measured")], r[place(std::string(e.name) == "steps" ? "vertex_runs" : "asr")]) << e.name;
    }
  }
  // A failed measurement leaves its column empty.
  request.driver.count = [](auto&&...) { return std::vector<uint64_t>{}; };
  Rows rows;
  batch_experiments()[0].measure(input, request, rows);
  for (const Row& r : rows) EXPECT_EQ(r.back(), "");
}

// A mesh of more than 2^16 vertices. The table distinguishes triangles that one method finds, that all find, and that
// none finds.
TEST(Batches, ThePostProcessIsShownForNobodyForAllAndForOursAlone) {
  BatchRequest request;
  request.models = {batch_model("nvidia"), batch_model("amd")};
  request.methods = {reorder_method("original"), reorder_method("forsyth"), reorder_method("batch-fast")};
  request.progress = [](const auto&) {};
  const BatchInput input{"scan", load_frame("generated:scan?triangles=150000", {})};
  const BatchExperiment& asr = batch_experiments().front();
  Rows rows;
  asr.measure(input, request, rows);
  ASSERT_EQ(rows.size(), 3u * 3 + 3);  // AMD's model has no blocks of 2^16
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
  for (const Row& r : rows) EXPECT_EQ(cell_of(r, "driver") + cell_of(r, "measured"), "");  // no driver was asked
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
