// The interface of a panel, and the parts of the viewer that a panel can use.
//
// The viewer has two threads. The UI thread owns the window, OpenGL, Dear ImGui, the panels and ViewerState; it never
// waits for a frame. The render thread owns the Renderer and the prepared frame; it takes the newest request, renders,
// and hands back a Rendered. A panel runs on the UI thread and must return within a millisecond or two. Longer work
// goes to the render thread as a job (ViewerCommands::run), which runs between two frames.
//
// To add a panel: derive from Panel in panel_NAME.cpp, name its factory at the end of this file, and list it in
// viewer.cpp; a module lists its own (module.h).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <glm/common.hpp>
#include <glm/vec2.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/shader_option.h"
#include "brokkr/renderer.h"
#include "viewer/camera_control.h"
#include "viewer/keys.h"
#include "viewer/painting.h"
#include "viewer/scene.h"
#include "viewer/shader_control.h"

struct ImDrawList;

namespace brokkr::viewer {

using Clock = std::chrono::steady_clock;
inline double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }
inline double milliseconds(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

// RGBA8 (0xAABBGGRR), rows bottom to top.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint32_t> pixels;
};

// The settings of the next frame. Panels change them at will.
struct FrameSettings {
  RenderOptions options;
  int width = 0, height = 0;                     // pixels of the shown target; 0: the scene's own
  int target = -1;                               // index into Frame::targets; -1: Scene::shown_target
  int layer = 0;                                 // of that target
  std::set<uint32_t> hidden_commands;            // draws that are left out: indices into Frame::commands
  std::shared_ptr<const FragmentShader> shader;  // the user's own; null: none
  ModuleSettings modules;
  bool operator==(const FrameSettings&) const = default;
};

// Everything that a frame is made from. Equal sources give equal frames, so that a result about one frame holds for the
// other.
struct FrameSource {
  std::weak_ptr<const Scene> scene;
  FrameSettings settings;
  std::optional<Camera> camera;  // nothing: as the scene was loaded

  bool operator==(const FrameSource& other) const {
    return scene.lock() == other.scene.lock() && settings == other.settings && camera == other.camera;
  }
};

// A rendered frame, and everything that it was rendered from.
struct Rendered {
  uint64_t number = 0;  // counts up from 1
  std::shared_ptr<const Scene> scene;
  FrameSettings settings;
  std::optional<Camera> camera;              // nothing: as it was loaded
  uint32_t target = 0, layer = 0;            // shown
  int width = 0, height = 0;                 // of the shown target, in pixels
  RenderResult result;                       // targets is empty where the picture went to the window without the host
  std::shared_ptr<const Painting> painting;  // null: it is a frame of the pipeline
  int ranks = 1;                             // processes that drew it
  Clock::time_point requested, begin, end;   // request made; launch began; picture ready to be shown

  FrameSource source() const { return {scene, settings, camera}; }
};

// One swap of the window's buffers that showed a new frame.
struct Presented {
  std::shared_ptr<const Rendered> frame;
  Clock::time_point begin, end;               // of the call that swaps
  std::optional<Clock::time_point> previous;  // `begin` of the swap before that showed a new frame
  std::optional<Clock::time_point> input;     // last input event before it
  bool is_first = false;  // of its scene, size, target, draws or machine: it was prepared first, and says little

  // The time from the previous swap to this one, without the time in which no frame was requested.
  Clock::duration interval() const {
    return begin - (previous && *previous > frame->requested ? *previous : frame->requested);
  }
};

// For jobs on the render thread: no frame is rendered while one runs.
struct RenderContext {
  Renderer& renderer;
  PreparedFrame& prepared;
  const Frame& frame;  // as rendered: size, camera and hidden draws are in it
  const FrameSettings& settings;
  uint32_t target, layer;  // shown
};
// A job returns its answer, which runs on the UI thread. Panels outlive the answers to their jobs.
using RenderAnswer = std::function<void()>;
using RenderJob = std::function<RenderAnswer(RenderContext&)>;

// Requests that panels can make.
class ViewerCommands {
 public:
  virtual ~ViewerCommands() = default;
  virtual void request_render() = 0;  // a frame although nothing changed
  // Runs `job` on the render thread before its next frame. An exception becomes an error message. The pointer expires
  // when the answer has run, or when the job was dropped: where the last frame failed, and where the viewer closes.
  virtual std::weak_ptr<const RenderJob> run(RenderJob job) = 0;
  virtual void open_panel(const std::string& /*name*/) {}  // in front of others of its section
  virtual void press(const KeyEvent& /*event*/) {}         // as its key does
  virtual void save_image(bool /*exr*/) {}                 // the image alone; `exr`: the light of a painted one
  virtual void show_error(const std::string& text) = 0;    // error panel
  virtual void show_note(const std::string& text) = 0;     // status bar, a few seconds
};

// The place of the image in the window. Screen positions are ImGui's: pixels from the window's top left.
struct ImageView {
  glm::vec2 origin{0};  // screen position of the image's top left corner
  float zoom = 1;       // screen pixels per image pixel
  int width = 0, height = 0;
  glm::vec2 area_begin{0}, area_end{0};  // part of the window that is not covered by panels
  bool hovered = false;                  // the mouse is over the image, and no panel wants it

