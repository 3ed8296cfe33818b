#include "viewer/module.h"

#include <algorithm>

namespace brokkr::viewer {

const Module* module_of_scene(const std::vector<Module>& modules, const std::string& path) {
  const auto loads = [&](const Module& module) {
    return module.scenes && (module.view.is_built_in(path) || module.view.is_file(path));
  };
  const auto found = std::find_if(modules.begin(), modules.end(), loads);
  return found == modules.end() ? nullptr : &*found;
}

void require_built_in(const std::vector<Module>& modules, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const Module* const module = module_of_scene(modules, file);
    if (module != nullptr && module->view.is_built_in(file)) module->scenes->require(file);
  }
}

}  // namespace brokkr::viewer
