// A module's part of the window. The viewer knows no module by name: main.cpp passes it a list.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/module.h"
#include "brokkr/load.h"
#include "viewer/keys.h"
#include "viewer/painter.h"
#include "viewer/panel.h"
#include "viewer/tour.h"

namespace brokkr::viewer {

// Several processes that draw the window's frames together; this process has the window. All functions are called on
// the render thread.
class FrameSharing {
 public:
  virtual ~FrameSharing() = default;
  // Throws std::runtime_error; the program then ends.
  virtual void begin() = 0;
  // Asks all processes for a frame; `update` prepares this process's part. Returns true if all processes draw the
  // frame, and false if only this one does because several cannot. Throws what `update` throws, and std::runtime_error
  // that names the process that failed.
  virtual bool prepare(const RenderRequest& request, const std::function<const PreparedFrame&()>& update) = 0;
  // Draws the prepared frame; the target's colours are complete.
  virtual RenderResult render(Renderer& renderer, PreparedFrame& frame, const RenderOptions& options,
                              uint32_t target) = 0;
  virtual int size() const = 0;  // number of processes
  virtual void end() = 0;        // lets the other processes end
};

// Scenes that the pipeline's loaders do not know: files and built-in names, for which ViewPart::is_file and is_built_in
// return true.
struct ModuleScenes {
  std::shared_ptr<const Scene> (*load)(const std::string& path, const LoadOptions& options) = nullptr;
  // Throws std::runtime_error for an unknown built-in name.
  void (*require)(const std::string& path) = nullptr;
  std::vector<std::string> built_in;  // all names
  std::string description;            // of the built-in scenes, as a tooltip
  std::string files;                  // the kind of files, as the start screen names it: "patches (.bpt)"
  std::string example, example_text;  // a built-in scene for the start screen's button, and the button's text
};

// A module's entry in the settings file.
struct ModuleEntry {
  std::string name;
  // Reads the valid values of a JSON object.
  void (*read)(const std::string& json, ModuleSettings& settings) = nullptr;
  std::string (*write)(const ModuleSettings& settings) = nullptr;
};

struct Module {
  app::ViewPart view;
  std::vector<std::unique_ptr<Panel> (*)()> panels;  // in the order of their tabs, after the viewer's own
  std::vector<KeyBinding> keys;                      // with Action::of_module
  std::optional<PaintingKind> painting;
  std::optional<ModuleScenes> scenes;
  std::optional<ModuleEntry> entry;
  std::vector<TourStep> tour;  // additional cards
  // Null if this process draws alone.
  std::function<std::unique_ptr<FrameSharing>(const app::Arguments&)> share;
  // Runs a process without a window (ViewPart::has_window); returns the exit code.
  std::function<int(const app::Arguments&)> serve;
};

// The module that loads this scene; null if the pipeline's loaders do.
const Module* module_of_scene(const std::vector<Module>& modules, const std::string& path);

// Throws std::runtime_error for an unknown built-in name of a module.
void require_built_in(const std::vector<Module>& modules, const std::vector<std::string>& files);

}  // namespace brokkr::viewer
