#include "app/drawing.h"

#include <fmt/format.h>
#include <stb/stb_truetype.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/file_io.h"

#if defined(BROKKR_DRAWING_REGULAR)
// Roboto of Debian's fonts-roboto-unhinted (Apache License 2.0), as it was installed when the program was built.
asm(".pushsection .rodata\n"
    ".global brokkr_drawing_regular, brokkr_drawing_bold\n"
    "brokkr_drawing_regular: .incbin \"" BROKKR_DRAWING_REGULAR
    "\"\n"
    "brokkr_drawing_bold: .incbin \"" BROKKR_DRAWING_BOLD
    "\"\n"
    ".popsection\n");
extern "C" const unsigned char brokkr_drawing_regular[], brokkr_drawing_bold[];
#endif

namespace brokkr::app {
namespace {

using Contours = std::vector<std::vector<Spot>>;

// The outlines of the font that is in the program.
class Font {
 public:
  explicit Font(bool bold) {
#if defined(BROKKR_DRAWING_REGULAR)
    const unsigned char* const data = bold ? brokkr_drawing_bold : brokkr_drawing_regular;
    is_there_ = stbtt_InitFont(&info_, data, stbtt_GetFontOffsetForIndex(data, 0)) != 0;
#else
    (void)bold;
#endif
  }
  bool is_there() const { return is_there_; }

  double width(const std::vector<int>& letters, double size) const {
    double units = 0;
    for (size_t i = 0; i < letters.size(); ++i) units += advance(letters, i);
    return units * scale(size);
  }

  // Outlines of a text whose base line begins at the origin, y down.
  Contours outlines(const std::vector<int>& letters, double size) const {
    Contours all;
    double pen = 0;
    for (size_t i = 0; i < letters.size(); ++i) {
      stbtt_vertex* vertices = nullptr;
      const int count = stbtt_GetCodepointShape(&info_, letters[i], &vertices);
      const auto place = [&](double x, double y) { return Spot{(pen + x) * scale(size), -y * scale(size)}; };
      for (int v = 0; v < count; ++v) {
        const stbtt_vertex& vertex = vertices[v];
        if (vertex.type == STBTT_vmove) {
          all.push_back({place(vertex.x, vertex.y)});
        } else if (vertex.type == STBTT_vline) {
          all.back().push_back(place(vertex.x, vertex.y));
        } else {
          constexpr int kParts = 6;
          const Spot start = all.back().back(), by = place(vertex.cx, vertex.cy), end = place(vertex.x, vertex.y);
          for (int part = 1; part <= kParts; ++part) {
            const double t = double(part) / kParts, a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
            all.back().push_back({a * start.x + b * by.x + c * end.x, a * start.y + b * by.y + c * end.y});
          }
        }
      }
      stbtt_FreeShape(&info_, vertices);
      pen += advance(letters, i);
    }
    return all;
  }

 private:
  double scale(double size) const { return double(stbtt_ScaleForMappingEmToPixels(&info_, float(size))); }
  double advance(const std::vector<int>& letters, size_t i) const {
    int units = 0, bearing = 0;
    stbtt_GetCodepointHMetrics(&info_, letters[i], &units, &bearing);
    const int kern = i + 1 < letters.size() ? stbtt_GetCodepointKernAdvance(&info_, letters[i], letters[i + 1]) : 0;
    return units + kern;
  }

  stbtt_fontinfo info_{};
  bool is_there_ = false;
};

const Font& font(bool bold) {
  static const Font regular(false), thick(true);
  return bold ? thick : regular;
}

// Code points of UTF-8; a byte that begins none stands for itself.
std::vector<int> letters_of(std::string_view text) {
  std::vector<int> letters;
  for (size_t i = 0; i < text.size();) {
    const auto byte = [&](size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0; };
    const int first = byte(i);
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    int letter = more == 0 ? first : first & (0x3f >> more);
    for (int k = 1; k <= more; ++k) letter = letter << 6 | (byte(i + size_t(k)) & 0x3f);
    letters.push_back(letter);
    i += size_t(more) + 1;
  }
  return letters;
}

// Colours pixels by the part of each that an area covers: every edge adds its signed share to the cells that it
// crosses, and the sum along a row is the coverage.
class Canvas {
 public:
  Canvas(int width, int height)
      : width_(width), height_(height), pixels_(size_t(width) * size_t(height), 0xffffffffu) {}

