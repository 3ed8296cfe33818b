#include "ranks/squares.h"

#include <algorithm>

namespace brokkr::ranks {
namespace {

// f(first pixel, pixels) for each row of each square of the rank.
template <class F>
void for_rows(const Layer& layer, const OwnedBins& bins, uint32_t rank, uint32_t target, F&& f) {
  for (int y = 0; y < layer.height; ++y) {
    for (int x = 0; x < layer.width; x += bins.bin) {
      if (bins.owner(target, x, y) != rank) continue;
      f(size_t(y) * size_t(layer.width) + size_t(x), size_t(std::min(bins.bin, layer.width - x)));
    }
  }
}

// f(values of a plane, values of a pixel) for each plane of the layer that is asked for.
template <class L, class F>
void for_planes(L& layer, uint32_t planes, F&& f) {
  if ((planes & kPlaneColor) != 0) {
    if (!layer.color.empty()) f(layer.color, 1);
    if (!layer.color_float.empty()) f(layer.color_float, 4);
    for (auto& more : layer.more_colors) f(more, 4);
    if (!layer.visible_id.empty()) f(layer.visible_id, 1);
    if (!layer.overdraw.empty()) f(layer.overdraw, 1);
  }
  if ((planes & kPlaneDepth) != 0) {
    f(layer.depth, 1);
    if (!layer.depth_id.empty()) f(layer.depth_id, 1);
  }
  if ((planes & kPlaneStencil) != 0) f(layer.stencil, 1);
}

}  // namespace

Message pack_squares(const TargetImage& image, const OwnedBins& bins, uint32_t rank, PlaneUse use) {
  Message message;
  for (const Layer& layer : image.layers) {
    for_planes(layer, use.planes, [&](const auto& plane, size_t values) {
      using Value = std::remove_cvref_t<decltype(plane[0])>;
      for_rows(layer, bins, rank, use.target, [&](size_t pixel, size_t count) {
        append<Value>(message, std::span(plane).subspan(pixel * values, count * values));
      });
    });
  }
  return message;
}

void unpack_squares(const Message& message, const OwnedBins& bins, uint32_t rank, PlaneUse use, TargetImage& image) {
  size_t at = 0;
  const auto fail = [&] {
    throw std::runtime_error("rank " + std::to_string(rank) + " sent " + std::to_string(message.size()) +
                             " bytes of a target, not as many as its squares have");
  };
  for (Layer& layer : image.layers) {
    for_planes(layer, use.planes, [&](auto& plane, size_t values) {
      for_rows(layer, bins, rank, use.target, [&](size_t pixel, size_t count) {
        const size_t bytes = count * values * sizeof plane[0];
        if (message.size() - at < bytes) fail();
        std::memcpy(plane.data() + pixel * values, message.data() + at, bytes);
        at += bytes;
      });
    });
  }
  if (at != message.size()) fail();
}

Message pack_color(const Layer& layer) {
  Message message;
  append<uint32_t>(message, layer.color);
  append<float>(message, layer.color_float);
  return message;
}

void unpack_color(const Message& message, int from, Layer& layer) {
  const size_t color = layer.color.size() * sizeof(uint32_t), floats = layer.color_float.size() * sizeof(float);
  if (message.size() != color + floats)
    throw std::runtime_error("rank " + std::to_string(from) + " sent a picture of another size");
  if (color > 0) std::memcpy(layer.color.data(), message.data(), color);
  if (floats > 0) std::memcpy(layer.color_float.data(), message.data() + color, floats);
}

}  // namespace brokkr::ranks
