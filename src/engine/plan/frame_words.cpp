#include "plan/frame_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace brokkr {
namespace {

constexpr size_t kMaxListedRasterizers = 8;  // rasterizers listed in a report

uint32_t complete_tasks(const FrameWords& w) { return std::max(w.control->completed, w.control->watermark); }

bool is_claimed(const FrameWords& w, uint32_t r) { return (w.claimed[r / 32] >> r % 32 & 1u) != 0; }

std::string elements_text(const QueueControl& queue) {
  return fmt::format("{} elements, {} put, {} taken", int32_t(queue.count), queue.tail, queue.head);
}

std::string rasterizer_text(const FrameWords& w, uint32_t r) {
  const RasterizerState& state = w.rasterizer[r];
  const std::string wake =
      state.wake >= kAtGate ? "waits at the gate of a blit" : fmt::format("goes on at batch {}", state.wake);
  return fmt::format("  rasterizer {}: {}, phase {} of {}, {}, {} pending, queue of {}\n", r,
                     is_claimed(w, r) ? "a block works for it" : "no block works for it", state.phase, w.phases, wake,
                     state.pending, elements_text(w.queue[r]));
}

}  // namespace

uint64_t progress_of(const FrameWords& w) {
  uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](uint64_t word) { hash = (hash ^ word) * 0x100000001b3u; };
  const ScheduleControl& c = *w.control;
  for (const uint32_t word : {c.next_task, c.watermark, c.completed, c.finished}) add(word);
  for (uint32_t r = 0; r < w.rasterizers; ++r) {
    const RasterizerState& s = w.rasterizer[r];
    add(s.fragments);
    for (const uint32_t word : {s.phase, s.pending, uint32_t(s.gate_step), s.wake, w.queue[r].head, w.queue[r].tail})
      add(word);
  }
  return hash;
}

std::string progress_text(const FrameWords& w) {
  return fmt::format("{} of {} tasks are complete, {} of {} rasterizers have finished", complete_tasks(w), w.tasks,
                     w.control->finished, w.rasterizers);
}

std::string report_text(const FrameWords& w) {
  const ScheduleControl& c = *w.control;
  std::string text = fmt::format(
      "  abort word {}\n"
      "  tasks: {} in all, {} taken, {} complete, watermark {}\n"
      "  rasterizers: {} in all, {} finished\n"
      "  free blocks of the triangle store: {}\n",
      *w.abort, w.tasks, std::min(c.next_task, w.tasks), complete_tasks(w), c.watermark, w.rasterizers, c.finished,
      elements_text(*w.free_blocks));
  std::vector<uint32_t> left;
  for (uint32_t r = 0; r < w.rasterizers; ++r) {
    if (w.rasterizer[r].phase < w.phases) left.push_back(r);
  }
  std::stable_partition(left.begin(), left.end(), [&](uint32_t r) { return is_claimed(w, r); });
  for (size_t i = 0; i < std::min(left.size(), kMaxListedRasterizers); ++i) text += rasterizer_text(w, left[i]);
  if (left.size() > kMaxListedRasterizers) text += fmt::format("  and {} more\n", left.size() - kMaxListedRasterizers);
  return text;
}

}  // namespace brokkr
