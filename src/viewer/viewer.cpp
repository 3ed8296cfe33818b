#include "viewer/viewer.h"

#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/pipeline_options.h"
#include "viewer/names.h"
#include "viewer/panels.h"
#include "viewer/scene.h"
#include "viewer/screenshot.h"
#include "viewer/viewer_ui.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;

constexpr auto kNoteTime = std::chrono::seconds(5);
constexpr size_t kFrameTimes = 64;  // the rate in the status bar is the mean over this many frames
// UI frames that are drawn after an event: some widgets need several to settle (a tooltip, a closing menu).
constexpr int kSettleFrames = 3;

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
  window_ =
      std::make_unique<Window>(size, WindowEvents{[this](int key, int modifiers) { keys_.press(key, modifiers); },
                                                  [this](int key) { keys_.release(key); },
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
  add_keys();
  for (const auto& panel : panels_) panel->add_keys(state_, keys_);
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

void Viewer::load(const std::string& path) { open({path}); }

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
