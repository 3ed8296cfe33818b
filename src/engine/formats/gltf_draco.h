// Meshes that KHR_draco_mesh_compression packs. A build without libdraco (BROKKR_DRACO) reads none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/loading.h"

namespace brokkr {

struct DracoMesh {
  struct Attribute {
    uint32_t components = 0;
    std::vector<float> values;  // of each vertex in turn; normalized integers from -1 or 0 to 1
  };
  uint64_t vertices = 0;
  std::vector<uint32_t> indices;        // three for each triangle
  std::map<uint64_t, Attribute> by_id;  // by Draco's unique number
};

inline constexpr bool kHasDraco =
#ifdef BROKKR_HAVE_DRACO
    true;
#else
    false;
#endif

// Throws std::runtime_error that says what is wrong and what to do, and LimitReached.
DracoMesh decode_draco(std::span<const std::byte> data, std::span<const uint64_t> ids, Loading& loading);

}  // namespace brokkr
