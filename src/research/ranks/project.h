// Cooperative projection [Kim17, 4.2]: which ranks need a primitive, by the box that it has on the screen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "brokkr/renderer.h"
#include "machine/worker_pool.h"
#include "ranks/sequence.h"
#include "ranks/settings.h"
#include "ranks/transport.h"

namespace brokkr::ranks {

// A primitive's box of samples; nothing of it is seen where it is empty.
struct ScreenBox {
  int32_t min_x = 0, min_y = 0, max_x = -1, max_y = -1;
  bool empty() const { return min_x > max_x || min_y > max_y; }
};

// Primitive ids by the rank that needs them, each in ascending order.
using IdsByRank = std::vector<std::vector<uint32_t>>;

class [[gnu::visibility("hidden")]] Projector {
 public:
  Projector(const PreparedFrame::Impl& frame, const GivenDraws& whole, const OwnedBins& owners);

  // Primitives begin .. end - 1 of the merge. From any thread. `ids` has a list for each rank, which is added to.
  void project(const Merge& merge, uint64_t begin, uint64_t end, IdsByRank& ids) const;

  // f(primitive id, target, box) for these primitives, in order; the box is empty for what the pipeline culls.
  template <class F>
  void for_boxes(const Merge& merge, uint64_t begin, uint64_t end, F&& f) const;

  // A bit for each rank that owns some sample of the box.
  uint64_t ranks_of(uint32_t target, const ScreenBox& box) const;

 private:
  struct OpenRun {
    const DrawRecord* draw = nullptr;
    uint32_t first_primitive = 0, target = 0;
    const float* positions = nullptr;  // of the run's first vertex
    float clip[16] = {};
  };
  OpenRun open(size_t run) const;
  ScreenBox box_of(const OpenRun& run, uint32_t triangle) const;

  const PreparedFrame::Impl& frame_;
  const GivenDraws& whole_;
  const OwnedBins& owners_;
  uint64_t everybody_;
};

template <class F>
void Projector::for_boxes(const Merge& merge, uint64_t begin, uint64_t end, F&& f) const {
  for (size_t r = merge.first_run; r < merge.end_run && begin < end; ++r) {
    const uint64_t first = merge.before[r - merge.first_run];
    const OpenRun run = open(r);
    const uint64_t last = std::min<uint64_t>(end, first + run.draw->triangle_count);
    for (; begin < last; ++begin) {
      const auto triangle = uint32_t(begin - first);
      f(run.first_primitive + triangle, run.target, box_of(run, triangle));
    }
  }
}

// Cooperative projection and distribution [Kim17, 3 and 4]: the ids of the primitives that this rank has to draw.

// The last-triangle marker: no primitive has this id.
inline constexpr uint32_t kLastTriangle = kNoPrimitive;

struct DistributionCounts {
  uint64_t merges = 0;
  uint64_t projected = 0;            // primitives that this rank projected
  std::vector<uint64_t> taken_from;  // per rank: ids that came from it; of its own, those that stayed
  uint64_t id_bytes = 0;             // sent to others, markers among them
  double project_ms = 0;             // of it, time in which ranks' messages went on as well
  double wait_ms = 0;                // for ids of others
};

class [[gnu::visibility("hidden")]] Distribution {
 public:
  // `workers`: threads that project.
  Distribution(Talk & talk, const Projector& projector, int workers, bool runahead);

  // All ranks with the same merges. Returns ids in ascending order.
  std::vector<uint32_t> run(const std::vector<Merge>& merges, DistributionCounts& counts);

 private:
  IdsByRank project(const Merge& merge, DistributionCounts& counts);
  void send(IdsByRank & ids, DistributionCounts & counts);
  void take(DistributionCounts & counts);
  void append_ids(int from, const std::vector<uint32_t>& ids, DistributionCounts& counts);

  Talk& talk_;
  const Projector& projector_;
  int workers_;
  bool runahead_;
  WorkerPool pool_;
  std::vector<std::vector<uint32_t>> own_;  // of merges that are under way, the oldest first
  std::vector<uint32_t> given_;
};

// The evenness with which a pattern divides a frame.
struct Balance {
  std::string pattern;
  double fragments = 0;   // of the rank with most, over the mean
  double primitives = 0;  // likewise
  double copies = 0;      // ranks that a primitive goes to, on average over those that some rank needs
};

// For each kind of pattern. Fragments are those of the main target. Throws what rendering throws.
std::vector<Balance> measure_balance(const Frame& frame, const RenderOptions& options, const RankSettings& settings,
                                     int ranks);

}  // namespace brokkr::ranks
