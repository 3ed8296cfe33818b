// brokkr-view: the window of `brokkr view`, which starts it with the words of its own command line. A program of its
// own, so that nothing else needs a window system.
#include <malloc.h>

#include "app/input.h"
#include "app/parse.h"
#include "viewer/viewer.h"

int main(int argc, char** argv) {
  using namespace brokkr;
  // As in src/main.cpp: pictures come and go with every frame.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  // A window that could show nothing does not open.
  const auto show = [](const app::Arguments& arguments) {
    app::require_scenes(arguments.all("FILE"));
    return viewer::show(arguments);
  };
  return app::run_guarded([&] { return app::run_command(app::view_command(show), {argv + 1, argv + argc}); });
}
