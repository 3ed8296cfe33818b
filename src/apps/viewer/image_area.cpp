#include "viewer/image_area.h"

#include <GLFW/glfw3.h>
#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "app/text.h"
#include "inspect/load_map.h"
#include "plan/color_code.h"
#include "viewer/looks.h"
#include "viewer/window.h"

namespace brokkr::viewer {
namespace {

constexpr float kClickRadius = 4;  // a click may move the mouse by this many screen pixels

glm::vec2 vector(const ImVec2& v) { return {v.x, v.y}; }

}  // namespace

float fitting_zoom(glm::vec2 size, glm::vec2 area) {
  const float whole = std::min(area.x / size.x, area.y / size.y);
  return whole > 2 ? std::floor(whole) : whole;
}

void ImageArea::draw(ViewerState& state, unsigned texture, int width, int height, glm::vec2 begin, glm::vec2 end) {
  ImageView& view = state.view;
  view.area_begin = begin;
  view.area_end = end;
  view.width = width;
  view.height = height;
  const glm::vec2 area = glm::max(end - begin, glm::vec2(1)), size(std::max(width, 1), std::max(height, 1));
  if (fits_) {
    zoom_ = fitting_zoom(size, area);
    offset_ = glm::vec2(0);
  }
  view.zoom = zoom_;
  // Round to screen pixels, so that at 1:1 every image pixel is one screen pixel.
  view.origin = glm::round(begin + area / 2.0f + offset_ - size * zoom_ / 2.0f);
  const ImGuiIO& io = ImGui::GetIO();
  const glm::vec2 mouse = vector(io.MousePos);
  view.hovered = !io.WantCaptureMouse && mouse.x >= begin.x && mouse.y >= begin.y && mouse.x < end.x && mouse.y < end.y;
  if (texture == 0 || width == 0) return;
  ImDrawList* const list = ImGui::GetBackgroundDrawList();
  // Between zoom 1 and 2, pixels would be squares of different sizes, so the image is smoothed.
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, zoom_ < 2 ? GL_LINEAR : GL_NEAREST);
  list->PushClipRect(im(begin), im(end), true);
  list->AddImage(im(texture), im(view.origin), im(view.origin + size * zoom_), {0, 1}, {1, 0});
  list->PopClipRect();
}

void ImageArea::zoom(const ViewerState& state, float factor, glm::vec2 around) {
  const float next = std::clamp(state.view.zoom * factor, 1.0f / 32, 128.0f);
  const glm::vec2 center = (state.view.area_begin + state.view.area_end) / 2.0f + offset_;
  // Keep the point under `around` in place.
  set_zoom(next, offset_ + (around - center) * (1 - next / state.view.zoom));
}

void ImageArea::drag(ViewerState& state, glm::vec2 moved) {
  const float height = std::max(1.0f, float(state.view.height) * state.view.zoom);
  switch (drag_) {
    case Drag::orbit: state.camera.orbit(moved, height); break;
    case Drag::pan_camera: state.camera.pan(moved, height); break;
    case Drag::fly: state.camera.look(moved, height); break;
    case Drag::pan_image: set_zoom(state.view.zoom, offset_ + moved); break;
    default: break;
  }
}

void ImageArea::handle_mouse(ViewerState& state, const Window& window, const std::function<void(glm::vec2)>& click) {
  ImGuiIO& io = ImGui::GetIO();
  const glm::vec2 mouse = vector(io.MousePos);
  const bool captured = state.scene && state.scene->clip_space;
  const bool has_camera = state.scene && state.scene->has_camera();
  const bool moves_image = (captured && !io.KeyShift) || io.KeyCtrl || !has_camera;
  const auto begin = [&](ImGuiMouseButton button, Drag drag) {
    if (drag_ != Drag::none || !ImGui::IsMouseClicked(button)) return;
    drag_ = drag;
    button_ = button;
    pressed_at_ = mouse;
  };
  if (state.view.hovered && drag_ == Drag::none) {
    begin(ImGuiMouseButton_Left, Drag::maybe_click);
    begin(ImGuiMouseButton_Middle, moves_image ? Drag::pan_image : Drag::pan_camera);
    if (has_camera) begin(ImGuiMouseButton_Right, Drag::fly);
    if (io.MouseWheel != 0 && moves_image) zoom(state, std::pow(1.25f, io.MouseWheel), mouse);
    if (io.MouseWheel != 0 && !moves_image) state.camera.dolly(io.MouseWheel);
  }
  if (state.is_toy() && drag_ == Drag::maybe_click) {
    // iMouse: the current position, and the position of the press, which becomes negative on release.
    const glm::vec2 pixel = state.view.to_pixel(mouse), pressed = state.view.to_pixel(pressed_at_);
    const double held = io.MouseDown[button_] ? 1 : -1;
    state.shader.set_mouse({pixel.x, pixel.y, held * pressed.x, (ImGui::IsMouseClicked(button_) ? 1 : -1) * pressed.y});
    state.commands.request_render();
  } else if (drag_ == Drag::maybe_click && glm::length(mouse - pressed_at_) > kClickRadius)
    drag_ = has_camera ? Drag::orbit : Drag::pan_image;
  const bool held = drag_ != Drag::none && io.MouseDown[button_];
  // Movement after the release of the button does not belong to the drag.
  const glm::vec2 moved = held ? vector(io.MouseDelta) : glm::vec2(0);
  if (moved != glm::vec2(0)) drag(state, moved);

  if (flying() && !io.WantTextInput) {
    const auto axis = [&](int more, int less) {
      return (window.key_down(more) ? 1.0f : 0.0f) - (window.key_down(less) ? 1.0f : 0.0f);
    };
    const glm::vec3 direction(axis(GLFW_KEY_D, GLFW_KEY_A), axis(GLFW_KEY_E, GLFW_KEY_Q), axis(GLFW_KEY_W, GLFW_KEY_S));
    const float speed = io.KeyShift ? 4.0f : 1.0f;
    if (direction != glm::vec3(0)) state.camera.fly(direction * speed, std::min(io.DeltaTime, 0.1f));
  }
  if (held) return;
  if (drag_ == Drag::maybe_click) click(state.view.to_pixel(mouse));
  drag_ = Drag::none;
}

