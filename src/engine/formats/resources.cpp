#include "formats/resources.h"

#include <algorithm>

#include "base/failure.h"
#include "base/file_io.h"

namespace brokkr {

bool is_outside(const std::string& name) {
  const std::filesystem::path path(name);
  return path.has_root_path() || std::find(path.begin(), path.end(), "..") != path.end();
}

ResourceReader resources_beside(const std::filesystem::path& path, uint64_t max_bytes, OutsideNames outside) {
  return [folder = path.parent_path(), max_bytes, outside](const std::string& name, Loading& loading) {
    const std::filesystem::path relative(name);
    if (name.empty() || name.find('\0') != std::string::npos || is_outside(name)) {
      const std::string text = fmt::format(
          "'{}' is not in the scene's folder or below it; put it there, and name it by its path from there", name);
      if (outside == OutsideNames::missing) throw MissingResource(text);
      fail("{}", text);
    }
    const std::filesystem::path file = folder / relative;
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) {
      throw MissingResource(
          fmt::format("'{}' is missing; put it there, or change its name in the scene's file", file.string()));
    }
    std::vector<std::byte> bytes = read_file(file, max_bytes, &loading);
    loading.give_back(bytes.size());
    return bytes;
  };
}

}  // namespace brokkr
