// One pixel and what happened to it; draws hidden, alone, or step by step.
#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>

#include "cli/text.h"
#include "inspect/draw_list.h"
#include "inspect/pixel_history.h"
#include "viewer/job_guard.h"
#include "viewer/panels.h"

namespace brokkr::viewer {
namespace {

// What the render thread found out. Lives as long as the panel or a job needs it.
struct Answer {
  std::mutex mutex;
  bool waiting = false;
  std::optional<PixelHistory> history;
  double took_ms = 0;
};

ImVec4 color_of(ColorFormat format, uint32_t low) {
  if (format == ColorFormat::rgba16f) return {0.5f, 0.5f, 0.5f, 1};
  return {float(low & 255) / 255, float(low >> 8 & 255) / 255, float(low >> 16 & 255) / 255, 1};
}

void swatch(const char* id, ColorFormat format, uint32_t low, uint32_t high) {
  const float size = ImGui::GetFontSize();
  ImGui::ColorButton(id, color_of(format, low), ImGuiColorEditFlags_NoTooltip | ImGuiColorEditFlags_NoAlpha,
                     {size, size});
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", color_text(format, low, high).c_str());
}

class InspectPanel : public Panel {
 public:
  const char* name() const override { return "Inspect"; }

  void add_keys(ViewerState& state, KeyTable& keys) override {
    const auto add = [&](int key, const char* help, std::function<void()> press) {
      keys.add({.key = key, .group = "Draws", .help = help, .press = std::move(press)});
    };
    add(GLFW_KEY_PERIOD, "Up to the next draw", [this, &state] { step(state, 1); });
    add(GLFW_KEY_COMMA, "Up to the draw before", [this, &state] { step(state, -1); });
    add(GLFW_KEY_I, "The chosen draw alone, or all", [this, &state] { isolate(state); });
    add(GLFW_KEY_X, "Hide or show the chosen draw", [this, &state] { toggle_hidden(state); });
    add(GLFW_KEY_BACKSPACE, "All draws again", [this, &state] { show_all(state); });
  }

  void draw(ViewerState& state) override {
    drawn_ = true;
    if (!state.scene) return ImGui::TextDisabled("nothing loaded");
    if (scene_.lock() != state.scene) forget(state);
    draw_pixel(state);
    ImGui::Separator();
    draw_draws(state);
  }

  void draw_over_image(ViewerState& state, ImDrawList& list) override {
    open_ = drawn_;
    drawn_ = false;
    if (!open_ || !pixel_) return;
    const glm::vec2 p(pixel_->x, pixel_->y);
    const glm::vec2 low = state.view.to_screen(p + glm::vec2(0, 1)),
                    high = state.view.to_screen(p + glm::vec2(1, 0));
    const float grow = state.view.zoom < 6 ? 5.0f : 1.0f;
    list.AddRect({low.x - grow - 1, low.y - grow - 1}, {high.x + grow + 1, high.y + grow + 1},
                 IM_COL32(0, 0, 0, 255), 0, 0, 3);
    list.AddRect({low.x - grow, low.y - grow}, {high.x + grow, high.y + grow}, IM_COL32(255, 220, 60, 255), 0,
                 0, 1.5f);
    const std::lock_guard lock(answer_->mutex);
    if (!answer_->history) return;
    const PixelHistory& h = *answer_->history;
    const glm::vec2 bin = glm::vec2(h.bin_x, h.bin_y) * float(h.bin);
    const glm::vec2 a = state.view.to_screen(bin + glm::vec2(0, h.bin)),
                    b = state.view.to_screen(bin + glm::vec2(h.bin, 0));
    list.AddRect({a.x, a.y}, {b.x, b.y}, IM_COL32(255, 220, 60, 130));
  }

  bool on_click(ViewerState& state, glm::vec2 pixel) override {
    if (!open_ || !state.last) return false;
    const int x = int(std::floor(pixel.x)), y = int(std::floor(pixel.y));
    if (x < 0 || y < 0 || x >= state.last->width || y >= state.last->height) return false;
    pixel_ = glm::ivec2(x, y);
    ask(state);
    return true;
  }

