// Whole files in and out, with errors that name the file and what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace brokkr {

// Throws std::runtime_error where the file is missing, unreadable or larger than `max_bytes`.
std::vector<std::byte> read_file(const std::filesystem::path& path, uint64_t max_bytes);

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Writes `bytes` to a temporary file beside `path` and renames it, so that no reader ever sees half a file. Throws
// std::runtime_error and leaves an existing file untouched where that fails.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace brokkr
