// brokkr view: starts the window, which is a separate program.
#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "app/input.h"
#include "app/text.h"
#include "base/process.h"
#include "cli/commands.h"

namespace brokkr::app {
namespace {

// The window's program reads the same words with the same parser.
int run_view(const std::vector<ViewPart>& parts, const Arguments& arguments) {
  // Only the process that opens the window checks the scenes here; other processes report missing scenes in the window.
  if (has_window(parts, arguments)) require_scenes(parts, viewed_files(parts, arguments));
  const auto program = find_beside("brokkr-view");
  if (!program) {
    throw std::runtime_error(
        "view: brokkr-view is not beside this program: it was built without GLFW, Dear ImGui or GLAD; install "
        "libglfw3-dev, libimgui-dev and python3-glad and build again");
  }
  std::vector<std::string> words = arguments.words();
  words.insert(words.begin(), program->string());
  std::cout.flush();
  execv(program->c_str(), word_pointers(words).data());
  throw std::runtime_error("view: " + program->string() + " cannot be started: " + std::strerror(errno));
}

// Returns true if the X server that DISPLAY names answers. XCB is loaded on demand, because only brokkr-view depends on
// it. If XCB is missing, brokkr-view explains the problem.
bool display_answers() {
  void* const library = dlopen("libxcb.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return true;
  const auto connect = reinterpret_cast<void* (*)(const char*, int*)>(dlsym(library, "xcb_connect"));
  const auto has_error = reinterpret_cast<int (*)(void*)>(dlsym(library, "xcb_connection_has_error"));
  const auto disconnect = reinterpret_cast<void (*)(void*)>(dlsym(library, "xcb_disconnect"));
  bool answers = true;
  if (connect != nullptr && has_error != nullptr && disconnect != nullptr) {
    void* const connection = connect(nullptr, nullptr);
    answers = has_error(connection) == 0;
    disconnect(connection);
  }
  dlclose(library);
  return answers;
}

}  // namespace

bool can_view() {
  const char* const display = std::getenv("DISPLAY");
  if (display == nullptr || *display == '\0' || !find_beside("brokkr-view")) return false;
  if (display_answers()) return true;
  std::cerr << "brokkr: no X server answers at DISPLAY=" << printable(display) << "; drawing to a picture instead\n";
  return false;
}

Command view_command(std::vector<ViewPart> parts) {
  Command command = view_command(parts, {});
  command.run = [parts = std::move(parts)](const Arguments& arguments) { return run_view(parts, arguments); };
  return command;
}

}  // namespace brokkr::app