  void on_frame(ViewerState& state) override {
    if (!open_ || !pixel_ || !state.last) return;
    if (pixel_->x >= state.last->width || pixel_->y >= state.last->height) {
      pixel_.reset();
      return;
    }
    const std::string camera = state.last->camera ? camera_text(*state.last->camera) : "";
    if (asked_settings_ == state.last->settings && asked_camera_ == camera) return;
    ask(state);
  }

 private:
  void forget(ViewerState& state) {
    scene_ = state.scene;
    pixel_.reset();
    chosen_.reset();
    draws_ = draw_commands(state.scene->frame);
    answer_ = std::make_shared<Answer>();
  }

  // The history of the pixel in the frame that was drawn last.
  void ask(ViewerState& state) {
    {
      const std::lock_guard lock(answer_->mutex);
      if (answer_->waiting) return;
      answer_->waiting = true;
    }
    asked_settings_ = state.last->settings;
    asked_camera_ = state.last->camera ? camera_text(*state.last->camera) : "";
    state.commands.run([answer = answer_, guard = when_gone(answer_), pixel = *pixel_,
                        &commands = state.commands](RenderContext& c) {
      std::optional<PixelHistory> history;
      const auto begin = Clock::now();
      try {
        history = pixel_history(c.prepared, {c.target, c.layer, pixel.x, pixel.y}, c.settings.options);
      } catch (const std::invalid_argument&) {
        // The frame became smaller meanwhile: its next picture asks again.
      }
      {
        const std::lock_guard lock(answer->mutex);
        answer->waiting = false;
        answer->history = std::move(history);
        answer->took_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
      }
      commands.wake();
    });
  }

  void draw_pixel(ViewerState& state) {
    if (!pixel_) {
      ImGui::TextWrapped(
          "Click a pixel of the image: every triangle that covered it, in order, and what became of it.");
      return;
    }
    const std::lock_guard lock(answer_->mutex);
    if (!answer_->history) return ImGui::TextDisabled("following pixel %d, %d ...", pixel_->x, pixel_->y);
    const PixelHistory& h = *answer_->history;
    ImGui::Text("pixel %d, %d", h.pixel.x, h.pixel.y);
    ImGui::SameLine();
    swatch("##end", h.format, h.end.low, h.end.high);
    ImGui::SameLine();
    ImGui::Text("depth %.7f  stencil %u", double(h.end.depth), h.end.stencil);
    ImGui::Text("bin %d, %d (%d px)  rasterizer %u of %u", h.bin_x, h.bin_y, h.bin, h.rasterizer,
                h.rasterizers);
    if (const auto writer = h.color_writer()) {
      const PixelEvent& e = h.events[*writer];
      ImGui::Text("seen: draw %u, triangle %u, batch %u", e.command, e.origin.triangle, e.origin.batch);
      ImGui::SameLine();
      if (ImGui::SmallButton("Jump to it")) jump(state, e.command);
    } else {
      ImGui::TextDisabled("no draw is seen here");
    }
    ImGui::Text("%llu fragments hit it", static_cast<unsigned long long>(h.fragments));
    ImGui::SameLine();
    ImGui::TextDisabled("(%.1f ms)", answer_->took_ms);
    draw_events(state, h);
  }

