#include "app/resize.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <variant>

namespace brokkr::app {
namespace {

int scaled(int value, double factor) { return static_cast<int>(std::lround(value * factor)); }

// Scales edges rather than extents, so that rectangles that touch still touch.
Rect scaled(const Rect& rect, double x, double y) {
  const int left = scaled(rect.x, x), bottom = scaled(rect.y, y);
  return {left, bottom, scaled(rect.x + rect.width, x) - left, scaled(rect.y + rect.height, y) - bottom};
}

void resize_target(Target& target, double x, double y) {
  const double width = std::max(1.0, std::round(target.width * x));
  const double height = std::max(1.0, std::round(target.height * y));
  const double pixels = width * height * target.layers;
  if (width > kMaxTargetSize || height > kMaxTargetSize || pixels > static_cast<double>(kMaxTargetPixels)) {
    throw std::invalid_argument("--size: target " + std::to_string(target.id) + " of the frame would have " +
                                std::to_string(static_cast<int64_t>(width)) + "x" +
                                std::to_string(static_cast<int64_t>(height)) + " pixels; choose a smaller size");
  }
  target.width = static_cast<int>(width);
  target.height = static_cast<int>(height);
}

}  // namespace

void resize_frame(Frame& frame, uint32_t target, int width, int height) {
  const double x = static_cast<double>(width) / frame.targets.at(target).width;
  const double y = static_cast<double>(height) / frame.targets.at(target).height;
  for (Target& each : frame.targets) resize_target(each, x, y);
  frame.targets[target].width = width;
  frame.targets[target].height = height;
  frame.window_width = std::max(1, scaled(frame.window_width, x));
  frame.window_height = std::max(1, scaled(frame.window_height, y));

  const glm::vec4 factors(x, y, x, y);
  for (State& state : frame.states) {
    state.viewport *= factors;
    if (state.scissor) state.scissor = scaled(*state.scissor, x, y);
  }
  for (brokkr::Command& command : frame.commands) {
    if (auto* clear = std::get_if<ClearCommand>(&command)) {
      if (clear->scissor) clear->scissor = scaled(*clear->scissor, x, y);
    } else if (auto* blit = std::get_if<BlitCommand>(&command)) {
      blit->source = scaled(blit->source, x, y);
      blit->destination = scaled(blit->destination, x, y);
    }
  }
  // Stored data of a target at its old size no longer fits.
  std::erase_if(frame.commands,
                [](const brokkr::Command& command) { return std::holds_alternative<LoadCommand>(command); });
  for (brokkr::Command& command : frame.commands) {
    if (auto* copy = std::get_if<CopyCommand>(&command)) {
      copy->source = scaled(copy->source, x, y);
      copy->x = scaled(copy->x, x);
      copy->y = scaled(copy->y, y);
    }
  }
  frame.references.clear();
}

}  // namespace brokkr::app
