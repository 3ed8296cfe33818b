#include "ranks/transport.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "brokkr/version.h"
#include "ranks/stopwatch.h"
#include "scene/process.h"

namespace brokkr::ranks {
namespace {

// Looks again and again, and sleeps between: a rank that waits leaves its core to others.
class Patience {
 public:
  // Returns false once `limit_s` have passed.
  bool wait(double limit_s) {
    if (limit_s > 0 && ms_since(begin_) > 1000 * limit_s) return false;
    std::this_thread::sleep_for(sleep_);
    sleep_ = std::min(sleep_ * 2, std::chrono::microseconds(1000));
    return true;
  }

 private:
  Clock::time_point begin_ = Clock::now();
  std::chrono::microseconds sleep_{10};
};

int number_in_environment(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    const int number = std::atoi(text);
    if (number > 0) return number;
  }
  return 1;
}

std::string seconds(double s) { return std::to_string(int(s)) + " s"; }

}  // namespace

void Talk::send_all(Channel channel, Message message) {
  const auto shared = std::make_shared<const Message>(std::move(message));
  for (int to = 0; to < size(); ++to) {
    if (to != rank()) transport_.send(to, channel, shared);
  }
}

Message Talk::receive(int from, Channel channel) {
  for (Patience patience;;) {
    if (std::optional<Message> message = transport_.receive(from, channel)) return std::move(*message);
    if (!patience.wait(timeout_s_))
      throw std::runtime_error("rank " + std::to_string(from) + " has not answered for " + seconds(timeout_s_) +
                               "; --timeout allows more");
  }
}

Message Talk::await(int from, Channel channel) {
  for (Patience patience;; patience.wait(0)) {
    if (std::optional<Message> message = transport_.receive(from, channel)) return std::move(*message);
  }
}

void Talk::flush() {
  for (Patience patience; !transport_.progress();) {
    if (!patience.wait(timeout_s_))
      throw std::runtime_error("the others have not taken this rank's messages for " + seconds(timeout_s_) +
                               "; --timeout allows more");
  }
}

int started_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const char* const text = std::getenv(name)) return std::max(0, std::atoi(text));
  }
  return 0;
}

int started_ranks() { return number_in_environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE"}); }

int ranks_on_this_computer() { return number_in_environment({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}); }

std::unique_ptr<Transport> open_transport() {
  const auto module = find_beside_library("brokkr-mpi.so", "src/ranks");
  if (!module)
    throw std::runtime_error(
        "ranks: this program was built without MPI; install libopenmpi-dev and build with BROKKR_RANKS=ON");
  // Open MPI's own plugins look for its symbols.
  void* const library = dlopen(module->c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw std::runtime_error(std::string("ranks: ") + dlerror());
  auto* const open = reinterpret_cast<BrokkrOpenMpi*>(dlsym(library, "brokkr_open_mpi_" BROKKR_MODULE_VERSION));
  if (open == nullptr)
    throw std::runtime_error("ranks: " + module->string() + " is of another version than this program (" +
                             BROKKR_VERSION + "); install both anew");
  char error[512] = {};
  std::unique_ptr<Transport> transport(open(error, sizeof error));
  if (!transport) throw std::runtime_error(std::string("ranks: ") + error);
  return transport;
}

}  // namespace brokkr::ranks