  void draw_events(ViewerState& state, const PixelHistory& h) {
    const float rows = float(std::clamp<size_t>(h.events.size() + 1, 3, 14));
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY |
                                       ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollX |
                                       ImGuiTableFlags_BordersInnerV;
    if (!ImGui::BeginTable("events", 7, kFlags, {0, (rows + 1) * ImGui::GetTextLineHeightWithSpacing()}))
      return;
    ImGui::TableSetupScrollFreeze(0, 1);
    constexpr std::pair<const char*, float> kColumns[] = {{"draw", 2.4f},  {"what", 5.8f}, {"triangle", 3.4f},
                                                          {"batch", 2.8f}, {"depth", 4},   {"shader", 2.7f},
                                                          {"pixel", 2.2f}};
    for (const auto& [title, width] : kColumns)
      ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthFixed, width * ImGui::GetFontSize());
    ImGui::TableHeadersRow();
    for (size_t i = 0; i < h.events.size(); ++i) {
      const PixelEvent& e = h.events[i];
      ImGui::PushID(int(i));
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const bool fragment = e.kind == PixelEvent::Kind::fragment;
      if (ImGui::Selectable(std::to_string(e.command).c_str(), fragment && chosen_ == e.command,
                            ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap) &&
          fragment)
        choose(e.command);
      if (fragment && ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) jump(state, e.command);
      ImGui::TableNextColumn();
      if (fragment) {
        const bool passed = e.fragment.fate == FragmentFate::passed;
        ImGui::TextColored(passed ? ImVec4(0.5f, 0.9f, 0.5f, 1) : ImVec4(0.95f, 0.55f, 0.45f, 1), "%s",
                           fate_name(e.fragment.fate));
        ImGui::TableNextColumn();
        ImGui::Text("%u", e.origin.triangle);
        ImGui::TableNextColumn();
        ImGui::Text("%u", e.origin.batch);
      } else {
        ImGui::TextUnformatted(e.kind == PixelEvent::Kind::clear ? "clear" : "blit");
        ImGui::TableNextColumn();
        ImGui::TableNextColumn();
      }
      ImGui::TableNextColumn();
      ImGui::Text("%.6f", double(fragment ? e.fragment.depth : e.after.depth));
      ImGui::TableNextColumn();
      if (fragment) swatch("##shader", h.format, e.fragment.shader_low, e.fragment.shader_high);
      ImGui::TableNextColumn();
      swatch("##after", h.format, e.after.low, e.after.high);
      ImGui::PopID();
    }
    ImGui::EndTable();
  }

  void draw_draws(ViewerState& state) {
    std::optional<uint32_t>& limit = state.settings.options.command_limit;
    const std::vector<uint32_t>& hidden = state.settings.hidden_commands;
    ImGui::Text("%zu draws, %zu hidden", draws_.size(), hidden.size());
    int shown = limit ? int(std::upper_bound(draws_.begin(), draws_.end(), *limit - (*limit > 0 ? 1 : 0)) -
                            draws_.begin())
                      : int(draws_.size());
    if (ImGui::SliderInt("draw so many", &shown, 0, int(draws_.size()), "%d", ImGuiSliderFlags_AlwaysClamp)) {
      if (size_t(shown) == draws_.size())
        limit.reset();
      else
        limit = shown == 0 ? (draws_.empty() ? 0 : draws_[0]) : draws_[size_t(shown - 1)] + 1;
      if (shown > 0) choose(draws_[size_t(shown - 1)]);
    }
    if (ImGui::Button("< Draw")) step(state, -1);
    ImGui::SameLine();
    if (ImGui::Button("Draw >")) step(state, 1);
    ImGui::SameLine();
    if (ImGui::Button("Alone")) isolate(state);
    ImGui::SameLine();
    if (ImGui::Button("Hide")) toggle_hidden(state);
    ImGui::SameLine();
    if (ImGui::Button("All")) show_all(state);
    draw_list(state);
  }

