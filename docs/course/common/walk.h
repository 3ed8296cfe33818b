// The commands by which a zig-zag moves over the pixels. Each goes from a pixel to its neighbour, and one pixel is
// saved.
#pragma once

#include <cstdint>

namespace course {

enum class Command : uint8_t {
  move_left,
  move_right,
  pop_move_left,   // back to the saved pixel, then one to the left
  pop_move_right,  // back to the saved pixel, then one to the right
  push_move_down,  // one down, and save the pixel that is reached
};

// The position of the walk. The pixel where it starts is saved.
class Walk {
 public:
  Walk(int x, int y) : x_(x), y_(y), saved_x_(x) {}
  int x() const { return x_; }
  int y() const { return y_; }

  void move(Command command) {
    switch (command) {
      case Command::move_left: --x_; return;
      case Command::move_right: ++x_; return;
      case Command::pop_move_left: x_ = saved_x_ - 1; return;
      case Command::pop_move_right: x_ = saved_x_ + 1; return;
      case Command::push_move_down:
        --y_;
        saved_x_ = x_;
        return;
    }
  }

 private:
  int x_, y_;
  int saved_x_;  // of a pixel in this row: a walk never comes back up
};

}  // namespace course
