// Which texels of a captured frame's textures are read while it is drawn.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "brokkr/renderer.h"

namespace brokkr {

// Watches the memory that lookups read on a CPU, so that it sees what any kernel or shader reads, and costs those that
// are not watched nothing: between `begin` and `end` the memory's blocks of 4 KiB or more cannot be read, and the first
// access to each brings a signal (SIGSEGV), on which the block is noted and opened. One watch at a time may be between
// these two.
class TexelWatch {
 public:
  // Of the textures that `prepared` holds, which must outlive the watch.
  explicit TexelWatch(const PreparedFrame& prepared);
  ~TexelWatch();
  TexelWatch(const TexelWatch&) = delete;
  TexelWatch& operator=(const TexelWatch&) = delete;

  // Throws std::system_error where the system does not let memory be watched; nothing is watched then.
  void begin();
  void end();

  // Whether one of `count` words from the word `first` of SampledTextures::texels on may have been read or written
  // since the watch was made. Memory in whose page something else lies as well is never watched, and may always have.
  bool was_used(uint64_t first, uint64_t count) const;

  // For the handler of the signal: opens the block of this address. False where it is none of the watched ones.
  bool open(const void* address) noexcept;

 private:
  const std::byte* texels_ = nullptr;
  std::byte* start_ = nullptr;  // of the first block
  size_t block_bytes_ = 0, blocks_ = 0;
  std::unique_ptr<std::atomic<bool>[]> used_;  // by block
  bool watching_ = false;
};

}  // namespace brokkr
