// The panel for traced pictures: progress, exposure, saving, light, lens, and the distribution of samples.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/text.h"
#include "inspect/load_map.h"
#include "trace/painting.h"
#include "viewer/image_area.h"
#include "viewer/looks.h"

namespace brokkr::viewer {
namespace {

constexpr int kRegionPixels = 8;  // edge of a region in which all pixels have the same number of samples
constexpr int kLegendSteps = 8;
constexpr ImU32 kDone = IM_COL32(50, 105, 185, 255);

// The number of samples in each region, as a picture with one pixel per region.
Picture sample_map(const TracePainting& t) {
  Picture map;
  map.width = (t.picture.width + kRegionPixels - 1) / kRegionPixels;
  map.height = (t.picture.height + kRegionPixels - 1) / kRegionPixels;
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) {
      const size_t at = size_t(y * kRegionPixels) * size_t(t.picture.width) + size_t(x * kRegionPixels);
      map.pixels.push_back(heat_color(double(t.picture.samples[at]) / std::max(1.0, double(t.max_samples))));
    }
  }
  return map;
}

ImageLegend map_legend(uint32_t most) {
  ImageLegend legend{"samples per pixel", {}};
  for (int i = kLegendSteps; i >= 0; --i)
    legend.steps.push_back({heat_color(double(i) / kLegendSteps),
                            i % 2 == 0 ? app::grouped(uint64_t(most) * uint64_t(i) / kLegendSteps) : ""});
  return legend;
}

class TracePanel : public Panel {
 public:
  const char* name() const override { return "Trace"; }
  Section section() const override { return Section::look; }
  bool applies(const ViewerState& state) const override { return is_traceable(state) || trace_of(state.settings).on; }

  void on_start(ViewerState& state, const app::Arguments& arguments) override {
    if (arguments.has("trace")) begin_or_end(state);
  }

  // A traced picture resumes where it stopped.
  bool on_key(ViewerState& state, const KeyEvent& event) override {
    TraceSettings& t = trace_of(state.settings);
    if (event.action == Action::of_module && event.number == kTraceKey) {
      begin_or_end(state);
      return true;
    }
    if (event.action != Action::play_sequence || !t.on || (state.scene && state.scene->content)) return false;
    t.paused = !t.paused;
    return true;
  }

  void on_paint_error(ViewerState& state) override { trace_of(state.settings).on = false; }

  void draw_view_menu(ViewerState& state) override {
    if (ImGui::MenuItem("Path trace", key_text(kTraceKey, kNoModifier).c_str(), trace_of(state.settings).on,
                        is_traceable(state)))
      begin_or_end(state);
  }

  void draw(ViewerState& state) override {
    TraceSettings& t = trace_of(state.settings);
    if (!t.on) {
      if (ImGui::Button("Trace this scene")) begin_or_end(state);
      wrapped("Light paths, four samples per pixel at a time, most of them where they improve the picture most.");
      return;
    }
    draw_progress(state);
    if (ImGui::CollapsingHeader("Picture", ImGuiTreeNodeFlags_DefaultOpen)) draw_picture(state);
    if (ImGui::CollapsingHeader("Light and lens", ImGuiTreeNodeFlags_DefaultOpen)) draw_light(state);
    if (ImGui::CollapsingHeader("Samples", ImGuiTreeNodeFlags_DefaultOpen)) draw_samples(t);
    if (ImGui::CollapsingHeader("Acceleration structure")) draw_structure(t);
  }

  void on_frame(ViewerState& state) override { is_fresh_ = state.last && state.last->painting; }

