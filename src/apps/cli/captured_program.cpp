#include "cli/captured_program.h"

#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "app/text.h"
#include "app/tool.h"
#include "base/file_io.h"
#include "base/process.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibraryName = "libbrokkr-capture.so";

// Returns true if the file contains the name of a setting that the layer reads.
bool is_capture_library(const fs::path& path) {
  constexpr std::uintmax_t kMaxBytes = 1 << 28;
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kMaxBytes) return false;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return bytes.starts_with("\177ELF") && bytes.find("BROKKR_CAPTURE_OUTPUT") != std::string::npos;
}

// Returns true if the file gives the program rights that the user lacks (set-user-ID or set-group-ID).
bool has_rights_of_others(const fs::path& program) {
  struct stat status {};
  if (stat(program.c_str(), &status) != 0) return false;
  const bool user = (status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid();
  const bool group = (status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 && status.st_gid != getegid();
  return user || group || getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;
}

// The dynamic linker that the program file names; empty if it names none.
template <class Header, class Segment>
std::string find_linker(std::ifstream& file) {
  Header header{};
  file.seekg(0);
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  for (int i = 0; file && i < header.e_phnum && header.e_phentsize == sizeof(Segment); ++i) {
    Segment segment{};
    file.seekg(std::streamoff(header.e_phoff + size_t(i) * sizeof segment));
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (!file || segment.p_type != PT_INTERP) continue;
    std::array<char, 4096> path{};
    if (segment.p_filesz >= path.size()) return {};
    file.seekg(std::streamoff(segment.p_offset));
    file.read(path.data(), std::streamsize(segment.p_filesz));
    return file ? path.data() : std::string();
  }
  return {};
}

std::string find_linker(const fs::path& program) {
  std::ifstream file(program, std::ios::binary);
  std::array<char, EI_NIDENT> identity{};
  file.read(identity.data(), identity.size());
  if (!file || std::memcmp(identity.data(), ELFMAG, SELFMAG) != 0) return {};
  return identity[EI_CLASS] == ELFCLASS64 ? find_linker<Elf64_Ehdr, Elf64_Phdr>(file)
                                          : find_linker<Elf32_Ehdr, Elf32_Phdr>(file);
}

}  // namespace

fs::path find_program(const std::string& program) {
  const auto usable = [](const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) return usable(program) ? fs::path(program) : fs::path();
  const char* path = std::getenv("PATH");
  // Debian installs games outside the PATH of most users.
  const std::string places = std::string(path ? path : "/usr/bin:/bin") + ":/usr/games:/usr/local/games";
  for (const std::string& place : split(places, ':')) {
    fs::path candidate = fs::path(place) / program;
    if (usable(candidate)) return candidate;
  }
  return {};
}

fs::path find_capture_library(const std::string& given) {
  std::error_code error;
  if (!given.empty()) {
    if (!fs::exists(given, error)) throw std::runtime_error(given + ": there is no such library; check --library");
    if (!is_capture_library(given)) {
      throw std::runtime_error(given + ": is not a capture library; check --library, or leave it out");
    }
    return absolute_path(given);
  }
  const fs::path folder = program_folder();
  for (const fs::path& place : {folder / "lib/brokkr", folder / "../lib/brokkr",
                                folder / ".." / BROKKR_LIBDIR / "brokkr", fs::path(BROKKR_LIBDIR) / "brokkr"}) {
    const fs::path library = place / kLibraryName;
    if (is_there(library)) return absolute_path(library).lexically_normal();
  }
  throw std::runtime_error(
      std::string(kLibraryName) + " is not beside this program (" + folder.string() +
      "/lib/brokkr); build it (it needs libgl-dev, libegl-dev and libx11-dev) or name it with --library");
}

std::string preloaded_with(const fs::path& library) {
  const char* const before = std::getenv("LD_PRELOAD");
  return before && *before ? library.string() + ":" + before : library.string();
}

void require_same_word_size(const fs::path& program, const fs::path& library) {
  const auto header = [](const fs::path& path) {
    std::array<char, 5> bytes{};
    std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size());
    return bytes;
  };
  const auto a = header(program), b = header(library);
  const bool elf = std::memcmp(a.data(), "\177ELF", 4) == 0;
  if (!elf || a[4] == b[4]) return;
  throw std::runtime_error(program.string() + ": the program and " + library.string() +
                           " have different word sizes; build the library for this program (docs/guide/capture.md) and "
                           "name it with --library");
}

