// The viewer: window, threads and panels together.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "brokkr/load.h"
#include "viewer/file_dialog.h"
#include "viewer/file_watch.h"
#include "viewer/image_area.h"
#include "viewer/loader.h"
#include "viewer/panel.h"
#include "viewer/present.h"
#include "viewer/render_job.h"
#include "viewer/render_thread.h"
#include "viewer/sequence.h"
#include "viewer/settings_file.h"
#include "viewer/window.h"

namespace brokkr::viewer {

// The request of the command line.
struct ViewRequest {
  std::vector<std::string> files;  // one: a file, a folder or a generated scene; several: a sequence
  LoadOptions load;
  int width = 0, height = 0;   // of captured frames; 0: their own
  app::Arguments options{{}};  // of the pipeline; they override the remembered ones
  bool fresh = false;          // remembered settings are neither read nor written
  std::optional<WindowSize> window;
};

class Viewer : public ViewerCommands {
 public:
  // Throws std::runtime_error where there is no display or no OpenGL 3.3.
  explicit Viewer(const ViewRequest& request);
  ~Viewer() override;

  // Runs until the window is closed.
  void run();

  void request_render() override { render_wanted_ = true; }
  void run(RenderJob job) override;
  void wake() override { Window::wake(); }
  void show_error(const std::string& text) override;
  void show_note(const std::string& text) override;

 private:
  friend class ViewerUi;
  // Opens files or a folder, from a drop, the command line or the dialog.
  void open(const std::vector<std::string>& paths);
  void load_file(const std::string& path, bool keep_camera);
  void reload();
  void act(const KeyEvent& event);
  template <typename Choice>
  void choose_next(const std::string& what, Choice& option, int by);
  void play_or_pause();
  void step_sequence(int by);
  void recall_bookmark(int number);
  void save_bookmark(int number);
  void show_next_panel();
  void dismiss();
  void zoom(float factor);
  void poll();  // takes the results of other threads
  void take_scene(const Loaded& loaded);
  void request_frame();
  void present(uint64_t shown_before);
  void take_screenshot();
  void remember();
  void copy_camera();
  void paste_camera();
  double sleep_time() const;

  ViewRequest request_;
  std::filesystem::path settings_path_;
  Settings settings_;
  Keyboard keyboard_;
  std::unique_ptr<Window> window_;
  std::unique_ptr<Presenter> presenter_;
  std::unique_ptr<RenderThread> render_thread_;
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<FileWatch> watch_;
  std::vector<std::unique_ptr<Panel>> panels_;
  ViewerState state_;
  ImageArea area_;
  FileDialog dialog_;
  Sequence sequence_;

  ShownImage image_;
  std::deque<std::shared_ptr<const Rendered>> finished_;  // not shown yet
  std::string file_, bookmarks_of_;  // the file that is shown; the file whose bookmarks the camera has
  bool keep_camera_ = false;
  bool render_wanted_ = false;
  FrameSource asked_;  // last request

  bool show_ui_ = true, show_help_ = false;
  enum class Shot { none, window, image };
  Shot shot_ = Shot::none;
  std::vector<std::string> errors_;
  std::string note_;
  Clock::time_point note_until_;
  std::optional<Clock::time_point> last_present_;
  std::deque<double> frame_times_;  // seconds between frames that were shown, newest last
  int settle_ = 3;                  // UI frames to draw before going to sleep
  std::string wanted_panel_;
};

}  // namespace brokkr::viewer
