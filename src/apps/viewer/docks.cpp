#include "viewer/docks.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "viewer/looks.h"

namespace brokkr::viewer {
namespace {

constexpr float kLeastImage = 0.3f;  // minimum width of the image, as a fraction of the window's
// minimum width of the left and the right dock, in pixels at scale 1
constexpr std::array<float, 2> kMinSize = {350, 380};
constexpr float kLeastPart = 0.1f, kMaxPart = 0.45f;     // as fractions of the window's width
constexpr float kLeastShare = 0.15f, kMaxShare = 0.85f;  // as fractions of the left dock's height
constexpr float kBar = 4;                                // width of a splitter, in pixels at scale 1
constexpr float kPanelLines = 21;                        // a narrower panel scrolls; in font sizes

struct NamedSection {
  Section section;
  const char* name;
};
constexpr NamedSection kSections[] = {{Section::draws, "Draws"},
                                      {Section::look, "Look"},
                                      {Section::pipeline, "Pipeline"},
                                      {Section::compare, "Compare"},
                                      {Section::measure, "Measure"}};

// Draws a splitter. Returns true while the user drags it.
bool draw_bar(const char* id, ImVec2 top_left, ImVec2 size, ImGuiMouseCursor shape) {
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(top_left);
  ImGui::InvisibleButton(id, size);
  const bool touched = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (touched) ImGui::SetMouseCursor(shape);
  ImGui::GetWindowDrawList()->AddRectFilled(top_left, {top_left.x + size.x, top_left.y + size.y},
                                            touched ? theme::kAccent : theme::kBackdrop);
  ImGui::SetCursorScreenPos(cursor);
  return ImGui::IsItemActive();
}

// Draws a panel with the given `height` or in the rest of the window. A panel wider than its dock scrolls, so that no
// widget is cut off.
void draw_panel(Panel& panel, ViewerState& state, float height, bool focus) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float least = kPanelLines * ImGui::GetFontSize();
  const bool narrow = ImGui::GetContentRegionAvail().x - style.ScrollbarSize < least;
  if (narrow) ImGui::SetNextWindowContentSize({least, 0});
  if (focus) ImGui::SetNextWindowFocus();
  if (ImGui::BeginChild(panel.name(), {0, height}, false, narrow ? ImGuiWindowFlags_HorizontalScrollbar : 0)) {
    ImGui::PushItemWidth(ImGui::GetContentRegionAvail().x * 0.55f);
    panel.draw(state);
    ImGui::PopItemWidth();
  }
  ImGui::EndChild();
}

// Starts the next tab, on the same line if it fits.
void next_tab(const char* name, float& used) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float gap = 0.1f * ImGui::GetFontSize();
  ImGui::PushFont(theme::heading());
  const float width = ImGui::CalcTextSize(name).x + 2 * style.FramePadding.x;
  ImGui::PopFont();
  const float room = ImGui::GetWindowContentRegionMax().x - ImGui::GetWindowContentRegionMin().x;
  if (used > 0 && used + gap + width <= room) {
    ImGui::SameLine(0, gap);
    used += gap + width;
  } else {
    used = width;
  }
}

}  // namespace

DockBoxes place_docks(const DockSettings& settings, bool has_draws, bool has_sections, const Box& area, float scale) {
  const float width = area.size().x, max_both = (1 - kLeastImage) * width;
  const bool two = has_draws && width >= kTwoDocks * scale;
  std::array<float, 2> widths{0, 0};
  for (size_t i = 0; i < 2; ++i) {
    if (i == 0 ? two : has_sections || has_draws)
      widths[i] = std::max(std::clamp(settings.widths[i], kLeastPart, kMaxPart) * width, kMinSize[i] * scale);
  }
  const float both = widths[0] + widths[1], shrink = both > max_both ? max_both / both : 1;
  DockBoxes boxes{{}, {}, area};
  boxes.image.begin.x = std::round(area.begin.x + widths[0] * shrink);
  boxes.image.end.x = std::round(area.end.x - widths[1] * shrink);
  if (widths[0] > 0) boxes.left = Box{area.begin, {boxes.image.begin.x, area.end.y}};
  if (widths[1] > 0) boxes.right = Box{{boxes.image.end.x, area.begin.y}, area.end};
  return boxes;
}

std::vector<Panel*> Docks::panels_of(Section section, const ViewerState& state) const {
  std::vector<Panel*> found;
  for (const auto& panel : panels_) {
    if (panel->section() == section && panel->applies(state)) found.push_back(panel.get());
  }
  return found;
}

bool Docks::is_open(const std::string& name) const {
  for (const auto& panel : panels_) {
    if (panel->name() != name) continue;
    if (panel->section() == Section::draws) return two_docks_ || settings_.section == "Draws";
    const auto open = settings_.open.find(settings_.section);
    return open != settings_.open.end() && open->second == name;
  }
  return false;
}

void Docks::open(const std::string& name) {
  for (const auto& panel : panels_) {
    if (panel->name() != name) continue;
    focus_ = true;
    if (panel->section() == Section::draws && two_docks_) return;
    for (const auto& [section, title] : kSections) {
      if (section == panel->section()) settings_.section = title;
    }
    settings_.open[settings_.section] = name;
  }
}

