// What keys and menus do.
#include <imgui.h>

#include <algorithm>
#include <stdexcept>

#include "app/pipeline_options.h"
#include "app/text.h"
#include "viewer/viewer_class.h"

namespace brokkr::viewer {
namespace {

constexpr float kZoomStep = 1.25f;

}  // namespace

void Viewer::act(const KeyEvent& event) {
  RenderOptions& options = state_.settings.options;
  switch (event.action) {
    case Action::open_file: return dialog_.open(settings_.folder);
    case Action::reload_file: return reload();
    case Action::play_sequence: return play_or_pause();
    case Action::step_file: return step_sequence(event.number);
    case Action::step_pattern: return choose_next("bin pattern", options.pattern, event.number);
    case Action::step_policy: return choose_next("scheduling policy", options.policy, event.number);
    case Action::step_shading: return choose_next("shading", options.shading, event.number);
    case Action::render_always:
      state_.continuous = !state_.continuous;
      return show_note(state_.continuous ? "frames keep coming" : "a frame is drawn where something changes");
    case Action::recall_bookmark: return recall_bookmark(event.number);
    case Action::save_bookmark: return save_bookmark(event.number);
    case Action::camera_home: return state_.camera.home();
    case Action::copy_camera: return copy_camera();
    case Action::paste_camera: return paste_camera();
    case Action::show_help: show_help_ = !show_help_; return;
    case Action::hide_panels: settings_.panels = !settings_.panels; return;
    case Action::show_frame_times: settings_.frame_times = !settings_.frame_times; return;
    case Action::scale_interface: return step_scale(event.number);
    case Action::full_screen: return window_->toggle_full_screen();
    case Action::save_window: shot_ = Shot::window; return;
    case Action::save_image: shot_ = Shot::image_and_light; return;
    case Action::next_panel: return show_next_panel();
    case Action::dismiss: return dismiss();
    case Action::quit: return window_->close();
    case Action::one_to_one: return area_.one_to_one();
    case Action::fit_image: return area_.fit();
    case Action::zoom: return zoom(event.number > 0 ? kZoomStep : 1 / kZoomStep);
    default: break;
  }
  press(event);
}

// Whether it is a panel's.
bool Viewer::press(const KeyEvent& event) {
  return std::any_of(panels_.begin(), panels_.end(), [&](const auto& panel) { return panel->on_key(state_, event); });
}

// A sequence goes before what panels play.
void Viewer::play_or_pause() {
  if (!sequence_.active() && press({Action::play_sequence})) return;
  if (sequence_.playing())
    sequence_.pause();
  else
    sequence_.play(Clock::now());
}

void Viewer::step_sequence(int by) {
  if (!sequence_.active()) return;
  sequence_.pause();
  sequence_.step(by);
  load_file(sequence_.files()[sequence_.position()], true);
}

void Viewer::recall_bookmark(int number) {
  const std::string name = std::to_string(number);
  if (!state_.camera.recall_bookmark(size_t(number)))
    show_note("bookmark " + name + " is empty: Ctrl+" + name + " saves the camera there");
}

void Viewer::save_bookmark(int number) {
  state_.camera.save_bookmark(size_t(number));
  show_note("camera saved as bookmark " + std::to_string(number));
}

void Viewer::copy_camera() {
  if (!state_.scene) return;
  const std::string text = camera_text(state_.camera.camera());
  ImGui::SetClipboardText(text.c_str());
  show_note("camera copied: " + text);
}

void Viewer::paste_camera() {
  const char* const text = ImGui::GetClipboardText();
  try {
    if (text == nullptr || *text == '\0') throw std::runtime_error("the clipboard holds no text");
    state_.camera.set_text(text);
    show_note("camera pasted");
  } catch (const std::exception& error) {
    show_error(error.what());
  }
}

void Viewer::show_panel(const std::string& name) {
  settings_.panel = name;
  settings_.panels = true;
  docks_.open(name);
}

// The next one in whichever dock.
void Viewer::show_next_panel() {
  std::vector<Panel*> shown;
  for (const auto& panel : panels_) {
    if (panel->applies(state_)) shown.push_back(panel.get());
  }
  const auto is_open = [&](const Panel* panel) { return panel->name() == settings_.panel; };
  const auto open = std::find_if(shown.begin(), shown.end(), is_open);
  const bool last = open == shown.end() || open + 1 == shown.end();
  show_panel((last ? shown.front() : *(open + 1))->name());
}

void Viewer::set_scale(float scale) {
  settings_.scale = scale;
  window_->set_scale(scale);
  settle_ = kSettleFrames;
}

// The next larger or smaller one of kScales.
void Viewer::step_scale(int by) {
  const float now = window_->scale();
  float next = now;
  for (const float scale : kScales) {
    if (by > 0 && scale > now && next == now) next = scale;
    if (by < 0 && scale < now) next = scale;
  }
  set_scale(next);
  show_note("text and widgets at " + app::fixed(double(next) * 100, 0) + " %");
}

void Viewer::dismiss() {
  show_help_ = false;
  dialog_.close();
  errors_.clear();
  loader_->cancel();
}

}  // namespace brokkr::viewer