ProgramStart start_of(const fs::path& program, std::vector<std::string> command) {
  if (!has_rights_of_others(program)) return {program, std::move(command)};
  const std::string linker = find_linker(program);
  if (linker.empty()) return {program, std::move(command)};
  warn(program.string() +
       " has rights of another user or group, which exclude a capture library; it is started without these rights");
  std::vector<std::string> words{linker, absolute_path(program).string()};
  words.insert(words.end(), command.begin() + 1, command.end());
  return {linker, std::move(words)};
}

namespace {

constexpr int kType = SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK;
constexpr int kFirstFree = 200;          // above the descriptors that shell scripts use
constexpr size_t kMaxConnections = 256;  // further processes are ignored
constexpr size_t kMaxLines = 256;        // per call, so that a flood of lines does not block the caller
constexpr size_t kMaxLine = size_t(1) << 16;

[[noreturn]] void fail_to_listen() {
  throw std::runtime_error(std::string("cannot make a socket for the program's messages (") + std::strerror(errno) +
                           "); close other programs");
}

// Opens a socket in the folder. Returns -1 if its path is too long for a socket; then only the inherited socket exists.
int listen_at(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof(name.sun_path)) return -1;
  std::memcpy(name.sun_path, path.data(), path.size());
  const int file = socket(AF_UNIX, kType, 0);
  if (file >= 0 && bind(file, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 && listen(file, 64) == 0) {
    return file;
  }
  if (file >= 0) close(file);
  return -1;
}

}  // namespace

StatusChannel::StatusChannel() {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, kType, 0, ends) != 0) fail_to_listen();
  ours_ = ends[0];
  inherited_ = fcntl(ends[1], F_DUPFD_CLOEXEC, kFirstFree);
  close(ends[1]);
  const int on = 1;
  if (inherited_ < 0 || setsockopt(ours_, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) fail_to_listen();
  listener_ = listen_at((folder_.path() / "status").string());
}

StatusChannel::~StatusChannel() {
  close_inherited();
  for (const int file : {ours_, listener_}) {
    if (file >= 0) close(file);
  }
  for (const auto& [file, sender] : connections_) close(file);
}

std::string StatusChannel::address() const {
  struct stat found {};
  if (fstat(inherited_, &found) != 0) fail_to_listen();
  return std::to_string(inherited_) + ":" + std::to_string(found.st_ino) + ":" +
         (listener_ >= 0 ? (folder_.path() / "status").string() : "");
}

void StatusChannel::close_inherited() {
  if (inherited_ >= 0) close(std::exchange(inherited_, -1));
}

