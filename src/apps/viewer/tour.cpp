#include "viewer/tour.h"

#include <imgui.h>

#include <algorithm>

#include "viewer/bundled.h"
#include "viewer/looks.h"

namespace brokkr::viewer {

std::vector<TourStep> tour_steps() {
  const std::vector<std::string> frames = {"scenes/supertuxkart.bkf", "scenes/extremetuxracer.bkf",
                                           "scenes/minetest.bkf", "generated:city"};
  return {
      {.title = "Bin patterns",
       .summary = "Which rasterizer draws which square, and how even the load is",
       .text = "Each square is a bin, its colour the rasterizer that draws it. Press P for the next pattern: colours "
               "and loads (below, right) change, the image does not.",
       .scenes = frames,
       .panel = "Pattern",
       .as_in_paper = true},
      {.title = "Policies and time line",
       .summary = "What every block does, microsecond by microsecond",
       .text = "The time line below has a row for each block. Press O for the next scheduling policy and watch the "
               "colours move; turn the wheel over it to zoom.",
       .scenes = {"generated:city"},
       .panel = "Policy"},
      {.title = "Pixel history",
       .summary = "Every triangle that touched a pixel, and its fate",
       .text = "Click a pixel of the image. Inspect lists each of its fragments; I shows only the visible draw, "
               "Backspace shows all draws.",
       .scenes = frames,
       .panel = "Inspect"},
      {.title = "Your own shader",
       .summary = "GLSL that is checked and drawn each time you save it",
       .text = "This fragment shader draws the surfaces. Edit and save it: the window follows. Panel Shader has a "
               "widget for each uniform.",
       .scenes = {"assets/courtyard.obj", "generated:city"},
       .panel = "Shader",
       .shader = "shaders/examples/marble.frag"}};
}

std::string scene_of(const TourStep& step) {
  for (const std::string& scene : step.scenes) {
    if (scene.find(':') != std::string::npos) return scene;
    if (const auto file = find_bundled(scene)) return file->string();
  }
  return {};
}

std::optional<size_t> draw_tour(const std::vector<TourStep>& steps, size_t number, const Box& room) {
  const TourStep& step = steps[number];
  const float em = ImGui::GetFontSize(), width = std::min(44 * em, room.size().x - em);
  std::optional<size_t> next = number;
  ImGui::SetNextWindowPos({(room.begin.x + room.end.x) / 2, room.end.y - em / 2}, ImGuiCond_Always, {0.5f, 1});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, std::max(room.size().y, 4 * em)});
  ImGui::PushStyleColor(ImGuiCol_Border, theme::kAccent);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0.8f * em, 0.6f * em});
  if (ImGui::Begin("##tour", nullptr,
                   (kBarFlags & ~ImGuiWindowFlags_NoBringToFrontOnFocus) | ImGuiWindowFlags_AlwaysAutoResize |
                       ImGuiWindowFlags_NoFocusOnAppearing)) {
    ImGui::PushFont(theme::heading());
    ImGui::Text("%zu of %zu   %s", number + 1, steps.size(), step.title.c_str());
    ImGui::PopFont();
    ImGui::TextWrapped("%s", step.text.c_str());
    if (ImGui::Button("Back") && number > 0) next = number - 1;
    ImGui::SameLine();
    if (ImGui::Button("Next")) next = number + 1 < steps.size() ? std::optional(number + 1) : std::nullopt;
    ImGui::SameLine();
    if (ImGui::Button("End the tour")) next.reset();
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  return next;
}

}  // namespace brokkr::viewer
