// Draws a frame of the user interface: menus, bars, messages, and the image between them.
#include <imgui.h>

#include <algorithm>

#include "app/text.h"
#include "viewer/image_area.h"
#include "viewer/keys.h"
#include "viewer/looks.h"
#include "viewer/option_widget.h"
#include "viewer/status_bar.h"
#include "viewer/viewer.h"

namespace brokkr::viewer {
namespace {

constexpr float kBottomLines = 7;          // height of the time lines, in font sizes
constexpr float kBottomWindow = 400;       // minimum height of a window with time lines, in pixels at scale 1
constexpr float kTimesLines = 18;          // width of the frame times, in font sizes
constexpr double kSmoothMs = 1000.0 / 60;  // position of the strip's line, unless a frame has a budget

// Starts a window at most `lines` font sizes wide in the centre of the image's area.
bool begin_message(const char* name, const Box& room, float lines, ImGuiWindowFlags flags = 0) {
  const glm::vec2 center = (room.begin + room.end) / 2.0f;
  const float width = std::min(lines * ImGui::GetFontSize(), std::max(room.size().x, 1.0f));
  ImGui::SetNextWindowPos(im(center), ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, std::max(room.size().y, 40.0f)});
  return ImGui::Begin(name, nullptr,
                      (kBarFlags & ~ImGuiWindowFlags_NoScrollbar) | ImGuiWindowFlags_AlwaysAutoResize | flags);
}

}  // namespace

void Viewer::draw() {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  Box room{{0, 0}, {window.x, window.y}};
  const float status_top = window.y - (ImGui::GetFrameHeight() + 4);
  const bool starts = (!state_.scene && !loader_->state() && to_open_.empty()) || show_start_;
  if (starts) {
    draw_menu();
    room.begin.y = ImGui::GetFrameHeight();
    draw_start(room);
    return draw_messages(room);
  }
  if (settings_.panels) {
    draw_menu();
    room.begin.y = ImGui::GetFrameHeight();
    room.begin.y += draw_toolbar(room);
    room.end.y -= ImGui::GetFrameHeight() + 4;
    const bool has_time_line = settings_.time_line && window.y >= kBottomWindow * window_->scale();
    // Recording costs a little time, so it is off while nothing shows it.
    state_.settings.options.trace = has_time_line && !state_.is_painted();
    if (has_time_line) room.end.y -= draw_bottom(room);
    if (sequence_.active()) room.end.y -= draw_sequence_bar(room);
    room = docks_.draw(state_, room, window_->scale());
  } else {
    state_.settings.options.trace = false;
  }
  area_.draw(state_, image_.texture, image_.width, image_.height, room.begin, room.end);
  if (settings_.panels) draw_status_bar(status_top);  // after the image, whose size on the screen it tells
  // A picture as large as its area follows the area's size once the mouse button is released.
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) state_.follow_room();
  ImDrawList& over_image = *ImGui::GetBackgroundDrawList();
  if (settings_.panels) pixel_facts_.draw(state_, over_image, settings_.darken);
  for (const auto& panel : panels_) {
    if (panel->applies(state_)) panel->draw_over_image(state_, over_image);
  }
  if (state_.last && settings_.panels && !state_.is_painted())
    draw_legend(over_image, state_.view, shading_legend(state_.last->settings.options.shading), false);
  area_.handle_mouse(state_, *window_, [&](glm::vec2 pixel) {
    for (const auto& panel : panels_) {
      if (panel->applies(state_) && panel->on_click(state_, pixel)) return;
    }
  });
  if (tour_) {
    if (const auto step = draw_tour(start_.steps(), *tour_, room); step != tour_) go_to_step(step);
  }
  draw_messages(room);
}

// Draws the current message on top of everything else, in the centre of `room`.
void Viewer::draw_messages(const Box& room) {
  draw_loading(room);
  draw_errors(room);
  draw_help_sheet(help_, show_help_);
  if (const auto chosen = dialog_.draw(settings_.recent, *thumbnails_)) open({*chosen});
  if (const auto captured = capture_.draw()) {
    show_note("captured " + *captured);
    open({*captured});
  }
}

// A menu item with the same effect as its key.
void Viewer::menu_item(const char* label, Action action, bool selected, bool enabled) {
  if (ImGui::MenuItem(label, key_text(action).c_str(), selected, enabled)) act({action});
}

void Viewer::draw_recent() {
  std::string chosen;
  for (const std::string& file : settings_.recent) {
    if (ImGui::Selectable(app::printable(file).c_str())) chosen = file;
  }
  if (!chosen.empty()) open({chosen});
}

