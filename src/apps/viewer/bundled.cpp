#include "viewer/bundled.h"

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <tuple>

#include "base/process.h"
#include "brokkr/load.h"

namespace brokkr::viewer {

namespace fs = std::filesystem;

std::optional<fs::path> find_bundled(const std::string& name) {
  const fs::path folder = program_folder();
  // Look from build/release of the source tree, and from bin and libexec/brokkr of an installation.
  for (const fs::path& root : {folder / "../..", folder / "../share/brokkr", folder / "../../share/brokkr"}) {
    std::error_code error;
    if (fs::exists(root / name, error)) return fs::weakly_canonical(root / name, error);
  }
  return std::nullopt;
}

// One blade of grass, which the example of instances repeats.
constexpr const char* kPart = "blade.obj";

// A smaller frame is for first commands and has little to see.
constexpr uintmax_t kLeastFrame = 64 * 1024;  // bytes

std::vector<std::string> bundled_scenes() {
  std::vector<std::string> files;
  for (const char* const name : {"scenes", "assets"}) {
    const std::optional<fs::path> folder = find_bundled(name);
    if (!folder) continue;
    std::error_code error;
    for (fs::directory_iterator it(*folder, error), end; !error && it != end; it.increment(error)) {
      const bool is_part = it->path().filename() == kPart;
      const bool is_small = it->path().extension() == ".bkf" && fs::file_size(it->path(), error) < kLeastFrame;
      if (!is_part && !is_small && is_loadable(it->path().string())) files.push_back(it->path().string());
    }
  }
  // Frames come before scenes. A larger frame has more to see.
  const auto order = [](const std::string& file) {
    std::error_code error;
    const bool is_frame = file.ends_with(".bkf");
    return std::tuple(!is_frame, is_frame ? -int64_t(fs::file_size(file, error)) : 0, file);
  };
  std::sort(files.begin(), files.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return files;
}

}  // namespace brokkr::viewer
