// Every panel of the viewer.
#pragma once

#include <memory>

#include "viewer/panel.h"

namespace brokkr::viewer {

std::unique_ptr<Panel> make_scene_panel();
std::unique_ptr<Panel> make_pipeline_panel();
std::unique_ptr<Panel> make_policy_panel();
std::unique_ptr<Panel> make_pattern_panel();
std::unique_ptr<Panel> make_inspect_panel();
std::unique_ptr<Panel> make_compare_panel();
std::unique_ptr<Panel> make_log_panel();

}  // namespace brokkr::viewer
