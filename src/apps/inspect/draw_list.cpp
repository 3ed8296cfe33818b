#include "inspect/draw_list.h"

#include <algorithm>
#include <iterator>
#include <variant>

namespace brokkr {

std::vector<uint32_t> draw_commands(const Frame& frame) {
  std::vector<uint32_t> draws;
  for (uint32_t c = 0; c < frame.commands.size(); ++c) {
    if (std::holds_alternative<DrawCommand>(frame.commands[c])) draws.push_back(c);
  }
  return draws;
}

std::vector<uint32_t> all_but(const Frame& frame, uint32_t command) {
  std::vector<uint32_t> draws = draw_commands(frame);
  std::erase(draws, command);
  return draws;
}

std::optional<uint32_t> next_draw(const Frame& frame, uint32_t command) {
  const std::vector<uint32_t> draws = draw_commands(frame);
  const auto next = std::ranges::upper_bound(draws, command);
  return next != draws.end() ? std::optional(*next) : std::nullopt;
}

std::optional<uint32_t> previous_draw(const Frame& frame, uint32_t command) {
  const std::vector<uint32_t> draws = draw_commands(frame);
  const auto next = std::ranges::lower_bound(draws, command);
  return next != draws.begin() ? std::optional(*std::prev(next)) : std::nullopt;
}

void hide_draws(Frame& frame, std::span<const uint32_t> commands) {
  for (const uint32_t c : commands) {
    if (c >= frame.commands.size()) continue;
    if (auto* draw = std::get_if<DrawCommand>(&frame.commands[c])) draw->element_count = 0;
  }
}

}  // namespace brokkr
