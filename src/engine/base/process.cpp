#include "base/process.h"

#include <dlfcn.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace brokkr {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> first_executable(const std::vector<fs::path>& places, const std::string& name) {
  for (const fs::path& place : places) {
    fs::path program = (place / name).lexically_normal();
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

// Whether nobody but this user and the system's administrator can have put it there.
bool is_trusted(const fs::path& file) {
  struct stat what {};
  return stat(file.c_str(), &what) == 0 && (what.st_uid == 0 || what.st_uid == geteuid());
}

// The folder of the file that this code is in: the program, or a shared library.
fs::path library_folder() {
  Dl_info info{};
  const auto* const here = reinterpret_cast<const void*>(&first_executable);
  if (dladdr(here, &info) == 0 || info.dli_fname == nullptr) return program_folder();
  std::error_code error;
  const fs::path file = fs::canonical(info.dli_fname, error);
  return error ? program_folder() : file.parent_path();
}

}  // namespace

fs::path program_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::optional<fs::path> find_beside(const std::string& name, const fs::path& build) {
  const fs::path folder = program_folder();
  return first_executable({folder / build, folder.parent_path() / "libexec" / "brokkr", folder}, name);
}

std::optional<fs::path> find_beside_library(const std::string& name, const fs::path& build) {
  std::vector<fs::path> places;
  if (const char* const named = std::getenv("BROKKR_LIBEXEC"); named != nullptr && *named == '/')
    places.emplace_back(named);
  for (fs::path folder : {library_folder(), program_folder()}) {
    places.push_back(folder);
    // lib/ARCHITECTURE lies two folders below the installation's, src/viewer as many below the build tree's.
    for (int up = 0; up < 3; ++up, folder = folder.parent_path()) {
      places.push_back(folder / build);
      places.push_back(folder / "libexec" / "brokkr");
    }
  }
  std::erase_if(places, [&](const fs::path& place) { return !is_trusted(place / name); });
  return first_executable(places, name);
}

std::vector<char*> word_pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!changes.contains(text.substr(0, text.find('=')))) variables.push_back(text);
  }
  for (const auto& [name, value] : changes) {
    if (!value.empty()) variables.push_back(name + "=" + value);
  }
  return variables;
}

pid_t start_program(const fs::path& program, std::vector<std::string> words,
                    const std::map<std::string, std::string>& environment, std::array<int, 3> streams, bool own_group) {
  std::vector<std::string> variables = environment_with(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int stream = 0; stream < 3; ++stream) {
    if (streams[size_t(stream)] >= 0) posix_spawn_file_actions_adddup2(&actions, streams[size_t(stream)], stream);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (own_group) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // group 0: its own
  std::cout.flush();
  pid_t process = 0;
  const int error = posix_spawn(&process, program.c_str(), &actions, &attributes, word_pointers(words).data(),
                                word_pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return process;
  throw std::runtime_error(program.string() + " cannot be started (" + std::strerror(error) +
                           "); is it, or the interpreter that it names, installed?");
}

}  // namespace brokkr
