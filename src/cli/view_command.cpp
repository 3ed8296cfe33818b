// brokkr view: starts the window, which is a program of its own.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include "app/input.h"
#include "app/value_check.h"
#include "app/view_request.h"
#include "cli/cli.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;

int run_view(const Arguments& arguments) {
  const std::optional<fs::path> program = find_viewer();
  if (!program) {
    throw std::runtime_error(
        "view: brokkr-view is not beside this program: it was built without GLFW, Dear ImGui or GLAD; install "
        "libglfw3-dev, libimgui-dev and python3-glad and build again");
  }
  std::vector<std::string> words = view_words(arguments);
  words.insert(words.begin(), program->string());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::cout.flush();
  execv(program->c_str(), argv.data());
  throw std::runtime_error("view: " + program->string() + " cannot be started: " + std::strerror(errno));
}

}  // namespace

Command view_command() {
  return {"view", "Open a window: look at frames and scenes, switch patterns and policies live", view_options(),
          run_view};
}

}  // namespace brokkr::app
