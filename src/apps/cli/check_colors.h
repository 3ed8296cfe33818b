// `brokkr check --color`: the colours of a captured frame beside those of the game's own driver.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/text.h"
#include "app/tool.h"
#include "brokkr/renderer.h"
#include "cli/bench_peer.h"
#include "inspect/image_compare.h"

namespace brokkr::app {

// The comparison of one reference with the picture of one renderer.
struct ColorRow {
  std::string by;  // "brokkr", or the peer's name
  int target = 0;
  uint32_t before = 0;
  ColorComparison colors;
  double frame_ms = 0;
};

struct ColorCheck {
  ColorLimits limits = ColorLimits::exact;
  std::vector<ColorRow> rows;
  uint64_t false_color_draws = 0;           // whose program the file does not hold, or which could not run
  uint64_t skipped_draws = 0;               // which the capture did not record
  uint64_t skipped_text = 0;                // those of them that draw letters or pixels
  std::map<std::string, uint64_t> reasons;  // of what was not recorded
  std::vector<std::string> failures;        // a line for each program that could not run
  // Why it did not pass; empty if it did.
  const char* problem() const;
  // True if Brokkr's rows are within the limits, and every program ran. Limits of exact colours also ask that no draw
  // is in false colours or not recorded.
  bool passed = true;
};

struct ColorRequest {
  RenderOptions render;
  std::string picture;                // side by side, of each reference; may be empty
  std::optional<ColorLimits> limits;  // without it: the frame's own
  bool peer = false;                  // OpenGL draws too
};

// OpenGL in a process of its own, started when a frame first asks for it, and again for other limits: Mesa reads when
// it starts how exactly it is to filter.
class ColorPeer {
 public:
  Peer& get(ColorLimits limits);

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Peer> peer_;
  ColorLimits limits_ = ColorLimits::exact;
};

// Throws std::runtime_error where the frame holds no lossless picture.
ColorCheck check_colors(const Frame& frame, const std::string& file, Renderer& renderer, const ColorRequest& request,
                        ColorPeer& peer, Progress& progress);

nlohmann::ordered_json to_json(const std::string& file, const ColorCheck& check);
void print(const ColorCheck& check);

// "diff.png" -> "diff-2.png" where there are several references.
std::string numbered(const std::string& path, size_t number, size_t count);

}  // namespace brokkr::app
