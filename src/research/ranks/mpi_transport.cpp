// Messages over MPI. Only this file uses MPI. It is a separate module, so that programs start without MPI unless ranks
// are requested. Only the start and the end of MPI wait; nothing else here does.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <utility>

#include "ranks/transport.h"

namespace brokkr::ranks {
namespace {

// MPI counts with an int, so longer messages are sent in pieces, after their length.
constexpr size_t kPiece = size_t(1) << 28;

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error(std::string("MPI: ") + what + ": " + std::string(text, size_t(length)));
}

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    check(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(world_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(world_, &size_), "MPI_Comm_size");
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, Channel channel, std::shared_ptr<const Message> message) override {
    Sent& sent = sent_.emplace_back();
    sent.message = std::move(message);
    sent.length = sent.message->size();
    sent.requests.emplace_back();
    check(MPI_Isend(&sent.length, 1, MPI_UINT64_T, to, 2 * int(channel), world_, &sent.requests.back()), "MPI_Isend");
    for (size_t at = 0; at < sent.length; at += kPiece) {
      sent.requests.emplace_back();
      check(MPI_Isend(sent.message->data() + at, int(std::min(kPiece, size_t(sent.length) - at)), MPI_BYTE, to,
                      2 * int(channel) + 1, world_, &sent.requests.back()),
            "MPI_Isend");
    }
  }

  std::optional<Message> receive(int from, Channel channel) override {
    progress();
    Received& state = received_[{from, channel}];
    if (state.request == MPI_REQUEST_NULL) {
      check(MPI_Irecv(&state.length, 1, MPI_UINT64_T, from, 2 * int(channel), world_, &state.request), "MPI_Irecv");
      state.awaits_length = true;
    }
    for (;;) {
      int done = 0;
      check(MPI_Test(&state.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done == 0) return std::nullopt;
      if (state.awaits_length) {
        state.message.resize(size_t(state.length));
        state.at = 0;
        state.awaits_length = false;
      }
      if (state.at >= state.message.size()) return std::exchange(state.message, {});
      const size_t piece = std::min(kPiece, state.message.size() - state.at);
      check(MPI_Irecv(state.message.data() + state.at, int(piece), MPI_BYTE, from, 2 * int(channel) + 1, world_,
                      &state.request),
            "MPI_Irecv");
      state.at += piece;
    }
  }

  bool progress() override {
    for (auto sent = sent_.begin(); sent != sent_.end();) {
      int done = 0;
      check(MPI_Testall(int(sent->requests.size()), sent->requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      sent = done != 0 ? sent_.erase(sent) : std::next(sent);
    }
    return sent_.empty();
  }

  void finish() override {
    MPI_Comm_free(&world_);
    MPI_Finalize();
  }

  [[noreturn]] void end_all(int code) override {
    MPI_Abort(MPI_COMM_WORLD, code);
    std::abort();
  }

  std::string host() const override {
    char name[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    return MPI_Get_processor_name(name, &length) == MPI_SUCCESS ? std::string(name, size_t(length)) : "?";
  }

 private:
  struct Sent {
    std::shared_ptr<const Message> message;
    uint64_t length = 0;
    std::vector<MPI_Request> requests;
  };
  struct Received {
    MPI_Request request = MPI_REQUEST_NULL;
    bool awaits_length = true;
    uint64_t length = 0;
    size_t at = 0;  // bytes received, or being received
    Message message;
  };

  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::list<Sent> sent_;
  std::map<std::pair<int, Channel>, Received> received_;
};

}  // namespace
}  // namespace brokkr::ranks

extern "C" [[gnu::visibility("default")]] brokkr::ranks::Transport* BROKKR_OPEN_MPI(char* error, size_t error_size) {
  try {
    int provided = 0;
    brokkr::ranks::check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    return new brokkr::ranks::MpiTransport();
  } catch (const std::exception& failure) {
    std::snprintf(error, error_size, "%s", failure.what());
    return nullptr;
  }
}