ImageLegend shading_legend(Shading shading) {
  ImageLegend legend;
  if (shading == Shading::overdraw) {
    legend.title = "fragments per pixel";
    for (size_t i = kOverdrawColors.size(); i-- > 0;) {
      const uint64_t first = i == 0 ? 0 : uint64_t(1) << (i - 1), last = i == 0 ? 0 : 2 * first - 1;
      std::string text = std::to_string(first);
      if (i + 1 == kOverdrawColors.size())
        text += " or more";
      else if (last > first)
        text += " to " + std::to_string(last);
      legend.steps.push_back({kOverdrawColors[i], text});
    }
  } else if (shading == Shading::depth) {
    legend.title = "window depth";
    for (const auto& [grey, text] : {std::pair{255u, "0 (near)"}, {191u, "0.938"}, {127u, "0.996"}, {0u, "1 (far)"}})
      legend.steps.push_back({IM_COL32(grey, grey, grey, 255), text});
  } else if (shading == Shading::normal) {
    legend.title = "surface normal";
    legend.steps = {{IM_COL32(255, 128, 128, 255), "towards x"},
                    {IM_COL32(128, 255, 128, 255), "towards y"},
                    {IM_COL32(128, 128, 255, 255), "towards z"}};
  }
  return legend;
}

ImageLegend heat_legend(uint64_t max_fragments) {
  ImageLegend legend{"fragments per bin", {}};
  constexpr int kSteps = 8;
  for (int i = kSteps; i >= 0; --i)
    legend.steps.push_back(
        {heat_color(double(i) / kSteps), i % 2 == 0 ? app::grouped(max_fragments * uint64_t(i) / kSteps) : ""});
  return legend;
}

void draw_legend(ImDrawList& list, const ImageView& view, const ImageLegend& legend, bool right) {
  if (legend.steps.empty()) return;
  const float em = ImGui::GetFontSize(), pad = 0.4f * em, box = 1.2f * em;
  const glm::vec2 area = view.area_end - view.area_begin;
  float text_width = 0;
  for (const LegendStep& step : legend.steps)
    text_width = std::max(text_width, ImGui::CalcTextSize(step.text.c_str()).x);
  const float wanted = std::max(box + pad + text_width, ImGui::CalcTextSize(legend.title.c_str()).x) + 2 * pad;
  const float width = std::min(wanted, area.x), wrap = width - 2 * pad;
  const float title = ImGui::CalcTextSize(legend.title.c_str(), nullptr, false, wrap).y;
  const float line = std::min(1.2f * em, std::max(1.0f, (area.y - title - 3 * pad) / float(legend.steps.size())));
  const glm::vec2 size(width, title + 3 * pad + line * float(legend.steps.size()));
  const glm::vec2 top_left(right ? view.area_end.x - size.x : view.area_begin.x, view.area_end.y - size.y);
  list.PushClipRect(im(view.area_begin), im(view.area_end), true);
  list.AddRectFilled(im(top_left), im(top_left + size), theme::faded(theme::kBackdrop, 0.85f));
  list.AddText(ImGui::GetFont(), em, {top_left.x + pad, top_left.y + pad}, IM_COL32_WHITE, legend.title.c_str(),
               nullptr, wrap);
  float y = top_left.y + title + 2 * pad;
  for (const LegendStep& step : legend.steps) {
    list.AddRectFilled({top_left.x + pad, y}, {top_left.x + pad + box, y + line}, step.color);
    list.AddText({top_left.x + 2 * pad + box, y + (line - em) / 2}, IM_COL32_WHITE, step.text.c_str());
    y += line;
  }
  list.PopClipRect();
}

}  // namespace brokkr::viewer
