// MP-6: the texels that the texture unit reads, and a counter of its reads.
#pragma once

#include <cstdint>

#include "common/recording.h"

namespace course {

class TextureMemory {
 public:
  explicit TextureMemory(const Recording& recording) : recording_(recording) {}
  const Texture& texture(int number) const { return recording_.textures.at(size_t(number)); }
  uint32_t read(int number, size_t address) {
    ++reads;
    return texture(number).texels.at(address);
  }

  uint64_t reads = 0;

 private:
  const Recording& recording_;
};

}  // namespace course
