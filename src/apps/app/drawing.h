// Drawings of lines, areas and text, written as SVG, or as PNG with smooth edges. Nothing else is needed: text has the
// font of the window, which is in the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "brokkr/image.h"

namespace brokkr::app {

// In pixels from the upper left corner, y down.
struct Spot {
  double x = 0, y = 0;
};

enum class Anchor : uint8_t { start, middle, end };

// Colours of text, of lesser text and axes, and of lines to measure by.
inline constexpr const char *kInk = "#1f2430", *kNote = "#5a6172", *kGrid = "#e4e6eb";

struct TextStyle {
  double size = 12;  // pixels
  const char* color = kInk;
  Anchor anchor = Anchor::start;
  bool bold = false;
  bool upright = false;  // turned by a quarter, to be read from below
};

// Returns true if drawings can be written as PNG: the program was built with the font.
bool has_drawing_font();

class Drawing {
 public:
  // On white.
  explicit Drawing(double width) : width_(width) {}

  // Colours are "#rrggbb". `opacity`: 0 .. 1. Each piece lies over those before it.
  void area(std::vector<Spot> corners, const std::string& color, double opacity = 1);
  // `dashes`: lengths of dash and gap in pixels; 0: none.
  void line(std::vector<Spot> points, const std::string& color, double width, double dash = 0, double gap = 0);
  // `origin`: the middle, start or end of the text's base line.
  void text(Spot origin, const std::string& words, const TextStyle& style);
  void set_height(double height) { height_ = height; }
  double width() const { return width_; }

  std::string svg() const;
  // Rows bottom to top. Throws std::runtime_error without the font.
  Image pixels(double scale = 1) const;
  // PNG where `path` ends in .png, else SVG. Throws std::runtime_error as `pixels`, and where the file cannot be
  // written.
  void write(const std::string& path) const;

 private:
  struct Piece {
    enum class Kind : uint8_t { area, line, text } kind;
    std::vector<Spot> points;
    std::string color, words;
    double opacity = 1, width = 0, dash = 0, gap = 0;
    TextStyle style;
  };
  double width_, height_ = 0;
  std::vector<Piece> pieces_;
};

// The width of a text in pixels; without the font a guess.
double text_width(const std::string& words, const TextStyle& style);

}  // namespace brokkr::app