  void draw_over_image(ViewerState& state, ImDrawList& list) override {
    const float opacity = trace_of(state.settings).map_opacity;
    const TracePainting* const shown = traced(state);
    if (opacity <= 0 || shown == nullptr) return;
    const TracePainting& t = *shown;
    if (t.max_samples == 0) return;
    if (is_fresh_ || !has_map_) {
      const Picture map = sample_map(t);
      map_.set(map.width, map.height, map.pixels);
      map_size_ = glm::vec2(map.width, map.height) * float(kRegionPixels);
      has_map_ = true;
      is_fresh_ = false;
    }
    const ImageView& view = state.view;
    const glm::vec2 size(t.picture.width, t.picture.height);
    list.PushClipRect(im(view.area_begin), im(view.area_end), true);
    list.PushClipRect(im(view.to_screen({0, size.y})), im(view.to_screen({size.x, 0})), true);
    map_.draw(list, im(view.to_screen({0, map_size_.y})), im(view.to_screen({map_size_.x, 0})), opacity);
    list.PopClipRect();
    list.PopClipRect();
    draw_legend(list, view, map_legend(t.max_samples), false);
  }

 private:
  // Returns true if the scene has materials and a camera, so that it can be traced.
  static bool is_traceable(const ViewerState& state) {
    return state.scene && !state.scene->content && !state.scene->clip_space;
  }

  void begin_or_end(ViewerState& state) const {
    TraceSettings& t = trace_of(state.settings);
    if (state.scene && !is_traceable(state) && !t.on)
      return state.commands.show_note(
          state.scene->content ? "micropolygons cannot be path traced"
                               : "a captured frame cannot be path traced: its vertices are already projected");
    t.on = !t.on;
    t.paused = false;
    if (t.on) state.commands.open_panel(name());
    state.commands.show_note(t.on ? "path traced" : "drawn by the pipeline");
  }

