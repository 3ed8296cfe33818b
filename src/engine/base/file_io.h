// Reads and writes whole files, with errors that name the file and the remedy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace brokkr {

class Loading;

// Throws std::runtime_error if the file is missing, unreadable, larger than `max_bytes`, or larger than the memory that
// `loading` has left.
std::vector<std::byte> read_file(const std::filesystem::path& path, uint64_t max_bytes, Loading* loading = nullptr);

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Creates a folder and its missing parents. Throws std::runtime_error.
void make_folder(const std::filesystem::path& folder);

// Returns true if a file or folder with that name exists. False for names that the system refuses, such as names that
// are too long.
bool is_there(const std::filesystem::path& path);

// The folder in which programs look for relative names, and the path from the root. Both throw std::runtime_error if
// that folder was removed.
std::filesystem::path current_folder();
std::filesystem::path absolute_path(const std::filesystem::path& path);

// The paths in a folder, sorted by name; empty if it cannot be read to its end. Throws no std::filesystem error.
std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder);

// This path means the open standard output, even if no path leads to it (a socket).
inline constexpr const char* kStandardOutput = "/dev/stdout";

// The end of the symbolic links that begin at `path`. The file at the end need not exist.
std::filesystem::path end_of_links(const std::filesystem::path& path);

// Throws std::runtime_error, as write_file does, if no new file can be made at `path`: its folder is missing, or is not
// writable. A command asks before it begins its work.
void require_creatable(const std::filesystem::path& path);

// Writes `bytes` to a temporary file beside `path` and renames it, so that no reader ever sees an incomplete file.
// Follows symbolic links and does not replace them. The file keeps the mode of the file that it replaces and, if the
// user may set it, the owner. Other things than regular files (a device, a pipe) are written in place. Throws
// std::runtime_error and leaves an existing file unchanged if that fails, or if the file is read-only.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_text(const std::filesystem::path& path, std::string_view text);

// While an object of this class exists, read_file notes the files that it reads, on any thread, and write_file throws
// std::runtime_error instead of replacing one of them. At most one object may exist at a time.
class KeptInputs {
 public:
  KeptInputs();
  ~KeptInputs();
  KeptInputs(const KeptInputs&) = delete;
  KeptInputs& operator=(const KeptInputs&) = delete;
};

// Throws std::runtime_error if write_file would do so. Commands call it before they draw anything.
void require_no_input(const std::filesystem::path& path);

}  // namespace brokkr
