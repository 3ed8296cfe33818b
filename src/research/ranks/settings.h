// How ranks share a frame.
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
  duplicate,  // every rank does all geometry, and draws what falls on its pixels
  cpd,        // cooperative projection and distribution [Kim17, 3]: a rank gets the primitives that it needs
};

// What carries squares of targets between ranks.
enum class LinkMode : uint8_t {
  automatic,  // NCCL where all ranks can, or else MPI
  mpi,        // through hosts
  nccl,       // as automatic, but rank 0 says where ranks cannot
};

inline constexpr int kMostRanks = 64;

struct RankSettings {
  ShareMode mode = ShareMode::cpd;
  PatternChoice pattern = PatternKind::diagonal;  // which rank owns which square
  int bin = 32;                                   // edge of a square in pixels, a power of two
  uint32_t merge = 4096;  // draws are merged until they have more primitives than this; 0: each stands alone
  bool runahead = true;   // the next merge is projected while this one is distributed
  LinkMode link = LinkMode::automatic;
  int memory_limit = 0;   // MiB, of frames that a model loads, as LoadOptions has it
  double timeout_s = 60;  // without a word from a rank that is waited for; 0: for ever
};

// What `rank` of `ranks` owns of this frame. Throws std::invalid_argument for a saved pattern of another number, and
// for more than kMostRanks.
std::shared_ptr<const OwnedBins> owned_bins(const Frame& frame, const RankSettings& settings, int rank, int ranks);

}  // namespace brokkr::ranks

namespace brokkr {
template <>
struct Choices<ranks::ShareMode> {
  static constexpr Choice<ranks::ShareMode> all[] = {
      {ranks::ShareMode::duplicate, "duplicate", "every rank does all geometry"},
      {ranks::ShareMode::cpd, "cpd", "ranks project together and hand each other primitives' numbers"},
  };
};
template <>
struct Choices<ranks::LinkMode> {
  static constexpr Choice<ranks::LinkMode> all[] = {
      {ranks::LinkMode::automatic, "auto", "from GPU to GPU where all ranks have one and NCCL, or else through hosts"},
      {ranks::LinkMode::mpi, "mpi", "through hosts"},
      {ranks::LinkMode::nccl, "nccl", "as auto, and says why where ranks cannot"},
  };
};
}  // namespace brokkr

namespace brokkr::app {

// How ranks share frames, as the commands that draw with them are told in the same words.

// --rank-pattern and --rank-bin: which rank owns which square of pixels.
std::vector<Option> owner_options();

// Puts what they were given as into `settings`. Throws UsageError for a pattern that there is not.
void read_owner_options(const Arguments& arguments, ranks::RankSettings& settings);

// All of them, under a heading of their own. `more`: modes of --ranks beside those of ranks::ShareMode, with their
// help.
struct MoreModes {
  std::vector<std::string> names;
  std::string help;
};
std::vector<Option> rank_options(const MoreModes& more = {});

// --rank-link, of commands that link ranks (ranks/square_link.h).
Option rank_link_option();

// What they say. Throws UsageError.
ranks::RankSettings rank_settings(const Arguments& arguments);

// Whether this process draws with others: as --ranks says, or else as mpirun does. Throws UsageError where it does not,
// and was given options that are about others.
bool draws_together(const Arguments& arguments);

// What ranks hand in to the programs: `brokkr ranks`, and `brokkr render` and `brokkr view` over several processes.
Module ranks_module();
Command ranks_command();
ViewPart ranks_view_part();

}  // namespace brokkr::app
