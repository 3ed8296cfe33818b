#include "viewer/icon.h"

#include <algorithm>
#include <cctype>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/vec2.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

#include "viewer/icon_drawing.h"

namespace brokkr::viewer {
namespace {

constexpr int kIconSamples = 4;  // per side of a pixel

// A filled shape in the drawing's units: a polygon or a rounded rectangle.
struct Shape {
  uint32_t color = 0;  // 0xAABBGGRR
  std::vector<glm::vec2> corners;
  glm::vec2 size{0};  // of the rectangle; 0 for a polygon
  float radius = 0;

  bool holds(glm::vec2 p) const {
    if (corners.empty()) {
      const glm::vec2 outside = glm::abs(p - size / 2.0f) - (size / 2.0f - radius);
      return glm::length(glm::max(outside, glm::vec2(0))) + std::min(std::max(outside.x, outside.y), 0.0f) <= radius;
    }
    bool inside = false;
    for (size_t i = 0, j = corners.size() - 1; i < corners.size(); j = i++) {
      const glm::vec2 a = corners[i], b = corners[j];
      if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) inside = !inside;
    }
    return inside;
  }
};

// The value of an element's attribute; empty if it has none.
std::string attribute(const std::string& element, const std::string& name) {
  const size_t begin = element.find(" " + name + "=\"");
  if (begin == std::string::npos) return {};
  const size_t value = begin + name.size() + 3;
  return element.substr(value, element.find('"', value) - value);
}

uint32_t color_of(const std::string& element) {
  const std::string fill = attribute(element, "fill");  // #rrggbb
  if (fill.size() != 7 || fill[0] != '#') throw std::runtime_error("icon: no colour in <" + element + ">");
  const auto rgb = uint32_t(std::stoul(fill.substr(1), nullptr, 16));
  return 0xff000000u | (rgb & 0xff) << 16 | (rgb & 0xff00) | rgb >> 16;
}

// Parses "M12 48 44 40 44 64Z".
std::vector<glm::vec2> corners_of(const std::string& element) {
  std::string path = attribute(element, "d");
  const bool lines = path.size() > 2 && path.front() == 'M' && path.back() == 'Z';
  const auto known = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == ' ' || c == '.'; };
  if (!lines || !std::all_of(path.begin() + 1, path.end() - 1, known))
    throw std::runtime_error("icon: no polygon in <" + element + ">");
  std::istringstream numbers(path.substr(1, path.size() - 2));
  std::vector<glm::vec2> corners;
  for (glm::vec2 p; numbers >> p.x >> p.y;) corners.push_back(p);
  return corners;
}

std::vector<Shape> shapes_of(std::string_view drawing) {
  std::vector<Shape> shapes;
  for (size_t bracket = drawing.find('<'); bracket != std::string_view::npos;
       bracket = drawing.find('<', bracket + 1)) {
    const std::string element(drawing.substr(bracket + 1, drawing.find('>', bracket) - bracket - 1));
    if (element.starts_with("rect ")) {
      const glm::vec2 size(std::stof(attribute(element, "width")), std::stof(attribute(element, "height")));
      shapes.push_back({color_of(element), {}, size, std::stof(attribute(element, "rx"))});
    } else if (element.starts_with("path ")) {
      shapes.push_back({color_of(element), corners_of(element)});
    } else if (!element.starts_with("svg ") && !element.starts_with("title") && !element.starts_with("/")) {
      throw std::runtime_error("icon: unknown element <" + element + ">");
    }
  }
  return shapes;
}

}  // namespace

std::string_view icon_drawing() { return kIconDrawing; }

std::vector<uint32_t> draw_icon(std::string_view drawing, int size) {
  const std::vector<Shape> shapes = shapes_of(drawing);
  const float unit = std::stof(attribute(std::string(drawing.substr(0, drawing.find('>'))), "width")) / float(size);
  std::vector<uint32_t> pixels;
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      uint32_t covered = 0, sum[3] = {};
      for (int s = 0; s < kIconSamples * kIconSamples; ++s) {
        const glm::vec2 in_pixel = (glm::vec2(s % kIconSamples, s / kIconSamples) + 0.5f) / float(kIconSamples);
        const glm::vec2 p = (glm::vec2(x, y) + in_pixel) * unit;
        const auto top =
            std::find_if(shapes.rbegin(), shapes.rend(), [&](const Shape& shape) { return shape.holds(p); });
        if (top == shapes.rend()) continue;
        covered++;
        for (int c = 0; c < 3; ++c) sum[c] += top->color >> (8 * c) & 255;
      }
      const uint32_t n = std::max(covered, 1u);
      pixels.push_back((covered * 255 / (kIconSamples * kIconSamples)) << 24 | sum[2] / n << 16 | sum[1] / n << 8 |
                       sum[0] / n);
    }
  }
  return pixels;
}

}  // namespace brokkr::viewer
