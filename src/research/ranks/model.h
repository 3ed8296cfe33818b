// A discrete-event model of a frame on many ranks with a network between them [Kim17, 5]. The costs of a rank's work
// are measured (costs.h); those of messages come from the paper's Table 1.
#pragma once

#include <cstdint>
#include <vector>

#include "ranks/costs.h"
#include "ranks/sequence.h"

namespace brokkr::ranks {

enum class Topology : uint8_t {
  line,  // each rank is linked to the next; a message takes one hop per link on its way
  hub,   // each rank is linked to a switch: two hops
};

struct Network {
  ranks::Topology topology = ranks::Topology::line;
  double hop_ns = 400, link_gb_s = 40;
  // The switch's total throughput. [Kim17] has 80 in its Table 1 and 40 in its text.
  double hub_gb_s = 80;
  bool hub_multicast = false;  // a broadcast passes the switch once, not once per receiver
};

// A merge of draws, seen from the ranks.
struct MergeLoad {
  std::vector<double> project_us, render_us;  // per rank
  std::vector<uint64_t> left, right;          // per rank: bytes that it sends to ranks before and after it
  std::vector<uint64_t> kept, taken;          // per rank: primitives that stayed, and primitives received from others
};

struct SegmentLoad {
  std::vector<MergeLoad> merges;
  std::vector<double> duplicate_us;                  // per rank, replaces merges if each rank processes all geometry
  std::vector<double> copy_us;                       // per rank, for segments without merges: clears and copies
  std::vector<double> duplicate_whole_us, whole_us;  // per rank: LaunchCost::whole_ms; if empty, the same as above
  uint64_t exchange_bytes = 0;                       // sum over all ranks, before the segment
};

struct ModelSettings {
  int ranks = 1;
  ShareMode mode = ShareMode::cpd;
  bool runahead = true;
  Network network;
  // Models src/research/ranks/project.cpp instead of the paper: ranks distribute without taking turns, poll for
  // messages in sleeps, and draw a segment's primitives after the last of its ids, which takes all of LaunchCost.
  bool as_here = false;
  double oversleep_us = 0;  // Costs::oversleep_us
};

// The times of a whole frame. The parts of the cycle stack are means over ranks; their sum is the frame's time.
struct ModelResult {
  double frame_us = 0;
  double no_primitive_us = 0;  // nothing to draw: the rank projects or waits; for duplicates, its geometry
  double stall_us = 0;         // the rank draws
  double sync_us = 0;          // the rank exchanges targets, or waits for the exchange
  uint64_t id_bytes = 0, exchange_bytes = 0;  // over the network; a broadcast counts once per receiver
};

ModelResult run_model(const std::vector<SegmentLoad>& segments, double geometry_us, const ModelSettings& settings);

}  // namespace brokkr::ranks
