#include "formats/resources.h"

#include <algorithm>

#include "base/failure.h"
#include "base/file_io.h"

namespace brokkr {

bool has_control_characters(const std::string& name) {
  return std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

bool is_outside(const std::string& name) {
  const std::filesystem::path path(name);
  return path.has_root_path() || std::find(path.begin(), path.end(), "..") != path.end();
}

ResourceReader resources_beside(const std::filesystem::path& path, uint64_t max_bytes, OutsideNames outside) {
  return [folder = path.parent_path(), max_bytes, outside](const std::string& name, Loading& loading) {
    const auto refuse = [&](const char* text) {
      const std::string problem = fmt::format("'{}' {}", name.substr(0, 200), text);
      if (outside == OutsideNames::missing) throw MissingResource(problem);
      fail("{}", problem);
    };
    if (has_control_characters(name))
      refuse("has a control character; give the file, and the scene's name of it, another name");
    if (name.empty() || is_outside(name))
      refuse("is not in the scene's folder or below it; put it there, and name it by its path from there");
    const std::filesystem::path file = folder / std::filesystem::path(name);
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
