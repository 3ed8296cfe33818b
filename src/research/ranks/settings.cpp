#include "ranks/settings.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "brokkr/choices.h"
#include "brokkr/pattern.h"
#include "ranks/transport.h"

namespace brokkr::ranks {

std::shared_ptr<const OwnedBins> owned_bins(const Frame& frame, const RankSettings& settings, int rank, int ranks) {
  if (const SavedPattern* saved = saved_pattern(settings.pattern);
      saved != nullptr && saved->pattern.rasterizers != ranks)
    throw std::invalid_argument("rank-pattern: '" + saved->name + "' has " +
                                std::to_string(saved->pattern.rasterizers) + " owners for " + std::to_string(ranks) +
                                " ranks; start as many ranks as owners");
  if (ranks > kMaxRanks)
    throw std::invalid_argument("ranks: " + std::to_string(ranks) + " are too many for one frame; start " +
                                std::to_string(kMaxRanks) + " at most, or give each whole frames: --ranks frames");
  int bins_x = 1, bins_y = 1;
  for (const Target& target : frame.targets) {
    bins_x = std::max(bins_x, (target.width + settings.bin - 1) / settings.bin);
    bins_y = std::max(bins_y, (target.height + settings.bin - 1) / settings.bin);
  }
  auto owned = std::make_shared<OwnedBins>();
  owned->pattern = make_pattern(settings.pattern, ranks, bins_x, bins_y);
  owned->bin = settings.bin;
  owned->rank = uint32_t(rank);
  return owned;
}

}  // namespace brokkr::ranks

namespace brokkr::app {
namespace {

constexpr const char* kOff = "off";

}  // namespace

std::vector<Option> owner_options() {
  std::vector<std::string> patterns;
  for (const auto& choice : Choices<PatternKind>::all) patterns.emplace_back(choice.name);
  return {
      Option{.names = "--rank-pattern",
             .kind = ValueKind::choice_or_file,
             .value = "P",
             .help = "Pattern that assigns squares of pixels to ranks (diagonal): a name as for --pattern, or a FILE",
             .choices = patterns},
      Option{.names = "--rank-bin",
             .kind = ValueKind::power_of_two,
             .value = "N",
             .help = "Edge of the squares in pixels, a power of two (32)",
             .min = 8,
             .max = 256}};
}

void read_owner_options(const Arguments& arguments, ranks::RankSettings& settings) {
  settings.bin = int(arguments.integer("rank-bin", settings.bin));
  if (!arguments.has("rank-pattern")) return;
  try {
    settings.pattern = choose_pattern(arguments.text("rank-pattern"));
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--rank-pattern: ") + error.what());
  }
}

std::vector<Option> rank_options(const MoreModes& more) {
  std::vector<std::string> modes = {kOff};
  for (const auto& choice : Choices<ranks::ShareMode>::all) modes.emplace_back(choice.name);
  modes.insert(modes.end(), more.names.begin(), more.names.end());
  std::vector<Option> options = {
      choice_option("--ranks", "MODE",
                    "How ranks that mpirun starts divide a frame (cpd): duplicate, every rank processes all geometry; "
                    "cpd, ranks project together and send each other the numbers of primitives; " +
                        more.help + "off",
                    modes)};
  for (Option& option : owner_options()) options.push_back(std::move(option));
  options.push_back(integer_option(
      "--merge", "Merge draws until they have more primitives than this (4096; 0: do not merge)", 0, 4294967295.0));
  options.push_back(flag("--no-runahead", "Project no draws while earlier ones are distributed"));
  options.push_back(real_option("--timeout", "S",
                                "End all ranks if one does not answer for this many seconds (60; 0: never)", 0, 86400));
  for (Option& option : options) option.group = "Ranks";
  return options;
}

Option rank_link_option() {
  std::vector<std::string> links;
  for (const auto& choice : Choices<ranks::LinkMode>::all) links.emplace_back(choice.name);
  return choice_option("--rank-link", "LINK",
                       "How targets travel between ranks (auto): mpi, through hosts; nccl, from GPU to GPU, with a "
                       "message if that is impossible; auto, like nccl without the message",
                       links);
}

ranks::RankSettings rank_settings(const Arguments& arguments) {
  ranks::RankSettings settings;
  for (const auto& choice : Choices<ranks::ShareMode>::all) {
    if (arguments.text("ranks") == choice.name) settings.mode = choice.value;
  }
  settings.merge = uint32_t(arguments.integer("merge", settings.merge));
  settings.runahead = !arguments.has("no-runahead");
  for (const auto& choice : Choices<ranks::LinkMode>::all) {
    if (arguments.text("rank-link") == choice.name) settings.link = choice.value;
  }
  settings.timeout_s = arguments.real("timeout", settings.timeout_s);
  read_owner_options(arguments, settings);
  return settings;
}

bool draws_together(const Arguments& arguments) {
  const bool together = arguments.has("ranks") ? arguments.text("ranks") != kOff : ranks::started_ranks() > 1;
  if (together) return true;
  for (const char* option :
       {"rank-pattern", "rank-bin", "merge", "no-runahead", "rank-link", "timeout", "rank-stats"}) {
    if (arguments.has(option))
      throw UsageError(std::string("--") + option + ": is for several ranks; start them with mpirun");
  }
  return false;
}

ViewPart ranks_view_part() {
  ViewPart part;
  part.options = rank_options();
  // Only the first rank has a window.
  part.has_window = [](const Arguments& arguments) { return !draws_together(arguments) || ranks::started_rank() == 0; };
  return part;
}

}  // namespace brokkr::app
