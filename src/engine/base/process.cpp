#include "base/process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

bool is_trusted_user(uid_t user) { return user == 0 || user == geteuid(); }

// Returns true if only one user belongs to the group. Many systems give each user such a group, and the group bits of a
// file then let nobody else in.
bool is_private(gid_t group, uid_t user) {
  std::array<char, 4096> of_group{}, of_user{};
  struct group entry {};
  struct passwd owner {};
  struct group* found = nullptr;
  struct passwd* known = nullptr;
  if (getgrgid_r(group, &entry, of_group.data(), of_group.size(), &found) != 0 || found == nullptr) return false;
  if (getpwuid_r(user, &owner, of_user.data(), of_user.size(), &known) != 0 || known == nullptr) return false;
  for (char** member = entry.gr_mem; *member != nullptr; ++member) {
    if (std::strcmp(*member, owner.pw_name) != 0) return false;
  }
  return std::strcmp(entry.gr_name, owner.pw_name) == 0;
}

// Says in one line why someone other than this user and the system's administrator can change the file; empty if nobody
// can.
std::string trouble_with(const fs::path& path) {
  struct stat what {};
  if (stat(path.c_str(), &what) != 0) return {};  // a missing file is not run
  if (!is_trusted_user(what.st_uid))
    return fmt::format("{} belongs to another user; install it again, or name a folder of your own", path.string());
  const bool others = (what.st_mode & S_IWOTH) != 0;
  if (others || ((what.st_mode & S_IWGRP) != 0 && !is_private(what.st_gid, what.st_uid)))
    return fmt::format("others can write {}; check its content, then run chmod go-w", path.string());
  return {};
}

// The same for a program. It checks the program's file, the folders of the file and of a link to it, and the folders
// above them.
std::string why_not_to_run(const fs::path& program) {
  std::error_code error;
  for (const fs::path& file : {fs::absolute(program, error), fs::canonical(program, error)}) {
    if (error) return fmt::format("{}; check that folder", error.message());
    for (const fs::path& path : {file, file.parent_path()}) {
      if (std::string trouble = trouble_with(path); !trouble.empty()) return trouble;
    }
    for (fs::path above = file.parent_path(); above.has_relative_path(); above = above.parent_path()) {
      struct stat what {};
      if (stat(above.c_str(), &what) == 0 && (what.st_mode & S_IWOTH) != 0 && (what.st_mode & S_ISVTX) == 0)
        return fmt::format("others can write {}; check its content, then run chmod o-w", above.string());
    }
  }
  return {};
}

// The folder of the file that contains this code: the program, or a shared library.
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

std::optional<fs::path> find_beside_library(const std::string& name, const fs::path& build, std::string& refused) {
  refused.clear();
  std::vector<fs::path> places;
  if (const char* const named = std::getenv("BROKKR_LIBEXEC"); named != nullptr && *named == '/')
    places.emplace_back(named);
  for (fs::path folder : {library_folder(), program_folder()}) {
    places.push_back(folder);
    // lib/ARCHITECTURE lies two folders below the installation's root, and src/apps/reference three below the build
    // tree's.
    for (int up = 0; up < 4; ++up, folder = folder.parent_path()) {
      places.push_back(folder / build);
      places.push_back(folder / "libexec" / "brokkr");
    }
  }
  std::optional<fs::path> program = first_executable(places, name);
  const std::string why = program ? why_not_to_run(*program) : "";
  if (why.empty()) return program;
  refused = fmt::format("{} is not run: {}", program->string(), why);
  return std::nullopt;
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
                    const std::map<std::string, std::string>& environment, std::array<int, 3> streams, bool new_group) {
  std::vector<std::string> variables = environment_with(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // If a program's own streams are closed, it gets numbers below 3. Streams with smaller numbers would overwrite these.
  std::array<int, 3> copies{-1, -1, -1};
  int error = 0;
  for (size_t stream = 0; stream < 3; ++stream) {
    if (streams[stream] < 0) continue;
    copies[stream] = fcntl(streams[stream], F_DUPFD_CLOEXEC, 3);
    posix_spawn_file_actions_adddup2(&actions, copies[stream], int(stream));
    if (copies[stream] < 0) error = errno;
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (new_group) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // group 0: its own group
  std::cout.flush();
  pid_t process = 0;
  if (error == 0)
    error = posix_spawn(&process, program.c_str(), &actions, &attributes, word_pointers(words).data(),
                        word_pointers(variables).data());
  for (const int copy : copies) {
    if (copy >= 0) close(copy);
  }
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return process;
  const bool lacks = error == EMFILE || error == ENFILE || error == EAGAIN || error == ENOMEM;
  throw std::runtime_error(
      fmt::format("{} cannot be started ({}); {}", program.string(), std::strerror(error),
                  lacks ? "close other programs, or raise the limits of files, processes and memory (ulimit -n, -u, -v)"
                        : "is it, or the interpreter that it names, installed?"));
}

}  // namespace brokkr