  void draw_list(ViewerState& state) {
    constexpr ImGuiTableFlags kFlags =
        ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit;
    if (!ImGui::BeginTable("draws", 4, kFlags, {0, 0})) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    for (const char* title : {"", "draw", "label", "triangles"}) ImGui::TableSetupColumn(title);
    ImGui::TableHeadersRow();
    const Frame& frame = state.scene->frame;
    ImGuiListClipper clipper;
    clipper.Begin(int(draws_.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const uint32_t command = draws_[size_t(i)];
        const auto& draw = std::get<DrawCommand>(frame.commands[command]);
        ImGui::PushID(i);
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        bool visible = !is_hidden(state, command);
        if (ImGui::Checkbox("##visible", &visible)) set_hidden(state, command, !visible);
        ImGui::TableNextColumn();
        if (ImGui::Selectable(std::to_string(command).c_str(), chosen_ == command)) choose(command);
        if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) jump(state, command);
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(cli::printable(draw.label).c_str());
        ImGui::TableNextColumn();
        ImGui::Text("%llu",
                    static_cast<unsigned long long>(primitive_count(draw.topology, draw.element_count) *
                                                    draw.instances * draw.view_count));
        ImGui::PopID();
      }
    }
    if (scroll_) {
      const auto at = std::lower_bound(draws_.begin(), draws_.end(), *chosen_) - draws_.begin();
      ImGui::SetScrollY(std::max(0.0f, float(at - 4) * ImGui::GetFrameHeightWithSpacing()));
      scroll_ = false;
    }
    ImGui::EndTable();
  }

  void choose(uint32_t command) {
    chosen_ = command;
    scroll_ = true;
  }

  // The picture up to and with this draw.
  void jump(ViewerState& state, uint32_t command) {
    choose(command);
    state.settings.options.command_limit = command + 1;
    state.commands.show_note("up to draw " + std::to_string(command) + "; Backspace shows all");
  }

  void step(ViewerState& state, int by) {
    if (!state.scene) return;
    if (scene_.lock() != state.scene) forget(state);
    const Frame& frame = state.scene->frame;
    const std::optional<uint32_t> limit = state.settings.options.command_limit;
    const uint32_t last = limit ? *limit - (*limit > 0 ? 1 : 0) : uint32_t(frame.commands.size());
    const auto next = by > 0 ? (limit ? next_draw(frame, last) : std::nullopt) : previous_draw(frame, last);
    if (next) return jump(state, *next);
    if (by > 0) {
      state.settings.options.command_limit.reset();
      state.commands.show_note("all draws");
    }
  }

  static bool is_hidden(const ViewerState& state, uint32_t command) {
    const std::vector<uint32_t>& hidden = state.settings.hidden_commands;
    return std::binary_search(hidden.begin(), hidden.end(), command);
  }

  static void set_hidden(ViewerState& state, uint32_t command, bool hide) {
    std::vector<uint32_t>& hidden = state.settings.hidden_commands;
    const auto at = std::lower_bound(hidden.begin(), hidden.end(), command);
    const bool there = at != hidden.end() && *at == command;
    if (hide && !there) hidden.insert(at, command);
    if (!hide && there) hidden.erase(at);
  }

  bool has_chosen(ViewerState& state) const {
    if (chosen_ && state.scene && scene_.lock() == state.scene) return true;
    state.commands.show_note("choose a draw first: click a pixel, or step with . and ,");
    return false;
  }

  void isolate(ViewerState& state) {
    if (!has_chosen(state)) return;
    std::vector<uint32_t> others = all_but(state.scene->frame, *chosen_);
    std::vector<uint32_t>& hidden = state.settings.hidden_commands;
    if (hidden == others) {
      hidden.clear();
    } else {
      hidden = std::move(others);
    }
  }

  void toggle_hidden(ViewerState& state) {
    if (has_chosen(state)) set_hidden(state, *chosen_, !is_hidden(state, *chosen_));
  }

  void show_all(ViewerState& state) {
    state.settings.hidden_commands.clear();
    state.settings.options.command_limit.reset();
  }

  std::shared_ptr<Answer> answer_ = std::make_shared<Answer>();
  std::weak_ptr<const Scene> scene_;  // that the rest is about
  std::vector<uint32_t> draws_;
  std::optional<glm::ivec2> pixel_;
  std::optional<uint32_t> chosen_;  // draw
  FrameSettings asked_settings_;
  std::string asked_camera_;
  bool drawn_ = false, open_ = false, scroll_ = false;
};

}  // namespace

std::unique_ptr<Panel> make_inspect_panel() { return std::make_unique<InspectPanel>(); }

}  // namespace brokkr::viewer
