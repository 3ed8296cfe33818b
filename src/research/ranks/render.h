// Draws a frame with several ranks, which exchange their squares of targets.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "brokkr/renderer.h"
#include "ranks/project.h"
#include "ranks/sequence.h"
#include "ranks/settings.h"
#include "ranks/square_link.h"
#include "ranks/transport.h"

namespace brokkr::ranks {

// Packs the squares of `rank`: the samples of these planes of the target, one after another.
Message pack_squares(const TargetImage& image, const OwnedBins& bins, uint32_t rank, PlaneUse use);

// Writes packed squares of `rank` to the pictures. Throws std::runtime_error if the message has another size.
void unpack_squares(const Message& message, const OwnedBins& bins, uint32_t rank, PlaneUse use, TargetImage& image);

// As above, for the first colour of a whole layer. `from`: the rank that sent it.
Message pack_color(const Layer& layer);
void unpack_color(const Message& message, int from, Layer& layer);

class SquareExchange {
 public:
  virtual ~SquareExchange() = default;
  // All ranks call these with the same planes. They return the number of bytes that this rank sent, and throw what Talk
  // throws. After broadcast, every rank has the squares of all ranks.
  virtual uint64_t broadcast(const std::vector<PlaneUse>& uses) = 0;
  // After gather, rank 0 has the squares of all ranks.
  virtual uint64_t gather(const std::vector<PlaneUse>& uses) = 0;
};

// Exchanges targets in a machine's memory, over Talk::link, or through hosts if there is none. All arguments must
// outlive the exchange.
std::unique_ptr<SquareExchange> exchange_in_memory(Talk& talk, const OwnedBins& owned, TargetSquares& squares);
// Exchanges pictures. Identifiers are sent with their colours and depths.
std::unique_ptr<SquareExchange> exchange_in_pictures(Talk& talk, const OwnedBins& owned,
                                                     std::vector<TargetImage>& targets);

// The work of one rank for a frame: counts and times.
struct RankReport {
  int rank = 0, workers = 0;
  std::string host, machine, link;  // link: name of the LinkMode that carries targets
  uint64_t segments = 0;            // the number of exchanges within the frame, plus one
  uint64_t frame_primitives = 0;    // primitives of the whole frame
  uint64_t drawn_primitives = 0;    // primitives that this rank's pipeline received
  uint64_t fragments = 0;
  bool cut_off = false;  // by the budget of the frame
  DistributionCounts distribution;
  uint64_t exchanges = 0, exchange_bytes = 0;  // targets that others read, sent to all of them
  uint64_t picture_bytes = 0;                  // sent to rank 0
  uint64_t frame_bytes = 0, target_bytes = 0;  // memory
  double launch_ms = 0;                        // time in the pipeline
  double exchange_ms = 0, picture_ms = 0;
  double frame_ms = 0;  // the whole frame, without preparation

  // Cycle stack [Kim17, figure 15] of a whole rank's time. The rank has no primitive to draw while it projects or waits
  // for others; the pipeline draws; ranks exchange targets. It does not include sending the finished picture to rank 0.
  double no_primitive_ms() const { return distribution.project_ms + distribution.wait_ms; }
  double stall_ms() const { return launch_ms; }
  double sync_ms() const { return exchange_ms; }
};

nlohmann::ordered_json to_json(const RankReport& report);

// Draws the frame with all ranks. Each rank calls this with the same frame, options and settings; machine and workers
// may differ. On rank 0, the planes in `composed` have the bits that one rank alone would draw, with the identifiers
// that options.keep_ids asks for; other ranks have their own squares. Statistics are the sum over this rank's launches.
// If `composed` is empty, no pictures are returned. Throws what Renderer::render throws, and std::runtime_error if a
// rank does not answer.
std::pair<RenderResult, RankReport> render(Renderer& renderer, PreparedFrame& frame, const RenderOptions& options,
                                           const RankSettings& settings, const std::vector<PlaneUse>& composed,
                                           Talk& talk);

// Throws std::invalid_argument for options of the pipeline that several ranks do not support.
void check_options(const RenderOptions& options);
// The reason why several ranks cannot draw this frame with these options; empty if they can.
std::string why_not(const PreparedFrame& frame, const RenderOptions& options);

// The default number of workers of a rank: its cores, or its share of them if several ranks run on this computer.
int usual_workers();

// A hash of the frame. Each rank loads the frame itself, and all must agree on the hash.
uint64_t frame_hash(const Frame& frame);

}  // namespace brokkr::ranks