void Viewer::draw_menu() {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  const bool is_open = ImGui::BeginMainMenuBar();
  ImGui::PopStyleVar();
  if (!is_open) return;
  if (ImGui::BeginMenu("File")) {
    if (ImGui::MenuItem("Start", nullptr, show_start_, state_.scene != nullptr)) show_start_ = true;
    menu_item("Open...", Action::open_file);
    menu_item("Capture...", Action::capture_frame);
    if (ImGui::MenuItem("Open shader..."))
      dialog_.open(std::filesystem::path(state_.shader.path()).parent_path().string());
    if (ImGui::MenuItem("Remove the shader", nullptr, false, !state_.shader.path().empty())) state_.shader.close();
    if (ImGui::BeginMenu("Recent", !settings_.recent.empty())) {
      draw_recent();
      ImGui::EndMenu();
    }
    menu_item("Reload", Action::reload_file, false, !file_.empty());
    ImGui::Separator();
    menu_item("Save the window", Action::save_window);
    menu_item("Save the image", Action::save_image);
    ImGui::Separator();
    menu_item("Quit", Action::quit);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("View")) {
    menu_item("Fit to window", Action::fit_image);
    menu_item("One to one", Action::one_to_one);
    menu_item("Full screen", Action::full_screen);
    menu_item("Hide all but the image", Action::hide_panels);
    if (ImGui::BeginMenu("Size of text and widgets")) {
      draw_scales();
      ImGui::EndMenu();
    }
    ImGui::Separator();
    for (const auto& panel : panels_) panel->draw_view_menu(state_);
    menu_item("Render continuously", Action::render_always, state_.continuous);
    ImGui::MenuItem("Darken all but the chosen draw", nullptr, &settings_.darken);
    menu_item("Time line", Action::show_time_line, settings_.time_line);
    menu_item("As in the paper", Action::as_in_paper, state_.before_paper.has_value());
    ImGui::Separator();
    for (const auto& panel : panels_) {
      if (panel->applies(state_) && ImGui::MenuItem(panel->name(), nullptr, docks_.is_open(panel->name())))
        show_panel(panel->name());
    }
    if (ImGui::MenuItem("Reset the layout")) settings_.docks = {};
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Camera")) {
    menu_item("Reset", Action::camera_home);
    menu_item("Copy as text", Action::copy_camera);
    menu_item("Paste", Action::paste_camera);
    for (const int number : {1, 2, 3, 4, 5, 6, 7, 8, 9, 0}) {
      const std::string text = std::to_string(number);
      if (state_.camera.bookmarks[size_t(number)] && ImGui::MenuItem(("Bookmark " + text).c_str(), text.c_str()))
        act({Action::recall_bookmark, number});
    }
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Help")) {
    menu_item("Keys and mouse", Action::show_help);
    if (ImGui::MenuItem("Tour")) go_to_step(0);
    ImGui::EndMenu();
  }
  ImGui::EndMainMenuBar();
}

void Viewer::draw_scales() {
  if (ImGui::MenuItem("as the monitor", nullptr, settings_.scale == 0)) set_scale(0);
  for (const float scale : kScales) {
    const std::string text = app::fixed(double(scale) * 100, 0) + " %";
    if (ImGui::MenuItem(text.c_str(), nullptr, settings_.scale == scale)) set_scale(scale);
  }
  ImGui::Separator();
  if (ImGui::MenuItem("Larger", key_text(Action::scale_interface).c_str())) step_scale(1);
  if (ImGui::MenuItem("Smaller")) step_scale(-1);
}

