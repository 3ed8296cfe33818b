// Figures of charts as data: lines, bands, bars and wheels of heat on axes, drawn with one look.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/drawing.h"

namespace brokkr::app {

enum class AxisScale : uint8_t { linear, log2, log10 };

struct Axis {
  std::string label;
  AxisScale scale = AxisScale::linear;
  std::optional<double> from, to;                     // nothing: as the values need
  std::vector<std::pair<double, std::string>> ticks;  // empty: chosen
};

// Points in the axes' units; those that are not finite are left out.
struct Curve {
  std::string name;  // in the legend; empty: it is in none
  std::string color;
  std::vector<Spot> points;
  bool joined = true, marked = false, dashed = false;
  double width = 1.5;  // pixels
};

// The area between two curves over the same x.
struct Band {
  std::string color;
  std::vector<Spot> low, high;
};

struct Bar {
  double x = 0, width = 1, from = 0, to = 0;
  std::string color;
};

// A ring of cells around the centre, clockwise from above; values 0 .. 1, from cold to hot.
struct HeatRing {
  std::string name;
  std::vector<double> values;
};

struct Chart {
  std::string title;
  Axis x, y;
  std::vector<Band> bands;
  std::vector<Bar> bars;
  std::vector<Curve> curves;
  std::vector<HeatRing> rings = {};  // not empty: these are drawn instead of axes, from the inside
  bool has_legend = false;           // a legend of its own, in its upper right corner
};

struct Figure {
  std::string title;
  int columns = 1;
  double width = 990, chart_height = 340;                     // pixels
  std::vector<Chart> charts;                                  // row by row
  std::vector<std::pair<std::string, std::string>> legend{};  // name and colour, below all charts
};

// Names and colours of all curves of the charts, each once.
std::vector<std::pair<std::string, std::string>> legend_of(const std::vector<Chart>& charts);

Drawing draw_figure(const Figure& figure);

}  // namespace brokkr::app
