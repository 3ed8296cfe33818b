#include "log/svg.h"

#include <cmath>

#include "log/number_text.h"

namespace brokkr {
namespace {

std::string coordinate(double value) {
  std::string result = fixed(value, 2);
  while (result.back() == '0') result.pop_back();
  if (result.back() == '.') result.pop_back();
  return result == "-0" ? "0" : result;
}

// Length of the UTF-8 sequence that begins here; 0: it is none.
size_t sequence(std::string_view s) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char first = byte(0);
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xc2 && first < 0xe0 ? 2
                        : first >= 0xe0 && first < 0xf0 ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4
                                                        : 0;
  if (length > s.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = sequence(text);
    const char c = text.front();
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (length == 0 || static_cast<unsigned char>(c) < 0x20) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string attributes(std::initializer_list<std::pair<const char*, double>> values, std::string_view style) {
  std::string text;
  for (const auto& [name, value] : values) text += std::string(" ") + name + "=\"" + coordinate(value) + "\"";
  if (!style.empty()) text += " " + std::string(style);
  return text;
}

}  // namespace

SvgWriter::SvgWriter(double width, double height) {
  body_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
          coordinate(width) + "\" height=\"" + coordinate(height) + "\" viewBox=\"0 0 " + coordinate(width) + " " +
          coordinate(height) + "\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n";
}

void SvgWriter::rect(double x, double y, double width, double height, std::string_view style) {
  body_ += "<rect" + attributes({{"x", x}, {"y", y}, {"width", width}, {"height", height}}, style) + "/>\n";
}

void SvgWriter::line(double x0, double y0, double x1, double y1, std::string_view style) {
  body_ += "<line" + attributes({{"x1", x0}, {"y1", y0}, {"x2", x1}, {"y2", y1}}, style) + "/>\n";
}

void SvgWriter::points(std::string_view element, const SvgPoints& points, std::string_view style) {
  body_ += "<" + std::string(element) + " points=\"";
  for (const auto& [x, y] : points) body_ += coordinate(x) + "," + coordinate(y) + " ";
  body_ += "\" " + std::string(style) + "/>\n";
}

void SvgWriter::polyline(const SvgPoints& p, std::string_view style) { points("polyline", p, style); }
void SvgWriter::polygon(const SvgPoints& p, std::string_view style) { points("polygon", p, style); }

void SvgWriter::text(double x, double y, std::string_view text, std::string_view style) {
  body_ += "<text" + attributes({{"x", x}, {"y", y}}, style) + ">" + escaped(text) + "</text>\n";
}

void SvgWriter::begin_clip(double x, double y, double width, double height) {
  const std::string id = "c" + std::to_string(++clips_);
  body_ += "<clipPath id=\"" + id + "\"><rect" +
           attributes({{"x", x}, {"y", y}, {"width", width}, {"height", height}}, "") + "/></clipPath>\n";
  body_ += "<g clip-path=\"url(#" + id + ")\">\n";
}

void SvgWriter::end_clip() { body_ += "</g>\n"; }

std::string SvgWriter::finish() { return std::move(body_) + "</svg>\n"; }

double tick_step(double top, int count) {
  if (!(top > 0) || !std::isfinite(top)) return 1;
  const double least = top / count, power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::string short_number(double value) { return significant(value, 4); }

}  // namespace brokkr
