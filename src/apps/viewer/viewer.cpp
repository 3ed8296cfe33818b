#include "viewer/viewer.h"

#include <GLFW/glfw3.h>
#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "app/input.h"
#include "app/pipeline_options.h"
#include "app/shader_option.h"
#include "app/text.h"
#include "base/file_io.h"
#include "brokkr/image.h"
#include "brokkr/version.h"
#include "viewer/bundled.h"
#include "viewer/draw_filter.h"
#include "viewer/image_area.h"
#include "viewer/keys.h"
#include "viewer/looks.h"
#include "viewer/option_widget.h"
#include "viewer/screenshot.h"
#include "viewer/status_bar.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;

constexpr auto kNoteTime = std::chrono::seconds(5);
constexpr float kZoomStep = 1.25f;

// The panels in the order of their tabs.
constexpr std::unique_ptr<Panel> (*kPanels[])() = {
    make_scene_panel, make_pipeline_panel, make_policy_panel,   make_pattern_panel,
    make_draws_panel, make_shader_panel,   make_uniforms_panel, make_inspect_panel,
    make_race_panel,  make_compare_panel,  make_log_panel,
};

// Returns true if the same preparation serves both frames.
bool is_prepared_alike(const Rendered& a, const Rendered& b) {
  const auto parts = [](const Rendered& r) {
    const FrameSettings& s = r.settings;
    return std::tie(r.scene, r.width, r.height, r.target, s.hidden_commands, s.options.machine, s.options.trace);
  };
  return parts(a) == parts(b);
}

// The steps of the tour; those of modules come last.
std::vector<TourStep> steps_of(const std::vector<Module>& modules) {
  std::vector<TourStep> steps = tour_steps();
  for (const Module& module : modules) steps.insert(steps.end(), module.tour.begin(), module.tour.end());
  return steps;
}

// Built-in scenes that have a button on the start screen.
std::vector<std::pair<std::string, std::string>> built_in_scenes(const std::vector<Module>& modules) {
  std::vector<std::pair<std::string, std::string>> scenes = {{"generated:city", "A generated city"}};
  for (const Module& module : modules) {
    if (module.scenes) scenes.emplace_back(module.scenes->example, module.scenes->example_text);
  }
  return scenes;
}

std::vector<KeyBinding> keys_of(const std::vector<Module>& modules) {
  std::vector<KeyBinding> keys;
  for (const Module& module : modules) keys.insert(keys.end(), module.keys.begin(), module.keys.end());
  return keys;
}

// The held keys as JavaScript codes, which are equal to GLFW's for letters, digits and space.
std::set<uint8_t> held_keys(const Window& window) {
  constexpr std::pair<int, uint8_t> kOthers[] = {
      {GLFW_KEY_SPACE, 32},      {GLFW_KEY_BACKSPACE, 8},     {GLFW_KEY_TAB, 9},       {GLFW_KEY_ENTER, 13},
      {GLFW_KEY_LEFT_SHIFT, 16}, {GLFW_KEY_LEFT_CONTROL, 17}, {GLFW_KEY_LEFT_ALT, 18}, {GLFW_KEY_ESCAPE, 27},
      {GLFW_KEY_PAGE_UP, 33},    {GLFW_KEY_PAGE_DOWN, 34},    {GLFW_KEY_END, 35},      {GLFW_KEY_HOME, 36},
      {GLFW_KEY_LEFT, 37},       {GLFW_KEY_UP, 38},           {GLFW_KEY_RIGHT, 39},    {GLFW_KEY_DOWN, 40}};
  std::set<uint8_t> held;
  if (ImGui::GetIO().WantTextInput) return held;
  for (const auto& [first, last] : {std::pair<int, int>{GLFW_KEY_A, GLFW_KEY_Z}, {GLFW_KEY_0, GLFW_KEY_9}}) {
    for (int key = first; key <= last; ++key) {
      if (window.key_down(key)) held.insert(uint8_t(key));
    }
  }
  for (const auto& [key, code] : kOthers) {
    if (window.key_down(key)) held.insert(code);
  }
  return held;
}

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

