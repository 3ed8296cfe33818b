#include "viewer/image_legend.h"

#include <algorithm>

#include "app/text.h"
#include "inspect/load_map.h"
#include "pipeline/overdraw_color.h"
#include "viewer/looks.h"

namespace brokkr::viewer {

ImageLegend shading_legend(Shading shading) {
  ImageLegend legend;
  if (shading == Shading::overdraw) {
    legend.title = "fragments that covered a pixel";
    for (size_t i = kOverdrawColors.size(); i-- > 0;) {
      const uint64_t first = i == 0 ? 0 : uint64_t(1) << (i - 1), last = i == 0 ? 0 : 2 * first - 1;
      std::string text = std::to_string(first);
      if (i + 1 == kOverdrawColors.size())
        text += " or more";
      else if (last > first)
        text += " to " + std::to_string(last);
      legend.steps.push_back({kOverdrawColors[i], text});
    }
  } else if (shading == Shading::depth) {
    legend.title = "window depth";
    for (const auto& [grey, text] : {std::pair{255u, "0 (near)"}, {191u, "0.938"}, {127u, "0.996"}, {0u, "1 (far)"}})
      legend.steps.push_back({IM_COL32(grey, grey, grey, 255), text});
  } else if (shading == Shading::normal) {
    legend.title = "the surface's direction";
    legend.steps = {{IM_COL32(255, 128, 128, 255), "towards x"},
                    {IM_COL32(128, 255, 128, 255), "towards y"},
                    {IM_COL32(128, 128, 255, 255), "towards z"}};
  }
  return legend;
}

ImageLegend heat_legend(uint64_t most) {
  ImageLegend legend{"fragments of a bin", {}};
  constexpr int kSteps = 8;
  for (int i = kSteps; i >= 0; --i)
    legend.steps.push_back(
        {heat_color(double(i) / kSteps), i % 2 == 0 ? app::grouped(most * uint64_t(i) / kSteps) : ""});
  return legend;
}

void draw_legend(ImDrawList& list, const ImageView& view, const ImageLegend& legend, bool right) {
  if (legend.steps.empty()) return;
  const float em = ImGui::GetFontSize(), pad = 0.4f * em, box = 1.2f * em;
  const glm::vec2 area = view.area_end - view.area_begin;
  float text_width = 0;
  for (const LegendStep& step : legend.steps)
    text_width = std::max(text_width, ImGui::CalcTextSize(step.text.c_str()).x);
  const float wanted = std::max(box + pad + text_width, ImGui::CalcTextSize(legend.title.c_str()).x) + 2 * pad;
  const float width = std::min(wanted, area.x), wrap = width - 2 * pad;
  const float title = ImGui::CalcTextSize(legend.title.c_str(), nullptr, false, wrap).y;
  const float line = std::min(1.2f * em, std::max(1.0f, (area.y - title - 3 * pad) / float(legend.steps.size())));
  const glm::vec2 size(width, title + 3 * pad + line * float(legend.steps.size()));
  const glm::vec2 at(right ? view.area_end.x - size.x : view.area_begin.x, view.area_end.y - size.y);
  list.PushClipRect(im(view.area_begin), im(view.area_end), true);
  list.AddRectFilled(im(at), im(at + size), theme::faded(theme::kBackdrop, 0.85f));
  list.AddText(ImGui::GetFont(), em, {at.x + pad, at.y + pad}, IM_COL32_WHITE, legend.title.c_str(), nullptr, wrap);
  float y = at.y + title + 2 * pad;
  for (const LegendStep& step : legend.steps) {
    list.AddRectFilled({at.x + pad, y}, {at.x + pad + box, y + line}, step.color);
    list.AddText({at.x + 2 * pad + box, y + (line - em) / 2}, IM_COL32_WHITE, step.text.c_str());
    y += line;
  }
  list.PopClipRect();
}

}  // namespace brokkr::viewer