// The most used controls, from left to right. Controls that do not fit are omitted; menus and panels have them too.
float Viewer::draw_toolbar(const Box& room) {
  const float em = ImGui::GetFontSize(), pad = 0.35f * em, height = ImGui::GetFrameHeight() + 2 * pad;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(8 * window_->scale(), pad));
  if (begin_bar("##toolbar", im(room.begin), {room.size().x, height})) {
    float used = 0;
    const float right = ImGui::GetContentRegionAvail().x, gap = 0.5f * em;
    const auto place = [&](float width, float before = 0) {
      const bool fits = used + before + width <= right;
      if (fits && used > 0) ImGui::SameLine(0, before);
      if (fits) used += before + width;
      return fits;
    };
    const auto width_of = [&](const char* text) {
      return ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x;
    };
    const auto button = [&](const char* text, Action action, const char* help, float before) {
      if (!place(width_of(text) + 0.1f * em, before)) return;
      if (ImGui::Button(text)) act({action});
      tip(std::string(help) + ". Key " + key_text(action));
    };
    const auto toggle = [&](const char* text, bool on, Action action, const char* help, float before) {
      if (!place(width_of(text) + 0.2f * em, before)) return;
      if (flat_tab(text, on)) act({action});
      tip(std::string(help) + ". Key " + key_text(action));
    };
    RenderOptions& options = state_.settings.options;
    button("Open...", Action::open_file, "A frame, a scene or a folder of frames", 0);
    toggle("Fit", area_.fits(), Action::fit_image, "The whole image", gap);
    toggle("1:1", settings_.one_to_one && !area_.fits(), Action::one_to_one, "One image pixel per screen pixel", 0);
    const auto choice = [&](const char* id, const char* help, const char* shown, const auto& all, auto& value,
                            float width) {
      if (!place(width, gap)) return;
      ImGui::SetNextItemWidth(width);
      if (ImGui::BeginCombo(id, shown)) {
        for (const auto& one : all) {
          if (ImGui::Selectable(one.name, one.value == value)) value = one.value;
          if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", one.meaning);
        }
        ImGui::EndCombo();
      } else {
        tip(help);
      }
    };
    const bool painted = state_.is_painted();
    if (!painted) {
      choice("##shading", "Shading: what surfaces show. Key M", name_of(options.shading), Choices<Shading>::all,
             options.shading, 7.5f * em);
      choice("##pattern", "Bin pattern: which rasterizer draws which bin. Key P", pattern_name(options.pattern).c_str(),
             pattern_choices(state_.saved_pattern), options.pattern, 10 * em);
      choice("##policy", "Scheduling policy: what a block does next. Key O", name_of(options.policy),
             Choices<Policy>::all, options.policy, 8.5f * em);
      if (place(10.5f * em, gap)) {
        ImGui::SetNextItemWidth(10.5f * em);
        ImGui::DragInt("##rasterizers", &options.rasterizers, 0.2f, 0, kMaxRasterizers,
                       options.rasterizers == 0 ? "auto rasterizers" : "%d rasterizers", ImGuiSliderFlags_AlwaysClamp);
        tip("Number of rasterizers that share the bins: drag, or Ctrl-click and type. 0: chosen by the size of the "
            "frame");
      }
    }
    toggle("Run", state_.continuous, Action::render_always, "Render continuously, even if nothing changes", gap);
    if (!painted) {
      toggle("As in the paper", state_.before_paper.has_value(), Action::as_in_paper,
             "20 rasterizers, static ownership, bins of 64 pixels, owners over the image", 0);
      toggle("A/B", docks_.is_open("A/B"), Action::race_patterns, "Compare two patterns: which one is faster", 0);
    }
  }
  ImGui::End();
  ImGui::PopStyleVar();
  return height;
}

// Draws the time line of the blocks and the times of the last frames. Returns its height.
float Viewer::draw_bottom(const Box& room) {
  const float em = ImGui::GetFontSize(), height = kBottomLines * em, pad = 0.5f * em;
  const bool has_blocks = !state_.is_painted();
  const float times = has_blocks ? std::min(kTimesLines * em, room.size().x / 3) : room.size().x;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, pad));
  if (begin_bar("##bottom", {room.begin.x, room.end.y - height}, {room.size().x, height})) {
    const float inner = height - 2 * pad;
    if (has_blocks) {
      if (ImGui::BeginChild("blocks", {room.size().x - times - 2 * pad, inner}, false, ImGuiWindowFlags_NoScrollbar))
        time_line_.draw(state_);
      ImGui::EndChild();
      ImGui::SameLine(0, pad);
    }
    if (ImGui::BeginChild("times", {0, inner}, false, ImGuiWindowFlags_NoScrollbar)) {
      const PaintingKind* const kind = state_.painting();
      const double budget = kind == nullptr || kind->budget_ms == nullptr ? state_.settings.options.frame_budget_ms
                                                                          : kind->budget_ms(state_.settings);
      frame_times_.draw_strip("##strip", inner / em, budget > 0 ? budget : kSmoothMs);
    }
    ImGui::EndChild();
  }
  ImGui::End();
  ImGui::PopStyleVar();
  return height;
}

