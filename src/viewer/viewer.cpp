#include "viewer/viewer.h"

#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "app/input.h"
#include "app/own_shader.h"
#include "app/pipeline_options.h"
#include "scene/file_io.h"
#include "viewer/docks.h"
#include "viewer/draw_filter.h"
#include "viewer/file_dialog.h"
#include "viewer/file_watch.h"
#include "viewer/frame_times.h"
#include "viewer/image_area.h"
#include "viewer/image_legend.h"
#include "viewer/loader.h"
#include "viewer/looks.h"
#include "viewer/option_widget.h"
#include "viewer/present.h"
#include "viewer/render_thread.h"
#include "viewer/screenshot.h"
#include "viewer/sequence.h"
#include "viewer/settings_file.h"
#include "viewer/status_bar.h"
#include "viewer/window.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;

constexpr auto kNoteTime = std::chrono::seconds(5);
constexpr float kZoomStep = 1.25f;
constexpr float kStripLines = 2.5f;        // height of the strip of frame times
constexpr float kStripWindow = 300;        // pixels that a window must be high to have it, at scale 1
constexpr double kSmoothMs = 1000.0 / 60;  // where the strip has its line, unless a frame has a budget
// UI frames that are drawn after an event: some widgets need several to settle (a tooltip, a closing menu).
constexpr int kSettleFrames = 3;

// Sizes of the user interface that can be chosen; keys go through them.
constexpr float kScales[] = {0.75f, 1, 1.25f, 1.5f, 1.75f, 2, 2.5f, 3, 4};

// In the order of their tabs.
constexpr std::unique_ptr<Panel> (*kPanels[])() = {make_scene_panel,   make_pipeline_panel, make_policy_panel,
                                                   make_pattern_panel, make_draws_panel,    make_shader_panel,
                                                   make_inspect_panel, make_compare_panel,  make_log_panel};

class Viewer : public ViewerCommands {
 public:
  explicit Viewer(const app::Arguments& arguments)
      : fresh_(arguments.has("fresh")),
        load_(app::load_options(arguments)),
        state_{.commands = *this, .shader = ShaderControl(Window::wake)} {
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
    sequence_.speed = settings_.sequence_speed;
    sequence_.loop = settings_.sequence_loop;
    state_.settings.options = settings_.options;
    app::read_options(arguments, state_.settings.options);
    if (const auto* const saved = std::get_if<SavedPatternPointer>(&state_.settings.options.pattern))
      state_.saved_pattern = *saved;
    if (load_.width > 0) state_.choose_size(PictureSize::own, {load_.width, load_.height});

#if defined(BROKKR_VIEWER_CUDA)
    presenter_ = make_cuda_presenter(Window::wake);
#else
    presenter_ = make_host_presenter(Window::wake);
#endif
    render_thread_ = std::make_unique<RenderThread>(*presenter_, Window::wake);
    loader_ = std::make_unique<Loader>(Window::wake);
    watch_ = std::make_unique<FileWatch>(Window::wake);
    for (const auto make : kPanels) panels_.push_back(make());
    if (!settings_.panel.empty()) docks_.open(settings_.panel);
    to_open_ = arguments.all("FILE");
    if (std::optional<FragmentShader> shader = app::read_shader(arguments))
      open_shader(arguments.text("fragment"), std::move(*shader));
  }

  ~Viewer() override {
    render_thread_.reset();  // before the panels, which its jobs use
    remember();
  }

  // Runs until the window is closed.
  void run() {
    while (!window_->should_close()) {
      window_->wait(sleep_time());
      if (window_->take_changed()) settle_ = kSettleFrames;
      settle_ = std::max(settle_ - 1, 0);
      if (window_->minimized()) continue;
      poll();
      window_->begin_frame();
      draw();
      // Scenes are loaded for the room that the image has, which is known by now.
      if (!to_open_.empty()) open(std::exchange(to_open_, {}));
      request_frame();
      window_->end_frame();
      // Asked for while the first picture is under way, it waits for that.
      const bool comes = state_.scene || loader_->state();
      if (shot_ != Shot::none && (state_.last || !comes)) take_screenshot();
      present();
    }
  }

