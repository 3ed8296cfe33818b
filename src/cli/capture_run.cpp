#include "cli/capture_run.h"

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
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "app/text.h"
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

// A file that the layer appends to, in a folder of its own.
class StatusFile {
 public:
  StatusFile() {
    std::string pattern = (fs::temp_directory_path() / "brokkr-capture-XXXXXX").string();
    if (!mkdtemp(pattern.data())) {
      throw std::runtime_error("no temporary folder can be made in " + fs::temp_directory_path().string() +
                               "; set TMPDIR to a folder that is writable");
    }
    folder_ = pattern;
    // Some games drop to another user, or are told to run as one.
    fs::permissions(folder_, fs::perms::all);
    std::ofstream(path()).close();
    fs::permissions(path(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_write |
                                fs::perms::others_write | fs::perms::others_read);
  }
  ~StatusFile() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  StatusFile(const StatusFile&) = delete;
  StatusFile& operator=(const StatusFile&) = delete;

  std::string path() const { return (folder_ / "status").string(); }

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
  fs::path folder_;
  std::streamoff read_ = 0;
};

void set(const char* name, const std::string& value) {
  if (value.empty()) {
    unsetenv(name);
  } else {
    setenv(name, value.c_str(), 1);
  }
}

// Runs in the child, before the program takes over.
void set_environment(const CaptureRequest& request, const std::string& library, const std::string& status) {
  const char* before = std::getenv("LD_PRELOAD");
  set("LD_PRELOAD", before && *before ? library + ":" + before : library);
  set("BROKKR_CAPTURE_OUTPUT", fs::absolute(request.output).string());
  set("BROKKR_CAPTURE_STATUS", status);
  set("BROKKR_CAPTURE_FRAME", request.frame ? std::to_string(*request.frame) : "");
  set("BROKKR_CAPTURE_EVERY", request.every > 0 ? std::to_string(request.every) : "");
  set("BROKKR_CAPTURE_COUNT", std::to_string(request.count));
  set("BROKKR_CAPTURE_KEY", request.key);
  set("BROKKR_CAPTURE_FAST_FORWARD", request.fast_forward ? "1" : "");
  set("BROKKR_CAPTURE_CHECK_STATE", request.check_state ? "1" : "");
  set("BROKKR_CAPTURE_APPLICATION", request.application);
  set("BROKKR_CAPTURE_LICENSE", request.license);
}

pid_t start(const CaptureRequest& request, const fs::path& library, const std::string& status, const fs::path& program,
            const std::vector<std::string>& command) {
  std::cout.flush();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("the program cannot be started: ") + std::strerror(errno));
  if (child > 0) return child;
  set_environment(request, library.string(), status);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  std::cerr << "brokkr: " << program.string() << ": " << std::strerror(errno) << '\n';
  _exit(127);
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
  int64_t frames = -1;  // of a program that ended
};

