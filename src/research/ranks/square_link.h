// Carries packed squares of targets from the memory of one rank's machine to the memory of another: MPI between hosts,
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

// The GPU that a rank draws on, if its computer has several.

// The value of CUDA_VISIBLE_DEVICES for rank `local_rank` of this computer; ranks take its GPUs in turn. `visible`: the
// current value; if empty, all `devices` are visible. Returns an empty text if there is nothing to choose.
std::string device_of_rank(const std::string& visible, int devices, int local_rank);

// Sets CUDA_VISIBLE_DEVICES, so that CUDA sees one GPU. Call it before CUDA starts. Changes nothing if mpirun does not
// provide the local rank, or if there is only one GPU.
void choose_device();

// Memory of this rank's machine that is sent to another rank, or received from it.
struct SquarePiece {
  int rank = 0;
  void* memory = nullptr;
  size_t bytes = 0;
};

class SquareLink {
 public:
  virtual ~SquareLink() = default;
  // Starts to send and to receive all pieces; between two ranks they keep their order. No other transfer may be under
  // way. Throws std::runtime_error.
  virtual void start(std::span<const SquarePiece> sent, std::span<const SquarePiece> received,
                     TargetSquares& squares) = 0;
  // Returns true if all started transfers are complete. Throws std::runtime_error if a rank has failed.
  virtual bool is_done(TargetSquares& squares) = 0;
};

// The link through hosts, which uses messages of Talk.
class HostLink final : public SquareLink {
 public:
  explicit HostLink(Talk& talk) : talk_(talk) {}
  void start(std::span<const SquarePiece> sent, std::span<const SquarePiece> received, TargetSquares& squares) override;
  bool is_done(TargetSquares& squares) override;

 private:
  Talk& talk_;
  std::map<int, std::vector<SquarePiece>> awaited_;  // by rank; the next one comes last
};

// If every rank draws on a GPU and has NCCL, NCCL carries squares from GPU to GPU (nccl_link.cpp). Otherwise they go
// through hosts, over MPI.

// NCCL's library. It is loaded on request, so that no program needs it to start.
class DeviceLibrary {
 public:
  virtual ~DeviceLibrary() = default;
  // Rank 0 makes this identifier, and all ranks receive it, so that they can find each other.
  virtual Message make_id() = 0;
  // All ranks call this together. Throws std::runtime_error, also if a rank is missing after Talk's timeout.
  virtual std::unique_ptr<SquareLink> join(const Message& id, Talk& talk) = 0;
};
// Loads NCCL. `file`: the library's file; if empty, the environment variable BROKKR_NCCL or the system's library.
// Throws std::runtime_error if this program was built without NCCL, or if the library is not on this computer.
std::unique_ptr<DeviceLibrary> open_nccl(const std::string& file = {});

// A rank's message before linking: the reason why it cannot be linked, if there is one.
struct LinkAbility {
  LinkMode mode = LinkMode::automatic;
  std::string obstacle;
};
// The reason why ranks with these abilities use only MPI; empty if they can be linked.
std::string why_not_linked(const std::vector<LinkAbility>& abilities);

// Links all ranks of `talk` if possible. Each rank calls this with the options that it draws with. If linking is
// impossible and `mode` is LinkMode::nccl, rank 0 prints the reason in one line. Throws what Talk throws.
void link_devices(Talk& talk, const RenderOptions& options, LinkMode mode);

}  // namespace brokkr::ranks
