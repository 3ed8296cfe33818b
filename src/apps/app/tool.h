// Tools: other programs that are run to their end, and where they may write.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace brokkr::app {

// A folder that the destructor removes.
class TemporaryFolder {
 public:
  // Throws std::runtime_error where none can be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// find_beside for a tool of the sources that this program was built in. Throws std::runtime_error.
std::filesystem::path find_tool(const std::string& name);

// Runs the tool to its end with `input` on its standard input. Throws std::runtime_error with the last line that the
// tool wrote on standard error where it fails.
void run_tool(const std::filesystem::path& tool, std::vector<std::string> arguments, std::string_view input = {});

inline constexpr size_t kMostPlottedLogs = 6;  // more colours than that nobody tells apart

// Draws frame-time logs on common axes with tools/plot-frames, as an SVG: the curves of all applications, or of
// `application` alone. `title` may be empty. Returns the number of curves. Throws std::runtime_error for a log that
// cannot be read, for more than kMostPlottedLogs curves, and as run_tool.
size_t plot_logs(const std::vector<std::string>& logs, const std::filesystem::path& picture, const std::string& title,
                 const std::string& application = {});

}  // namespace brokkr::app