  void draw_progress(ViewerState& state) {
    TraceSettings& t = trace_of(state.settings);
    if (ImGui::Button(t.paused ? "Continue" : "Pause")) t.paused = !t.paused;
    tip("The queues stay as they are (Space)");
    ImGui::SameLine();
    if (ImGui::Button("Draw frames instead")) return begin_or_end(state);
    tip("Return to the pipeline's frames; the traced picture is kept (L)");
    const TracePainting* const shown = traced(state);
    if (shown == nullptr) return ImGui::TextDisabled("building the acceleration structure ...");
    const TracePainting& p = *shown;
    const double part = p.mean_samples / std::max(1.0, double(t.samples));
    const std::string text = app::fixed(p.mean_samples, 1) + " of " + app::grouped(t.samples) + " samples per pixel";
    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, kDone);
    ImGui::ProgressBar(float(std::min(part, 1.0)), {-1, 0}, text.c_str());
    ImGui::PopStyleColor();
    if (!begin_values("traced")) return;
    const double seconds = p.report.ms / 1000;
    const auto rate = [&](uint64_t n) { return app::fixed(double(n) / seconds * 1e-6, 2); };
    value_row("time", app::fixed(seconds, 1) + " s" + (p.report.is_complete ? ", done" : t.paused ? ", paused" : ""));
    if (seconds > 0)
      value_row("speed", rate(p.report.segments) + " million segments, " + rate(p.report.shadow_rays) +
                             " million shadow rays a second");
    value_row("samples", app::grouped(p.min_samples) + " to " + app::grouped(p.max_samples) + " per pixel");
    value_row("scene", counted(p.triangles, "triangle") + ", " + counted(p.lights, "triangle") +
                           " of lamps; built in " + app::fixed(p.build_ms, 0) + " ms");
    if (p.dropped > 0) value_row("left out", counted(p.dropped, "triangle") + " without an area");
    ImGui::EndTable();
  }

  static void draw_picture(ViewerState& state) {
    TraceSettings& t = trace_of(state.settings);
    slider_row("exposure", &t.exposure, -6, 6, "%+.2f EV");
    tip("Exposure in powers of two; the EXR file holds the unscaled light");
    int tone = int(t.tone);
    if (ImGui::Combo(row("tone"), &tone, "clamped\0filmic\0")) t.tone = trace::Tone(tone);
    slider_row("sample map", &t.map_opacity, 0, 1, t.map_opacity > 0 ? "%.2f" : "off");
    tip("Shows over the picture how often each region of 8 x 8 pixels was sampled, with this opacity");
    if (ImGui::Button("Save .png")) state.commands.save_image(false);
    tip("As displayed, without the map (Shift+F12 saves both files)");
    ImGui::SameLine();
    if (ImGui::Button("Save .exr")) state.commands.save_image(true);
    tip("Linear light");
  }

  // Edits a light that the scene may also define.
  static void draw_color(const char* label, std::optional<glm::vec3>& value, float usual) {
    ImGui::PushID(label);
    bool is_set = value.has_value();
    if (check_box(row(label), &is_set)) value = is_set ? std::optional(glm::vec3(usual)) : std::nullopt;
    tip("Set this light; 0: none");
    ImGui::SameLine();
    if (!value) {
      ImGui::AlignTextToFramePadding();
      ImGui::TextDisabled("as in the scene");
    } else {
      ImGui::SetNextItemWidth(-1);
      ImGui::ColorEdit3("##color", &value->x, ImGuiColorEditFlags_Float | ImGuiColorEditFlags_HDR);
    }
    ImGui::PopID();
  }

  static void draw_light(ViewerState& state) {
    TraceSettings& t = trace_of(state.settings);
    draw_color("sky", t.sky, 0.5f);
    draw_color("sun", t.sun, 2);
    if (!state.scene) return;
    const float size = std::max(state.scene->bounds.radius(), 1e-6f);
    float aperture = t.aperture / size;
    if (slider_row("lens", &aperture, 0, 0.1f, aperture > 0 ? "%.4f" : "pinhole", ImGuiSliderFlags_Logarithmic))
      t.aperture = aperture * size;
    tip("Radius of the lens, in radii of the scene: larger means less depth of field");
    if (t.aperture <= 0) return;
    float focus = t.focus / size;
    if (slider_row("focus", &focus, 0, 8, focus > 0 ? "%.3f" : "centre", ImGuiSliderFlags_Logarithmic))
      t.focus = focus * size;
    tip("Distance that is sharp, in radii of the scene; 0: that of the surface at the centre of the picture");
  }

  static void draw_number(const char* label, uint32_t& value, uint32_t least, uint32_t most, int step) {
    int number = int(std::min(value, most));
    if (ImGui::InputInt(row(label), &number, step, 4 * step, ImGuiInputTextFlags_EnterReturnsTrue))
      value = uint32_t(std::clamp(number, int(least), int(most)));
  }

  static void draw_samples(TraceSettings& t) {
    draw_number("samples", t.samples, 4, kMaxSamples, 64);
    tip("Per pixel; on average if sampling is adaptive");
    draw_number("bounces", t.bounces, 0, kMaxBounces, 1);
    draw_number("seed", t.seed, 0, 0x7fffffffu, 1);
    check_box(row("adaptive"), &t.adaptive);
    tip("128 buckets sort regions by error, and the worst regions come first; otherwise all regions get equally many "
        "samples");
    if (!t.adaptive) return;
    int metric = int(t.metric);
    if (ImGui::Combo(row("error"), &metric, "expected gain\0contrast\0")) {
      t.metric = trace::Metric(metric);
      t.worst_error = t.metric == trace::Metric::contrast ? 10 : 1;
    }
    slider_row("worst error", &t.worst_error, 0.01f, 100, "%.3f", ImGuiSliderFlags_Logarithmic);
    tip("The error from which on a region belongs to the highest bucket");
    check_box(row("decreasing"), &t.decreasing_priorities);
    tip("Halves the worst error whenever the upper buckets are unused");
  }

  static void draw_structure(TraceSettings& t) {
    int structure = int(t.structure);
    if (ImGui::Combo(row("structure"), &structure, "kd-tree\0GrUG\0bounding volumes\0"))
      t.structure = trace::StructureKind(structure);
    tip("The picture does not depend on it");
    if (t.structure != trace::StructureKind::grug) return;
    int bits = int(std::lround(std::log2(float(t.grid))));
    if (slider_row("grid", &bits, 5, 9, std::to_string(t.grid).c_str())) t.grid = 1u << unsigned(bits);
  }

  PanelTexture map_;
  glm::vec2 map_size_{0};
  bool is_fresh_ = false, has_map_ = false;
};

}  // namespace

std::unique_ptr<Panel> make_trace_panel() { return std::make_unique<TracePanel>(); }

}  // namespace brokkr::viewer
