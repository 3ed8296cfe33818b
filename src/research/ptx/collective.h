// Operations that lanes of a warp perform together, and at barriers of a block.
#pragma once

#include <cstdint>

#include "ptx/program.h"

namespace brokkr::ptx {

// Lanes meet only at instructions of the same kind.
enum class Collective : uint8_t {
  sync_warp,
  shfl_idx,
  shfl_up,
  shfl_down,
  shfl_bfly,
  vote_any,
  vote_all,
  vote_uni,
  vote_ballot,
  match_any32,
  match_any64,
  match_all32,
  match_all64,
  redux_add,
  redux_min_u,
  redux_min_s,
  redux_max_u,
  redux_max_s,
  redux_and,
  redux_or,
  redux_xor,
  elect,
};
enum class BarrierVote : uint8_t { none, count, all, any };

Handler collective_handler(Collective kind);
// Lanes at several instructions: in[lane] is each lane's own.
void collect_mixed(Warp& warp, const Instruction* const* in, uint32_t lanes);

}  // namespace brokkr::ptx
