// Files that a scene file names.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace brokkr {

// A file that the scene file names is not there. The scene is drawn without it, after a warning.
struct MissingResource : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Contents of a file by the name that the scene file has for it. Throws MissingResource where it is missing, and
// std::runtime_error where it cannot be read.
using ResourceReader = std::function<std::vector<std::byte>(const std::string& name)>;

// Reads files of at most `max_bytes` in the folder of `path` and in folders below it. Throws for names that are
// absolute or lead upwards: a file from elsewhere names nothing of its reader's.
ResourceReader resources_beside(const std::filesystem::path& path, uint64_t max_bytes);

}  // namespace brokkr
