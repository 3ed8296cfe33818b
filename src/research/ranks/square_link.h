// What carries packed squares of targets from the memory of one rank's machine to that of another: MPI between hosts,
// or NCCL between GPUs (DeviceLibrary).
#pragma once

#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "brokkr/options.h"
#include "plan/target_squares.h"
#include "ranks/settings.h"
#include "ranks/transport.h"

namespace brokkr::ranks {

// Which GPU a rank draws on, where its computer has several.

// What CUDA_VISIBLE_DEVICES is to be for rank `local_rank` of those on this computer: they take its GPUs in turn.
// `visible`: the variable so far; empty: all `devices` are. Empty: there is nothing to choose.
std::string own_device(const std::string& visible, int devices, int local_rank);

// Sets it, so that CUDA, which must not have begun yet, sees one GPU. Nothing is changed where mpirun does not say
// which of this computer's ranks this is, or where there is one GPU.
void choose_device();

// Memory of this rank's machine that goes to another rank, or is filled from there.
struct SquarePiece {
  int rank = 0;
  void* memory = nullptr;
  size_t bytes = 0;
};

class SquareLink {
 public:
  virtual ~SquareLink() = default;
  // Begins to send and to receive all of these; between two ranks they keep their order. Nothing else is under way.
  // Throws std::runtime_error.
  virtual void start(std::span<const SquarePiece> sent, std::span<const SquarePiece> received, TargetSquares& of) = 0;
  // Whether all that was started is done. Throws std::runtime_error where a rank has failed.
  virtual bool is_done(TargetSquares& of) = 0;
};

// Through hosts, over what Talk speaks.
class HostLink final : public SquareLink {
 public:
  explicit HostLink(Talk& talk) : talk_(talk) {}
  void start(std::span<const SquarePiece> sent, std::span<const SquarePiece> received, TargetSquares& of) override;
  bool is_done(TargetSquares& of) override;

 private:
  Talk& talk_;
  std::map<int, std::vector<SquarePiece>> awaited_;  // by rank, the next one last
};

// Squares of targets from the memory of one rank's GPU to that of another: NCCL carries them (nccl_link.cpp) where
// every rank draws on a GPU and has the library. Everywhere else they go through hosts, over MPI.

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
