#include "app/tool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "app/text.h"
#include "base/file_io.h"
#include "base/process.h"
#include "log/json_text.h"
#include "log/log_reader.h"
#include "log/manifest.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;
constexpr uint64_t kMaxPicture = uint64_t(1) << 30;  // bytes

using TemporaryFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

TemporaryFile temporary_file(std::string_view content) {
  TemporaryFile file(std::tmpfile(), std::fclose);
  if (!file || std::fwrite(content.data(), 1, content.size(), file.get()) != content.size())
    throw std::runtime_error("no temporary file can be written; free some space in /tmp");
  std::rewind(file.get());
  return file;
}

std::string last_line(std::FILE* file) {
  std::string text(size_t(1) << 16, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  text.erase(text.find_last_not_of(" \n") + 1);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (error) {
    const char* variable = std::getenv("TMPDIR");
    throw std::runtime_error(std::string(variable != nullptr ? variable : "/tmp") +
                             ": this is no folder for temporary files (" + error.message() +
                             "); set TMPDIR to a folder with room");
  }
  std::string name = (folder / "brokkr-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw std::runtime_error(name + ": no temporary folder can be made; set TMPDIR to a folder with room");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path find_tool(const std::string& name) {
  if (const std::optional<fs::path> tool = find_beside(name, "../../tools")) return *tool;
  throw std::runtime_error("tools/" + name + " was not found beside " + (program_folder() / "brokkr").string());
}

void run_tool(const fs::path& tool, std::vector<std::string> arguments, std::string_view input) {
  const TemporaryFile in = temporary_file(input), said = temporary_file("");
  arguments.insert(arguments.begin(), tool.string());
  const pid_t process = start_program(tool, std::move(arguments), {}, {fileno(in.get()), -1, fileno(said.get())});
  int status = 0;
  waitpid(process, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  const std::string words_of_tool = last_line(said.get());
  throw std::runtime_error(words_of_tool.empty() ? tool.string() + " failed" : words_of_tool);
}

size_t plot_logs(const std::vector<std::string>& files, const fs::path& picture, const std::string& title,
                 const std::string& application) {
  std::vector<FrameLog> logs;
  for (const std::string& file : files) {
    std::vector<FrameLog> some = read_frame_logs(file, application);
    for (const std::string* const line : {&some.front().cut_off, &some.front().left_out}) {
      if (!line->empty()) std::cerr << printable(*line) << '\n';
    }
    const auto of_same_name = [&](const FrameLog& log) {
      return std::ranges::count(some, log.application, &FrameLog::application);
    };
    if (some.size() > 1) {
      std::vector<std::string> names;
      for (const FrameLog& log : some)
        names.push_back(log.name + ": " + log.application + (of_same_name(log) > 1 ? " " + log.swap_chain : ""));
      for (size_t i = 0; i < some.size(); ++i) some[i].name = std::move(names[i]);
    }
    std::ranges::move(some, std::back_inserter(logs));
  }
  if (logs.size() > kMostPlottedLogs) {
    throw std::runtime_error(std::to_string(logs.size()) + " curves are too many for one picture, which has up to " +
                             std::to_string(kMostPlottedLogs) + ", from '" + logs[0].name + "' to '" +
                             logs.back().name + "'; name one program (--application)");
  }
  nlohmann::ordered_json document = {{"title", title}, {"logs", nlohmann::ordered_json::array()}};
  for (const FrameLog& log : logs) {
    document["logs"].push_back({{"name", log.name},
                                {"frame_ms", log.frame_ms},
                                {"time_s", log.time_s},
                                {"geometry_ms", log.geometry_ms},
                                {"raster_ms", log.raster_ms},
                                {"statistics", statistics_json(frame_statistics(log.frame_ms))}});
  }
  const TemporaryFolder folder;
  const fs::path drawn = folder.path() / "frames.svg";
  run_tool(find_tool("plot-frames"), {drawn.string()}, json_text(document));
  write_file(picture, read_file(drawn, kMaxPicture));
  return logs.size();
}

}  // namespace brokkr::app
