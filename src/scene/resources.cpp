#include "scene/resources.h"

#include <algorithm>

#include "scene/failure.h"
#include "scene/file_io.h"

namespace brokkr {

ResourceReader resources_beside(const std::filesystem::path& path, uint64_t max_bytes) {
  return [folder = path.parent_path(), max_bytes](const std::string& name) {
    const std::filesystem::path relative(name);
    const bool leads_upwards = std::find(relative.begin(), relative.end(), "..") != relative.end();
    if (name.empty() || name.find('\0') != std::string::npos || relative.has_root_path() || leads_upwards) {
      fail("'{}' is not in the scene's folder or below it; put it there, and name it by its path from there", name);
    }
    const std::filesystem::path file = folder / relative;
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) {
      throw MissingResource(
          fmt::format("'{}' is missing; put it there, or change its name in the scene's file", file.string()));
    }
    return read_file(file, max_bytes);
  };
}

}  // namespace brokkr
