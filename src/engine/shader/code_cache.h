// Compiled shaders that are kept between program runs, as files in the user's cache folder, $XDG_CACHE_HOME/brokkr or
// ~/.cache/brokkr, which nobody else may write. A file's name says what it was made from, its size in bytes and its
// SHA-256. So a file that a full disk, a power cut or an incomplete copy damaged is never loaded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace brokkr::shader {

// A 128-bit hash of the content as a name of 32 digits (FNV-1a from two initial values).
std::string name_of_content(std::string_view content);

class CodeCache {
 public:
  // The size of all files together. A CUDA kernel with the programs of one game takes some 6 MiB.
  static constexpr uint64_t kMostBytes = uint64_t(256) << 20;

  // Creates the folder if it does not exist. Throws std::runtime_error if that fails, or if others own it or may write
  // it. Removes what killed programs left behind.
  CodeCache();

  // Finds the file kept under that name and touches it, so that it counts as used; empty if there is none. A file whose
  // size or hash differs from its name is removed.
  std::filesystem::path find(const std::string& name) const;
  // A new folder for files in progress.
  std::filesystem::path make_temporary() const;
  // Moves a file into the cache after its bytes are on the disk. If all files together exceed kMostBytes, the least
  // recently used ones are removed. Throws std::runtime_error.
  std::filesystem::path keep(const std::filesystem::path& file, const std::string& name) const;

 private:
  void sweep() const;

  std::filesystem::path folder_;
};

}  // namespace brokkr::shader
