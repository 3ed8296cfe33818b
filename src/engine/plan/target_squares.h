// Squares of targets, packed from a machine's memory. Ranks exchange them without assembling whole targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace brokkr {

struct OwnedBins;
struct TargetPlan;

// The planes of all targets in host or device memory (target/target_tables.h).
struct SquarePlanes {
  uint32_t *color, *color_high, *more_colors, *depth, *stencil;
};

// Packs tiles of 8 x 8 samples as they are stored: plane by plane, within a plane layer by layer, and within a layer
// row by row. Every machine produces the same bytes, even if its regions differ. The last launch must have ended
// without being cut off. Throws std::runtime_error if a device fails.
class TargetSquares {
 public:
  virtual ~TargetSquares() = default;
  // The packed size in bytes of the squares that `rank` owns in these planes (PlaneBit) of a target.
  virtual size_t bytes(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes) = 0;
  // pack copies the squares to memory of the machine, unpack copies them back. Both copy as many bytes as `bytes`
  // returns, and both return when the copy is complete.
  virtual void pack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, void* to) = 0;
  virtual void unpack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, const void* from) = 0;
  // The machine's memory for messages: at least `bytes`, valid until the next call. to_host and from_host copy between
  // this memory and host memory.
  virtual void* memory(size_t bytes) = 0;
  virtual void to_host(const void* memory, void* host, size_t bytes) = 0;
  virtual void from_host(void* memory, const void* host, size_t bytes) = 0;
  // stream: the cudaStream_t on which that memory is copied between devices; null if it is host memory. finished:
  // returns true if all work that was submitted to the stream has ended.
  virtual void* stream() { return nullptr; }
  virtual bool finished() { return true; }
};

// Shares the planes of a launch.
class LaunchSquares : public TargetSquares {
 public:
  // Uses the planes of the last launch, which must outlive this object's use of them.
  void use(const SquarePlanes& planes, const TargetPlan& plan) {
    planes_ = planes;
    plan_ = &plan;
  }
  size_t bytes(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes) override;

 protected:
  SquarePlanes planes_{};
  const TargetPlan* plan_ = nullptr;
};

// Words of a plane, stored tile by tile: each tile has `of_tile` words, and plane[first] is the first word of tile
// first_tile.
struct TileWords {
  uint32_t* plane;
  uint32_t of_tile;
  uint64_t first = 0, first_tile = 0;
};
std::vector<TileWords> words_of_planes(const TargetPlan& plan, const SquarePlanes& memory, uint32_t target,
                                       uint32_t planes);
// The numbers of a target's tiles that the rank owns, counted over all targets. A tile has 64 samples.
std::vector<uint32_t> tiles_of_rank(const TargetPlan& plan, const OwnedBins& owned, uint32_t rank, uint32_t target);

// The squares of targets in host memory.
class HostSquares final : public LaunchSquares {
 public:
  void pack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, void* to) override;
  void unpack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, const void* from) override;
  void* memory(size_t bytes) override;
  void to_host(const void* memory, void* host, size_t bytes) override;
  void from_host(void* memory, const void* host, size_t bytes) override;

 private:
  // Calls f(words of a tile, their count) in packed order.
  template <class F>
  void for_tiles(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, F&& f) const;

  std::vector<std::byte> memory_;
};

}  // namespace brokkr