Viewer::Viewer(const app::Arguments& arguments, std::vector<Module> modules)
    : modules_(std::move(modules)),
      fresh_(arguments.has("fresh")),
      load_(app::load_options(arguments)),
      module_keys_(keys_of(modules_)),
      state_{.commands = *this, .shader = ShaderControl(Window::wake)},
      start_(steps_of(modules_), built_in_scenes(modules_)) {
  std::string problem;
  if (!fresh_) settings_ = read_settings(settings_path_, problem);
  if (!problem.empty()) show_error(problem);
  WindowSize size{settings_.window_width, settings_.window_height, settings_.maximized};
  if (arguments.has("window")) {
    const auto [width, height] = arguments.size("window");
    size = {width, height, false};
  }
  const auto act_on = [this](const std::optional<KeyEvent>& event) {
    if (event) act(*event);
  };
  window_ = std::make_unique<Window>(
      size, settings_.scale,
      WindowEvents{[this, act_on](int key, int modifiers) { act_on(keyboard_.press(key, modifiers)); },
                   [this, act_on](int key) { act_on(keyboard_.release(key)); },
                   [this](const std::vector<std::string>& paths) { open(paths); }});
  if (arguments.has("scale")) window_->set_scale(float(arguments.real("scale", 1)));
  if (settings_.one_to_one) area_.one_to_one();
  sequence_.speed = settings_.sequence_speed;
  sequence_.loop = settings_.sequence_loop;
  state_.settings.options = settings_.options;
  app::read_options(arguments, state_.settings.options);
  state_.chosen_samples = settings_.chosen_samples || arguments.has("samples");
  std::vector<std::unique_ptr<Painter>> painters;
  std::unique_ptr<FrameSharing> sharing;
  for (const Module& module : modules_) {
    if (module.entry) module.entry->read(settings_.modules[module.entry->name], state_.settings.modules);
    if (module.painting) state_.paintings.push_back(*module.painting);
    if (module.painting) painters.push_back(module.painting->make());
    if (module.share && !sharing) sharing = module.share(arguments);
  }
  if (const auto* const saved = std::get_if<SavedPatternPointer>(&state_.settings.options.pattern))
    state_.saved_pattern = *saved;
  if (load_.width > 0) state_.choose_size(PictureSize::own, {load_.width, load_.height});

#if defined(BROKKR_VIEWER_CUDA)
  presenter_ = make_cuda_presenter(Window::wake);
#else
  presenter_ = make_host_presenter(Window::wake);
#endif
  is_shared_ = sharing != nullptr;
  render_thread_ = std::make_unique<RenderThread>(*presenter_, Window::wake, std::move(painters), std::move(sharing));
  loader_ = std::make_unique<Loader>(Window::wake, modules_);
  watch_ = std::make_unique<FileWatch>(Window::wake);
  thumbnails_ = std::make_unique<Thumbnails>(fresh_ ? fs::path() : thumbnail_folder(), Window::wake);
  for (const auto make : kPanels) panels_.push_back(make());
  std::vector<app::ViewPart> parts;
  for (const Module& module : modules_) {
    parts.push_back(module.view);
    for (const auto make : module.panels) panels_.push_back(make());
  }
  if (!settings_.panel.empty()) docks_.open(settings_.panel);
  to_open_ = app::viewed_files(parts, arguments);
  for (const auto& panel : panels_) panel->on_start(state_, arguments);
  std::optional<FragmentShader> shader = app::read_shader(arguments);
  if (!shader && arguments.has("uniform"))
    throw app::UsageError(
        "--uniform: needs a shader; name one with --fragment. The panel Uniforms edits those of captured frames");
  if (shader) open_shader(arguments.text("fragment"), arguments.text("vertex"), std::move(*shader));
}

Viewer::~Viewer() {
  render_thread_.reset();  // before the panels are destroyed, because jobs use them
  remember();
}

void Viewer::run() {
  while (!window_->should_close()) {
    window_->wait(sleep_time());
    if (window_->take_changed()) settle_ = kSettleFrames;
    settle_ = std::max(settle_ - 1, 0);
    if (window_->minimized()) continue;
    poll();
    window_->begin_frame();
    draw();
    // Scenes are loaded for the size of the image's area, which is known by now.
    if (!to_open_.empty()) open(std::exchange(to_open_, {}));
    request_frame();
    window_->end_frame();
    // A screenshot requested before the first picture waits for that picture. It also waits for the data about the
    // picture, which may reach the window later, because it writes them into the file.
    const bool comes = state_.scene || loader_->state();
    const bool is_whole = state_.last && state_.last->number == image_.number;
    if (shot_ != Shot::none && (is_whole || !comes)) take_screenshot();
    present();
  }
}

