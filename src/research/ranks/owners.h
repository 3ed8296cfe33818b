// A picture of who owns what.
#pragma once

#include <cstdint>
#include <vector>

#include "brokkr/renderer.h"
#include "plan/part.h"

namespace brokkr::ranks {

// A layer of a target in grey, each square tinted by its owner; rows bottom to top.
std::vector<uint32_t> tint_by_owner(const Layer& layer, uint32_t target, const OwnedBins& owners);

}  // namespace brokkr::ranks
