// Messages between GPUs over NCCL. Only this file uses NCCL. It needs the header for compilation; the library is loaded
// when ranks are linked.
#if defined(BROKKR_HAVE_NCCL)
#include <dlfcn.h>
#include <nccl.h>

#include <cstdlib>

#include "ranks/square_link.h"

namespace brokkr::ranks {
namespace {

constexpr const char* kLibrary = "libnccl.so.2";
// The oldest version that can be polled for completion, so that no rank waits in it forever.
constexpr int kOldest = NCCL_VERSION(2, 14, 0);

struct Functions {
  decltype(&ncclGetVersion) get_version;
  decltype(&ncclGetUniqueId) get_unique_id;
  decltype(&ncclCommInitRankConfig) init;
  decltype(&ncclCommGetAsyncError) state;
  decltype(&ncclCommAbort) end;
  decltype(&ncclGroupStart) group_start;
  decltype(&ncclGroupEnd) group_end;
  decltype(&ncclSend) send;
  decltype(&ncclRecv) receive;
  decltype(&ncclGetErrorString) error_string;
  decltype(&ncclGetLastError) last_error;

  // `comm`: null if there is none yet.
  [[noreturn]] void fail(ncclResult_t result, const char* what, ncclComm_t comm) const {
    std::string text = std::string("NCCL: ") + what + ": " + error_string(result);
    if (const char* const more = last_error(comm); more != nullptr && *more != '\0') text += std::string("; ") + more;
    throw std::runtime_error(text.substr(0, text.find_last_not_of(" \n") + 1));
  }
  void check(ncclResult_t result, const char* what, ncclComm_t comm) const {
    if (result != ncclSuccess && result != ncclInProgress) fail(result, what, comm);
  }
  bool is_ready(ncclComm_t comm, const char* what) const {
    ncclResult_t result = ncclSuccess;
    check(state(comm, &result), what, comm);
    check(result, what, comm);
    return result == ncclSuccess;
  }
};

class NcclLink final : public SquareLink {
 public:
  NcclLink(const Functions& nccl, const Message& id, Talk& talk) : nccl_(nccl) {
    ncclUniqueId unique;
    if (id.size() != sizeof unique) throw std::runtime_error("NCCL: rank 0 sent an id of a different version");
    std::memcpy(&unique, id.data(), sizeof unique);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    try {
      nccl_.check(nccl_.init(&comm_, talk.size(), unique, talk.rank(), &config), "a communicator", comm_);
      talk.wait_for([&] { return nccl_.is_ready(comm_, "a communicator"); }, "NCCL's start");
    } catch (...) {
      end();
      throw;
    }
  }
  ~NcclLink() override { end(); }
  NcclLink(const NcclLink&) = delete;
  NcclLink& operator=(const NcclLink&) = delete;

  void start(std::span<const SquarePiece> sent, std::span<const SquarePiece> received,
             TargetSquares& squares) override {
    auto* const on = static_cast<cudaStream_t>(squares.stream());
    if (on == nullptr) throw std::runtime_error("NCCL: targets are not in a GPU's memory; use --rank-link mpi");
    nccl_.check(nccl_.group_start(), "ncclGroupStart", comm_);
    for (const SquarePiece& piece : sent)
      nccl_.check(nccl_.send(piece.memory, piece.bytes, ncclUint8, piece.rank, comm_, on), "ncclSend", comm_);
    for (const SquarePiece& piece : received)
      nccl_.check(nccl_.receive(piece.memory, piece.bytes, ncclUint8, piece.rank, comm_, on), "ncclRecv", comm_);
    nccl_.check(nccl_.group_end(), "ncclGroupEnd", comm_);
  }
  bool is_done(TargetSquares& squares) override {
    return nccl_.is_ready(comm_, "squares of ranks") && squares.finished();
  }

 private:
  // Aborts without telling other ranks, which may be gone: no transfer of theirs is in progress.
  void end() {
    if (comm_ != nullptr) nccl_.end(comm_);
    comm_ = nullptr;
  }

  const Functions& nccl_;
  ncclComm_t comm_ = nullptr;
};

class NcclLibrary final : public DeviceLibrary {
 public:
  explicit NcclLibrary(const std::string& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(std::string("NCCL: ") + dlerror());
    find(nccl_.get_version, "ncclGetVersion");
    find(nccl_.get_unique_id, "ncclGetUniqueId");
    find(nccl_.init, "ncclCommInitRankConfig");
    find(nccl_.state, "ncclCommGetAsyncError");
    find(nccl_.end, "ncclCommAbort");
    find(nccl_.group_start, "ncclGroupStart");
    find(nccl_.group_end, "ncclGroupEnd");
    find(nccl_.send, "ncclSend");
    find(nccl_.receive, "ncclRecv");
    find(nccl_.error_string, "ncclGetErrorString");
    find(nccl_.last_error, "ncclGetLastError");
    int version = 0;
    nccl_.check(nccl_.get_version(&version), "ncclGetVersion", nullptr);
    if (version < kOldest) throw std::runtime_error("NCCL: " + file + " is older than 2.14");
  }

  Message make_id() override {
    ncclUniqueId id;
    nccl_.check(nccl_.get_unique_id(&id), "ncclGetUniqueId", nullptr);
    Message message;
    append<char>(message, std::span(id.internal));
    return message;
  }
  std::unique_ptr<SquareLink> join(const Message& id, Talk& talk) override {
    return std::make_unique<NcclLink>(nccl_, id, talk);
  }

 private:
  template <class F>
  void find(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(handle_, name));
    if (function == nullptr) throw std::runtime_error(std::string("NCCL: the library has no ") + name);
  }

  void* handle_;  // never closed, because threads of the library may outlive a communicator
  Functions nccl_{};
};

}  // namespace

std::unique_ptr<DeviceLibrary> open_nccl(const std::string& file) {
  const char* const named = std::getenv("BROKKR_NCCL");
  return std::make_unique<NcclLibrary>(!file.empty() ? file : named != nullptr && *named != '\0' ? named : kLibrary);
}

}  // namespace brokkr::ranks
#endif
