// `brokkr check --color`: compares the colours of a captured frame with those of the game's own driver.
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

// Compares one reference with the picture of one renderer.
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
  uint64_t false_color_draws = 0;           // draws whose program the file lacks, or whose program could not run
  uint64_t skipped_draws = 0;               // draws that the capture did not record
  uint64_t skipped_text = 0;                // skipped draws that draw letters or pixels
  std::map<std::string, uint64_t> reasons;  // reasons why draws were not recorded
  std::vector<std::string> failures;        // one line for each program that could not run
  // The reason why the comparison failed; empty if it passed.
  const char* problem() const;
  // True if Brokkr's rows are within the limits and every program ran. ColorLimits::exact also requires that no draw is
  // in false colours or unrecorded.
  bool passed = true;
};

struct ColorRequest {
  RenderOptions render;
  std::string picture;                // file that shows each comparison side by side; may be empty
  std::optional<ColorLimits> limits;  // if empty: the frame's own limits
  bool peer = false;                  // also draw with OpenGL
};

// OpenGL in a separate process. It starts when a frame first needs it, and restarts for other limits, because Mesa
// reads at start how exactly to filter.
class ColorPeer {
 public:
  Peer& get(ColorLimits limits);

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Peer> peer_;
  ColorLimits limits_ = ColorLimits::exact;
};

// Throws std::runtime_error if the frame holds no lossless picture.
ColorCheck check_colors(const Frame& frame, const std::string& file, Renderer& renderer, const ColorRequest& request,
                        ColorPeer& peer, Progress& progress);

nlohmann::ordered_json to_json(const std::string& file, const ColorCheck& check);
void print(const ColorCheck& check);

// "diff.png" becomes "diff-2.png" if there are several references.
std::string numbered(const std::string& path, size_t number, size_t count);

}  // namespace brokkr::app
