// Compares the frame with OpenGL's picture of it, or with the picture of the game's own driver: shows that picture
// while a key is held, the difference, and numbers.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
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

// The renderer that Brokkr's picture is compared with.
enum class Peer { opengl, original };

// A result from the render thread.
struct Comparison {
  std::string problem;
  std::shared_ptr<const Picture> reference, difference;
  std::vector<uint32_t> ours;
  bool colors = true;                       // false: depths are compared, shown as pictures
  ImageComparison image;                    // empty if the sizes differ
  std::optional<uint64_t> depth_differing;  // number of pixels; empty if the peer has no depth of this size
  int gain = 0;                             // of `difference`; 0: not computed yet
  std::string peer;                         // the renderer that drew the reference, and the time it took
};

// Compares two pictures as displayed. `theirs` may have another size; then they are not compared.
void hold_against(Comparison& found, std::vector<uint32_t> ours, Picture theirs) {
  found.ours = std::move(ours);
  found.reference = std::make_shared<Picture>(std::move(theirs));
  if (found.ours.size() == found.reference->pixels.size())
    found.image = compare_images(found.ours, found.reference->pixels);
}

uint64_t differing_depths(const std::vector<float>& ours, const std::vector<float>& theirs) {
  uint64_t differing = 0;
  for (size_t i = 0; i < ours.size(); ++i) differing += !(std::abs(ours[i] - theirs[i]) <= kDepthTolerance);
  return differing;
}

// Draws the shown layer again with read-back.
Layer draw_again(RenderContext& c) {
  RenderOptions options = c.settings.options;
  options.trace = false;
  options.samples = 1;  // as the others draw
  RenderResult result = c.renderer.render(c.prepared, options);
  if (result.aborted) throw std::runtime_error("the frame was cut off; there is nothing to compare");
  return std::move(result.targets[c.target].layers[c.layer]);
}

// The file contains the picture of the game's driver. `scene`: as loaded, because a frame drawn at another size has no
// references.
Comparison compare_with_original(RenderContext& c, const Scene& scene) {
  const Reference* const reference = original_of(scene.frame, c.target);
  if (reference == nullptr) throw std::runtime_error("this file holds no picture of the game for this target");
  Comparison found;
  const Layer ours = draw_again(c);
  Image image = original_picture(scene.frame, *reference);
  if (reference->depth.size() == ours.depth.size())
    found.depth_differing = differing_depths(ours.depth, reference->depth);
  hold_against(found, screen_pixels(ours), {image.width, image.height, std::move(image.texels)});
  found.peer = scene.frame.application.empty() ? "the game's own driver" : scene.frame.application;
  return found;
}

#if defined(BROKKR_VIEWER_REFERENCE)
bool shows_materials(Shading shading) { return shading == Shading::material || shading == Shading::program; }

// Returns true if both renderers draw the same colours. OpenGL numbers primitives differently, and captured draws have
// no material.
bool same_colors(const RenderContext& c) {
  if (c.settings.options.shading == Shading::flat) return true;
  if (!shows_materials(c.settings.options.shading)) return false;
  return std::all_of(c.frame.commands.begin(), c.frame.commands.end(), [&](const Command& command) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    return draw == nullptr || c.frame.materials[draw->material].kind != MaterialKind::none;
  });
}

// Depth as grey, near is bright; both pictures of a comparison use the same range.
std::vector<uint32_t> depth_picture(const std::vector<float>& depth, float min, float max) {
  std::vector<uint32_t> pixels(depth.size());
  for (size_t i = 0; i < depth.size(); ++i) {
    const float far = max > min ? std::clamp((depth[i] - min) / (max - min), 0.0f, 1.0f) : 0.0f;
    pixels[i] = 0xff000000u | uint32_t(std::lround(255 * (1 - far))) * 0x010101u;
  }
  return pixels;
}

