// What a rank has drawn: the samples of its squares of some planes of a target, one after another.
#pragma once

#include "brokkr/renderer.h"
#include "ranks/sequence.h"
#include "ranks/transport.h"

namespace brokkr::ranks {

// Takes the squares of `rank` out of the target's pictures.
Message pack_squares(const TargetImage& image, const OwnedBins& bins, uint32_t rank, PlaneUse use);

// Puts them into those of another rank. Throws std::runtime_error where the message is not of the size that follows.
void unpack_squares(const Message& message, const OwnedBins& bins, uint32_t rank, PlaneUse use, TargetImage& image);

// The same of the first colour of a whole layer. `from` is the rank that sent it.
Message pack_color(const Layer& layer);
void unpack_color(const Message& message, int from, Layer& layer);

}  // namespace brokkr::ranks
