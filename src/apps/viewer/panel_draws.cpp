// The draws of the frame: a list with their states that can be searched, what each touched, and which are drawn.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "app/text.h"
#include "viewer/draw_filter.h"
#include "viewer/draw_rows.h"
#include "viewer/draw_thumbnail.h"
#include "viewer/looks.h"
#include "viewer/panel.h"

namespace brokkr::viewer {
namespace {

// What the render thread drew for one draw of one frame.
struct Thumbnail {
  FrameSource source;
  uint32_t command = 0;
  std::optional<DrawThumbnail> drawn;
};

class DrawsPanel : public Panel {
 public:
  const char* name() const override { return "Draws"; }
  Section section() const override { return Section::draws; }

  bool on_key(ViewerState& state, const KeyEvent& event) override {
    switch (event.action) {
      case Action::step_draw: step(state, event.number); return true;
      case Action::isolate_draw: toggle_alone(state); return true;
      case Action::hide_draw: toggle_hidden(state); return true;
      case Action::show_all_draws: show_all_draws(state.settings); return true;
      default: return false;
    }
  }

  void draw(ViewerState& state) override {
    if (!state.scene) return ImGui::TextDisabled("nothing is loaded");
    if (scene_.lock() != state.scene) take(state);
    if (state.chosen_draw != last_chosen_) scroll_ = state.chosen_draw.has_value();
    last_chosen_ = state.chosen_draw;
    draw_controls(state);
    draw_preview(state);
    draw_search();
    draw_list(state);
  }

 private:
  // A line of the list: the heading of a group, or a row of it.
  struct Line {
    bool heading = false;
    size_t index = 0;  // of DrawRows::groups or rows
  };

  void take(const ViewerState& state) {
    scene_ = state.scene;
    rows_ = draw_rows(state.scene->frame);
    draws_ = draw_commands(state.scene->frame);
    closed_.assign(rows_.groups.size(), false);
    thumbnail_ = std::make_shared<Thumbnail>();
    hovered_.reset();
    shown_thumbnail_ = false;
    find();
  }

  // The lines that the search and the closed groups leave.
  void find() {
    lines_.clear();
    found_ = 0;
    for (size_t g = 0; g < rows_.groups.size(); ++g) {
      const size_t heading = lines_.size();
      lines_.push_back({true, g});
      size_t here = 0;
      for (size_t r = rows_.groups[g].first; r < rows_.groups[g].end; ++r) {
        if (!matches(rows_.rows[r], search_)) continue;
        here++;
        found_ += rows_.rows[r].is_draw;
        if (!closed_[g]) lines_.push_back({false, r});
      }
      if (here == 0) lines_.resize(heading);
    }
  }

  void draw_controls(ViewerState& state) {
    int shown = draws_shown(state.settings, draws_);
    if (ImGui::SliderInt("draw so many", &shown, 0, int(draws_.size()), "%d", ImGuiSliderFlags_AlwaysClamp)) {
      show_draws(state.settings, draws_, shown);
      if (shown > 0) state.chosen_draw = draws_[size_t(shown - 1)];
    }
    if (ImGui::Button("< Draw")) step(state, -1);
    ImGui::SameLine();
    if (ImGui::Button("Draw >")) step(state, 1);
    ImGui::SameLine();
    if (ImGui::Button("Alone")) toggle_alone(state);
    ImGui::SameLine();
    if (ImGui::Button("Hide")) toggle_hidden(state);
    ImGui::SameLine();
    if (ImGui::Button("All")) show_all_draws(state.settings);
  }

