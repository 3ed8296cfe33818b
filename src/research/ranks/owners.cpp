#include "ranks/owners.h"

#include <array>

#include "brokkr/image.h"

namespace brokkr::ranks {
namespace {

// 0xBBGGRR. Far apart, also for those who see few colours; more ranks take them again.
constexpr std::array<uint32_t, 8> kTints = {0xb27300, 0x0060d5, 0x739e00, 0xa779cc,
                                            0x42e4f0, 0xe9b456, 0x4040e0, 0xffffff};

}  // namespace

std::vector<uint32_t> tint_by_owner(const Layer& layer, uint32_t target, const OwnedBins& owners) {
  std::vector<uint32_t> pixels = screen_pixels(layer);
  for (int y = 0; y < layer.height; ++y) {
    for (int x = 0; x < layer.width; ++x) {
      uint32_t& pixel = pixels[size_t(y) * size_t(layer.width) + size_t(x)];
      const uint32_t tint = kTints[owners.owner(target, x, y) % kTints.size()];
      // In grey, so that tints are not taken for colours of the frame.
      const uint32_t grey = (3 * (pixel & 255) + 6 * ((pixel >> 8) & 255) + ((pixel >> 16) & 255)) / 10;
      uint32_t mixed = 0xff000000u;
      for (int shift = 0; shift < 24; shift += 8) mixed |= ((7 * grey + 3 * ((tint >> shift) & 255)) / 10) << shift;
      pixel = mixed;
    }
  }
  return pixels;
}

}  // namespace brokkr::ranks
