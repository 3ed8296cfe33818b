// The files that a scene file names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/loading.h"
#include "brokkr/image.h"

namespace brokkr {

// A file that the scene file names is missing. The scene is drawn without it, after a warning.
struct MissingResource : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads a file by its name in the scene file. Calls `loading` while it reads; the caller counts the bytes that it
// keeps. Throws MissingResource if the file is missing, and std::runtime_error if it is too large or cannot be read.
using ResourceReader = std::function<std::vector<std::byte>(const std::string& name, Loading& loading)>;

// Decodes %20 and the like of a URI.
std::string percent_decoded(std::string_view text);

// Returns true if there are control characters in a name, NUL among them: it ends where the system reads it, or forges
// what a terminal shows.
bool has_control_characters(const std::string& name);

// Returns true if `name`, in the form that a scene file has, is absolute or leads upwards.
bool is_outside(const std::string& name);

// Reads files of at most `max_bytes` in the folder of `path` and in folders below it: a file from elsewhere names
// nothing of its reader's. Names may have the separators of Windows. What is not found by its name is looked for
// without regard to capitals, and then by its last part in the folder of `path`, also with %20 and the like decoded;
// Loading::warn says which file it is then.
ResourceReader resources_beside(const std::filesystem::path& path, uint64_t max_bytes);

// Decodes the picture in the file that `bytes` reads. If that is missing or not a picture, Loading::warn says so, once
// for each `name`, with the `place` that names it. Throws LimitReached for pictures of more than `pixels_left` pixels;
// it counts the pixels.
std::optional<Image> read_picture(const std::function<std::vector<std::byte>()>& bytes, const std::string& name,
                                  const std::string& place, uint64_t& pixels_left, Loading& loading);

}  // namespace brokkr