void take(const nlohmann::json& line, Outcome& outcome) {
  if (line.contains("pid")) outcome.programs.insert(line["pid"].get<pid_t>());
  outcome.swapped = outcome.swapped || line.contains("swaps");
  if (line.contains("ended")) outcome.frames = line["ended"].get<int64_t>();
  if (line.contains("error")) {
    outcome.problem = line["error"].get<std::string>();
  } else if (line.contains("file")) {
    outcome.written++;
    std::cout << printable(line["file"].get<std::string>()) << ": frame " << line["frame"] << ", "
              << grouped(line["draws"].get<uint64_t>()) << " draws, " << grouped(line["triangles"].get<uint64_t>())
              << " triangles, " << grouped(line["skipped"].get<uint64_t>()) << " draws skipped";
    if (line["state_checks"].get<uint64_t>() > 0) {
      std::cout << ", " << grouped(line["state_differences"].get<uint64_t>()) << " differences of state in "
                << grouped(line["state_checks"].get<uint64_t>()) << " checks";
    }
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

void end_program(const CaptureRequest& request, const Outcome& outcome, pid_t child, int& status) {
  send(request.kill ? SIGKILL : SIGTERM, outcome, child);
  for (const auto limit = Clock::now() + kGrace; Clock::now() < limit;) {
    if (has_ended(child, status)) return;
    std::this_thread::sleep_for(kPoll);
  }
  send(SIGKILL, outcome, child);
  waitpid(child, &status, 0);
}

std::string describe_end(const CaptureRequest& request, const Outcome& outcome, const std::string& program,
                         int status) {
  if (!outcome.problem.empty()) return outcome.problem;
  std::string how = "ended";
  if (WIFSIGNALED(status)) how = "was ended by signal " + std::to_string(WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
    how = "ended with exit code " + std::to_string(WEXITSTATUS(status));
  }
  if (!outcome.swapped) {
    return program + " " + how +
           " without showing a frame through GLX or EGL; does it run by itself, and does it draw with OpenGL? A setuid "
           "program drops preloaded libraries";
  }
  const std::string shown = outcome.frames >= 0 ? " after " + std::to_string(outcome.frames) + " frames" : "";
  if (!request.key.empty() && !request.frame)
    return program + " " + how + shown + "; " + request.key + " was not pressed";
  return program + " " + how + shown + ", before the frame that was asked for; choose an earlier --frame";
}

}  // namespace

fs::path find_capture_library(const std::string& given) {
  std::error_code error;
  if (!given.empty()) {
    if (!fs::exists(given, error)) throw std::runtime_error(given + ": there is no such library; check --library");
    return fs::absolute(given);
  }
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = self.parent_path();
  for (const fs::path& place : {folder / "lib/brokkr", folder / "../lib/brokkr",
                                folder / ".." / BROKKR_LIBDIR / "brokkr", fs::path(BROKKR_LIBDIR) / "brokkr"}) {
    const fs::path library = place / kLibraryName;
    if (fs::exists(library, error)) return fs::canonical(library);
  }
  throw std::runtime_error(
      std::string(kLibraryName) + " is not beside this program (" + folder.string() +
      "/lib/brokkr); build it (it needs libgl-dev, libegl-dev and libx11-dev) or name it with --library");
}

fs::path find_program(const std::string& program) {
  const auto usable = [](const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) return usable(program) ? fs::path(program) : fs::path();
  const char* path = std::getenv("PATH");
  // Debian puts games outside the PATH of most users.
  std::string places = std::string(path ? path : "/usr/bin:/bin") + ":/usr/games:/usr/local/games";
  for (size_t begin = 0; begin <= places.size();) {
    const size_t end = std::min(places.find(':', begin), places.size());
    fs::path candidate = fs::path(places.substr(begin, end - begin)) / program;
    if (usable(candidate)) return candidate;
    begin = end + 1;
  }
  return {};
}

int run_captured(const CaptureRequest& request, const std::vector<std::string>& command) {
  const fs::path library = find_capture_library(request.library);
  const fs::path program = find_program(command.front());
  if (program.empty()) {
    throw std::runtime_error(command.front() + ": no such program; name a file, or a program in PATH or /usr/games");
  }
  require_same_word_size(program, library);
  const fs::path folder = fs::absolute(request.output).parent_path();
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw std::runtime_error(folder.string() + ": there is no such folder; make it, or choose another --output");
  }
  StatusFile status_file;
  const Signals signals;
  pending_signal = 0;
  Outcome outcome;
  int status = 0;
  const pid_t child = start(request, library, status_file.path(), program, command);
  const auto limit = Clock::now() + std::chrono::duration<double>(request.patience);
  bool running = true, timed_out = false;
  while (running) {
    running = !has_ended(child, status);
    for (const nlohmann::json& line : status_file.read()) take(line, outcome);
    const bool done = request.count > 0 && outcome.written >= request.count && !request.keep_running;
    timed_out = request.patience > 0 && Clock::now() > limit;
    if (running && (done || timed_out || pending_signal != 0 || !outcome.problem.empty())) {
      end_program(request, outcome, child, status);
      running = false;
      for (const nlohmann::json& line : status_file.read()) take(line, outcome);
    }
    if (running) std::this_thread::sleep_for(kPoll);
  }
  if (pending_signal != 0) return 128 + pending_signal;
  const bool enough = request.count > 0 ? outcome.written >= request.count : outcome.written > 0;
  if (enough && outcome.problem.empty()) return kSuccess;
  if (timed_out) {
    throw std::runtime_error(command.front() + ": the frame was not reached within --timeout; allow more seconds");
  }
  throw std::runtime_error(describe_end(request, outcome, command.front(), status));
}

}  // namespace brokkr::app
