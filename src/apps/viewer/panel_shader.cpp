// The user's own shader: its file, its errors, its time and its uniforms.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/text.h"
#include "viewer/looks.h"
#include "viewer/panel.h"

namespace brokkr::viewer {
namespace {

class ShaderPanel : public Panel {
 public:
  const char* name() const override { return "Shader"; }
  Section section() const override { return Section::look; }

  void draw(ViewerState& state) override {
    ShaderControl& control = state.shader;
    if (control.path().empty()) {
      ImGui::TextWrapped(
          "Surfaces have their own materials. Drop a fragment shader (.frag) onto the window, or open one: GLSL, or "
          "Shadertoy's mainImage.");
      return;
    }
    if (begin_values("file")) {
      value_row("file", app::printable(control.path()));
      ImGui::EndTable();
    }
    if (ImGui::Button("Reload")) control.reload();
    ImGui::SameLine();
    if (ImGui::Button("Remove")) return control.close();
    if (!control.error().empty()) {
      ImGui::PushStyleColor(ImGuiCol_Text, kNotice);
      ImGui::TextWrapped("%s", app::printable(control.error()).c_str());
      ImGui::PopStyleColor();
    }
    draw_time(control);
    if (control.uniforms().empty()) return;
    group_header("Uniforms");
    draw_uniforms(control);
  }

 private:
  static void draw_time(ShaderControl& control) {
    if (ImGui::Button(control.running ? "Stop" : "Run")) control.running = !control.running;
    ImGui::SameLine();
    if (ImGui::Button("0")) control.set_time(0);
    ImGui::SameLine();
    auto time = float(control.time());
    if (ImGui::DragFloat("##time", &time, 0.02f, 0, 0, "%.2f s")) control.set_time(double(time));
  }

  static void draw_uniforms(ShaderControl& control) {
    bool changed = false;
    for (size_t i = 0; i < control.uniforms().size(); ++i) {
      ShaderUniform& uniform = control.uniforms()[i];
      const std::vector<double>& initial = control.initial()[i].values;
      ImGui::PushID(int(i));
      changed = draw_uniform(uniform, initial) || changed;
      if (uniform.values != initial) {
        if (ImGui::SmallButton("back")) {
          uniform.values = initial;
          changed = true;
        }
        tip("Reset to the value in the text");
      }
      ImGui::PopID();
    }
    if (changed) control.change();
  }

  // Three or four numbers between 0 and 1 are edited as a colour.
  static bool draw_uniform(ShaderUniform& uniform, const std::vector<double>& initial) {
    const std::string label = app::printable(uniform.name);
    const size_t count = uniform.values.size();
    if (uniform.type != ShaderType::f32) return draw_whole(label, uniform, initial);
    std::vector<float> values(uniform.values.begin(), uniform.values.end());
    const auto is_part = [](double value) { return value >= 0 && value <= 1; };
    bool changed = false;
    if (count == 1) {
      const float max = std::max(2 * float(std::abs(initial[0])), 1.0f);
      changed = slider_row(label.c_str(), values.data(), initial[0] < 0 ? -max : 0, max, "%.3f");
    } else if (count == 3 && std::all_of(initial.begin(), initial.end(), is_part)) {
      changed = ImGui::ColorEdit3(row(label.c_str()), values.data(), ImGuiColorEditFlags_Float);
    } else if (count == 4 && std::all_of(initial.begin(), initial.end(), is_part)) {
      changed = ImGui::ColorEdit4(row(label.c_str()), values.data(), ImGuiColorEditFlags_Float);
    } else {
      changed = ImGui::DragScalarN(row(label.c_str()), ImGuiDataType_Float, values.data(),
                                   int(std::min<size_t>(count, 16)), 0.01f, nullptr, nullptr, "%.3f");
    }
    if (changed) uniform.values.assign(values.begin(), values.end());
    return changed;
  }

  static bool draw_whole(const std::string& label, ShaderUniform& uniform, const std::vector<double>& initial) {
    bool changed = false;
    if (uniform.values.size() == 1) {
      auto value = int(uniform.values[0]);
      const int max = std::max(2 * int(std::abs(initial[0])), uniform.type == ShaderType::u32 ? 1 : 10);
      changed = slider_row(label.c_str(), &value, initial[0] < 0 ? -max : 0, max);
      if (uniform.type == ShaderType::u32) value = std::max(value, 0);
      uniform.values[0] = value;
      return changed;
    }
    std::vector<int> values(uniform.values.begin(), uniform.values.end());
    const int min = uniform.type == ShaderType::u32 ? 0 : -0x7fffffff, max = 0x7fffffff;
    changed = ImGui::DragScalarN(row(label.c_str()), ImGuiDataType_S32, values.data(),
                                 int(std::min<size_t>(values.size(), 16)), 0.1f, &min, &max, nullptr,
                                 ImGuiSliderFlags_AlwaysClamp);
    if (changed) uniform.values.assign(values.begin(), values.end());
    return changed;
  }
};

}  // namespace

std::unique_ptr<Panel> make_shader_panel() { return std::make_unique<ShaderPanel>(); }

}  // namespace brokkr::viewer
