// brokkr import of a RenderDoc capture. A script of src/apps/import replays it: rdc.py writes a frame file of Vulkan's
// commands; opengl.py calls OpenGL, and the capture layer (src/apps/capture) records the calls, as it records those of
// any program. The frame is checked and compressed here.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "app/text.h"
#include "app/tool.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/process.h"
#include "cli/captured_program.h"
#include "cli/import_rdc.h"
#include "frame/bkf.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;

fs::path find_script(const char* name) {
  const fs::path folder = program_folder();
  for (const fs::path& place : {folder / "share/brokkr/import", folder / "../share/brokkr/import"}) {
    if (is_there(place / name)) return absolute_path(place / name).lexically_normal();
  }
  throw std::runtime_error(std::string(name) + ", which reads captures of RenderDoc, is not beside this program (" +
                           (folder / "share/brokkr/import").string() + "); install brokkr again");
}

// Debian's module for Python belongs to Debian's Python.
fs::path find_python() {
  for (const char* const name : {"/usr/bin/python3", "python3"}) {
    if (fs::path program = find_program(name); !program.empty()) return program;
  }
  throw std::runtime_error("python3 was not found; install the Debian packages python3-renderdoc and python3-numpy");
}

std::string last_line(const fs::path& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

int file_for(const fs::path& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) throw std::runtime_error(path.string() + " cannot be written; check TMPDIR");
  return file;
}

// Waits until the process ends. Ends it after `seconds` (0: no limit), and then returns nothing.
std::optional<int> status_of(pid_t process, double seconds) {
  constexpr auto kPause = std::chrono::milliseconds(20);
  using Clock = std::chrono::steady_clock;
  const auto limit = Clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  while (true) {
    const pid_t ended = waitpid(process, &status, seconds > 0 ? WNOHANG : 0);
    if (ended == process) return status;
    if (ended < 0 && errno != EINTR) throw std::runtime_error("RenderDoc's replay was lost");
    if (ended == 0 && Clock::now() > limit) break;
    if (ended == 0) std::this_thread::sleep_for(kPause);
  }
  kill(process, SIGKILL);
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return std::nullopt;
}

// A run of a script that replays the capture.
struct Replay {
  const char* script;
  std::string capture;
  std::vector<std::string> more;  // words after the capture
  std::map<std::string, std::string> environment;
  double seconds = 0;  // limit; 0: none
};

// Runs a script. Returns the last line of its output. Throws the last line of its messages if it fails.
std::string run_script(const Replay& replay) {
  const fs::path python = find_python();
  const TemporaryFolder folder;
  const fs::path output = folder.path() / "output", messages = folder.path() / "messages";
  const std::array<int, 3> streams = {-1, file_for(output), file_for(messages)};
  const auto close_them = [&] {
    close(streams[1]);
    close(streams[2]);
  };
  std::vector<std::string> words = {python.string(), find_script(replay.script).string(), replay.capture};
  words.insert(words.end(), replay.more.begin(), replay.more.end());
  std::map<std::string, std::string> environment = replay.environment;
  environment["PYTHONDONTWRITEBYTECODE"] = "1";
  pid_t process = -1;
  try {
    process = start_program(python, words, environment, streams);
  } catch (...) {
    close_them();
    throw;
  }
  close_them();
  const std::optional<int> status = status_of(process, replay.seconds);
  if (!status)
    throw std::runtime_error(replay.capture + ": RenderDoc's replay did not end within --timeout; allow more seconds");
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return last_line(output);
  if (WIFSIGNALED(*status)) {
    throw std::runtime_error(
        fmt::format("{}: RenderDoc's replay was ended by signal {}; open the capture in qrenderdoc to see whether this "
                    "computer can replay it",
                    replay.capture, WTERMSIG(*status)));
  }
  const std::string line = last_line(messages);
  throw std::runtime_error(line.empty() ? fmt::format("{}: {} failed without a reason", replay.capture, replay.script)
                                        : printable(line));
}

