// What the ranks of a command have in common: they agree before they begin, and end together.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/command.h"
#include "brokkr/options.h"
#include "ranks/settings.h"
#include "ranks/transport.h"

namespace brokkr::app {

// What every rank must have alike, in words that a message can show.
using Facts = std::vector<std::pair<std::string, std::string>>;
// The facts of a command with these options; `mode` is its --ranks.
Facts common_facts(const std::string& mode, const RenderOptions& options, const ranks::RankSettings& settings);

// Thrown where all ranks have heard why, so that rank 0 says it alone.
struct Refused {
  std::string why;
};

// Throws Refused where a rank has a failure to tell, or facts differ. All ranks call this.
void agree(ranks::Talk& talk, const std::string& failure, const Facts& facts);
// The same about what `prepare` does, which may add facts: what it throws is the failure. `file` is named where memory
// does not suffice.
void agree_about(ranks::Talk& talk, const std::string& file, Facts& facts, const std::function<void()>& prepare);

// Texts of all ranks at rank 0, in their order; nothing elsewhere.
std::vector<std::string> gather_texts(ranks::Talk& talk, const std::string& own);

// Opens MPI, and runs what all ranks do; the exit code. Where it throws Refused rank 0 says why; where it throws
// anything else this rank does, and all end.
int run_session(const ranks::RankSettings& settings, const std::function<void(ranks::Talk&)>& body);

// brokkr render with whole views or whole frames for each rank: for throughput, where a frame's own time does not
// count.

// --ranks views and --ranks frames.
MoreModes spread_modes();
bool is_spread(const Arguments& arguments);

// Runs as one of several ranks; the exit code.
int render_spread(const Arguments& arguments);

}  // namespace brokkr::app
