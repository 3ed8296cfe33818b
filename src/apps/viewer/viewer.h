// The viewer: its window, the file that it shows, and everything on the screen. UI thread only.
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "viewer/block_timeline.h"
#include "viewer/capture_dialog.h"
#include "viewer/docks.h"
#include "viewer/file_dialog.h"
#include "viewer/file_watch.h"
#include "viewer/frame_times.h"
#include "viewer/image_area.h"
#include "viewer/loader.h"
#include "viewer/module.h"
#include "viewer/option_widget.h"
#include "viewer/panel.h"
#include "viewer/pixel_facts.h"
#include "viewer/present.h"
#include "viewer/render_thread.h"
#include "viewer/sequence.h"
#include "viewer/settings_file.h"
#include "viewer/start_screen.h"
#include "viewer/window.h"

namespace brokkr::viewer {

// Selectable scales of the user interface; keys step through them.
inline constexpr float kScales[] = {0.75f, 1, 1.25f, 1.5f, 1.75f, 2, 2.5f, 3, 4};
// Number of UI frames to draw after an event, because some widgets need several to settle (a tooltip, a closing menu).
inline constexpr int kSettleFrames = 3;

class Viewer : public ViewerCommands {
 public:
  Viewer(const app::Arguments& arguments, std::vector<Module> modules);
  ~Viewer() override;
  // Runs until the window is closed.
  void run();
  void request_render() override { render_wanted_ = true; }
  std::weak_ptr<const RenderJob> run(RenderJob job) override { return render_thread_->run(std::move(job)); }
  void open_panel(const std::string& name) override { docks_.open(name); }
  void press(const KeyEvent& event) override { act(event); }
  void save_image(bool exr) override;
  void show_error(const std::string& text) override;
  void show_note(const std::string& text) override;

 private:
  // Files, settings and frames.
  void open(const std::vector<std::string>& paths);
  void open_shader(const std::string& path, const std::string& vertex_path, FragmentShader shader);
  void follow_shader();
  void reload();
  void place_camera();
  void load_file(const std::string& path, bool keep_camera);
  void take_scene(const Loaded& loaded);
  void remember();
  void poll();
  void choose_samples();
  void request_frame();
  void warn_of_programs();
  void present();
  double sleep_time() const;
  void take_screenshot();
  void save_light(const std::filesystem::path& path);
  void report_saved();

  // Actions of keys and menus.
  void act(const KeyEvent& event);
  bool press_panels(const KeyEvent& event);
  template <typename Choice>
  void choose_next(const std::string& what, Choice& option, int by) {
    show_note(what + ": " + step_choice(option, by));
  }
  void set_as_in_paper(bool on);
  void go_to_step(std::optional<size_t> step);
  void show_step();
  void keep_thumbnail();
  void play_or_pause();
  void step_sequence(int by);
  void recall_bookmark(int number);
  void save_bookmark(int number);
  void copy_camera();
  void paste_camera();
  void show_panel(const std::string& name);
  void show_next_panel();
  void set_scale(float scale);
  void step_scale(int by);
  void dismiss();
  void zoom(float factor) { area_.zoom(state_, factor, (state_.view.area_begin + state_.view.area_end) / 2.0f); }

  // Parts of a frame of the user interface.
  void draw();
  void menu_item(const char* label, Action action, bool selected = false, bool enabled = true);
  void draw_recent();
  void draw_menu();
  void draw_scales();
  float draw_toolbar(const Box& room);  // returns its height
  float draw_bottom(const Box& room);   // returns its height
  void draw_status_bar(float top);
  float draw_sequence_bar(const Box& room);  // returns its height
  void draw_errors(const Box& room);
  void draw_loading(const Box& room);
  void draw_start(const Box& room);
  void draw_messages(const Box& room);

  std::vector<Module> modules_;
  bool fresh_;              // what is remembered is neither read nor written
  bool is_shared_ = false;  // several processes draw a frame
  LoadOptions load_;
  std::filesystem::path settings_path_ = settings_path();
  Settings settings_;
  std::vector<KeyBinding> module_keys_;
  Keyboard keyboard_{module_keys_};
  std::unique_ptr<Window> window_;
  std::unique_ptr<Presenter> presenter_;
  std::unique_ptr<RenderThread> render_thread_;
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<FileWatch> watch_;
  std::vector<std::unique_ptr<Panel>> panels_;
  ViewerState state_;
  Clock::time_point shader_time_ = Clock::now();  // the moment up to which its time has advanced
  Docks docks_{settings_.docks, panels_};
  TimeLine time_line_;
  PixelFacts pixel_facts_;
  ImageArea area_;
  FileDialog dialog_{modules_};
  CaptureDialog capture_;
  std::unique_ptr<Thumbnails> thumbnails_;
  StartScreen start_;
  bool show_start_ = false;             // even if there is a scene
  std::optional<size_t> tour_;          // the step shown
  std::optional<size_t> tour_loading_;  // the step whose scene is being loaded
  Sequence sequence_;

  ShownImage image_;
  uint64_t presented_ = 0;                                // number of the last frame counted as presented
  std::deque<std::shared_ptr<const Rendered>> finished_;  // not shown yet
  std::string file_;                                      // the file shown, whose bookmarks the camera has
  bool keep_camera_ = false;
  bool render_wanted_ = false;
  FrameSource asked_;  // last request

  std::vector<MachineInfo> machines_ = find_machines();
  std::vector<HelpGroup> help_ = help_groups(module_keys_);
  bool show_help_ = false;
  std::vector<std::string> to_open_;  // opened after the first UI frame has been laid out
  enum class Shot { none, window, image, image_and_light };
  Shot shot_ = Shot::none;
  std::future<std::string> saving_;  // the message to show once the file is written; an exception is an error
  std::vector<std::string> errors_;
  std::string note_;
  std::string warned_;  // the scene or shader of the last warning about programs
  Clock::time_point note_until_;
  std::optional<Clock::time_point> last_present_;
  std::shared_ptr<const Rendered> timed_;  // the frame presented last
  FrameTimes frame_times_;
  int settle_ = kSettleFrames;  // UI frames to draw before sleeping
};

}  // namespace brokkr::viewer
