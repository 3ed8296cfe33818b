// Bin patterns: the owner of each bin, and the loads of the rasterizers in the last frame.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <string>
#include <vector>

#include "app/text.h"
#include "bin/pattern_image.h"
#include "inspect/load_map.h"
#include "target/target_tables.h"
#include "viewer/image_area.h"
#include "viewer/looks.h"
#include "viewer/option_widget.h"
#include "viewer/panel.h"
#include "viewer/pattern_facts.h"

namespace brokkr::viewer {
namespace {

constexpr int kThumbnailBinsX = 20, kThumbnailBinsY = 12;
constexpr float kNumberRoom = 1.6f;  // minimum size of a bin that shows its rasterizer's number, in font sizes

class PatternPanel : public Panel {
 public:
  const char* name() const override { return "Pattern"; }
  Section section() const override { return Section::pipeline; }

  void draw(ViewerState& state) override {
    draw_overlay_choice(state);
    draw_hints(state);
    group_header("Patterns");
    draw_choices(state);
    if (!state.last || state.last->result.statistics.bins_x == 0) return ImGui::TextDisabled("no frame yet");
    if (map_number_ != state.last->number) {
      map_ = load_map(state.last->result.statistics, state.last->settings.options.pattern);
      map_number_ = state.last->number;
    }
    group_header("Load of the last frame");
    draw_load(state);
  }

  void draw_over_image(ViewerState& state, ImDrawList& list) override {
    const Overlay overlay = state.overlay;
    if (overlay == Overlay::none || !state.last || state.last->result.statistics.bin <= 0) return;
    const Rendered& frame = *state.last;
    const int bin = frame.result.statistics.bin;
    const int bins_x = (frame.width + bin - 1) / bin, bins_y = (frame.height + bin - 1) / bin;
    if (overlay_number_ != frame.number || overlay_made_ != overlay) make_overlay(frame, overlay, bins_x, bins_y);
    // Clip the last bins, which extend beyond the image.
    const ImageView& view = state.view;
    const glm::vec2 low = view.to_screen({0, float(frame.height)}), high = view.to_screen({float(frame.width), 0});
    list.PushClipRect(im(glm::max(low, view.area_begin)), im(glm::min(high, view.area_end)), true);
    overlay_texture_.draw(list, im(view.to_screen({0, float(bins_y * bin)})),
                          im(view.to_screen({float(bins_x * bin), 0})), opacity_);
    if (overlay == Overlay::owners) draw_numbers(list, view, bins_x, bins_y, bin);
    list.PopClipRect();
    const bool numbered = overlay == Overlay::owners && float(bin) * view.zoom >= kNumberRoom * ImGui::GetFontSize();
    if (!numbered) draw_legend(list, view, legend_, true);
  }

 private:
  static int rasterizers_of(const ViewerState& state) {
    if (state.last) return std::max(1, state.last->result.statistics.rasterizers);
    return state.settings.options.rasterizers > 0 ? state.settings.options.rasterizers : 16;
  }

  static void draw_hints(ViewerState& state) {
    bool paper = state.before_paper.has_value();
    if (check_box(row("as in the paper"), &paper)) state.commands.press({Action::as_in_paper});
    tip("20 rasterizers, static ownership, bins of 64 pixels, and their owners over the image. Key K");
    if (!state.last) return;
    ImGui::PushStyleColor(ImGuiCol_Text, kNotice);
    for (const std::string& hint : pattern_hints(*state.last)) wrapped(hint);
    ImGui::PopStyleColor();
  }

  // Draws the rasterizers' numbers in bins that are large enough.
  void draw_numbers(ImDrawList& list, const ImageView& view, int bins_x, int bins_y, int bin) const {
    const float side = float(bin) * view.zoom;
    if (side < kNumberRoom * ImGui::GetFontSize() || owners_.size() != size_t(bins_x) * size_t(bins_y)) return;
    for (int y = 0; y < bins_y; ++y) {
      for (int x = 0; x < bins_x; ++x) {
        const glm::vec2 center = view.to_screen((glm::vec2(x, y) + 0.5f) * float(bin));
        if (center.x < view.area_begin.x - side || center.y < view.area_begin.y - side ||
            center.x > view.area_end.x + side || center.y > view.area_end.y + side)
          continue;
        const std::string text = std::to_string(owners_[size_t(y) * size_t(bins_x) + size_t(x)]);
        const ImVec2 size = ImGui::CalcTextSize(text.c_str());
        const ImVec2 top_left(std::round(center.x - size.x / 2), std::round(center.y - size.y / 2));
        list.AddRectFilled({top_left.x - 3, top_left.y}, {top_left.x + size.x + 3, top_left.y + size.y},
                           theme::faded(theme::kBackdrop, 0.7f), 3);
        list.AddText(top_left, theme::kText, text.c_str());
      }
    }
  }

