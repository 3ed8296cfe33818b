// Cooperative projection [Kim17, 4.2]: finds the ranks that need a primitive from its box on the screen.
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

// The box of a primitive in samples. If it is empty, the primitive is invisible.
struct ScreenBox {
  int32_t min_x = 0, min_y = 0, max_x = -1, max_y = -1;
  bool empty() const { return min_x > max_x || min_y > max_y; }
};

// Primitive ids by the rank that needs them, each in ascending order.
using IdsByRank = std::vector<std::vector<uint32_t>>;

class [[gnu::visibility("hidden")]] Projector {
 public:
  Projector(const PreparedFrame::Impl& frame, const GivenDraws& whole, const OwnedBins& owners);

  // Projects primitives begin .. end - 1 of the merge. May be called from any thread. Adds ids to `ids`, which has one
  // list per rank.
  void project(const Merge& merge, uint64_t begin, uint64_t end, IdsByRank& ids) const;

  // Calls f(primitive id, target, box) for these primitives, in order. The box is empty if the pipeline culls the
  // primitive.
  template <class F>
  void for_boxes(const Merge& merge, uint64_t begin, uint64_t end, F&& f) const;

  // One bit for each rank that owns a sample of the box.
  uint64_t ranks_of(uint32_t target, const ScreenBox& box) const;

 private:
  struct OpenRun {
    const DrawRecord* draw = nullptr;
    uint32_t first_primitive = 0, target = 0;
    const float* positions = nullptr;  // position of the first vertex of the run
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

// Cooperative projection and distribution [Kim17, 3 and 4]: finds the ids of the primitives that this rank must draw.

// The last-triangle marker: no primitive has this id.
inline constexpr uint32_t kLastTriangle = kNoPrimitive;

struct DistributionCounts {
  uint64_t merges = 0;
  uint64_t projected = 0;            // primitives that this rank projected
  std::vector<uint64_t> taken_from;  // per rank: number of ids received from it; for this rank, ids that stayed
  uint64_t id_bytes = 0;             // sent to other ranks, including markers
  double project_ms = 0;             // includes progress on other ranks' messages
  double wait_ms = 0;                // waiting for ids of other ranks
};

class [[gnu::visibility("hidden")]] Distribution {
 public:
  // `workers`: number of threads that project.
  Distribution(Talk & talk, const Projector& projector, int workers, bool runahead);

  // All ranks call this with the same merges. Returns ids in ascending order.
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
  std::vector<std::vector<uint32_t>> waiting_ids_;  // this rank's, for merges in progress, oldest first
  std::vector<uint32_t> given_;
};

// The evenness with which a pattern divides a frame.
struct Balance {
  std::string pattern;
  double fragments = 0;   // maximum over ranks divided by the mean
  double primitives = 0;  // likewise
  double copies = 0;      // average number of ranks that receive a primitive, over primitives that some rank needs
};

// Measures each kind of pattern. Fragments are those of the main target. Throws what rendering throws.
std::vector<Balance> measure_balance(const Frame& frame, const RenderOptions& options, const RankSettings& settings,
                                     int ranks);

}  // namespace brokkr::ranks
