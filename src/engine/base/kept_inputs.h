// Keeps the files that a command reads from being replaced by those that it writes (base/file_io.h).
#pragma once

#include <filesystem>

namespace brokkr {

// While one lives, read_file notes the files that it reads, on any thread, and write_file throws std::runtime_error
// instead of replacing one of them: a command does not lose what it was given. At most one lives at a time.
class KeptInputs {
 public:
  KeptInputs();
  ~KeptInputs();
  KeptInputs(const KeptInputs&) = delete;
  KeptInputs& operator=(const KeptInputs&) = delete;
};

// Throws std::runtime_error if write_file would: before anything is drawn for a file that cannot be written.
void require_no_input(const std::filesystem::path& path);

}  // namespace brokkr
