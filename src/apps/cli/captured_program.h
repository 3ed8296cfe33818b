// A program that was started with all that it starts in turn, known from the system's table of processes: what a
// program says about itself decides nothing.
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

// The file of a program that is to be captured: where it is, and how a preloaded library gets into it.

// The file of `program`, which is a path or a name to be looked up in PATH. Empty where there is no such program.
std::filesystem::path find_program(const std::string& program);

// Throws where `program` is of another word size than `library`, which it then would not take: the dynamic linker would
// only warn.
void require_same_word_size(const std::filesystem::path& program, const std::filesystem::path& library);

// A file to start, and the words that it gets.
struct ProgramStart {
  std::filesystem::path file;
  std::vector<std::string> words;
};

// A way of starting `program` that lets it take a preloaded library. The system drops such libraries from programs that
// get rights of another user or group, as Debian's games with tables of scores do: those are started by their dynamic
// linker, without these rights. `command`: the words that were given, the program first.
ProgramStart start_of(const std::filesystem::path& program, std::vector<std::string> command);

// The connection from the capture layer to `brokkr capture` (capture/settings.h): a socket that the program's processes
// inherit, and, for those that close it, one in a folder that only this user can enter. The system says who speaks.
class StatusChannel {
 public:
  struct Line {
    pid_t sender;  // as the system tells it
    std::string text;
  };

  // Throws std::runtime_error where no socket can be made.
  StatusChannel();
  ~StatusChannel();
  StatusChannel(const StatusChannel&) = delete;
  StatusChannel& operator=(const StatusChannel&) = delete;

  // The value of BROKKR_CAPTURE_STATUS.
  std::string address() const;
  // The end of the program, which this process need not keep once the program has begun.
  int inherited() const { return inherited_; }
  void close_inherited();

  // Waits for lines, for `milliseconds` at most, and returns some of those that are there. Who connects and is none of
  // the program's processes (`is_ours`) is not heard.
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
  // Starts `program`, whose processes inherit the descriptor `inherited` and are adopted by this process where their
  // parents end. `dies_with_us`: the program gets SIGTERM should this process be killed. Throws std::runtime_error.
  CapturedProgram(const std::filesystem::path& program, std::vector<std::string> words,
                  std::vector<std::string> environment, int inherited, bool dies_with_us);
  // Ends what still runs, unless it was released.
  ~CapturedProgram();
  CapturedProgram(const CapturedProgram&) = delete;
  CapturedProgram& operator=(const CapturedProgram&) = delete;

  // Returns true if the process is one of the program's.
  bool has(pid_t process) const;

  // Returns true if the process that was started runs, or one of `drawing` that it left behind. Where a launcher ended
  // and nothing has drawn yet, what it left behind gets half a minute.
  bool is_running(const std::set<pid_t>& drawing);

  // Sends `signal` to all processes, and SIGKILL to those that do not end within five seconds. Returns when none is
  // left, or when nothing more can be done.
  void end(int signal);

  // Lets what still runs go on.
  void release() { released_ = true; }

  // The status of the process that was started, as waitpid gives it. Valid after that process has ended.
  int status() const { return status_; }

 private:
  using Clock = std::chrono::steady_clock;
  void reap();

  pid_t first_ = 0;
  int status_ = 0;
  bool ended_ = false, released_ = false;
  Clock::time_point ended_at_;
  int adopted_before_ = 0;  // whether this process adopted others before
};

}  // namespace brokkr::app
