#include "oracle/compare.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "oracle/plane.h"

namespace brokkr::oracle {
namespace {

bool close_code(uint32_t a, uint32_t b) {
  for (int shift = 0; shift < 32; shift += 8) {
    if (std::abs(int(a >> shift & 255) - int(b >> shift & 255)) > 1) return false;
  }
  return true;
}

bool close_float(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= std::max(1.0f / 255, std::fabs(b) / 256);
}

class Comparer {
 public:
  Comparer(const Result& oracle, const Surface& surface, const Layer& layer, const Origin& origin)
      : oracle_(oracle), surface_(surface), layer_(layer), origin_(origin) {}

  Comparison run() {
    check_sizes();
    result_.pixels = surface_.pixels.size();
    for (size_t i = 0; i < surface_.pixels.size(); ++i) {
      const Pixel& pixel = surface_.pixels[i];
      constexpr uint8_t kPlanes = kUncertainColor | kUncertainDepth | kUncertainStencil;
      result_.uncertain += (pixel.uncertain & kPlanes) != 0;
      if (!(pixel.uncertain & kUncertainColor)) {
        compare_color(i, pixel);
        compare_id(i, "visible", layer_.visible_id, pixel.visible, result_.visible);
      }
      if (!(pixel.uncertain & kUncertainDepth)) {
        compare_depth(i, pixel);
        compare_id(i, "depth writer", layer_.depth_id, pixel.depth_writer, result_.depth_writer);
      }
      if (!(pixel.uncertain & kUncertainStencil) && !layer_.stencil.empty()) {
        note(layer_.stencil[i] == pixel.stencil, i, "stencil", result_.stencil, int(pixel.stencil),
             int(layer_.stencil[i]));
      }
      if (!(pixel.uncertain & kUncertainOverdraw) && !layer_.overdraw.empty()) {
        note(layer_.overdraw[i] == pixel.overdraw, i, "overdraw", result_.overdraw, pixel.overdraw, layer_.overdraw[i]);
      }
    }
    return result_;
  }

 private:
  void check_sizes() const {
    const size_t count = surface_.pixels.size();
    const auto fits = [&](size_t size, size_t each) { return size == 0 || size == count * each; };
    if (layer_.width == surface_.width && layer_.height == surface_.height && fits(layer_.color.size(), 1) &&
        fits(layer_.color_float.size(), 4) && fits(layer_.depth.size(), 1) && fits(layer_.stencil.size(), 1) &&
        fits(layer_.visible_id.size(), 1) && fits(layer_.depth_id.size(), 1) && fits(layer_.overdraw.size(), 1)) {
      return;
    }
    throw std::invalid_argument("compare: the layer is " + std::to_string(layer_.width) + " x " +
                                std::to_string(layer_.height) + " or its arrays have other sizes; render the frame " +
                                "that the oracle rendered");
  }

  template <typename Expected, typename Found>
  void note(bool same, size_t i, const char* what, uint64_t& count, const Expected& expected, const Found& found) {
    if (same) return;
    ++count;
    if (!result_.first.empty()) return;
    std::ostringstream text;
    text.precision(9);
    text << what << " of pixel (" << i % size_t(surface_.width) << ", " << i / size_t(surface_.width) << "): oracle "
         << expected << ", picture " << found;
    result_.first = text.str();
  }

  void compare_color(size_t i, const Pixel& pixel) {
    if (!layer_.color.empty()) {
      const uint32_t expected = packed(pixel), found = layer_.color[i];
      if (!close_code(expected, found)) {
        const auto hexadecimal = [](uint32_t code) {
          std::ostringstream text;
          text << std::hex << code;
          return text.str();
        };
        note(false, i, "colour", result_.color, hexadecimal(expected), hexadecimal(found));
      }
    }
    if (!layer_.color_float.empty()) {
      const glm::vec4 expected = decode(surface_.format, pixel.color);
      int worst = 0;
      bool same = true;
      for (int c = 0; c < 4; ++c) {
        if (close_float(layer_.color_float[i * 4 + size_t(c)], expected[c])) continue;
        same = false;
        worst = c;
      }
      note(same, i, "colour", result_.color, expected[worst], layer_.color_float[i * 4 + size_t(worst)]);
    }
  }

  void compare_depth(size_t i, const Pixel& pixel) {
    if (layer_.depth.empty()) return;
    const float slack = pixel.depth_tolerance;
    note(std::fabs(layer_.depth[i] - pixel.depth) <= slack, i, "depth", result_.depth, pixel.depth, layer_.depth[i]);
  }

  void compare_id(size_t i, const char* what, const std::vector<uint32_t>& ids, uint32_t expected, uint64_t& count) {
    if (ids.empty() || !origin_) return;
    const auto name = [](const Primitive& p) {
      std::ostringstream text;
      text << "command " << p.command << " view " << p.view << " instance " << p.instance << " triangle " << p.triangle;
      return text.str();
    };
    const bool none = expected == kNoPrimitive, found_none = ids[i] == kNoPrimitive;
    const bool same = none || found_none ? none == found_none : origin_(ids[i]) == oracle_.primitives[expected];
    if (same) return;
    note(false, i, what, count, none ? "none" : name(oracle_.primitives[expected]),
         found_none ? "none" : name(origin_(ids[i])));
  }

  const Result& oracle_;
  const Surface& surface_;
  const Layer& layer_;
  const Origin& origin_;
  Comparison result_;
};

}  // namespace

Comparison compare(const Result& oracle, const Surface& surface, const Layer& layer, const Origin& origin) {
  return Comparer(oracle, surface, layer, origin).run();
}

}  // namespace brokkr::oracle
