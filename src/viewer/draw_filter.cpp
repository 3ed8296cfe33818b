#include "viewer/draw_filter.h"

#include <algorithm>
#include <utility>

#include "inspect/draw_list.h"

namespace brokkr::viewer {
namespace {

// The last command that a limit lets through.
uint32_t last_command(uint32_t limit) { return limit > 0 ? limit - 1 : 0; }

}  // namespace

bool is_hidden(const FrameSettings& settings, uint32_t command) {
  const std::vector<uint32_t>& hidden = settings.hidden_commands;
  return std::binary_search(hidden.begin(), hidden.end(), command);
}

void set_hidden(FrameSettings& settings, uint32_t command, bool hide) {
  std::vector<uint32_t>& hidden = settings.hidden_commands;
  const auto at = std::lower_bound(hidden.begin(), hidden.end(), command);
  const bool there = at != hidden.end() && *at == command;
  if (hide && !there) hidden.insert(at, command);
  if (!hide && there) hidden.erase(at);
}

void isolate(FrameSettings& settings, const Frame& frame, uint32_t command) {
  std::vector<uint32_t> others = all_but(frame, command);
  std::vector<uint32_t>& hidden = settings.hidden_commands;
  if (hidden == others)
    hidden.clear();
  else
    hidden = std::move(others);
}

int draws_shown(const FrameSettings& settings, std::span<const uint32_t> draws) {
  const std::optional<uint32_t>& limit = settings.options.command_limit;
  if (!limit) return int(draws.size());
  return int(std::lower_bound(draws.begin(), draws.end(), *limit) - draws.begin());
}

void show_draws(FrameSettings& settings, std::span<const uint32_t> draws, int count) {
  std::optional<uint32_t>& limit = settings.options.command_limit;
  if (size_t(count) >= draws.size())
    limit.reset();
  else
    limit = count == 0 ? draws[0] : draws[size_t(count - 1)] + 1;
}

void show_all_draws(FrameSettings& settings) {
  settings.hidden_commands.clear();
  settings.options.command_limit.reset();
}

std::optional<uint32_t> step_draw(FrameSettings& settings, const Frame& frame, int by) {
  std::optional<uint32_t>& limit = settings.options.command_limit;
  if (by > 0 && !limit) return std::nullopt;
  const uint32_t last = limit ? last_command(*limit) : uint32_t(frame.commands.size());
  const auto next = by > 0 ? next_draw(frame, last) : previous_draw(frame, last);
  if (next)
    limit = *next + 1;
  else if (by > 0)
    limit.reset();
  return next;
}

}  // namespace brokkr::viewer
