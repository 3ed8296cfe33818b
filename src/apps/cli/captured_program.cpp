#include "cli/captured_program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/file_io.h"
#include "base/process.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;

constexpr auto kPoll = std::chrono::milliseconds(20);
constexpr auto kGrace = std::chrono::seconds(5);        // between asking a program to end and ending it
constexpr auto kFirstFrame = std::chrono::seconds(30);  // for the first frame of what a launcher left behind

struct Process {
  pid_t parent = 0;
  uint64_t started = 0;  // in ticks: tells a process from a later one with its number
};

// Nothing where the process is gone, or has ended and waits for its parent to look.
std::optional<Process> find_process(pid_t number) {
  std::ifstream file("/proc/" + std::to_string(number) + "/stat");
  std::string text;
  std::getline(file, text, '\0');
  const size_t name_end = text.rfind(')');  // names may hold everything, also brackets
  if (name_end == std::string::npos) return std::nullopt;
  Process process;
  char state = 0;
  // proc(5): ppid is field 4 and starttime field 22; all between are integers.
  const int found = std::sscanf(text.c_str() + name_end + 1,
                                " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lu",
                                &state, &process.parent, &process.started);
  if (found != 3 || state == 'Z' || state == 'X') return std::nullopt;
  return process;
}

// All living processes that descend from this one, by their numbers.
std::map<pid_t, Process> descendants() {
  std::map<pid_t, Process> all;
  for (const fs::path& path : paths_in("/proc")) {
    const std::string name = path.filename().string();
    if (std::isdigit(static_cast<unsigned char>(name[0])) == 0) continue;
    const pid_t number = std::stoi(name);
    if (const std::optional<Process> process = find_process(number)) all.emplace(number, *process);
  }
  const auto descends = [&](pid_t number) {
    // A table that changes while it is read may hold a circle: no line of ancestors is longer than the table.
    for (size_t step = 0; step <= all.size(); ++step) {
      const auto found = all.find(number);
      if (found == all.end()) return false;
      number = found->second.parent;
      if (number == getpid()) return true;
    }
    return false;
  };
  std::map<pid_t, Process> result;
  for (const auto& [number, process] : all) {
    if (descends(number)) result.emplace(number, process);
  }
  return result;
}

// Never another process that has got the number since.
void send(pid_t number, const Process& process, int signal) {
  const int file = int(syscall(SYS_pidfd_open, number, 0));
  if (file < 0) return;
  const std::optional<Process> now = find_process(number);
  if (now && now->started == process.started) syscall(SYS_pidfd_send_signal, file, signal, nullptr, 0);
  close(file);
}

// In the child, between fork and exec. Only what is safe after a fork of a program with threads.
[[noreturn]] void become(const char* program, char* const* words, char* const* environment, int inherited,
                         bool dies_with_parent, pid_t parent, int problem) {
  if (dies_with_parent) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(127);  // it was killed before the line above
  }
  std::signal(SIGXFSZ, SIG_DFL);  // this program ignores it
  fcntl(inherited, F_SETFD, 0);
  execve(program, words, environment);
  const int error = errno;
  (void)!write(problem, &error, sizeof error);
  _exit(127);
}

}  // namespace

CapturedProgram::CapturedProgram(const fs::path& program, std::vector<std::string> words,
                                 std::vector<std::string> environment, int inherited, bool dies_with_us) {
  prctl(PR_GET_CHILD_SUBREAPER, &adopted_before_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::cout.flush();
  const std::vector<char*> word_list = word_pointers(words), variables = word_pointers(environment);
  int problem[2] = {-1, -1}, error = 0;
  if (pipe2(problem, O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made; close other programs");
  const pid_t parent = getpid();
  first_ = fork();
  if (first_ == 0)
    become(program.c_str(), word_list.data(), variables.data(), inherited, dies_with_us, parent, problem[1]);
  if (first_ < 0) error = errno;
  close(problem[1]);
  // Empty where the program has begun.
  if (first_ > 0 && read(problem[0], &error, sizeof error) == sizeof error) waitpid(first_, nullptr, 0);
  close(problem[0]);
  if (error == 0) return;
  prctl(PR_SET_CHILD_SUBREAPER, adopted_before_);
  throw std::runtime_error(program.string() + " cannot be started (" + std::strerror(error) +
                           "); is it, or the interpreter that it names, installed?");
}

CapturedProgram::~CapturedProgram() {
  if (!released_) end(SIGTERM);
  reap();
  prctl(PR_SET_CHILD_SUBREAPER, adopted_before_);
}

void CapturedProgram::reap() {
  int status = 0;
  for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (process != first_) continue;
    status_ = status;
    ended_ = true;
    ended_at_ = Clock::now();
  }
}

bool CapturedProgram::has(pid_t process) const { return descendants().contains(process); }

bool CapturedProgram::is_running(const std::set<pid_t>& drawing) {
  reap();
  if (!ended_) return true;
  const std::map<pid_t, Process> living = descendants();
  if (drawing.empty()) return !living.empty() && Clock::now() - ended_at_ < kFirstFrame;
  for (const pid_t process : drawing) {
    if (living.contains(process)) return true;
  }
  return false;
}

void CapturedProgram::end(int signal) {
  std::set<std::pair<pid_t, uint64_t>> asked;
  const auto begin = Clock::now();
  for (;;) {
    reap();
    const std::map<pid_t, Process> living = descendants();
    const auto waited = Clock::now() - begin;
    // What the system itself holds up does not even end when it is killed.
    if (living.empty() || waited > 2 * kGrace) return;
    for (const auto& [number, process] : living) {
      if (waited > kGrace) {
        send(number, process, SIGKILL);
      } else if (asked.emplace(number, process.started).second) {
        send(number, process, signal);
      }
    }
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace brokkr::app
