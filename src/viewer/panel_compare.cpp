// The same frame drawn by OpenGL: shown while a key is held, as a difference, and in numbers.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "app/text.h"
#include "brokkr/image.h"
#include "inspect/image_compare.h"
#include "viewer/looks.h"
#include "viewer/panel.h"
#if defined(BROKKR_VIEWER_REFERENCE)
#include "reference/gl_renderer.h"
#endif

namespace brokkr::viewer {
namespace {

constexpr float kDepthTolerance = 2e-5f;

// The result of the render thread.
struct Comparison {
  std::string problem;
  std::shared_ptr<const Picture> reference, difference;
  std::vector<uint32_t> ours;
  bool colors = true;  // false: their depths are compared, as pictures
  ImageComparison image;
  uint64_t depth_differing = 0;
  int gain = 0;  // of `difference`; 0: there is none yet
  std::string renderer;
  double gl_ms = 0;
};

#if defined(BROKKR_VIEWER_REFERENCE)
// Whether both draw the same colours: OpenGL numbers what it draws otherwise, and a captured draw has no material.
bool same_colors(const RenderContext& c) {
  if (c.settings.options.shading == Shading::flat) return true;
  if (c.settings.options.shading != Shading::material) return false;
  return std::all_of(c.frame.commands.begin(), c.frame.commands.end(), [&](const Command& command) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    return draw == nullptr || c.frame.materials[draw->material].kind == MaterialKind::blinn_phong;
  });
}

// Depth as grey, near is bright; both pictures of a comparison over one range.
std::vector<uint32_t> depth_picture(const std::vector<float>& depth, float least, float most) {
  std::vector<uint32_t> pixels(depth.size());
  for (size_t i = 0; i < depth.size(); ++i) {
    const float far = most > least ? std::clamp((depth[i] - least) / (most - least), 0.0f, 1.0f) : 0.0f;
    pixels[i] = 0xff000000u | uint32_t(std::lround(255 * (1 - far))) * 0x010101u;
  }
  return pixels;
}

// Runs on the render thread. The context lives as long as the job: no other thread ever meets it. Its loader fills
// GLAD's table again with the same entry points, which belong to the dispatcher that EGL and GLX share and not to a
// context.
Comparison compare(RenderContext& c) {
  Comparison found;
  found.colors = same_colors(c);
  RenderOptions options = c.settings.options;
  options.trace = false;
  const RenderResult result = c.renderer.render(c.prepared, options);
  if (result.aborted) throw std::runtime_error("the frame was cut off; there is nothing to compare");
  const Layer& ours = result.targets[c.target].layers[c.layer];

  EglContext context;
  GlRenderer gl(context);
  gl.prepare(c.frame);
  const bool material = options.shading == Shading::material && found.colors;
  found.gl_ms = gl.draw({material ? GlShading::material : GlShading::flat, options.command_limit}).frame_ms;
  found.renderer = context.renderer();
  GlLayer theirs = gl.read(c.target, c.layer);
  Layer layer;
  layer.width = theirs.width;
  layer.height = theirs.height;
  layer.color = std::move(theirs.color);
  layer.color_float = std::move(theirs.color_float);

  std::vector<uint32_t>& mine = found.ours;
  std::vector<uint32_t> others;
  if (found.colors) {
    mine = screen_pixels(ours);
    others = screen_pixels(layer);
  } else {
    const auto [least, most] = std::minmax_element(ours.depth.begin(), ours.depth.end());
    mine = depth_picture(ours.depth, *least, *most);
    others = depth_picture(theirs.depth, *least, *most);
  }
  found.image = compare_images(mine, others);
  found.reference = std::make_shared<Picture>(Picture{layer.width, layer.height, std::move(others)});
  for (size_t i = 0; i < ours.depth.size(); ++i)
    found.depth_differing += !(std::abs(ours.depth[i] - theirs.depth[i]) <= kDepthTolerance);
  return found;
}
#else
Comparison compare(RenderContext&) {
  throw std::runtime_error("this viewer was built without the OpenGL reference (BROKKR_REFERENCE)");
}
#endif

class ComparePanel : public Panel {
 public:
  const char* name() const override { return "Compare"; }

  bool on_key(ViewerState& state, const KeyEvent& event) override {
    const bool reference = event.action == Action::hold_reference;
    if (!reference && event.action != Action::hold_difference) return false;
    (reference ? reference_held_ : difference_held_) = event.down;
    if (event.down) ask(state);
    return true;
  }

