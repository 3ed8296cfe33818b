#include "cli/commands.h"

#if defined(BROKKR_HAVE_LAB)
#include "lab/command/commands.h"
#endif
#if defined(BROKKR_HAVE_PROBE)
#include "probe/probe_command.h"
#endif
#if defined(BROKKR_HAVE_SIMT)
#include "simt/command/simt_command.h"
#endif

namespace brokkr::app {

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
    view_command(),
#if defined(BROKKR_FIRST)
    render_command(),
#else
    with_ranks(render_command()),
    trace_command(),
    ranks_command(),
    check_command(),
    info_command(),
    pixel_command(),
    compare_command(),
    fuzz_settings_command(),
    extract_command(),
    bench_command(),
    plot_command(),
    pattern_command(),
#if defined(BROKKR_HAVE_LAB)
    patterns_command(),
    queues_command(),
    batches_command(),
    schedule_command(),
#endif
#if defined(BROKKR_HAVE_PROBE)
    probe_command(),
#endif
#if defined(BROKKR_HAVE_SIMT)
    simt_command(),
#endif
    optimize_command(),
    trim_command(),
    shaders_command(),
    reyes_command(),
    machines_command(),
    capture_command(),
    import_command(),
#endif
  };
  return all;
}

}  // namespace brokkr::app
