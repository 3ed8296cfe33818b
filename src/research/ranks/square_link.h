// What carries packed squares of targets from the memory of one rank's machine to that of another: MPI between hosts,
// or NCCL between GPUs (device_link.h).
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "plan/target_squares.h"
#include "ranks/transport.h"

namespace brokkr::ranks {

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

}  // namespace brokkr::ranks
