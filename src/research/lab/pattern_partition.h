// A frame's triangles in submission order, and the load of consecutive parts of them ([Kerbl17, 4.6], [Kerbl18,
// 7.4.6]).
#pragma once

#include <functional>
#include <utility>

#include "lab/pattern_measures.h"

namespace brokkr::lab {

// The triangles of the frame's main target, as a list that can be cut anywhere.
class TriangleStream {
 public:
  // Keeps a reference to `frame`.
  explicit TriangleStream(const Frame& frame);

  uint64_t triangles() const { return triangles_; }
  // A frame that contains only triangles first .. last - 1, with their states.
  Frame slice(uint64_t first, uint64_t last) const;

 private:
  struct Draw {
    size_t command = 0;
    std::vector<uint32_t> indices;     // one instance's triangles
    std::vector<glm::vec4> positions;  // lines and points as triangles; empty if the frame's own positions are used
  };
  struct Part {  // one instance of a draw in one view
    size_t draw = 0;
    uint32_t view = 0, instance = 0;
    uint64_t first = 0;  // first triangle in the stream
  };
  void append(Frame& out, const Part& part, uint64_t first, uint64_t last) const;

  const Frame& frame_;
  uint32_t target_;
  std::vector<Draw> draws_;
  std::vector<Part> parts_;
  uint64_t triangles_ = 0;
};

// Fragments of one batch of triangles, per bin of kPartitionBin pixels with at least one.
inline constexpr int kPartitionBin = 16;
// Pairs of a bin number (row by row from the bottom) and its fragments.
using BatchLoad = std::vector<std::pair<uint32_t, uint32_t>>;

// The first triangle of batch i of `count`; sizes differ by at most one triangle.
inline uint64_t batch_begin(uint64_t triangles, uint64_t i, uint64_t count) { return triangles * i / count; }

struct PartitionOptions {
  uint64_t finest = 10000;  // up to this number of batches, all are rendered ...
  uint64_t sample = 200;    // ... and of finer partitions this many batches, evenly spaced
  int workers = 1;
};

// The loads of one partition's batches.
struct Partition {
  uint64_t batches = 1;          // M
  std::vector<BatchLoad> loads;  // one per rendered batch
};

// Computes partitions into M = 1, 2, 5, 10, 20, ... 10 000 batches of equal size, up to the number of triangles.
// `progress` receives the completed fraction of a partition.
std::vector<Partition> partition_frame(const Frame& frame, const PartitionOptions& options,
                                       const std::function<void(double)>& progress);

// The mean of c_v over the batches that produced fragments. `x`: number of bins of kPartitionBin pixels per row. `bin`:
// a multiple of kPartitionBin.
double mean_cv(const Pattern& pattern, const Partition& partition, int x, int bin);

}  // namespace brokkr::lab
