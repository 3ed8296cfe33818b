// A session of several ranks, which agree before they begin and end together.
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

// Facts that must be equal on all ranks, as texts that a message can show.
using Facts = std::vector<std::pair<std::string, std::string>>;
// The facts of a command with these options; `mode` is its --ranks.
Facts common_facts(const std::string& mode, const RenderOptions& options, const ranks::RankSettings& settings);

// Thrown when all ranks know the reason, so that only rank 0 reports it.
struct Refused {
  std::string why;
};

// Throws Refused if a rank reports a failure, or if facts differ. All ranks call this.
void agree(ranks::Talk& talk, const std::string& failure, const Facts& facts);
// As above, after `prepare`, which may add facts; an exception of `prepare` is the failure. If memory is not enough,
// the message names `file`.
void agree_about(ranks::Talk& talk, const std::string& file, Facts& facts, const std::function<void()>& prepare);

// The texts of all ranks in their order on rank 0; nothing on other ranks.
std::vector<std::string> gather_texts(ranks::Talk& talk, const std::string& text);

// Opens MPI, runs `body` on all ranks, and returns the exit code. If `body` throws Refused, rank 0 reports the reason.
// If it throws another exception, this rank reports it, and all ranks end.
int run_session(const ranks::RankSettings& settings, const std::function<void(ranks::Talk&)>& body);

// `brokkr render` with whole views or whole frames for each rank. It maximizes throughput, and does not shorten single
// frames.

// The modes --ranks views and --ranks frames.
MoreModes spread_modes();
bool is_spread(const Arguments& arguments);

// Runs as one of several ranks; returns the exit code.
int render_spread(const Arguments& arguments);

}  // namespace brokkr::app
