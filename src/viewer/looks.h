// Colours and small widgets that panels share.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>

namespace brokkr::viewer {

constexpr ImU32 kMark = IM_COL32(255, 220, 60, 255);  // the user's choice, over the image and elsewhere
constexpr ImU32 kPlotGround = IM_COL32(24, 26, 30, 255);
inline const ImVec4 kNotice{0.95f, 0.8f, 0.35f, 1};  // text that must be noticed

// Flags of a window that is a fixed part of the viewer.
constexpr ImGuiWindowFlags kBarFlags =
    ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoScrollbar |
    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoBringToFrontOnFocus;

// A square in this colour, as high as a line of text, for a legend or a pixel. It is the last item for
// ImGui::IsItemHovered.
void swatch(const char* id, const ImVec4& color);

// A swatch and its meaning, in a row with the legends before it as far as they fit. `first`: begins a row.
void legend(const char* id, ImU32 color, const std::string& text, bool first);

// "1 draw", "1 234 draws".
std::string counted(uint64_t count, const std::string& thing);

// ImGui::TextWrapped that does not part the groups of a number ("1 234").
void wrapped(const std::string& text);

// Names and values in two columns. Where it returns true, rows follow and ImGui::EndTable.
bool begin_values(const char* id);
void value_row(const char* name, const std::string& value);

// Room for bars or a curve over the panel's width, `lines` of text high, on a dark ground. The last item.
struct Plot {
  ImDrawList& list;
  ImVec2 at;  // top left corner on the screen
  float width, height;
  float hovered;  // where the mouse is, 0 (left) to below 1; negative: not over the plot
};
Plot begin_plot(const char* id, float lines);

}  // namespace brokkr::viewer
