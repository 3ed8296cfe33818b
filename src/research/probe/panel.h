// The probe's panel in the window.
#pragma once

#include "viewer/module.h"

namespace brokkr::viewer {

Module probe_view_module();

}  // namespace brokkr::viewer
