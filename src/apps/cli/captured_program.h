// A program that was started with all that it starts in turn, known from the system's table of processes: what a
// program says about itself decides nothing.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace brokkr::app {

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

  // Whether the process is one of the program's.
  bool has(pid_t process) const;

  // Whether the process that was started runs, or one of `drawing` that it left behind. Where a launcher ended and
  // nothing has drawn yet, what it left behind gets half a minute.
  bool is_running(const std::set<pid_t>& drawing);

  // Sends `signal` to all processes, and SIGKILL to those that do not end within five seconds. Returns when none is
  // left, or when nothing more can be done.
  void end(int signal);

  // Lets what still runs go on.
  void release() { released_ = true; }

  // Of the process that was started, as waitpid gives it. Only when that has ended.
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