template <typename Value>
Value read_value(std::istream& file) {
  Value value{};
  file.read(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

// The interface that the captured program drew with, as RenderDoc names it; empty if the file does not say. It begins
// with RenderDoc's name and version, a small picture, and the number of the computer.
std::string driver_of(const fs::path& capture) {
  constexpr std::streamoff kBeforePicture = 32;
  std::ifstream file(capture, std::ios::binary);
  file.seekg(kBeforePicture + 2 * std::streamoff(sizeof(uint16_t)));
  const auto picture = read_value<uint32_t>(file);
  file.seekg(std::streamoff(picture) + std::streamoff(sizeof(uint64_t) + sizeof(uint32_t)), std::ios::cur);
  std::string name(read_value<uint8_t>(file), '\0');
  file.read(name.data(), std::streamsize(name.size()));
  return file ? name.c_str() : "";
}

Frame import_vulkan(const Arguments& arguments, const std::string& capture) {
  for (const char* const option : {"no-programs", "texture-limit", "library"}) {
    if (arguments.has(option))
      throw UsageError(fmt::format("--{} is for programs of OpenGL; this is a capture of Vulkan", option));
  }
  const TemporaryFolder folder;
  const fs::path plain = folder.path() / "frame.bkf";
  run_script({"rdc.py", capture, {plain.string()}, {}, arguments.real("timeout", 0)});
  return read_bkf(plain);
}

Frame import_opengl(const Arguments& arguments, const std::string& capture) {
  const TemporaryFolder folder;
  const fs::path recorded = folder.path() / "frame.bkf";
  const std::map<std::string, std::string> layer = {
      {"LD_PRELOAD", preloaded_with(find_capture_library(arguments.text("library")))},
      {"BROKKR_CAPTURE_OUTPUT", recorded.string()},
      {"BROKKR_CAPTURE_STATUS", ""},
      {"BROKKR_CAPTURE_FRAME", "1"},
      {"BROKKR_CAPTURE_COUNT", "1"},
      {"BROKKR_CAPTURE_NO_PROGRAMS", arguments.has("no-programs") ? "1" : ""},
      {"BROKKR_CAPTURE_TEXTURE_LIMIT", arguments.text("texture-limit")}};
  const std::string facts = run_script({"opengl.py", capture, {}, layer, arguments.real("timeout", 0)});
  if (!is_there(recorded))
    throw std::runtime_error(capture + ": the capture layer recorded no frame of RenderDoc's replay");
  Frame frame = read_bkf(recorded);
  const auto known = parse_json_or_null<nlohmann::json>(facts);
  frame.frame_number = known.is_object() ? known.value("frame", int64_t(0)) : 0;
  return frame;
}

}  // namespace

bool is_renderdoc_capture(const fs::path& path) {
  std::array<char, 4> magic{};
  std::ifstream file(path, std::ios::binary);
  file.read(magic.data(), magic.size());
  return file && std::string_view(magic.data(), magic.size()) == "RDOC";
}

int import_renderdoc(const Arguments& arguments) {
  for (const char* const option : {"frame", "every", "count", "fast-forward", "check-state", "egl"}) {
    if (arguments.has(option))
      throw UsageError(fmt::format("--{} is for recordings of apitrace; a capture of RenderDoc is one frame", option));
  }
  const std::string capture = arguments.text("TRACE");
  const std::string output = arguments.text("output", "frame.bkf");
  const bool is_opengl = driver_of(capture).starts_with("OpenGL");
  Frame frame = is_opengl ? import_opengl(arguments, capture) : import_vulkan(arguments, capture);
  frame.application = arguments.text("application", fs::path(capture).stem().string());
  frame.license = arguments.text("license");
  uint64_t draws = 0;
  for (const brokkr::Command& command : frame.commands) draws += std::holds_alternative<DrawCommand>(command) ? 1 : 0;
  for (const auto& [reason, count] : frame.skipped_reasons)
    warn(fmt::format("{}: {} times: {}", capture, count, printable(reason)));
  if (draws == 0) throw std::runtime_error(capture + ": no draw was imported");
  // Captures of Vulkan hold no driver's vertices, only those that reading the file computed.
  write_bkf(frame, output, {.leave_out = std::vector<bool>(frame.vertex_inputs.size(), !is_opengl)});
  nlohmann::ordered_json frames = nlohmann::ordered_json::array();
  frames.push_back({{"file", output},
                    {"frame", frame.frame_number},
                    {"draws", draws},
                    {"triangles", triangle_count(frame)},
                    {"skipped_draws", frame.skipped_draws}});
  if (write_document(arguments.text("json"), frames)) return kSuccess;
  std::cout << fmt::format("{}: {}, {}, {} skipped\n", output, counted(draws, "draw"),
                           counted(triangle_count(frame), "triangle"), counted(frame.skipped_draws, "draw"));
  return kSuccess;
}

}  // namespace brokkr::app
