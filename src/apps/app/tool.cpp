#include "app/tool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "app/frame_plot.h"
#include "app/text.h"
#include "base/file_io.h"
#include "base/process.h"
#include "log/text.h"

namespace brokkr::app {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (error) {
    const char* variable = std::getenv("TMPDIR");
    throw std::runtime_error(std::string(variable != nullptr ? variable : "/tmp") + ": cannot hold temporary files (" +
                             error.message() + "); set TMPDIR to a folder with free space");
  }
  std::string name = (folder / "brokkr-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw std::runtime_error(name + ": cannot make a temporary folder; set TMPDIR to a folder with free space");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<FrameLog> read_curves(const std::vector<std::string>& files, const std::string& application, bool strict) {
  std::vector<FrameLog> logs;
  for (const std::string& file : files) {
    std::vector<FrameLog> some = read_frame_logs(file, application);
    for (const std::string* const line : {&some.front().cut_off, &some.front().left_out}) {
      if (!line->empty() && strict) throw std::runtime_error(*line + " (a warning, which --strict refuses)");
      if (!line->empty()) std::cerr << printable(*line) << '\n';
    }
    const auto of_same_name = [&](const FrameLog& log) {
      return std::ranges::count(some, log.application, &FrameLog::application);
    };
    if (some.size() > 1) {
      std::vector<std::string> names;
      for (const FrameLog& log : some)
        names.push_back(log.name + ": " + log.application + (of_same_name(log) > 1 ? " " + log.swap_chain : ""));
      for (size_t i = 0; i < some.size(); ++i) some[i].name = std::move(names[i]);
    }
    std::ranges::move(some, std::back_inserter(logs));
  }
  if (logs.size() > kMaxPlottedLogs) {
    throw std::runtime_error(std::to_string(logs.size()) + " curves are too many for one picture, which has up to " +
                             std::to_string(kMaxPlottedLogs) + ", from '" + logs[0].name + "' to '" + logs.back().name +
                             "'; name one program (--application)");
  }
  return logs;
}

namespace {

std::string last_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

LineProcess::LineProcess(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                         std::filesystem::path log)
    : name_(std::filesystem::path(command.front()).filename().string()), log_(std::move(log)) {
  // A socket instead of a pipe: writing to a pipe without a reader would kill this program with a signal.
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::runtime_error(name_ + ": no socket: " + std::strerror(errno));
  const int said = open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  socket_ = ends[0];
  const auto close_theirs = [&] {
    close(ends[1]);
    close(said);
  };
  try {
    process_ = start_program(command.front(), command, environment, {ends[1], ends[1], said});
  } catch (...) {
    close_theirs();
    close(socket_);
    throw;
  }
  close_theirs();
}

LineProcess::~LineProcess() {
  close(socket_);
  if (process_ <= 0) return;
  kill(process_, SIGKILL);  // the process needs no orderly shutdown
  waitpid(process_, nullptr, 0);
}

void LineProcess::fail(const std::string& what) {
  const std::string words = last_line(log_);
  throw std::runtime_error(name_ + ": " + what + (words.empty() ? "" : "; it said: " + words));
}

void LineProcess::send(const std::string& line) {
  const std::string text = line + "\n";
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t count = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("it has ended");
    sent += static_cast<size_t>(count);
  }
}

std::string LineProcess::receive(int seconds) {
  for (;;) {
    const size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = poll(&waiting, 1, seconds * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) fail("it gave no answer within " + std::to_string(seconds) + " s");
    std::array<char, 65536> buffer{};
    const ssize_t count = recv(socket_, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("it has ended");
    pending_.append(buffer.data(), static_cast<size_t>(count));
  }
}

}  // namespace brokkr::app
