// Bin patterns: the owner of each bin, the loads of the rasterizers in the last frame, and a race of two patterns.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <glm/common.hpp>
#include <string>
#include <vector>

#include "app/text.h"
#include "bin/pattern_image.h"
#include "inspect/load_map.h"
#include "log/race.h"
#include "target/target_tables.h"
#include "viewer/image_legend.h"
#include "viewer/looks.h"
#include "viewer/option_widget.h"
#include "viewer/panel.h"

namespace brokkr::viewer {
namespace {

constexpr int kThumbnailBinsX = 20, kThumbnailBinsY = 12;
constexpr int kThumbnailRasterizers = 20;  // a pattern of few is stripes, and one of many looks like noise

enum class Overlay { none, owners, heat };

// A/B of two patterns: frames of both in turns, timed on the render thread a pair at a time, so that other frames get
// in between.
class PatternRace {
 public:
  // The choice of both patterns, the button, and the result so far.
  void draw(ViewerState& state) {
    const bool other_a = draw_pattern_list("A", state.saved_pattern, patterns_[0]),
               other_b = draw_pattern_list("B", state.saved_pattern, patterns_[1]);
    if (other_a || other_b) stop();
    if (running_) {
      if (ImGui::Button("Stop")) running_ = false;
    } else if (ImGui::Button("Alternate frames of A and B")) {
      start(state);
    }
    draw_result();
  }

  // In every UI frame: requests the next pair while the race runs. The race starts anew where the settings have
  // changed, and stops where another scene is shown.
  void next_pair(ViewerState& state) {
    if (!running_) return;
    if (scene_.lock() != state.scene) return stop();
    if (settings_ != state.settings) start(state);  // the timed frames were drawn with other settings
    const size_t pairs = times_->race.ms[0].size();
    running_ = pairs < kMostPairs;
    if (!running_ || !under_way_.expired()) return;
    const size_t first = pairs % 2;  // the two patterns take turns in being first of a pair
    under_way_ = state.commands.run([times = times_, patterns = patterns_, first](RenderContext& c) -> RenderAnswer {
      RenderOptions options = c.settings.options;
      options.trace = options.keep_ids = false;
      std::array<double, 2> ms{};
      std::array<std::string, 2> drawn;
      times->watch.begin();
      for (const size_t i : {first, 1 - first}) {
        options.pattern = patterns[i];
        const auto begin = Clock::now();
        const RenderResult result = c.renderer.render(c.prepared, options, false);
        ms[i] = milliseconds(Clock::now() - begin);
        drawn[i] = result.statistics.pattern;
        if (result.aborted) return {};
      }
      times->watch.end();
      return [times, ms, drawn, load = times->watch.load()] {
        for (size_t i = 0; i < 2 && times->warm; ++i) times->race.ms[i].push_back(ms[i]);
        times->load = load;
        times->drawn = drawn;
        times->warm = true;
      };
    });
  }

 private:
  static constexpr size_t kMostPairs = 2000;

  struct Times {
    Race race;
    LoadWatch watch;  // the render thread's
    MachineLoad load;
    std::array<std::string, 2> drawn;  // the patterns' names, as the launches reported them
    bool warm = false;                 // the first pair takes memory and is left out
  };

  void draw_result() const {
    const Race& race = times_->race;
    if (race.ms[0].empty()) return;
    if (ImGui::BeginTable("race", 3, ImGuiTableFlags_SizingFixedFit)) {
      for (size_t i = 0; i < 2; ++i) {
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(i == 0 ? "A" : "B");
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(times_->drawn[i].c_str());
        ImGui::TableNextColumn();
        ImGui::Text("median %.3f ms", median(race.ms[i]));
      }
      ImGui::EndTable();
    }
    const RatioEstimate r = race_ratio(race);
    ImGui::Text("%zu pairs", r.frames);
    ImGui::TextUnformatted(ratio_text(r).c_str());
    ImGui::TextUnformatted(verdict_text(verdict(r)));
    for (const std::string& warning : race_warnings(race, times_->load)) ImGui::TextWrapped("%s", warning.c_str());
  }

