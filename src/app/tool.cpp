#include "app/tool.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "log/json_text.h"
#include "log/log_reader.h"
#include "log/manifest.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;
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

fs::path program_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

fs::path find_tool(const std::string& name) {
  const fs::path folder = program_folder();
  // Below build/PRESET of the sources, beside bin, and in libexec itself, where the viewer is.
  for (const fs::path& place :
       {folder.parent_path().parent_path() / "tools", folder.parent_path() / "libexec" / "brokkr", folder}) {
    if (access((place / name).c_str(), X_OK) == 0) return place / name;
  }
  throw std::runtime_error("tools/" + name + " was not found beside " + (folder / "brokkr").string());
}

void run_tool(const fs::path& tool, std::vector<std::string> arguments, std::string_view input) {
  const TemporaryFile in = temporary_file(input), said = temporary_file("");
  arguments.insert(arguments.begin(), tool.string());
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(said.get()), STDERR_FILENO);
  std::cout.flush();
  pid_t process = 0;
  const int error = posix_spawn(&process, tool.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw std::runtime_error(tool.string() + " cannot be started (" + std::strerror(error) + "); install python3");
  int status = 0;
  waitpid(process, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  const std::string words_of_tool = last_line(said.get());
  throw std::runtime_error(words_of_tool.empty() ? tool.string() + " failed" : words_of_tool);
}

void plot_logs(const std::vector<std::string>& files, const fs::path& picture, const std::string& title) {
  nlohmann::ordered_json document = {{"title", title}, {"logs", nlohmann::ordered_json::array()}};
  for (const std::string& file : files) {
    const FrameLog log = read_frame_log(file);
    document["logs"].push_back({{"name", log.name},
                                {"frame_ms", log.frame_ms},
                                {"time_s", log.time_s},
                                {"geometry_ms", log.geometry_ms},
                                {"raster_ms", log.raster_ms},
                                {"statistics", statistics_json(frame_statistics(log.frame_ms))}});
  }
  run_tool(find_tool("plot-frames"), {picture.string()}, json_text(document));
}

}  // namespace brokkr::app
