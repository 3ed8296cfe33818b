// From MP-5 on: a depth per pixel in 24 bits, at the framebuffer's addresses.
#pragma once

#include <cstdint>
#include <vector>

#include "common/framebuffer.h"

namespace course {

inline constexpr uint32_t kFarthest = (1u << 24) - 1;  // depth 1; depth 0 is 0

class DepthBuffer {
 public:
  explicit DepthBuffer(const Framebuffer& framebuffer) : codes_(framebuffer.words(), kFarthest) {}
  uint32_t read(size_t address) {
    ++reads;
    return codes_.at(address);
  }
  void write(size_t address, uint32_t code) {
    ++writes;
    codes_.at(address) = code;
  }

  uint64_t reads = 0, writes = 0;

 private:
  std::vector<uint32_t> codes_;
};

}  // namespace course
