// The interface of a panel, and the parts of the viewer that a panel can use.
//
// The viewer has two threads. The UI thread owns the window, OpenGL, Dear ImGui, the panels and ViewerState; it never
// waits for a frame. The render thread owns the Renderer and the prepared frame; it takes the newest request, renders,
// and returns a Rendered. A panel runs on the UI thread and must return within a millisecond or two. Longer work is a
// job for the render thread (ViewerCommands::run) and runs between two frames.
//
// To add a panel: derive from Panel in panel_NAME.cpp, declare its factory at the end of this file, and list it in
// viewer.cpp; a module lists its own panels (module.h).
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
#include "inspect/game_camera.h"
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

// The settings of the next frame. Panels may change them at any time.
struct FrameSettings {
  RenderOptions options;
  int width = 0, height = 0;                     // size of the shown target in pixels; 0: the scene's own size
  int target = -1;                               // index into Frame::targets; -1: Scene::shown_target
  int layer = 0;                                 // of that target
  std::set<uint32_t> hidden_commands;            // hidden draws: indices into Frame::commands
  std::shared_ptr<const FragmentShader> shader;  // the user's own; null: none
  UniformEdits uniforms;                         // the user's values for the vertex programs of a captured frame
  ModuleSettings modules;
  bool operator==(const FrameSettings&) const = default;
};

// Everything that determines a frame. Equal sources give equal frames, so a result about one frame holds for the other.
struct FrameSource {
  std::weak_ptr<const Scene> scene;
  FrameSettings settings;
  std::optional<Camera> camera;  // empty: as the scene was loaded

  bool operator==(const FrameSource& other) const {
    return scene.lock() == other.scene.lock() && settings == other.settings && camera == other.camera;
  }
};

// A rendered frame with its inputs.
struct Rendered {
  uint64_t number = 0;  // counts up from 1
  std::shared_ptr<const Scene> scene;
  FrameSettings settings;
  std::optional<Camera> camera;    // empty: as loaded
  uint32_t target = 0, layer = 0;  // the shown target and layer
  int width = 0, height = 0;       // of the shown target, in pixels
  RenderResult result;  // targets is empty if the picture went to the window without passing through the host
  std::shared_ptr<const Painting> painting;  // null for a frame of the pipeline
  int ranks = 1;                             // number of processes that drew it
  Clock::time_point requested, begin, end;   // time of the request, start of the launch, picture ready

  FrameSource source() const { return {scene, settings, camera}; }
};

// One swap of the window's buffers that presented a new frame.
struct Presented {
  std::shared_ptr<const Rendered> frame;
  Clock::time_point begin, end;               // of the call that swaps buffers
  std::optional<Clock::time_point> previous;  // `begin` of the previous swap that presented a new frame
  std::optional<Clock::time_point> input;     // last input event before this swap
  // first frame after a change of scene, size, target, draws or machine: it was prepared first, so its time says little
  bool is_first = false;

  // The time since the previous swap, without the time in which no frame was requested.
  Clock::duration interval() const {
    return begin - (previous && *previous > frame->requested ? *previous : frame->requested);
  }
};

// The context of a job on the render thread. No frame is rendered while a job runs.
struct RenderContext {
  Renderer& renderer;
  PreparedFrame& prepared;
  const Frame& frame;  // as rendered: includes size, camera and hidden draws
  const FrameSettings& settings;
  uint32_t target, layer;  // the shown target and layer
};
// A job returns an answer, which runs on the UI thread. Panels outlive the answers to their jobs.
using RenderAnswer = std::function<void()>;
using RenderJob = std::function<RenderAnswer(RenderContext&)>;

// Requests that panels can make.
class ViewerCommands {
 public:
  virtual ~ViewerCommands() = default;
  virtual void request_render() = 0;  // renders a frame although nothing changed
  // Runs `job` on the render thread before its next frame. An exception becomes an error message. The pointer expires
  // when the answer has run or the job was dropped, which happens if the last frame failed or the viewer closes.
  virtual std::weak_ptr<const RenderJob> run(RenderJob job) = 0;
  virtual void open_panel(const std::string& /*name*/) {}  // brings the panel to the front of its section
  virtual void press(const KeyEvent& /*event*/) {}         // acts as if the key had been pressed
  virtual void save_image(bool /*exr*/) {}               // saves only the image; `exr`: linear light of a painted image
  virtual void show_error(const std::string& text) = 0;  // shows it in the error panel
  virtual void show_note(const std::string& text) = 0;   // shows it on the status bar for a few seconds
};

// The position of the image in the window. Screen positions are ImGui's: pixels from the window's top left corner.
struct ImageView {
  glm::vec2 origin{0};  // screen position of the image's top left corner
  float zoom = 1;       // screen pixels per image pixel
  int width = 0, height = 0;
  glm::vec2 area_begin{0}, area_end{0};  // the part of the window that no panel covers
  bool hovered = false;                  // the mouse is over the image, and no panel uses it

  // The pixel at a screen position; the origin is at the bottom left, as in Layer. May lie outside the image.
  glm::vec2 to_pixel(glm::vec2 screen) const {
    const glm::vec2 p = (screen - origin) / zoom;
    return {p.x, float(height) - p.y};
  }
  glm::vec2 to_screen(glm::vec2 pixel) const { return origin + zoom * glm::vec2(pixel.x, float(height) - pixel.y); }
};

