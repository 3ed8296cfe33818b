// Colours, pictures and small widgets that panels share. Only for the UI thread.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <glm/vec2.hpp>
#include <span>
#include <string>
#include <utility>

#include "app/text.h"
#include "viewer/theme.h"

namespace brokkr::viewer {

constexpr ImU32 kMark = theme::kAccent;  // marks the user's choice, over the image and elsewhere
constexpr ImU32 kPlotGround = theme::kPlot;
inline const ImVec4 kNotice = ImGui::ColorConvertU32ToFloat4(theme::kAccent);  // text that must be noticed

inline ImVec2 im(const glm::vec2& v) { return {v.x, v.y}; }

// Converts an OpenGL texture for Dear ImGui; 0: none.
inline ImTextureID im(unsigned texture) { return reinterpret_cast<ImTextureID>(uintptr_t(texture)); }

// Begins a window that is a fixed part of the viewer.
bool begin_bar(const char* name, ImVec2 corner, ImVec2 size);
// Flags of such a window.
inline constexpr ImGuiWindowFlags kBarFlags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                              ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoScrollbar |
                                              ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse |
                                              ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNavFocus;

// The text, or as many of its first letters as fit `width` with three dots behind them.
std::string shortened(std::string text, float width);

// Shows `text` while the mouse points at the last item. Long lines wrap.
void tip(const std::string& text);

// Starts a widget with its name at the left, in a column that all widgets of a panel share: draws the name, sets the
// width of the next item to the rest of the line minus `right`, and returns the item's label, which is valid until the
// next call.
const char* row(const char* name, float right = 0);

// A slider with its name at the left and an editable number at the right. `format`: of the number. Returns true if the
// user changed the value.
bool slider_row(const char* name, float* value, float min, float max, const char* format, ImGuiSliderFlags flags = 0);
bool slider_row(const char* name, int* value, int min, int max, const char* format = "%d", ImGuiSliderFlags flags = 0);
bool check_row(const char* name, bool* value);

// A check box and a choice among several, each with an edge that is seen while it is off. Return true if the user
// pressed it.
bool check_box(const char* label, bool* value);
bool radio(const char* label, bool chosen);

// The row of a list, across all its columns. Returns true if the user pressed it.
bool table_row(const char* label, bool chosen);

// A heading over a group of widgets, followed by a line.
void group_header(const char* name);

// A button without background that stands for one of several choices; the chosen one is underlined in the accent
// colour.
bool flat_tab(const char* name, bool chosen);

// A square of this colour, as high as a line of text, for a legend or a pixel. It is the last item for
// ImGui::IsItemHovered.
void swatch(const char* id, const ImVec4& color);

// A swatch and its meaning. Legends share a row as long as they fit. `first`: starts a row.
void legend(const char* id, ImU32 color, const std::string& text, bool first);

using app::counted;

// Like ImGui::TextWrapped, but does not break numbers such as "1 234".
void wrapped(const std::string& text);

// Starts a table of names and values. If it returns true, add rows and call ImGui::EndTable.
bool begin_values(const char* id);
void value_row(const char* name, const std::string& value);

// A dark area for bars or a curve, as wide as the panel and `lines` of text high. It is the last item.
struct Plot {
  ImDrawList& list;
  ImVec2 top_left;  // on the screen
  float width, height;
  float hovered;  // the mouse's position, 0 (left) to below 1; negative: not over the plot
};
Plot begin_plot(const char* id, float lines);

// A picture as an OpenGL texture. Enlarged, it shows its pixels as squares.
class PanelTexture {
 public:
  // The filter for reduction: none for maps, the same as for frame images for pictures.
  enum class Kind { map, picture };
  explicit PanelTexture(Kind kind = Kind::map) : kind_(kind) {}
  ~PanelTexture();
  PanelTexture(PanelTexture&& other) noexcept : kind_(other.kind_), texture_(std::exchange(other.texture_, 0)) {}
  PanelTexture& operator=(PanelTexture&&) = delete;

  // RGBA8 (0xAABBGGRR), rows bottom to top.
  void set(int width, int height, std::span<const uint32_t> pixels);
  // Draws the texture between two corners of the screen, its first row at the bottom, with this opacity.
  void draw(ImDrawList& list, ImVec2 top_left, ImVec2 bottom_right, float opacity = 1) const;

 private:
  Kind kind_;
  unsigned texture_ = 0;
};

}  // namespace brokkr::viewer