  // Pixel with its origin at the bottom left, as in Layer. May lie outside the image.
  glm::vec2 to_pixel(glm::vec2 screen) const {
    const glm::vec2 p = (screen - origin) / zoom;
    return {p.x, float(height) - p.y};
  }
  glm::vec2 to_screen(glm::vec2 pixel) const { return origin + zoom * glm::vec2(pixel.x, float(height) - pixel.y); }
};

// The overlay of the image: nothing, a colour for each rasterizer, or the load of each bin.
enum class Overlay : uint8_t { none, owners, heat };

// The size at which the shown target is drawn.
enum class PictureSize : uint8_t { as_loaded, as_window, own };

struct ViewerState {
  ViewerCommands& commands;
  std::shared_ptr<const Scene> scene;    // null: nothing loaded yet
  FrameSettings settings;                // change at will: compared after every UI frame
  SavedPatternPointer saved_pattern;     // from a file; it can be chosen beside the kinds
  std::shared_ptr<const Rendered> last;  // newest frame; null: none yet
  PictureSize size = PictureSize::as_loaded;
  ImageView view;
  std::optional<uint32_t> chosen_draw;  // the user's, an index into the scene's commands
  CameraControl camera;                 // change at will, as the settings
  ShaderControl shader{[] {}};          // the viewer puts what it says into the settings
  bool continuous = false;              // frames keep coming although nothing changes
  Overlay overlay = Overlay::none;
  // The settings before those of the paper; nothing: these are not set.
  std::optional<std::pair<RenderOptions, Overlay>> before_paper;
  double moment_us = -1;                // of the last frame, under the mouse in the time line; negative: none
  std::vector<PaintingKind> paintings;  // of the program's modules

  // The kind of picture that the settings ask for; null: a frame of the pipeline.
  const PaintingKind* painting() const {
    const auto takes = [&](const PaintingKind& kind) { return kind.takes(scene.get(), settings); };
    const auto found = std::find_if(paintings.begin(), paintings.end(), takes);
    return found == paintings.end() ? nullptr : &*found;
  }
  // Returns true if a shader alone fills the picture: mouse and keys are its own.
  bool is_toy() const { return scene && settings.shader && scene->path == app::kScreenScene; }
  // Returns true if the window shows, or will show, something else than a frame of the pipeline.
  bool is_painted() const { return painting() != nullptr || (last && last->painting); }
  // Returns true if the picture gets better without another request.
  bool grows() const { return painting() != nullptr && painting()->grows; }

  // The part of the window that the image can have, in pixels.
  glm::ivec2 room() const {
    return glm::clamp(glm::ivec2(view.area_end - view.area_begin), glm::ivec2(1), glm::ivec2(kMaxTargetSize));
  }
  // `pixels`: of PictureSize::own.
  void choose_size(PictureSize choice, glm::ivec2 pixels = glm::ivec2(0)) {
    size = choice;
    settings.width = pixels.x;
    settings.height = pixels.y;
    follow_room();
  }
  void follow_room() {
    if (size != PictureSize::as_window) return;
    settings.width = room().x;
    settings.height = room().y;
  }
};

// The place of a panel: at the left, or in one of the sections at the right.
enum class Section : uint8_t { draws, look, pipeline, compare, measure };

class Panel {
 public:
  virtual ~Panel() = default;
  virtual const char* name() const = 0;  // title, unique
  virtual Section section() const = 0;
  // Returns true if there is something to show or do: others are not on the screen, and hear of nothing but the keys.
  // Most are about frames of the pipeline.
  virtual bool applies(const ViewerState& state) const { return !state.is_painted(); }
  virtual void draw(ViewerState& state) = 0;  // the panel's contents, inside a window that the viewer has begun
  virtual void draw_over_image(ViewerState&, ImDrawList&) {}  // every UI frame, whether the panel is open or not
  virtual void on_frame(ViewerState&) {}                      // state.last is new
  virtual void on_present(ViewerState&, const Presented&) {}  // a new frame has been shown
  virtual bool on_click(ViewerState&, glm::vec2 /*pixel*/) { return false; }  // left, without a drag; true: taken
  virtual bool on_key(ViewerState&, const KeyEvent&) { return false; }        // true: the action is this panel's
  virtual void on_start(ViewerState&, const app::Arguments&) {}               // once, with the words of the user
  // Every UI frame: what moves by itself does. `waits`: a request has not begun yet, and another would replace it.
  virtual void advance(ViewerState&, bool /*waits*/) {}
  virtual void on_paint_error(ViewerState&) {}  // a picture could not be painted
  virtual void draw_view_menu(ViewerState&) {}  // its items in the menu View
  // Returns true if it opens by itself when this scene is the first one that is shown, or another than before.
  virtual bool opens_for(const Scene&) const { return false; }
};

std::unique_ptr<Panel> make_scene_panel();
std::unique_ptr<Panel> make_shader_panel();
std::unique_ptr<Panel> make_pipeline_panel();
std::unique_ptr<Panel> make_policy_panel();
std::unique_ptr<Panel> make_pattern_panel();
std::unique_ptr<Panel> make_draws_panel();
std::unique_ptr<Panel> make_inspect_panel();
std::unique_ptr<Panel> make_compare_panel();
std::unique_ptr<Panel> make_race_panel();
std::unique_ptr<Panel> make_log_panel();

}  // namespace brokkr::viewer
