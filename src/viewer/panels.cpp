#include "viewer/panels.h"

namespace brokkr::viewer {

std::vector<std::unique_ptr<Panel>> make_panels() {
  std::vector<std::unique_ptr<Panel>> panels;
  panels.push_back(make_scene_panel());
  panels.push_back(make_pipeline_panel());
  panels.push_back(make_policy_panel());
  return panels;
}

}  // namespace brokkr::viewer
