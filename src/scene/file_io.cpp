#include "scene/file_io.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace brokkr {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& problem) {
  throw std::runtime_error(path.string() + ": " + problem);
}

std::string reason() { return std::strerror(errno); }

// Distinct for every call of every process, so that two writers of one file do not share a temporary one.
std::filesystem::path temporary_path(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter{0};
  std::filesystem::path temporary = path;
  temporary += ".part-" + std::to_string(getpid()) + "-" + std::to_string(counter.fetch_add(1));
  return temporary;
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path, uint64_t max_bytes) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) fail(path, "is a directory; name a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, "cannot be opened (" + reason() + "); check the name and its permissions");

  // Read in growing steps: the size that the file system reports may be wrong (pipes, /proc).
  std::vector<std::byte> bytes;
  size_t step = size_t(1) << 20;
  while (in) {
    const size_t old_size = bytes.size();
    bytes.resize(old_size + step);
    in.read(reinterpret_cast<char*>(bytes.data() + old_size), std::streamsize(step));
    bytes.resize(old_size + size_t(in.gcount()));
    if (bytes.size() > max_bytes) {
      fail(path, "is larger than the limit of " + std::to_string(max_bytes) + " bytes; use a smaller file");
    }
    step = std::max(step, bytes.size() / 2);
  }
  if (in.bad()) fail(path, "cannot be read (" + reason() + "); check the disk");
  return bytes;
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  const std::filesystem::path temporary = temporary_path(path);
  std::error_code error;
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    if (!out) fail(path, "cannot be created (" + reason() + "); check that its folder exists and is writable");
    out.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
    out.close();
    if (!out) {
      const std::string why = reason();
      std::filesystem::remove(temporary, error);
      fail(path, "cannot be written (" + why + "); check the space on the disk");
    }
  }
  std::filesystem::rename(temporary, path, error);
  if (error) {
    const std::string why = error.message();
    std::filesystem::remove(temporary, error);
    fail(path, "cannot be replaced (" + why + "); check its permissions");
  }
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace brokkr
