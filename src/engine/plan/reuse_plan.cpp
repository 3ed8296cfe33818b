// Computes the batches that a reuse strategy forms over a whole frame.
#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>

#include "batch/predict.h"
#include "plan/prepare.h"

namespace brokkr {
namespace {

constexpr uint32_t kMaxChunk = 32;  // triangles, and vertex shader runs

const char* model_name(ReuseMode mode) {
  switch (mode) {
    case ReuseMode::nvidia: return "nvidia";
    case ReuseMode::nvidia_gl: return "nvidia-gl";
    case ReuseMode::amd: return "amd";
    case ReuseMode::intel: return "intel";
    case ReuseMode::precomputed: return "precomputed";
    case ReuseMode::block: return "block";
    case ReuseMode::automatic:
    case ReuseMode::none:
    case ReuseMode::warp: break;
  }
  return nullptr;
}

// Vertex numbers of a draw's triangles, in the order in which geometry/vertex.h assembles them.
std::vector<uint32_t> assembled(const DrawRecord& draw, const uint32_t* indices, const Watch& watch) {
  constexpr uint32_t kWatchEvery = 1 << 16;
  std::vector<uint32_t> result(size_t(draw.triangle_count) * 3);
  for (uint32_t t = 0; t < draw.triangle_count; ++t) {
    if (watch && t % kWatchEvery == 0) watch();
    uint32_t element[3];
    triangle_elements(draw.assembly, t, element);
    for (size_t i = 0; i < 3; ++i) {
      result[size_t(t) * 3 + i] = (draw.bits & kDrawIndexed) ? indices[draw.first_index + element[i]] : element[i];
    }
  }
  return result;
}

// The batches of one draw's geometry. All of its instances and views share them.
struct GeometryPlan {
  std::vector<uint32_t> first_triangle, first_chunk;  // per batch, plus one at the end
};

class Planner {
 public:
  Planner(ReusePlan& plan, const BatchModel& model, const Watch& watch) : plan_(plan), model_(model), watch_(watch) {}

  GeometryPlan plan(const std::vector<uint32_t>& indices) {
    constexpr size_t kWatchEvery = 1024;  // batches between two calls of `watch`
    prediction_ = predict_batches(model_, indices, true, watch_);
    GeometryPlan g;
    g.first_triangle = prediction_.first_triangle;
    for (size_t b = 0; b < prediction_.batches(); ++b) {
      if (watch_ && b % kWatchEvery == 0) watch_();
      g.first_chunk.push_back(uint32_t(plan_.chunks.size()));
      cut(indices, g.first_triangle[b], g.first_triangle[b + 1]);
      plan_.max_triangles = std::max(plan_.max_triangles, g.first_triangle[b + 1] - g.first_triangle[b]);
    }
    g.first_chunk.push_back(uint32_t(plan_.chunks.size()));
    return g;
  }

 private:
  ReusePlan& plan_;
  const BatchModel& model_;
  const Watch& watch_;
  BatchPrediction prediction_;
  std::vector<uint32_t> last_use_;  // per run of the batch: the last triangle that uses it
  std::vector<uint8_t> slot_;       // per run of the batch

  // Cuts a batch into chunks. Each of its runs gets a slot from its chunk to its last use.
  void cut(const std::vector<uint32_t>& indices, uint32_t begin, uint32_t end) {
    const uint16_t* run_of = prediction_.run_of_index.data();
    uint32_t runs = 0;
    last_use_.clear();
    for (uint32_t i = begin * 3; i < end * 3; ++i) {
      runs = std::max(runs, uint32_t(run_of[i]) + 1);
      last_use_.resize(runs);
      last_use_[run_of[i]] = i / 3;
    }
    slot_.assign(runs, 0);
    std::array<uint32_t, kReuseSlotCount> holder;  // the run that each slot holds
    holder.fill(0xffffffffu);
    uint32_t next_run = 0;
    for (uint32_t t = begin; t < end;) {
      ReuseChunk chunk{};
      chunk.first_corner = uint32_t(plan_.corners.size());
      chunk.first_run = uint32_t(plan_.shade_vertex.size());
      const uint32_t first = t;
      for (; t < end && t - first < kMaxChunk; ++t) {
        uint32_t fresh = 0;
        for (uint32_t c = 0; c < 3; ++c) fresh += run_of[t * 3 + c] >= next_run + chunk.runs + fresh;
        if (chunk.runs + fresh > kMaxChunk) break;
        for (uint32_t c = 0; c < 3; ++c) {
          const uint32_t run = run_of[t * 3 + c];
          if (run < next_run + chunk.runs) continue;
          slot_[run] = free_slot(holder, run, first);
          plan_.shade_vertex.push_back(indices[t * 3 + c]);
          plan_.shade_slot.push_back(slot_[run]);
          ++chunk.runs;
        }
        plan_.corners.push_back(uint32_t(slot_[run_of[t * 3]]) | uint32_t(slot_[run_of[t * 3 + 1]]) << 8 |
                                uint32_t(slot_[run_of[t * 3 + 2]]) << 16);
        ++chunk.triangles;
      }
      next_run += chunk.runs;
      plan_.chunks.push_back(chunk);
    }
  }

  // Finds a slot whose result no triangle from `first` on needs. A chunk shades all of its vertices before it draws.
  uint8_t free_slot(std::array<uint32_t, kReuseSlotCount>& holder, uint32_t run, uint32_t first) const {
    for (uint32_t s = 0; s < kReuseSlotCount; ++s) {
      if (holder[s] != 0xffffffffu && last_use_[holder[s]] >= first) continue;
      holder[s] = run;
      return uint8_t(s);
    }
    throw std::logic_error("reuse plan: '" + model_.name + "' needs more than " + std::to_string(kReuseSlotCount) +
                           " vertices at once");
  }
};

}  // namespace

bool is_planned(ReuseMode mode) { return model_name(mode) != nullptr; }

ReusePlan plan_reuse(const PreparedFrame::Impl& frame, ReuseMode mode, const Watch& watch) {
  constexpr uint32_t kWatchEvery = 64;  // runs between two calls of `watch`
  ReusePlan plan;
  Planner planner(plan, batch_model(model_name(mode)), watch);
  // Draws with the same indices share their batches.
  using Key = std::tuple<uint32_t, uint32_t, Assembly, bool>;
  std::map<Key, GeometryPlan> known;
  plan.draw_end.resize(frame.draws.size());
  for (uint32_t r = 0; r < frame.runs.size(); ++r) {
    if (watch && r % kWatchEvery == 0) watch();
    const RunRecord& run = frame.runs[r];
    const DrawRecord& draw = frame.draws[run.draw];
    const bool indexed = (draw.bits & kDrawIndexed) != 0;
    const Key key{indexed ? draw.first_index : 0, draw.triangle_count, draw.assembly, indexed};
    auto found = known.find(key);
    if (found == known.end())
      found = known.emplace(key, planner.plan(assembled(draw, frame.indices().data(), watch))).first;
    const GeometryPlan& g = found->second;
    if (plan.batches.size() + g.first_triangle.size() > kMaxBatches)
      throw std::runtime_error("reuse: more than 2^27 batches in the frame; split it");
    for (size_t b = 0; b + 1 < g.first_triangle.size(); ++b) {
      plan.batches.push_back({r, run.first_batch * kBatchTriangles + g.first_triangle[b], g.first_chunk[b],
                              g.first_chunk[b + 1] - g.first_chunk[b]});
    }
    plan.draw_end[run.draw] = uint32_t(plan.batches.size());
  }
  return plan;
}

}  // namespace brokkr
