// The probe's panel: the film of a drawing, fragment by fragment, beside a map of the tiles that share a processor. The
// drawing is the current frame, or one with slow fragments that the user places by clicks, drawn by the pipeline, a
// model of the G80 or an OpenGL driver.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "probe/film.h"
#include "probe/g80_model.h"
#include "probe/panel.h"
#include "probe/subjects.h"
#include "probe/tile_map.h"
#include "viewer/looks.h"
#include "viewer/panel.h"

namespace brokkr::viewer {
namespace {

constexpr int kMaxBlocks = 64;  // number of CPU threads, so that each rasterizer has its own block
constexpr float kSeconds = 6;   // duration of a film
constexpr int kReach = 4;       // pixels; a click this near to a slow pixel removes it
constexpr int kMaxCost = 10000000, kMaxBackground = 10000;
constexpr const char* kSubjects = "this frame\0the pipeline\0the G80 model\0an OpenGL driver\0";
enum ProbeSubject : int { kFrame, kPipeline, kModel, kDriver };

// The result of a job on the render thread.
struct Probed {
  probe::Watched watched;
  std::optional<probe::TileMap> map;
  std::string text;  // rule of the map
};

RenderOptions with_own_blocks(RenderOptions options) {
  options.keep_stamps = true;
  options.ownership = Ownership::fixed;
  if (options.rasterizers > 0 && options.rasterizers <= kMaxBlocks) options.workers = options.rasterizers;
  return options;
}

void set_map(Probed& found, probe::TileMap map) {
  found.text = "Tiles of " + std::to_string(map.tile_x) + " x " + std::to_string(map.tile_y) + " pixels, " +
               counted(uint64_t(map.owners), "processor") + ": " + formula(map, rule_of(map)) + ".";
  found.map = std::move(map);
}

// The subject of the films. Jobs on the render thread create and keep it.
class ProbeBench {
 public:
  Probed film(int kind, const RenderOptions& options, const probe::Drawing& drawing) {
    if (!subject_ || kind != kind_ || (kind == kPipeline && options != options_)) {
      subject_.reset();
      model_map_.reset();
      kind_ = kind;
      options_ = options;
      if (kind == kPipeline) subject_ = std::make_unique<probe::BrokkrSubject>(with_own_blocks(options));
      if (kind == kModel) subject_ = std::make_unique<probe::G80Model>();
      if (kind == kDriver) subject_ = std::make_unique<probe::DriverSubject>("", 1);
    }
    Probed found{.watched = watch(*subject_, drawing)};
    const probe::Film& film = found.watched.film;
    if (kind == kModel) {
      if (!model_map_) model_map_ = map_by_pairs(*subject_, probe::PairTest::time, [](double) {});
      set_map(found, *model_map_);
    } else if (!film.unit.empty()) {
      const std::vector<int32_t> unit =
          kind == kDriver ? probe::clusters_of(film.unit, film.width, film.height) : film.unit;
      set_map(found, probe::map_of_units(unit, film.width, film.height));
    } else {
      found.text = subject_->name() +
                   " does not say which processor draws a pixel; brokkr probe --on driver map measures the time of "
                   "pairs of pixels.";
    }
    return found;
  }

 private:
  int kind_ = kFrame;
  RenderOptions options_;
  std::unique_ptr<probe::Subject> subject_;
  std::optional<probe::TileMap> model_map_;
};

Probed probe_frame(RenderContext& context) {
  const RenderResult result = context.renderer.render(context.prepared, with_own_blocks(context.settings.options));
  Probed found{.watched = {.film = probe::film_of(result.targets[context.target].layers[context.layer])}};
  const probe::Film& film = found.watched.film;
  set_map(found, probe::map_of_units(film.unit, film.width, film.height));
  return found;
}

// The user's settings of a drawing.
struct ProbeSetup {
  int subject = kFrame;
  int kind = 1, order = 0, edge = 9;  // index of kDrawings, index of FillOrder, exponent of 2
  int background = 0, cost = 1000000, branch = 1;
  bool waits = false;
  std::vector<probe::SlowPixel> slow;