  void fill(const Contours& contours, const std::string& color, double opacity) {
    double low = height_, high = 0;
    for (const auto& contour : contours) {
      for (const Spot& p : contour) low = std::min(low, p.y), high = std::max(high, p.y);
    }
    first_row_ = std::clamp(int(std::floor(low)), 0, height_);
    const int end = std::clamp(int(std::ceil(high)), first_row_, height_);
    shares_.assign(size_t(end - first_row_) * row(), 0.0f);
    for (const auto& contour : contours) {
      for (size_t i = 0; i < contour.size(); ++i) edge(contour[i], contour[(i + 1) % contour.size()], end);
    }
    const auto rgb = uint32_t(std::stoul(color.substr(1), nullptr, 16));
    for (int y = first_row_; y < end; ++y) {
      float sum = 0;
      for (int x = 0; x < width_; ++x) {
        sum += shares_[size_t(y - first_row_) * row() + size_t(x)];
        const double part = std::min(std::abs(double(sum)), 1.0) * opacity;
        if (part > 1.0 / 512) blend(pixels_[size_t(height_ - 1 - y) * size_t(width_) + size_t(x)], rgb, part);
      }
    }
  }

  std::vector<uint32_t> take() { return std::move(pixels_); }

 private:
  size_t row() const { return size_t(width_) + 2; }

  static void blend(uint32_t& pixel, uint32_t rgb, double part) {
    uint32_t mixed = 0xff000000u;
    for (unsigned c = 0; c < 3; ++c) {
      const double below = pixel >> (8 * c) & 255, above = rgb >> (16 - 8 * c) & 255;
      mixed |= uint32_t(std::lround(below + (above - below) * part)) << (8 * c);
    }
    pixel = mixed;
  }

  void edge(Spot begin, Spot finish, int end) {
    if (begin.y == finish.y) return;
    const double sign = begin.y < finish.y ? 1 : -1;
    if (begin.y > finish.y) std::swap(begin, finish);
    const double slope = (finish.x - begin.x) / (finish.y - begin.y);
    const auto x_at = [&](double y) { return std::clamp(begin.x + slope * (y - begin.y), 0.0, double(width_)); };
    for (int y = std::max(first_row_, int(std::floor(begin.y))); y < std::min(end, int(std::ceil(finish.y))); ++y) {
      const double top = std::max(begin.y, double(y)), low = std::min(finish.y, double(y + 1));
      if (low > top) cross(y, x_at(top), x_at(low), sign * (low - top));
    }
  }

  // An edge within one row, from x0 to x1, that covers `height` of it.
  void cross(int y, double x0, double x1, double height) {
    if (x0 > x1) std::swap(x0, x1);
    float* const cells = &shares_[size_t(y - first_row_) * row()];
    const int first = int(x0), last = int(x1);
    // The area right of the edge, cell by cell: each cell takes what the cells before it have not taken.
    double before = 0;
    for (int x = first; x <= last; ++x) {
      const double a = std::max(x0, double(x)), b = std::min(x1, double(x + 1));
      const double crossed = x1 > x0 ? (b - a) / (x1 - x0) : 1;               // the share of the edge in this cell
      const double passed = x1 > x0 ? std::max(0.0, a - x0) / (x1 - x0) : 0;  // and before it
      const double covered = height * (passed + crossed * (1 - ((a + b) / 2 - x)));
      cells[x] += float(covered - before);
      before = covered;
    }
    cells[last + 1] += float(height - before);
  }

  int width_, height_, first_row_ = 0;
  std::vector<uint32_t> pixels_;
  std::vector<float> shares_;
};

// The quadrilateral of a stroke from a to b, always turned the same way.
std::vector<Spot> stroke(Spot a, Spot b, double width) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy);
  const double nx = -dy / length * width / 2, ny = dx / length * width / 2;
  return {{a.x + nx, a.y + ny}, {a.x - nx, a.y - ny}, {b.x - nx, b.y - ny}, {b.x + nx, b.y + ny}};
}

std::vector<Spot> disc(Spot center, double radius) {
  constexpr int kCorners = 12;
  std::vector<Spot> corners;
  for (int i = 0; i < kCorners; ++i) {
    const double angle = 6.283185307179586 * i / kCorners;
    corners.push_back({center.x + radius * std::cos(angle), center.y + radius * std::sin(angle)});  // turned as strokes
  }
  return corners;
}

// A line as areas, its corners rounded.
Contours strokes(const std::vector<Spot>& points, double width, double dash, double gap) {
  Contours all;
  double phase = 0;  // the position within a dash and the gap behind it
  for (size_t i = 1; i < points.size(); ++i) {
    const Spot a = points[i - 1], b = points[i];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (!(length > 0)) continue;
    const auto place = [&](double d) { return Spot{a.x + (b.x - a.x) * d / length, a.y + (b.y - a.y) * d / length}; };
    if (dash <= 0) {
      all.push_back(stroke(a, b, width));
      if (i + 1 < points.size() && width > 1) all.push_back(disc(b, width / 2));
      continue;
    }
    for (double d = 0; d < length;) {
      const double left = phase < dash ? dash - phase : dash + gap - phase, end = std::min(length, d + left);
      if (phase < dash && end > d) all.push_back(stroke(place(d), place(end), width));
      phase = end - d < left ? phase + end - d : phase < dash ? dash : 0;
      d = end;
    }
  }
  return all;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) result += c;
    }
  }
  return result;
}

