#include "run.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace brokkr::capture_test {

RunResult run(const std::string& command, int seconds) {
  RunResult result;
  const std::string line = "timeout " + std::to_string(seconds) + " sh -c '" + command + "' 2>&1";
  std::FILE* const pipe = popen(line.c_str(), "r");
  if (!pipe) return result;
  std::array<char, 4096> buffer{};
  for (size_t count; (count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    result.out.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return result;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "brokkr-capture-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) std::abort();
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

bool has_program(const std::string& name) {
  return run("PATH=$PATH:/usr/games command -v " + name + " >/dev/null").code == 0;
}

}  // namespace brokkr::capture_test