  void draw(ViewerState& state) override {
    if (!state.last) return ImGui::TextDisabled("no frame yet");
    if (ImGui::Button("Compare with OpenGL")) ask(state);
    int view = int(view_);
    ImGui::RadioButton("Brokkr", &view, 0);
    ImGui::SameLine();
    ImGui::RadioButton("OpenGL (hold C)", &view, 1);
    ImGui::SameLine();
    ImGui::RadioButton("difference (hold V)", &view, 2);
    view_ = View(view);
    ImGui::SliderInt("amplification", &gain_, 1, 64, "%d times",
                     ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_Logarithmic);
    ImGui::Separator();
    draw_numbers(state);
  }

  // Decides in every UI frame which picture is shown: that of a held key, else that of the panel.
  void draw_over_image(ViewerState& state, ImDrawList& list) override {
    const View wanted = reference_held_ ? View::reference : difference_held_ ? View::difference : view_;
    std::shared_ptr<const Picture> picture;
    if (wanted != View::ours && state.last) {
      ask(state);
      if (wanted == View::difference) amplify(state);
      picture = wanted == View::reference ? found_->reference : found_->difference;
    }
    if (picture != shown_) {
      shown_ = picture;
      if (picture) texture_.set(picture->width, picture->height, picture->pixels);
    }
    if (!picture) return;
    const ImageView& view = state.view;
    const glm::vec2 a = view.to_screen({0, float(view.height)}), b = view.to_screen({float(view.width), 0});
    list.PushClipRect(im(view.area_begin), im(view.area_end), true);
    texture_.draw(list, im(a), im(b));
    list.PopClipRect();
  }

 private:
  enum class View { ours, reference, difference };

  bool is_current(const ViewerState& state) const { return asked_ == state.last->source(); }

  void ask(ViewerState& state) {
    if (!state.last || is_current(state)) return;
    found_ = std::make_shared<Comparison>();
    asked_ = state.last->source();
    under_way_ = state.commands.run([found = found_](RenderContext& c) -> RenderAnswer {
      Comparison result;
      try {
        result = compare(c);
      } catch (const std::exception& error) {
        result.problem = error.what();
      }
      return [found, result = std::move(result)] { *found = result; };
    });
  }

  // Once the pictures are there, only `difference` and `gain` of the comparison change.
  void amplify(ViewerState& state) {
    if (!found_->reference || found_->gain == gain_ || !under_way_.expired()) return;
    under_way_ = state.commands.run([found = found_, gain = gain_](RenderContext&) -> RenderAnswer {
      auto difference = std::make_shared<Picture>(*found->reference);
      difference->pixels = amplified_difference(found->ours, found->reference->pixels, gain);
      return [found, gain, difference] {
        found->difference = difference;
        found->gain = gain;
      };
    });
  }

  void draw_numbers(ViewerState& state) {
    if (!found_->reference && !under_way_.expired()) return ImGui::TextDisabled("OpenGL draws ...");
    const Comparison& found = *found_;
    if (!found.problem.empty()) return ImGui::TextWrapped("%s", app::printable(found.problem).c_str());
    if (!found.reference) return ImGui::TextDisabled("not compared yet");
    if (!is_current(state)) ImGui::TextColored(kNotice, "of an earlier frame");
    if (!found.colors)
      ImGui::TextWrapped("With this shading the two draw other colours: depths are compared, as grey.");
    const ImageComparison& c = found.image;
    const auto share = [&](uint64_t n) {
      return app::grouped(n) + " (" + app::fixed(100 * double(n) / double(std::max<uint64_t>(c.pixels, 1)), 4) + " %)";
    };
    ImGui::Text("PSNR %s dB", std::isfinite(c.psnr_db) ? app::fixed(c.psnr_db, 2).c_str() : "infinite");
    ImGui::Text("differing pixels: %s", share(c.differing).c_str());
    ImGui::Text("by more than 1/255: %s", share(c.far).c_str());
    ImGui::Text("largest difference: %d/255", c.most);
    ImGui::Text("depth differs by more than 2e-5: %s", share(found.depth_differing).c_str());
    ImGui::TextDisabled("%s, %.2f ms", found.renderer.c_str(), found.gl_ms);
  }

  std::shared_ptr<Comparison> found_ = std::make_shared<Comparison>();
  std::weak_ptr<const RenderJob> under_way_;
  FrameSource asked_;
  std::shared_ptr<const Picture> shown_;
  PanelTexture texture_;
  View view_ = View::ours;
  bool reference_held_ = false, difference_held_ = false;
  int gain_ = 8;
};

}  // namespace

std::unique_ptr<Panel> make_compare_panel() { return std::make_unique<ComparePanel>(); }

}  // namespace brokkr::viewer