  // The draw that the mouse points at in the list, or else the chosen one: what it touched, and its state.
  void draw_preview(ViewerState& state) {
    const std::optional<uint32_t> command = hovered_ ? hovered_ : state.chosen_draw;
    hovered_.reset();
    const float height = 8 * ImGui::GetFontSize();
    const auto* const draw = command ? std::get_if<DrawCommand>(&state.scene->frame.commands[*command]) : nullptr;
    if (draw == nullptr) {
      ImGui::TextDisabled("Point at a draw, or choose one: its picture is here.");
      return ImGui::Dummy({1, height - ImGui::GetTextLineHeightWithSpacing()});  // the list keeps its place
    }
    ask(state, *command);
    const bool is_there = thumbnail_->drawn && thumbnail_->command == *command;
    if (is_there && !shown_thumbnail_) {
      const Picture& picture = thumbnail_->drawn->picture;
      texture_.set(picture.width, picture.height, picture.pixels);
      shown_thumbnail_ = true;
    }
    if (!ImGui::BeginChild("preview", {0, height})) return ImGui::EndChild();
    if (is_there) {
      const Picture& picture = thumbnail_->drawn->picture;
      const float most = 0.55f * ImGui::GetContentRegionAvail().x;
      const float zoom = std::min(height / float(picture.height), most / float(picture.width));
      const ImVec2 at = ImGui::GetCursorScreenPos(), size(float(picture.width) * zoom, float(picture.height) * zoom);
      texture_.draw(*ImGui::GetWindowDrawList(), at, {at.x + size.x, at.y + size.y});
      ImGui::Dummy(size);
      tip("Bright: pixels that this draw wrote, as the frame was just after it");
      ImGui::SameLine();
    }
    ImGui::BeginGroup();
    ImGui::TextUnformatted(("draw " + std::to_string(*command) + " " + app::printable(draw->label)).c_str());
    if (is_there) ImGui::TextWrapped("%s touched", counted(thumbnail_->drawn->touched, "pixel").c_str());
    ImGui::TextWrapped("%s", state_text(state.scene->frame, *draw).c_str());
    ImGui::EndGroup();
    ImGui::EndChild();
  }

  // Requests the picture of a draw, unless it is there or another is under way.
  void ask(ViewerState& state, uint32_t command) {
    if (!state.last || state.last->scene != state.scene || !under_way_.expired()) return;
    FrameSource source = state.last->source();
    source.settings.options.trace = false;  // whatever else is recorded does not change it
    if (thumbnail_->command == command && thumbnail_->source == source) return;
    auto wanted = std::make_shared<Thumbnail>();
    wanted->source = std::move(source);
    wanted->command = command;
    under_way_ = state.commands.run([this, wanted](RenderContext& c) -> RenderAnswer {
      std::optional<DrawThumbnail> drawn = draw_thumbnail(c, wanted->command);
      return [this, wanted, drawn = std::move(drawn)] {
        if (wanted->source.scene.lock() != scene_.lock()) return;
        thumbnail_ = wanted;
        thumbnail_->drawn = drawn;
        shown_thumbnail_ = false;
      };
    });
  }

  void draw_search() {
    ImGui::SetNextItemWidth(-1);
    if (ImGui::InputTextWithHint("##search", "search: words, as in 'blend alpha' or 'target 1'", &search_)) find();
    tip("A draw is shown where each word is found in its number, its name, or a state");
    std::string text = counted(draws_.size(), "draw");
    if (!search_.empty()) text = app::grouped(found_) + " of " + text;
    ImGui::TextUnformatted(text.c_str());
  }

