// The history of one pixel: which triangles covered it, in order, and the fate of each.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/text.h"
#include "inspect/pixel_history.h"
#include "viewer/draw_filter.h"
#include "viewer/looks.h"
#include "viewer/panel.h"

namespace brokkr::viewer {
namespace {

// The history of a pixel from the render thread; empty if the frame has shrunk and no longer has the pixel.
struct Found {
  std::optional<PixelHistory> history;
  double took_ms = 0;
};

// The user's clicks, as command numbers.
struct HistoryClick {
  std::optional<uint32_t> choose;  // a draw
  std::optional<uint32_t> jump;    // show the picture up to this draw
};

void color_swatch(const char* id, ColorFormat format, uint32_t low, uint32_t high) {
  const auto part = [&](int shift) { return float(low >> shift & 255) / 255; };
  const bool bytes = format != ColorFormat::rgba16f;
  swatch(id, bytes ? ImVec4(part(0), part(8), part(16), 1) : ImVec4(0.5f, 0.5f, 0.5f, 1));
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", color_text(format, low, high).c_str());
}

void draw_what(const PixelEvent& e) {
  if (e.kind != PixelEvent::Kind::fragment) return ImGui::TextUnformatted(kind_name(e.kind));
  const bool passed = e.fragment.fate == FragmentFate::passed;
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(passed ? theme::kGood : theme::kBad), "%s",
                     fate_name(e.fragment.fate));
}

void draw_event(const PixelEvent& e, ColorFormat format, bool has_shader, std::optional<uint32_t> chosen,
                HistoryClick& click) {
  const bool fragment = e.kind == PixelEvent::Kind::fragment;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool clicked = table_row(std::to_string(e.command).c_str(), fragment && chosen == e.command);
  if (clicked && fragment) click.choose = e.command;
  if (fragment && ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) click.jump = e.command;
  ImGui::TableNextColumn();
  draw_what(e);
  if (has_shader) {
    ImGui::TableNextColumn();
    if (fragment && e.known_shader) color_swatch("##shader", format, e.fragment.shader_low, e.fragment.shader_high);
  }
  ImGui::TableNextColumn();
  if (e.known_after) color_swatch("##after", format, e.after.low, e.after.high);
  ImGui::TableNextColumn();
  ImGui::Text("%.6f", double(fragment ? e.fragment.depth : e.after.depth));
  ImGui::TableNextColumn();
  if (fragment) ImGui::Text("%u", e.origin.triangle);
  ImGui::TableNextColumn();
  if (fragment) ImGui::Text("%u", e.origin.batch);
}

// The colours come before the numbers, which a narrow dock may cut.
void draw_events(const PixelHistory& h, std::optional<uint32_t> chosen, HistoryClick& click) {
  const float rows = float(std::clamp<size_t>(h.events.size() + 1, 3, 40));
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit |
                                     ImGuiTableFlags_ScrollX | ImGuiTableFlags_BordersInnerV;
  std::vector<std::pair<const char*, float>> columns = {{"draw", 2.4f},  {"what", 5.4f}, {"shader", 3.0f},
                                                        {"pixel", 2.2f}, {"depth", 4},   {"triangle", 3.6f},
                                                        {"batch", 2.8f}};
  const bool has_shader = std::ranges::any_of(h.events, &PixelEvent::known_shader);
  if (!has_shader) columns.erase(columns.begin() + 2);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {2, ImGui::GetStyle().CellPadding.y});  // all columns fit
  const bool open =
      ImGui::BeginTable("events", int(columns.size()), kFlags, {0, (rows + 1) * ImGui::GetTextLineHeightWithSpacing()});
  ImGui::PopStyleVar();
  if (!open) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const auto& [title, width] : columns)
    ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthFixed, width * ImGui::GetFontSize());
  ImGui::TableHeadersRow();
  for (size_t i = 0; i < h.events.size(); ++i) {
    ImGui::PushID(int(i));
    draw_event(h.events[i], h.format, has_shader, chosen, click);
    ImGui::PopID();
  }
  ImGui::EndTable();
}

// Draws the history at the cursor; `took_ms` is the time of its computation. Rows of the draw `chosen` are highlighted.
HistoryClick draw_history(const PixelHistory& h, double took_ms, std::optional<uint32_t> chosen) {
  HistoryClick click;
  ImGui::Text("pixel %d, %d", h.pixel.x, h.pixel.y);
  ImGui::SameLine();
  color_swatch("##end", h.format, h.end.low, h.end.high);
  ImGui::SameLine();
  ImGui::Text("depth %.7f  stencil %u", double(h.end.depth), h.end.stencil);
  ImGui::Text("bin %d, %d (%d px)  rasterizer %u of %u", h.bin_x, h.bin_y, h.bin, h.rasterizer, h.rasterizers);
  if (const auto writer = h.color_writer()) {
    const PixelEvent& e = h.events[*writer];
    ImGui::Text("visible: draw %u, triangle %u, batch %u", e.command, e.origin.triangle, e.origin.batch);
    ImGui::SameLine();
    const char* const jump = "Jump to the draw";
    const float width = ImGui::CalcTextSize(jump).x + 2 * ImGui::GetStyle().FramePadding.x;
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    if (ImGui::SmallButton(jump)) click.jump = e.command;
  } else {
    ImGui::TextDisabled("no draw is visible here");
  }
  ImGui::Text("hit by %s", counted(h.fragments, "fragment").c_str());
  tip("found in " + fixed(took_ms, 1) + " ms");
  draw_events(h, chosen, click);
  return click;
}

