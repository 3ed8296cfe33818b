// Selects draws of a frame: hidden, alone, or up to one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

// Indices of the draws in Frame::commands, ascending.
std::vector<uint32_t> draw_commands(const Frame& frame);

// Draws that must be hidden so that only `command` is drawn: all other draws, ascending. Clears and blits stay.
std::vector<uint32_t> all_but(const Frame& frame, uint32_t command);

// The first draw after `command`, or the last draw before it; empty if there is none.
std::optional<uint32_t> next_draw(const Frame& frame, uint32_t command);
std::optional<uint32_t> previous_draw(const Frame& frame, uint32_t command);

// Makes draws draw nothing; they stay in Frame::commands, so every command keeps its number. Numbers that are not draws
// are ignored.
void hide_draws(Frame& frame, std::span<const uint32_t> commands);

}  // namespace brokkr
