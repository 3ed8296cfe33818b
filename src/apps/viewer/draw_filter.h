// Selects which draws of a frame are shown: hides single draws, or all draws after a chosen one. The state is in
// FrameSettings. `draws`: commands that are draws, ascending.
#pragma once

#include <algorithm>
#include <span>

#include "inspect/trim.h"
#include "viewer/panel.h"

namespace brokkr::viewer {

inline void set_hidden(FrameSettings& settings, uint32_t command, bool hide) {
  if (hide)
    settings.hidden_commands.insert(command);
  else
    settings.hidden_commands.erase(command);
}

// Hides all other draws; if they are hidden already, shows all.
inline void isolate(FrameSettings& settings, const Frame& frame, uint32_t command) {
  const std::vector<uint32_t> others = all_but(frame, command);
  std::set<uint32_t> hidden(others.begin(), others.end());
  if (hidden == settings.hidden_commands) hidden.clear();
  settings.hidden_commands = std::move(hidden);
}

inline void show_all_draws(FrameSettings& settings) {
  settings.hidden_commands.clear();
  settings.options.command_limit.reset();
}

// Shows the picture up to and including this draw.
inline void show_up_to(ViewerState& state, uint32_t command) {
  state.settings.options.command_limit = command + 1;
  state.commands.show_note("up to draw " + std::to_string(command) + "; Backspace shows all");
}

// Convert between a command limit and the number of draws before it.
inline int draws_shown(const FrameSettings& settings, std::span<const uint32_t> draws) {
  const std::optional<uint32_t>& limit = settings.options.command_limit;
  return int(limit ? std::ranges::lower_bound(draws, *limit) - draws.begin() : std::ssize(draws));
}
inline void show_draws(FrameSettings& settings, std::span<const uint32_t> draws, int count) {
  std::optional<uint32_t>& limit = settings.options.command_limit;
  if (size_t(count) >= draws.size())
    limit.reset();
  else
    limit = count == 0 ? draws[0] : draws[size_t(count - 1)] + 1;
}

// Moves the limit to the next (`by` 1) or previous (-1) draw. Returns the draw that is now the last one, or nothing if
// there is no such draw. Past the last draw, all draws are shown.
inline std::optional<uint32_t> step_draw(FrameSettings& settings, const Frame& frame, int by) {
  std::optional<uint32_t>& limit = settings.options.command_limit;
  if (by > 0 && !limit) return std::nullopt;
  const uint32_t last = !limit ? uint32_t(frame.commands.size()) : std::max(*limit, 1u) - 1;
  const auto next = by > 0 ? next_draw(frame, last) : previous_draw(frame, last);
  if (next)
    limit = *next + 1;
  else if (by > 0)
    limit.reset();
  return next;
}

}  // namespace brokkr::viewer
