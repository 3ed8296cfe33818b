#include "cli/commands.h"

namespace brokkr::app {

std::vector<Command> all_commands(const std::vector<Module>& modules) {
  std::vector<ViewPart> parts;
  for (const Module& module : modules) parts.push_back(module.view);
  std::vector<Command> all = {
    view_command(std::move(parts)),
    render_command(modules),
#if !defined(BROKKR_FIRST)
    check_command(),
    info_command(),
    pixel_command(),
    compare_command(),
    fuzz_settings_command(),
    extract_command(),
    bench_command(),
    plot_command(),
    pattern_command(),
    optimize_command(),
    trim_command(),
    shaders_command(),
    machines_command(),
    capture_command(),
    import_command(),
#endif
  };
  for (const Module& module : modules) all.insert(all.end(), module.commands.begin(), module.commands.end());
  return all;
}

}  // namespace brokkr::app
