#include "shader/front_end.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/loading.h"
#include "base/process.h"

namespace brokkr::shader {

namespace {

constexpr int kPollMs = 50;                           // interval at which `loading` is asked whether to continue
constexpr size_t kMaxBroken = 8;                      // number of programs that may crash the compiler
constexpr uint32_t kMaxResult = uint32_t(256) << 20;  // bytes; far more than a million instructions
constexpr size_t kPiece = size_t(1) << 16;            // bytes that are read at once

void append_number(std::string& bytes, uint32_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string request_of(GlslTask task, const Texts& texts) {
  if (texts.size() == 1 && is_spirv(texts[0])) {
    task = task == GlslTask::compile          ? GlslTask::spirv
           : task == GlslTask::compile_vertex ? GlslTask::spirv_vertex
                                              : GlslTask::disassemble;
  }
  std::string request;
  append_number(request, uint32_t(task));
  append_number(request, uint32_t(texts.size()));
  for (const std::string& text : texts) {
    append_number(request, uint32_t(text.size()));
    request += text;
  }
  return request;
}

GlslAnswer refusal(std::string problem, bool is_lasting = true) {
  return {.bytes = {}, .line = 0, .problem = std::move(problem), .is_lasting = is_lasting};
}

// Parses "12: message".
GlslAnswer fault_of(std::string_view said) {
  GlslAnswer answer;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), answer.line);
  const size_t end_of_number = size_t(end - said.data());
  if (error == std::errc() && said.substr(end_of_number).starts_with(": ")) said.remove_prefix(end_of_number + 2);
  answer.problem = said.empty() ? "it does not compile" : said;
  return answer;
}

// Rejects texts that no compiler needs to see.
std::optional<GlslAnswer> refused(const Texts& texts) {
  size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  if (bytes > kMaxText) return refusal(fmt::format("the shader has {} bytes; at most {} are read", bytes, kMaxText));
  constexpr size_t kMaxTexts = 64;
  if (texts.empty() || texts.size() > kMaxTexts)
    return refusal(fmt::format("a program of {} texts; it has 1 to {}", texts.size(), kMaxTexts));
  return std::nullopt;
}

// A running brokkr-glsl and the data exchanged with it.
class Compiler {
 public:
  explicit Compiler(const std::filesystem::path& program) {
    // Uses a socket because writing to a pipe without a reader would kill this program by a signal.
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::runtime_error("no socket can be made for brokkr-glsl; close other programs");
    socket_ = ends[0];
    const int nowhere = open("/dev/null",
                             O_WRONLY | O_CLOEXEC);  // discards what a library prints before it aborts
    const auto close_theirs = [&] {
      close(ends[1]);
      close(nowhere);
    };
    try {
      process_ = start_program(program, {program.string()}, {}, {ends[1], ends[1], nowhere});
    } catch (...) {
      close_theirs();
      close(socket_);
      throw;
    }
    close_theirs();
  }
  ~Compiler() {
    close(socket_);
    kill(process_, SIGKILL);  // the compiler needs no orderly end
    waitpid(process_, nullptr, 0);
  }
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  void ask(std::string_view request) { outgoing_ += request; }
  bool is_busy() const { return !outgoing_.empty(); }

  // Sends and receives what is possible and waits only for a moment. Returns false if the compiler has ended.
  bool exchange() {
    const short events = short(POLLIN | (outgoing_.empty() ? 0 : POLLOUT));
    pollfd waiting{socket_, events, 0};
    if (poll(&waiting, 1, kPollMs) <= 0) return true;
    if ((waiting.revents & POLLOUT) != 0) {
      const ssize_t sent = send(socket_, outgoing_.data(), outgoing_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) outgoing_.erase(0, size_t(sent));
    }
    if ((waiting.revents & (POLLIN | POLLHUP | POLLERR)) == 0) return true;
    std::array<char, kPiece> piece;
    const ssize_t count = recv(socket_, piece.data(), piece.size(), MSG_DONTWAIT);
    if (count > 0) incoming_.append(piece.data(), size_t(count));
    return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
  }

