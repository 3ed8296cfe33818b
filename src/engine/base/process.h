// Other programs: where they are, and how one is started.
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

// A program that belongs to this one: in `build`, relative to this program's folder in its build tree, under libexec
// where it is installed, or beside this program. Nothing where it is not there.
std::optional<std::filesystem::path> find_beside(const std::string& name, const std::filesystem::path& build = ".");

// The same for a program that the library needs, wherever the library is: in the program, or a file of its own. A
// program that holds the library and lies elsewhere names the folder by the environment variable BROKKR_LIBEXEC.
// `build`: the place in a build tree. A file that others can change, or whose folder they can write, is not taken, and
// no other one in its place: `refused` then says in one line why, and what to do.
std::optional<std::filesystem::path> find_beside_library(const std::string& name, const std::filesystem::path& build,
                                                         std::string& refused);

// The words as execv takes them: null after the last.
std::vector<char*> word_pointers(std::vector<std::string>& words);

// This program's environment with `changes`; an empty value takes a variable away.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes);

// Starts a program. `words`: as it gets them, its name first. `environment`: as for environment_with. `streams`: its
// standard input, output and error; -1 stands for this program's own, any other number may be given. `own_group`: it
// leads a process group of its own. Throws std::runtime_error.
pid_t start_program(const std::filesystem::path& program, std::vector<std::string> words,
                    const std::map<std::string, std::string>& environment = {},
                    std::array<int, 3> streams = {-1, -1, -1}, bool own_group = false);

}  // namespace brokkr
