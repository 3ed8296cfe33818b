// Squares of targets from the memory of one rank's GPU to that of another: NCCL carries them (nccl_link.cpp) where
// every rank draws on a GPU and has the library. Everywhere else they go through hosts, over MPI.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "brokkr/options.h"
#include "ranks/settings.h"
#include "ranks/square_link.h"

namespace brokkr::ranks {

// The library, opened where it is asked for: nothing needs it to start.
class DeviceLibrary {
 public:
  virtual ~DeviceLibrary() = default;
  // What rank 0 makes and all ranks are given, so that they find each other.
  virtual Message make_id() = 0;
  // Together with all other ranks. Throws std::runtime_error; also where they have not come after `timeout_s` seconds.
  virtual std::unique_ptr<SquareLink> join(const Message& id, Talk& talk) = 0;
};
// Throws std::runtime_error where this program was built without it or it is not on this computer. `file`: of the
// library; empty: the environment's BROKKR_NCCL, or else the one that the system knows.
std::unique_ptr<DeviceLibrary> open_nccl(const std::string& file = {});

// What a rank says of itself before ranks are linked: why it cannot be, or nothing.
struct LinkAbility {
  LinkMode mode = LinkMode::automatic;
  std::string obstacle;
};
// Why ranks with these abilities, in their order, talk over MPI alone; empty: they do not.
std::string why_not_linked(const std::vector<LinkAbility>& abilities);

// Links all ranks of `talk`, each of which draws with these options and calls this, where they can be linked. Where
// LinkMode::nccl was asked for and they cannot, rank 0 says why in one line. Throws what Talk throws.
void link_devices(Talk& talk, const RenderOptions& options, LinkMode mode);

}  // namespace brokkr::ranks
