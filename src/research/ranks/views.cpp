#include "ranks/views.h"

#include <algorithm>
#include <stdexcept>
#include <variant>

namespace brokkr::ranks {
namespace {

bool is_made_of_views(const Frame& frame) {
  if (!frame.programs.empty() || frame.targets.size() != 1 || frame.views.size() != size_t(frame.targets[0].layers))
    return false;
  for (size_t v = 0; v < frame.views.size(); ++v) {
    if (frame.views[v].layer != v) return false;
  }
  return std::all_of(frame.commands.begin(), frame.commands.end(), [&](const Command& command) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr) return std::holds_alternative<ClearCommand>(command);
    return draw->vertex_kind == VertexKind::transform && draw->first_view == 0 &&
           draw->view_count == frame.views.size();
  });
}

}  // namespace

void keep_views(Frame& frame, int rank, int ranks) {
  if (frame.views.size() < 2 || !is_made_of_views(frame))
    throw std::invalid_argument(
        "ranks: " + frame.source +
        " is not made of views that can be drawn apart; give a scene --views, or use --ranks cpd");
  std::vector<View> own;
  for (size_t v = size_t(rank); v < frame.views.size(); v += size_t(ranks)) {
    own.push_back(frame.views[v]);
    own.back().layer = uint32_t(own.size() - 1);
  }
  frame.views = std::move(own);
  frame.targets[0].layers = std::max(1, int(frame.views.size()));
  for (Command& command : frame.commands) {
    if (auto* const draw = std::get_if<DrawCommand>(&command)) draw->view_count = uint32_t(frame.views.size());
  }
}

Turns turns_of(uint64_t first, uint64_t count, int rank, int ranks) {
  const auto n = uint64_t(ranks), r = uint64_t(rank);
  const auto before = [&](uint64_t end) { return (end + n - 1 - r) / n; };  // of 0 .. end - 1
  if (count == 0) return {};
  return {before(first + count) - before(first), (first + count - 1) % n == r};
}

}  // namespace brokkr::ranks
