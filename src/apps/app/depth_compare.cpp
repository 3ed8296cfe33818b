#include "app/depth_compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace brokkr::app {
namespace {

double difference(float ours, float reference) {
  const double value = std::abs(static_cast<double>(ours) - static_cast<double>(reference));
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

}  // namespace

bool is_hard_writer(const Frame& frame, uint32_t command, bool runs_programs) {
  if (command >= frame.commands.size()) return true;  // only a clear wrote here
  const auto* draw = std::get_if<DrawCommand>(&frame.commands[command]);
  if (draw == nullptr) return true;
  if (runs_programs && draw->inputs >= 0) return true;
  const State& state = frame.states[draw->state];
  return (draw->flags & (kFragmentDiscard | kFragmentDepth)) == 0 && !state.alpha_test && !state.stencil;
}

DepthComparison compare_depth(const std::vector<float>& ours, const std::vector<float>& reference,
                              const std::function<bool(size_t)>& is_hard) {
  DepthComparison result;
  const size_t count = std::min(ours.size(), reference.size());
  result.pixels = count;
  for (size_t pixel = 0; pixel < count; ++pixel) {
    const double distance = difference(ours[pixel], reference[pixel]);
    const bool agrees = distance <= kDepthTolerance;
    result.agree += agrees ? 1 : 0;
    result.worst = std::max(result.worst, distance);
    if (!is_hard(pixel)) continue;
    ++result.hard_pixels;
    result.hard_agree += agrees ? 1 : 0;
    result.hard_worst = std::max(result.hard_worst, distance);
  }
  return result;
}

std::vector<uint32_t> draw_difference(const std::vector<float>& ours, const std::vector<float>& reference,
                                      const std::function<bool(size_t)>& is_hard) {
  constexpr uint32_t kOpaque = 0xff000000u, kRed = 0xff2020f0u, kAmber = 0xff20a0e0u;
  std::vector<uint32_t> picture(std::min(ours.size(), reference.size()));
  // Perspective crowds depths towards 1: stretch the range that occurs, so that shapes can be seen.
  float nearest = 1;
  for (size_t pixel = 0; pixel < picture.size(); ++pixel) {
    if (reference[pixel] > 0 && reference[pixel] < nearest) nearest = reference[pixel];
  }
  const float scale = nearest < 1 ? 1 / (1 - nearest) : 1;
  for (size_t pixel = 0; pixel < picture.size(); ++pixel) {
    if (difference(ours[pixel], reference[pixel]) > kDepthTolerance) {
      picture[pixel] = is_hard(pixel) ? kRed : kAmber;
      continue;
    }
    const float shown = std::sqrt(std::clamp((1 - reference[pixel]) * scale, 0.0f, 1.0f));
    picture[pixel] = kOpaque | static_cast<uint32_t>(40 + 150 * shown) * 0x010101u;
  }
  return picture;
}

}  // namespace brokkr::app
