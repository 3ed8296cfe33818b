#include "cli/capture_status.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace brokkr::app {
namespace {

constexpr int kType = SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK;
constexpr int kFirstFree = 200;           // above the numbers that shell scripts use
constexpr size_t kMostConnections = 256;  // further processes are not heard
constexpr size_t kMostLines = 256;        // of one call, so that a flood does not keep the caller from its other work
constexpr size_t kMostLine = size_t(1) << 16;

[[noreturn]] void fail_to_listen() {
  throw std::runtime_error(std::string("no socket for the program's messages can be made (") + std::strerror(errno) +
                           "); close other programs");
}

// A socket in the folder. -1 where its path is too long for one: then there is only what is inherited.
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
  const bool heard = connections_.size() < kMostConnections &&
                     getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && is_ours(peer.pid) &&
                     setsockopt(file, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0;
  const char answer = '\n';  // whoever connects waits for it, so that it still runs when it is looked up
  if (heard && send(file, &answer, 1, MSG_NOSIGNAL) == 1) {
    connections_.emplace(file, peer.pid);
  } else {
    close(file);
  }
}

// False at the end of the stream.
bool StatusChannel::read_one(int file, pid_t sender, std::vector<Line>& lines) const {
  std::string text(kMostLine, '\0');
  alignas(cmsghdr) std::array<char, 256> control{};
  iovec part{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = recvmsg(file, &message, MSG_CMSG_CLOEXEC);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  bool is_message = false;  // the system signs each, also an empty one; not so the end
  for (cmsghdr* part_of = CMSG_FIRSTHDR(&message); part_of != nullptr; part_of = CMSG_NXTHDR(&message, part_of)) {
    if (part_of->cmsg_level != SOL_SOCKET) continue;
    if (part_of->cmsg_type == SCM_CREDENTIALS) {
      ucred from{};
      std::memcpy(&from, CMSG_DATA(part_of), sizeof from);
      if (sender == 0) sender = from.pid;
      is_message = true;
    } else if (part_of->cmsg_type == SCM_RIGHTS) {
      // Nobody asked for descriptors.
      for (size_t at = CMSG_LEN(0); at + sizeof(int) <= part_of->cmsg_len; at += sizeof(int)) {
        int unwanted = -1;
        std::memcpy(&unwanted, reinterpret_cast<const char*>(part_of) + at, sizeof unwanted);
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
    for (size_t before = lines.size() + 1; open && lines.size() < kMostLines && before != lines.size();) {
      before = lines.size();
      open = read_one(ready.fd, sender, lines);
    }
    if (open) continue;
    close(ready.fd);
    if (ready.fd == ours_) ours_ = -1;  // poll passes over it
    connections_.erase(ready.fd);
  }
  return lines;
}

}  // namespace brokkr::app
