// Explains the colours of the image, over its lower corners.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

struct LegendStep {
  ImU32 color = 0;
  std::string text;  // number, or meaning
};

// What the colours of a shading mode mean, from the highest to the lowest value; empty where there is nothing to
// explain.
struct ImageLegend {
  std::string title;  // with the unit
  std::vector<LegendStep> steps;
};
ImageLegend shading_legend(Shading shading);

// Fragments of a bin as colours of heat; `most`: of the fullest one.
ImageLegend heat_legend(uint64_t most);

// Draws it in the lower left corner of the image's area, or in the right one.
void draw_legend(ImDrawList& list, const ImageView& view, const ImageLegend& legend, bool right);

}  // namespace brokkr::viewer