std::string points_text(const std::vector<Spot>& points) {
  std::string text;
  for (const Spot& p : points) text += fmt::format("{}{:.2f},{:.2f}", text.empty() ? "" : " ", p.x, p.y);
  return text;
}

constexpr const char* kAnchors[] = {"start", "middle", "end"};

}  // namespace

bool has_drawing_font() { return font(false).is_there(); }

double text_width(const std::string& words, const TextStyle& style) {
  const std::vector<int> letters = letters_of(words);
  constexpr double kUsual = 0.53;  // of a letter's width to its size
  return has_drawing_font() ? font(style.bold).width(letters, style.size)
                            : kUsual * style.size * double(letters.size());
}

void Drawing::area(std::vector<Spot> corners, const std::string& color, double opacity) {
  pieces_.push_back({Piece::Kind::area, std::move(corners), color, {}, opacity, 0, 0, 0, {}});
}

void Drawing::line(std::vector<Spot> points, const std::string& color, double width, double dash, double gap) {
  pieces_.push_back({Piece::Kind::line, std::move(points), color, {}, 1, width, dash, gap, {}});
}

void Drawing::text(Spot origin, const std::string& words, const TextStyle& style) {
  pieces_.push_back({Piece::Kind::text, {origin}, style.color, words, 1, 0, 0, 0, style});
}

std::string Drawing::svg() const {
  std::string body;
  for (const Piece& p : pieces_) {
    const std::string opacity = p.opacity < 1 ? fmt::format(" fill-opacity=\"{:g}\"", p.opacity) : "";
    switch (p.kind) {
      case Piece::Kind::area:
        body += fmt::format("<polygon points=\"{}\" fill=\"{}\"{}/>\n", points_text(p.points), p.color, opacity);
        break;
      case Piece::Kind::line:
        body += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\"{}/>\n",
                            points_text(p.points), p.color, p.width,
                            p.dash > 0 ? fmt::format(" stroke-dasharray=\"{:g} {:g}\"", p.dash, p.gap) : "");
        break;
      case Piece::Kind::text: {
        const Spot origin = p.points[0];
        const std::string place =
            p.style.upright ? fmt::format("transform=\"translate({:.6g} {:.6g}) rotate(-90)\"", origin.x, origin.y)
                            : fmt::format("x=\"{:.6g}\" y=\"{:.6g}\"", origin.x, origin.y);
        body += fmt::format("<text {} text-anchor=\"{}\" font-size=\"{:g}\" fill=\"{}\"{}>{}</text>\n", place,
                            kAnchors[size_t(p.style.anchor)], p.style.size, p.color,
                            p.style.bold ? " font-weight=\"bold\"" : "", escaped(p.words));
      }
    }
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" "
      "font-family=\"Roboto, Helvetica, Arial, sans-serif\">\n<rect width=\"{0:g}\" height=\"{1:g}\" "
      "fill=\"#ffffff\"/>\n{2}</svg>\n",
      width_, height_, body);
}

Image Drawing::pixels(double scale) const {
  if (!has_drawing_font())
    throw std::runtime_error(
        "this program was built without the font fonts-roboto-unhinted, which pictures in PNG need; write .svg");
  const int width = int(std::ceil(width_ * scale)), height = int(std::ceil(height_ * scale));
  Canvas canvas(width, height);
  for (const Piece& p : pieces_) {
    std::vector<Spot> points = p.points;
    for (Spot& point : points) point = {point.x * scale, point.y * scale};
    if (p.kind == Piece::Kind::area) {
      canvas.fill({points}, p.color, p.opacity);
    } else if (p.kind == Piece::Kind::line) {
      canvas.fill(strokes(points, p.width * scale, p.dash * scale, p.gap * scale), p.color, 1);
    } else {
      Contours outlines = font(p.style.bold).outlines(letters_of(p.words), p.style.size * scale);
      const double shift = text_width(p.words, p.style) * scale * -0.5 * double(p.style.anchor);
      for (auto& contour : outlines) {
        for (Spot& point : contour) {
          const double x = point.x + shift, y = point.y;
          point = p.style.upright ? Spot{points[0].x + y, points[0].y - x} : Spot{points[0].x + x, points[0].y + y};
        }
      }
      canvas.fill(outlines, p.color, 1);
    }
  }
  return {width, height, canvas.take()};
}

void Drawing::write(const std::string& path) const {
  if (!path.ends_with(".png") && !path.ends_with(".PNG")) return write_text(path, svg());
  constexpr double kSharp = 1.5;  // pixels of a PNG for one of the drawing
  const Image image = pixels(kSharp);
  write_png(path, image.width, image.height, image.texels, true);
}

}  // namespace brokkr::app
