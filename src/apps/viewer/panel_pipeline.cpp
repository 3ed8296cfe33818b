// The settings of the pipeline: every option of `brokkr render` except scheduling, from the same table. Changes apply
// to the next frame; nothing restarts.
#include <imgui.h>

#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "app/text.h"
#include "viewer/option_widget.h"
#include "viewer/panel.h"

namespace brokkr::viewer {
namespace {

class PipelinePanel : public Panel {
 public:
  const char* name() const override { return "Pipeline"; }
  Section section() const override { return Section::pipeline; }

  void draw(ViewerState& state) override {
    RenderOptions& options = state.settings.options;
    const int samples = options.samples;
    draw_options(state, false);
    state.chosen_samples = state.chosen_samples || options.samples != samples;
    if (ImGui::Button("Defaults")) {
      const RenderOptions before = options;
      options = {};
      state.chosen_samples = false;
      options.keep_ids = before.keep_ids;
      options.trace = before.trace;
      options.command_limit = before.command_limit;
    }
    group_header("Machines");
    draw_machines();
    if (state.last) draw_used(*state.last);
  }

 private:
  void draw_machines() const {
    if (!ImGui::BeginTable("machines", 4, ImGuiTableFlags_SizingFixedFit)) return;
    for (int column = 0; column < 3; ++column) ImGui::TableSetupColumn("fact", ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableSetupColumn("note", ImGuiTableColumnFlags_WidthStretch);
    for (const MachineInfo& machine : machines_) {
      const std::string lanes = machine.available ? std::to_string(machine.width) + " lanes" : "-";
      const std::string cells[] = {
          machine.name, machine.isa == lanes ? "" : machine.isa, lanes,
          machine.note.empty() ? app::counted(uint64_t(machine.workers), "worker") : machine.note};
      const ImGuiCol color = machine.available ? ImGuiCol_Text : ImGuiCol_TextDisabled;
      ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(color));
      for (const std::string& cell : cells) {
        ImGui::TableNextColumn();
        if (&cell == std::end(cells) - 1)
          ImGui::TextWrapped("%s", cell.c_str());
        else
          ImGui::TextUnformatted(cell.c_str());
      }
      ImGui::PopStyleColor();
    }
    ImGui::EndTable();
  }

  // Shows the values that the launch chose for automatic options.
  static void draw_used(const Rendered& last) {
    const Statistics& s = last.result.statistics;
    group_header("Last frame");
    ImGui::TextWrapped("%s %s, %d workers, warps per block: %d, %d rasterizers, bins of %d pixels, %s: %.2f ms",
                       s.machine.c_str(), s.isa.c_str(), s.workers, s.warps_per_block, s.rasterizers, s.bin,
                       s.pattern.c_str(), s.frame_ms);
  }

  std::vector<MachineInfo> machines_ = find_machines();
};

}  // namespace

std::unique_ptr<Panel> make_pipeline_panel() { return std::make_unique<PipelinePanel>(); }

}  // namespace brokkr::viewer
