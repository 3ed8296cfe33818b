// A discrete-event model of a frame over many ranks and a network between them [Kim17, 5]: what a rank's work takes is
// measured (costs.h), what messages take is Table 1's.
#pragma once

#include <cstdint>
#include <vector>

#include "ranks/costs.h"
#include "ranks/sequence.h"

namespace brokkr::ranks {

enum class Topology : uint8_t {
  line,  // each rank is linked to the next; a message takes a hop for each link on its way
  hub,   // each is linked to a switch: two hops
};

struct Network {
  ranks::Topology topology = ranks::Topology::line;
  double hop_ns = 400, link_gb_s = 40;
  // The switch's total throughput. [Kim17] has 80 in its Table 1 and 40 in its text.
  double hub_gb_s = 80;
  bool hub_multicast = false;  // A broadcast passes the switch once, and not once for each receiver.
};

// A merge of draws, as it meets the ranks.
struct MergeLoad {
  std::vector<double> project_us, render_us;  // per rank
  std::vector<uint64_t> left, right;          // per rank: bytes that it sends to ranks before and after it
  std::vector<uint64_t> kept, taken;          // per rank: primitives that stayed there, and that others gave it
};

struct SegmentLoad {
  std::vector<MergeLoad> merges;
  std::vector<double> duplicate_us;                  // per rank, in place of merges: it does all geometry
  std::vector<double> copy_us;                       // per rank, where there are no merges: clears and copies
  std::vector<double> duplicate_whole_us, whole_us;  // per rank: LaunchCost::whole_ms; empty: as long as the above
  uint64_t exchange_bytes = 0;                       // of all ranks together, before the segment
};

struct ModelSettings {
  int ranks = 1;
  ShareMode mode = ShareMode::cpd;
  bool runahead = true;
  Network network;
  // As src/ranks/project.cpp has it and not as the paper does: ranks distribute without taking turns, look for what
  // they wait for now and then, and draw a segment's primitives after the last of its ids, which takes the whole of
  // LaunchCost.
  bool as_here = false;
  double oversleep_us = 0;  // Costs::oversleep_us
};

// The times of a whole frame. Parts of the cycle stack are means over ranks, and their sum is the frame's time.
struct ModelResult {
  double frame_us = 0;
  double no_primitive_us = 0;  // nothing to draw: the rank projects or waits; of duplicates, its geometry
  double stall_us = 0;         // it draws
  double sync_us = 0;          // targets are exchanged, or it waits for that
  uint64_t id_bytes = 0, exchange_bytes = 0;  // over the network; a broadcast counts once for each that gets it
};

ModelResult run_model(const std::vector<SegmentLoad>& segments, double geometry_us, const ModelSettings& settings);

}  // namespace brokkr::ranks