// The context exists only during the job, so no other thread uses it. Its loader fills GLAD's table again with the same
// entry points, which belong to the dispatcher that EGL and GLX share, not to a context.
Comparison compare_with_opengl(RenderContext& c) {
  Comparison found;
  found.colors = same_colors(c);
  const Layer ours = draw_again(c);
  const RenderOptions& options = c.settings.options;

  EglContext context;
  GlRenderer gl(context);
  gl.prepare(c.frame, true);
  const bool material = shows_materials(options.shading) && found.colors;
  const GlDrawStatistics drawn = gl.draw({material ? GlShading::material : GlShading::flat, options.command_limit});
  found.peer = context.renderer() + ", " + app::fixed(drawn.frame_ms, 2) + " ms";
  GlLayer theirs = gl.read(c.target, c.layer);
  found.depth_differing = differing_depths(ours.depth, theirs.depth);
  Layer layer;
  layer.width = theirs.width;
  layer.height = theirs.height;
  layer.color = std::move(theirs.color);
  layer.color_float = std::move(theirs.color_float);
  if (found.colors) {
    hold_against(found, screen_pixels(ours), {layer.width, layer.height, screen_pixels(layer)});
  } else {
    const auto [min, max] = std::minmax_element(ours.depth.begin(), ours.depth.end());
    hold_against(found, depth_picture(ours.depth, *min, *max),
                 {layer.width, layer.height, depth_picture(theirs.depth, *min, *max)});
  }
  return found;
}
#else
Comparison compare_with_opengl(RenderContext&) {
  throw std::runtime_error("this viewer was built without the OpenGL reference (BROKKR_REFERENCE)");
}
#endif

class ComparePanel : public Panel {
 public:
  const char* name() const override { return "Compare"; }
  Section section() const override { return Section::compare; }

  bool on_key(ViewerState& state, const KeyEvent& event) override {
    std::optional<View> wanted;
    if (event.action == Action::hold_reference) wanted = View::opengl;
    if (event.action == Action::hold_original) wanted = View::original;
    if (event.action == Action::hold_difference) wanted = View::difference;
    if (!wanted) return false;
    if (event.down) {
      held_ = wanted;
      choose(*wanted);
      ask(state);
    } else if (held_ == wanted) {
      held_.reset();
    }
    return true;
  }

  void draw(ViewerState& state) override {
    if (!state.last) return ImGui::TextDisabled("no frame yet");
    wrapped("Compares the frame with OpenGL's picture of it, or with the picture that the game's driver drew.");
    if (ImGui::Button("Compare with OpenGL")) {
      peer_ = Peer::opengl;
      ask(state);
    }
    ImGui::SameLine();
    if (ImGui::Button("Compare with the game")) {
      peer_ = Peer::original;
      ask(state);
    }
    constexpr std::pair<View, const char*> kViews[] = {{View::ours, "Brokkr"},
                                                       {View::opengl, "OpenGL (hold C)"},
                                                       {View::original, "the game's own (hold G)"},
                                                       {View::difference, "difference (hold V)"}};
    for (const auto& [view, text] : kViews) {
      if (radio(text, view_ == view)) choose(view_ = view);
    }
    slider_row("amplification", &gain_, 1, 64, "%d times", ImGuiSliderFlags_Logarithmic);
    group_header("Difference");
    draw_numbers(state);
  }

