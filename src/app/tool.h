// The programs of tools/ that draw measurements: where they are, and how one is run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace brokkr::app {

// The folder of this program's file.
std::filesystem::path program_folder();

// The tool `name` in the sources that this program was built in, or under libexec where it is installed. Throws
// std::runtime_error.
std::filesystem::path find_tool(const std::string& name);

// Runs the tool to its end with `input` on its standard input. Throws std::runtime_error with the last line that the
// tool wrote on standard error where it fails.
void run_tool(const std::filesystem::path& tool, std::vector<std::string> arguments, std::string_view input = {});

inline constexpr size_t kMostPlottedLogs = 6;  // more colours than that nobody tells apart

// Draws frame-time logs on common axes with tools/plot-frames, as an SVG. `title` may be empty. Throws
// std::runtime_error for a log that cannot be read, and as run_tool.
void plot_logs(const std::vector<std::string>& logs, const std::filesystem::path& picture, const std::string& title);

}  // namespace brokkr::app
