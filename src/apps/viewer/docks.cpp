#include "viewer/docks.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "viewer/looks.h"

namespace brokkr::viewer {
namespace {

constexpr float kLeastImage = 0.3f;   // of the width
constexpr float kLeastColumn = 160;   // pixels at scale 1, where there is room for them
constexpr float kMostColumn = 2000;   // likewise
constexpr float kHandle = 5;          // width of a bar that is dragged, likewise
constexpr float kPanelLines = 25;     // width of a panel, in font sizes, below which it scrolls sideways
constexpr float kTabRowsHeight = 18;  // height of a dock, in font sizes, below which its tabs are a list
constexpr float kZone = 0.25f;        // width of a place for a dragged tab, of the whole
constexpr ImU32 kZoneColor = IM_COL32(70, 130, 230, 60), kZoneHovered = IM_COL32(70, 130, 230, 150);

constexpr size_t column_of(size_t dock) { return dock / 2; }
constexpr bool is_lower(size_t dock) { return dock % 2 == 1; }

glm::vec2 from(const ImVec2& v) { return {v.x, v.y}; }

}  // namespace

DockBoxes place_docks(const DockSettings& settings, const std::array<bool, kDocks>& used, const Box& area,
                      float scale) {
  std::array<float, 2> widths{0, 0};
  for (size_t c = 0; c < 2; ++c) {
    if (used[2 * c] || used[2 * c + 1]) widths[c] = std::clamp(settings.widths[c], kLeastColumn, kMostColumn) * scale;
  }
  const float most = (1 - kLeastImage) * area.size().x, both = widths[0] + widths[1];
  DockBoxes boxes{{}, area};
  const float shrink = both > most ? most / both : 1.0f;
  boxes.image.begin.x = std::round(area.begin.x + widths[0] * shrink);
  boxes.image.end.x = std::round(area.end.x - widths[1] * shrink);
  for (size_t d = 0; d < kDocks; ++d) {
    if (!used[d]) continue;
    const size_t c = column_of(d);
    Box box{{c == 0 ? area.begin.x : boxes.image.end.x, area.begin.y},
            {c == 0 ? boxes.image.begin.x : area.end.x, area.end.y}};
    if (used[2 * c] && used[2 * c + 1]) {
      const float share = std::clamp(settings.shares[c], 0.15f, 0.85f);
      (is_lower(d) ? box.begin.y : box.end.y) = std::round(area.begin.y + share * area.size().y);
    }
    boxes.docks[d] = box;
  }
  return boxes;
}

Dock Docks::dock_of(const std::string& panel) const {
  const auto place = settings_.places.find(panel);
  if (place == settings_.places.end()) return Dock::right;
  const auto name = std::find(kDockNames.begin(), kDockNames.end(), place->second);
  return name == kDockNames.end() ? Dock::right : Dock(name - kDockNames.begin());
}

bool Docks::is_open(const std::string& panel) const {
  const auto open = settings_.open.find(kDockNames[size_t(dock_of(panel))]);
  return open != settings_.open.end() && open->second == panel;
}

void Docks::open(const std::string& panel) { settings_.open[kDockNames[size_t(dock_of(panel))]] = panel; }

void Docks::move(const std::string& panel, Dock dock) {
  settings_.places[panel] = kDockNames[size_t(dock)];
  open(panel);
}

Box Docks::draw(const Panels& panels, ViewerState& state, const Box& area, float scale) {
  std::array<bool, kDocks> used{};
  for (const auto& panel : panels) {
    if (panel->applies(state)) used[size_t(dock_of(panel->name()))] = true;
  }
  const DockBoxes boxes = place_docks(settings_, used, area, scale);
  for (size_t d = 0; d < kDocks; ++d) {
    if (!boxes.docks[d]) continue;
    const Box& box = *boxes.docks[d];
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(8 * scale, 5 * scale));
    if (begin_bar(("##dock " + std::string(kDockNames[d])).c_str(), im(box.begin), im(box.size()))) {
      draw_handles(boxes, Dock(d), area, scale);
      draw_dock(panels, state, Dock(d), box);
    }
    ImGui::End();
    ImGui::PopStyleVar();
  }
  draw_drop_zones(area);
  return boxes.image;
}

void Docks::draw_handles(const DockBoxes& boxes, Dock dock, const Box& area, float scale) {
  const Box& box = *boxes.docks[size_t(dock)];
  const size_t c = column_of(size_t(dock));
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  const float thick = kHandle * scale;
  const auto handle = [](const char* id, ImVec2 at, ImVec2 size, ImGuiMouseCursor shape) {
    ImGui::SetCursorScreenPos(at);
    ImGui::InvisibleButton(id, size);
    const bool touched = ImGui::IsItemHovered() || ImGui::IsItemActive();
    if (touched) ImGui::SetMouseCursor(shape);
    ImGui::GetWindowDrawList()->AddRectFilled(
        at, {at.x + size.x, at.y + size.y}, ImGui::GetColorU32(touched ? ImGuiCol_SeparatorHovered : ImGuiCol_Border));
    return ImGui::IsItemActive();
  };
  ImGui::PushClipRect(im(box.begin), im(box.end), false);  // the bars lie in the window's padding
  const float edge = c == 0 ? box.end.x - thick : box.begin.x;
  const glm::vec2 mouse = from(ImGui::GetIO().MousePos);
  if (handle("##width", {edge, box.begin.y}, {thick, box.size().y}, ImGuiMouseCursor_ResizeEW)) {
    const float width = c == 0 ? mouse.x - area.begin.x : area.end.x - mouse.x;
    settings_.widths[c] = std::clamp(width / scale, kLeastColumn, kMostColumn);
  }
  if (is_lower(size_t(dock)) && boxes.docks[size_t(dock) - 1] &&
      handle("##share", im(box.begin), {box.size().x, thick}, ImGuiMouseCursor_ResizeNS))
    settings_.shares[c] = std::clamp((mouse.y - area.begin.y) / area.size().y, 0.15f, 0.85f);
  ImGui::PopClipRect();
  ImGui::SetCursorScreenPos(cursor);
}

