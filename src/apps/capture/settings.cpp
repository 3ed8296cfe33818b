#include "capture/settings.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string_view>

namespace brokkr::capture {
namespace {

std::string text(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string program_name() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "unknown program" : path.filename().string();
}

Settings read() {
  Settings result;
  result.output = text("BROKKR_CAPTURE_OUTPUT");
  result.status = text("BROKKR_CAPTURE_STATUS");
  result.key = text("BROKKR_CAPTURE_KEY");
  result.application = text("BROKKR_CAPTURE_APPLICATION");
  result.license = text("BROKKR_CAPTURE_LICENSE");
  const std::string frame = text("BROKKR_CAPTURE_FRAME");
  const std::string count = text("BROKKR_CAPTURE_COUNT");
  if (!frame.empty()) result.frame = std::strtoll(frame.c_str(), nullptr, 10);
  if (!count.empty()) result.count = std::strtoll(count.c_str(), nullptr, 10);
  result.every = std::strtoll(text("BROKKR_CAPTURE_EVERY").c_str(), nullptr, 10);
  result.fast_forward = text("BROKKR_CAPTURE_FAST_FORWARD") == "1";
  result.check_state = text("BROKKR_CAPTURE_CHECK_STATE") == "1";
  result.programs = text("BROKKR_CAPTURE_NO_PROGRAMS") != "1";
  const std::string limit = text("BROKKR_CAPTURE_TEXTURE_LIMIT");
  if (!limit.empty()) result.texture_limit = std::strtoull(limit.c_str(), nullptr, 10) << 20;
  result.keep_running = text("BROKKR_CAPTURE_KEEP_RUNNING") == "1";
  if (result.application.empty()) result.application = program_name();
  return result;
}

constexpr uint64_t kNamedSkips = 20;

// Writes each line with one call, so that lines of several threads and processes do not mix.
void write_line(int file, std::string line) {
  line += '\n';
  for (size_t written = 0; written < line.size();) {
    const ssize_t count = write(file, line.data() + written, line.size() - written);
    if (count <= 0) return;
    written += static_cast<size_t>(count);
  }
}

}  // namespace

// Never destroyed: threads may still swap while the process exits.
const Settings& settings() {
  static const auto* const result = new Settings(read());
  return *result;
}

void report(const std::string& message) { write_line(STDERR_FILENO, "brokkr capture: " + message); }

void report_skipped(int64_t frame, const std::string& label, const std::string& reason, uint64_t number) {
  if (number > kNamedSkips) return;
  report("frame " + std::to_string(frame) + ", draw " + label + " is not recorded: " + reason +
         (number == kNamedSkips ? "; further ones are only counted" : ""));
}

namespace {

constexpr int kPatienceMs = 2000;  // maximum time for which the program waits for a busy or stopped reader

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
