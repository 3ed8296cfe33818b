// The draws of a frame one by one: hidden, alone, or up to one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

// Indices into Frame::commands of its draws, ascending.
std::vector<uint32_t> draw_commands(const Frame& frame);

// Draws that must be hidden so that `command` alone is drawn: all other draws, ascending. Clears and blits stay.
std::vector<uint32_t> all_but(const Frame& frame, uint32_t command);

// The first draw after `command`, or the last before it; nothing where there is none.
std::optional<uint32_t> next_draw(const Frame& frame, uint32_t command);
std::optional<uint32_t> previous_draw(const Frame& frame, uint32_t command);

// Makes draws draw nothing; their places in Frame::commands stay, and with them every command's number. Numbers that
// are no draw's are passed over.
void hide_draws(Frame& frame, std::span<const uint32_t> commands);

}  // namespace brokkr
