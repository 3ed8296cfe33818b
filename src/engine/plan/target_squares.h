// Squares of targets, packed as they lie in a machine's memory: what ranks hand each other, without a picture of whole
// targets in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace brokkr {

struct OwnedBins;
struct TargetPlan;

// Planes of targets in some memory (target/target_tables.h).
struct SquarePlanes {
  uint32_t *color, *color_high, *more_colors, *depth, *stencil;
};

// Tiles of 8 x 8 samples one after another, layer by layer and row by row, of each plane in turn, as they are stored:
// so that every machine has the same bytes, whatever its regions are. Of the last launch, which has ended, and not been
// cut off. Throws std::runtime_error where a device fails.
class TargetSquares {
 public:
  virtual ~TargetSquares() = default;
  // Of `rank`, in these planes (PlaneBit) of a target.
  virtual size_t bytes(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes) = 0;
  // To and from memory of the machine, so many bytes. Both return when it is done.
  virtual void pack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, void* to) = 0;
  virtual void unpack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, const void* from) = 0;
  // The machine's memory for messages: at least `bytes`, until it is asked for again. And between it and the host's.
  virtual void* memory(size_t bytes) = 0;
  virtual void to_host(const void* memory, void* host, size_t bytes) = 0;
  virtual void from_host(void* memory, const void* host, size_t bytes) = 0;
  // A cudaStream_t for what carries that memory from device to device; null: it is the host's. And whether all that was
  // begun on it has ended.
  virtual void* stream() { return nullptr; }
  virtual bool finished() { return true; }
};

// Of the planes of a launch.
class LaunchSquares : public TargetSquares {
 public:
  // The last launch's, which stay as long as this is used.
  void use(const SquarePlanes& planes, const TargetPlan& plan) {
    planes_ = planes;
    plan_ = &plan;
  }
  size_t bytes(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes) override;

 protected:
  SquarePlanes planes_{};
  const TargetPlan* plan_ = nullptr;
};

// Words of a plane that tiles have one after another: `of_tile` of each, from plane[first] on, where those of the tile
// first_tile are.
struct TileWords {
  uint32_t* plane;
  uint32_t of_tile;
  uint64_t first = 0, first_tile = 0;
};
std::vector<TileWords> words_of_planes(const TargetPlan& plan, const SquarePlanes& memory, uint32_t target,
                                       uint32_t planes);
// The rank's tiles of a target: numbers over all targets, of 64 samples each.
std::vector<uint32_t> tiles_of_rank(const TargetPlan& plan, const OwnedBins& owned, uint32_t rank, uint32_t target);

// In host memory.
class HostSquares final : public LaunchSquares {
 public:
  void pack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, void* to) override;
  void unpack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, const void* from) override;
  void* memory(size_t bytes) override;
  void to_host(const void* memory, void* host, size_t bytes) override;
  void from_host(void* memory, const void* host, size_t bytes) override;

 private:
  // f(words of a tile, their number), in the order of the packed ones.
  template <class F>
  void for_tiles(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, F&& f) const;

  std::vector<std::byte> memory_;
};

}  // namespace brokkr