  void request_render() override { render_wanted_ = true; }
  std::weak_ptr<const RenderJob> run(RenderJob job) override { return render_thread_->run(std::move(job)); }
  void show_error(const std::string& text) override {
    // A repeated message stands once, at the end.
    std::erase(errors_, text);
    errors_.push_back(text);
    if (errors_.size() > 20) errors_.erase(errors_.begin());
    settle_ = kSettleFrames;
  }

  void show_note(const std::string& text) override {
    note_ = text;
    note_until_ = Clock::now() + kNoteTime;
    settle_ = kSettleFrames;
  }

 private:
  void open(const std::vector<std::string>& paths) {
    std::error_code error;
    std::vector<std::string> files = paths;
    for (const std::string& path : paths) {
      if (is_shader_file(path)) open_shader(path, {});
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
      sequence_.pause();  // it ends once the file is loaded: a file that cannot be read changes nothing
      if (const auto position = sequence_.find(files[0])) sequence_.seek(*position);
    }
    load_file(files[0], false);
  }

  // Without a scene it fills the picture.
  void open_shader(const std::string& path, FragmentShader from) {
    state_.shader.open(path, std::move(from));
    state_.settings.options.shading = Shading::program;
    if (!state_.scene && to_open_.empty() && !loader_->state()) to_open_ = {app::kScreenScene};
    settings_.panel = "Shader";
    docks_.open(settings_.panel);
  }

  // Time goes on while pictures come; the newest good text and its values are what is drawn with.
  void follow_shader() {
    if (state_.shader.poll(state_.scene)) show_note(display_name(state_.shader.path()) + " draws the surfaces");
    const auto now = Clock::now();
    if (!render_thread_->request_waits()) {
      state_.shader.advance(seconds(now - shader_time_));
      shader_time_ = now;
    }
    state_.settings.shader = state_.shader.shader();
  }

  void reload() {
    if (!file_.empty()) load_file(file_, true);
  }

  void load_file(const std::string& path, bool keep_camera) {
    keep_camera_ = keep_camera;
    LoadOptions options = load_;
    // The camera of a scene is fitted to the shape of the room that its picture has.
    if (options.width == 0 && options.views <= 1 && !path.starts_with("generated:")) {
      options.width = state_.room().x;
      options.height = state_.room().y;
    }
    loader_->load(path, options);
  }

