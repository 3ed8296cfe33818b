#include "viewer/draw_thumbnail.h"

#include <algorithm>
#include <array>
#include <variant>

#include "brokkr/image.h"

namespace brokkr::viewer {
namespace {

constexpr int kMostSide = 320;

// Marks the pixels that hold an identifier of a primitive of `command`.
void mark(const PreparedFrame& prepared, uint32_t command, std::span<const uint32_t> ids, std::span<uint8_t> touched) {
  uint32_t last = ~0u;  // neighbours mostly have the same
  bool last_is = false;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == ~0u) continue;
    if (ids[i] != last) {
      last = ids[i];
      last_is = prepared.origin(last).command == command;
    }
    touched[i] |= uint8_t(last_is);
  }
}

}  // namespace

DrawThumbnail highlight(int width, int height, std::span<const uint32_t> colors, std::span<const uint8_t> touched,
                        int most) {
  const int step = std::max(1, (std::max(width, height) + most - 1) / most);
  DrawThumbnail result;
  result.touched = uint64_t(std::count(touched.begin(), touched.end(), 1));
  Picture& picture = result.picture;
  picture.width = (width + step - 1) / step;
  picture.height = (height + step - 1) / step;
  for (int top = 0; top < height; top += step) {
    for (int left = 0; left < width; left += step) {
      // Sums of red, green, blue and the number of pixels: of those that were not touched, and of those that were.
      std::array<std::array<uint32_t, 4>, 2> sums{};
      for (int y = top; y < std::min(top + step, height); ++y) {
        for (int x = left; x < std::min(left + step, width); ++x) {
          const size_t i = size_t(y) * size_t(width) + size_t(x);
          auto& sum = sums[touched[i]];
          for (size_t c = 0; c < 3; ++c) sum[c] += colors[i] >> (8 * c) & 255;
          sum[3]++;
        }
      }
      const bool bright = sums[1][3] > 0;
      const auto& sum = sums[bright];
      if (bright) {
        // Not darker than the others are, whatever the draw's own colour is.
        const auto part = [&](size_t c) { return 64 + sum[c] / sum[3] * 191 / 255; };
        picture.pixels.push_back(0xff000000u | part(2) << 16 | part(1) << 8 | part(0));
      } else {
        picture.pixels.push_back(0xff000000u | (sum[0] + sum[1] + sum[2]) / sum[3] / 3 * 60 / 255 * 0x010101u);
      }
    }
  }
  return result;
}

std::optional<DrawThumbnail> draw_thumbnail(RenderContext& context, uint32_t command) {
  const auto* const draw = std::get_if<DrawCommand>(&context.frame.commands.at(command));
  if (draw == nullptr) return std::nullopt;
  RenderOptions options = context.settings.options;
  options.trace = false;
  options.keep_ids = true;
  options.command_limit = command + 1;
  const RenderResult result = context.renderer.render(context.prepared, options);
  if (result.aborted) return std::nullopt;
  const View& view = context.frame.views[draw->first_view];
  const Layer& layer = result.targets[view.target].layers[view.layer];
  std::vector<uint8_t> touched(size_t(layer.width) * size_t(layer.height), 0);
  mark(context.prepared, command, layer.visible_id, touched);
  mark(context.prepared, command, layer.depth_id, touched);
  return highlight(layer.width, layer.height, screen_pixels(layer), touched, kMostSide);
}

}  // namespace brokkr::viewer
