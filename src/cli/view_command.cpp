// brokkr view: starts the window, which is a program of its own.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "app/input.h"
#include "cli/commands.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;
constexpr const char* kProgram = "brokkr-view";

// Beside this program: in its build tree, or where `cmake --install` puts it. Nothing where it was not built.
std::optional<fs::path> find_viewer() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return std::nullopt;
  for (const fs::path& path : {here / kProgram, here / ".." / "libexec" / "brokkr" / kProgram}) {
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

// The window reads the same words with the same parser.
int run_view(const Arguments& arguments) {
  const std::optional<fs::path> program = find_viewer();
  if (!program) {
    throw std::runtime_error(
        "view: brokkr-view is not beside this program: it was built without GLFW, Dear ImGui or GLAD; install "
        "libglfw3-dev, libimgui-dev and python3-glad and build again");
  }
  std::vector<std::string> words = arguments.words();
  words.insert(words.begin(), program->string());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::cout.flush();
  execv(program->c_str(), argv.data());
  throw std::runtime_error("view: " + program->string() + " cannot be started: " + std::strerror(errno));
}

}  // namespace

bool can_view() {
  const char* const display = std::getenv("DISPLAY");
  return display != nullptr && *display != '\0' && find_viewer();
}

Command view_command() { return view_command(run_view); }

}  // namespace brokkr::app
