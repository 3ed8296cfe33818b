// The bars below the image: facts of the last frame, and the position in a sequence.
#include "viewer/viewer_ui.h"

#include <imgui.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "app/text.h"
#include "viewer/looks.h"
#include "viewer/names.h"

namespace brokkr::viewer {

std::string ViewerUi::status_text() const {
  const Rendered* const last = v_.state_.last.get();
  if (last == nullptr) return v_.window_->renderer();
  const Statistics& s = last->result.statistics;
  std::string text = display_name(last->scene->path) + "   " + std::to_string(last->width) + " x " +
                     std::to_string(last->height) + "   " + app::fixed(s.frame_ms, 2) + " ms";
  if (last->result.aborted) text += " (cut off)";
  if (v_.state_.continuous && !v_.frame_times_.empty()) {
    const double sum = std::accumulate(v_.frame_times_.begin(), v_.frame_times_.end(), 0.0);
    text += "   " + app::fixed(double(v_.frame_times_.size()) / sum, 1) + " frames/s";
  }
  text += "   " + s.machine + (s.isa.empty() ? "" : " " + s.isa) + ", " + std::to_string(s.workers) + " workers, " +
          std::to_string(s.rasterizers) + " rasterizers   " + v_.presenter_->description() + "   " +
          app::fixed(double(v_.state_.view.zoom) * 100, 0) + " %";
  return text;
}

void ViewerUi::draw_status_bar(float top) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, top});
  ImGui::SetNextWindowSize({window.x, window.y - top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(8, 3));
  if (ImGui::Begin("##status", nullptr, kBarFlags)) {
    ImGui::TextUnformatted(status_text().c_str());
    if (Clock::now() < v_.note_until_) {
      ImGui::SameLine(0, 30);
      ImGui::TextColored(kNotice, "%s", app::printable(v_.note_).c_str());
    } else if (!v_.render_thread_->idle() && !v_.state_.continuous) {
      ImGui::SameLine(0, 30);
      ImGui::TextDisabled("rendering");
    }
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

void ViewerUi::draw_sequence_bar(float bottom, float right) {
  const float height = ImGui::GetFrameHeightWithSpacing() + 8;
  ImGui::SetNextWindowPos({0, bottom - height});
  ImGui::SetNextWindowSize({right, height});
  Sequence& sequence = v_.sequence_;
  if (ImGui::Begin("##sequence", nullptr, kBarFlags)) {
    const auto go = [&](size_t position) {
      sequence.seek(position);
      v_.load_file(sequence.files()[sequence.position()], true);
    };
    if (ImGui::Button(sequence.playing() ? "Pause" : "Play")) {
      if (sequence.playing())
        sequence.pause();
      else
        sequence.play(Clock::now());
    }
    ImGui::SameLine();
    int position = int(sequence.position()) + 1;
    ImGui::SetNextItemWidth(std::max(80.0f, right - 30 * ImGui::GetFontSize()));
    const std::string format = "%d of " + std::to_string(sequence.files().size());
    if (ImGui::SliderInt("##position", &position, 1, int(sequence.files().size()), format.c_str(),
                         ImGuiSliderFlags_AlwaysClamp))
      go(size_t(position - 1));
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", display_name(sequence.files()[sequence.position()]).c_str());
    ImGui::SameLine();
    ImGui::SetNextItemWidth(8 * ImGui::GetFontSize());
    ImGui::SliderFloat("per second", &sequence.speed, 0.1f, 120, "%.1f",
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    ImGui::SameLine();
    ImGui::Checkbox("loop", &sequence.loop);
  }
  ImGui::End();
}

}  // namespace brokkr::viewer
