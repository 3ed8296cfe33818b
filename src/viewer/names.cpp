#include "viewer/names.h"

#include <cctype>
#include <system_error>

#include "app/text.h"

namespace brokkr::viewer {
namespace fs = std::filesystem;

namespace {

constexpr const char* kGenerated = "generated:";

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 128; }

}  // namespace

std::string display_name(const std::string& scene) {
  return app::printable(scene.starts_with(kGenerated) ? scene : fs::path(scene).filename().string());
}

fs::path free_name(const fs::path& folder, const std::string& scene, const std::string& ending,
                   const std::string& companion) {
  std::string stem =
      scene.starts_with(kGenerated) ? scene.substr(std::string(kGenerated).size()) : fs::path(scene).stem().string();
  for (char& c : stem) {
    if (is_ascii(c) && !std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '-';
  }
  const auto exists = [&](const std::string& name) {
    std::error_code ignored;
    return fs::exists(folder / name, ignored);
  };
  for (int number = 1;; ++number) {
    const std::string name = "brokkr-" + stem + "-" + std::to_string(number);
    if (!exists(name + ending) && (companion.empty() || !exists(name + companion))) return folder / (name + ending);
  }
}

}  // namespace brokkr::viewer
