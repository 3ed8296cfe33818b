// Runs programs for the tests.
#pragma once

#include <filesystem>
#include <string>

namespace brokkr::capture_test {

struct RunResult {
  int code = -1;
  std::string out;  // standard output and error
};

// Runs a shell command line; kills it after `seconds`.
RunResult run(const std::string& command, int seconds = 120);

// A folder that the destructor removes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

bool has_program(const std::string& name);

}  // namespace brokkr::capture_test