  void draw_list(ViewerState& state) {
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX |
                                       ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_Resizable |
                                       ImGuiTableFlags_Hideable | ImGuiTableFlags_BordersInnerV;
    constexpr std::pair<const char*, float> kColumns[] = {
        {"draw", 6},  {"name", 8}, {"primitives", 5}, {"topology", 6}, {"depth", 7},
        {"blend", 6}, {"cull", 4}, {"stencil", 5},    {"target", 4},   {"texture", 8}};
    const float least = 10 * ImGui::GetTextLineHeightWithSpacing();
    const float height = std::max(ImGui::GetContentRegionAvail().y, least);
    if (!ImGui::BeginTable("draws", int(std::size(kColumns)), kFlags, {0, height})) return;
    ImGui::TableSetupScrollFreeze(1, 1);
    for (const auto& [title, width] : kColumns)
      ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthFixed, width * ImGui::GetFontSize());
    ImGui::TableHeadersRow();
    ImGuiListClipper clipper;
    clipper.Begin(int(lines_.size()));
    std::optional<size_t> toggled;
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const Line& line = lines_[size_t(i)];
        ImGui::PushID(i);
        ImGui::TableNextRow(0, ImGui::GetFrameHeight());  // all alike, as the clipper wants them
        ImGui::TableNextColumn();
        if (line.heading ? draw_heading(state, line.index) : draw_row(state, rows_.rows[line.index]))
          toggled = line.index;
        ImGui::PopID();
      }
    }
    if (scroll_) scroll_to(state, clipper.ItemsHeight);
    ImGui::EndTable();
    if (!toggled) return;
    closed_[*toggled] = !closed_[*toggled];
    find();
  }

  void scroll_to(const ViewerState& state, float row_height) {
    scroll_ = false;
    const auto is_chosen = [&](const Line& line) {
      return !line.heading && rows_.rows[line.index].command == state.chosen_draw;
    };
    const auto at = std::find_if(lines_.begin(), lines_.end(), is_chosen);
    if (at == lines_.end()) return;
    const float top = float(at - lines_.begin()) * row_height, now = ImGui::GetScrollY();
    if (top < now || top + 3 * row_height > now + ImGui::GetWindowHeight())
      ImGui::SetScrollY(std::max(0.0f, top - 3 * row_height));
  }

  // Returns whether the group shall be opened or closed.
  bool draw_heading(ViewerState& state, size_t index) {
    const DrawGroup& group = rows_.groups[index];
    bool visible = false;
    for (size_t r = group.first; r < group.end && !visible; ++r)
      visible = rows_.rows[r].is_draw && !state.settings.hidden_commands.contains(rows_.rows[r].command);
    if (group.draws > 0 && ImGui::Checkbox("##visible", &visible)) {
      for (size_t r = group.first; r < group.end; ++r) {
        if (rows_.rows[r].is_draw) set_hidden(state.settings, rows_.rows[r].command, !visible);
      }
    }
    ImGui::SameLine();
    const bool clicked = ImGui::ArrowButton("##open", closed_[index] ? ImGuiDir_Right : ImGuiDir_Down);
    ImGui::TableNextColumn();
    const bool chosen = ImGui::Selectable(group.name.c_str());
    tip(group.name + ": " + counted(group.draws, "draw") + ", " + counted(group.primitives, "primitive") +
        ". Opens and closes the group");
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(app::grouped(group.primitives).c_str());
    return clicked || chosen;
  }

  // Returns false: a row opens nothing.
  bool draw_row(ViewerState& state, const DrawRow& row) {
    if (row.is_draw) {
      bool visible = !state.settings.hidden_commands.contains(row.command);
      if (ImGui::Checkbox("##visible", &visible)) set_hidden(state.settings, row.command, !visible);
      ImGui::SameLine();
    }
    constexpr auto kFlags = ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap;
    const std::string number = std::to_string(row.command);
    if (ImGui::Selectable(number.c_str(), state.chosen_draw == row.command, kFlags) && row.is_draw)
      last_chosen_ = state.chosen_draw = row.command;  // it is in sight: the list stays where it is
    if (ImGui::IsItemHovered() && row.is_draw) {
      hovered_ = row.command;
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) jump(state, row.command);
    }
    const std::string primitives = row.is_draw ? app::grouped(row.primitives) : "";
    for (const std::string* text : {&row.name, &primitives, &row.topology, &row.depth, &row.blend, &row.cull,
                                    &row.stencil, &row.target_name, &row.texture}) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(text->c_str());
    }
    return false;
  }

  // Shows the picture up to and including this draw.
  static void jump(ViewerState& state, uint32_t command) {
    state.chosen_draw = command;
    show_up_to(state, command);
  }

  static void step(ViewerState& state, int by) {
    if (!state.scene) return;
    if (const auto next = step_draw(state.settings, state.scene->frame, by)) return jump(state, *next);
    if (by > 0) state.commands.show_note("all draws");
  }

  static bool has_chosen(ViewerState& state) {
    if (state.chosen_draw && state.scene) return true;
    state.commands.show_note("choose a draw first: click a pixel, or step with . and ,");
    return false;
  }

  static void toggle_alone(ViewerState& state) {
    if (has_chosen(state)) isolate(state.settings, state.scene->frame, *state.chosen_draw);
  }

  static void toggle_hidden(ViewerState& state) {
    const auto& hidden = state.settings.hidden_commands;
    if (has_chosen(state)) set_hidden(state.settings, *state.chosen_draw, !hidden.contains(*state.chosen_draw));
  }

  std::weak_ptr<const Scene> scene_;  // the scene that the other fields are about
  DrawRows rows_;
  std::vector<uint32_t> draws_;
  std::vector<bool> closed_;  // by group
  std::vector<Line> lines_;
  size_t found_ = 0;  // draws
  std::string search_;
  std::optional<uint32_t> hovered_, last_chosen_;
  bool scroll_ = false;
  std::shared_ptr<Thumbnail> thumbnail_ = std::make_shared<Thumbnail>();
  std::weak_ptr<const RenderJob> under_way_;
  PanelTexture texture_{PanelTexture::Kind::picture};
  bool shown_thumbnail_ = false;  // the texture has the picture of `thumbnail_`
};

}  // namespace

std::unique_ptr<Panel> make_draws_panel() { return std::make_unique<DrawsPanel>(); }

}  // namespace brokkr::viewer
