#include "viewer/viewer.h"

#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "app/pipeline_options.h"
#include "viewer/names.h"
#include "viewer/option_widget.h"
#include "viewer/panels.h"
#include "viewer/scene.h"
#include "viewer/screenshot.h"
#include "viewer/viewer_ui.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;

constexpr auto kNoteTime = std::chrono::seconds(5);
constexpr float kZoomStep = 1.25f;
constexpr size_t kFrameTimes = 64;  // the rate in the status bar is the mean over this many frames
// UI frames that are drawn after an event: some widgets need several to settle (a tooltip, a closing menu).
constexpr int kSettleFrames = 3;

// In the order of their tabs.
std::vector<std::unique_ptr<Panel>> make_panels() {
  std::vector<std::unique_ptr<Panel>> panels;
  panels.push_back(make_scene_panel());
  panels.push_back(make_pipeline_panel());
  panels.push_back(make_policy_panel());
  panels.push_back(make_pattern_panel());
  panels.push_back(make_inspect_panel());
  panels.push_back(make_compare_panel());
  panels.push_back(make_log_panel());
  return panels;
}

}  // namespace

Viewer::Viewer(const ViewRequest& request) : request_(request), state_{.commands = *this} {
  std::string problem;
  if (!request.fresh) {
    settings_path_ = settings_path();
    settings_ = read_settings(settings_path_, problem);
  }
  if (!problem.empty()) show_error(problem);
  WindowSize size{settings_.window_width, settings_.window_height, settings_.maximized};
  if (request.window) size = *request.window;
  const auto act_on = [this](const std::optional<KeyEvent>& event) {
    if (event) act(*event);
  };
  window_ = std::make_unique<Window>(
      size, WindowEvents{[this, act_on](int key, int modifiers) { act_on(keyboard_.press(key, modifiers)); },
                         [this, act_on](int key) { act_on(keyboard_.release(key)); },
                         [this](const std::vector<std::string>& paths) { open(paths); }});
  show_ui_ = settings_.panels;
  wanted_panel_ = settings_.panel;
  sequence_.speed = settings_.sequence_speed;
  sequence_.loop = settings_.sequence_loop;
  state_.settings.options = settings_.options;
  app::read_options(request.options, state_.settings.options);
  if (const auto* const saved = std::get_if<SavedPatternPointer>(&state_.settings.options.pattern))
    state_.saved_pattern = *saved;
  state_.settings.width = request.width;
  state_.settings.height = request.height;

#if defined(BROKKR_VIEWER_CUDA)
  presenter_ = make_cuda_presenter(Window::wake);
#else
  presenter_ = make_host_presenter(Window::wake);
#endif
  render_thread_ = std::make_unique<RenderThread>(*presenter_, Window::wake);
  loader_ = std::make_unique<Loader>(Window::wake);
  watch_ = std::make_unique<FileWatch>(Window::wake);
  panels_ = make_panels();
  open(request.files);
}

Viewer::~Viewer() {
  render_thread_.reset();  // before the panels, which its jobs use
  remember();
}

void Viewer::remember() {
  if (request_.fresh || settings_path_.empty()) return;
  const WindowSize size = window_->remembered();
  settings_.window_width = size.width;
  settings_.window_height = size.height;
  settings_.maximized = size.maximized;
  settings_.panels = show_ui_;
  settings_.panel = wanted_panel_;
  settings_.options = state_.settings.options;
  settings_.sequence_speed = sequence_.speed;
  settings_.sequence_loop = sequence_.loop;
  if (!dialog_.folder().empty()) settings_.folder = dialog_.folder();
  if (!bookmarks_of_.empty()) settings_.bookmarks[bookmarks_of_] = state_.camera.bookmarks;
  try {
    write_settings(settings_path_, settings_);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "brokkr: %s\n", error.what());
  }
}

void Viewer::open(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  std::error_code error;
  std::vector<std::string> files = paths;
  if (paths.size() == 1 && fs::is_directory(paths[0], error)) {
    files = scenes_in(paths[0]);
    if (files.empty()) return show_error(paths[0] + ": there are no .bkf or .obj files in this folder");
  }
  if (files.size() > 1) {
    sequence_.set(files);
  } else {
    sequence_.pause();  // it ends once the file is loaded: a file that cannot be read changes nothing
    if (const auto position = sequence_.find(files[0])) sequence_.seek(*position);
  }
  load_file(files[0], false);
}

