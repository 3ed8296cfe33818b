// brokkr import of a RenderDoc capture: rdc.py (src/apps/import) replays it and writes a frame file, which is checked
// and compressed here.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/text.h"
#include "app/tool.h"
#include "base/file_io.h"
#include "base/process.h"
#include "cli/captured_program.h"
#include "cli/import_rdc.h"
#include "frame/bkf.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;

fs::path find_script() {
  const fs::path folder = program_folder();
  for (const fs::path& place : {folder / "share/brokkr/import", folder / "../share/brokkr/import"}) {
    if (is_there(place / "rdc.py")) return absolute_path(place / "rdc.py").lexically_normal();
  }
  throw std::runtime_error("rdc.py, which reads captures of RenderDoc, is not beside this program (" +
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

// Runs rdc.py. Throws its last line if it fails.
void run_script(const std::string& capture, const fs::path& frame, const fs::path& log) {
  const fs::path python = find_python();
  const int said = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (said < 0) throw std::runtime_error(log.string() + " cannot be written; check TMPDIR");
  pid_t process = -1;
  try {
    process = start_program(python, {python.string(), find_script().string(), capture, frame.string()},
                            {{"PYTHONDONTWRITEBYTECODE", "1"}}, {-1, said, said});
  } catch (...) {
    close(said);
    throw;
  }
  close(said);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  if (WIFSIGNALED(status)) {
    throw std::runtime_error(
        fmt::format("{}: RenderDoc's replay was ended by signal {}; open the capture in qrenderdoc to see whether this "
                    "computer can replay it",
                    capture, WTERMSIG(status)));
  }
  const std::string line = last_line(log);
  throw std::runtime_error(line.empty() ? capture + ": rdc.py failed without a reason" : printable(line));
}

}  // namespace

bool is_renderdoc_capture(const fs::path& path) {
  std::array<char, 4> magic{};
  std::ifstream file(path, std::ios::binary);
  file.read(magic.data(), magic.size());
  return file && std::string_view(magic.data(), magic.size()) == "RDOC";
}

int import_renderdoc(const Arguments& arguments, const std::vector<std::string>& unknown) {
  for (const std::string& option : unknown) {
    if (arguments.has(option))
      throw UsageError(fmt::format("--{} is for recordings of apitrace; a capture of RenderDoc is one frame", option));
  }
  const std::string capture = arguments.text("TRACE");
  const std::string output = arguments.text("output", "frame.bkf");
  const TemporaryFolder folder;
  const fs::path plain = folder.path() / "frame.bkf";
  run_script(capture, plain, folder.path() / "log");
  Frame frame = read_bkf(plain);
  frame.application = arguments.text("application", fs::path(capture).stem().string());
  frame.license = arguments.text("license");
  uint64_t draws = 0;
  for (const brokkr::Command& command : frame.commands) draws += std::holds_alternative<DrawCommand>(command) ? 1 : 0;
  for (const auto& [reason, count] : frame.skipped_reasons)
    warn(fmt::format("{}: {} times: {}", capture, count, printable(reason)));
  if (draws == 0) throw std::runtime_error(capture + ": no draw was imported");
  write_bkf(frame, output, {.leave_out = std::vector<bool>(frame.vertex_inputs.size(), true)});
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
