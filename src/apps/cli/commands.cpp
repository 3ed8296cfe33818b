#include "cli/commands.h"

#include <algorithm>
#include <utility>

namespace brokkr::app {

std::vector<Command> all_commands(const std::vector<Module>& modules) {
  std::vector<ViewPart> parts;
  for (const Module& module : modules) parts.push_back(module.view);
  std::vector<Command> all;
  const auto add = [&all](CommandGroup group, std::vector<Command> commands) {
    for (Command& command : commands) {
      command.group = group;
      all.push_back(std::move(command));
    }
  };
  add(CommandGroup::draw, {view_command(std::move(parts)), render_command(modules)});
#if !defined(BROKKR_FIRST)
  add(CommandGroup::files,
      {capture_command(), import_command(), trim_command(), extract_command(), optimize_command()});
  add(CommandGroup::inspect, {info_command(), pixel_command(), shaders_command(), check_command(), compare_command(),
                              fuzz_settings_command()});
  add(CommandGroup::measure, {bench_command(), plot_command(), pattern_command(), machines_command()});
#endif
  for (const Module& module : modules) all.insert(all.end(), module.commands.begin(), module.commands.end());
  std::ranges::stable_sort(all, {}, &Command::group);
  return all;
}

}  // namespace brokkr::app
