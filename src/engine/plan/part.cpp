#include "plan/part.h"

#include <algorithm>
#include <utility>

#include "plan/prepare.h"

namespace brokkr {
namespace {

// This bit marks identifiers of the whole frame among those that a launch writes. No frame has so many primitives that
// it needs the bit.
constexpr uint32_t kEarlier = uint32_t(1) << 31;

template <class F>
void for_ids(std::vector<TargetImage>& targets, F&& f) {
  for (TargetImage& target : targets) {
    for (Layer& layer : target.layers) {
      for (std::vector<uint32_t>* ids : {&layer.visible_id, &layer.depth_id}) {
        for (uint32_t& id : *ids) {
          if (id != kNoPrimitive) f(id);
        }
      }
    }
  }
}

}  // namespace

void mark_earlier(std::vector<TargetImage>& targets) {
  for_ids(targets, [](uint32_t& id) { id |= kEarlier; });
}

void name_whole(std::vector<TargetImage>& targets, const PreparedFrame& frame) {
  const std::vector<uint32_t>& whole = PreparedFrame::Impl::of(frame).whole_ids;
  for_ids(targets, [&](uint32_t& id) { id = (id & kEarlier) != 0 ? id & ~kEarlier : whole[id]; });
}

GivenDraws::GivenDraws(PreparedFrame& frame, bool named) : frame_(frame), named_(named) {
  PreparedFrame::Impl& p = PreparedFrame::Impl::of(frame);
  draws_ = std::move(p.draws);
  draw_end_ = std::move(p.draw_end);
  runs_ = std::move(p.runs);
  batch_run_ = std::move(p.batch_run);
  expanded_indices_ = std::move(p.expanded_indices);
  indices_ = expanded_indices_.empty() ? p.frame->indices.data() : expanded_indices_.data();
  clear();
}

GivenDraws::~GivenDraws() {
  PreparedFrame::Impl& p = PreparedFrame::Impl::of(frame_);
  p.draws = std::move(draws_);
  p.draw_end = std::move(draw_end_);
  p.runs = std::move(runs_);
  p.batch_run = std::move(batch_run_);
  p.expanded_indices = std::move(expanded_indices_);
  p.whole_ids = {};
  p.tables_changed();
}

void GivenDraws::clear() {
  PreparedFrame::Impl& p = PreparedFrame::Impl::of(frame_);
  p.draws.clear();
  p.draw_end.clear();
  p.runs.clear();
  p.batch_run.clear();
  p.expanded_indices.clear();
  p.whole_ids.clear();
  p.tables_changed();
}

// Draws keep their numbers, because false colours are derived from these. They become index lists, like expanded draws
// (prepare.cpp). The runs of a draw share its list, so a draw of several runs draws every primitive that any of them
// was given.
void GivenDraws::give(std::span<const uint32_t> primitives) {
  clear();
  PreparedFrame::Impl& p = PreparedFrame::Impl::of(frame_);
  p.draws = draws_;
  p.draw_end.assign(draws_.size(), 0);
  struct Given {
    uint32_t run;
    std::span<const uint32_t> primitives;
  };
  std::vector<std::vector<Given>> of_draw(draws_.size());
  for (size_t i = 0; i < primitives.size();) {
    const uint32_t run = batch_run_[primitives[i] / kBatchTriangles];
    const uint32_t first = runs_[run].first_batch * kBatchTriangles, count = draws_[runs_[run].draw].triangle_count;
    const size_t begin = i;
    while (i < primitives.size() && primitives[i] - first < count) ++i;
    of_draw[runs_[run].draw].push_back({run, primitives.subspan(begin, i - begin)});
  }
  std::vector<uint32_t> triangles;
  for (size_t d = 0; d < draws_.size(); ++d) {
    triangles.clear();
    for (const Given& given : of_draw[d]) {
      const uint32_t first = runs_[given.run].first_batch * kBatchTriangles;
      for (const uint32_t primitive : given.primitives) triangles.push_back(primitive - first);
    }
    if (of_draw[d].size() > 1) {
      std::sort(triangles.begin(), triangles.end());
      triangles.erase(std::unique(triangles.begin(), triangles.end()), triangles.end());
    }
    make_list(p.draws[d], draws_[d], triangles, p.expanded_indices);
    for (const Given& given : of_draw[d]) add_run(p, d, given.run, &triangles);
    p.draw_end[d] = uint32_t(p.batch_run.size());
  }
}

void GivenDraws::make_list(DrawRecord& draw, const DrawRecord& whole, const std::vector<uint32_t>& triangles,
                           std::vector<uint32_t>& indices) const {
  draw.assembly = Assembly::list;
  draw.bits |= kDrawIndexed;
  draw.first_index = uint32_t(indices.size());
  draw.triangle_count = uint32_t(triangles.size());
  for (const uint32_t triangle : triangles) {
    uint32_t element[3];
    triangle_elements(whole.assembly, triangle, element);
    for (const uint32_t e : element)
      indices.push_back((whole.bits & kDrawIndexed) != 0 ? indices_[whole.first_index + e] : e);
  }
}

// Adds the batches of one run. The record of its draw must be ready.
void GivenDraws::add_run(PreparedFrame::Impl& p, size_t draw, uint32_t number,
                         const std::vector<uint32_t>* triangles) const {
  const RunRecord& run = runs_[number];
  const uint32_t batches = (p.draws[draw].triangle_count + kBatchTriangles - 1) / kBatchTriangles;
  const auto first_batch = uint32_t(p.batch_run.size());
  p.batch_run.insert(p.batch_run.end(), size_t(batches), uint32_t(p.runs.size()));
  p.runs.push_back({uint32_t(draw), run.view, run.instance, first_batch});
  if (!named_) return;
  for (uint32_t i = 0; i < batches * kBatchTriangles; ++i) {
    const uint32_t triangle = triangles == nullptr ? i : i < triangles->size() ? (*triangles)[i] : 0;
    p.whole_ids.push_back(run.first_batch * kBatchTriangles + triangle);
  }
}

void GivenDraws::give_commands(uint32_t first, uint32_t end) {
  clear();
  PreparedFrame::Impl& p = PreparedFrame::Impl::of(frame_);
  p.draws = draws_;
  p.draw_end.assign(draws_.size(), 0);
  p.expanded_indices = expanded_indices_;
  uint32_t run = 0;
  for (size_t d = 0; d < draws_.size(); ++d) {
    const bool drawn = draws_[d].command >= first && draws_[d].command < end;
    for (; run < runs_.size() && runs_[run].draw == d; ++run) {
      if (drawn) add_run(p, d, run, nullptr);
    }
    p.draw_end[d] = uint32_t(p.batch_run.size());
  }
}

}  // namespace brokkr
