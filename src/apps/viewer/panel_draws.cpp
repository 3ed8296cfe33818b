// The draws of the frame: a searchable list with their states, a picture of what each draw touched, and the choice of
// draws to show.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <glm/common.hpp>
#include <optional>
#include <string>
#include <utility>

#include "app/text.h"
#include "viewer/draw_filter.h"
#include "viewer/draw_parts.h"
#include "viewer/draw_rows.h"
#include "viewer/looks.h"
#include "viewer/panel.h"

namespace brokkr::viewer {
namespace {

constexpr float kPreviewLines = 15;       // height of the chosen draw's preview, in font sizes
constexpr float kReadingLines = 30;       // of a texture, a mesh or a program
constexpr size_t kMaxEdges = 9000;        // of a mesh
constexpr uint32_t kMaxVertices = 10000;  // of a mesh

// Results of the render thread for one draw of one frame.
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
  // The tab that describes the chosen draw.
  enum class Tab { picture, state, texture, mesh, vertex, program };
  static constexpr std::pair<Tab, const char*> kTabs[] = {{Tab::picture, "Picture"}, {Tab::state, "State"},
                                                          {Tab::texture, "Texture"}, {Tab::mesh, "Mesh"},
                                                          {Tab::vertex, "Vertex"},   {Tab::program, "Fragment"}};

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
    shown_draw_.reset();
    find();
  }