// A note covers the left part of the line for a few seconds.
void Viewer::draw_status_bar(float top) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(8 * window_->scale(), 3));
  if (begin_bar("##status", {0, top}, {window.x, window.y - top})) {
    const float right = state_.last && !state_.last->painting ? draw_status_load(*state_.last) : 0;
    if (Clock::now() < note_until_) {
      const std::string note = app::printable(note_);
      ImGui::TextColored(kNotice, "%s", shortened(note, ImGui::GetContentRegionAvail().x - right).c_str());
      tip(note);
    } else if (!state_.last) {
      draw_status({{window_->renderer(), "The renderer of this window; nothing is loaded yet"}});
    } else {
      std::vector<StatusPart> parts =
          status_parts(*state_.last, state_.continuous ? frame_times_.frames_per_second() : 0, state_.view.zoom,
                       presenter_->description());
      if (!render_thread_->idle() && !state_.continuous && !state_.grows())
        parts.insert(parts.begin() + 1, {"drawing ...", "A newer frame is being drawn"});
      draw_status(parts, right);
    }
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

// Returns the height of the bar.
float Viewer::draw_sequence_bar(const Box& room) {
  const float em = ImGui::GetFontSize(), width = room.size().x;
  const bool two_rows = width < 40 * em;
  const float height = ImGui::GetFrameHeightWithSpacing() * (two_rows ? 2.0f : 1.0f) + 8;
  Sequence& sequence = sequence_;
  if (begin_bar("##sequence", {room.begin.x, room.end.y - height}, {width, height})) {
    if (ImGui::Button(sequence.playing() ? "Pause" : "Play")) act({Action::play_sequence});
    ImGui::SameLine();
    int position = int(sequence.position()) + 1;
    ImGui::SetNextItemWidth(two_rows ? -1 : width - 26 * em);
    const std::string format = "%d of " + std::to_string(sequence.files().size());
    if (ImGui::SliderInt("##position", &position, 1, int(sequence.files().size()), format.c_str(),
                         ImGuiSliderFlags_AlwaysClamp)) {
      sequence.seek(size_t(position - 1));
      load_file(sequence.files()[sequence.position()], true);
    }
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", display_name(sequence.files()[sequence.position()]).c_str());
    if (!two_rows) ImGui::SameLine();
    ImGui::SetNextItemWidth(8 * em);
    ImGui::SliderFloat("per second", &sequence.speed, 0.1f, 120, "%.1f",
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    ImGui::SameLine();
    check_box("loop", &sequence.loop);
  }
  ImGui::End();
  return height;
}

void Viewer::draw_errors(const Box& room) {
  if (errors_.empty()) return;
  const float width = std::min(ImGui::GetIO().DisplaySize.x - 20, 50 * ImGui::GetFontSize());
  const float left = std::min(room.begin.x + 10, ImGui::GetIO().DisplaySize.x - width - 10);
  ImGui::SetNextWindowPos({left, room.end.y - 10}, ImGuiCond_Always, {0, 1});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, std::max(0.9f * room.size().y, 60.0f)});
  ImGui::SetNextWindowSize({width, 0});
  bool open = true;
  for (const ImGuiCol ground : {ImGuiCol_WindowBg, ImGuiCol_TitleBgActive, ImGuiCol_TitleBg})
    ImGui::PushStyleColor(ground, theme::kErrorGround);
  if (ImGui::Begin("Error", &open,
                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing)) {
    ImGui::PushTextWrapPos(0);
    for (const std::string& error : errors_) ImGui::TextUnformatted(app::printable(error).c_str());
    ImGui::PopTextWrapPos();
    if (ImGui::Button("Close")) open = false;
  }
  ImGui::End();
  ImGui::PopStyleColor(3);
  if (!open) errors_.clear();
}

void Viewer::draw_loading(const Box& room) {
  const std::optional<LoadState> state = loader_->state();
  if (!state || sequence_.playing()) return;
  if (begin_message("##loading", room, 30, ImGuiWindowFlags_NoFocusOnAppearing)) {
    ImGui::TextWrapped("Loading %s", display_name(state->path).c_str());
    ImGui::ProgressBar(float(state->part), {-1, 0});
    if (ImGui::Button("Cancel")) loader_->cancel();
  }
  ImGui::End();
}

void Viewer::draw_start(const Box& room) {
  std::string machine = window_->renderer();
  for (const MachineInfo& one : machines_) {
    if (one.available && one.name != "emulated warp")
      machine = one.name + " (" + one.isa + ", " + counted(uint64_t(one.workers), "worker") + ")   window: " + machine;
  }
  const StartChoice choice =
      start_.draw(room, settings_.recent, machine, *thumbnails_, show_start_ && state_.scene != nullptr);
  if (choice.open) act({Action::open_file});
  if (choice.capture) capture_.open();
  if (choice.close) show_start_ = false;
  if (choice.step) go_to_step(choice.step);
  if (!choice.scene.empty()) open({choice.scene});
}

}  // namespace brokkr::viewer
