// A pixel's history as text and table: part of the panel Inspect.
#pragma once

#include <cstdint>
#include <optional>

#include "inspect/pixel_history.h"

namespace brokkr::viewer {

// The user's clicks, as numbers of commands.
struct HistoryClick {
  std::optional<uint32_t> choose;  // a draw
  std::optional<uint32_t> jump;    // the picture up to this draw
};

// Draws the history at the cursor, with `took_ms`, the time that computing it took. Rows of the draw `chosen` are
// highlighted.
HistoryClick draw_history(const PixelHistory& history, double took_ms, std::optional<uint32_t> chosen);

}  // namespace brokkr::viewer
