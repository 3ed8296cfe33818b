// The commands of a frame as rows of a list, grouped by render target, with their state in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr::viewer {

struct DrawRow {
  uint32_t command = 0;     // index into Frame::commands
  bool is_draw = false;     // false: a clear, a blit or the like
  uint32_t target = 0;      // index into Frame::targets
  uint32_t layer = 0;       // of the first view
  uint64_t primitives = 0;  // over all instances and views; an upper bound if an index restarts strips
  std::string name;         // the label of a draw; a description of other commands
  // "-" if it does not apply or is off.
  std::string topology, depth, blend, cull, stencil, target_name, texture;
};

// Consecutive commands that draw to the same target.
struct DrawGroup {
  std::string name;           // "target 3, 512 x 512"
  size_t first = 0, end = 0;  // rows
  uint64_t draws = 0, primitives = 0;
};

struct DrawRows {
  std::vector<DrawRow> rows;  // all commands, in order
  std::vector<DrawGroup> groups;
};

DrawRows draw_rows(const Frame& frame);

// Returns true if every word of `search` occurs in the row's number, name or states, in any case. An empty search
// matches every row.
bool matches(const DrawRow& row, const std::string& search);

// Describes all state of the draw, one line per setting.
std::string state_text(const Frame& frame, const DrawCommand& draw);

}  // namespace brokkr::viewer