void Docks::draw_dock(const Panels& panels, ViewerState& state, Dock dock, const Box& box) {
  std::vector<Panel*> here;
  for (const auto& panel : panels) {
    if (panel->applies(state) && dock_of(panel->name()) == dock) here.push_back(panel.get());
  }
  if (here.empty()) return;  // a panel that was drawn before has just changed what applies
  std::string& open = settings_.open[kDockNames[size_t(dock)]];
  const auto found = std::find_if(here.begin(), here.end(), [&](const Panel* panel) { return panel->name() == open; });
  Panel& shown = found == here.end() ? *here.front() : **found;
  open = shown.name();
  ImGui::BeginGroup();
  draw_tabs(here, open);
  // A panel that is wider than its dock scrolls, so that no widget is cut off.
  const ImGuiStyle& style = ImGui::GetStyle();
  const float room = box.size().x - 2 * style.WindowPadding.x - style.ScrollbarSize;
  const float least = kPanelLines * ImGui::GetFontSize();
  if (room < least) ImGui::SetNextWindowContentSize({least, 0});
  if (ImGui::BeginChild(shown.name(), {0, 0}, false, room < least ? ImGuiWindowFlags_HorizontalScrollbar : 0)) {
    ImGui::PushItemWidth(ImGui::GetContentRegionAvail().x * 0.55f);
    shown.draw(state);
    ImGui::PopItemWidth();
  }
  ImGui::EndChild();
  ImGui::EndGroup();
}

void Docks::draw_tabs(const std::vector<Panel*>& here, const std::string& open) {
  const float gap = 0.2f * ImGui::GetFontSize(), room = ImGui::GetContentRegionAvail().x;
  float all = 0;
  for (const Panel* panel : here)
    all += ImGui::CalcTextSize(panel->name()).x + 2 * ImGui::GetStyle().FramePadding.x + gap;
  if (all > room && ImGui::GetWindowHeight() < kTabRowsHeight * ImGui::GetFontSize()) {
    ImGui::SetNextItemWidth(-1);
    if (!ImGui::BeginCombo("##panels", open.c_str())) return;
    for (const Panel* panel : here) {
      if (ImGui::Selectable(panel->name(), open == panel->name())) this->open(panel->name());
    }
    ImGui::EndCombo();
    return;
  }
  float used = 0;
  for (const Panel* panel : here) {
    const float width = ImGui::CalcTextSize(panel->name()).x + 2 * ImGui::GetStyle().FramePadding.x;
    if (used > 0 && used + width <= room)
      ImGui::SameLine(0, gap);
    else
      used = 0;
    used += width + gap;
    draw_tab(panel->name(), open == panel->name());
  }
}

void Docks::draw_tab(const std::string& panel, bool open) {
  ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(open ? ImGuiCol_TabActive : ImGuiCol_Tab));
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, ImGui::GetStyleColorVec4(ImGuiCol_TabHovered));
  if (ImGui::Button(panel.c_str())) this->open(panel);
  ImGui::PopStyleColor(2);
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) dragged_ = panel;
  if (!ImGui::BeginPopupContextItem(panel.c_str())) return;
  ImGui::TextDisabled("move it");
  for (size_t d = 0; d < kDocks; ++d) {
    if (ImGui::MenuItem(kDockNames[d], nullptr, dock_of(panel) == Dock(d))) move(panel, Dock(d));
  }
  ImGui::EndPopup();
}

// While a tab is dragged: the places that it can be let go at.
void Docks::draw_drop_zones(const Box& area) {
  if (dragged_.empty()) return;
  const bool let_go = !ImGui::IsMouseDown(ImGuiMouseButton_Left);
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const glm::vec2 half(kZone * area.size().x, area.size().y / 2), mouse = from(ImGui::GetIO().MousePos);
  for (size_t d = 0; d < kDocks; ++d) {
    const glm::vec2 begin(column_of(d) == 0 ? area.begin.x : area.end.x - half.x,
                          area.begin.y + (is_lower(d) ? half.y : 0));
    const Box zone{begin, begin + half};
    const bool hovered = zone.holds(mouse);
    list.AddRectFilled(im(zone.begin + 3.0f), im(zone.end - 3.0f), hovered ? kZoneHovered : kZoneColor, 6);
    const ImVec2 text = ImGui::CalcTextSize(kDockNames[d]);
    const glm::vec2 at = (zone.begin + zone.end - from(text)) / 2.0f;
    list.AddText(im(at), IM_COL32_WHITE, kDockNames[d]);
    if (hovered && let_go) move(dragged_, Dock(d));
  }
  if (let_go) dragged_.clear();
}

}  // namespace brokkr::viewer
