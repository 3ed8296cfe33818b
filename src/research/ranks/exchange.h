// Ranks get each other's squares of targets.
#pragma once

#include <memory>
#include <vector>

#include "brokkr/renderer.h"
#include "ranks/sequence.h"
#include "ranks/square_link.h"
#include "ranks/transport.h"

namespace brokkr::ranks {

// What a rank has drawn: the samples of its squares of some planes of a target, one after another.

// Takes the squares of `rank` out of the target's pictures.
Message pack_squares(const TargetImage& image, const OwnedBins& bins, uint32_t rank, PlaneUse use);

// Puts them into those of another rank. Throws std::runtime_error where the message is not of the size that follows.
void unpack_squares(const Message& message, const OwnedBins& bins, uint32_t rank, PlaneUse use, TargetImage& image);

// The same of the first colour of a whole layer. `from` is the rank that sent it.
Message pack_color(const Layer& layer);
void unpack_color(const Message& message, int from, Layer& layer);

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
