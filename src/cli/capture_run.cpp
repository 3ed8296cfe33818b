#include "cli/capture_run.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "app/text.h"
#include "app/tool.h"
#include "scene/json_parse.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kLibraryName = "libbrokkr-capture.so";
constexpr auto kPoll = std::chrono::milliseconds(20);
constexpr auto kGrace = std::chrono::seconds(5);  // between asking a program to end and ending it

// Signals that end this program are passed on while a program runs.
volatile std::sig_atomic_t pending_signal = 0;
void note_signal(int signal) { pending_signal = signal; }

class Signals {
 public:
  Signals() {
    struct sigaction action {};
    action.sa_handler = note_signal;
    for (size_t i = 0; i < kSignals.size(); i++) sigaction(kSignals[i], &action, &before_[i]);
  }
  ~Signals() {
    for (size_t i = 0; i < kSignals.size(); i++) sigaction(kSignals[i], &before_[i], nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_{};
};

// A file that the layer appends to.
class StatusFile {
 public:
  StatusFile() {
    // Some games drop to another user, or are told to run as one.
    fs::permissions(folder_.path(), fs::perms::all);
    std::ofstream(path()).close();
    fs::permissions(path(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_write |
                                fs::perms::others_write | fs::perms::others_read);
  }

  std::string path() const { return (folder_.path() / "status").string(); }

  // The whole lines that were not read yet.
  std::vector<nlohmann::json> read() {
    std::ifstream file(path(), std::ios::binary);
    file.seekg(read_);
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(file, line) && !file.eof();) {
      read_ += static_cast<std::streamoff>(line.size() + 1);
      auto json = parse_json_or_null<nlohmann::json>(line);
      if (json.is_object()) lines.push_back(std::move(json));
    }
    return lines;
  }

 private:
  TemporaryFolder folder_;
  std::streamoff read_ = 0;
};

fs::path output_path(const Arguments& arguments) { return fs::absolute(arguments.text("output", "frame.bkf")); }

// How many frames; 0: no limit.
int64_t frame_count(const Arguments& arguments) {
  return arguments.integer("count", arguments.has("every") || arguments.has("key") ? 0 : 1);
}

// What the layer is told (src/capture/settings.h).
std::map<std::string, std::string> environment(const Arguments& arguments, const fs::path& library,
                                               const StatusFile& status, const std::string& application) {
  const char* before = std::getenv("LD_PRELOAD");
  const std::optional<int64_t> frame = first_frame(arguments);
  return {{"LD_PRELOAD", before && *before ? library.string() + ":" + before : library.string()},
          {"BROKKR_CAPTURE_OUTPUT", output_path(arguments).string()},
          {"BROKKR_CAPTURE_STATUS", status.path()},
          {"BROKKR_CAPTURE_FRAME", frame ? std::to_string(*frame) : ""},
          {"BROKKR_CAPTURE_EVERY", arguments.text("every")},
          {"BROKKR_CAPTURE_COUNT", std::to_string(frame_count(arguments))},
          {"BROKKR_CAPTURE_KEY", arguments.text("key")},
          {"BROKKR_CAPTURE_FAST_FORWARD", arguments.has("fast-forward") ? "1" : ""},
          {"BROKKR_CAPTURE_CHECK_STATE", arguments.has("check-state") ? "1" : ""},
          {"BROKKR_CAPTURE_APPLICATION", application},
          {"BROKKR_CAPTURE_LICENSE", arguments.text("license")}};
}

// A 32-bit program takes no 64-bit library; the dynamic linker would only warn.
void require_same_word_size(const fs::path& program, const fs::path& library) {
  const auto header = [](const fs::path& path) {
    std::array<char, 5> bytes{};
    std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size());
    return bytes;
  };
  const auto a = header(program), b = header(library);
  const bool elf = std::memcmp(a.data(), "\177ELF", 4) == 0;
  if (!elf || a[4] == b[4]) return;
  throw std::runtime_error(
      program.string() + ": the program and " + library.string() +
      " have different word sizes; build the library for this program (docs/capture.md) and name it with --library");
}

// The state of a run.
struct Outcome {
  int64_t written = 0;
  std::string problem;
  std::set<pid_t> programs;  // processes that draw
  bool swapped = false;
  int64_t frames = -1;                                                // of a program that ended
  std::string target;                                                 // " of N": the frame that is waited for
  std::unique_ptr<Progress> progress = std::make_unique<Progress>();  // until the first frame
};

void take(const nlohmann::json& line, Outcome& outcome) {
  if (line.contains("pid")) outcome.programs.insert(line["pid"].get<pid_t>());
  outcome.swapped = outcome.swapped || line.contains("swaps");
  if (line.contains("ended")) outcome.frames = line["ended"].get<int64_t>();
  if (line.contains("swap") && outcome.progress)
    outcome.progress->show("frame " + std::to_string(line["swap"].get<int64_t>()) + outcome.target);
  if (line.contains("file") || line.contains("error")) outcome.progress.reset();
  if (line.contains("error")) {
    outcome.problem = line["error"].get<std::string>();
  } else if (line.contains("file")) {
    outcome.written++;
    const auto number = [&](const char* field) { return grouped(line[field].get<uint64_t>()); };
    std::cout << fmt::format("{}: frame {}, {} draws, {} triangles, {} draws skipped",
                             printable(line["file"].get<std::string>()), line["frame"].get<int64_t>(), number("draws"),
                             number("triangles"), number("skipped"));
    if (line["state_checks"].get<uint64_t>() > 0)
      std::cout << fmt::format(", {} differences of state in {} checks", number("state_differences"),
                               number("state_checks"));
    std::cout << std::endl;
  }
}

bool has_ended(pid_t child, int& status) {
  const pid_t result = waitpid(child, &status, WNOHANG);
  return result == child || (result < 0 && errno == ECHILD);
}

// Sends a signal to the processes that draw, and to the one that was started.
void send(int signal, const Outcome& outcome, pid_t child) {
  for (pid_t program : outcome.programs) {
    if (program != child) kill(program, signal);
  }
  kill(child, signal);
}

void end_program(int signal, const Outcome& outcome, pid_t child, int& status) {
  send(signal, outcome, child);
  for (const auto limit = Clock::now() + kGrace; Clock::now() < limit;) {
    if (has_ended(child, status)) return;
    std::this_thread::sleep_for(kPoll);
  }
  send(SIGKILL, outcome, child);
  waitpid(child, &status, 0);
}

std::string describe_end(const Arguments& arguments, const Outcome& outcome, const std::string& program, int status) {
  if (!outcome.problem.empty()) return outcome.problem;
  std::string how = "ended";
  if (WIFSIGNALED(status)) how = "was ended by signal " + std::to_string(WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
    how = "ended with exit code " + std::to_string(WEXITSTATUS(status));
  }
  how = program + " " + how;
  if (!outcome.swapped)
    return how +
           " without showing a frame through GLX or EGL; does it run by itself, and does it draw with OpenGL? A setuid "
           "program drops preloaded libraries";
  if (outcome.frames >= 0) how += " after " + std::to_string(outcome.frames) + " frames";
  if (arguments.has("key") && !first_frame(arguments)) return how + "; " + arguments.text("key") + " was not pressed";
  return how + ", before the frame that was asked for; choose an earlier --frame";
}

// The layer beside this program: in its build tree, or where `cmake --install` puts it. Throws where there is none.
fs::path find_capture_library(const std::string& given) {
  std::error_code error;
  if (!given.empty()) {
    if (!fs::exists(given, error)) throw std::runtime_error(given + ": there is no such library; check --library");
    return fs::absolute(given);
  }
  const fs::path folder = program_folder();
  for (const fs::path& place : {folder / "lib/brokkr", folder / "../lib/brokkr",
                                folder / ".." / BROKKR_LIBDIR / "brokkr", fs::path(BROKKR_LIBDIR) / "brokkr"}) {
    const fs::path library = place / kLibraryName;
    if (fs::exists(library, error)) return fs::canonical(library);
  }
  throw std::runtime_error(
      std::string(kLibraryName) + " is not beside this program (" + folder.string() +
      "/lib/brokkr); build it (it needs libgl-dev, libegl-dev and libx11-dev) or name it with --library");
}

}  // namespace

