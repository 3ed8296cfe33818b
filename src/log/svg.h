// Just enough SVG for charts.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace brokkr {

using SvgPoints = std::vector<std::pair<double, double>>;

class SvgWriter {
 public:
  SvgWriter(double width, double height);

  // `style` is SVG's: fill="#fff" stroke="…".
  void rect(double x, double y, double width, double height, std::string_view style);
  void line(double x0, double y0, double x1, double y1, std::string_view style);
  void polyline(const SvgPoints& points, std::string_view style);
  void polygon(const SvgPoints& points, std::string_view style);
  // `text` may hold anything: it is escaped, and bytes that are no UTF-8 or no characters of XML become '?'.
  void text(double x, double y, std::string_view text, std::string_view style);
  // What is drawn until end_clip() is cut at the rectangle.
  void begin_clip(double x, double y, double width, double height);
  void end_clip();

  std::string finish();  // the whole file; ends the object's use

 private:
  void points(std::string_view element, const SvgPoints& points, std::string_view style);

  std::string body_;
  int clips_ = 0;
};

// Ticks of an axis from 0 to about `top`: their distance is 1, 2 or 5 times a power of ten, at most `count` of them.
double tick_step(double top, int count);

// As short as it can be said: "12.5", "0.04", "1e-06".
std::string short_number(double value);

}  // namespace brokkr
