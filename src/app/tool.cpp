#include "app/tool.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "app/text.h"
#include "log/json_text.h"
#include "log/log_reader.h"
#include "log/manifest.h"
#include "scene/file_io.h"

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

fs::path program_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

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

std::optional<fs::path> find_beside(const std::string& name, const fs::path& build) {
  const fs::path folder = program_folder();
  for (const fs::path& place : {folder / build, folder.parent_path() / "libexec" / "brokkr", folder}) {
    fs::path program = (place / name).lexically_normal();
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

fs::path find_tool(const std::string& name) {
  if (const std::optional<fs::path> tool = find_beside(name, "../../tools")) return *tool;
  throw std::runtime_error("tools/" + name + " was not found beside " + (program_folder() / "brokkr").string());
}

std::vector<char*> word_pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!changes.contains(text.substr(0, text.find('=')))) variables.push_back(text);
  }
  for (const auto& [name, value] : changes) {
    if (!value.empty()) variables.push_back(name + "=" + value);
  }
  return variables;
}

pid_t start_program(const fs::path& program, std::vector<std::string> words,
                    const std::map<std::string, std::string>& environment, std::array<int, 3> streams) {
  std::vector<std::string> variables = environment_with(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int stream = 0; stream < 3; ++stream) {
    if (streams[size_t(stream)] >= 0) posix_spawn_file_actions_adddup2(&actions, streams[size_t(stream)], stream);
  }
  std::cout.flush();
  pid_t process = 0;
  const int error = posix_spawn(&process, program.c_str(), &actions, nullptr, word_pointers(words).data(),
                                word_pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return process;
  throw std::runtime_error(program.string() + " cannot be started (" + std::strerror(error) +
                           "); is it, or the interpreter that it names, installed?");
}

namespace {

// Runs the tool with these standard streams, -1 for this program's own.
void run_with(const fs::path& tool, std::vector<std::string> arguments, std::FILE* in, int out) {
  const TemporaryFile said = temporary_file("");
  arguments.insert(arguments.begin(), tool.string());
  const pid_t process = start_program(tool, std::move(arguments), {}, {fileno(in), out, fileno(said.get())});
  int status = 0;
  waitpid(process, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  const std::string words_of_tool = last_line(said.get());
  throw std::runtime_error(words_of_tool.empty() ? tool.string() + " failed" : words_of_tool);
}

}  // namespace

void run_tool(const fs::path& tool, std::vector<std::string> arguments, std::string_view input) {
  run_with(tool, std::move(arguments), temporary_file(input).get(), -1);
}

std::string output_of_tool(const fs::path& tool, std::vector<std::string> arguments, std::string_view input,
                           size_t max_bytes) {
  const TemporaryFile in = temporary_file(input), out = temporary_file("");
  run_with(tool, std::move(arguments), in.get(), fileno(out.get()));
  std::fseek(out.get(), 0, SEEK_END);
  const long bytes = std::ftell(out.get());
  if (bytes < 0 || size_t(bytes) > max_bytes) throw std::runtime_error(tool.string() + ": its output is too large");
  std::string text(size_t(bytes), '\0');
  std::rewind(out.get());
  if (std::fread(text.data(), 1, text.size(), out.get()) != text.size())
    throw std::runtime_error(tool.string() + ": its output cannot be read");
  return text;
}

void plot_logs(const std::vector<std::string>& files, const fs::path& picture, const std::string& title) {
  nlohmann::ordered_json document = {{"title", title}, {"logs", nlohmann::ordered_json::array()}};
  for (const std::string& file : files) {
    const FrameLog log = read_frame_log(file);
    if (!log.cut_off.empty()) std::cerr << printable(log.cut_off) << '\n';
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
}

}  // namespace brokkr::app
