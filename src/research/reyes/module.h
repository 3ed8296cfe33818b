// What micropolygons hand in to the programs: `brokkr reyes`, and scenes of patches in `brokkr view`.
#pragma once

#include <string>

#include "app/module.h"

namespace brokkr::app {

inline constexpr const char* kPatchScenes = "reyes:";  // before the name of a scene that is built in

Module reyes_module();
Command reyes_command();
ViewPart reyes_view_part();

// Whether this is a .bpt file, in any case.
bool is_patch_file(const std::string& path);

}  // namespace brokkr::app