void StatusChannel::accept_one(const std::function<bool(pid_t)>& is_ours) {
  const int file = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (file < 0) return;
  ucred peer{};
  socklen_t size = sizeof peer;
  const int on = 1;
  const bool heard = connections_.size() < kMaxConnections &&
                     getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && is_ours(peer.pid) &&
                     setsockopt(file, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0;
  const char answer = '\n';  // the client waits for this byte, so it is still running when we look it up
  if (heard && send(file, &answer, 1, MSG_NOSIGNAL) == 1) {
    connections_.emplace(file, peer.pid);
  } else {
    close(file);
  }
}

// Returns false at the end of the stream.
bool StatusChannel::read_one(int file, pid_t sender, std::vector<Line>& lines) const {
  std::string text(kMaxLine, '\0');
  alignas(cmsghdr) std::array<char, 256> control{};
  iovec part{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = recvmsg(file, &message, MSG_CMSG_CLOEXEC);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  bool is_message = false;  // every message carries credentials, even an empty one; the end of the stream does not
  for (cmsghdr* part_of = CMSG_FIRSTHDR(&message); part_of != nullptr; part_of = CMSG_NXTHDR(&message, part_of)) {
    if (part_of->cmsg_level != SOL_SOCKET) continue;
    if (part_of->cmsg_type == SCM_CREDENTIALS) {
      ucred credentials{};
      std::memcpy(&credentials, CMSG_DATA(part_of), sizeof credentials);
      if (sender == 0) sender = credentials.pid;
      is_message = true;
    } else if (part_of->cmsg_type == SCM_RIGHTS) {
      // Close descriptors that a client sent unasked.
      for (size_t offset = CMSG_LEN(0); offset + sizeof(int) <= part_of->cmsg_len; offset += sizeof(int)) {
        int unwanted = -1;
        std::memcpy(&unwanted, reinterpret_cast<const char*>(part_of) + offset, sizeof unwanted);
        close(unwanted);
      }
    }
  }
  if (!is_message) return false;
  text.resize((message.msg_flags & MSG_TRUNC) != 0 ? 0 : size_t(size));
  lines.push_back({sender, std::move(text)});
  return true;
}

std::vector<StatusChannel::Line> StatusChannel::read(int milliseconds, const std::function<bool(pid_t)>& is_ours) {
  std::vector<Line> lines;
  std::vector<pollfd> files = {{ours_, POLLIN, 0}, {listener_, POLLIN, 0}};
  for (const auto& [file, sender] : connections_) files.push_back({file, POLLIN, 0});
  if (poll(files.data(), files.size(), milliseconds) <= 0) return lines;
  if (files[1].revents != 0) accept_one(is_ours);
  for (const pollfd& ready : files) {
    if (ready.revents == 0 || ready.fd == listener_) continue;
    const auto connection = connections_.find(ready.fd);
    const pid_t sender = connection == connections_.end() ? 0 : connection->second;
    bool open = true;
    for (size_t before = lines.size() + 1; open && lines.size() < kMaxLines && before != lines.size();) {
      before = lines.size();
      open = read_one(ready.fd, sender, lines);
    }
    if (open) continue;
    close(ready.fd);
    if (ready.fd == ours_) ours_ = -1;  // poll skips negative descriptors
    connections_.erase(ready.fd);
  }
  return lines;
}

namespace {

namespace fs = std::filesystem;

constexpr auto kPoll = std::chrono::milliseconds(20);
constexpr auto kGrace = std::chrono::seconds(5);  // between asking a program to end and killing it
// time for processes that a launcher left behind to draw their first frame
constexpr auto kFirstFrame = std::chrono::seconds(30);

struct Process {
  pid_t parent = 0;
  uint64_t started = 0;  // in ticks; distinguishes a process from a later one with the same number
};

// Returns nothing if the process is gone or is a zombie.
std::optional<Process> find_process(pid_t number) {
  std::ifstream file("/proc/" + std::to_string(number) + "/stat");
  std::string text;
  std::getline(file, text, '\0');
  const size_t name_end = text.rfind(')');  // names may contain anything, including parentheses
  if (name_end == std::string::npos) return std::nullopt;
  Process process;
  char state = 0;
  // proc(5): ppid is field 4 and starttime is field 22; all fields between are integers.
  const int found = std::sscanf(text.c_str() + name_end + 1,
                                " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lu",
                                &state, &process.parent, &process.started);
  if (found != 3 || state == 'Z' || state == 'X') return std::nullopt;
  return process;
}

// All living descendants of this process, by process number.
std::map<pid_t, Process> descendants() {
  std::map<pid_t, Process> all;
  for (const fs::path& path : paths_in("/proc")) {
    const std::string name = path.filename().string();
    if (std::isdigit(static_cast<unsigned char>(name[0])) == 0) continue;
    const pid_t number = std::stoi(name);
    if (const std::optional<Process> process = find_process(number)) all.emplace(number, *process);
  }
  const auto descends = [&](pid_t number) {
    // The process table changes while we read it and may appear to contain a cycle. No chain of ancestors is longer
    // than the table.
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

// Signals the process, but never a later one that reuses its number.
void send(pid_t number, const Process& process, int signal) {
  const int file = int(syscall(SYS_pidfd_open, number, 0));
  if (file < 0) return;
  const std::optional<Process> now = find_process(number);
  if (now && now->started == process.started) syscall(SYS_pidfd_send_signal, file, signal, nullptr, 0);
  close(file);
}

// The program that a child becomes.
struct ChildProgram {
  const char* program;
  char* const* words;
  char* const* environment;
  int inherited;  // the file that stays open
  bool dies_with_parent;
  pid_t parent;
  int problem;  // the pipe to which `errno` is written where the program cannot be started
};

// In the child, between fork and exec. Only what is safe after a fork of a program with threads.
[[noreturn]] void become(const ChildProgram& child) {
  if (child.dies_with_parent) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != child.parent) _exit(127);  // it was killed before the line above
  }
  std::signal(SIGXFSZ, SIG_DFL);  // this program ignores it
  fcntl(child.inherited, F_SETFD, 0);
  execve(child.program, child.words, child.environment);
  const int error = errno;
  (void)!write(child.problem, &error, sizeof error);
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
  if (pipe2(problem, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe; close other programs");
  const pid_t parent = getpid();
  first_ = fork();
  if (first_ == 0)
    become({program.c_str(), word_list.data(), variables.data(), inherited, dies_with_us, parent, problem[1]});
  if (first_ < 0) error = errno;
  close(problem[1]);
  // Empty if the program has started.
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
    // A process blocked inside the kernel does not end even if it is killed.
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
