// Other programs: where they are, how one is run, and where it may write.
#pragma once

#include <sys/types.h>

#include <array>
#include <filesystem>
#include <map>
#include <optional>
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

// The folder of this program's file.
std::filesystem::path program_folder();

// A program that belongs to this one: in `build`, relative to this program's folder in its build tree, under libexec
// where it is installed, or beside this program. Nothing where it is not there.
std::optional<std::filesystem::path> find_beside(const std::string& name, const std::filesystem::path& build = ".");

// find_beside for a tool of the sources that this program was built in. Throws std::runtime_error.
std::filesystem::path find_tool(const std::string& name);

// The words as execv takes them: null after the last.
std::vector<char*> word_pointers(std::vector<std::string>& words);

// This program's environment with `changes`; an empty value takes a variable away.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes);

// Starts a program. `words`: as it gets them, its name first. `environment`: as for environment_with. `streams`: its
// standard input, output and error; -1 stands for this program's own. Throws std::runtime_error.
pid_t start_program(const std::filesystem::path& program, std::vector<std::string> words,
                    const std::map<std::string, std::string>& environment = {},
                    std::array<int, 3> streams = {-1, -1, -1});

// Runs the tool to its end with `input` on its standard input. Throws std::runtime_error with the last line that the
// tool wrote on standard error where it fails.
void run_tool(const std::filesystem::path& tool, std::vector<std::string> arguments, std::string_view input = {});

// run_tool for a tool of which the standard output is wanted, at most `max_bytes`.
std::string output_of_tool(const std::filesystem::path& tool, std::vector<std::string> arguments,
                           std::string_view input, size_t max_bytes);

inline constexpr size_t kMostPlottedLogs = 6;  // more colours than that nobody tells apart

// Draws frame-time logs on common axes with tools/plot-frames, as an SVG. `title` may be empty. Throws
// std::runtime_error for a log that cannot be read, and as run_tool.
void plot_logs(const std::vector<std::string>& logs, const std::filesystem::path& picture, const std::string& title);

}  // namespace brokkr::app
