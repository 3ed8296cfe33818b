// Converts the kernel's planes to pictures in rows, and back.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>

#include "pipeline/machine_backend.h"
#include "pipeline/tile_rows.h"
#include "plan/color_code.h"

namespace brokkr {
namespace {

void size_layer(const TargetRecord& target, const HostPlanes& planes, Layer& layer) {
  layer.width = int(target.width);
  layer.height = int(target.height);
  const size_t pixels = size_t(target.width) * target.height;
  if (target.format == uint32_t(ColorFormat::rgba16f))
    layer.color_float.resize(pixels * 4);
  else
    layer.color.resize(pixels);
  for (const PlaneRecord& plane : target.planes) {
    if (plane.words != 0) layer.more_colors.emplace_back(pixels * 4);
  }
  layer.depth.resize(pixels);
  layer.stencil.resize(pixels);
  if (planes.visible_id != nullptr) layer.visible_id.resize(pixels);
  if (planes.depth_id != nullptr) layer.depth_id.resize(pixels);
  if (planes.overdraw != nullptr) layer.overdraw.resize(pixels);
  if (planes.stamps != nullptr) layer.stamps.resize(pixels);
}

void read_half_color(const TileRow& tiles, const HostPlanes& planes, float* out) {
  tiles.for_rows([&](size_t pixel, size_t sample, uint32_t row, uint32_t wide, uint32_t region) {
    const RegionState& state = planes.region_state[region];
    for (uint32_t i = 0; i < wide; ++i) {
      const size_t s = sample + kMorton[row * 8 + i];
      const bool cleared = (state.bits & kClearColor) != 0;
      const uint32_t low = cleared ? uint32_t(state.color) : planes.color[s];
      const uint32_t high = cleared ? uint32_t(state.color >> 32) : planes.color_high[s];
      float* const rgba = out + (pixel + i) * 4;
      rgba[0] = half_to_float(uint16_t(low));
      rgba[1] = half_to_float(uint16_t(low >> 16));
      rgba[2] = half_to_float(uint16_t(high));
      rgba[3] = half_to_float(uint16_t(high >> 16));
    }
  });
}

// Decodes the stored channels of a texel. Integers keep their bits.
std::array<float, 4> decoded(const uint32_t* words, TexelEncoding encoding) {
  const auto bits = [&](int word, int shift, int count) {
    const uint32_t max_code = (1u << count) - 1;
    return float((words[word] >> shift) & max_code) / float(max_code);
  };
  const auto half = [&](int word, int shift) { return half_to_float(uint16_t(words[word] >> shift)); };
  const auto real = [&](int word) { return std::bit_cast<float>(words[word]); };
  switch (encoding) {
    case TexelEncoding::rgba8:
    case TexelEncoding::rgb565:
    case TexelEncoding::rgb5_a1:
    case TexelEncoding::rgba4:
    case TexelEncoding::srgb8: return {bits(0, 0, 8), bits(0, 8, 8), bits(0, 16, 8), bits(0, 24, 8)};
    case TexelEncoding::rgb10_a2: return {bits(0, 0, 10), bits(0, 10, 10), bits(0, 20, 10), bits(0, 30, 2)};
    case TexelEncoding::rgba16: return {bits(0, 0, 16), bits(0, 16, 16), bits(1, 0, 16), bits(1, 16, 16)};
    case TexelEncoding::rgba16f: return {half(0, 0), half(0, 16), half(1, 0), half(1, 16)};
    case TexelEncoding::r32: return {real(0), 0, 0, 1};
    case TexelEncoding::rg32: return {real(0), real(1), 0, 1};
    case TexelEncoding::rgba32: break;
  }
  return {real(0), real(1), real(2), real(3)};
}

// Returns true if the picture of the first colour is that of its exact plane, because halves do not show its few codes.
bool shows_exact_plane(const TargetRecord& target) {
  const PlaneRecord& plane = target.planes[kExactPlane];
  return plane.words != 0 && has_few_bits(TexelEncoding(plane.encoding));
}

void read_more_colors(const TileRow& tiles, const HostPlanes& planes, Layer& layer) {
  const size_t first = size_t(tiles.target.first_region) * size_t(tiles.plan.region * tiles.plan.region);
  size_t number = 0;
  for (const PlaneRecord& plane : tiles.target.planes) {
    if (plane.words == 0) continue;
    float* const out = layer.more_colors[number++].data();
    tiles.for_rows([&](size_t pixel, size_t sample, uint32_t row, uint32_t wide, uint32_t) {
      for (uint32_t i = 0; i < wide; ++i) {
        const size_t place = sample + kMorton[row * 8 + i] - first;
        const auto color =
            decoded(planes.more_colors + plane.first + place * plane.words, TexelEncoding(plane.encoding));
        std::copy(color.begin(), color.end(), out + (pixel + i) * 4);
        if (&plane == &tiles.target.planes[kExactPlane] && shows_exact_plane(tiles.target))
          std::copy(color.begin(), color.end(), layer.color_float.data() + (pixel + i) * 4);
      }
    });
  }
}

// Copies times as they are stored; since_first converts them.
void read_stamps(const TileRow& tiles, const uint32_t* stamps, std::vector<FragmentStamp>& out) {
  tiles.for_rows([&](size_t pixel, size_t sample, uint32_t row, uint32_t wide, uint32_t) {
    const uint32_t* const words = stamps + kStampHead + sample * kStampWords;
    for (uint32_t i = 0; i < wide; ++i) {
      const uint32_t* const own = words + kMorton[row * 8 + i];
      if (own[0] == ~0u) continue;
      out[pixel + i] = {own[0], own[2 * kTileSamples], own[3 * kTileSamples], double(own[kTileSamples])};
    }
  });
}

void read_tiles(const TileRow& tiles, const HostPlanes& planes, Layer& layer) {
  const RegionState* const states = planes.region_state;
  if (!layer.color_float.empty())
    read_half_color(tiles, planes, layer.color_float.data());
  else
    tiles.gather(planes.color, layer.color.data(), states, kClearColor, [](const RegionState& s) { return s.color; });
  read_more_colors(tiles, planes, layer);
  tiles.gather(planes.depth, layer.depth.data(), states, kClearDepth, [](const RegionState& s) { return s.depth; });
  tiles.gather(planes.stencil, layer.stencil.data(), states, kClearStencil,
               [](const RegionState& s) { return s.stencil; });
  const auto copy = [&](const uint32_t* plane, std::vector<uint32_t>& out) {
    if (plane != nullptr) tiles.gather(plane, out.data(), nullptr, 0, [](const RegionState&) { return 0; });
  };
  copy(planes.visible_id, layer.visible_id);
  copy(planes.depth_id, layer.depth_id);
  copy(planes.overdraw, layer.overdraw);
  if (planes.stamps != nullptr) read_stamps(tiles, planes.stamps, layer.stamps);
  if (layer.color.empty() || layer.overdraw.empty()) return;
  const size_t begin = size_t(tiles.y) * tiles.target.width,
               end = size_t(std::min(tiles.y + 8, tiles.target.height)) * tiles.target.width;
  std::transform(layer.overdraw.begin() + ptrdiff_t(begin), layer.overdraw.begin() + ptrdiff_t(end),
                 layer.color.begin() + ptrdiff_t(begin), overdraw_color);
}

// Converts stored times, which wrap around, to milliseconds since the first one.
void since_first(std::vector<TargetImage>& images) {
  constexpr double kMs = double(1 << kStampTimeShift) * 1e-6;
  std::optional<uint32_t> some;
  int32_t first = 0;
  const auto each = [&](auto&& f) {
    for (TargetImage& image : images) {
      for (Layer& layer : image.layers) {
        for (FragmentStamp& stamp : layer.stamps) {
          if (stamp.order == ~0u) continue;
          if (!some) some = uint32_t(stamp.time_ms);
          f(stamp, int32_t(uint32_t(stamp.time_ms) - *some));
        }
      }
    }
  };
  each([&](const FragmentStamp&, int32_t after) { first = std::min(first, after); });
  each([&](FragmentStamp& stamp, int32_t after) { stamp.time_ms = (double(after) - first) * kMs; });
}

}  // namespace

void run_parts(WorkerPool* pool, int threads, uint64_t pixels, const std::function<void(int)>& work) {
  // It takes as long to wake threads as to convert some ten thousand pixels.
  constexpr uint64_t kWorthWaking = 1 << 15;
  if (pool == nullptr || threads <= 1 || pixels < kWorthWaking) return work(0);
  pool->run(threads, work);
}

std::vector<TargetImage> read_planes(const TargetPlan& plan, const HostPlanes& planes, WorkerPool* pool, int threads) {
  std::vector<TargetImage> images(plan.targets.size());
  struct Part {
    uint32_t target, layer, y;
  };
  std::vector<Part> parts;
  uint64_t pixels = 0;
  for (uint32_t t = 0; t < plan.targets.size(); ++t) {
    const TargetRecord& target = plan.targets[t];
    images[t].layers.resize(target.layers);
    pixels += uint64_t(target.width) * target.height * target.layers;
    for (uint32_t l = 0; l < target.layers; ++l) {
      size_layer(target, planes, images[t].layers[l]);
      for (uint32_t y = 0; y < target.height; y += 8) parts.push_back({t, l, y});
    }
  }
  std::atomic<size_t> next = 0;
  const std::function<void(int)> work = [&](int) {
    for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < parts.size();) {
      const Part& p = parts[i];
      read_tiles({plan, plan.targets[p.target], p.layer, p.y}, planes, images[p.target].layers[p.layer]);
    }
  };
  run_parts(pool, threads, pixels, work);
  if (planes.stamps != nullptr) since_first(images);
  return images;
}

