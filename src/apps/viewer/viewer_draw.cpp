// What a frame of the user interface shows: menus, bars, messages, and the image between them.
#include <imgui.h>

#include <algorithm>

#include "app/text.h"
#include "viewer/help_sheet.h"
#include "viewer/image_legend.h"
#include "viewer/looks.h"
#include "viewer/status_bar.h"
#include "viewer/viewer.h"

namespace brokkr::viewer {
namespace {

constexpr float kStripLines = 2.5f;        // height of the strip of frame times
constexpr float kStripWindow = 300;        // pixels that a window must be high to have it, at scale 1
constexpr double kSmoothMs = 1000.0 / 60;  // where the strip has its line, unless a frame has a budget

// Begins a window of at most `lines` font sizes in width in the middle of the image's room.
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
  if (settings_.panels) {
    draw_menu();
    room.begin.y = ImGui::GetFrameHeight();
    room.end.y -= ImGui::GetFrameHeight() + 4;
    draw_status_bar(room.end.y);
    if (sequence_.active()) room.end.y -= draw_sequence_bar(room);
    room = docks_.draw(panels_, state_, room, window_->scale());
    if (settings_.frame_times && window.y >= kStripWindow * window_->scale()) {
      const float height = kStripLines * ImGui::GetFontSize() + 6;
      room.end.y -= height;
      draw_strip({room.begin.x, room.end.y}, {room.size().x, height});
    }
  }
  area_.draw(state_, image_.texture, image_.width, image_.height, room.begin, room.end);
  // A picture that is as large as its room follows it, once the mouse has let go.
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) state_.follow_room();
  ImDrawList& over_image = *ImGui::GetBackgroundDrawList();
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
  if (!state_.scene && !loader_->state()) draw_welcome(room);
  draw_loading(room);
  draw_errors(room);
  draw_help_sheet(help_, show_help_);
  if (const auto chosen = dialog_.draw()) open({*chosen});
}

// A menu item that does what its key does.
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
  if (!ImGui::BeginMainMenuBar()) return;
  if (ImGui::BeginMenu("File")) {
    menu_item("Open...", Action::open_file);
    if (ImGui::MenuItem("Open shader..."))
      dialog_.open(std::filesystem::path(state_.shader.path()).parent_path().string());
    if (ImGui::MenuItem("Remove the shader", nullptr, false, !state_.shader.path().empty())) state_.shader.close();
    if (ImGui::BeginMenu("Recent", !settings_.recent.empty())) {
      draw_recent();
      ImGui::EndMenu();
    }
    menu_item("Load again", Action::reload_file, false, !file_.empty());
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
    menu_item("Hide everything else", Action::hide_panels);
    if (ImGui::BeginMenu("Size of text and widgets")) {
      draw_scales();
      ImGui::EndMenu();
    }
    ImGui::Separator();
    for (const auto& panel : panels_) panel->draw_view_menu(state_);
    menu_item("Frames keep coming", Action::render_always, state_.continuous);
    menu_item("Frame times", Action::show_frame_times, settings_.frame_times);
    ImGui::Separator();
    for (const auto& panel : panels_) {
      if (panel->applies(state_)) draw_panel_menu(panel->name());
    }
    if (ImGui::MenuItem("All panels as at first")) settings_.docks = {};
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Camera")) {
    menu_item("As loaded", Action::camera_home);
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

// Opens a panel, or moves it to another dock.
void Viewer::draw_panel_menu(const std::string& panel) {
  if (!ImGui::BeginMenu(panel.c_str())) return;
  if (ImGui::MenuItem("Open", nullptr, docks_.is_open(panel))) show_panel(panel);
  ImGui::Separator();
  for (size_t d = 0; d < kDocks; ++d) {
    if (ImGui::MenuItem(kDockNames[d], nullptr, docks_.dock_of(panel) == Dock(d))) docks_.move(panel, Dock(d));
  }
  ImGui::EndMenu();
}

void Viewer::draw_strip(ImVec2 corner, ImVec2 size) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(8, 3));
  if (begin_bar("##times", corner, size)) {
    const PaintingKind* const kind = state_.painting();
    const double budget = kind == nullptr || kind->budget_ms == nullptr ? state_.settings.options.frame_budget_ms
                                                                        : kind->budget_ms(state_.settings);
    frame_times_.draw_strip("##strip", kStripLines, budget > 0 ? budget : kSmoothMs);
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

// A note hides the rest of the line for the seconds that it lasts.
void Viewer::draw_status_bar(float top) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(8, 3));
  if (begin_bar("##status", {0, top}, {window.x, window.y - top})) {
    if (Clock::now() < note_until_) {
      ImGui::TextColored(kNotice, "%s", app::printable(note_).c_str());
      tip(app::printable(note_));
    } else if (!state_.last) {
      draw_status({{window_->renderer(), "What draws this window; nothing is loaded yet"}});
    } else {
      std::vector<StatusPart> parts =
          status_parts(*state_.last, state_.continuous ? frame_times_.frames_per_second() : 0, state_.view.zoom,
                       presenter_->description());
      if (!render_thread_->idle() && !state_.continuous && !state_.grows())
        parts.insert(parts.begin() + 1, {"drawing ...", "A newer frame is under way"});
      draw_status(parts);
    }
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

// Returns its height.
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
    ImGui::Checkbox("loop", &sequence.loop);
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
  ImGui::PushStyleColor(ImGuiCol_WindowBg, {0.30f, 0.10f, 0.10f, 0.96f});
  ImGui::PushStyleColor(ImGuiCol_TitleBgActive, {0.55f, 0.15f, 0.15f, 1});
  ImGui::PushStyleColor(ImGuiCol_TitleBg, {0.55f, 0.15f, 0.15f, 1});
  if (ImGui::Begin("Error", &open,
                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing)) {
    ImGui::PushTextWrapPos(0);
    for (const std::string& error : errors_) ImGui::TextUnformatted(app::printable(error).c_str());
    ImGui::PopTextWrapPos();
    if (ImGui::SmallButton("Close")) open = false;
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

void Viewer::draw_welcome(const Box& room) {
  std::string files;
  for (const Module& module : modules_) {
    if (module.scenes) files += ", " + module.scenes->files;
  }
  if (begin_message("##welcome", room, 46)) {
    ImGui::TextWrapped("Drop a frame (.bkf), a scene (.obj, .glb, .ply, .stl)%s or a folder of frames here, or",
                       files.c_str());
    if (ImGui::Button("Open...")) act({Action::open_file});
    if (room.size().x > 24 * ImGui::GetFontSize()) ImGui::SameLine();
    if (ImGui::Button("Show a generated scene")) open({"generated:city"});
    for (const Module& module : modules_) {
      if (!module.scenes) continue;
      if (room.size().x > 40 * ImGui::GetFontSize()) ImGui::SameLine();
      if (ImGui::Button(module.scenes->example_text.c_str())) open({module.scenes->example});
    }
    draw_recent();
  }
  ImGui::End();
}

}  // namespace brokkr::viewer
