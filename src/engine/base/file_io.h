// Whole files in and out, with errors that name the file and what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace brokkr {

class Loading;

// Throws std::runtime_error where the file is missing, unreadable or larger than `max_bytes`, or than the memory that
// `loading` has left.
std::vector<std::byte> read_file(const std::filesystem::path& path, uint64_t max_bytes, Loading* loading = nullptr);

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Makes a folder, and those above it, where they are missing. Throws std::runtime_error.
void make_folder(const std::filesystem::path& folder);

// Returns true if anything has that name. Names that the system refuses, as too long ones, are names of nothing.
bool is_there(const std::filesystem::path& path);

// The folder in which programs look for names without one, and the path from the root. Both throw std::runtime_error
// where that folder was removed.
std::filesystem::path current_folder();
std::filesystem::path absolute_path(const std::filesystem::path& path);

// The paths in a folder, by name; empty if it cannot be read to its end. Throws no std::filesystem error.
std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder);

// This path stands for the open standard output, which may be what no path leads to (a socket).
inline constexpr const char* kStandardOutput = "/dev/stdout";

// The end of the symbolic links that begin at `path`; that file need not exist.
std::filesystem::path end_of_links(const std::filesystem::path& path);

// Writes `bytes` to a temporary file beside `path` and renames it, so that no reader ever sees half a file. Symbolic
// links are followed and stay; the file keeps the mode and, where the user may do that, the owner of the one that it
// replaces. What is no regular file (a device, a pipe) is written in place. Throws std::runtime_error and leaves an
// existing file untouched where that fails, and where it is read-only.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace brokkr