  // Lists the lines that match the search, without the content of closed groups.
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
    if (slider_row("draw first N", &shown, 0, int(draws_.size()))) {
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

  // Shows the pixels touched and the inputs of the draw under the mouse, otherwise of the chosen draw.
  void draw_preview(ViewerState& state) {
    const std::optional<uint32_t> command = hovered_ ? hovered_ : state.chosen_draw;
    hovered_.reset();
    const float em = ImGui::GetFontSize();
    const bool reads = command && tab_ != Tab::picture && tab_ != Tab::state;
    const float height = std::clamp((reads ? 0.48f : 0.4f) * ImGui::GetWindowHeight(), 10 * em,
                                    (reads ? kReadingLines : kPreviewLines) * em);
    const auto* const draw = command ? std::get_if<DrawCommand>(&state.scene->frame.commands[*command]) : nullptr;
    if (ImGui::BeginChild("preview", {0, height})) {
      if (draw == nullptr) {
        ImGui::PushStyleColor(ImGuiCol_Text, theme::kDim);
        ImGui::TextWrapped("Point at a draw, or choose one, to see its picture here.");
        ImGui::PopStyleColor();
      } else {
        const std::string title = "draw " + std::to_string(*command) + " " + app::printable(draw->label);
        ImGui::PushFont(theme::heading());
        ImGui::TextUnformatted(title.c_str());
        ImGui::PopFont();
        // All tabs fit into the narrowest dock.
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0.3f * em, ImGui::GetStyle().FramePadding.y});
        for (const auto& [tab, name] : kTabs) {
          if (tab != Tab::picture) ImGui::SameLine(0, 0);
          if (!flat_tab(name, tab_ == tab)) continue;
          tab_ = tab;
          scroll_ = true;  // tabs differ in height, and the list below shall still show the draw
        }
        ImGui::PopStyleVar();
        if (shown_draw_ != command) {
          shown_draw_ = command;
          textures_ = textures_of(state.scene->frame, *draw);
          show_texture(state.scene->frame, 0);
          edges_ = mesh_edges(state.scene->frame, *draw, kMaxEdges);
          program_ = program_text(state.scene->frame, *draw);
          vertex_program_ = vertex_text(state.scene->frame, *draw);
          columns_ = attribute_columns(state.scene->frame, *draw);
        }
        if (ImGui::BeginChild("tab")) draw_tab(state, *command, *draw);
        ImGui::EndChild();
      }
    }
    ImGui::EndChild();
  }

  void draw_tab(ViewerState& state, uint32_t command, const DrawCommand& draw) {
    switch (tab_) {
      case Tab::picture: return draw_picture(state, command);
      case Tab::state: return ImGui::TextWrapped("%s", state_text(state.scene->frame, draw).c_str());
      case Tab::texture: return draw_textures(state.scene->frame);
      case Tab::mesh: return draw_mesh(state.scene->frame, draw);
      case Tab::program: return draw_program(program_);
      case Tab::vertex: return draw_program(vertex_program_);
    }
  }

  void draw_picture(ViewerState& state, uint32_t command) {
    ask(state, command);
    if (!thumbnail_->drawn || thumbnail_->command != command) return ImGui::TextDisabled("drawing ...");
    const Picture& picture = thumbnail_->drawn->picture;
    if (!shown_thumbnail_) texture_.set(picture.width, picture.height, picture.pixels);
    shown_thumbnail_ = true;
    show_whole(texture_, picture, ImGui::GetTextLineHeightWithSpacing());
    tip("Bright: the pixels that this draw wrote, in the frame just after the draw");
    ImGui::TextDisabled("%s touched", counted(thumbnail_->drawn->touched, "pixel").c_str());
  }

  // Shows the picture as large as the space allows, minus `below`.
  static void show_whole(const PanelTexture& texture, const Picture& picture, float below) {
    const ImVec2 room = ImGui::GetContentRegionAvail(), top_left = ImGui::GetCursorScreenPos();
    const float zoom =
        std::max(std::min((room.y - below) / float(picture.height), room.x / float(picture.width)), 0.001f);
    const ImVec2 size(float(picture.width) * zoom, float(picture.height) * zoom);
    texture.draw(*ImGui::GetWindowDrawList(), top_left, {top_left.x + size.x, top_left.y + size.y});
    ImGui::Dummy(size);
  }

  void show_texture(const Frame& frame, size_t number) {
    read_ = number;
    texels_ = {};
    problem_.clear();
    if (number >= textures_.size()) return;
    texels_ = texture_picture(frame, textures_[number], problem_);
    if (!texels_.pixels.empty()) read_texture_.set(texels_.width, texels_.height, texels_.pixels);
  }

  void draw_textures(const Frame& frame) {
    if (textures_.empty()) return ImGui::TextDisabled("This draw reads no texture.");
    ImGui::SetNextItemWidth(-1);
    if (ImGui::BeginCombo("##textures", textures_[read_].name.c_str())) {
      for (size_t i = 0; i < textures_.size(); ++i) {
        if (ImGui::Selectable((textures_[i].name + "##" + std::to_string(i)).c_str(), i == read_))
          show_texture(frame, i);
      }
      ImGui::EndCombo();
    }
    ImGui::TextDisabled("%s", textures_[read_].facts.c_str());
    if (!problem_.empty()) return ImGui::TextWrapped("%s", problem_.c_str());
    show_whole(read_texture_, texels_, 0);
  }

  // Shows the mesh as on the screen, enlarged to fit, and its first vertices.
  void draw_mesh(const Frame& frame, const DrawCommand& draw) const {
    const ImVec2 room = ImGui::GetContentRegionAvail(), top_left = ImGui::GetCursorScreenPos();
    const float side = std::min(room.y, 0.45f * room.x);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(top_left, {top_left.x + side, top_left.y + side}, kPlotGround);
    if (!edges_.empty()) {
      glm::vec2 low = edges_[0][0], high = low;
      for (const auto& edge : edges_) {
        for (const glm::vec2& p : edge) {
          low = glm::min(low, p);
          high = glm::max(high, p);
        }
      }
      const float size = std::max({high.x - low.x, high.y - low.y, 1e-6f}), zoom = 0.94f * side / size;
      const glm::vec2 center = (low + high) / 2.0f;
      const auto place = [&](const glm::vec2& p) {
        return ImVec2(top_left.x + side / 2 + (p.x - center.x) * zoom, top_left.y + side / 2 - (p.y - center.y) * zoom);
      };
      list.PushClipRect(top_left, {top_left.x + side, top_left.y + side}, true);
      for (const auto& [a, b] : edges_) list.AddLine(place(a), place(b), theme::faded(theme::kCurve, 0.7f));
      list.PopClipRect();
    }
    ImGui::Dummy({side, side});
    tip("The triangles of the first instance that are in front of the camera");
    ImGui::SameLine();
    draw_vertices(frame, draw);
  }

  // Shows the position that the program computed, and the attributes that it read.
  void draw_vertices(const Frame& frame, const DrawCommand& draw) const {
    constexpr ImGuiTableFlags kFlags =
        ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg;
    // Dear ImGui's tables have at most 64 columns.
    const size_t attributes = std::min<size_t>(columns_.size(), 59);
    if (!ImGui::BeginTable("vertices", int(5 + attributes), kFlags)) return;
    ImGui::TableSetupScrollFreeze(1, 1);
    for (const char* const title : {"vertex", "x", "y", "z", "w"}) ImGui::TableSetupColumn(title);
    for (size_t i = 0; i < attributes; ++i) ImGui::TableSetupColumn(columns_[i].name.c_str());
    ImGui::TableHeadersRow();
    ImGuiListClipper clipper;
    clipper.Begin(int(std::min<uint32_t>(draw.vertex_count, kMaxVertices)));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const glm::vec4& p = frame.positions[draw.first_vertex + uint64_t(i)];
        ImGui::TableNextColumn();
        ImGui::Text("%d", i);
        for (const float value : {p.x, p.y, p.z, p.w}) {
          ImGui::TableNextColumn();
          ImGui::Text("%.4f", double(value));
        }
        for (size_t c = 0; c < attributes; ++c) {
          ImGui::TableNextColumn();
          ImGui::TextUnformatted(columns_[c].value(frame, uint64_t(i)).c_str());
        }
      }
    }
    ImGui::EndTable();
  }

  static void draw_program(std::string& text) {
    ImGui::InputTextMultiline("##program", &text, {-1, -1}, ImGuiInputTextFlags_ReadOnly);
  }

  // Requests the picture of a draw, unless it exists or another one is in progress.
  void ask(ViewerState& state, uint32_t command) {
    if (!state.last || state.last->scene != state.scene || !under_way_.expired()) return;
    FrameSource source = state.last->source();
    source.settings.options.trace = false;  // recordings do not change the picture
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
    std::string text = counted(draws_.size(), "draw");
    if (!search_.empty()) text = app::grouped(found_) + " of " + text;
    ImGui::SetNextItemWidth(-ImGui::CalcTextSize(text.c_str()).x - ImGui::GetStyle().ItemSpacing.x);
    if (ImGui::InputTextWithHint("##search", "search, as in 'blend alpha'", &search_)) find();
    tip("Shows the draws that have every word in their number, name or state, as 'target 1'");
    ImGui::SameLine();
    ImGui::TextUnformatted(text.c_str());
  }

  void draw_list(ViewerState& state) {
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX |
                                       ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_Resizable |
                                       ImGuiTableFlags_Hideable | ImGuiTableFlags_BordersInnerV;
    constexpr std::pair<const char*, float> kColumns[] = {
        {"draw", 5},  {"name", 7.6f}, {"primitives", 4.8f}, {"topology", 5.5f}, {"depth", 7},
        {"blend", 6}, {"cull", 4},    {"stencil", 5},       {"target", 4},      {"texture", 8}};
    const float least = 6 * ImGui::GetTextLineHeightWithSpacing();
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
        ImGui::TableNextRow(0, ImGui::GetFrameHeight());  // equal heights, as ImGui's clipper requires
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
    const auto chosen = std::find_if(lines_.begin(), lines_.end(), is_chosen);
    if (chosen == lines_.end()) return;
    const float top = float(chosen - lines_.begin()) * row_height, now = ImGui::GetScrollY();
    if (top < now || top + 3 * row_height > now + ImGui::GetWindowHeight())
      ImGui::SetScrollY(
          std::max(0.0f, top - std::clamp((ImGui::GetWindowHeight() - 3 * row_height) / 2, 0.0f, 3 * row_height)));
  }

  // Returns true if the group is to be opened or closed.
  bool draw_heading(ViewerState& state, size_t index) {
    const DrawGroup& group = rows_.groups[index];
    bool visible = false;
    for (size_t r = group.first; r < group.end && !visible; ++r)
      visible = rows_.rows[r].is_draw && !state.settings.hidden_commands.contains(rows_.rows[r].command);
    if (group.draws > 0 && check_box("##visible", &visible)) {
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

  // Returns false, because a row cannot be opened.
  bool draw_row(ViewerState& state, const DrawRow& row) {
    if (row.is_draw) {
      bool visible = !state.settings.hidden_commands.contains(row.command);
      if (check_box("##visible", &visible)) set_hidden(state.settings, row.command, !visible);
    } else {
      ImGui::Dummy({ImGui::GetFrameHeight(), ImGui::GetFrameHeight()});
    }
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();  // as beside a box
    if (table_row(std::to_string(row.command).c_str(), state.chosen_draw == row.command) && row.is_draw)
      last_chosen_ = state.chosen_draw = row.command;  // the row is visible, so the list need not scroll
    if (ImGui::IsItemHovered() && row.is_draw) {
      hovered_ = row.command;
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) jump(state, row.command);
    }
    const std::string primitives = row.is_draw ? app::grouped(row.primitives) : "";
    for (const std::string* text : {&row.name, &primitives, &row.topology, &row.depth, &row.blend, &row.cull,
                                    &row.stencil, &row.target_name, &row.texture}) {
      ImGui::TableNextColumn();
      const float room = ImGui::GetContentRegionAvail().x;
      ImGui::TextUnformatted(text->c_str());
      if (ImGui::GetItemRectSize().x > room) tip(*text);
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

  std::weak_ptr<const Scene> scene_;  // the scene that the other members belong to
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
  Tab tab_ = Tab::picture;
  std::optional<uint32_t> shown_draw_;  // the draw that the following members belong to
  std::vector<DrawTexture> textures_;
  size_t read_ = 0;  // the texture that is shown
  Picture texels_;
  std::string problem_, program_, vertex_program_;
  std::vector<VertexColumn> columns_;  // of the attributes
  PanelTexture read_texture_{PanelTexture::Kind::picture};
  std::vector<std::array<glm::vec2, 2>> edges_;
  bool shown_thumbnail_ = false;  // the texture holds the picture of `thumbnail_`
};

}  // namespace

std::unique_ptr<Panel> make_draws_panel() { return std::make_unique<DrawsPanel>(); }

}  // namespace brokkr::viewer
