#include "lab/pattern_map.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace brokkr::lab {

FragmentMap make_map(std::string name, int width, int height, std::vector<uint32_t> count) {
  if (width < 1 || height < 1 || count.size() != size_t(width) * size_t(height)) {
    throw std::invalid_argument("fragment map " + name + ": " + std::to_string(count.size()) + " counts for " +
                                std::to_string(width) + "x" + std::to_string(height) + " pixels");
  }
  FragmentMap map{std::move(name), width, height, std::move(count), 0, 0};
  map.hash = 14695981039346656037u;  // FNV-1a
  const auto add = [&](uint64_t v) { map.hash = (map.hash ^ v) * 1099511628211u; };
  add(uint64_t(width));
  add(uint64_t(height));
  for (const uint32_t c : map.count) {
    map.total += c;
    add(c);
  }
  return map;
}

std::vector<FragmentMap> render_maps(Renderer& renderer, PreparedFrame& prepared, const Frame& frame,
                                     const std::string& name, RenderOptions options) {
  options.shading = Shading::overdraw;
  options.hierarchical_depth = false;
  options.frame_budget_ms = 0;
  RenderResult result = renderer.render(prepared, options);
  std::vector<Layer>& layers = result.targets[main_target(frame)].layers;
  std::vector<FragmentMap> maps;
  for (size_t i = 0; i < layers.size(); ++i) {
    FragmentMap map = make_map(layers.size() == 1 ? name : name + "." + std::to_string(i), layers[i].width,
                               layers[i].height, std::move(layers[i].overdraw));
    if (map.total > 0) maps.push_back(std::move(map));
  }
  return maps;
}

BinLoads bin_loads(const FragmentMap& map, int bin) {
  BinLoads bins;
  bins.bin = bin;
  bins.x = (map.width + bin - 1) / bin;
  bins.y = (map.height + bin - 1) / bin;
  bins.load.assign(size_t(bins.x) * size_t(bins.y), 0);
  for (int y = 0; y < map.height; ++y) {
    const uint32_t* row = map.count.data() + size_t(y) * size_t(map.width);
    uint64_t* out = bins.load.data() + size_t(y / bin) * size_t(bins.x);
    for (int x0 = 0; x0 < map.width; x0 += bin) {
      const int x1 = std::min(x0 + bin, map.width);
      uint64_t sum = 0;
      for (int x = x0; x < x1; ++x) sum += row[x];
      *out++ += sum;
    }
  }
  return bins;
}

}  // namespace brokkr::lab
