// A frame, drawn by several ranks.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "brokkr/renderer.h"
#include "ranks/project.h"
#include "ranks/sequence.h"
#include "ranks/settings.h"
#include "ranks/square_link.h"
#include "ranks/transport.h"

namespace brokkr::ranks {

// Ranks get each other's squares of targets.

// What a rank has drawn: the samples of its squares of some planes of a target, one after another.

// Takes the squares of `rank` out of the target's pictures.
Message pack_squares(const TargetImage& image, const OwnedBins& bins, uint32_t rank, PlaneUse use);

// Puts them into those of another rank. Throws std::runtime_error where the message is not of the size that follows.
void unpack_squares(const Message& message, const OwnedBins& bins, uint32_t rank, PlaneUse use, TargetImage& image);

// The same of the first colour of a whole layer. `from` is the rank that sent it.
Message pack_color(const Layer& layer);
void unpack_color(const Message& message, int from, Layer& layer);

class SquareExchange {
 public:
  virtual ~SquareExchange() = default;
  // All ranks call these with the same planes. Returned are the bytes that this rank has sent. Throws what Talk throws.
  // Every rank then has the squares of all.
  virtual uint64_t broadcast(const std::vector<PlaneUse>& uses) = 0;
  // Rank 0 has.
  virtual uint64_t gather(const std::vector<PlaneUse>& uses) = 0;
};

// Exchanges targets in a machine's memory, over Talk::link or else from host to host. All arguments outlive the
// exchange.
std::unique_ptr<SquareExchange> exchange_in_memory(Talk& talk, const OwnedBins& owned, TargetSquares& squares);
// Exchanges pictures: their identifiers go with their colours and depths.
std::unique_ptr<SquareExchange> exchange_in_pictures(Talk& talk, const OwnedBins& owned,
                                                     std::vector<TargetImage>& targets);

// What a rank did for a frame: counts that are its alone, and where its time went.
struct RankReport {
  int rank = 0, workers = 0;
  std::string host, machine, link;  // link: how targets go, LinkMode's name
  uint64_t segments = 0;            // one more than targets were exchanged in the midst of the frame
  uint64_t frame_primitives = 0;    // of the whole frame
  uint64_t drawn_primitives = 0;    // that this rank's pipeline took in
  uint64_t fragments = 0;
  bool cut_off = false;  // by the frame's budget
  DistributionCounts distribution;
  uint64_t exchanges = 0, exchange_bytes = 0;  // targets that others read, sent to all of them
  uint64_t picture_bytes = 0;                  // sent to rank 0
  uint64_t frame_bytes = 0, target_bytes = 0;  // memory
  double launch_ms = 0;                        // the pipeline's
  double exchange_ms = 0, picture_ms = 0;
  double frame_ms = 0;  // all of it, preparation apart

  // Cycle stack [Kim17, figure 15], here of a whole rank's time: no primitive to draw is there, as this rank projects
  // or waits for others; the pipeline draws; targets are exchanged. The finished picture's way to rank 0 is none of
  // them.
  double no_primitive_ms() const { return distribution.project_ms + distribution.wait_ms; }
  double stall_ms() const { return launch_ms; }
  double sync_ms() const { return exchange_ms; }
};

nlohmann::ordered_json to_json(const RankReport& report);

// Draws the frame with all ranks, each of which calls this with the same frame, options and settings; machine, workers
// and the like may differ. At rank 0 the planes that `composed` names are those that one rank alone would have drawn,
// bit for bit, with the identifiers that options.keep_ids asks for; the others know their own squares. Statistics are
// those of all launches of this rank together. Nothing composed: no pictures are returned. Throws what Renderer::render
// throws, and std::runtime_error where a rank does not answer.
RenderResult render(Renderer& renderer, PreparedFrame& frame, const RenderOptions& options,
                    const RankSettings& settings, const std::vector<PlaneUse>& composed, Talk& talk,
                    RankReport& report);

// Throws std::invalid_argument for options of the pipeline that pictures of several ranks cannot have.
void check_options(const RenderOptions& options);
// Why several ranks cannot draw this frame so; empty where they can.
std::string why_not(const PreparedFrame& frame, const RenderOptions& options);

// Workers for a rank that was not told how many: its cores, or its part of them where ranks on this computer share
// them.
int usual_workers();

// What all ranks must agree on, of a frame that they load each for themselves.
uint64_t frame_hash(const Frame& frame);

}  // namespace brokkr::ranks