void Viewer::show_error(const std::string& text) {
  // A repeated message is shown once, at the end.
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

void Viewer::open(const std::vector<std::string>& paths) {
  std::error_code error;
  std::vector<std::string> files = paths;
  for (const std::string& path : paths) {
    if (is_vertex_file(path)) {
      open_shader(state_.shader.fragment_path(), path, {});
    } else if (is_shader_file(path)) {
      open_shader(path, state_.shader.vertex_path(), {});
    }
  }
  std::erase_if(files, is_shader_file);
  if (files.empty()) return;
  if (paths.size() == 1 && fs::is_directory(paths[0], error)) {
    files = scenes_in(paths[0]);
    if (files.empty()) return show_error(paths[0] + ": there are no frames or scenes in this folder");
  }
  if (files.size() > 1) {
    sequence_.set(files);
  } else {
    sequence_.pause();  // the sequence ends only when the file is loaded; an unreadable file changes nothing
    if (const auto position = sequence_.find(files[0])) sequence_.seek(*position);
  }
  load_file(files[0], false);
}

// If there is no scene, the shader fills the picture.
void Viewer::open_shader(const std::string& path, const std::string& vertex_path, FragmentShader shader) {
  state_.shader.open(path, vertex_path, std::move(shader));
  state_.settings.options.shading = Shading::program;
  if (!state_.scene && to_open_.empty() && !loader_->state()) to_open_ = {app::kScreenScene};
  settings_.panel = "Shader";
  docks_.open(settings_.panel);
}

// Advances time while frames are drawn, and passes the newest good shader and its values to the settings.
void Viewer::follow_shader() {
  if (state_.shader.poll(state_.scene)) {
    const std::vector<std::string>& lines = state_.shader.warnings();
    show_note(lines.empty() ? display_name(state_.shader.path()) + " draws the surfaces" : lines[0]);
  }
  const auto now = Clock::now();
  if (!render_thread_->request_waits()) {
    state_.shader.advance(seconds(now - shader_time_));
    if (state_.is_toy()) state_.shader.set_keys(held_keys(*window_));
    shader_time_ = now;
  }
  state_.settings.shader = state_.shader.shader();
}

void Viewer::reload() {
  if (!file_.empty()) load_file(file_, true);
}

void Viewer::load_file(const std::string& path, bool keep_camera) {
  keep_camera_ = keep_camera;
  LoadOptions options = load_;
  // The camera of a scene is fitted to the aspect ratio of the image's area.
  if (options.width == 0 && options.views <= 1 && !path.starts_with("generated:")) {
    options.width = state_.room().x;
    options.height = state_.room().y;
  }
  loader_->load(path, options);
}

void Viewer::take_scene(const Loaded& loaded) {
  if (!loaded.scene) {
    tour_loading_.reset();
    if (!loaded.error.empty()) show_error(loaded.error);
    return;
  }
  if (!sequence_.find(loaded.path)) sequence_.set({});
  const bool another = loaded.path != file_;
  const bool same_kind = state_.scene && state_.scene->clip_space == loaded.scene->clip_space;
  const std::optional<Camera> camera = state_.camera.moved();
  const bool keep = keep_camera_ && same_kind && camera.has_value();
  if (another && !file_.empty()) settings_.bookmarks[file_] = state_.camera.bookmarks;
  state_.scene = loaded.scene;
  show_start_ = false;
  state_.chosen_draw.reset();
  state_.settings.uniforms.clear();
  for (const auto& panel : panels_) {
    if (another && panel->opens_for(*state_.scene)) docks_.open(panel->name());
  }
  if (const std::vector<std::string>& lines = loaded.scene->frame.warnings; !lines.empty())
    show_note(lines[0] +
              (lines.size() > 1 ? "; " + std::to_string(lines.size() - 1) + " more in the panel Scene" : ""));
  state_.camera.reset(loaded.scene->camera, loaded.scene->bounds);
  if (keep) state_.camera.move_to(*camera);
  if (!keep && another && loaded.scene->game.is_found()) place_camera();
  file_ = loaded.path;
  watch_->watch(file_);
  window_->set_title(display_name(file_) + " - Brokkr");
  if (another) {
    state_.camera.bookmarks = settings_.bookmarks[file_];
    if (!sequence_.active()) add_recent(settings_, file_);
    show_all_draws(state_.settings);
    if (!keep_camera_) {
      state_.settings.target = -1;
      state_.settings.layer = 0;
      const bool is_screen = loaded.path == app::kScreenScene;
      const bool fills = (is_screen || !loaded.scene->clip_space) && loaded.scene->frame.targets[0].layers == 1;
      if (load_.width == 0) state_.choose_size(fills ? PictureSize::as_window : PictureSize::as_loaded);
    }
  }
  if (tour_loading_) show_step();
  // The current frame is outdated, so cancel it; but a sequence shows every frame.
  if (!sequence_.active()) render_thread_->cancel();
}

// Applies --camera to a captured frame, whose loader does not.
void Viewer::place_camera() {
  if (load_.camera.empty()) return;
  try {
    state_.camera.set_text(load_.camera);
  } catch (const std::exception& error) {
    show_error(std::string("--camera: ") + error.what());
  }
}

void Viewer::remember() {
  if (fresh_ || settings_path_.empty()) return;
  const WindowSize size = window_->remembered();
  settings_.window_width = size.width;
  settings_.window_height = size.height;
  settings_.maximized = size.maximized;
  settings_.options = state_.settings.options;
  settings_.chosen_samples = state_.chosen_samples;
  for (const Module& module : modules_) {
    if (module.entry) settings_.modules[module.entry->name] = module.entry->write(state_.settings.modules);
  }
  settings_.sequence_speed = sequence_.speed;
  settings_.sequence_loop = sequence_.loop;
  if (!dialog_.folder().empty()) settings_.folder = dialog_.folder();
  if (!file_.empty()) settings_.bookmarks[file_] = state_.camera.bookmarks;
  try {
    write_settings(settings_path_, settings_);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "brokkr: %s\n", error.what());
  }
}

