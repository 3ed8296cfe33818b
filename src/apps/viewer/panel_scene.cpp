// The scene: its file, its size on the screen, its targets and layers, and the camera.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/text.h"
#include "viewer/looks.h"
#include "viewer/panel.h"

namespace brokkr::viewer {
namespace {

class ScenePanel : public Panel {
 public:
  const char* name() const override { return "Scene"; }
  Section section() const override { return Section::look; }
  bool applies(const ViewerState&) const override { return true; }

  void draw(ViewerState& state) override {
    if (!state.scene) {
      ImGui::TextDisabled("nothing is loaded");
      return;
    }
    draw_file(*state.scene);
    draw_warnings(state.scene->frame.warnings);
    group_header("Size and target");
    draw_size(state);
    group_header("Camera");
    draw_camera(state);
    if (!state.last || state.last->painting) return;
    group_header("Last frame");
    draw_last(*state.last);
  }

 private:
  static void draw_file(const Scene& scene) {
    if (!begin_values("file")) return;
    value_row("file", app::printable(scene.path));
    if (!scene.frame.application.empty()) value_row("from", app::printable(scene.frame.application));
    if (!scene.frame.license.empty()) value_row("licence", app::printable(scene.frame.license));
    value_row("holds", scene.content ? scene.content->holds()
                                     : counted(scene.draws, "draw") + ", " + counted(scene.triangles, "triangle"));
    value_row("loaded", "in " + app::fixed(scene.load_ms, 0) + " ms");
    ImGui::EndTable();
  }

  // Shows warnings: parts of the file that the picture lacks, and assumptions made during loading.
  static void draw_warnings(const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    group_header(counted(lines.size(), "warning").c_str());
    for (const std::string& line : lines) ImGui::TextWrapped("%s", app::printable(line).c_str());
  }

  static void draw_size(ViewerState& state) {
    FrameSettings& s = state.settings;
    const Frame& frame = state.scene->frame;
    const bool named = s.target >= 0 && size_t(s.target) < frame.targets.size();
    const auto shown = size_t(named ? uint32_t(s.target) : state.scene->shown_target(s.options.shading));
    const auto label = [&](size_t i) {
      const Target& t = frame.targets[i];
      return "target " + std::to_string(t.id) + ", " + std::to_string(t.width) + " x " + std::to_string(t.height);
    };
    if (ImGui::BeginCombo(row("target"), label(shown).c_str())) {
      for (size_t i = 0; i < frame.targets.size(); ++i) {
        if (ImGui::Selectable(label(i).c_str(), i == shown)) s.target = int(i);
      }
      ImGui::EndCombo();
    }
    if (frame.targets[shown].layers > 1) slider_row("layer", &s.layer, 0, frame.targets[shown].layers - 1);
    const glm::ivec2 loaded(frame.targets[shown].width, frame.targets[shown].height);
    const glm::ivec2 now = s.width > 0 ? glm::ivec2(s.width, s.height) : loaded;
    constexpr const char* kSizes[] = {"as loaded", "as the window", "custom"};
    int choice = int(state.size);
    if (ImGui::Combo(row("picture"), &choice, kSizes, int(std::size(kSizes)))) {
      const auto chosen = PictureSize(choice);
      state.choose_size(chosen, chosen == PictureSize::own ? now : glm::ivec2(0));
    }
    if (state.size != PictureSize::own) return;
    const auto resize = [&](float width, float height) {
      state.choose_size(PictureSize::own, {std::clamp(int(width), 1, kMaxTargetSize),  //
                                           std::clamp(int(height), 1, kMaxTargetSize)});
    };
    int size[2] = {s.width, s.height};
    if (ImGui::InputInt2(row("size"), size, ImGuiInputTextFlags_EnterReturnsTrue))
      resize(float(size[0]), float(size[1]));
    for (const float scale : {0.5f, 2.0f}) {
      if (scale > 1) ImGui::SameLine();
      if (ImGui::Button(scale < 1 ? "half" : "double")) resize(float(s.width) * scale, float(s.height) * scale);
    }
  }