  // Decides in every UI frame which picture is shown: the one whose key is held, or the panel's choice.
  void draw_over_image(ViewerState& state, ImDrawList& list) override {
    const View wanted = held_.value_or(view_);
    std::shared_ptr<const Picture> picture;
    if (wanted != View::ours && state.last) {
      ask(state);
      if (wanted == View::difference) amplify(state);
      picture = wanted == View::difference ? asked().found->difference : asked().found->reference;
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
  enum class View { ours, opengl, original, difference };

  // The newest comparison with one peer.
  struct Asked {
    std::shared_ptr<Comparison> found = std::make_shared<Comparison>();
    std::weak_ptr<const RenderJob> under_way;
    FrameSource source;
  };
  Asked& asked() { return asked_[size_t(peer_)]; }

  // The difference refers to the peer that was chosen last.
  void choose(View view) {
    if (view == View::opengl) peer_ = Peer::opengl;
    if (view == View::original) peer_ = Peer::original;
  }

  bool is_current(const ViewerState& state) { return asked().source == state.last->source(); }

  void ask(ViewerState& state) {
    if (!state.last || is_current(state)) return;
    Asked& asked = this->asked();
    asked.found = std::make_shared<Comparison>();
    asked.source = state.last->source();
    const auto compare = [peer = peer_, scene = state.last->scene](RenderContext& c) {
      return peer == Peer::opengl ? compare_with_opengl(c) : compare_with_original(c, *scene);
    };
    asked.under_way = state.commands.run([found = asked.found, compare](RenderContext& c) -> RenderAnswer {
      Comparison result;
      try {
        result = compare(c);
      } catch (const std::exception& error) {
        result.problem = error.what();
      }
      return [found, result = std::move(result)] { *found = result; };
    });
  }

  // Once the pictures exist, only `difference` and `gain` of the comparison change.
  void amplify(ViewerState& state) {
    Asked& asked = this->asked();
    if (!asked.found->reference || asked.found->gain == gain_ || !asked.under_way.expired()) return;
    if (asked.found->image.pixels == 0) return;
    asked.under_way = state.commands.run([found = asked.found, gain = gain_](RenderContext&) -> RenderAnswer {
      auto difference = std::make_shared<Picture>(*found->reference);
      difference->pixels = amplified_difference(found->ours, found->reference->pixels, gain);
      return [found, gain, difference] {
        found->difference = difference;
        found->gain = gain;
      };
    });
  }

  void draw_numbers(ViewerState& state) {
    const Comparison& found = *asked().found;
    const bool waiting = !asked().under_way.expired();
    if (!found.reference && waiting)
      return ImGui::TextDisabled(peer_ == Peer::opengl ? "OpenGL is drawing ..." : "reading the picture ...");
    if (!found.problem.empty()) return ImGui::TextWrapped("%s", app::printable(found.problem).c_str());
    if (!found.reference) return ImGui::TextDisabled("not compared yet");
    if (!is_current(state)) ImGui::TextColored(kNotice, "of an earlier frame");
    if (!found.colors)
      ImGui::TextWrapped(
          "With this shading, the two draw different colours, so their depths are compared, shown as grey.");
    const ImageComparison& c = found.image;
    const auto share = [&](uint64_t n) {
      return app::grouped(n) + " (" + app::fixed(100 * double(n) / double(std::max<size_t>(found.ours.size(), 1)), 4) +
             " %)";
    };
    if (c.pixels > 0) {
      ImGui::Text("PSNR %s dB", std::isfinite(c.psnr_db) ? app::fixed(c.psnr_db, 2).c_str() : "infinite");
      ImGui::Text("differing pixels: %s", share(c.differing).c_str());
      ImGui::Text("by more than 1/255: %s", share(c.far).c_str());
      ImGui::Text("largest difference: %d/255", c.max_difference);
    } else {
      ImGui::TextWrapped(
          "The pictures have different sizes; choose the size of the file to compare them (panel Scene).");
    }
    if (found.depth_differing)
      ImGui::Text("depth differs by more than 2e-5: %s", share(*found.depth_differing).c_str());
    ImGui::TextDisabled("%s", app::printable(found.peer).c_str());
  }

  std::array<Asked, 2> asked_;  // by Peer
  Peer peer_ = Peer::opengl;
  std::shared_ptr<const Picture> shown_;
  PanelTexture texture_{PanelTexture::Kind::picture};
  View view_ = View::ours;
  std::optional<View> held_;
  int gain_ = 8;
};

}  // namespace

std::unique_ptr<Panel> make_compare_panel() { return std::make_unique<ComparePanel>(); }

}  // namespace brokkr::viewer