void Viewer::reload() {
  if (!file_.empty()) load_file(file_, true);
}

void Viewer::load_file(const std::string& path, bool keep_camera) {
  keep_camera_ = keep_camera;
  loader_->load(path, request_.load);
}

void Viewer::run(RenderJob job) { render_thread_->run(std::move(job)); }

void Viewer::show_error(const std::string& text) {
  // A repeated message stands once, at the end.
  std::erase(errors_, text);
  errors_.push_back(text);
  if (errors_.size() > 20) errors_.erase(errors_.begin());
  settle_ = kSettleFrames;
}

void Viewer::show_note(const std::string& text) {
  note_ = text;
  note_until_ = Clock::now() + kNoteTime;
  settle_ = kSettleFrames;
}

void Viewer::take_scene(const Loaded& loaded) {
  if (!loaded.scene) {
    if (!loaded.error.empty()) show_error(loaded.error);
    return;
  }
  if (!sequence_.find(loaded.path)) sequence_.set({});
  const bool another = loaded.path != file_;
  const bool same_kind = state_.scene && state_.scene->clip_space == loaded.scene->clip_space;
  const std::optional<Camera> camera = state_.camera.moved();
  const bool keep = keep_camera_ && same_kind && camera.has_value();
  if (another && !bookmarks_of_.empty()) settings_.bookmarks[bookmarks_of_] = state_.camera.bookmarks;
  state_.scene = loaded.scene;
  state_.camera.reset(loaded.scene->camera, loaded.scene->bounds);
  if (keep) state_.camera.set_text(camera_text(*camera));
  file_ = loaded.path;
  watch_->watch(file_);
  window_->set_title(display_name(file_) + " - Brokkr");
  if (another) {
    bookmarks_of_ = file_;
    state_.camera.bookmarks = settings_.bookmarks[file_];
    if (!sequence_.active()) add_recent(settings_, file_);
    state_.settings.hidden_commands.clear();
    state_.settings.options.command_limit.reset();
    if (!keep_camera_) {
      state_.settings.target = -1;
      state_.settings.layer = 0;
    }
  }
  // The frame under way is out of date, so that it is cancelled; a sequence shows every frame.
  if (!sequence_.active()) render_thread_->cancel();
}

void Viewer::poll() {
  if (const std::optional<Loaded> loaded = loader_->take()) take_scene(*loaded);
  if (watch_->take()) {
    show_note(display_name(file_) + " has changed: loading it again");
    reload();
  }
  for (const std::string& error : render_thread_->take_errors()) {
    show_error(error);
    state_.continuous = false;  // the next frame would have the same error
  }
  if (sequence_.advance(Clock::now()) && !loader_->state()) load_file(sequence_.files()[sequence_.position()], true);
  for (auto& frame : render_thread_->take_frames()) finished_.push_back(std::move(frame));
  image_ = presenter_->update();
  bool fresh = false;
  while (!finished_.empty() && finished_.front()->number <= image_.number) {
    state_.last = std::move(finished_.front());
    finished_.pop_front();
    fresh = true;
  }
  if (!fresh) return;
  // Panels lay out text about the frame in one UI frame and show it right in the next.
  if (!state_.continuous) settle_ = std::max(settle_, 2);
  for (const auto& panel : panels_) panel->on_frame(state_);
}

void Viewer::request_frame() {
  if (!state_.scene || window_->minimized()) return;
  const std::optional<Camera>& camera = state_.camera.moved();
  FrameSource source{state_.scene, state_.settings, text_of(camera)};
  const bool changed = !(source == asked_);
  const bool another = state_.continuous && !render_thread_->request_waits();
  if (!changed && !render_wanted_ && !another) return;
  render_wanted_ = false;
  asked_ = std::move(source);
  render_thread_->request({state_.scene, state_.settings, camera, Clock::now()});
}