namespace {

// The inverse of decoded().
void encode(const float* color, TexelEncoding encoding, uint32_t* words) {
  const auto unit = [&](int channel, int shift, int count) {
    const auto max_code = float((1u << count) - 1);
    return uint32_t(std::lround(color[channel] * max_code)) << shift;
  };
  const auto bits = [&](int channel) { return std::bit_cast<uint32_t>(color[channel]); };
  switch (encoding) {
    case TexelEncoding::rgba8:
    case TexelEncoding::rgb565:
    case TexelEncoding::rgb5_a1:
    case TexelEncoding::rgba4:
    case TexelEncoding::srgb8: words[0] = unit(0, 0, 8) | unit(1, 8, 8) | unit(2, 16, 8) | unit(3, 24, 8); return;
    case TexelEncoding::rgb10_a2:
      words[0] = unit(0, 0, 10) | unit(1, 10, 10) | unit(2, 20, 10) | unit(3, 30, 2);
      return;
    case TexelEncoding::rgba16:
      words[0] = unit(0, 0, 16) | unit(1, 16, 16);
      words[1] = unit(2, 0, 16) | unit(3, 16, 16);
      return;
    case TexelEncoding::rgba16f: {
      const uint64_t code = color_code(ColorFormat::rgba16f, {color[0], color[1], color[2], color[3]});
      words[0] = uint32_t(code);
      words[1] = uint32_t(code >> 32);
      return;
    }
    case TexelEncoding::r32: words[0] = bits(0); return;
    case TexelEncoding::rg32:
      words[0] = bits(0);
      words[1] = bits(1);
      return;
    case TexelEncoding::rgba32: break;
  }
  for (int i = 0; i < 4; ++i) words[i] = bits(i);
}

void write_more_colors(const TileRow& tiles, const WritablePlanes& planes, const Layer& layer) {
  const size_t first = size_t(tiles.target.first_region) * size_t(tiles.plan.region * tiles.plan.region);
  size_t number = 0;
  for (const PlaneRecord& plane : tiles.target.planes) {
    if (plane.words == 0) continue;
    const float* const colors = layer.more_colors[number++].data();
    tiles.for_rows([&](size_t pixel, size_t sample, uint32_t row, uint32_t wide, uint32_t) {
      for (uint32_t i = 0; i < wide; ++i) {
        const size_t place = sample + kMorton[row * 8 + i] - first;
        encode(colors + (pixel + i) * 4, TexelEncoding(plane.encoding),
               planes.more_colors + plane.first + place * plane.words);
      }
    });
  }
}

void write_tiles(const TileRow& tiles, const WritablePlanes& planes, const Layer& layer) {
  tiles.for_rows([&](size_t pixel, size_t sample, uint32_t row, uint32_t wide, uint32_t) {
    for (uint32_t i = 0; i < wide; ++i) {
      const size_t s = sample + kMorton[row * 8 + i], p = pixel + i;
      planes.depth[s] = layer.depth[p];
      planes.stencil[s] = layer.stencil[p];
      if (planes.visible_id != nullptr && !layer.visible_id.empty()) {
        planes.visible_id[s] = layer.visible_id[p];
        planes.depth_id[s] = layer.depth_id[p];
      }
      if (layer.color_float.empty()) {
        planes.color[s] = layer.color[p];
        continue;
      }
      const float* const c = &layer.color_float[p * 4];
      const uint64_t code = color_code(ColorFormat::rgba16f, {c[0], c[1], c[2], c[3]});
      planes.color[s] = uint32_t(code);
      planes.color_high[s] = uint32_t(code >> 32);
    }
  });
  write_more_colors(tiles, planes, layer);
}

}  // namespace

void write_planes(const TargetPlan& plan, const std::vector<TargetImage>& images, const WritablePlanes& planes) {
  for (uint64_t region = 0; region < plan.regions; ++region) planes.region_state[region].bits = 0;
  for (size_t t = 0; t < plan.targets.size(); ++t) {
    const TargetRecord& target = plan.targets[t];
    for (uint32_t layer = 0; layer < target.layers; ++layer) {
      for (uint32_t y = 0; y < target.height; y += 8)
        write_tiles({plan, target, layer, y}, planes, images[t].layers[layer]);
    }
  }
}

}  // namespace brokkr
