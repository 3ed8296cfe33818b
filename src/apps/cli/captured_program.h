// A program together with all processes that it starts. They are identified through the system's process table; nothing
// that a process says about itself is trusted.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/tool.h"

namespace brokkr::app {

// Finds the file of the program to capture, and decides how a preloaded library gets into it.

// The file of `program`, which is a path or a name to look up in PATH. Empty if there is no such program.
std::filesystem::path find_program(const std::string& program);

// Throws if `program` and `library` have different word sizes. The dynamic linker would only warn and start the program
// without the library.
void require_same_word_size(const std::filesystem::path& program, const std::filesystem::path& library);

// Finds the capture layer: `given`, or beside this program in its build tree, or where `cmake --install` puts it.
// Throws if there is none.
std::filesystem::path find_capture_library(const std::string& given);

// The value of LD_PRELOAD that adds the library to those that are already preloaded.
std::string preloaded_with(const std::filesystem::path& library);

// The file to start and its arguments.
struct ProgramStart {
  std::filesystem::path file;
  std::vector<std::string> words;
};

// Determines how to start `program` so that it accepts a preloaded library. The system drops preloaded libraries from
// programs that run with rights of another user or group, such as Debian's games with score tables. We start those
// through their dynamic linker, without these rights. `command`: the user's words; the program comes first.
ProgramStart start_of(const std::filesystem::path& program, std::vector<std::string> command);

// The connection from the capture layer to `brokkr capture` (capture/settings.h). The program's processes inherit one
// socket; processes that close it connect to a second one, in a folder that only this user can enter. The kernel
// identifies the sender.
class StatusChannel {
 public:
  struct Line {
    pid_t sender;  // as reported by the kernel
    std::string text;
  };

  // Throws std::runtime_error if no socket can be made.
  StatusChannel();
  ~StatusChannel();
  StatusChannel(const StatusChannel&) = delete;
  StatusChannel& operator=(const StatusChannel&) = delete;

  // The value of BROKKR_CAPTURE_STATUS.
  std::string address() const;
  // The program's end of the connection. This process may close it once the program has started.
  int inherited() const { return inherited_; }
  void close_inherited();

  // Waits up to `milliseconds` for lines, and returns some of those that have arrived. Ignores connections from
  // processes for which `is_ours` returns false.
  std::vector<Line> read(int milliseconds, const std::function<bool(pid_t)>& is_ours);

 private:
  void accept_one(const std::function<bool(pid_t)>& is_ours);
  bool read_one(int file, pid_t sender, std::vector<Line>& lines) const;

  TemporaryFolder folder_;
  int ours_ = -1, inherited_ = -1, listener_ = -1;
  std::map<int, pid_t> connections_;  // by descriptor
};

class CapturedProgram {
 public:
  // Starts `program`. Its processes inherit the descriptor `inherited`, and this process adopts those whose parents
  // end. `dies_with_us`: the program gets SIGTERM if this process is killed. Throws std::runtime_error.
  CapturedProgram(const std::filesystem::path& program, std::vector<std::string> words,
                  std::vector<std::string> environment, int inherited, bool dies_with_us);
  // Ends all processes that still run, unless they were released.
  ~CapturedProgram();
  CapturedProgram(const CapturedProgram&) = delete;
  CapturedProgram& operator=(const CapturedProgram&) = delete;

  // Returns true if the process belongs to the program.
  bool has(pid_t process) const;

  // Returns true if the started process runs, or any process in `drawing`. If a launcher ended before anything was
  // drawn, the processes that it left behind get half a minute.
  bool is_running(const std::set<pid_t>& drawing);

  // Sends `signal` to all processes, and SIGKILL to those that do not end within five seconds. Returns when no process
  // is left, or when nothing more can be done.
  void end(int signal);

  // Lets the remaining processes run on.
  void release() { released_ = true; }

  // The status of the started process, in waitpid's form. Valid after that process has ended.
  int status() const { return status_; }

 private:
  using Clock = std::chrono::steady_clock;
  void reap();

  pid_t first_ = 0;
  int status_ = 0;
  bool ended_ = false, released_ = false;
  Clock::time_point ended_at_;
  int adopted_before_ = 0;  // whether this process already adopted orphans before
};

}  // namespace brokkr::app
