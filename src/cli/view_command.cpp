// brokkr view: starts the window, which is a program of its own.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "app/input.h"
#include "app/tool.h"
#include "cli/commands.h"

namespace brokkr::app {
namespace {

// The window reads the same words with the same parser.
int run_view(const Arguments& arguments) {
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

}  // namespace

bool can_view() {
  const char* const display = std::getenv("DISPLAY");
  return display != nullptr && *display != '\0' && find_beside("brokkr-view");
}

Command view_command() { return view_command(run_view); }

}  // namespace brokkr::app
