// A pixel's history as text and table: part of the panel Inspect.
#pragma once

#include <cstdint>
#include <optional>

#include "inspect/pixel_history.h"

namespace brokkr::viewer {

// What the user clicked: numbers of commands.
struct HistoryClick {
  std::optional<uint32_t> choose;  // a draw
  std::optional<uint32_t> jump;    // the picture up to this draw
};

// Draws it at the cursor, `took_ms` (to find it out) beside it, and the rows of the draw `chosen` highlighted.
HistoryClick draw_history(const PixelHistory& history, double took_ms, std::optional<uint32_t> chosen);

}  // namespace brokkr::viewer