void Viewer::poll() {
  if (const std::optional<Loaded> loaded = loader_->take()) take_scene(*loaded);
  if (watch_->take()) {
    show_note(display_name(file_) + " has changed: reloading it");
    reload();
  }
  RenderThread::Results results = render_thread_->take();
  for (const std::string& error : results.errors) {
    show_error(error);
    state_.continuous = false;  // the next frame would fail in the same way
  }
  for (const auto& panel : panels_) {
    if (results.cannot_paint) panel->on_paint_error(state_);
  }
  for (const RenderAnswer& answer : results.answers) answer();
  if (sequence_.advance(Clock::now()) && !loader_->state()) load_file(sequence_.files()[sequence_.position()], true);
  for (auto& frame : results.frames) finished_.push_back(std::move(frame));
  follow_shader();
  for (const auto& panel : panels_) panel->advance(state_, render_thread_->request_waits());
  report_saved();
  image_ = presenter_->update();
  bool fresh = false;
  while (!finished_.empty() && finished_.front()->number <= image_.number) {
    state_.last = std::move(finished_.front());
    finished_.pop_front();
    fresh = true;
  }
  if (!fresh) return;
  // Panels lay out text about a new frame in one UI frame and show it correctly in the next.
  if (!state_.continuous) settle_ = std::max(settle_, 2);
  warn_of_programs();
  for (const auto& panel : panels_) {
    if (panel->applies(state_)) panel->on_frame(state_);
  }
}

// Warns of programs that could not run or were stopped, once for each scene and shader.
void Viewer::warn_of_programs() {
  const Rendered& frame = *state_.last;
  std::string line = app::line_of_programs(frame.result.statistics);
  if (line.empty()) line = app::line_of_loops(frame.result.statistics);
  const FragmentShader* const shader = frame.settings.shader.get();
  const std::string name = shader ? shader->name : frame.scene ? frame.scene->path : "";
  if (line.empty() || frame.result.aborted || name == warned_) return;
  warned_ = name;
  show_note(display_name(name) + ": " + line);
}

// Edges are smooth where pictures of scenes are looked at. A camera that moves has one sample a pixel, for there more
// frames are better; so have patterns as in the paper, and ranks.
void Viewer::choose_samples() {
  RenderOptions& options = state_.settings.options;
  if (state_.chosen_samples) return;
  const bool moves = area_.flying() || (ImGui::IsAnyMouseDown() && !ImGui::GetIO().WantCaptureMouse);
  const bool one = moves || state_.before_paper || is_shared_ || state_.is_painted();
  options.samples = one ? 1 : app::picture_samples(state_.scene->frame, options.shading);
}

void Viewer::request_frame() {
  if (!state_.scene || window_->minimized()) return;
  choose_samples();
  const std::optional<Camera>& camera = state_.camera.moved();
  FrameSource source{state_.scene, state_.settings, camera};
  const bool changed = !(source == asked_);
  const bool another = state_.continuous && !render_thread_->request_waits() && !state_.grows();
  if (!changed && !render_wanted_ && !another) return;
  render_wanted_ = false;
  asked_ = std::move(source);
  render_thread_->request({state_.scene, state_.settings, camera, Clock::now()});
}

