// Colours, pictures and small widgets that panels share. UI thread only.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <glm/vec2.hpp>
#include <span>
#include <string>
#include <utility>

#include "viewer/theme.h"

namespace brokkr::viewer {

constexpr ImU32 kMark = theme::kAccent;  // the user's choice, over the image and elsewhere
constexpr ImU32 kPlotGround = theme::kPlot;
inline const ImVec4 kNotice = ImGui::ColorConvertU32ToFloat4(theme::kAccent);  // text that must be noticed

inline ImVec2 im(const glm::vec2& v) { return {v.x, v.y}; }

// A texture of OpenGL as Dear ImGui takes it; 0: none.
inline ImTextureID im(unsigned texture) {
  return reinterpret_cast<ImTextureID>(uintptr_t(texture));  // NOLINT(performance-no-int-to-ptr)
}

// Begins a window that is a fixed part of the viewer.
bool begin_bar(const char* name, ImVec2 corner, ImVec2 size);
// Flags of such a window.
inline constexpr ImGuiWindowFlags kBarFlags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                              ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoScrollbar |
                                              ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse |
                                              ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNavFocus;

// Shows `text` while the mouse points at the last item; long lines are wrapped.
void tip(const std::string& text);

// A widget with its name at the left, which all widgets of a panel have in one column: draws the name, sets the width
// of the next item to the rest of the line less `right`, and returns the item's label. It is valid until the next call.
const char* row(const char* name, float right = 0);

// A slider with its name at the left and its number, which can be typed too, at the right. `format`: of the number.
// Returns whether the user changed the value.
bool slider_row(const char* name, float* value, float least, float most, const char* format,
                ImGuiSliderFlags flags = 0);
bool slider_row(const char* name, int* value, int least, int most, const char* format = "%d",
                ImGuiSliderFlags flags = 0);
bool check_row(const char* name, bool* value);

// A heading over a group of widgets, with a line beside it.
void group_header(const char* name);

// A button without a ground that is one of several choices; the chosen one has the accent below it.
bool flat_tab(const char* name, bool chosen);

// A square in this colour, as high as a line of text, for a legend or a pixel. It is the last item for
// ImGui::IsItemHovered.
void swatch(const char* id, const ImVec4& color);

// A swatch and its meaning, in a row with the legends before it as far as they fit. `first`: begins a row.
void legend(const char* id, ImU32 color, const std::string& text, bool first);

// "1 draw", "1 234 draws".
std::string counted(uint64_t count, const std::string& thing);
std::string counted(uint64_t count, const std::string& thing, const std::string& things);

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

// A picture as an OpenGL texture. Enlarged it shows its pixels.
class PanelTexture {
 public:
  // The filter that shrinks it: maps without smoothing, pictures as the image of a frame.
  enum class Kind { map, picture };
  explicit PanelTexture(Kind kind = Kind::map) : kind_(kind) {}
  ~PanelTexture();
  PanelTexture(PanelTexture&& other) noexcept : kind_(other.kind_), texture_(std::exchange(other.texture_, 0)) {}
  PanelTexture& operator=(PanelTexture&&) = delete;

  // RGBA8 (0xAABBGGRR), rows bottom to top.
  void set(int width, int height, std::span<const uint32_t> pixels);
  // Draws it between two corners of the screen, its first row at the bottom, with this opacity.
  void draw(ImDrawList& list, ImVec2 top_left, ImVec2 bottom_right, float opacity = 1) const;

 private:
  Kind kind_;
  unsigned texture_ = 0;
};

}  // namespace brokkr::viewer
