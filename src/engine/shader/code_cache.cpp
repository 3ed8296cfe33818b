#include "shader/code_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/sha256.h"

namespace brokkr::shader {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporary = "making-";  // followed by the number of the process

fs::path folder_of_user() {
  const char* const given = std::getenv("XDG_CACHE_HOME");
  if (given != nullptr && *given == '/') return fs::path(given) / "brokkr";
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home != '/')
    throw std::runtime_error("there is no folder for compiled shaders: set XDG_CACHE_HOME or HOME");
  return fs::path(home) / ".cache" / "brokkr";
}

bool is_ours(const struct stat& what) { return what.st_uid == geteuid() && (what.st_mode & (S_IWGRP | S_IWOTH)) == 0; }

uint64_t hash_from(uint64_t hash, std::string_view content) {
  for (const char c : content) hash = (hash ^ uint8_t(c)) * 0x100000001b3u;
  return hash;
}

// Returns true if the temporary folder belongs to a program that has ended.
bool is_left_behind(const std::string& name) {
  if (!name.starts_with(kTemporary)) return false;
  int process = 0;
  const char* const begin = name.data() + kTemporary.size();
  if (std::from_chars(begin, name.data() + name.size(), process).ec != std::errc() || process <= 0) return true;
  return kill(process, 0) != 0 && errno == ESRCH;
}

// Reads a file if it is no larger than the cache and only its owner can write it; empty if it cannot be read.
std::optional<std::vector<std::byte>> bytes_of_owner(const fs::path& file) {
  struct stat what {};
  if (lstat(file.c_str(), &what) != 0 || !S_ISREG(what.st_mode) || !is_ours(what)) return std::nullopt;
  try {
    return read_file(file, CodeCache::kMaxBytes);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

// The part of a cached file's name that describes its content, between the given name and the extension.
std::string mark_of(std::span<const std::byte> bytes) {
  const std::span<const std::byte> parts[] = {bytes};
  return fmt::format("-{}-{}", bytes.size(), sha256(parts));
}

// A name in the folder is valid only after the file's bytes are on the disk. It survives a power cut only after the
// folder is on the disk too. If a file system cannot confirm this, the hash detects damage.
void sync(const fs::path& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

}  // namespace

std::string name_of_content(std::string_view content) {
  return fmt::format("{:016x}{:016x}", hash_from(0xcbf29ce484222325u, content),
                     hash_from(0x9ae16a3b2f90404fu, content));
}

CodeCache::CodeCache() : folder_(folder_of_user()) {
  std::error_code error;
  fs::create_directories(folder_.parent_path(), error);
  if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
    throw std::runtime_error(fmt::format("{} cannot be made: {}", folder_.string(), std::strerror(errno)));
  struct stat what {};
  if (lstat(folder_.c_str(), &what) != 0 || !S_ISDIR(what.st_mode) || !is_ours(what)) {
    throw std::runtime_error(
        fmt::format("{} is refused: it must be a folder that you own and nobody else may write", folder_.string()));
  }
  for (const fs::path& path : paths_in(folder_)) {
    if (is_left_behind(path.filename())) fs::remove_all(path, error);
  }
}

fs::path CodeCache::find(const std::string& name) const {
  const fs::path wanted(name);
  const std::string begin = wanted.stem().string() + "-";
  for (const fs::path& file : paths_in(folder_)) {
    if (!file.filename().string().starts_with(begin) || file.extension() != wanted.extension()) continue;
    const std::optional<std::vector<std::byte>> bytes = bytes_of_owner(file);
    if (bytes && file.stem() == wanted.stem().string() + mark_of(*bytes)) {
      utimensat(AT_FDCWD, file.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
      return file;
    }
    std::error_code ignored;
    fs::remove_all(file, ignored);
  }
  return {};
}

fs::path CodeCache::make_temporary() const {
  std::string path = (folder_ / fmt::format("{}{}-XXXXXX", kTemporary, getpid())).string();
  if (mkdtemp(path.data()) == nullptr)
    throw std::runtime_error(fmt::format("no folder can be made in {}: {}", folder_.string(), std::strerror(errno)));
  return path;
}

fs::path CodeCache::keep(const fs::path& file, const std::string& name) const {
  const fs::path wanted(name);
  const std::vector<std::byte> bytes = read_file(file, kMaxBytes);
  fs::path kept = folder_ / (wanted.stem().string() + mark_of(bytes) + wanted.extension().string());
  sync(file, O_RDONLY);
  if (chmod(file.c_str(), S_IRWXU) != 0 || rename(file.c_str(), kept.c_str()) != 0)
    fail("{} cannot be made ({}); remove the old file, or set XDG_CACHE_HOME to another folder", kept.string(),
         std::strerror(errno));
  sync(folder_, O_RDONLY | O_DIRECTORY);
  sweep();
  return kept;
}

void CodeCache::sweep() const {
  struct File {
    std::pair<int64_t, int64_t> used;  // seconds and nanoseconds
    uint64_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  uint64_t bytes = 0;
  std::error_code error;
  for (const fs::path& path : paths_in(folder_)) {
    struct stat what {};
    if (lstat(path.c_str(), &what) != 0 || !S_ISREG(what.st_mode)) continue;
    files.push_back({{what.st_mtim.tv_sec, what.st_mtim.tv_nsec}, uint64_t(what.st_size), path});
    bytes += files.back().bytes;
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
  for (size_t i = 0; i + 1 < files.size() && bytes > kMaxBytes; ++i) {
    fs::remove(files[i].path, error);
    bytes -= files[i].bytes;
  }
}

}  // namespace brokkr::shader