  void draw_camera(ViewerState& state) {
    if (state.scene->clip_space) {
      ImGui::PushTextWrapPos(0);
      if (state.scene->game.is_found()) {
        const GameCamera& game = state.scene->game;
        ImGui::TextDisabled("The game's own camera, in its eye space: %s.",
                            app::printable(game.uniform_names(state.scene->frame)).c_str());
        if (const std::string limits = game.limits(); !limits.empty())
          ImGui::TextDisabled("%s.", app::printable(limits).c_str());
      } else if (!state.scene->has_camera()) {
        ImGui::TextDisabled("This frame has no perspective draws: there is nothing to orbit around.");
      } else {
        ImGui::TextDisabled(
            "A captured frame holds projected vertices. The camera moves in the eye space from which they were "
            "projected, with an assumed field of view of %.0f degrees; draws without perspective do not move.",
            double(state.scene->camera.fov));
      }
      ImGui::PopTextWrapPos();
    }
    // Typed text is kept until Enter; otherwise the field follows the camera.
    if (!editing_) text_ = camera_text(state.camera.camera());
    ImGui::SetNextItemWidth(-1);
    const bool entered = ImGui::InputText("##camera", &text_, ImGuiInputTextFlags_EnterReturnsTrue);
    editing_ = ImGui::IsItemActive();
    if (entered) {
      try {
        state.camera.set_text(text_);
      } catch (const std::exception& error) {
        state.commands.show_error(error.what());
      }
    }
    float fov = state.camera.camera().fov;
    if (slider_row("field of view", &fov, 10, 120, "%.0f\u00b0")) state.camera.set_text("fov=" + std::to_string(fov));
    if (ImGui::Button("Reset")) state.camera.home();
    ImGui::SameLine();
    if (ImGui::Button("Copy")) ImGui::SetClipboardText(camera_text(state.camera.camera()).c_str());
  }

  static void draw_last(const Rendered& last) {
    const Statistics& s = last.result.statistics;
    if (!begin_values("last")) return;
    value_row("frame", app::fixed(s.frame_ms, 3) + " ms" + (last.result.aborted ? ", cut off" : ""));
    value_row("machine", s.machine + " " + s.isa + ", " + std::to_string(s.workers) + " workers of " +
                             std::to_string(s.width) + " lanes");
    value_row("triangles", app::grouped(s.triangles_in) + " in, " + app::grouped(s.triangles_culled) + " culled, " +
                               app::grouped(s.triangles_clipped) + " clipped, " + app::grouped(s.triangles_out) +
                               " out");
    value_row("vertices", app::grouped(s.vertex_shader_runs) + " shaded, " + app::fixed(s.asr, 3) + " per triangle");
    value_row("batches", app::grouped(s.batches) + " in " + counted(s.phases, "phase") + " (" +
                             app::grouped(s.ordered_phases) + " ordered)");
    value_row("fragments", app::grouped(s.fragments) + ", " + app::grouped(s.fragments_shaded) + " shaded");
    value_row("load", "c_v " + app::fixed(s.load_cv, 3) + " over " + std::to_string(s.rasterizers) + " rasterizers");
    value_row("memory", app::grouped(s.store_bytes >> 10) + " KiB store, " + app::grouped(s.target_bytes >> 10) +
                            " KiB targets, " + app::grouped(s.frame_bytes >> 10) + " KiB frame");
    ImGui::EndTable();
    for (const std::string& line : s.false_colors)
      ImGui::TextWrapped("Drawn in false colours: %s", app::printable(line).c_str());
    if (s.discard_unknown_triangles > 0)
      ImGui::TextWrapped("%s triangles had a shader that may discard fragments; they are drawn whole.",
                         app::grouped(s.discard_unknown_triangles).c_str());
  }

  std::string text_;
  bool editing_ = false;
};

}  // namespace

std::unique_ptr<Panel> make_scene_panel() { return std::make_unique<ScenePanel>(); }

}  // namespace brokkr::viewer
