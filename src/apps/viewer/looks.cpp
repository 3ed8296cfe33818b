#include "viewer/looks.h"

#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "app/text.h"
#include "viewer/present.h"

namespace brokkr::viewer {

std::string shortened(std::string text, float width) {
  if (ImGui::CalcTextSize(text.c_str()).x <= width) return text;
  const auto is_rest_of_letter = [&] { return (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80; };  // UTF-8
  while (text.size() > 1 && ImGui::CalcTextSize((text + "...").c_str()).x > width) {
    while (text.size() > 1 && is_rest_of_letter()) text.pop_back();
    text.pop_back();
  }
  return text + "...";
}

bool begin_bar(const char* name, ImVec2 corner, ImVec2 size) {
  ImGui::SetNextWindowPos(corner);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  const bool open = ImGui::Begin(name, nullptr, kBarFlags);
  ImGui::PopStyleVar();
  return open;
}

void tip(const std::string& text) {
  if (!ImGui::IsItemHovered()) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(std::min(28 * ImGui::GetFontSize(), 0.9f * ImGui::GetIO().DisplaySize.x));
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

namespace {

constexpr float kNameWidth = 8.5f;    // width of the column of names, in font sizes
constexpr float kNumberWidth = 5.5f;  // width of the number beside a slider, in font sizes

template <class T>
bool slider_with_number(const char* name, T* value, T min, T max, const char* format, ImGuiSliderFlags flags) {
  constexpr ImGuiDataType type = std::is_integral_v<T> ? ImGuiDataType_S32 : ImGuiDataType_Float;
  const float number = kNumberWidth * ImGui::GetFontSize(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const char* const label = row(name, number + gap);
  ImGui::BeginGroup();
  ImGui::PushID(label);
  bool changed = ImGui::SliderScalar("##slider", type, value, &min, &max, "", flags | ImGuiSliderFlags_AlwaysClamp);
  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(number);
  const float speed = std::max(float(max - min) / 500, std::is_integral_v<T> ? 0.05f : 0.0f);
  changed |=
      ImGui::DragScalar("##number", type, value, speed, &min, &max, format, flags | ImGuiSliderFlags_AlwaysClamp);
  ImGui::PopID();
  ImGui::EndGroup();
  return changed;
}

}  // namespace

const char* row(const char* name, float right) {
  static std::string label;
  const float em = ImGui::GetFontSize(), all = ImGui::GetContentRegionAvail().x;
  const float column = std::min(kNameWidth * em, 0.45f * all), begin = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::PushClipRect(corner, {corner.x + column - 0.3f * em, corner.y + 3 * em}, true);
  ImGui::TextUnformatted(name);
  ImGui::PopClipRect();
  if (ImGui::CalcTextSize(name).x > column - 0.3f * em) tip(name);
  ImGui::SameLine(begin + column);
  ImGui::SetNextItemWidth(std::max(all - column - right, 2 * em));
  label = std::string("##") + name;
  return label.c_str();
}

bool slider_row(const char* name, float* value, float min, float max, const char* format, ImGuiSliderFlags flags) {
  return slider_with_number(name, value, min, max, format, flags);
}
bool slider_row(const char* name, int* value, int min, int max, const char* format, ImGuiSliderFlags flags) {
  return slider_with_number(name, value, min, max, format, flags);
}
bool check_row(const char* name, bool* value) { return check_box(row(name), value); }

namespace {

// Draws a widget with an edge around its frame.
bool with_edge(const auto& widget) {
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, std::max(1.0f, std::round(ImGui::GetFontSize() / 15)));
  ImGui::PushStyleColor(ImGuiCol_Border, theme::kEdge);
  const bool pressed = widget();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  return pressed;
}

}  // namespace

bool check_box(const char* label, bool* value) {
  return with_edge([&] { return ImGui::Checkbox(label, value); });
}
bool radio(const char* label, bool chosen) {
  return with_edge([&] { return ImGui::RadioButton(label, chosen); });
}

bool table_row(const char* label, bool chosen) {
  if (chosen) ImGui::PushStyleColor(ImGuiCol_Header, theme::kChosen);
  const bool pressed =
      ImGui::Selectable(label, chosen, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap);
  if (!chosen) return pressed;
  ImGui::PopStyleColor();
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const float thick = std::max(2.0f, 0.15f * ImGui::GetFontSize());
  ImGui::GetWindowDrawList()->AddRectFilled(low, {low.x + thick, high.y}, theme::kAccent);
  return pressed;
}

void group_header(const char* name) {
  ImGui::Dummy({0, 0.25f * ImGui::GetFontSize()});
  ImGui::PushFont(theme::heading());
  ImGui::TextUnformatted(name);
  ImGui::PopFont();
  const ImVec2 end = ImGui::GetItemRectMax();
  const float y = (ImGui::GetItemRectMin().y + end.y) / 2, gap = 0.5f * ImGui::GetFontSize();
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (right > end.x + gap) ImGui::GetWindowDrawList()->AddLine({end.x + gap, y}, {right, y}, theme::kLine);
}

bool flat_tab(const char* name, bool chosen) {
  for (const ImGuiCol ground : {ImGuiCol_Button, ImGuiCol_ButtonActive}) ImGui::PushStyleColor(ground, 0);
  ImGui::PushStyleColor(ImGuiCol_Text, chosen ? theme::kText : theme::kDim);
  ImGui::PushFont(theme::heading());
  const bool pressed = ImGui::Button(name);
  ImGui::PopFont();
  ImGui::PopStyleColor(3);
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const float thick = std::max(2.0f, 0.15f * ImGui::GetFontSize());
  if (chosen) ImGui::GetWindowDrawList()->AddRectFilled({low.x, high.y - thick}, high, theme::kAccent);
  return pressed;
}

void swatch(const char* id, const ImVec4& color) {
  const float size = ImGui::GetFontSize();
  ImGui::ColorButton(id, color, ImGuiColorEditFlags_NoTooltip | ImGuiColorEditFlags_NoAlpha, {size, size});
}

void legend(const char* id, ImU32 color, const std::string& text, bool first) {
  if (!first) {
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float width = ImGui::GetFontSize() + gap + ImGui::CalcTextSize(text.c_str()).x;
    const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
    if (ImGui::GetItemRectMax().x + gap + width <= right) ImGui::SameLine();
  }
  swatch(id, ImGui::ColorConvertU32ToFloat4(color));
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  ImGui::TextUnformatted(text.c_str());
}

void wrapped(const std::string& text) {
  const auto is_digit = [&](size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  std::string unbroken;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool within = text[i] == ' ' && i > 0 && is_digit(i - 1) && is_digit(i + 1);
    unbroken += within ? std::string("\u00a0") : std::string(1, text[i]);
  }
  ImGui::TextWrapped("%s", unbroken.c_str());
}

bool begin_values(const char* id) {
  if (!ImGui::BeginTable(id, 2)) return false;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, 5 * ImGui::GetFontSize());
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  return true;
}

void value_row(const char* name, const std::string& value) {
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", name);
  ImGui::TableNextColumn();
  wrapped(value);
}

Plot begin_plot(const char* id, float lines) {
  Plot plot{*ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail().x,
            lines * ImGui::GetFontSize(), -1};
  const ImVec2 end(plot.top_left.x + plot.width, plot.top_left.y + plot.height);
  plot.list.AddRectFilled(plot.top_left, end, kPlotGround);
  ImGui::InvisibleButton(id, {plot.width, plot.height});
  if (ImGui::IsItemHovered())
    plot.hovered = std::clamp((ImGui::GetIO().MousePos.x - plot.top_left.x) / plot.width, 0.0f, 0.9999f);
  return plot;
}

PanelTexture::~PanelTexture() {
  if (texture_ != 0) glDeleteTextures(1, &texture_);
}

void PanelTexture::set(int width, int height, std::span<const uint32_t> pixels) {
  if (texture_ == 0) texture_ = make_texture(kind_ == Kind::picture ? GL_LINEAR : GL_NEAREST);
  glBindTexture(GL_TEXTURE_2D, texture_);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
}

void PanelTexture::draw(ImDrawList& list, ImVec2 top_left, ImVec2 bottom_right, float opacity) const {
  if (texture_ == 0) return;
  list.AddImage(im(texture_), top_left, bottom_right, {0, 1}, {1, 0}, ImGui::GetColorU32({1, 1, 1, opacity}));
}

}  // namespace brokkr::viewer
