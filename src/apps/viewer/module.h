// The part of a module that belongs to the window. The viewer knows no module by name: main.cpp passes it a list.
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

// Several processes that draw the window's frames together, of which this one has the window. All is called on the
// render thread.
class FrameSharing {
 public:
  virtual ~FrameSharing() = default;
  // Throws std::runtime_error: the program ends then.
  virtual void begin() = 0;
  // Asks all for a frame; `update` makes this process's. Returns whether all draw it: this one draws alone what several
  // cannot. Throws what `update` throws, and std::runtime_error that names the process which could not make the frame.
  virtual bool prepare(const RenderRequest& request, const std::function<const PreparedFrame&()>& update) = 0;
  // Draws what was prepared; the target's colours are whole.
  virtual RenderResult render(Renderer& renderer, PreparedFrame& frame, const RenderOptions& options,
                              uint32_t target) = 0;
  virtual int size() const = 0;  // processes
  virtual void end() = 0;        // lets the others end
};

// Scenes that the pipeline's loaders do not know: files and built-in names, by ViewPart::is_file and is_built_in.
struct ModuleScenes {
  std::shared_ptr<const Scene> (*load)(const std::string& path, const LoadOptions& options) = nullptr;
  // Throws std::runtime_error for a built-in name that there is not.
  void (*require)(const std::string& path) = nullptr;
  std::vector<std::string> built_in;  // all names
  std::string description;            // of those, as a tip
  std::string files;                  // their kind, as the welcome names it: "patches (.bpt)"
  std::string example, example_text;  // a built-in one for the welcome's button, and the button's text
};

// The entry of a module in the file of settings.
struct ModuleEntry {
  std::string name;
  // Takes what is valid of a JSON object.
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
  std::vector<TourStep> tour;  // more cards
  // Null where this process draws alone.
  std::function<std::unique_ptr<FrameSharing>(const app::Arguments&)> share;
  // The work of a process without a window (ViewPart::has_window); returns the exit code.
  std::function<int(const app::Arguments&)> serve;
};

// The module that loads this scene; null: the pipeline's loaders do.
const Module* module_of_scene(const std::vector<Module>& modules, const std::string& path);

// Throws std::runtime_error for a built-in name of a module that there is not.
void require_built_in(const std::vector<Module>& modules, const std::vector<std::string>& files);

}  // namespace brokkr::viewer
