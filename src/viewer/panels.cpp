#include "viewer/panels.h"

namespace brokkr::viewer {

std::vector<std::unique_ptr<Panel>> make_panels() {
  std::vector<std::unique_ptr<Panel>> panels;
  panels.push_back(make_scene_panel());
  panels.push_back(make_pipeline_panel());
  panels.push_back(make_policy_panel());
  panels.push_back(make_pattern_panel());
  panels.push_back(make_inspect_panel());
  panels.push_back(make_compare_panel());
  panels.push_back(make_log_panel());
  return panels;
}

}  // namespace brokkr::viewer
