// Files that a scene file names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/loading.h"

namespace brokkr {

// A file that the scene file names is not there. The scene is drawn without it, after a warning.
struct MissingResource : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Contents of a file by the name that the scene file has for it. `loading` is asked while it is read; the caller counts
// the bytes that it keeps. Throws MissingResource where the file is missing, and std::runtime_error where it cannot be
// read or is too large.
using ResourceReader = std::function<std::vector<std::byte>(const std::string& name, Loading& loading)>;

// Whether there are control characters in a name, NUL among them: it ends where the system reads it, or forges what a
// terminal shows.
bool has_control_characters(const std::string& name);

// Whether `name`, as a scene file has it, is absolute or leads upwards.
bool is_outside(const std::string& name);

// What becomes of a name that is outside: a file from elsewhere names nothing of its reader's.
enum class OutsideNames : uint8_t { refused, missing };

// Reads files of at most `max_bytes` in the folder of `path` and in folders below it.
ResourceReader resources_beside(const std::filesystem::path& path, uint64_t max_bytes,
                                OutsideNames outside = OutsideNames::refused);

}  // namespace brokkr
