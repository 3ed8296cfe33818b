#include "viewer/pixel_facts.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "app/text.h"
#include "brokkr/image.h"

namespace brokkr::viewer {
namespace {

constexpr ImU32 kDark = IM_COL32(0, 0, 0, 185);
constexpr double kLongFrame = 2000;  // milliseconds; the mouse alone does not make a slower frame be drawn again
constexpr float kValueLines = 4.4f;  // minimum height of a pixel that shows its values, in font sizes

// A text colour that is readable on this colour.
ImU32 text_on(uint32_t color) {
  const uint32_t bright = 2 * (color & 255) + 5 * (color >> 8 & 255) + (color >> 16 & 255);
  return bright > 8 * 120 ? IM_COL32(0, 0, 0, 255) : IM_COL32(255, 255, 255, 255);
}

}  // namespace

std::optional<uint32_t> focus_of(const ViewerState& state) {
  if (!state.scene || !state.chosen_draw || state.is_painted()) return std::nullopt;
  const uint32_t draw = *state.chosen_draw;
  const FrameSettings& s = state.settings;
  if (s.hidden_commands.contains(draw)) return std::nullopt;
  const bool is_last = s.options.command_limit == draw + 1;
  const bool is_alone = state.scene->draws > 1 && s.hidden_commands.size() + 1 == state.scene->draws;
  return is_last || is_alone ? state.chosen_draw : std::nullopt;
}

bool PixelFacts::is_current(const ViewerState& state) const {
  return state.last && !facts_->colors.empty() && facts_->source == state.last->source() &&
         facts_->width == state.last->width && facts_->height == state.last->height;
}

// Draws the last frame again with read-back.
void PixelFacts::ask(ViewerState& state) {
  if (!state.last || state.last->painting || state.last->scene != state.scene || is_current(state)) return;
  if (!under_way_.expired()) return;
  under_way_ = state.commands.run([this, source = state.last->source()](RenderContext& c) -> RenderAnswer {
    RenderOptions options = c.settings.options;
    options.trace = false;
    options.keep_ids = true;
    const RenderResult result = c.renderer.render(c.prepared, options);
    if (result.aborted) return {};
    const Layer& layer = result.targets[c.target].layers[c.layer];
    auto facts = std::make_shared<Facts>();
    facts->source = source;
    facts->width = layer.width;
    facts->height = layer.height;
    facts->colors = screen_pixels(layer);
    facts->depth = layer.depth;
    facts->draws.assign(facts->colors.size(), kNoDraw);
    uint32_t last = ~0u, command = kNoDraw;  // neighbouring pixels mostly share a primitive
    for (size_t i = 0; i < facts->draws.size(); ++i) {
      const uint32_t id = layer.visible_id[i] != ~0u ? layer.visible_id[i] : layer.depth_id[i];
      if (id == ~0u) continue;
      if (id != last) command = c.prepared.origin(last = id).command;
      facts->draws[i] = command;
    }
    return [this, facts] { facts_ = facts; };
  });
}

// Makes a mask that darkens all pixels outside the draw and outlines the draw. `outline`: width in pixels.
void PixelFacts::make_mask(uint32_t command, int outline) {
  const int width = facts_->width, height = facts_->height;
  std::vector<uint32_t> pixels(facts_->draws.size(), kDark);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto index = [&](int column, int row) { return size_t(row) * size_t(width) + size_t(column); };
      if (facts_->draws[index(x, y)] != command) continue;
      const bool at_edge = std::min({x, y, width - 1 - x, height - 1 - y}) < outline;
      pixels[index(x, y)] = at_edge ? theme::kAccent : 0;
      for (int row = std::max(y - outline, 0); row <= std::min(y + outline, height - 1); ++row) {
        for (int column = std::max(x - outline, 0); column <= std::min(x + outline, width - 1); ++column) {
          if (facts_->draws[index(column, row)] != command) pixels[index(column, row)] = theme::kAccent;
        }
      }
    }
  }
  mask_.set(width, height, pixels);
  mask_of_ = facts_;
  mask_command_ = command;
  mask_outline_ = outline;
}

void PixelFacts::draw_focus(const ViewerState& state, ImDrawList& list, uint32_t command) {
  const ImageView& view = state.view;
  const int outline = std::clamp(int(std::ceil(1.2f / view.zoom)), 1, 8);
  if (mask_of_ != facts_ || mask_command_ != command || mask_outline_ != outline) make_mask(command, outline);
  list.PushClipRect(im(view.area_begin), im(view.area_end), true);
  mask_.draw(list, im(view.to_screen({0, float(facts_->height)})), im(view.to_screen({float(facts_->width), 0})));
  list.PopClipRect();
}

