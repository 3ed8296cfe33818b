// Reading, writing and making texels on a build of the CPU machine (texel_test_kernel.cpp).
#pragma once

#include <array>
#include <cstdint>

#include "frame/texture_tables.h"

namespace brokkr {

struct TexelKernels {
  void (*store)(uint32_t* words, TexelEncoding encoding, uint32_t texel, const std::array<float, 4>& color);
  std::array<float, 4> (*load)(const uint32_t* words, TexelEncoding encoding, uint32_t texel);
  // returns the number of texels that it made
  uint32_t (*make)(uint32_t* words, const TextureTexels& texture, uint32_t level);
};

}  // namespace brokkr
