// Compiled shaders that are kept between program runs. They are files in the user's cache folder,
// $XDG_CACHE_HOME/brokkr or ~/.cache/brokkr, which nobody else may write. A file's name contains an identification of
// its source, its size in bytes and its SHA-256. Therefore a file damaged by a full disk, a power cut or an incomplete
// copy is never loaded.
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
  static constexpr uint64_t kMaxBytes = uint64_t(256) << 20;

  // Creates the folder if it does not exist. Throws std::runtime_error if that fails, if others own the folder, or if
  // others may write it. Removes temporary folders of killed programs.
  CodeCache();

  // Finds the file with that name and touches it, so that it counts as used; empty if there is none. Removes a file
  // whose size or hash differs from its name.
  std::filesystem::path find(const std::string& name) const;
  // Creates a new folder for files in progress.
  std::filesystem::path make_temporary() const;
  // Moves a file into the cache after its bytes are on the disk. If all files together exceed kMaxBytes, removes the
  // least recently used ones. Throws std::runtime_error.
  std::filesystem::path keep(const std::filesystem::path& file, const std::string& name) const;

 private:
  void sweep() const;

  std::filesystem::path folder_;
};

}  // namespace brokkr::shader
