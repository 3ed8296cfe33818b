// The predictor against the experiments that found the models [Kerbl18, 6.2], and against a literal transcription of
// [Kerbl18, Alg. 2].
#include "batch/predict.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <stdexcept>

#include "meshes.h"

namespace brokkr {
namespace {

uint64_t runs(const std::string& model, const Indices& indices) {
  return predict_batches(batch_model(model), indices).vertex_runs;
}

Indices repeated_triangle(uint32_t indices) {
  Indices result;
  for (uint32_t i = 0; i < indices; ++i) result.push_back(i % 3);
  return result;
}

// [Kerbl18, Fig. 6.1]: {0, 1, 2, 0, 1, 2, ...} adds a triangle's vertices at every start of a batch.
TEST(Predict, ARepeatedTriangleStepsEvery96IndicesOnNvidia) {
  for (const char* model : {"nvidia", "nvidia-gl", "warp", "precomputed"}) {
    for (uint32_t n = 3; n <= 960; n += 3) {
      EXPECT_EQ(runs(model, repeated_triangle(n)), 3 * ((n + 95) / 96)) << model << " " << n;
    }
  }
}

TEST(Predict, ARepeatedTriangleStepsEvery384IndicesOnAmdAndInBlocks) {
  for (uint32_t n = 3; n <= 1920; n += 3) {
    EXPECT_EQ(runs("amd", repeated_triangle(n)), 3 * ((n + 383) / 384)) << n;
    EXPECT_EQ(runs("block", repeated_triangle(n)), 3 * ((n + 383) / 384)) << n;
  }
}

// 6.2.3: N growing indices, then the second-but-last triangle again until the batch is full.
Indices growing_then_repeated(uint32_t unique, uint32_t size) {
  Indices result;
  for (uint32_t i = 0; i < unique; ++i) result.push_back(i);
  while (result.size() < size) result.insert(result.end(), {unique - 4, unique - 3, unique - 2});
  return result;
}

TEST(Predict, The33rdUniqueVertexEndsABatchOnNvidia) {
  const auto batches = [](uint32_t n) {
    return predict_batches(batch_model("nvidia"), growing_then_repeated(n, 96)).first_triangle;
  };
  EXPECT_EQ(batches(30), (std::vector<uint32_t>{0, 32}));
  // Ten triangles have 30 vertices, and an eleventh with new ones does not fit. On AMD the batch goes on.
  EXPECT_EQ(batches(33), (std::vector<uint32_t>{0, 10, 32}));
  EXPECT_EQ(runs("nvidia", growing_then_repeated(30, 96)), 30u);
  // The repeated triangle spans the cut, so that one more vertex is shaded: (N + 1) in [Kerbl18].
  EXPECT_EQ(runs("nvidia", growing_then_repeated(33, 96)), 34u);
  EXPECT_EQ(predict_batches(batch_model("amd"), growing_then_repeated(33, 384)).batches(), 1u);
  // A triangle with two known vertices takes exactly the 31st place, and so on to the 32nd.
  Indices exact = growing_then_repeated(30, 30);
  exact.insert(exact.end(), {29, 28, 30, 30, 29, 31});
  EXPECT_EQ(predict_batches(batch_model("nvidia"), exact).batches(), 1u);
  exact.insert(exact.end(), {30, 31, 32});
  EXPECT_EQ(predict_batches(batch_model("nvidia"), exact).first_triangle, (std::vector<uint32_t>{0, 12, 13}));
}

// 6.2.3: one vertex at positions i and i + d of a triangle list that otherwise repeats. Returns true if the vertex was
// reused.
bool reused(const std::string& model, uint32_t i, uint32_t d) {
  Indices indices = repeated_triangle(model == "amd" ? 384 : 96);
  indices[i] = indices[i + d] = 7;
  return runs(model, indices) == 4;
}

TEST(Predict, NvidiaLooksBack42IndicesUnderOpenGl) {
  for (uint32_t i = 0; i < 40; ++i) {
    for (uint32_t d = 1; i + d < 96; ++d) EXPECT_EQ(reused("nvidia-gl", i, d), d <= 42) << i << " " << d;
  }
}

TEST(Predict, NvidiaLooksBackByCornerUnderDirect3d) {
  for (uint32_t i = 0; i < 40; ++i) {
    for (uint32_t d = 1; i + d < 96; ++d) {
      const bool expected = i % 3 == 0 ? d <= 44 : i % 3 == 1 ? d <= 40 || d == 42 : d <= 42 && d != 40;
      EXPECT_EQ(reused("nvidia", i, d), expected) << i << " " << d;
    }
  }
}

TEST(Predict, AnIndexFoundAgainIsRememberedAnew) {
  // Look-back counts from the last occurrence, whether it was shaded or reused.
  Indices indices = repeated_triangle(96);
  indices[0] = indices[30] = indices[60] = indices[90] = 7;
  EXPECT_EQ(runs("nvidia-gl", indices), 4u);
  indices[30] = indices[60] = 0;
  EXPECT_EQ(runs("nvidia-gl", indices), 5u);
}

TEST(Predict, AmdForgetsAfterFifteenVertices) {
  // X, then n other vertices, then X: found for n <= 14.
  for (uint32_t n = 2; n <= 20; ++n) {
    Indices indices = {100};
    for (uint32_t i = 0; i < n; ++i) indices.push_back(i);
    indices.push_back(100);
    while (indices.size() % 3 != 0) indices.push_back(100);
    EXPECT_EQ(runs("amd", indices), n + (n <= 14 ? 1 : 2)) << n;
  }
}

TEST(Predict, IntelHolds128Vertices) {
  Indices indices = loose(42);  // 126 vertices
  indices.insert(indices.end(), {0, 126, 127});
  EXPECT_EQ(predict_batches(batch_model("intel"), indices).batches(), 1u);
  EXPECT_EQ(runs("intel", indices), 128u);
  indices.insert(indices.end(), {0, 1, 128});
  EXPECT_EQ(predict_batches(batch_model("intel"), indices).batches(), 2u);
  EXPECT_EQ(runs("intel", indices), 131u);
  // 1791 indices at most.
  EXPECT_EQ(runs("intel", repeated_triangle(1791)), 3u);
  EXPECT_EQ(runs("intel", repeated_triangle(1794)), 6u);
}

// [Kerbl18, 6.2.3, Fig. 6.1d]: all is reused within 66 indices, a part within 208, the third vertex is shaded three
// times as often as the others; the limit grows to 1791 indices with 128 vertices.
TEST(Predict, IntelsStepsReuseAllWithin66IndicesAndAPartWithin208) {
  EXPECT_EQ(runs("intel-steps", repeated_triangle(66)), 3u);
  EXPECT_EQ(runs("intel-steps", repeated_triangle(69)), 4u);
  EXPECT_EQ(runs("intel-steps", repeated_triangle(138)), 5u);
  EXPECT_EQ(runs("intel-steps", repeated_triangle(207)), 5u);
  EXPECT_EQ(runs("intel-steps", repeated_triangle(210)), 8u);
  const Indices indices = repeated_triangle(207 * 50);
  const BatchPrediction p = predict_batches(batch_model("intel-steps"), indices, true);
  uint64_t count[3] = {};
  for (size_t b = 0; b < p.batches(); ++b) {
    std::set<uint32_t> seen;
    for (uint32_t i = p.first_triangle[b] * 3; i < p.first_triangle[b + 1] * 3; ++i) {
      if (seen.insert(p.run_of_index[i]).second) ++count[indices[i]];
    }
  }
  EXPECT_EQ(count[0], 50u);
  EXPECT_EQ(count[1], 50u);
  EXPECT_EQ(count[2], 150u);
  EXPECT_FALSE(batch_model("intel-steps").fits(1794, 128));
  EXPECT_TRUE(batch_model("intel-steps").fits(1791, 128));
  EXPECT_FALSE(batch_model("intel-steps").fits(1791, 127));
  EXPECT_TRUE(batch_model("intel-steps").fits(208, 3));
  EXPECT_FALSE(batch_model("intel-steps").fits(209, 3));
}

TEST(Predict, LlvmpipeHolds256VerticesByTheirNumber) {
  EXPECT_EQ(runs("llvmpipe", {0, 255, 511, 0, 255, 511}), 5u);  // 255 and 511 evict each other
  EXPECT_EQ(runs("llvmpipe", {0, 254, 511, 0, 254, 511}), 3u);
  EXPECT_EQ(runs("llvmpipe", loose(341)), 1023u);
  EXPECT_EQ(predict_batches(batch_model("llvmpipe"), loose(342)).batches(), 2u);
  EXPECT_EQ(runs("llvmpipe", repeated_triangle(1023)), 3u);
  EXPECT_EQ(runs("llvmpipe", repeated_triangle(1026)), 6u);
}

TEST(Predict, NvidiaForgetsAtMultiplesOf65536) {
  const Indices inside = {10, 11, 12, 12, 11, 13}, across = {65535, 65534, 65536, 65536, 65534, 65537};
  EXPECT_EQ(runs("nvidia", inside), 4u);
  EXPECT_EQ(runs("amd", across), 4u);
  // 65536 is reused at once; 65534 goes back to the first block and is shaded once more.
  EXPECT_EQ(runs("nvidia", across), 5u);
  const Indices beyond = {65546, 65547, 65548, 65548, 65547, 65549};
  EXPECT_EQ(runs("nvidia", beyond), 4u);
}

TEST(Predict, SegmentsCutAtMultiples) {
  // 20 vertices in triangles with 3, 2, 2, ... new ones: the warp ends at 96 in any case.
  const BatchPrediction p = predict_batches(batch_model("warp"), loose(40));
  EXPECT_EQ(p.first_triangle, (std::vector<uint32_t>{0, 10, 20, 30, 32, 40}));
  EXPECT_EQ(predict_batches(batch_model("precomputed"), loose(40)).first_triangle,
            (std::vector<uint32_t>{0, 10, 20, 30, 40}));
  EXPECT_EQ(runs("none", grid(9)), grid(9).size());
  // 128 vertices: 42 triangles have 126, and the 43rd does not fit. The block ends at 384 in any case.
  EXPECT_EQ(predict_batches(batch_model("block"), loose(150)).first_triangle,
            (std::vector<uint32_t>{0, 42, 84, 126, 128, 150}));
}

// [Kerbl18, Alg. 2] as printed. A cut takes back `added`, and the memory is a plain list of the vertices that may be
// reused.
uint64_t literal(const Indices& indices, uint32_t max_size, uint32_t max_uniques, const std::string& kind,
                 std::vector<uint32_t>& cuts) {
  std::deque<uint32_t> memory;  // newest first
  const auto find = [&](uint32_t id) { return std::find(memory.begin(), memory.end(), id) != memory.end(); };
  const auto enter = [&](uint32_t id) {
    const bool known = find(id);
    if (kind == "lru" && known) memory.erase(std::find(memory.begin(), memory.end(), id));
    if ((kind == "fifo" || kind == "all") && known) return;
    memory.push_front(id);
    const size_t limit = kind == "lru" ? 15 : kind == "fifo" ? 128 : kind == "look back" ? 42 : size_t(-1);
    if (memory.size() > limit) memory.pop_back();
  };
  uint64_t invocations = 0;
  uint32_t size = 0, uniques = 0;
  cuts = {0};
  for (uint32_t pos = 0; pos < indices.size(); pos += 3) {
    uint32_t added = 0;
    for (uint32_t i = 0; i < 3; ++i) {
      added += !find(indices[pos + i]);
      if (uniques + added > max_uniques || size + i + 1 > max_size) {
        cuts.push_back(pos / 3);
        memory.clear();
        size = uniques = added = 0;
        for (uint32_t j = 0; j <= i; ++j) {
          added += !find(indices[pos + j]);
          enter(indices[pos + j]);
        }
      } else {
        enter(indices[pos + i]);
      }
    }
    size += 3;
    uniques += added;
    invocations += added;
  }
  cuts.push_back(uint32_t(indices.size() / 3));
  return invocations;
}

TEST(Predict, EqualsTheListing) {
  const std::vector<Indices> meshes = {
      grid(17), shuffled(grid(12), 3), soup(400, 40, 1), soup(300, 5, 2), fan(200), loose(70), grid(1)};
  struct Case {
    const char *model, *kind;
  };
  for (const Case c : {Case{"nvidia-gl", "look back"}, {"amd", "lru"}, {"intel", "fifo"}, {"precomputed", "all"}}) {
    const BatchModel& model = batch_model(c.model);
    for (size_t m = 0; m < meshes.size(); ++m) {
      std::vector<uint32_t> cuts;
      const uint64_t expected = literal(meshes[m], model.max_size, model.max_uniques, c.kind, cuts);
      const BatchPrediction p = predict_batches(model, meshes[m]);
      EXPECT_EQ(p.vertex_runs, expected) << c.model << ", mesh " << m;
      EXPECT_EQ(p.first_triangle, cuts) << c.model << ", mesh " << m;
    }
  }
}

TEST(Predict, RunsOfIndicesAreThoseOfTheirVertices) {
  for (const BatchModel& model : batch_models()) {
    const Indices indices = soup(500, 60, 9);
    const BatchPrediction p = predict_batches(model, indices, true);
    uint64_t total = 0;
    for (size_t b = 0; b < p.batches(); ++b) {
      std::vector<uint32_t> vertex_of;  // per run
      for (uint32_t i = p.first_triangle[b] * 3; i < p.first_triangle[b + 1] * 3; ++i) {
        const uint32_t run = p.run_of_index[i];
        ASSERT_LE(run, vertex_of.size()) << model.name;  // runs are numbered in order
        if (run == vertex_of.size()) vertex_of.push_back(indices[i]);
        EXPECT_EQ(vertex_of[run], indices[i]) << model.name;
      }
      EXPECT_LE(vertex_of.size(), model.max_uniques);
      total += vertex_of.size();
    }
    EXPECT_EQ(total, p.vertex_runs) << model.name;
  }
}

TEST(Predict, RefusesWhatIsNoTriangleList) {
  EXPECT_THROW(predict_batches(batch_model("amd"), Indices{0, 1}), std::invalid_argument);
  EXPECT_THROW(batch_model("voodoo"), std::invalid_argument);
  BatchModel tiny = batch_model("amd");
  tiny.max_uniques = 2;
  EXPECT_THROW(predict_batches(tiny, grid(2)), std::invalid_argument);
  EXPECT_EQ(predict_batches(batch_model("amd"), Indices{}).batches(), 0u);
}

}  // namespace
}  // namespace brokkr