void Viewer::present() {
  const auto begin = Clock::now();
  window_->swap();
  // A picture may reach the window before the data about its frame does. It counts as presented when both are here.
  if (!state_.last || state_.last->number != image_.number || image_.number == presented_) return;
  presented_ = image_.number;
  const bool is_first = !timed_ || !is_prepared_alike(*timed_, *state_.last);
  if (!timed_ || timed_->scene != state_.last->scene) keep_thumbnail();
  if (is_first && (!timed_ || timed_->scene->path != state_.last->scene->path)) frame_times_.clear();
  timed_ = state_.last;
  const Presented presented{state_.last, begin, Clock::now(), last_present_, window_->last_input(), is_first};
  // Single frames are separated by pauses, so their own duration counts.
  const auto time = state_.continuous ? presented.interval() : timed_->end - timed_->begin;
  if (!is_first) frame_times_.add(milliseconds(time));
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
  if (state_.shader.running) at_most(1.0 / 60);
  if (state_.shader.is_checking()) at_most(0.02);
  if (sequence_.playing()) at_most(std::max(0.001, seconds(sequence_.next_time() - now)));
  if (saving_.valid()) at_most(0.05);
  if (capture_.running()) at_most(0.1);
  return time;
}

void Viewer::take_screenshot() {
  Picture picture;
  const bool of_window = shot_ == Shot::window;
  if (of_window) {
    const glm::ivec2 size = window_->framebuffer();
    picture = {size.x, size.y, window_->read_pixels()};
  } else {
    picture = {image_.width, image_.height, std::vector<uint32_t>(size_t(image_.width) * size_t(image_.height))};
    glBindTexture(GL_TEXTURE_2D, image_.texture);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    if (!picture.pixels.empty()) glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, picture.pixels.data());
  }
  const bool with_light = std::exchange(shot_, Shot::none) == Shot::image_and_light && state_.last &&
                          state_.last->painting && state_.last->painting->light();
  if (picture.pixels.empty() || (!state_.last && !of_window)) return show_note("there is no picture to save yet");
  try {
    const std::string shown = state_.last ? state_.last->scene->path : "window";
    fs::path path = free_name(current_folder(), shown, ".png", with_light ? ".exr" : "");
    const Metadata metadata =
        state_.last ? metadata_of(*state_.last) : Metadata{{"Software", "Brokkr " BROKKR_VERSION}};
    write_file(path, encode_screenshot(picture, metadata));
    show_note("saved " + path.string());
    if (with_light) save_light(path.replace_extension(".exr"));
  } catch (const std::exception& error) {
    show_error(std::string(error.what()));
  }
}

void Viewer::save_image(bool exr) {
  if (!exr) {
    shot_ = Shot::image;
  } else if (!state_.last || !state_.last->painting || !state_.last->painting->light()) {
    show_note("there is no picture in linear light to save yet");
  } else {
    save_light(free_name(current_folder(), state_.last->scene->path, ".exr", ".png"));
  }
}

// Saves the newest picture in linear light, which its painting provides, on another thread, because encoding takes a
// while.
void Viewer::save_light(const fs::path& path) {
  if (saving_.valid()) return show_note("the previous picture is still being saved");
  saving_ = std::async(std::launch::async, [frame = state_.last, path] {
    struct Wake {
      ~Wake() { Window::wake(); }
    } wake;
    const std::unique_ptr<const LinearPicture> light = frame->painting->light();
    write_exr(path, light->width, light->height, 3, light->rgb);
    return "saved " + path.string();
  });
}