class InspectPanel : public Panel {
 public:
  const char* name() const override { return "Inspect"; }
  Section section() const override { return Section::draws; }

  float lines(const ViewerState&) const override { return pixel_ ? 0 : 5; }

  void draw(ViewerState& state) override {
    drawn_ = true;
    if (!state.scene) return ImGui::TextDisabled("nothing loaded");
    if (scene_.lock() != state.scene) forget(state);
    draw_pixel(state);
  }

  void draw_over_image(ViewerState& state, ImDrawList& list) override {
    open_ = drawn_;
    drawn_ = false;
    if (!open_ || !pixel_) return;
    ask(state);
    const glm::vec2 p(*pixel_), low = state.view.to_screen(p + glm::vec2(0, 1)),
                                high = state.view.to_screen(p + glm::vec2(1, 0));
    const float grow = state.view.zoom < 6 ? 5.0f : 1.0f;
    list.AddRect(im(low - grow - 1.0f), im(high + grow + 1.0f), IM_COL32(0, 0, 0, 255), 0, 0, 3);
    list.AddRect(im(low - grow), im(high + grow), kMark, 0, 0, 1.5f);
    if (!found_->history) return;
    const PixelHistory& h = *found_->history;
    const glm::vec2 bin = glm::vec2(h.bin_x, h.bin_y) * float(h.bin);
    const glm::vec2 a = state.view.to_screen(bin + glm::vec2(0, h.bin)),
                    b = state.view.to_screen(bin + glm::vec2(h.bin, 0));
    list.AddRect(im(a), im(b), theme::faded(kMark, 0.5f));
  }

  bool on_click(ViewerState& state, glm::vec2 pixel) override {
    if (!open_ || !state.last) return false;
    const int x = int(std::floor(pixel.x)), y = int(std::floor(pixel.y));
    if (x < 0 || y < 0 || x >= state.last->width || y >= state.last->height) return false;
    pixel_ = glm::ivec2(x, y);
    choose_seen_ = true;
    ask(state);
    return true;
  }

  void on_frame(ViewerState& state) override {
    if (pixel_ && (pixel_->x >= state.last->width || pixel_->y >= state.last->height)) pixel_.reset();
  }

 private:
  void forget(ViewerState& state) {
    scene_ = state.scene;
    pixel_.reset();
    asked_ = {};
    asked_pixel_.reset();
    found_ = std::make_shared<Found>();
  }

  // Requests the history of the pixel in the last frame, unless it is known or requested already.
  void ask(ViewerState& state) {
    if (!state.last || state.last->scene != state.scene) return;
    FrameSource source = state.last->source();
    if (asked_pixel_ == pixel_ && asked_ == source) return;
    if (!under_way_.expired()) return;  // another history is in progress: ask again afterwards
    asked_ = std::move(source);
    asked_pixel_ = pixel_;
    under_way_ = state.commands.run([found = found_, pixel = *pixel_](RenderContext& c) -> RenderAnswer {
      Found result;
      const auto begin = Clock::now();
      try {
        result.history =
            pixel_history(c.renderer, c.prepared, {c.target, c.layer, pixel.x, pixel.y}, c.settings.options);
      } catch (const std::invalid_argument&) {
        // The frame has shrunk; its next picture triggers another request.
      }
      result.took_ms = milliseconds(Clock::now() - begin);
      return [found, result = std::move(result)] { *found = result; };
    });
  }

  void draw_pixel(ViewerState& state) {
    if (!pixel_) {
      ImGui::TextWrapped("Click a pixel of the image to list every triangle that covered it, in order, and its fate.");
      return;
    }
    if (!found_->history) return ImGui::TextDisabled("following pixel %d, %d ...", pixel_->x, pixel_->y);
    const PixelHistory& h = *found_->history;
    if (choose_seen_ && glm::ivec2(h.pixel.x, h.pixel.y) == *pixel_) choose_seen(state, h);
    const HistoryClick click = draw_history(h, found_->took_ms, state.chosen_draw);
    if (click.choose) state.chosen_draw = click.choose;
    if (!click.jump) return;
    state.chosen_draw = click.jump;
    show_up_to(state, *click.jump);
  }

  // The clicked draw becomes the one that X hides and I isolates.
  void choose_seen(ViewerState& state, const PixelHistory& history) {
    choose_seen_ = false;
    if (const auto writer = history.color_writer()) state.chosen_draw = history.events[*writer].command;
  }

  std::shared_ptr<Found> found_ = std::make_shared<Found>();
  std::weak_ptr<const RenderJob> under_way_;
  std::weak_ptr<const Scene> scene_;  // the scene that the other members belong to
  std::optional<glm::ivec2> pixel_, asked_pixel_;
  FrameSource asked_;
  bool drawn_ = false, open_ = false, choose_seen_ = false;
};

}  // namespace

std::unique_ptr<Panel> make_inspect_panel() { return std::make_unique<InspectPanel>(); }

}  // namespace brokkr::viewer
