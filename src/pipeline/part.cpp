#include "pipeline/part.h"

#include <utility>

#include "pipeline/prepare.h"

namespace brokkr {

GivenDraws::GivenDraws(PreparedFrame& frame) : frame_(frame) {
  PreparedFrame::Impl& p = PreparedFrame::Impl::of(frame);
  draws_ = std::move(p.draws);
  draw_end_ = std::move(p.draw_end);
  runs_ = std::move(p.runs);
  batch_run_ = std::move(p.batch_run);
  own_indices_ = std::move(p.own_indices);
  indices_ = own_indices_.empty() ? p.frame->indices.data() : own_indices_.data();
  clear();
}

GivenDraws::~GivenDraws() {
  PreparedFrame::Impl& p = PreparedFrame::Impl::of(frame_);
  p.draws = std::move(draws_);
  p.draw_end = std::move(draw_end_);
  p.runs = std::move(runs_);
  p.batch_run = std::move(batch_run_);
  p.own_indices = std::move(own_indices_);
  p.tables_changed();
}

void GivenDraws::clear() {
  PreparedFrame::Impl& p = PreparedFrame::Impl::of(frame_);
  p.draws.clear();
  p.draw_end.clear();
  p.runs.clear();
  p.batch_run.clear();
  p.own_indices.clear();
  p.tables_changed();
}

// Each run gets a draw record of its own: a list of indices, as of draws that are expanded (prepare.cpp).
void GivenDraws::give(std::span<const uint32_t> primitives) {
  clear();
  PreparedFrame::Impl& p = PreparedFrame::Impl::of(frame_);
  for (size_t i = 0; i < primitives.size();) {
    const uint32_t number = batch_run_[primitives[i] / kBatchTriangles];
    const RunRecord& run = runs_[number];
    const DrawRecord& whole = draws_[run.draw];
    DrawRecord draw = whole;
    draw.assembly = Assembly::list;
    draw.bits |= kDrawIndexed;
    draw.first_index = uint32_t(p.own_indices.size());
    draw.triangle_count = 0;
    const uint32_t first = run.first_batch * kBatchTriangles;
    for (; i < primitives.size() && primitives[i] - first < whole.triangle_count; ++i, ++draw.triangle_count) {
      uint32_t element[3];
      triangle_elements(whole.assembly, primitives[i] - first, element);
      for (const uint32_t e : element)
        p.own_indices.push_back((whole.bits & kDrawIndexed) != 0 ? indices_[whole.first_index + e] : e);
    }
    const auto batches = size_t((draw.triangle_count + kBatchTriangles - 1) / kBatchTriangles);
    const auto first_batch = uint32_t(p.batch_run.size());
    p.batch_run.insert(p.batch_run.end(), batches, uint32_t(p.runs.size()));
    p.runs.push_back({uint32_t(p.draws.size()), run.view, run.instance, first_batch});
    p.draws.push_back(draw);
    p.draw_end.push_back(uint32_t(p.batch_run.size()));
  }
}

void GivenDraws::give_commands(uint32_t first, uint32_t end) {
  clear();
  PreparedFrame::Impl& p = PreparedFrame::Impl::of(frame_);
  if (own_indices_.empty() == false) p.own_indices = own_indices_;
  for (size_t r = 0; r < runs_.size(); ++r) {
    const RunRecord& run = runs_[r];
    const DrawRecord& draw = draws_[run.draw];
    if (draw.command < first || draw.command >= end) continue;
    const auto next = r + 1 < runs_.size() ? runs_[r + 1].first_batch : uint32_t(batch_run_.size());
    const bool same = r > 0 && runs_[r - 1].draw == run.draw && !p.draws.empty();
    if (!same) {
      p.draws.push_back(draw);
      p.draw_end.push_back(0);
    }
    const auto first_batch = uint32_t(p.batch_run.size());
    p.batch_run.insert(p.batch_run.end(), size_t(next - run.first_batch), uint32_t(p.runs.size()));
    p.runs.push_back({uint32_t(p.draws.size() - 1), run.view, run.instance, first_batch});
    p.draw_end.back() = uint32_t(p.batch_run.size());
  }
}

}  // namespace brokkr