std::optional<int64_t> first_frame(const Arguments& arguments) {
  const char* const option = arguments.has("frame") ? "frame" : "every";
  return arguments.has(option) ? std::optional(arguments.integer(option, 0)) : std::nullopt;
}

fs::path find_program(const std::string& program) {
  const auto usable = [](const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) return usable(program) ? fs::path(program) : fs::path();
  const char* path = std::getenv("PATH");
  // Debian puts games outside the PATH of most users.
  const std::string places = std::string(path ? path : "/usr/bin:/bin") + ":/usr/games:/usr/local/games";
  for (const std::string& place : split(places, ':')) {
    fs::path candidate = fs::path(place) / program;
    if (usable(candidate)) return candidate;
  }
  return {};
}

int run_captured(const Arguments& arguments, const std::vector<std::string>& command, const std::string& application,
                 int signal) {
  const fs::path library = find_capture_library(arguments.text("library"));
  const fs::path program = find_program(command.front());
  if (program.empty()) {
    throw std::runtime_error(command.front() + ": no such program; name a file, or a program in PATH or /usr/games");
  }
  require_same_word_size(program, library);
  const fs::path folder = output_path(arguments).parent_path();
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw std::runtime_error(folder.string() + ": there is no such folder; make it, or choose another --output");
  }
  StatusFile status_file;
  const Signals signals;
  pending_signal = 0;
  Outcome outcome;
  if (const std::optional<int64_t> frame = first_frame(arguments)) outcome.target = " of " + std::to_string(*frame);
  int status = 0;
  const int64_t count = frame_count(arguments);
  const double patience = arguments.real("timeout", 0);  // 0: for ever
  const pid_t child = start_program(program, command, environment(arguments, library, status_file, application));
  const auto limit = Clock::now() + std::chrono::duration<double>(patience);
  bool running = true, timed_out = false;
  while (running) {
    running = !has_ended(child, status);
    for (const nlohmann::json& line : status_file.read()) take(line, outcome);
    const bool done = count > 0 && outcome.written >= count && !arguments.has("keep-running");
    timed_out = patience > 0 && Clock::now() > limit;
    if (running && (done || timed_out || pending_signal != 0 || !outcome.problem.empty())) {
      end_program(signal, outcome, child, status);
      running = false;
      for (const nlohmann::json& line : status_file.read()) take(line, outcome);
    }
    if (running) std::this_thread::sleep_for(kPoll);
  }
  outcome.progress.reset();
  if (pending_signal != 0) return 128 + pending_signal;
  const bool enough = count > 0 ? outcome.written >= count : outcome.written > 0;
  if (enough && outcome.problem.empty()) return kSuccess;
  if (timed_out) {
    throw std::runtime_error(command.front() + ": the frame was not reached within --timeout; allow more seconds");
  }
  throw std::runtime_error(describe_end(arguments, outcome, command.front(), status));
}

}  // namespace brokkr::app
