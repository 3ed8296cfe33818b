// The probe: the film of a frame, fragment by fragment, beside the map of which tiles share a processor; of the frame
// that is shown, or of the G80's model behind a slow fragment.
#include <imgui.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "probe/brokkr_subject.h"
#include "probe/experiments.h"
#include "probe/g80_model.h"
#include "probe/picture.h"
#include "probe/tile_map.h"
#include "viewer/looks.h"
#include "viewer/panel.h"

namespace brokkr::viewer {
namespace {

constexpr int kMostBlocks = 64;  // threads of the CPU, for a block of its own for each rasterizer
constexpr float kSeconds = 6;    // a film's length

// What a job on the render thread has found.
struct Probed {
  probe::Film film;
  probe::TileMap map;
  std::string rule;
};

Probed probe_frame(RenderContext& context) {
  RenderOptions options = context.settings.options;
  options.keep_stamps = true;
  options.ownership = Ownership::fixed;
  const int rasterizers = options.rasterizers;
  if (rasterizers > 0 && rasterizers <= kMostBlocks) options.workers = rasterizers;
  const RenderResult result = context.renderer.render(context.prepared, options);
  Probed found;
  found.film = probe::film_of(result.targets[context.target].layers[context.layer]);
  found.map = probe::map_of_units(found.film.unit, found.film.width, found.film.height);
  found.rule = formula(found.map, rule_of(found.map));
  return found;
}

Probed probe_model() {
  probe::G80Model model;
  probe::Bench bench(model);
  Probed found;
  found.film = model.draw(bench.slow_quad({probe::slow_corner(bench.tile)}, true));
  found.map = map_by_pairs(model, [](double) {});
  found.rule = formula(found.map, rule_of(found.map));
  return found;
}

class ProbePanel : public Panel {
 public:
  const char* name() const override { return "Probe"; }

  void draw(ViewerState& state) override {
    ImGui::Combo("film of", &subject_, "this frame\0the G80 model, one slow fragment\0");
    const bool busy = !under_way_.expired();
    ImGui::BeginDisabled(busy || !state.last);
    if (ImGui::Button(busy ? "Drawing..." : "Draw the film")) start(state);
    ImGui::EndDisabled();
    tip("Draws once more, and notes when and by which block each pixel is written.");
    if (!found_) return;
    ImGui::SameLine();
    ImGui::Checkbox("play", &plays_);
    if (plays_) {
      part_ += ImGui::GetIO().DeltaTime / kSeconds;
      if (part_ > 1) part_ = 0;
      state.commands.request_render();
    }
    ImGui::SliderFloat("part", &part_, 0, 1, "%.2f of the fragments", ImGuiSliderFlags_AlwaysClamp);
    if (shown_ != part_) show_film();
    draw_pictures();
    const probe::TileMap& map = found_->map;
    wrapped("Tiles of " + std::to_string(map.tile_x) + " x " + std::to_string(map.tile_y) + " pixels, " +
            counted(uint64_t(map.owners), "processor") + ": " + found_->rule + ".");
  }

 private:
  void start(ViewerState& state) {
    under_way_ = state.commands.run([this, model = subject_ == 1](RenderContext& context) -> RenderAnswer {
      auto found = std::make_shared<Probed>(model ? probe_model() : probe_frame(context));
      return [this, found] {
        found_ = found;
        shown_ = -1;
        part_ = 1;
        map_texture_.set(found->film.width, found->film.height,
                         map_picture(found->map, found->film.width, found->film.height));
      };
    });
  }

  void show_film() {
    shown_ = part_;
    film_texture_.set(found_->film.width, found_->film.height, film_picture(found_->film, part_));
  }

  // The film and the map side by side.
  void draw_pictures() const {
    const float gap = 0.5f * ImGui::GetFontSize(), width = std::max(1.0f, (ImGui::GetContentRegionAvail().x - gap) / 2);
    const float height = width * float(found_->film.height) / float(std::max(1, found_->film.width));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::Dummy({2 * width + gap, height});
    ImDrawList& list = *ImGui::GetWindowDrawList();
    film_texture_.draw(list, at, {at.x + width, at.y + height});
    map_texture_.draw(list, {at.x + width + gap, at.y}, {at.x + 2 * width + gap, at.y + height});
  }

  int subject_ = 0;
  bool plays_ = false;
  float part_ = 1, shown_ = -1;
  std::weak_ptr<const RenderJob> under_way_;
  std::shared_ptr<const Probed> found_;
  PanelTexture film_texture_, map_texture_;
};

}  // namespace

std::unique_ptr<Panel> make_probe_panel() { return std::make_unique<ProbePanel>(); }

}  // namespace brokkr::viewer