  void start(ViewerState& state) {
    times_ = std::make_shared<Times>();
    settings_ = state.settings;
    scene_ = state.scene;
    running_ = true;
  }

  void stop() {
    running_ = false;
    times_ = std::make_shared<Times>();
  }

  std::shared_ptr<Times> times_ = std::make_shared<Times>();
  std::weak_ptr<const RenderJob> under_way_;
  std::weak_ptr<const Scene> scene_;
  FrameSettings settings_;
  std::array<PatternChoice, 2> patterns_{PatternKind::diagonal, PatternKind::van_der_corput};
  bool running_ = false;
};

class PatternPanel : public Panel {
 public:
  const char* name() const override { return "Pattern"; }

  void draw(ViewerState& state) override {
    draw_choices(state);
    draw_overlay_choice();
    if (!state.last || state.last->result.statistics.bins_x == 0) return ImGui::TextDisabled("no frame yet");
    if (map_number_ != state.last->number) {
      map_ = load_map(state.last->result.statistics, state.last->settings.options.pattern);
      map_number_ = state.last->number;
    }
    if (ImGui::CollapsingHeader("Load of the last frame", ImGuiTreeNodeFlags_DefaultOpen)) draw_load(state);
    if (ImGui::CollapsingHeader("A/B of two patterns", ImGuiTreeNodeFlags_DefaultOpen)) race_.draw(state);
  }

  void draw_over_image(ViewerState& state, ImDrawList& list) override {
    race_.next_pair(state);
    if (overlay_ == Overlay::none || !state.last || state.last->result.statistics.bin <= 0) return;
    const Rendered& frame = *state.last;
    const int bin = frame.result.statistics.bin;
    const int bins_x = (frame.width + bin - 1) / bin, bins_y = (frame.height + bin - 1) / bin;
    if (overlay_number_ != frame.number || overlay_made_ != overlay_) make_overlay(frame, bins_x, bins_y);
    // The last bins reach beyond the image: their parts outside it are not drawn.
    const ImageView& view = state.view;
    const glm::vec2 low = view.to_screen({0, float(frame.height)}), high = view.to_screen({float(frame.width), 0});
    list.PushClipRect(im(glm::max(low, view.area_begin)), im(glm::min(high, view.area_end)), true);
    overlay_texture_.draw(list, im(view.to_screen({0, float(bins_y * bin)})),
                          im(view.to_screen({float(bins_x * bin), 0})), opacity_);
    list.PopClipRect();
    draw_legend(list, view, legend_, true);
  }

 private:
  static int rasterizers_of(const ViewerState& state) {
    if (state.last) return std::max(1, state.last->result.statistics.rasterizers);
    return state.settings.options.rasterizers > 0 ? state.settings.options.rasterizers : 16;
  }

  void draw_choices(ViewerState& state) {
    const std::vector<Choice<PatternChoice>> all = pattern_choices(state.saved_pattern);
    if (thumbnails_.size() != all.size() || thumbnails_of_ != shown_rasterizers_) make_thumbnails(all);
    const float cell = 8 * ImGui::GetFontSize(), gap = 0.5f * ImGui::GetFontSize();
    const int columns = std::max(1, int((ImGui::GetContentRegionAvail().x + gap) / (cell + gap)));
    PatternChoice& now = state.settings.options.pattern;
    for (size_t i = 0; i < all.size(); ++i) {
      if (int(i) % columns != 0) ImGui::SameLine(0, gap);
      ImGui::BeginGroup();
      draw_thumbnail(state, all[i], thumbnails_[i], cell, now);
      ImGui::EndGroup();
    }
    ImGui::SliderInt("rasterizers in the pictures", &shown_rasterizers_, 2, 64, "%d", ImGuiSliderFlags_AlwaysClamp);
    wrapped("Each picture: " + std::to_string(kThumbnailBinsX) + " x " + std::to_string(kThumbnailBinsY) +
            " bins in the colours of the rasterizers that draw them. The frame: " + pattern_name(now) + ", " +
            counted(uint64_t(rasterizers_of(state)), "rasterizer") + ".");
  }

