#include "pipeline/read_back.h"

#include <algorithm>
#include <array>
#include <bit>

#include "pipeline/color_code.h"

namespace brokkr {
namespace {

// Morton position in an 8x8 tile by row and column.
constexpr std::array<uint8_t, 64> morton_table() {
  std::array<uint8_t, 64> table{};
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      int m = 0;
      for (int bit = 0; bit < 3; ++bit)
        m |= ((x >> bit) & 1) << (2 * bit) | ((y >> bit) & 1) << (2 * bit + 1);
      table[size_t(y * 8 + x)] = uint8_t(m);
    }
  }
  return table;
}
constexpr std::array<uint8_t, 64> kMorton = morton_table();

// Calls store(pixel in the layer, sample in the planes, region) for every pixel.
template <class F>
void for_pixels(const LaunchLayout& layout, const TargetRecord& target, uint32_t layer, F&& store) {
  const uint32_t edge = uint32_t(layout.region);
  for (uint32_t y = 0; y < target.height; ++y) {
    for (uint32_t x = 0; x < target.width; ++x) {
      const uint32_t region =
          target.first_region + (layer * target.regions_y + y / edge) * target.regions_x + x / edge;
      const uint32_t rx = x % edge, ry = y % edge;
      const size_t sample = size_t(region) * edge * edge +
                            size_t((ry / 8 * (edge / 8) + rx / 8) * 64 + kMorton[(ry % 8) * 8 + rx % 8]);
      store(size_t(y) * target.width + x, sample, region);
    }
  }
}

// Fragments that covered a sample as a colour: black none, then blue, cyan, green, yellow, red, and white
// from 32 on, in steps of a factor of two.
uint32_t heat_color(uint32_t fragments) {
  constexpr std::array<uint32_t, 7> kHeat = {0xff000000, 0xffb03020, 0xffc0a000, 0xff40a020,
                                             0xff10c8e8, 0xff2030d8, 0xffffffff};
  return kHeat[std::min<size_t>(size_t(std::bit_width(fragments)), kHeat.size() - 1)];
}

}  // namespace

std::vector<TargetImage> read_back(const LaunchLayout& layout, const HostPlanes& planes) {
  std::vector<TargetImage> images(layout.targets.size());
  for (size_t t = 0; t < layout.targets.size(); ++t) {
    const TargetRecord& target = layout.targets[t];
    const bool half = target.format == uint32_t(ColorFormat::rgba16f);
    images[t].layers.resize(target.layers);
    for (uint32_t l = 0; l < target.layers; ++l) {
      Layer& layer = images[t].layers[l];
      layer.width = int(target.width);
      layer.height = int(target.height);
      const size_t pixels = size_t(target.width) * target.height;
      const auto state = [&](uint32_t region) -> const RegionState& { return planes.region_state[region]; };
      const auto code_low = [&](size_t s, uint32_t r) {
        return state(r).bits & kClearColor ? uint32_t(state(r).color) : planes.color[s];
      };
      if (half) {
        layer.color_float.resize(pixels * 4);
        for_pixels(layout, target, l, [&](size_t p, size_t s, uint32_t r) {
          const uint32_t low = code_low(s, r);
          const uint32_t high =
              state(r).bits & kClearColor ? uint32_t(state(r).color >> 32) : planes.color_high[s];
          layer.color_float[p * 4] = half_to_float(uint16_t(low));
          layer.color_float[p * 4 + 1] = half_to_float(uint16_t(low >> 16));
          layer.color_float[p * 4 + 2] = half_to_float(uint16_t(high));
          layer.color_float[p * 4 + 3] = half_to_float(uint16_t(high >> 16));
        });
      } else {
        layer.color.resize(pixels);
        for_pixels(layout, target, l,
                   [&](size_t p, size_t s, uint32_t r) { layer.color[p] = code_low(s, r); });
      }
      layer.depth.resize(pixels);
      layer.stencil.resize(pixels);
      for_pixels(layout, target, l, [&](size_t p, size_t s, uint32_t r) {
        layer.depth[p] = state(r).bits & kClearDepth ? state(r).depth : planes.depth[s];
        layer.stencil[p] = state(r).bits & kClearStencil ? uint8_t(state(r).stencil) : planes.stencil[s];
      });
      const auto copy = [&](const uint32_t* plane, std::vector<uint32_t>& out) {
        if (plane == nullptr) return;
        out.resize(pixels);
        for_pixels(layout, target, l, [&](size_t p, size_t s, uint32_t) { out[p] = plane[s]; });
      };
      copy(planes.visible_id, layer.visible_id);
      copy(planes.depth_id, layer.depth_id);
      copy(planes.overdraw, layer.overdraw);
      if (!half && !layer.overdraw.empty())
        std::transform(layer.overdraw.begin(), layer.overdraw.end(), layer.color.begin(), heat_color);
    }
  }
  return images;
}

}  // namespace brokkr
