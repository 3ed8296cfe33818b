// Which draws of a frame are drawn: some hidden, or none after one of them. The state itself is in FrameSettings; these
// change it.
#pragma once

#include <cstdint>
#include <span>

#include "viewer/panel.h"

namespace brokkr::viewer {

bool is_hidden(const FrameSettings& settings, uint32_t command);
void set_hidden(FrameSettings& settings, uint32_t command, bool hide);

// Hides all draws but this one; where that is so already, shows all.
void isolate(FrameSettings& settings, const Frame& frame, uint32_t command);

// How many of `draws` (Frame::commands' draws, ascending) the command limit lets through, and the limit that lets the
// first `count` through.
int draws_shown(const FrameSettings& settings, std::span<const uint32_t> draws);
void show_draws(FrameSettings& settings, std::span<const uint32_t> draws, int count);

void show_all_draws(FrameSettings& settings);

// Sets the limit to the draw after or before (`by` 1 or -1) the last that is drawn. Returns that draw; nothing where
// there is none: after the last, all are drawn.
std::optional<uint32_t> step_draw(FrameSettings& settings, const Frame& frame, int by);

}  // namespace brokkr::viewer
