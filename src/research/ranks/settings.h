// The division of a frame among ranks: settings and options.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/module.h"
#include "brokkr/choices.h"
#include "brokkr/frame.h"
#include "brokkr/pattern.h"
#include "plan/part.h"

namespace brokkr::ranks {

enum class ShareMode : uint8_t {
  duplicate,  // every rank processes all geometry, and draws only its own pixels
  cpd,        // cooperative projection and distribution [Kim17, 3]: a rank receives only the primitives that it needs
};

// The path of target squares between ranks.
enum class LinkMode : uint8_t {
  automatic,  // NCCL if all ranks have it, otherwise MPI
  mpi,        // over MPI between hosts
  nccl,       // like automatic, but rank 0 reports the reason if NCCL cannot be used
};

inline constexpr int kMaxRanks = 64;

struct RankSettings {
  ShareMode mode = ShareMode::cpd;
  PatternChoice pattern = PatternKind::diagonal;  // determines the owner of each square
  int bin = 32;                                   // edge of a square in pixels, a power of two
  uint32_t merge = 4096;  // draws are merged until they have more primitives than this; 0: no merging
  bool runahead = true;   // the next merge is projected while this one is distributed
  LinkMode link = LinkMode::automatic;
  int memory_limit = 0;   // MiB for frames that the model loads (LoadOptions)
  double timeout_s = 60;  // the longest wait for a message of another rank; 0: no limit
};

// The bins of this frame that `rank` of `ranks` owns. Throws std::invalid_argument for a saved pattern with another
// number of owners, and for more than kMaxRanks ranks.
std::shared_ptr<const OwnedBins> owned_bins(const Frame& frame, const RankSettings& settings, int rank, int ranks);

}  // namespace brokkr::ranks

namespace brokkr {
template <>
struct Choices<ranks::ShareMode> {
  static constexpr Choice<ranks::ShareMode> all[] = {
      {ranks::ShareMode::duplicate, "duplicate", "every rank processes all geometry"},
      {ranks::ShareMode::cpd, "cpd", "ranks project together and send each other the numbers of primitives"},
  };
};
template <>
struct Choices<ranks::LinkMode> {
  static constexpr Choice<ranks::LinkMode> all[] = {
      {ranks::LinkMode::automatic, "auto", "from GPU to GPU if all ranks have a GPU and NCCL, otherwise through hosts"},
      {ranks::LinkMode::mpi, "mpi", "through hosts"},
      {ranks::LinkMode::nccl, "nccl", "like auto, with a message if ranks cannot use NCCL"},
  };
};
}  // namespace brokkr

namespace brokkr::app {

// Options of the commands that draw with several ranks.

// --rank-pattern and --rank-bin, which determine the owner of each square of pixels.
std::vector<Option> owner_options();

// Writes the values of owner_options() to `settings`. Throws UsageError for an unknown pattern.
void read_owner_options(const Arguments& arguments, ranks::RankSettings& settings);

// All options for ranks, under their own heading. `more`: additional modes of --ranks, with their help.
struct MoreModes {
  std::vector<std::string> names;
  std::string help;
};
std::vector<Option> rank_options(const MoreModes& more = {});

// --rank-link, for commands that link ranks (ranks/square_link.h).
Option rank_link_option();

// The settings that the options name. Throws UsageError.
ranks::RankSettings rank_settings(const Arguments& arguments);

// Returns true if this process draws together with others: --ranks decides, otherwise mpirun. Throws UsageError if the
// process draws alone but has options for several ranks.
bool draws_together(const Arguments& arguments);

// The parts of the programs that this module registers: `brokkr ranks`, and `brokkr render` and `brokkr view` with
// several processes.
Module ranks_module();
Command ranks_command();
ViewPart ranks_view_part();

}  // namespace brokkr::app
