// Tools: other programs that are run to their end, and where they may write.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
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

// Draws frame-time logs on common axes as an SVG (frame_plot.h): the curves of all applications, or of `application`
// alone. `title` may be empty. What the logs lack goes to standard error, or is an error if `strict`. Returns the
// number of curves. Throws std::runtime_error for a log that cannot be read and for more than kMaxPlottedLogs curves.
size_t plot_logs(const std::vector<std::string>& logs, const std::filesystem::path& picture, const std::string& title,
                 const std::string& application = {}, bool strict = false);

// A program of its own that answers requests: it is started, asked and ended.

// A program that answers requests, one line each.
class LineProcess {
 public:
  // Starts `command` with `environment` added to this process's own; its standard error goes to the file `log`. Throws
  // std::runtime_error where it cannot be started.
  LineProcess(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
              std::filesystem::path log);
  ~LineProcess();  // ends it
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  void send(const std::string& line);
  // The next line of its standard output. Throws std::runtime_error with the last words of its standard error where the
  // program has ended, and where it writes nothing for `seconds`; the program is then ended.
  std::string receive(int seconds);

 private:
  [[noreturn]] void fail(const std::string& what);

  std::string name_;
  std::filesystem::path log_;
  pid_t process_ = -1;
  int socket_ = -1;
  std::string pending_;  // received beyond the last line
};

}  // namespace brokkr::app