void Viewer::present(uint64_t shown_before) {
  const auto begin = Clock::now();
  window_->swap();
  if (image_.number == shown_before || !state_.last || state_.last->number != image_.number) return;
  const Presented presented{state_.last, begin, Clock::now(), last_present_, window_->last_input()};
  frame_times_.push_back(seconds(presented.interval()));
  if (frame_times_.size() > kFrameTimes) frame_times_.pop_front();
  last_present_ = begin;
  for (const auto& panel : panels_) panel->on_present(state_, presented);
}

double Viewer::sleep_time() const {
  if (window_->minimized()) return -1;
  if (settle_ > 0) return 0;
  double time = -1;
  const auto at_most = [&](double limit) { time = time < 0 ? limit : std::min(time, limit); };
  const auto now = Clock::now();
  if (area_.flying()) at_most(1.0 / 60);
  if (presenter_->busy()) at_most(0.004);
  if (now < note_until_) at_most(std::max(0.01, seconds(note_until_ - now)));
  if (sequence_.playing()) at_most(std::max(0.001, seconds(sequence_.next_time() - now)));
  if (ImGui::GetIO().WantTextInput) at_most(0.2);  // the cursor blinks
  return time;
}

void Viewer::run() {
  uint64_t shown = 0;
  ViewerUi ui(*this);
  while (!window_->should_close()) {
    window_->wait(sleep_time());
    if (window_->take_changed()) settle_ = kSettleFrames;
    settle_ = std::max(settle_ - 1, 0);
    if (window_->minimized()) continue;
    poll();
    window_->begin_frame();
    ui.draw();
    request_frame();
    window_->end_frame();
    if (shot_ != Shot::none) take_screenshot();
    present(shown);
    shown = image_.number;
  }
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

void Viewer::zoom(float factor) { area_.zoom(state_, factor, (state_.view.area_begin + state_.view.area_end) / 2.0f); }

void Viewer::show_next_panel() {
  size_t next = 0;
  for (size_t i = 0; i < panels_.size(); ++i) {
    if (panels_[i]->name() == wanted_panel_) next = (i + 1) % panels_.size();
  }
  wanted_panel_ = panels_[next]->name();
  show_ui_ = true;
}

void Viewer::play_or_pause() {
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

template <typename Choice>
void Viewer::choose_next(const std::string& what, Choice& option, int by) {
  show_note(what + ": " + step_choice(option, by));
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

void Viewer::dismiss() {
  show_help_ = false;
  dialog_.close();
  errors_.clear();
  loader_->cancel();
}

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
    case Action::hide_panels: show_ui_ = !show_ui_; return;
    case Action::full_screen: return window_->toggle_full_screen();
    case Action::save_window: shot_ = Shot::window; return;
    case Action::save_image: shot_ = Shot::image; return;
    case Action::next_panel: return show_next_panel();
    case Action::dismiss: return dismiss();
    case Action::quit: return window_->close();
    case Action::one_to_one: return area_.one_to_one();
    case Action::fit_image: return area_.fit();
    case Action::zoom: return zoom(event.number > 0 ? kZoomStep : 1 / kZoomStep);
    default: break;
  }
  for (const auto& panel : panels_) {
    if (panel->on_key(state_, event)) return;
  }
}

void Viewer::take_screenshot() {
  Picture picture;
  if (shot_ == Shot::window) {
    const glm::ivec2 size = window_->framebuffer();
    picture = {size.x, size.y, window_->read_pixels()};
  } else {
    picture = {image_.width, image_.height, std::vector<uint32_t>(size_t(image_.width) * size_t(image_.height))};
    glBindTexture(GL_TEXTURE_2D, image_.texture);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    if (!picture.pixels.empty()) glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, picture.pixels.data());
  }
  shot_ = Shot::none;
  if (picture.pixels.empty() || !state_.last) return show_note("there is no picture to save yet");
  try {
    const fs::path path = free_name(fs::current_path(), state_.last->scene->path, ".png");
    write_screenshot(path, picture, metadata_of(*state_.last));
    show_note("saved " + path.string());
  } catch (const std::exception& error) {
    show_error(std::string(error.what()));
  }
}

}  // namespace brokkr::viewer
