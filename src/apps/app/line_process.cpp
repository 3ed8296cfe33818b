#include "app/line_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "base/process.h"

namespace brokkr::app {
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
  // A socket and not a pipe: a write to a pipe without a reader would end this program by a signal.
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
  kill(process_, SIGKILL);  // the process holds nothing that needs an orderly end
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