// The overlay of the image: none, a colour for each rasterizer, or the load of each bin.
enum class Overlay : uint8_t { none, owners, heat };

// The size at which the shown target is drawn.
enum class PictureSize : uint8_t { as_loaded, as_window, own };

struct ViewerState {
  ViewerCommands& commands;
  std::shared_ptr<const Scene> scene;    // null: nothing is loaded yet
  FrameSettings settings;                // may change at any time; compared after every UI frame
  SavedPatternPointer saved_pattern;     // from a file; offered in addition to the kinds
  std::shared_ptr<const Rendered> last;  // newest frame; null: none yet
  PictureSize size = PictureSize::as_loaded;
  ImageView view;
  std::optional<uint32_t> chosen_draw;  // the user's, an index into the scene's commands
  std::optional<uint32_t>
      pointed_draw;             // the draw under the mouse; empty if it is unknown, as in frames that take long
  CameraControl camera;         // change at will, as the settings
  ShaderControl shader{[] {}};  // the viewer puts what it says into the settings
  bool continuous = false;      // frames keep coming although nothing changes
  bool chosen_samples = false;  // the user said how many a pixel has; else the viewer chooses
  Overlay overlay = Overlay::none;
  // The settings before the preset of the paper was chosen; empty if the preset is off.
  std::optional<std::pair<RenderOptions, Overlay>> before_paper;
  double moment_us = -1;                // moment of the last frame under the mouse in the time line; negative: none
  std::vector<PaintingKind> paintings;  // of the program's modules

  // The kind of picture that the settings ask for; null for a frame of the pipeline.
  const PaintingKind* painting() const {
    const auto takes = [&](const PaintingKind& kind) { return kind.takes(scene.get(), settings); };
    const auto found = std::find_if(paintings.begin(), paintings.end(), takes);
    return found == paintings.end() ? nullptr : &*found;
  }
  // Returns true if only a shader draws the picture; mouse and keys then belong to it.
  bool is_toy() const { return scene && settings.shader && scene->path == app::kScreenScene; }
  // Returns true if the window shows, or will show, a picture that a module paints.
  bool is_painted() const { return painting() != nullptr || (last && last->painting); }
  // Returns true if the picture improves without another request.
  bool grows() const { return painting() != nullptr && painting()->grows; }

  // The size of the space for the image, in pixels.
  glm::ivec2 room() const {
    return glm::clamp(glm::ivec2(view.area_end - view.area_begin), glm::ivec2(1), glm::ivec2(kMaxTargetSize));
  }
  // `pixels`: for PictureSize::own.
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

// The place of a panel: the left dock, or a section of the right dock.
enum class Section : uint8_t { draws, look, pipeline, compare, measure };

class Panel {
 public:
  virtual ~Panel() = default;
  virtual const char* name() const = 0;  // unique title
  virtual Section section() const = 0;
  // Returns true if the panel has something to show or to do. Otherwise it is not drawn and receives only keys. Most
  // panels are about frames of the pipeline.
  virtual bool applies(const ViewerState& state) const { return !state.is_painted(); }
  // The height that is enough for the panel as the last of a stack, in font sizes; 0: as much as there is.
  virtual float lines(const ViewerState&) const { return 0; }
  virtual void draw(ViewerState& state) = 0;  // draws the panel's content in a window that the viewer has begun
  virtual void draw_over_image(ViewerState&, ImDrawList&) {}  // called in every UI frame, even if the panel is closed
  virtual void on_frame(ViewerState&) {}                      // state.last is a new frame
  virtual void on_present(ViewerState&, const Presented&) {}  // a new frame was presented
  // left click without a drag; returns true if the panel used it
  virtual bool on_click(ViewerState&, glm::vec2 /*pixel*/) { return false; }
  virtual bool on_key(ViewerState&, const KeyEvent&) { return false; }  // returns true if the panel used the key
  virtual void on_start(ViewerState&, const app::Arguments&) {}         // called once, with the user's command line
  // Called in every UI frame, for animation. `waits`: a request is waiting, and another would replace it.
  virtual void advance(ViewerState&, bool /*waits*/) {}
  virtual void on_paint_error(ViewerState&) {}  // a painter failed
  virtual void draw_view_menu(ViewerState&) {}  // adds items to the View menu
  // Returns true if the panel opens by itself when this scene is the first one, or replaces another.
  virtual bool opens_for(const Scene&) const { return false; }
};

std::unique_ptr<Panel> make_scene_panel();
std::unique_ptr<Panel> make_shader_panel();
std::unique_ptr<Panel> make_uniforms_panel();
std::unique_ptr<Panel> make_pipeline_panel();
std::unique_ptr<Panel> make_policy_panel();
std::unique_ptr<Panel> make_pattern_panel();
std::unique_ptr<Panel> make_draws_panel();
std::unique_ptr<Panel> make_inspect_panel();
std::unique_ptr<Panel> make_compare_panel();
std::unique_ptr<Panel> make_race_panel();
std::unique_ptr<Panel> make_log_panel();

}  // namespace brokkr::viewer
