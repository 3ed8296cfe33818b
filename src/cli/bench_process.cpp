#include "cli/bench_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace brokkr::app {
namespace {

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (added.count(text.substr(0, text.find('='))) == 0) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

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
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  std::vector<std::string> words = command, variables = merged_environment(environment);
  const int error = posix_spawn(&process_, command.front().c_str(), &actions, nullptr, pointers(words).data(),
                                pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  socket_ = ends[0];
  if (error == 0) return;
  close(socket_);
  throw std::runtime_error(command.front() + ": cannot be started: " + std::strerror(error));
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