  // The picture of a pattern and its name, which choose it.
  void draw_thumbnail(const ViewerState& state, const Choice<PatternChoice>& choice, const PanelTexture& picture,
                      float width, PatternChoice& now) const {
    const float height = width * kThumbnailBinsY / kThumbnailBinsX, line = ImGui::GetTextLineHeight();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (ImGui::InvisibleButton(choice.name, {width, height + line})) now = choice.value;
    const bool hovered = ImGui::IsItemHovered(), chosen = now == choice.value;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    picture.draw(list, at, {at.x + width, at.y + height});
    std::string name = choice.name, shown = name;
    while (name.size() > 1 && ImGui::CalcTextSize(shown.c_str()).x > width) {
      name.pop_back();
      shown = name + "...";
    }
    list.AddText({at.x, at.y + height}, chosen ? kMark : ImGui::GetColorU32(ImGuiCol_Text), shown.c_str());
    if (chosen || hovered)
      list.AddRect({at.x - 2, at.y - 2}, {at.x + width + 2, at.y + height + 1},
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

  void make_thumbnails(const std::vector<Choice<PatternChoice>>& all) {
    thumbnails_.resize(all.size());
    thumbnails_of_ = shown_rasterizers_;
    for (size_t i = 0; i < all.size(); ++i) {
      const Pattern pattern = make_pattern(all[i].value, shown_rasterizers_, kThumbnailBinsX, kThumbnailBinsY);
      const PatternImage image =
          draw_pattern(pattern, {.bins_x = kThumbnailBinsX, .bins_y = kThumbnailBinsY, .cell = 8});
      thumbnails_[i].set(image.width, image.height, image.pixels);
    }
  }

  void draw_overlay_choice() {
    int overlay = int(overlay_);
    constexpr const char* kNames[] = {"nothing", "a colour per rasterizer", "load of each bin"};
    if (ImGui::Combo("over the image", &overlay, kNames, 3)) overlay_ = Overlay(overlay);
    ImGui::SliderFloat("opacity", &opacity_, 0.05f, 1, "%.2f", ImGuiSliderFlags_AlwaysClamp);
  }

  void make_overlay(const Rendered& frame, int bins_x, int bins_y) {
    overlay_number_ = frame.number;
    overlay_made_ = overlay_;
    const Statistics& s = frame.result.statistics;
    legend_ = {};
    std::vector<uint32_t> pixels(size_t(bins_x) * size_t(bins_y), 0xff000000u);
    if (overlay_ == Overlay::owners) {
      int most_x = 1, most_y = 1;  // the pattern is made for the largest target
      for (const Target& t : frame.scene->frame.targets) {
        most_x = std::max({most_x, bins_x, (t.width + s.bin - 1) / s.bin});
        most_y = std::max({most_y, bins_y, (t.height + s.bin - 1) / s.bin});
      }
      const Pattern pattern = make_pattern(frame.settings.options.pattern, s.rasterizers, most_x, most_y);
      legend_ = owners_legend(s.rasterizers);
      const uint32_t count = uint32_t(s.rasterizers), offset = layer_offset(frame.target, frame.layer, count);
      for (int y = 0; y < bins_y; ++y) {
        for (int x = 0; x < bins_x; ++x)
          pixels[size_t(y) * size_t(bins_x) + size_t(x)] =
              rasterizer_color(int((uint32_t(pattern.at(x, y)) + offset) % count));
      }
    } else if (s.bins_x == bins_x && s.bins_y == bins_y && frame.target == frame.scene->main_target) {
      const uint64_t most = *std::max_element(s.bin_fragments.begin(), s.bin_fragments.end());
      legend_ = heat_legend(most);
      for (size_t i = 0; i < pixels.size(); ++i)
        pixels[i] = heat_color(most > 0 ? double(s.bin_fragments[i]) / double(most) : 0);
    }
    overlay_texture_.set(bins_x, bins_y, pixels);
  }

  // The first rasterizers' colours.
  static ImageLegend owners_legend(int rasterizers) {
    constexpr int kMost = 8;
    ImageLegend legend{"a square is a bin, its colour the rasterizer that draws it", {}};
    for (int i = 0; i < std::min(rasterizers, kMost); ++i)
      legend.steps.push_back({rasterizer_color(i), "rasterizer " + std::to_string(i)});
    if (rasterizers > kMost) legend.steps.back().text += " of " + app::grouped(uint64_t(rasterizers));
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
      for (const char* title : {"", "c_v", "most / mean"}) ImGui::TableSetupColumn(title);
      ImGui::TableHeadersRow();
      line("predicted: pattern over the bins", map_.predicted.cv, map_.predicted.imbalance);
      line("measured: fragments of rasterizers", map_.counted.cv, map_.counted.imbalance);
      const bool timed = timed_number_ == state.last->number || timed_settings_ == state.last->settings;
      if (timed && !timed_.busy.load.empty())
        line("measured: time of rasterizers", timed_.busy.cv, timed_.busy.imbalance);
      ImGui::EndTable();
    }
    if (ImGui::SmallButton("Measure the time of each rasterizer")) measure_time(state);
    bars(map_.counted.load, map_.counted.mean);
    wrapped(
        "A bar per rasterizer: the fragments that it drew. White line: their mean. c_v: standard deviation over mean.");
    if (map_.most > 0) {
      ImGui::TextDisabled("fullest bin: %s fragments, of %s in all", app::grouped(map_.most).c_str(),
                          app::grouped(map_.counted.total).c_str());
    }
  }

  // Draws one more frame that records what each block did when.
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

  // A bar per rasterizer, in the colour of its bins; where there are more than pixels, the highest of each column.
  static void bars(const std::vector<uint64_t>& load, double mean) {
    if (load.empty()) return;
    const auto [list, at, width, height, hovered] = begin_plot("bars", 7);
    const double top = double(std::max<uint64_t>(1, *std::max_element(load.begin(), load.end())));
    const size_t count = load.size(), columns = std::min(count, size_t(std::max(1.0f, width / 2)));
    const float step = width / float(columns);
    for (size_t c = 0; c < columns; ++c) {
      size_t highest = c * count / columns;
      for (size_t i = highest; i < (c + 1) * count / columns; ++i) {
        if (load[i] > load[highest]) highest = i;
      }
      const float y = float(double(load[highest]) / top) * height;
      const float gap = step > 4 ? 1.0f : 0.0f;
      list.AddRectFilled({at.x + float(c) * step, at.y + height - y}, {at.x + float(c + 1) * step - gap, at.y + height},
                         rasterizer_color(int(highest)));
    }
    const float y = at.y + height - float(mean / top) * height;
    list.AddLine({at.x, y}, {at.x + width, y}, IM_COL32(255, 255, 255, 220), 1.5f);
    if (hovered < 0) return;
    const size_t i = size_t(hovered * float(count));
    ImGui::SetTooltip("rasterizer %zu: %s fragments, %.2f of the mean", i, app::grouped(load[i]).c_str(),
                      mean > 0 ? double(load[i]) / mean : 0);
  }

  std::vector<PanelTexture> thumbnails_;
  int thumbnails_of_ = 0, shown_rasterizers_ = kThumbnailRasterizers;
  Overlay overlay_ = Overlay::none, overlay_made_ = Overlay::none;
  float opacity_ = 0.5f;
  PanelTexture overlay_texture_;
  ImageLegend legend_;                                               // of the overlay
  uint64_t overlay_number_ = 0, map_number_ = 0, timed_number_ = 0;  // of the frames that these are about
  LoadMap map_, timed_;
  FrameSettings timed_settings_;
  PatternRace race_;
};

}  // namespace

std::unique_ptr<Panel> make_pattern_panel() { return std::make_unique<PatternPanel>(); }

}  // namespace brokkr::viewer
