#include "reyes/module.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace brokkr::app {

bool is_patch_file(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return ending == ".bpt";
}

ViewPart reyes_view_part() {
  ViewPart part;
  part.options = {flag("--reyes",
                       "Show FILE's patches (.bpt) as micropolygons, or teapot, tea-set (which is taken without FILE) "
                       "or creature; these are FILE reyes:NAME, too")};
  part.is_file = is_patch_file;
  part.is_built_in = [](const std::string& file) { return file.starts_with(kPatchScenes); };
  part.name_scenes = [](const Arguments& arguments, std::vector<std::string>& files) {
    if (!arguments.has("reyes")) return;
    if (arguments.has("trace")) throw UsageError("--reyes, --trace: give one of them");
    if (files.empty()) files = {"tea-set"};
    for (std::string& file : files) {
      if (!is_patch_file(file) && !file.starts_with(kPatchScenes)) file = kPatchScenes + file;
    }
  };
  return part;
}

Module reyes_module() {
  Module module;
  module.commands = {reyes_command()};
  module.view = reyes_view_part();
  return module;
}

}  // namespace brokkr::app
