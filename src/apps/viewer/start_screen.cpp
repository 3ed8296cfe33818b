#include "viewer/start_screen.h"

#include <imgui.h>

#include <algorithm>
#include <filesystem>

#include "app/text.h"
#include "brokkr/version.h"
#include "viewer/bundled.h"
#include "viewer/looks.h"
#include "viewer/scene.h"

namespace brokkr::viewer {
namespace {

constexpr float kCardLines = 13;  // minimum width of a card, in font sizes
constexpr int kMaxColumns = 5;    // as many as cards of the tour; larger windows get larger cards

// Arranges cards in rows across the window.
struct Cards {
  float width, gap;
  int columns, count = 0;

  Cards() : width(0), gap(0.8f * ImGui::GetFontSize()) {
    const float all = ImGui::GetContentRegionAvail().x, least = kCardLines * ImGui::GetFontSize();
    columns = std::clamp(int((all + gap) / (least + gap)), 1, kMaxColumns);
    width = std::min((all + gap) / float(columns) - gap, 2 * least);
  }
  void next() {
    if (count++ % columns != 0) ImGui::SameLine(0, gap);
  }
};

// Draws the background and border of a card, which is the last item.
void draw_ground(ImVec2 top_left, ImVec2 end) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool marked = ImGui::IsItemHovered() || ImGui::IsItemFocused();
  list.AddRectFilled(top_left, end, marked ? theme::kControlHovered : theme::kControl, 4);
  if (marked) list.AddRect(top_left, end, theme::kAccent, 4, 0, 2);
}

bool tour_card(const TourStep& step, size_t number, float width) {
  const float em = ImGui::GetFontSize(), pad = 0.7f * em, height = 6.4f * em;
  const ImVec2 top_left = ImGui::GetCursorScreenPos(), end(top_left.x + width, top_left.y + height);
  const bool pressed = ImGui::InvisibleButton(step.title.c_str(), {width, height});
  draw_ground(top_left, end);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::string title = std::to_string(number + 1) + "  " + step.title;
  list.AddText(theme::heading(), em, {top_left.x + pad, top_left.y + pad}, theme::kText, title.c_str());
  list.AddText(ImGui::GetFont(), em, {top_left.x + pad, top_left.y + pad + 1.5f * em}, theme::kDim,
               step.summary.c_str(), nullptr, width - 2 * pad);
  return pressed;
}

void section(const char* title) {
  ImGui::Dummy({0, 0.6f * ImGui::GetFontSize()});
  group_header(title);
}

}  // namespace

bool picture_card(const char* id, const std::string& name, const PanelTexture* picture, const char* without,
                  float width) {
  const float em = ImGui::GetFontSize(), pad = 0.4f * em;
  const float high = width * kThumbnailHeight / kThumbnailWidth, height = high + em + 2 * pad;
  const ImVec2 top_left = ImGui::GetCursorScreenPos(), end(top_left.x + width, top_left.y + height);
  const bool pressed = ImGui::InvisibleButton(id, {width, height});
  tip(app::printable(id));
  draw_ground(top_left, end);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 low(top_left.x + 2, top_left.y + 2), corner(end.x - 2, top_left.y + high);
  if (picture != nullptr) {
    picture->draw(list, low, corner);
  } else {
    const ImVec2 size = ImGui::CalcTextSize(without);
    list.AddRectFilled(low, corner, theme::kPlot, 3);
    list.AddText({(low.x + corner.x - size.x) / 2, (low.y + corner.y - size.y) / 2}, theme::kDim, without);
  }
  list.AddText({top_left.x + pad, top_left.y + high + pad}, theme::kText, shortened(name, width - 2 * pad).c_str());
  return pressed;
}

StartChoice StartScreen::draw(const Box& room, const std::vector<std::string>& recent, const std::string& machine,
                              Thumbnails& thumbnails, bool can_close) {
  StartChoice choice;
  if (!bundled_) bundled_ = bundled_scenes();
  const float em = ImGui::GetFontSize(), side = std::max(em, std::min(0.06f * room.size().x, 6 * em));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {side, em});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::SetNextWindowPos(im(room.begin));
  ImGui::SetNextWindowSize(im(room.size()));
  if (ImGui::Begin("##start", nullptr, kBarFlags & ~(ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoNavFocus))) {
    ImGui::PushFont(theme::title());
    ImGui::TextUnformatted("Brokkr");
    ImGui::PopFont();
    ImGui::TextDisabled("%s   %s", BROKKR_VERSION, machine.c_str());
    ImGui::Dummy({0, 0.3f * em});
    const ImVec2 size(9 * em, 2.2f * em);
    choice.open = ImGui::Button("Open...", size);
    tip("A frame (.bkf), a scene (.obj, .glb, .ply, .stl), a folder of frames, or a shader. You can also drop it here");
    ImGui::SameLine();
    choice.capture = ImGui::Button("Capture...", size);
    tip("A frame of a program that draws with OpenGL");
    if (can_close) {
      ImGui::SameLine();
      choice.close = ImGui::Button("Back", size);
    }
    section("Tour");
    Cards tour;
    for (size_t i = 0; i < steps_.size(); ++i) {
      tour.next();
      if (tour_card(steps_[i], i, tour.width)) choice.step = i;
    }
    const auto scenes = [&](const char* title, const std::vector<std::string>& files) {
      if (files.empty()) return;
      section(title);
      ImGui::PushID(title);
      Cards cards;
      for (const std::string& file : files) {
        cards.next();
        const std::filesystem::path path(file);
        const std::string name = path.has_extension() ? path.stem().string() : display_name(file);
        // A card outside the window needs no picture yet.
        const bool visible = ImGui::IsRectVisible({cards.width, cards.width});
        const PanelTexture* const picture = visible ? thumbnails.find(file) : nullptr;
        const char* const without = thumbnails.is_making(file) ? "drawing ..." : "no picture";
        if (picture_card(file.c_str(), app::printable(name), picture, without, cards.width)) choice.scene = file;
      }
      ImGui::PopID();
    };
    scenes("Recent", recent);
    scenes("Frames and scenes", *bundled_);
    section("Generated");
    for (const auto& [scene, title] : others_) {
      if (&scene != &others_.front().first) ImGui::SameLine();
      if (ImGui::Button(title.c_str())) choice.scene = scene;
    }
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  return choice;
}

}  // namespace brokkr::viewer