Box Docks::draw(ViewerState& state, const Box& area, float scale) {
  const bool has_draws = !panels_of(Section::draws, state).empty();
  const bool has_sections = std::any_of(panels_.begin(), panels_.end(), [&](const auto& panel) {
    return panel->section() != Section::draws && panel->applies(state);
  });
  const DockBoxes boxes = place_docks(settings_, has_draws, has_sections, area, scale);
  two_docks_ = boxes.left.has_value();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2((8 + kBar) * scale, 4 * scale));
  if (boxes.left) {
    if (begin_bar("##left", im(boxes.left->begin), im(boxes.left->size()))) {
      draw_width_bar(*boxes.left, true, area, scale);
      draw_stack(state, *boxes.left, scale);
    }
    ImGui::End();
  }
  if (boxes.right) {
    if (begin_bar("##right", im(boxes.right->begin), im(boxes.right->size()))) {
      draw_width_bar(*boxes.right, false, area, scale);
      draw_sections(state, *boxes.right, has_draws && !two_docks_, scale);
    }
    ImGui::End();
  }
  ImGui::PopStyleVar();
  focus_ = false;
  return boxes.image;
}

void Docks::draw_width_bar(const Box& box, bool is_left, const Box& area, float scale) {
  const float thick = kBar * scale, edge = is_left ? box.end.x - thick : box.begin.x;
  ImGui::PushClipRect(im(box.begin), im(box.end), false);  // the splitter lies in the window's padding
  if (draw_bar("##width", {edge, box.begin.y}, {thick, box.size().y}, ImGuiMouseCursor_ResizeEW)) {
    const float mouse = ImGui::GetIO().MousePos.x, width = is_left ? mouse - area.begin.x : area.end.x - mouse;
    settings_.widths[is_left ? 0 : 1] = std::clamp(width / area.size().x, kLeastPart, kMaxPart);
  }
  ImGui::PopClipRect();
}

void Docks::draw_stack(ViewerState& state, const Box& box, float scale) {
  const std::vector<Panel*> here = panels_of(Section::draws, state);
  const float all = ImGui::GetContentRegionAvail().y, thick = kBar * scale;
  settings_.share = std::clamp(settings_.share, kLeastShare, kMaxShare);
  // Unless the user has moved the splitter, the last panel leaves the others what it does not need.
  const float enough = here.empty() ? 0 : here.back()->lines(state) * ImGui::GetFontSize();
  const bool is_untouched = settings_.share == DockSettings{}.share;
  const float first =
      is_untouched && enough > 0 ? std::max(settings_.share * all, all - enough) : settings_.share * all;
  for (size_t i = 0; i < here.size(); ++i) {
    ImGui::PushFont(theme::heading());
    ImGui::TextUnformatted(here[i]->name());
    ImGui::PopFont();
    const bool last = i + 1 == here.size();
    draw_panel(*here[i], state, last ? 0 : std::max(first - ImGui::GetTextLineHeightWithSpacing(), 1.0f), false);
    if (last) break;
    const ImVec2 top_left = ImGui::GetCursorScreenPos();
    if (draw_bar("##share", {box.begin.x, top_left.y}, {box.size().x, thick}, ImGuiMouseCursor_ResizeNS) && all > 0)
      settings_.share = std::clamp((first + ImGui::GetIO().MouseDelta.y) / all, kLeastShare, kMaxShare);
    ImGui::SetCursorScreenPos({top_left.x, top_left.y + 2 * thick});
  }
}

void Docks::draw_sections(ViewerState& state, const Box& box, bool with_draws, float scale) {
  std::vector<const NamedSection*> sections;
  for (const NamedSection& named : kSections) {
    const bool shown = named.section != Section::draws || with_draws;
    if (shown && !panels_of(named.section, state).empty()) sections.push_back(&named);
  }
  if (sections.empty()) return;  // a panel drawn earlier in this frame has just changed which panels apply
  const auto is_open = [&](const NamedSection* named) { return named->name == settings_.section; };
  const auto found = std::find_if(sections.begin(), sections.end(), is_open);
  const NamedSection& open = found == sections.end() ? *sections.front() : **found;
  settings_.section = open.name;
  float used = 0;
  for (const NamedSection* named : sections) {
    next_tab(named->name, used);
    if (flat_tab(named->name, named == &open)) settings_.section = named->name;
  }
  if (open.section == Section::draws) return draw_stack(state, box, scale);
  const std::vector<Panel*> here = panels_of(open.section, state);
  std::string& name = settings_.open[open.name];
  const auto shown = std::find_if(here.begin(), here.end(), [&](const Panel* panel) { return panel->name() == name; });
  Panel& panel = shown == here.end() ? *here.front() : **shown;
  name = panel.name();
  ImGui::Separator();
  used = 0;
  for (const Panel* one : here) {
    if (here.size() == 1) break;
    next_tab(one->name(), used);
    ImGui::PushID("panel");  // a panel may have the same name as its section
    if (flat_tab(one->name(), one == &panel)) name = one->name();
    ImGui::PopID();
  }
  draw_panel(panel, state, 0, focus_);
}

}  // namespace brokkr::viewer