// Shows red, green and blue of each visible pixel.
void PixelFacts::draw_values(const ImageView& view, ImDrawList& list) const {
  const float em = ImGui::GetFontSize();
  const glm::vec2 a = view.to_pixel(view.area_begin), b = view.to_pixel(view.area_end);
  list.PushClipRect(im(view.area_begin), im(view.area_end), true);
  for (int y = std::max(int(b.y), 0); y < std::min(int(a.y) + 1, facts_->height); ++y) {
    for (int x = std::max(int(a.x), 0); x < std::min(int(b.x) + 1, facts_->width); ++x) {
      const uint32_t color = facts_->colors[size_t(y) * size_t(facts_->width) + size_t(x)];
      const glm::vec2 center = view.to_screen(glm::vec2(x, y) + 0.5f);
      for (int channel = 0; channel < 3; ++channel) {
        const std::string text = std::to_string(color >> (8 * channel) & 255);
        const float width = ImGui::CalcTextSize(text.c_str()).x;
        list.AddText({std::round(center.x - width / 2), std::round(center.y + (float(channel) - 1.5f) * em)},
                     text_on(color), text.c_str());
      }
    }
  }
  list.PopClipRect();
}

// Describes the pixel under the mouse in the upper left corner of the image's area.
void PixelFacts::draw_line(const ViewerState& state, ImDrawList& list) const {
  const ImageView& view = state.view;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const glm::vec2 pixel = glm::floor(view.to_pixel({mouse.x, mouse.y}));
  std::string text = std::to_string(int(pixel.x)) + ", " + std::to_string(int(pixel.y));
  std::optional<uint32_t> color;
  if (is_current(state)) {
    const size_t i = size_t(pixel.y) * size_t(facts_->width) + size_t(pixel.x);
    color = facts_->colors[i];
    text += "   rgb " + std::to_string(*color & 255) + " " + std::to_string(*color >> 8 & 255) + " " +
            std::to_string(*color >> 16 & 255);
    if (!facts_->depth.empty()) text += "   depth " + app::fixed(double(facts_->depth[i]), 6);
    if (const uint32_t command = facts_->draws[i]; command == kNoDraw) {
      text += "   no draw";
    } else {
      const auto* const draw = std::get_if<DrawCommand>(&state.last->scene->frame.commands[command]);
      text += "   draw " + std::to_string(command);
      if (draw != nullptr && !draw->label.empty()) text += " " + app::printable(draw->label);
    }
  }
  const float em = ImGui::GetFontSize(), pad = 0.4f * em;
  const glm::vec2 top_left = view.area_begin + pad;
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const float swatch = color ? em + pad : 0;
  list.PushClipRect(im(view.area_begin), im(view.area_end), true);
  list.AddRectFilled(im(top_left), {top_left.x + size.x + swatch + 2 * pad, top_left.y + size.y + pad},
                     theme::faded(theme::kBackdrop, 0.9f), 3);
  if (color)
    list.AddRectFilled({top_left.x + pad, top_left.y + pad / 2}, {top_left.x + pad + em, top_left.y + pad / 2 + em},
                       *color | IM_COL32_A_MASK);
  list.AddText({top_left.x + pad + swatch, top_left.y + pad / 2}, theme::kText, text.c_str());
  list.PopClipRect();
}

void PixelFacts::draw(ViewerState& state, ImDrawList& list, bool darken) {
  state.pointed_draw.reset();
  if (!state.last || state.view.width == 0) return;
  const std::optional<uint32_t> focus = darken ? focus_of(state) : std::nullopt;
  const bool has_values = state.view.zoom > kValueLines * ImGui::GetFontSize();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const glm::vec2 pixel = state.view.to_pixel({mouse.x, mouse.y});
  const bool over = state.view.hovered && pixel.x >= 0 && pixel.y >= 0 && pixel.x < float(state.view.width) &&
                    pixel.y < float(state.view.height);
  const bool wants = over && !state.continuous && state.last->result.statistics.frame_ms < kLongFrame;
  if (focus || has_values || wants) ask(state);
  if (is_current(state)) {
    const auto whole = glm::uvec2(glm::max(pixel, glm::vec2(0)));
    const uint32_t command = over ? facts_->draws[size_t(whole.y) * size_t(facts_->width) + whole.x] : kNoDraw;
    if (command != kNoDraw) state.pointed_draw = command;
    if (focus) draw_focus(state, list, *focus);
    if (has_values) draw_values(state.view, list);
  }
  if (over) draw_line(state, list);
}

}  // namespace brokkr::viewer
