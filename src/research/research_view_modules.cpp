#include "research_view_modules.h"

#include "probe/panel.h"
#include "ranks/rank_view.h"
#include "reyes/painting.h"
#include "trace/painting.h"

namespace brokkr::viewer {

std::vector<Module> research_view_modules() {
  std::vector<Module> modules;
  modules.push_back(reyes_view_module());
  modules.push_back(trace_view_module());
  modules.push_back(probe_view_module());
  modules.push_back(ranks_view_module());
  return modules;
}

}  // namespace brokkr::viewer
