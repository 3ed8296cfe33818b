// How ranks share frames, as the commands that draw with them are told in the same words.
#pragma once

#include <string>
#include <vector>

#include "app/command.h"
#include "ranks/settings.h"

namespace brokkr::app {

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

// --rank-link, of commands that link ranks (ranks/device_link.h).
Option rank_link_option();

// What they say. Throws UsageError.
ranks::RankSettings rank_settings(const Arguments& arguments);

// Whether this process draws with others: as --ranks says, or else as mpirun does. Throws UsageError where it does not,
// and was given options that are about others.
bool draws_together(const Arguments& arguments);

}  // namespace brokkr::app