  void take_scene(const Loaded& loaded) {
    if (!loaded.scene) {
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
    state_.chosen_draw.reset();
    if (!loaded.scene->frame.warnings.empty()) show_note(loaded.scene->frame.warnings[0]);
    state_.camera.reset(loaded.scene->camera, loaded.scene->bounds);
    if (keep) state_.camera.move_to(*camera);
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
    // The frame under way is out of date, so that it is cancelled; a sequence shows every frame.
    if (!sequence_.active()) render_thread_->cancel();
  }

  void remember() {
    if (fresh_ || settings_path_.empty()) return;
    const WindowSize size = window_->remembered();
    settings_.window_width = size.width;
    settings_.window_height = size.height;
    settings_.maximized = size.maximized;
    settings_.options = state_.settings.options;
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

  void poll() {
    if (const std::optional<Loaded> loaded = loader_->take()) take_scene(*loaded);
    if (watch_->take()) {
      show_note(display_name(file_) + " has changed: loading it again");
      reload();
    }
    RenderThread::Results results = render_thread_->take();
    for (const std::string& error : results.errors) {
      show_error(error);
      state_.continuous = false;  // the next frame would have the same error
    }
    for (const RenderAnswer& answer : results.answers) answer();
    if (sequence_.advance(Clock::now()) && !loader_->state()) load_file(sequence_.files()[sequence_.position()], true);
    for (auto& frame : results.frames) finished_.push_back(std::move(frame));
    follow_shader();
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

  void request_frame() {
    if (!state_.scene || window_->minimized()) return;
    const std::optional<Camera>& camera = state_.camera.moved();
    FrameSource source{state_.scene, state_.settings, camera};
    const bool changed = !(source == asked_);
    const bool another = state_.continuous && !render_thread_->request_waits();
    if (!changed && !render_wanted_ && !another) return;
    render_wanted_ = false;
    asked_ = std::move(source);
    render_thread_->request({state_.scene, state_.settings, camera, Clock::now()});
  }

  void present() {
    const auto begin = Clock::now();
    window_->swap();
    // A picture may be in the window before all that is known of its frame is here: it counts once it is.
    if (!state_.last || state_.last->number != image_.number || image_.number == presented_) return;
    presented_ = image_.number;
    const Presented presented{state_.last, begin, Clock::now(), last_present_, window_->last_input()};
    frame_times_.add(milliseconds(presented.interval()));
    last_present_ = begin;
    for (const auto& panel : panels_) panel->on_present(state_, presented);
  }

  double sleep_time() const {
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
    if (ImGui::GetIO().WantTextInput) at_most(0.2);  // the cursor blinks
    return time;
  }

  void take_screenshot() {
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
      write_file(path, encode_screenshot(picture, metadata_of(*state_.last)));
      show_note("saved " + path.string());
    } catch (const std::exception& error) {
      show_error(std::string(error.what()));
    }
  }

  void act(const KeyEvent& event) {
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

  template <typename Choice>
  void choose_next(const std::string& what, Choice& option, int by) {
    show_note(what + ": " + step_choice(option, by));
  }

  void play_or_pause() {
    if (sequence_.playing())
      sequence_.pause();
    else
      sequence_.play(Clock::now());
  }

  void step_sequence(int by) {
    if (!sequence_.active()) return;
    sequence_.pause();
    sequence_.step(by);
    load_file(sequence_.files()[sequence_.position()], true);
  }

  void recall_bookmark(int number) {
    const std::string name = std::to_string(number);
    if (!state_.camera.recall_bookmark(size_t(number)))
      show_note("bookmark " + name + " is empty: Ctrl+" + name + " saves the camera there");
  }

  void save_bookmark(int number) {
    state_.camera.save_bookmark(size_t(number));
    show_note("camera saved as bookmark " + std::to_string(number));
  }

  void copy_camera() {
    if (!state_.scene) return;
    const std::string text = camera_text(state_.camera.camera());
    ImGui::SetClipboardText(text.c_str());
    show_note("camera copied: " + text);
  }

  void paste_camera() {
    const char* const text = ImGui::GetClipboardText();
    try {
      if (text == nullptr || *text == '\0') throw std::runtime_error("the clipboard holds no text");
      state_.camera.set_text(text);
      show_note("camera pasted");
    } catch (const std::exception& error) {
      show_error(error.what());
    }
  }

  void show_panel(const std::string& name) {
    settings_.panel = name;
    settings_.panels = true;
    docks_.open(name);
  }

  // The next one in whichever dock.
  void show_next_panel() {
    const auto is_open = [&](const auto& panel) { return panel->name() == settings_.panel; };
    const auto open = std::find_if(panels_.begin(), panels_.end(), is_open);
    const bool last = open == panels_.end() || open + 1 == panels_.end();
    show_panel((last ? panels_.front() : *(open + 1))->name());
  }

  void set_scale(float scale) {
    settings_.scale = scale;
    window_->set_scale(scale);
    settle_ = kSettleFrames;
  }

  // The next larger or smaller one of kScales.
  void step_scale(int by) {
    const float now = window_->scale();
    float next = now;
    for (const float scale : kScales) {
      if (by > 0 && scale > now && next == now) next = scale;
      if (by < 0 && scale < now) next = scale;
    }
    set_scale(next);
    show_note("text and widgets at " + app::fixed(double(next) * 100, 0) + " %");
  }

  void dismiss() {
    show_help_ = false;
    dialog_.close();
    errors_.clear();
    loader_->cancel();
  }

  void zoom(float factor) { area_.zoom(state_, factor, (state_.view.area_begin + state_.view.area_end) / 2.0f); }

  void draw() {
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
    for (const auto& panel : panels_) panel->draw_over_image(state_, over_image);
    if (state_.last && settings_.panels)
      draw_legend(over_image, state_.view, shading_legend(state_.last->settings.options.shading), false);
    area_.handle_mouse(state_, *window_, [&](glm::vec2 pixel) {
      for (const auto& panel : panels_) {
        if (panel->on_click(state_, pixel)) return;
      }
    });
    if (!state_.scene && !loader_->state()) draw_welcome(room);
    draw_loading(room);
    draw_errors(room);
    draw_help();
    if (const auto chosen = dialog_.draw()) open({*chosen});
  }

  // A menu item that does what its key does.
  void menu_item(const char* label, Action action, bool selected = false, bool enabled = true) {
    if (ImGui::MenuItem(label, key_text(action).c_str(), selected, enabled)) act({action});
  }

  void draw_recent() {
    std::string chosen;
    for (const std::string& file : settings_.recent) {
      if (ImGui::Selectable(app::printable(file).c_str())) chosen = file;
    }
    if (!chosen.empty()) open({chosen});
  }

  void draw_menu() {
    if (!ImGui::BeginMainMenuBar()) return;
    if (ImGui::BeginMenu("File")) {
      menu_item("Open...", Action::open_file);
      if (ImGui::MenuItem("Open shader...")) dialog_.open(fs::path(state_.shader.path()).parent_path().string());
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
      menu_item("Frames keep coming", Action::render_always, state_.continuous);
      menu_item("Frame times", Action::show_frame_times, settings_.frame_times);
      ImGui::Separator();
      for (const auto& panel : panels_) draw_panel_menu(panel->name());
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

  void draw_scales() {
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
  void draw_panel_menu(const std::string& panel) {
    if (!ImGui::BeginMenu(panel.c_str())) return;
    if (ImGui::MenuItem("Open", nullptr, docks_.is_open(panel))) show_panel(panel);
    ImGui::Separator();
    for (size_t d = 0; d < kDocks; ++d) {
      if (ImGui::MenuItem(kDockNames[d], nullptr, docks_.dock_of(panel) == Dock(d))) docks_.move(panel, Dock(d));
    }
    ImGui::EndMenu();
  }

  void draw_strip(ImVec2 corner, ImVec2 size) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(8, 3));
    if (begin_bar("##times", corner, size)) {
      const double budget = state_.settings.options.frame_budget_ms;
      frame_times_.draw_strip("##strip", kStripLines, budget > 0 ? budget : kSmoothMs);
    }
    ImGui::End();
    ImGui::PopStyleVar();
  }

  // A note hides the rest of the line for the seconds that it lasts.
  void draw_status_bar(float top) {
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
        if (!render_thread_->idle() && !state_.continuous)
          parts.insert(parts.begin() + 1, {"drawing ...", "A newer frame is under way"});
        draw_status(parts);
      }
    }
    ImGui::End();
    ImGui::PopStyleVar();
  }

  // Returns its height.
  float draw_sequence_bar(const Box& room) {
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

  static void draw_help_group(const HelpGroup& group) {
    float widest = 0;
    for (const HelpGroup::Line& line : group.lines) widest = std::max(widest, ImGui::CalcTextSize(line.keys.c_str()).x);
    ImGui::TextColored({0.55f, 0.75f, 1, 1}, "%s", group.name.c_str());
    const float em = ImGui::GetFontSize(), column = std::min(widest + em, 15 * em);
    if (ImGui::BeginTable(group.name.c_str(), 2)) {
      ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, column);
      ImGui::TableSetupColumn("help", ImGuiTableColumnFlags_WidthStretch);
      for (const HelpGroup::Line& line : group.lines) {
        ImGui::TableNextColumn();
        ImGui::TextWrapped("%s", line.keys.c_str());
        ImGui::TableNextColumn();
        ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
        ImGui::TextWrapped("%s", line.help.c_str());
        ImGui::PopStyleColor();
      }
      ImGui::EndTable();
    }
    ImGui::Dummy({0, 0.5f * em});
  }

  void draw_help() {
    if (!show_help_) return;
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    const float em = ImGui::GetFontSize();
    ImGui::SetNextWindowPos({window.x / 2, window.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowSize({std::min(window.x * 0.95f, 74 * em), std::min(window.y * 0.95f, 46 * em)});
    if (ImGui::Begin("Keys and mouse", &show_help_, ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings)) {
      static const std::vector<HelpGroup> groups = help_groups();
      size_t all = 0, drawn = 0;
      for (const HelpGroup& group : groups) all += group.lines.size();
      // Half of the lines to the left, the rest to the right; a narrow window has all in one column.
      const int columns = window.x > 50 * em ? 2 : 1;
      if (ImGui::BeginTable("groups", columns, ImGuiTableFlags_SizingStretchSame)) {
        ImGui::TableNextColumn();
        for (const HelpGroup& group : groups) {
          if (columns == 2 && ImGui::TableGetColumnIndex() == 0 && drawn + group.lines.size() / 2 > all / 2) {
            ImGui::TableNextColumn();
          }
          draw_help_group(group);
          drawn += group.lines.size();
        }
        ImGui::EndTable();
      }
    }
    ImGui::End();
  }

  void draw_errors(const Box& room) {
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

  // Begins a window of at most `lines` font sizes in width in the middle of the image's room.
  static bool begin_message(const char* name, const Box& room, float lines, ImGuiWindowFlags flags = 0) {
    const glm::vec2 center = (room.begin + room.end) / 2.0f;
    const float width = std::min(lines * ImGui::GetFontSize(), std::max(room.size().x, 1.0f));
    ImGui::SetNextWindowPos(im(center), ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, std::max(room.size().y, 40.0f)});
    return ImGui::Begin(name, nullptr,
                        (kBarFlags & ~ImGuiWindowFlags_NoScrollbar) | ImGuiWindowFlags_AlwaysAutoResize | flags);
  }

  void draw_loading(const Box& room) {
    const std::optional<LoadState> state = loader_->state();
    if (!state || sequence_.playing()) return;
    if (begin_message("##loading", room, 30, ImGuiWindowFlags_NoFocusOnAppearing)) {
      ImGui::TextWrapped("Loading %s", display_name(state->path).c_str());
      ImGui::ProgressBar(float(state->part), {-1, 0});
      if (ImGui::Button("Cancel")) loader_->cancel();
    }
    ImGui::End();
  }

  void draw_welcome(const Box& room) {
    if (begin_message("##welcome", room, 46)) {
      ImGui::TextWrapped("Drop a frame (.bkf), a scene (.obj, .glb, .ply, .stl) or a folder of frames here, or");
      if (ImGui::Button("Open...")) act({Action::open_file});
      if (room.size().x > 24 * ImGui::GetFontSize()) ImGui::SameLine();
      if (ImGui::Button("Show a generated scene")) open({"generated:city"});
      draw_recent();
    }
    ImGui::End();
  }

  bool fresh_;  // what is remembered is neither read nor written
  LoadOptions load_;
  fs::path settings_path_ = settings_path();
  Settings settings_;
  Keyboard keyboard_;
  std::unique_ptr<Window> window_;
  std::unique_ptr<Presenter> presenter_;
  std::unique_ptr<RenderThread> render_thread_;
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<FileWatch> watch_;
  std::vector<std::unique_ptr<Panel>> panels_;
  ViewerState state_;
  Clock::time_point shader_time_ = Clock::now();  // up to which its time has come
  Docks docks_{settings_.docks};
  ImageArea area_;
  FileDialog dialog_;
  Sequence sequence_;

  ShownImage image_;
  uint64_t presented_ = 0;                                // the number of the last frame that was counted as shown
  std::deque<std::shared_ptr<const Rendered>> finished_;  // not shown yet
  std::string file_;                                      // the file that is shown, and whose bookmarks the camera has
  bool keep_camera_ = false;
  bool render_wanted_ = false;
  FrameSource asked_;  // last request

  bool show_help_ = false;
  std::vector<std::string> to_open_;  // once the first UI frame has been laid out
  enum class Shot { none, window, image };
  Shot shot_ = Shot::none;
  std::vector<std::string> errors_;
  std::string note_;
  Clock::time_point note_until_;
  std::optional<Clock::time_point> last_present_;
  FrameTimes frame_times_;
  int settle_ = kSettleFrames;  // UI frames to draw before going to sleep
};

}  // namespace

int show(const app::Arguments& arguments) {
  Viewer(arguments).run();
  return app::kSuccess;
}

}  // namespace brokkr::viewer
