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

TEST(Batches, PartsShareNoRun) {
  EXPECT_EQ(independent_parts(Indices{}), Indices{});
  EXPECT_EQ(independent_parts(Indices{0, 1, 2, 3, 4, 5}), (Indices{0, 1, 2}));
  EXPECT_EQ(independent_parts(Indices{0, 1, 2, 3, 4, 5, 5, 4, 0}), (Indices{0, 3}));
  // Batches share no run, so each batch begins with a part. Within a batch, the end of a row and the beginning of the
  // next may share nothing.
  const Indices rows = grid(40);
  for (const char* name : {"precomputed", "warp", "nvidia-gl"}) {
    const std::vector<uint32_t> batches = predict_batches(batch_model(name), rows).first_triangle;
    const std::vector<uint32_t> parts = independent_parts(predicted_runs(batch_model(name), rows).run_of_index);
    EXPECT_TRUE(std::includes(parts.begin(), parts.end(), batches.begin(), batches.end())) << name;
    EXPECT_LT(parts.size(), 2 * batches.size()) << name;
  }
}

TEST(Batches, OtherRunsAreCountedWhicheverNumberTheyHave) {
  EXPECT_EQ(other_runs(Indices{0, 1, 2, 2, 1, 3}, Indices{7, 5, 0, 0, 5, 1}), 0u);
  EXPECT_EQ(other_runs(Indices{0, 1, 2, 2, 1, 3}, Indices{7, 5, 0, 4, 5, 1}), 1u);  // run again
  EXPECT_EQ(other_runs(Indices{0, 1, 2, 4, 1, 3}, Indices{7, 5, 0, 0, 5, 1}), 1u);  // reused
  const Indices mesh = grid(30);
  EXPECT_GT(other_runs(predicted_runs(batch_model("nvidia"), mesh).run_of_index,
                       predicted_runs(batch_model("amd"), mesh).run_of_index),
            100u);
  EXPECT_THROW(other_runs(Indices{0}, Indices{0, 1}), std::invalid_argument);
}

// A driver's counts are in separate columns, for the indices of each row. This driver works like the model, so both
// agree.
TEST(Batches, WhatADriverCountsStandsBesideWhatIsPredicted) {
  BatchRequest request;
  request.models = {batch_model("nvidia-gl")};
  request.methods = {reorder_method("original"), reorder_method("k-cache"), reorder_method("batch")};
  request.max_cache = 4;
  request.progress = [](const auto&) {};
  request.driver.name = "a driver";
  request.driver.count = [&](std::span<const uint32_t> indices, std::span<const IndexRange> ranges, uint32_t) {
    std::vector<uint64_t> runs;
    for (const IndexRange& range : ranges) {
      runs.push_back(predict_batches(request.models[0], indices.subspan(range.first, range.count)).vertex_runs);
    }
    return runs;
  };
  request.driver.record = [&](std::span<const uint32_t> indices) { return predicted_runs(request.models[0], indices); };
  const BatchInput input{"openarena", load_frame("tests/frames/measured/openarena.bkf", {})};
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
      if (std::string(e.name) == "runs") {
        EXPECT_EQ(r[place("other_runs")], "0");
        EXPECT_EQ(r[place("parts")], r[place("recorded_parts")]);
        EXPECT_EQ(r[place("parts")], r[place("common_parts")]);
        EXPECT_GE(std::stoul(r[place("parts")]), std::stoul(r[place("batches")]));
        continue;
      }
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
