// Chooses the draws of a frame that are drawn: single draws can be hidden, and all draws after one of them. These
// functions change FrameSettings, which holds the state.
#pragma once

#include <cstdint>
#include <span>

#include "viewer/panel.h"

namespace brokkr::viewer {

bool is_hidden(const FrameSettings& settings, uint32_t command);
void set_hidden(FrameSettings& settings, uint32_t command, bool hide);

// Hides all draws but this one; where they are hidden already, shows all.
void isolate(FrameSettings& settings, const Frame& frame, uint32_t command);

// The number of `draws` (commands that are draws, ascending) below the command limit, and the limit below which the
// first `count` of them lie.
int draws_shown(const FrameSettings& settings, std::span<const uint32_t> draws);
void show_draws(FrameSettings& settings, std::span<const uint32_t> draws, int count);

void show_all_draws(FrameSettings& settings);

// Moves the limit to the next (`by` 1) or previous (-1) draw. Returns the draw that is now the last one; nothing where
// there is no such draw. Beyond the last draw, all are drawn.
std::optional<uint32_t> step_draw(FrameSettings& settings, const Frame& frame, int by);

}  // namespace brokkr::viewer
