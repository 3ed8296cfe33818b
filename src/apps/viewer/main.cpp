// brokkr-view: the window of `brokkr view`, which starts it with the words of its own command line. A program of its
// own, so that nothing else needs a window system.
#include <malloc.h>

#include <string>
#include <utility>
#include <vector>

#include "app/input.h"
#include "app/parse.h"
#include "app/rank_options.h"
#include "base/ending_signals.h"
#include "ranks/transport.h"
#include "viewer/rank_view.h"
#include "viewer/viewer.h"

int main(int argc, char** argv) {
  using namespace brokkr;
  // As in src/main.cpp: pictures come and go with every frame.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  end_after_files_in_the_making();
  // A window that could show nothing does not open.
  const auto show = [](const app::Arguments& arguments) {
    // Of several ranks the first has the window.
    if (app::draws_together(arguments) && ranks::started_rank() > 0) return viewer::serve_window(arguments);
    const std::vector<std::string> files = app::viewed_files(arguments);
    app::require_scenes(files);
#if defined(BROKKR_FIRST)
    viewer::Painters painters;
#else
    viewer::Painters painters = viewer::all_painters();
#endif
    viewer::require_patch_scenes(files, painters);
    return viewer::show(arguments, std::move(painters));
  };
  return app::run_guarded([&] { return app::run_command(app::view_command(show), {argv + 1, argv + argc}); });
}
