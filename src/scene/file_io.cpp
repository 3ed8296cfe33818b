#include "scene/file_io.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "scene/failure.h"

namespace brokkr {
namespace {

std::string reason() { return std::strerror(errno); }

// Distinct for every call of every process, so that two writers of one file do not share a temporary one.
std::filesystem::path temporary_path(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter{0};
  std::filesystem::path temporary = path;
  temporary += fmt::format(".part-{}-{}", getpid(), counter.fetch_add(1));
  return temporary;
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path, uint64_t max_bytes) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) fail("{}: is a directory; name a file", path.string());
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("{}: cannot be opened ({}); check the name and its permissions", path.string(), reason());

  // Read in growing steps: the size that the file system reports may be wrong (pipes, /proc).
  std::vector<std::byte> bytes;
  size_t step = size_t(1) << 20;
  while (in) {
    const size_t old_size = bytes.size();
    bytes.resize(old_size + step);
    in.read(reinterpret_cast<char*>(bytes.data() + old_size), std::streamsize(step));
    bytes.resize(old_size + size_t(in.gcount()));
    if (bytes.size() > max_bytes) {
      fail("{}: is larger than the limit of {} bytes; use a smaller file", path.string(), max_bytes);
    }
    step = std::max(step, bytes.size() / 2);
  }
  if (in.bad()) fail("{}: cannot be read ({}); check the disk", path.string(), reason());
  return bytes;
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  const std::filesystem::path temporary = temporary_path(path);
  std::error_code error;
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    if (!out) {
      fail("{}: cannot be created ({}); check that its folder exists and is writable", path.string(), reason());
    }
    out.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
    out.close();
    if (!out) {
      const std::string why = reason();
      std::filesystem::remove(temporary, error);
      fail("{}: cannot be written ({}); check the space on the disk", path.string(), why);
    }
  }
  std::filesystem::rename(temporary, path, error);
  if (error) {
    const std::string why = error.message();
    std::filesystem::remove(temporary, error);
    fail("{}: cannot be replaced ({}); check its permissions", path.string(), why);
  }
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace brokkr
