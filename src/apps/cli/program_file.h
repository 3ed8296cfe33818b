// The file of a program that is to be captured: where it is, and how a preloaded library gets into it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace brokkr::app {

// The file of `program`, which is a path or a name to be looked up in PATH. Empty where there is no such program.
std::filesystem::path find_program(const std::string& program);

// Throws where `program` is of another word size than `library`, which it then would not take: the dynamic linker would
// only warn.
void require_same_word_size(const std::filesystem::path& program, const std::filesystem::path& library);

// A file to start, and the words that it gets.
struct ProgramStart {
  std::filesystem::path file;
  std::vector<std::string> words;
};

// How `program` is started so that it takes a preloaded library. The system drops such libraries from programs that get
// rights of another user or group, as Debian's games with tables of scores do: those are started by their dynamic
// linker, without these rights. `command`: the words that were given, the program first.
ProgramStart start_of(const std::filesystem::path& program, std::vector<std::string> command);

}  // namespace brokkr::app
