// Finds and starts other programs.
#pragma once

#include <sys/types.h>

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace brokkr {

// The folder of this program's file.
std::filesystem::path program_folder();

// Finds a program that belongs to this one: in `build`, relative to this program's folder, in the build tree; under
// libexec in an installation; or beside this program. Empty if it is not there.
std::optional<std::filesystem::path> find_beside(const std::string& name, const std::filesystem::path& build = ".");

// Finds a program that the library needs. The library may be part of the program or a separate file. If a program
// contains the library and lies elsewhere, the environment variable BROKKR_LIBEXEC must name the folder. `build`: the
// place in a build tree. A file is refused if others can change it or write to its folder, and no other file replaces
// it: `refused` then receives one line with the reason and the remedy.
std::optional<std::filesystem::path> find_beside_library(const std::string& name, const std::filesystem::path& build,
                                                         std::string& refused);

// Returns the words in the form that execv takes: the last pointer is null.
std::vector<char*> word_pointers(std::vector<std::string>& words);

// This program's environment with `changes`. An empty value removes a variable.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes);

// Starts a program. `words`: the words that it gets, beginning with its name. `environment`: changes as for
// environment_with. `streams`: its standard input, output and error; -1 means this program's own stream, and any other
// number is allowed. `new_group`: it leads a new process group. Throws std::runtime_error.
pid_t start_program(const std::filesystem::path& program, std::vector<std::string> words,
                    const std::map<std::string, std::string>& environment = {},
                    std::array<int, 3> streams = {-1, -1, -1}, bool new_group = false);

}  // namespace brokkr
