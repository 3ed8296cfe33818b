// The vertex counts of a driver; llvmpipe's batches must equal those of the batch model of the same name.
#include "reference/gl_probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "batch/meshes.h"
#include "batch/predict.h"

namespace brokkr {
namespace {

std::vector<uint64_t> runs_of(const Indices& indices, const std::vector<GlIndexRange>& ranges) {
  static EglContext context("software");
  return count_vertex_runs(context, indices, ranges);
}

uint64_t runs_of(const Indices& indices) { return runs_of(indices, {{0, uint32_t(indices.size())}}).front(); }

bool is_llvmpipe() { return EglContext("software").renderer().starts_with("llvmpipe"); }

TEST(GlVertexCount, EveryVertexIsRunAtLeastOnceAndAtMostPerIndex) {
  for (const Indices& indices : {grid(40), shuffled(grid(40), 3), soup(900, 50, 4), loose(400), fan(700)}) {
    const uint64_t runs = runs_of(indices);
    EXPECT_GE(runs, std::set<uint32_t>(indices.begin(), indices.end()).size());
    EXPECT_LE(runs, indices.size());
  }
  EXPECT_EQ(runs_of(loose(400)), 1200u);
}

TEST(GlVertexCount, RangesAreDrawsOfTheirOwn) {
  const Indices indices = grid(30);
  const auto half = uint32_t(indices.size() / 2 / 3 * 3);
  const std::vector<uint64_t> runs = runs_of(indices, {{0, half}, {half, 3}, {0, 0}});
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0], runs_of(Indices(indices.begin(), indices.begin() + half)));
  EXPECT_EQ(runs[1], 3u);
  EXPECT_EQ(runs[2], 0u);
}

// [Kerbl18, Fig. 6.1] on llvmpipe: steps of 1023 indices.
TEST(GlVertexCount, ThreeVerticesOverAndOverTellLlvmpipesBatches) {
  if (!is_llvmpipe()) GTEST_SKIP() << "another software renderer";
  Indices indices;
  std::vector<GlIndexRange> ranges;
  for (uint32_t i = 0; i < 3300; ++i) indices.push_back(i % 3);
  for (uint32_t n = 3; n <= indices.size(); n += 3) ranges.push_back({0, n});
  const std::vector<uint64_t> runs = runs_of(indices, ranges);
  for (size_t i = 0; i < ranges.size(); ++i) EXPECT_EQ(runs[i], 3 * ((ranges[i].count + 1022) / 1023));
}

TEST(GlVertexCount, TheModelPredictsLlvmpipeExactly) {
  if (!is_llvmpipe()) GTEST_SKIP() << "another software renderer";
  std::vector<Indices> meshes = {grid(150), shuffled(grid(150), 3), fan(5000), loose(2000)};
  for (uint32_t seed = 0; seed < 12; ++seed) meshes.push_back(soup(200 + 400 * seed, 30 + 90 * seed, seed));
  for (const Indices& indices : meshes) {
    EXPECT_EQ(runs_of(indices), predict_batches(batch_model("llvmpipe"), indices).vertex_runs);
  }
}

// [Kerbl18, 6.2]: what a vertex hands on does not change what is reused.
TEST(GlVertexCount, AttributesChangeNothing) {
  EglContext context("software");
  const Indices indices = shuffled(grid(40), 5);
  const std::vector<GlIndexRange> all = {{0, uint32_t(indices.size())}};
  const uint64_t without = count_vertex_runs(context, indices, all).front();
  for (const uint32_t attributes : {1u, 2u, 3u, 7u, 61u, kMaxVertexAttributes})
    EXPECT_EQ(count_vertex_runs(context, indices, all, attributes).front(), without) << attributes;
  EXPECT_THROW(count_vertex_runs(context, indices, all, kMaxVertexAttributes + 1), std::out_of_range);
}

TEST(GlVertexCount, RecordedRunsAreAsManyAsCounted) {
  EglContext context("software");
  for (const Indices& indices : {grid(40), shuffled(grid(40), 3), soup(900, 50, 4), loose(400), fan(700), Indices{}}) {
    const GlVertexRuns recorded = record_vertex_runs(context, indices);
    ASSERT_EQ(recorded.run_of_index.size(), indices.size());
    EXPECT_EQ(recorded.runs, runs_of(indices));
    std::vector<uint32_t> vertex_of(recorded.runs, ~0u);
    for (size_t i = 0; i < indices.size(); ++i) {
      uint32_t& vertex = vertex_of.at(recorded.run_of_index[i]);
      if (vertex == ~0u) vertex = indices[i];
      EXPECT_EQ(vertex, indices[i]);  // a run belongs to one vertex
    }
    EXPECT_TRUE(recorded.wave_of_run.empty() || recorded.wave_of_run.size() == recorded.runs);
  }
}

// [Kerbl18, Fig. 6.3]: not only how many runs there are, but which index uses which.
TEST(GlVertexCount, TheModelPredictsEveryRunOfLlvmpipe) {
  if (!is_llvmpipe()) GTEST_SKIP() << "another software renderer";
  EglContext context("software");
  const BatchModel& model = batch_model("llvmpipe");
  for (const Indices& indices : {grid(60), shuffled(grid(60), 3), soup(3000, 700, 4), loose(1000), fan(3000)}) {
    const std::vector<uint32_t> recorded = record_vertex_runs(context, indices).run_of_index;
    const BatchPrediction p = predict_batches(model, indices, true);
    uint32_t used = 0;
    for (size_t b = 0; b < p.batches(); ++b) {
      const uint32_t before = used;
      for (uint32_t i = p.first_triangle[b] * 3; i < p.first_triangle[b + 1] * 3; ++i) {
        ASSERT_EQ(recorded[i], before + p.run_of_index[i]) << i;  // both are numbered by first use
        used = std::max(used, recorded[i] + 1);
      }
    }
  }
}

TEST(GlVertexCount, RefusesRangesBeyondTheBuffer) {
  EXPECT_THROW(runs_of(grid(2), {{0, 27}}), std::out_of_range);
  EXPECT_THROW(runs_of(grid(2), {{24, 3}}), std::out_of_range);
  EXPECT_THROW(runs_of(grid(2), {{0, 4}}), std::out_of_range);
}

}  // namespace
}  // namespace brokkr
