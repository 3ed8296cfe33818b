// Compiled shaders that are kept from one program run to the next: files in the user's cache folder,
// $XDG_CACHE_HOME/brokkr or ~/.cache/brokkr, which nobody else may write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace brokkr::shader {

// 128 bits of what is hashed, as a name of 32 digits (FNV-1a from two beginnings).
std::string name_of_content(std::string_view content);

class CodeCache {
 public:
  static constexpr uint64_t kMostBytes = uint64_t(64) << 20;  // of all files together

  // Makes the folder where there is none. Throws std::runtime_error where there can be none, or others own it or may
  // write it. Takes away what programs that have ended by force left behind.
  CodeCache();

  // The file of that name, which is touched, so that it counts as used; empty where there is none.
  std::filesystem::path find(const std::string& name) const;
  // A new folder for files in the making.
  std::filesystem::path make_temporary() const;
  // Moves a file into the cache. Files that were used longest ago go where all take more than kMostBytes.
  std::filesystem::path keep(const std::filesystem::path& file, const std::string& name) const;

 private:
  void sweep() const;

  std::filesystem::path folder_;
};

}  // namespace brokkr::shader