  probe::Drawing drawing() const {
    probe::Drawing drawing = probe::drawing_of(probe::kDrawings[kind], 1 << edge);
    if (drawing.kind != probe::PrimitiveKind::strip) reorder(drawing, probe::FillOrder(order));
    drawing.background = uint32_t(background);
    drawing.waits = waits;
    drawing.slow = slow;
    for (probe::SlowPixel& pixel : drawing.slow) pixel.cost = uint32_t(cost);
    return drawing;
  }

  // Removes the slow pixel near this position, or places one there.
  void click(int x, int y) {
    const auto near = [&](const probe::SlowPixel& p) {
      return std::max(std::abs(p.x - x), std::abs(p.y - y)) <= kReach;
    };
    if (std::erase_if(slow, near) == 0 && slow.size() < size_t(probe::kMaxSlowPixels))
      slow.push_back({x, y, 0, uint32_t(branch)});
  }
};

class ProbePanel : public Panel {
 public:
  const char* name() const override { return "Probe"; }
  Section section() const override { return Section::measure; }

  void draw(ViewerState& state) override {
    bool changed = ImGui::Combo(row("source"), &setup_.subject, kSubjects);
    if (setup_.subject != kFrame) changed |= draw_setup();
    const bool busy = !under_way_.expired();
    // Each change draws the film again; the frame's own film is drawn only on request.
    wanted_ = (wanted_ || (changed && found_)) && setup_.subject != kFrame;
    ImGui::BeginDisabled(busy || !state.last);
    if (ImGui::Button(busy ? "Drawing..." : "Draw the film") || (wanted_ && !busy && state.last)) start(state);
    ImGui::EndDisabled();
    tip("Draws again, and records when each pixel is written and by which block.");
    if (found_) return draw_film(state);
    wrapped(
        "A film of the drawing: in which order its pixels are written, fragment by fragment, and which tiles of the "
        "picture share a block.");
  }

 private:
  // Returns true if the drawing has changed.
  bool draw_setup() {
    bool changed = ImGui::Combo(row("primitives"), &setup_.kind, probe::kDrawings, int(std::size(probe::kDrawings)));
    changed |= slider_row("edge", &setup_.edge, 0, 9, (std::to_string(1 << setup_.edge) + " pixels").c_str());
    changed |= ImGui::Combo(row("order"), &setup_.order, "row by row\0tile by tile\0shuffled\0");
    changed |= draw_cost("all others", setup_.background, 0, kMaxBackground);
    changed |= draw_cost("slow fragments", setup_.cost, 1, kMaxCost);
    slider_row("branch", &setup_.branch, 1, probe::kMaxBranch);
    tip("Of the next slow fragment");
    changed |= check_box(row("serial additions"), &setup_.waits);
    ImGui::BeginDisabled(setup_.slow.empty());
    if (ImGui::Button("No slow fragments")) {
      setup_.slow.clear();
      changed = true;
    }
    ImGui::EndDisabled();
    ImGui::SameLine();
    ImGui::TextDisabled("%zu; click into the film", setup_.slow.size());
    return changed;
  }

  static bool draw_cost(const char* name, int& cost, int least, int most) {
    const bool changed = slider_row(name, &cost, least, most, "%d", ImGuiSliderFlags_Logarithmic);
    tip("Additions of each");
    return changed;
  }

  void start(ViewerState& state) {
    wanted_ = false;
    under_way_ = state.commands.run([this, bench = bench_, setup = setup_](RenderContext& context) -> RenderAnswer {
      auto found = std::make_shared<Probed>(
          setup.subject == kFrame ? probe_frame(context)
                                  : bench->film(setup.subject, context.settings.options, setup.drawing()));
      return [this, found] {
        found_ = found;
        shown_ = -1;
        part_ = found->watched.stall.now > 0 ? float(found->watched.stall_part()) : 1;
        if (!found->map) return;
        probe::TileMap tiles = *found->map;  // one pixel per tile
        tiles.tile_x = tiles.tile_y = 1;
        map_texture_.set(tiles.columns, tiles.rows, map_picture(tiles, tiles.columns, tiles.rows));
      };
    });
  }