  // Returns the next answer if it has arrived completely. Sets `broken` if it is the last one.
  std::optional<GlslAnswer> answer(Loading& loading, bool& broken) {
    std::array<uint32_t, 2> head{};
    if (incoming_.size() < sizeof head) return std::nullopt;
    std::memcpy(head.data(), incoming_.data(), sizeof head);
    if (head[1] > kMaxResult) {
      broken = true;
      return refusal("the compiler's result is too large; simplify the shader");
    }
    loading.check(head[1], "programs");
    if (incoming_.size() - sizeof head < head[1]) return std::nullopt;
    std::string bytes = incoming_.substr(sizeof head, head[1]);
    incoming_.erase(0, sizeof head + head[1]);
    broken = head[0] == uint32_t(GlslStatus::broken);
    if (head[0] != uint32_t(GlslStatus::result)) return fault_of(bytes);
    return GlslAnswer{.bytes = std::move(bytes), .line = 0, .problem = {}};
  }

 private:
  pid_t process_ = -1;
  int socket_ = -1;
  std::string outgoing_, incoming_;
};

class Run {
 public:
  Run(GlslTask task, std::span<const Texts* const> programs, Loading& loading,
      const std::function<void(size_t, GlslAnswer)>& take)
      : task_(task), programs_(programs), loading_(loading), take_(take) {}

  void run() {
    std::string missing;
    const auto program = find_beside_library("brokkr-glsl", "src/engine/shader", missing);
    if (missing.empty())
      missing =
          "brokkr-glsl, which compiles shaders, is not installed beside "
          "this program (BROKKR_LIBEXEC names another "
          "folder)";
    size_t broken = 0;
    while (done_ < programs_.size()) {
      if (!program) {
        give(refusal(missing, false));
      } else if (broken == kMaxBroken) {
        give(refusal(fmt::format("it was not compiled, since {} others broke the compiler", kMaxBroken), false));
      } else {
        broken += compile_some(*program) ? 0 : 1;
      }
    }
  }

 private:
  void give(GlslAnswer answer) {
    const size_t number = done_++;
    take_(number, std::move(answer));
    loading_.look(done_, programs_.size());
  }

  // Compiles the remaining programs with one compiler. Returns false if one of them crashed it.
  bool compile_some(const std::filesystem::path& program) {
    Compiler compiler(program);
    size_t asked = done_;
    while (done_ < programs_.size()) {
      if (const auto answer = refused(*programs_[done_])) {
        give(*answer);
        continue;
      }
      bool broken = false;
      if (auto answer = compiler.answer(loading_, broken)) {
        give(std::move(*answer));
        if (broken) return false;
        continue;
      }
      // Sends one request ahead of the current one, so that the compiler does not wait.
      for (asked = std::max(asked, done_); asked < programs_.size() && !compiler.is_busy() && asked < done_ + 2;
           ++asked) {
        if (!refused(*programs_[asked])) compiler.ask(request_of(task_, *programs_[asked]));
      }
      loading_.look(done_, programs_.size());
      if (!compiler.exchange()) {
        give(refusal("the compiler broke off; simplify the shader"));
        return false;
      }
    }
    return true;
  }

  GlslTask task_;
  std::span<const Texts* const> programs_;
  Loading& loading_;
  const std::function<void(size_t, GlslAnswer)>& take_;
  size_t done_ = 0;  // number of programs that have an answer
};

}  // namespace

bool is_spirv(std::string_view text) {
  constexpr uint32_t kMagic = 0x07230203;
  uint32_t first = 0;
  if (text.size() < sizeof first) return false;
  std::memcpy(&first, text.data(), sizeof first);
  return first == kMagic;
}

void run_glsl(GlslTask task, std::span<const Texts* const> programs, Loading& loading,
              const std::function<void(size_t, GlslAnswer)>& take) {
  Run(task, programs, loading, take).run();
}

}  // namespace brokkr::shader
