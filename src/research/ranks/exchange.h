// Ranks get each other's squares of targets.
#pragma once

#include <memory>
#include <vector>

#include "brokkr/renderer.h"
#include "ranks/sequence.h"
#include "ranks/square_link.h"

namespace brokkr::ranks {

class SquareExchange {
 public:
  virtual ~SquareExchange() = default;
  // All ranks call these with the same planes. Returned are the bytes that this rank has sent. Throws what Talk throws.
  // Every rank then has the squares of all.
  virtual uint64_t broadcast(const std::vector<PlaneUse>& uses) = 0;
  // Rank 0 has.
  virtual uint64_t gather(const std::vector<PlaneUse>& uses) = 0;
};

// Of targets in the memory of a machine, over Talk::link or else from host to host. All arguments outlive the exchange.
std::unique_ptr<SquareExchange> exchange_in_memory(Talk& talk, const OwnedBins& owned, TargetSquares& squares);
// Of pictures, whose identifiers go with their colours and depths.
std::unique_ptr<SquareExchange> exchange_in_pictures(Talk& talk, const OwnedBins& owned,
                                                     std::vector<TargetImage>& targets);

}  // namespace brokkr::ranks
