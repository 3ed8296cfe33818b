#include "ranks/transport.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/process.h"
#include "brokkr/version.h"
#include "ranks/costs.h"

namespace brokkr::ranks {
namespace {

// Waits in sleeps between checks, so that a waiting rank leaves its core to others.
class Patience {
 public:
  // Returns false once `limit_s` have passed.
  bool wait(double limit_s) {
    const double waited_ms = ms_since(begin_);
    if (limit_s > 0 && waited_ms > 1000 * limit_s) return false;
    std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(turn_us(1000 * waited_ms)));
    return true;
  }

 private:
  Clock::time_point begin_ = Clock::now();
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

double turn_us(double waited_us) { return std::clamp(waited_us / 8, 10.0, 1000.0); }

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

void Talk::wait_for(const std::function<bool()>& done, const std::string& what) {
  for (Patience patience; !done();) {
    transport_.progress();
    if (!patience.wait(timeout_s_))
      throw std::runtime_error(what + " has not ended for " + seconds(timeout_s_) + "; --timeout allows more");
  }
}

void Talk::link(std::shared_ptr<DeviceLibrary> library, std::shared_ptr<SquareLink> link) {
  link_ = std::move(link);
  library_ = std::move(library);
}

int started_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const char* const text = std::getenv(name)) return std::max(0, std::atoi(text));
  }
  return 0;
}

// `srun --mpi=pmix` provides a rank's number, but the number of ranks only in the variables of its step.
int started_ranks() {
  return std::getenv("PMIX_RANK") != nullptr
             ? number_in_environment({"OMPI_COMM_WORLD_SIZE", "PMIX_SIZE", "SLURM_STEP_NUM_TASKS"})
             : number_in_environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"});
}

int ranks_on_this_computer() {
  return number_in_environment({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE"});
}

std::unique_ptr<Transport> open_transport() {
  std::string refused;
  const auto module = find_beside_library("brokkr-mpi.so", "src/research/ranks", refused);
  if (!refused.empty()) throw std::runtime_error("ranks: " + refused);
  if (!module)
    throw std::runtime_error(
        "ranks: this program was built without MPI; install libopenmpi-dev and build with BROKKR_RANKS=ON");
  // Open MPI's own plugins need its symbols.
  void* const library = dlopen(module->c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw std::runtime_error(std::string("ranks: ") + dlerror());
  auto* const open = reinterpret_cast<BrokkrOpenMpi*>(dlsym(library, "brokkr_open_mpi_" BROKKR_MODULE_VERSION));
  if (open == nullptr)
    throw std::runtime_error("ranks: " + module->string() + " has a different version from this program (" +
                             BROKKR_VERSION + "); install both again");
  const int started = started_ranks();  // MPI changes the environment
  char error[512] = {};
  std::unique_ptr<Transport> transport(open(error, sizeof error));
  if (!transport) throw std::runtime_error(std::string("ranks: ") + error);
  if (started > 1 && transport->size() == 1)
    throw std::runtime_error("ranks: MPI does not know the other ranks, although " + std::to_string(started) +
                             " ranks were started; start them with Open MPI's mpirun, or with srun --mpi=pmix");
  return transport;
}

}  // namespace brokkr::ranks