void Viewer::report_saved() {
  if (!saving_.valid() || saving_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  try {
    show_note(saving_.get());
  } catch (const std::exception& error) {
    show_error(error.what());
  }
}

void Viewer::act(const KeyEvent& event) {
  RenderOptions& options = state_.settings.options;
  switch (event.action) {
    case Action::open_file: return dialog_.open(settings_.folder);
    case Action::reload_file: return reload();
    case Action::capture_frame: return capture_.open();
    case Action::play_sequence: return play_or_pause();
    case Action::step_file: return step_sequence(event.number);
    case Action::step_pattern: return choose_next("bin pattern", options.pattern, event.number);
    case Action::step_policy: return choose_next("scheduling policy", options.policy, event.number);
    case Action::step_shading: return choose_next("shading", options.shading, event.number);
    case Action::render_always:
      state_.continuous = !state_.continuous;
      return show_note(state_.continuous ? "rendering continuously" : "rendering only after changes");
    case Action::as_in_paper: return set_as_in_paper(!state_.before_paper);
    case Action::race_patterns: show_panel("A/B"); break;
    case Action::recall_bookmark: return recall_bookmark(event.number);
    case Action::save_bookmark: return save_bookmark(event.number);
    case Action::camera_home: return state_.camera.home();
    case Action::copy_camera: return copy_camera();
    case Action::paste_camera: return paste_camera();
    case Action::show_help: show_help_ = !show_help_; return;
    case Action::hide_panels: settings_.panels = !settings_.panels; return;
    case Action::show_time_line: settings_.time_line = !settings_.time_line; return;
    case Action::scale_interface: return step_scale(event.number);
    case Action::full_screen: return window_->toggle_full_screen();
    case Action::save_window: shot_ = Shot::window; return;
    case Action::save_image: shot_ = Shot::image_and_light; return;
    case Action::next_panel: return show_next_panel();
    case Action::dismiss: return dismiss();
    case Action::quit: return window_->close();
    case Action::one_to_one: settings_.one_to_one = true; return area_.one_to_one();
    case Action::fit_image: settings_.one_to_one = false; return area_.fit();
    case Action::zoom: return zoom(event.number > 0 ? kZoomStep : 1 / kZoomStep);
    default: break;
  }
  press_panels(event);
}

// Returns true if a panel used the key.
bool Viewer::press_panels(const KeyEvent& event) {
  return std::any_of(panels_.begin(), panels_.end(), [&](const auto& panel) { return panel->on_key(state_, event); });
}

void Viewer::go_to_step(std::optional<size_t> step) {
  if (state_.before_paper) set_as_in_paper(false);
  tour_.reset();
  if (!step) return;
  const TourStep& wanted = start_.steps()[*step];
  const std::string scene = scene_of(wanted);
  if (scene.empty())
    return show_error("the scene of \"" + wanted.title + "\" is not there: install brokkr with its data");
  state_.settings.modules = {};
  state_.shader.close();
  state_.settings.options.shading = RenderOptions().shading;
  tour_loading_ = step;
  open({scene});
}

// The scene of the tour's step is loaded.
void Viewer::show_step() {
  tour_ = std::exchange(tour_loading_, std::nullopt);
  const TourStep& step = start_.steps()[*tour_];
  if (step.as_in_paper) set_as_in_paper(true);
  if (const auto shader = find_bundled(step.shader); shader && !step.shader.empty())
    open_shader(shader->string(), {}, {});
  if (!step.panel.empty()) show_panel(step.panel);
  if (step.key) act(*step.key);
}

// Keeps the first picture of a single file as its thumbnail.
void Viewer::keep_thumbnail() {
  if (sequence_.active() || image_.width <= 0) return;
  Picture picture{image_.width, image_.height, std::vector<uint32_t>(size_t(image_.width) * size_t(image_.height))};
  glBindTexture(GL_TEXTURE_2D, image_.texture);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, picture.pixels.data());
  thumbnails_->keep(state_.last->scene->path, picture);
}

// The settings under which patterns differ [Kerbl17, 4]: more bins than rasterizers, and rasterizers that keep their
// bins.
void Viewer::set_as_in_paper(bool on) {
  RenderOptions& options = state_.settings.options;
  if (on) {
    state_.before_paper = {options, state_.overlay};
    options.rasterizers = 20;
    options.ownership = Ownership::fixed;
    options.bin = 64;
    state_.overlay = Overlay::owners;
    show_note("as in the paper: 20 rasterizers, static ownership, bins of 64 pixels; P switches the pattern");
  } else if (state_.before_paper) {
    options.rasterizers = state_.before_paper->first.rasterizers;
    options.ownership = state_.before_paper->first.ownership;
    options.bin = state_.before_paper->first.bin;
    state_.overlay = state_.before_paper->second;
    state_.before_paper.reset();
  }
}

// A sequence takes priority over what panels play.
void Viewer::play_or_pause() {
  if (!sequence_.active() && press_panels({Action::play_sequence})) return;
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

// Opens the next panel, in either dock.
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

// Selects the next larger or smaller element of kScales.
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
  capture_.close();
  if (state_.scene) show_start_ = false;
  errors_.clear();
  loader_->cancel();
}

// A frame of the user interface: menus, bars, messages, and the image between them.

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
