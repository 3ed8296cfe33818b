// brokkr-view: the window of `brokkr view`, which starts it with its own command-line arguments. It is a separate
// program, so that only it needs a window system.
#include <malloc.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/input.h"
#include "app/parse.h"
#include "base/ending_signals.h"
#include "viewer/viewer.h"
#if defined(BROKKR_RESEARCH)
#include "research_view_modules.h"
#endif

int main(int argc, char** argv) {
  using namespace brokkr;
  // As in src/apps/cli/main.cpp: every frame allocates and frees pictures.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  end_after_files_in_the_making();
  return app::run_guarded([&] {
    std::vector<viewer::Module> modules;
#if defined(BROKKR_RESEARCH)
    modules = viewer::research_view_modules();
#endif
    std::vector<app::ViewPart> parts;
    for (const viewer::Module& module : modules) parts.push_back(module.view);
    // Do not open a window that could show nothing.
    const auto show = [&](const app::Arguments& arguments) {
      const auto serves = [&](const viewer::Module& m) { return m.view.has_window && !m.view.has_window(arguments); };
      const auto server = std::find_if(modules.begin(), modules.end(), serves);
      if (server != modules.end()) return server->serve(arguments);
      const std::vector<std::string> files = app::viewed_files(parts, arguments);
      app::require_scenes(parts, files);
      viewer::require_built_in(modules, files);
      viewer::Viewer(arguments, modules).run();
      return app::kSuccess;
    };
    return app::run_command(app::view_command(parts, show), {argv + 1, argv + argc});
  });
}
