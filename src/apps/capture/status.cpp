#include "capture/status.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>

namespace brokkr::capture {
namespace {

constexpr int kPatienceMs = 2000;  // maximum wait, during which the program stands still, for a busy or stopped reader

struct Address {
  int file = -1;
  ino_t inode = 0;
  std::string path;
};

std::optional<Address> parse(std::string_view text) {
  Address result;
  const char* const end = text.data() + text.size();
  const auto file = std::from_chars(text.data(), end, result.file);
  if (file.ec != std::errc() || file.ptr == end || *file.ptr != ':') return std::nullopt;
  const auto inode = std::from_chars(file.ptr + 1, end, result.inode);
  if (inode.ec != std::errc() || inode.ptr == end || *inode.ptr != ':') return std::nullopt;
  result.path.assign(inode.ptr + 1, end);
  return result;
}

bool is_inherited(const Address& address) {
  struct stat found {};
  return address.file >= 0 && fstat(address.file, &found) == 0 && S_ISSOCK(found.st_mode) &&
         found.st_ino == address.inode;
}

bool wait_for(int file, short event) {
  pollfd ready{file, event, 0};
  return poll(&ready, 1, kPatienceMs) == 1 && (ready.revents & event) != 0;
}

// A connection of this process that the reader has accepted: the reader answers with one byte once it has identified
// this process. Returns -1 if there is none, and sets `gone` if the reader has ended.
int connect_to(const std::string& path, bool& gone) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(name.sun_path)) return -1;
  std::memcpy(name.sun_path, path.data(), path.size());
  const int file = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return -1;
  char answer = 0;
  if (connect(file, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 && wait_for(file, POLLIN) &&
      recv(file, &answer, 1, 0) == 1) {
    return file;
  }
  gone = errno == ECONNREFUSED;
  close(file);
  return -1;
}

// The socket of this process. A forked child gets its own connection, because the reader identifies processes by it.
class Channel {
 public:
  int file(const Address& address) {
    if (is_inherited(address)) return address.file;
    if (process_ == getpid()) return connection_;
    if (connection_ >= 0) close(connection_);
    process_ = getpid();
    connection_ = connect_to(address.path, gone_);
    return connection_;
  }
  bool is_abandoned(const Address& address) {
    pollfd hung_up{file(address), 0, 0};
    if (hung_up.fd < 0) return gone_;
    return poll(&hung_up, 1, 0) == 1 && (hung_up.revents & (POLLHUP | POLLERR)) != 0;
  }
  std::mutex mutex;

 private:
  pid_t process_ = 0;
  int connection_ = -1;
  bool gone_ = false;
};

// Never destroyed: threads may still send while the process exits.
Channel& channel() {
  static auto* const result = new Channel;
  return *result;
}

}  // namespace

void send_status(const std::string& address, const std::string& json, bool needed) {
  const std::optional<Address> parsed = parse(address);
  if (!parsed) return;
  const std::lock_guard lock(channel().mutex);
  const int file = channel().file(*parsed);
  if (file < 0) return;
  constexpr int kFlags = MSG_NOSIGNAL | MSG_DONTWAIT;
  if (send(file, json.data(), json.size(), kFlags) >= 0 || !needed || errno != EAGAIN) return;
  if (wait_for(file, POLLOUT)) (void)send(file, json.data(), json.size(), kFlags);
}

bool is_abandoned(const std::string& address) {
  const std::optional<Address> parsed = parse(address);
  if (!parsed) return false;
  const std::lock_guard lock(channel().mutex);
  return channel().is_abandoned(*parsed);
}

}  // namespace brokkr::capture
