// The folder of captured frames: BROKKR_CAPTURES, or the folder `shared/captures` beside the checkout.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace brokkr::test {

inline std::filesystem::path captures_folder() {
  if (const char* folder = std::getenv("BROKKR_CAPTURES")) return folder;
  return std::filesystem::path(BROKKR_SOURCE_DIR) / ".." / "shared" / "captures";
}

}  // namespace brokkr::test
