// brokkr-view: the window of `brokkr view`, which starts it with the words of its own command line. A program of its
// own, so that nothing else needs a window system.
#include <malloc.h>

#include "app/input.h"
#include "app/parse.h"
#include "viewer/viewer.h"

namespace {

using namespace brokkr;

viewer::ViewRequest request_from(const app::Arguments& arguments) {
  viewer::ViewRequest request;
  request.files = arguments.all("FILE");
  const auto [width, height] = arguments.size("size");
  request.width = width;
  request.height = height;
  request.load.width = width;
  request.load.height = height;
  request.load.camera = arguments.text("camera");
  request.load.views = int(arguments.integer("views", request.load.views));
  request.load.view_size = int(arguments.integer("view-size", request.load.view_size));
  request.fresh = arguments.has("fresh");
  if (arguments.has("window")) {
    const auto [w, h] = arguments.size("window");
    request.window = viewer::WindowSize{w, h, false};
  }
  request.options = arguments;
  return request;
}

int show(const app::Arguments& arguments) {
  viewer::Viewer(request_from(arguments)).run();
  return app::kSuccess;
}

}  // namespace

int main(int argc, char** argv) {
  // As in src/main.cpp: pictures come and go with every frame.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  return app::run_guarded([&] { return app::run_command(app::view_command(show), {argv + 1, argv + argc}); });
}