  void draw_choices(ViewerState& state) {
    const std::vector<Choice<PatternChoice>> all = pattern_choices(state.saved_pattern);
    if (const int count = rasterizers_of(state); thumbnails_.size() != all.size() || thumbnails_of_ != count)
      make_thumbnails(all, count);
    const float least = 7.5f * ImGui::GetFontSize(), gap = 0.5f * ImGui::GetFontSize();
    const float room = ImGui::GetContentRegionAvail().x - 3;
    const int columns = std::max(1, int((room + gap) / (least + gap)));
    const float cell = (room + gap) / float(columns) - gap;
    PatternChoice& now = state.settings.options.pattern;
    for (size_t i = 0; i < all.size(); ++i) {
      if (int(i) % columns != 0) ImGui::SameLine(0, gap);
      ImGui::BeginGroup();
      draw_thumbnail(state, all[i], thumbnails_[i], cell, now);
      ImGui::EndGroup();
    }
    wrapped(std::to_string(kThumbnailBinsX) + " x " + std::to_string(kThumbnailBinsY) + " bins in the colours of " +
            counted(uint64_t(rasterizers_of(state)), "rasterizer") + ", the number in this frame.");
  }

  // Draws a button with a pattern's picture and name, which selects the pattern.
  void draw_thumbnail(const ViewerState& state, const Choice<PatternChoice>& choice, const PanelTexture& picture,
                      float width, PatternChoice& now) const {
    const float height = width * kThumbnailBinsY / kThumbnailBinsX, line = ImGui::GetTextLineHeight();
    const ImVec2 top_left = ImGui::GetCursorScreenPos();
    if (ImGui::InvisibleButton(choice.name, {width, height + line})) now = choice.value;
    const bool hovered = ImGui::IsItemHovered(), chosen = now == choice.value;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    picture.draw(list, top_left, {top_left.x + width, top_left.y + height});
    std::string name = choice.name, shown = name;
    while (name.size() > 1 && ImGui::CalcTextSize(shown.c_str()).x > width) {
      name.pop_back();
      shown = name + "...";
    }
    list.AddText({top_left.x, top_left.y + height}, chosen ? kMark : ImGui::GetColorU32(ImGuiCol_Text), shown.c_str());
    if (chosen || hovered)
      list.AddRect({top_left.x - 2, top_left.y - 2}, {top_left.x + width + 2, top_left.y + height + 1},
                   chosen ? kMark : IM_COL32(255, 255, 255, 140), 2, 0, 2);
    if (hovered) draw_tip(state, choice, rasterizers_of(state));
  }

  static void draw_tip(const ViewerState& state, const Choice<PatternChoice>& choice, int rasterizers) {
    std::string text = std::string(choice.name) + "\n" + choice.meaning;
    if (state.last && state.last->result.statistics.bins_x > 0) {
      const LoadStatistics load = predict_load(state.last->result.statistics, choice.value, rasterizers);
      text += "\nthis frame: c_v " + app::fixed(load.cv, 3) + ", imbalance " + app::fixed(load.imbalance, 2);
    }
    ImGui::SetTooltip("%s", text.c_str());
  }

  void make_thumbnails(const std::vector<Choice<PatternChoice>>& all, int rasterizers) {
    thumbnails_.resize(all.size());
    thumbnails_of_ = rasterizers;
    for (size_t i = 0; i < all.size(); ++i) {
      const Pattern pattern = make_pattern(all[i].value, rasterizers, kThumbnailBinsX, kThumbnailBinsY);
      const PatternImage image =
          draw_pattern(pattern, {.bins_x = kThumbnailBinsX, .bins_y = kThumbnailBinsY, .cell = 8});
      thumbnails_[i].set(image.width, image.height, image.pixels);
    }
  }

  void draw_overlay_choice(ViewerState& state) {
    int overlay = int(state.overlay);
    constexpr const char* kNames[] = {"nothing", "a colour per rasterizer", "load of each bin"};
    if (ImGui::Combo(row("over the image"), &overlay, kNames, 3)) state.overlay = Overlay(overlay);
    if (state.overlay != Overlay::none) slider_row("opacity", &opacity_, 0.05f, 1, "%.2f");
  }