  void draw_film(ViewerState& state) {
    const probe::Watched& watched = found_->watched;
    ImGui::SameLine();
    check_box("play", &plays_);
    if (plays_) {
      part_ += ImGui::GetIO().DeltaTime / kSeconds;
      if (part_ > 1) part_ = 0;
      state.commands.request_render();
    }
    if (watched.stall.now > 0) {
      ImGui::SameLine();
      if (ImGui::Button("Go to where all wait")) part_ = float(watched.stall_part());
    }
    slider_row("part", &part_, 0, 1, "%.3f");
    tip("Of the fragments, in the order in which they were written");
    if (shown_ != part_) film_texture_.set(watched.film.width, watched.film.height, watched.picture(part_));
    shown_ = part_;
    draw_pictures(state);
    if (watched.stall.now > 0) {
      wrapped("Red: pixels that slow fragments delay. " + counted(uint64_t(watched.stall.drawn), "pixel") +
              " are drawn until all wait.");
    }
    wrapped(found_->text);
  }

  // The film and the map side by side. A click on the film places a slow fragment.
  void draw_pictures(ViewerState& state) {
    const probe::Film& film = found_->watched.film;
    const float gap = 0.5f * ImGui::GetFontSize(), width = std::max(1.0f, (ImGui::GetContentRegionAvail().x - gap) / 2);
    const float height = width * float(film.height) / float(std::max(1, film.width));
    const ImVec2 at = ImGui::GetCursorScreenPos(), mouse = ImGui::GetMousePos();
    const bool clicked = ImGui::InvisibleButton("film", {width, height});
    ImDrawList& list = *ImGui::GetWindowDrawList();
    film_texture_.draw(list, at, {at.x + width, at.y + height});
    if (ImGui::IsItemHovered() && film.width > 0) {
      const int x = std::clamp(int((mouse.x - at.x) / width * float(film.width)), 0, film.width - 1);
      const int y = std::clamp(int((at.y + height - mouse.y) / height * float(film.height)), 0, film.height - 1);
      tip(pixel_text(film, x, y));
      if (clicked && setup_.subject != kFrame) {
        setup_.click(x, y);
        wanted_ = true;
        state.commands.request_render();
      }
    }
    ImGui::SameLine(0, gap);
    ImGui::Dummy({width, height});
    if (!found_->map || film.width == 0) return;
    const probe::TileMap& map = *found_->map;
    const float left = at.x + width + gap, low = at.y + height, scale = width / float(film.width);
    map_texture_.draw(list, {left, low - scale * float(map.rows * map.tile_y)},
                      {left + scale * float(map.columns * map.tile_x), low});
  }

  static std::string pixel_text(const probe::Film& film, int x, int y) {
    const size_t i = film.at(x, y);
    std::string text = "Pixel " + std::to_string(x) + ", " + std::to_string(y) + ": ";
    if (film.order[i] == probe::kNever) return text + "not drawn";
    text += "fragment " + std::to_string(film.order[i]);
    if (!film.unit.empty() && film.unit[i] >= 0) text += ", block " + std::to_string(film.unit[i]);
    if (!film.warp.empty() && film.warp[i] >= 0) text += ", warp " + std::to_string(film.warp[i]);
    return text;
  }

  ProbeSetup setup_;
  bool plays_ = false, wanted_ = false;
  float part_ = 1, shown_ = -1;
  std::shared_ptr<ProbeBench> bench_ = std::make_shared<ProbeBench>();
  std::weak_ptr<const RenderJob> under_way_;
  std::shared_ptr<const Probed> found_;
  PanelTexture film_texture_, map_texture_;
};

}  // namespace

Module probe_view_module() {
  Module module;
  module.panels = {[]() -> std::unique_ptr<Panel> { return std::make_unique<ProbePanel>(); }};
  return module;
}

}  // namespace brokkr::viewer
