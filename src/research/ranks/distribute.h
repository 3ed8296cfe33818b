// Cooperative projection and distribution [Kim17, 3 and 4]: the ids of the primitives that this rank has to draw.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/worker_pool.h"
#include "ranks/project.h"
#include "ranks/transport.h"

namespace brokkr::ranks {

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

}  // namespace brokkr::ranks
