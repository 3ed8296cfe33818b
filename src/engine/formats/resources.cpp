#include "formats/resources.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/failure.h"
#include "base/file_io.h"
#include "formats/image_io.h"

namespace brokkr {
namespace {

namespace fs = std::filesystem;

// Turns "C:\\art\\tex.png" into "/art/tex.png", an absolute name of this system.
std::string foreign_separators_replaced(std::string name) {
  std::replace(name.begin(), name.end(), '\\', '/');
  if (name.size() > 2 && std::isalpha(static_cast<unsigned char>(name[0])) && name.substr(1, 2) == ":/") {
    name.erase(0, 2);
  }
  return name;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool same_but_for_case(const std::string& a, const std::string& b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// Finds `relative` below `folder` without regard to capitals; empty if no file fits, or several.
std::optional<fs::path> find_in_any_case(const fs::path& folder, const fs::path& relative) {
  constexpr size_t kMaxEntries = 100000;
  std::optional<fs::path> found = folder.empty() ? fs::path(".") : folder;
  for (const fs::path& part : relative) {
    std::error_code error;
    std::optional<fs::path> next;
    size_t entries = 0;
    for (fs::directory_iterator at(*found, error), end; !error && at != end; at.increment(error)) {
      if (++entries > kMaxEntries) return std::nullopt;
      if (!same_but_for_case(at->path().filename().string(), part.string())) continue;
      if (next) return std::nullopt;
      next = at->path();
    }
    if (!next) return std::nullopt;
    found = next;
  }
  return is_file(*found) ? found : std::nullopt;
}

}  // namespace

std::string percent_decoded(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string result;
  for (size_t i = 0; i < text.size(); i++) {
    const bool coded = text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    result += coded ? char(digit(text[i + 1]) * 16 + digit(text[i + 2])) : text[i];
    if (coded) i += 2;
  }
  return result;
}

bool has_control_characters(const std::string& name) {
  return std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

bool is_outside(const std::string& name) {
  const fs::path path(name);
  return path.has_root_path() || std::find(path.begin(), path.end(), "..") != path.end();
}

ResourceReader resources_beside(const fs::path& path, uint64_t max_bytes) {
  return [folder = path.parent_path(), max_bytes](const std::string& given, Loading& loading) {
    const auto read = [&](const fs::path& file) {
      std::vector<std::byte> bytes = read_file(file, max_bytes, &loading);
      loading.give_back(bytes.size());
      return bytes;
    };
    if (has_control_characters(given)) {
      throw MissingResource(
          fmt::format("'{}' has a control character; give the file, and the scene's name of it, another name",
                      given.substr(0, 200)));
    }
    if (given.empty()) throw MissingResource("a name of a file is empty; name the file");
    if (!is_outside(given) && is_file(folder / given)) return read(folder / given);
    const std::string name = foreign_separators_replaced(given);
    const bool outside = is_outside(name);
    if (!outside && is_file(folder / name)) return read(folder / name);
    std::optional<fs::path> found =
        outside ? std::nullopt : find_in_any_case(folder, fs::path(name).lexically_normal());
    const fs::path last = fs::path(name).filename();
    if (!found && is_file(folder / last)) found = folder / last;
    if (!found && !last.empty()) found = find_in_any_case(folder, last);
    // Names that were written as URIs.
    const fs::path decoded = fs::path(percent_decoded(name)).filename();
    if (!found && decoded != last && !has_control_characters(decoded.string()))
      found = find_in_any_case(folder, decoded);
    if (found) {
      std::vector<std::byte> bytes = read(*found);
      loading.warn("taken " + given, "'{}' is taken from {}", given, found->lexically_normal().string());
      return bytes;
    }
    if (outside) {
      throw MissingResource(fmt::format(
          "'{}' is not in the scene's folder or below it; put it there, and name it by its path from there", given));
    }
    throw MissingResource(
        fmt::format("'{}' is missing; put it there, or change its name in the scene's file", (folder / name).string()));
  };
}

std::optional<Image> read_picture(const std::function<std::vector<std::byte>()>& bytes, const std::string& name,
                                  const std::string& place, uint64_t& pixels_left, Loading& loading) {
  const auto without = [&](const char* problem) {
    loading.warn("picture " + name, "{}{}{}; drawn without it", place, place.empty() ? "" : ": ", problem);
    return std::nullopt;
  };
  try {
    const std::vector<std::byte> file = bytes();
    loading.look();
    Image image = read_image(file, name, std::min(pixels_left, kMaxImagePixels), loading);
    pixels_left -= image.texels.size();
    return image;
  } catch (const LimitReached&) {
    throw;
  } catch (const std::runtime_error& problem) {
    return without(problem.what());
  }
}

}  // namespace brokkr
