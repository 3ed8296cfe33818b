// SHA-256 (FIPS 180-4), so that a log names its scene without doubt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace brokkr {

class Sha256 {
 public:
  void add(std::span<const std::byte> bytes);
  std::string hex();  // of everything added; ends the object's use

 private:
  void block(const std::byte* bytes);

  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> rest_{};
  uint64_t length_ = 0;  // bytes
};

}  // namespace brokkr
