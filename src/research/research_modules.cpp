#include "research_modules.h"

#include "lab/command/experiment_output.h"
#include "probe/probe_command.h"
#include "ranks/settings.h"
#include "reyes/reyes_command.h"
#include "trace/trace_command.h"
#if defined(BROKKR_HAVE_SIMT)
#include "simt/command/simt_command.h"
#endif

namespace brokkr::app {

std::vector<Module> research_modules() {
  std::vector<Module> modules = {
    reyes_module(),
    trace_module(),
    ranks_module(),
    {.commands = {probe_command()}},
    {.commands = {patterns_command(), queues_command(), batches_command(), schedule_command()}},
#if defined(BROKKR_HAVE_SIMT)
    {.commands = {simt_command()}},
#endif
  };
  return modules;
}

}  // namespace brokkr::app
