// Compiled shaders that are kept from one program run to the next: files in the user's cache folder,
// $XDG_CACHE_HOME/brokkr or ~/.cache/brokkr, which nobody else may write. The name of a file says what it was made of,
// how many bytes it has and their SHA-256: what a full disk, a power cut or a copy left behind is never loaded.
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

  // The file that was kept under that name, which is touched, so that it counts as used; empty where there is none. A
  // file that does not have the size and the hash of its name is removed.
  std::filesystem::path find(const std::string& name) const;
  // A new folder for files in the making.
  std::filesystem::path make_temporary() const;
  // Moves a file into the cache, once its bytes are on the disk. Files that were used longest ago go where all take
  // more than kMostBytes. Throws std::runtime_error.
  std::filesystem::path keep(const std::filesystem::path& file, const std::string& name) const;

 private:
  void sweep() const;

  std::filesystem::path folder_;
};

}  // namespace brokkr::shader
