// Finds which texels of a captured frame's textures are read while it is drawn.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "brokkr/renderer.h"

namespace brokkr {

// Watches the memory that lookups read on a CPU. It sees the reads of any kernel or shader, without cost when not in
// use: between `begin` and `end` the memory's blocks of 4 KiB or more are unreadable, and the first access to each
// raises a signal (SIGSEGV), whose handler records the block and opens it. Only one watch at a time may be between
// these two calls.
class TexelWatch {
 public:
  // Watches the textures in `prepared`, which must outlive the watch.
  explicit TexelWatch(const PreparedFrame& prepared);
  ~TexelWatch();
  TexelWatch(const TexelWatch&) = delete;
  TexelWatch& operator=(const TexelWatch&) = delete;

  // Throws std::system_error if the system cannot watch memory; nothing is watched then.
  void begin();
  void end();

  // Returns true if one of `count` words from the word `first` of SampledTextures::texels on may have been read or
  // written since the watch was created. Pages that also hold other data are never watched and always return true.
  bool was_used(uint64_t first, uint64_t count) const;

  // For the signal's handler: opens the block at this address. Returns false if the address is not watched.
  bool open(const void* address) noexcept;

 private:
  const std::byte* texels_ = nullptr;
  std::byte* start_ = nullptr;  // of the first block
  size_t block_bytes_ = 0, blocks_ = 0;
  std::unique_ptr<std::atomic<bool>[]> used_;  // by block
  bool watching_ = false;
};

}  // namespace brokkr
