// Protects the files that a command reads from the files that it writes (base/file_io.h).
#pragma once

#include <filesystem>

namespace brokkr {

// While an object of this class exists, read_file notes the files that it reads, on any thread, and write_file throws
// std::runtime_error instead of replacing one of them. At most one object may exist at a time.
class KeptInputs {
 public:
  KeptInputs();
  ~KeptInputs();
  KeptInputs(const KeptInputs&) = delete;
  KeptInputs& operator=(const KeptInputs&) = delete;
};

// Throws std::runtime_error if write_file would do so. Commands call it before they draw anything.
void require_no_input(const std::filesystem::path& path);

}  // namespace brokkr
