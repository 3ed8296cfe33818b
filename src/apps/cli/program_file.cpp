#include "cli/program_file.h"

#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "app/text.h"
#include "base/file_io.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;

// Whether the system gives it rights that whoever starts it has not.
bool has_rights_of_others(const fs::path& program) {
  struct stat status {};
  if (stat(program.c_str(), &status) != 0) return false;
  const bool user = (status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid();
  const bool group = (status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 && status.st_gid != getegid();
  return user || group || getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;
}

// The dynamic linker that the program names; empty where it names none.
template <class Header, class Segment>
std::string find_linker(std::ifstream& file) {
  Header header{};
  file.seekg(0);
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  for (int i = 0; file && i < header.e_phnum && header.e_phentsize == sizeof(Segment); ++i) {
    Segment segment{};
    file.seekg(std::streamoff(header.e_phoff + size_t(i) * sizeof segment));
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (!file || segment.p_type != PT_INTERP) continue;
    std::array<char, 4096> path{};
    if (segment.p_filesz >= path.size()) return {};
    file.seekg(std::streamoff(segment.p_offset));
    file.read(path.data(), std::streamsize(segment.p_filesz));
    return file ? path.data() : std::string();
  }
  return {};
}

std::string find_linker(const fs::path& program) {
  std::ifstream file(program, std::ios::binary);
  std::array<char, EI_NIDENT> identity{};
  file.read(identity.data(), identity.size());
  if (!file || std::memcmp(identity.data(), ELFMAG, SELFMAG) != 0) return {};
  return identity[EI_CLASS] == ELFCLASS64 ? find_linker<Elf64_Ehdr, Elf64_Phdr>(file)
                                          : find_linker<Elf32_Ehdr, Elf32_Phdr>(file);
}

}  // namespace

fs::path find_program(const std::string& program) {
  const auto usable = [](const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) return usable(program) ? fs::path(program) : fs::path();
  const char* path = std::getenv("PATH");
  // Debian puts games outside the PATH of most users.
  const std::string places = std::string(path ? path : "/usr/bin:/bin") + ":/usr/games:/usr/local/games";
  for (const std::string& place : split(places, ':')) {
    fs::path candidate = fs::path(place) / program;
    if (usable(candidate)) return candidate;
  }
  return {};
}

void require_same_word_size(const fs::path& program, const fs::path& library) {
  const auto header = [](const fs::path& path) {
    std::array<char, 5> bytes{};
    std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size());
    return bytes;
  };
  const auto a = header(program), b = header(library);
  const bool elf = std::memcmp(a.data(), "\177ELF", 4) == 0;
  if (!elf || a[4] == b[4]) return;
  throw std::runtime_error(program.string() + ": the program and " + library.string() +
                           " have different word sizes; build the library for this program (docs/guide/capture.md) and "
                           "name it with --library");
}

ProgramStart start_of(const fs::path& program, std::vector<std::string> command) {
  if (!has_rights_of_others(program)) return {program, std::move(command)};
  const std::string linker = find_linker(program);
  if (linker.empty()) return {program, std::move(command)};
  warn(program.string() +
       " has rights of another user or group, with which it takes no capture library; it is started without them");
  std::vector<std::string> words{linker, absolute_path(program).string()};
  words.insert(words.end(), command.begin() + 1, command.end());
  return {linker, std::move(words)};
}

}  // namespace brokkr::app
