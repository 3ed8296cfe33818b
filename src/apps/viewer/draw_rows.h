// The commands of a frame as rows of a list, grouped by the target that they draw to, with their state in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr::viewer {

struct DrawRow {
  uint32_t command = 0;     // index into Frame::commands
  bool is_draw = false;     // else it is a clear or a blit
  uint32_t target = 0;      // index into Frame::targets
  uint32_t layer = 0;       // of the first view
  uint64_t primitives = 0;  // over all instances and views; at most, where an index restarts strips
  std::string name;         // label; of the others what they do
  // "-": does not apply, or is off.
  std::string topology, depth, blend, cull, stencil, target_name, texture;
};

// Commands in a row that draw to one target.
struct DrawGroup {
  std::string name;           // "target 3, 512 x 512"
  size_t first = 0, end = 0;  // rows
  uint64_t draws = 0, primitives = 0;
};

struct DrawRows {
  std::vector<DrawRow> rows;  // all commands, in their order
  std::vector<DrawGroup> groups;
};

DrawRows draw_rows(const Frame& frame);

// Returns true if each word of `search` stands somewhere in the row, in small or capital letters: in its number, its
// name or a state. An empty search finds all.
bool matches(const DrawRow& row, const std::string& search);

// Everything that the draw's state sets, a line each.
std::string state_text(const Frame& frame, const DrawCommand& draw);

}  // namespace brokkr::viewer