  void make_overlay(const Rendered& frame, Overlay overlay, int bins_x, int bins_y) {
    overlay_number_ = frame.number;
    overlay_made_ = overlay;
    owners_.clear();
    const Statistics& s = frame.result.statistics;
    legend_ = {};
    std::vector<uint32_t> pixels(size_t(bins_x) * size_t(bins_y), 0xff000000u);
    if (overlay == Overlay::owners) {
      int max_x = 1, max_y = 1;  // size of the largest target, for which the pattern is made
      for (const Target& t : frame.scene->frame.targets) {
        max_x = std::max({max_x, bins_x, (t.width + s.bin - 1) / s.bin});
        max_y = std::max({max_y, bins_y, (t.height + s.bin - 1) / s.bin});
      }
      const Pattern pattern = make_pattern(frame.settings.options.pattern, s.rasterizers, max_x, max_y);
      legend_ = owners_legend(s.rasterizers);
      const uint32_t count = uint32_t(s.rasterizers), offset = layer_offset(frame.target, frame.layer, count);
      for (int y = 0; y < bins_y; ++y) {
        for (int x = 0; x < bins_x; ++x) {
          owners_.push_back(int((uint32_t(pattern.at(x, y)) + offset) % count));
          pixels[size_t(y) * size_t(bins_x) + size_t(x)] = rasterizer_color(owners_.back());
        }
      }
    } else if (s.bins_x == bins_x && s.bins_y == bins_y && frame.target == frame.scene->main_target) {
      const uint64_t fullest = *std::max_element(s.bin_fragments.begin(), s.bin_fragments.end());
      legend_ = heat_legend(fullest);
      for (size_t i = 0; i < pixels.size(); ++i)
        pixels[i] = heat_color(fullest > 0 ? double(s.bin_fragments[i]) / double(fullest) : 0);
    }
    overlay_texture_.set(bins_x, bins_y, pixels);
  }

  // The legend for the colours of the first rasterizers.
  static ImageLegend owners_legend(int rasterizers) {
    constexpr int kMaxEntries = 8;
    ImageLegend legend{"a square is a bin, its colour the rasterizer that draws it", {}};
    for (int i = 0; i < std::min(rasterizers, kMaxEntries); ++i)
      legend.steps.push_back({rasterizer_color(i), "rasterizer " + std::to_string(i)});
    if (rasterizers > kMaxEntries) legend.steps.back().text += " of " + app::grouped(uint64_t(rasterizers));
    return legend;
  }

  void draw_load(ViewerState& state) {
    const auto line = [](const char* what, double cv, double imbalance) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(what);
      ImGui::TableNextColumn();
      ImGui::Text("%.3f", cv);
      ImGui::TableNextColumn();
      ImGui::Text("%.2f", imbalance);
    };
    if (ImGui::BeginTable("imbalance", 3, ImGuiTableFlags_SizingFixedFit)) {
      for (const char* title : {"", "c_v", "max / mean"}) ImGui::TableSetupColumn(title);
      ImGui::TableHeadersRow();
      line("predicted: pattern over the bins", map_.predicted.cv, map_.predicted.imbalance);
      line("measured: fragments of rasterizers", map_.counted.cv, map_.counted.imbalance);
      const bool timed = timed_number_ == state.last->number || timed_settings_ == state.last->settings;
      if (timed && !timed_.busy.load.empty())
        line("measured: time of rasterizers", timed_.busy.cv, timed_.busy.imbalance);
      ImGui::EndTable();
    }
    if (ImGui::Button("Measure the time of each rasterizer")) measure_time(state);
    bars(map_.counted.load, map_.counted.mean);
    wrapped(
        "One bar per rasterizer: the fragments that it drew. White line: the mean. c_v: standard deviation divided by "
        "the mean.");
    if (map_.fullest > 0) {
      ImGui::TextDisabled("fullest bin: %s of %s fragments", app::grouped(map_.fullest).c_str(),
                          app::grouped(map_.counted.total).c_str());
    }
  }

  // Draws another frame and records the activity of each block over time.
  void measure_time(ViewerState& state) {
    state.commands.run([this, number = state.last->number](RenderContext& c) -> RenderAnswer {
      RenderOptions options = c.settings.options;
      options.trace = true;
      const RenderResult result = c.renderer.render(c.prepared, options, false);
      return [this, number, settings = c.settings, map = load_map(result.statistics, options.pattern)] {
        timed_number_ = number;
        timed_settings_ = settings;
        timed_ = map;
      };
    });
  }

  static void bars(const std::vector<uint64_t>& load, double mean) {
    if (load.empty()) return;
    const auto [list, top_left, width, height, hovered] = begin_plot("bars", 6);
    draw_load_bars(list, top_left, {width, height}, load, mean);
    if (hovered < 0) return;
    const size_t i = size_t(hovered * float(load.size()));
    ImGui::SetTooltip("rasterizer %zu: %s fragments, %.2f of the mean", i, app::grouped(load[i]).c_str(),
                      mean > 0 ? double(load[i]) / mean : 0);
  }

  std::vector<PanelTexture> thumbnails_;
  int thumbnails_of_ = 0;
  Overlay overlay_made_ = Overlay::none;
  float opacity_ = 0.4f;
  PanelTexture overlay_texture_;
  std::vector<int> owners_;  // of the overlay's bins
  ImageLegend legend_;       // of the overlay
  // numbers of the frames that the overlay, the map and the times belong to
  uint64_t overlay_number_ = 0, map_number_ = 0, timed_number_ = 0;
  LoadMap map_, timed_;
  FrameSettings timed_settings_;
};

}  // namespace

std::unique_ptr<Panel> make_pattern_panel() { return std::make_unique<PatternPanel>(); }

}  // namespace brokkr::viewer
