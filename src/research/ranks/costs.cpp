#include "ranks/costs.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "plan/options.h"

namespace brokkr::ranks {
namespace {

constexpr const char* kFormat = "brokkr rank costs";
constexpr uint64_t kMostBytes = uint64_t(1) << 28;

nlohmann::ordered_json frame_json(const FrameCosts& frame) {
  nlohmann::ordered_json draws = nlohmann::ordered_json::array(), launches = nlohmann::ordered_json::array();
  for (const DrawCost& d : frame.draws) draws.push_back({d.command, d.primitives, d.project_us});
  for (const LaunchCost& l : frame.launches)
    launches.push_back({{"ranks", l.ranks},
                        {"rank", l.rank},
                        {"mode", name_of(l.mode)},
                        {"segment_ms", l.segment_ms},
                        {"whole_ms", l.whole_ms}});
  return {{"file", frame.file},
          {"width", frame.width},
          {"height", frame.height},
          {"geometry_ms", frame.geometry_ms},
          {"exchange_bytes", frame.exchange_bytes},
          {"draws", draws},
          {"launches", launches}};
}

void check_times(const char* field, const std::vector<double>& times) {
  if (std::any_of(times.begin(), times.end(), [](double t) { return t < 0; })) fail("{}: a time below 0", field);
}

// The model indexes its tables by ranks: it needs each launch once, in the order in which they were measured.
void read_launches(const nlohmann::ordered_json& json, int most_ranks, FrameCosts& frame) {
  auto next = json.begin();
  for (const int ranks : rank_counts(most_ranks)) {
    for (int rank = 0; rank < ranks; ++rank) {
      for (const ShareMode mode : {ShareMode::duplicate, ShareMode::cpd}) {
        if (next == json.end() || next->at("ranks") != ranks || next->at("rank") != rank ||
            next->at("mode") != name_of(mode))
          fail("launches: rank {} of {}, {}, is not where it belongs; measure anew", rank, ranks, name_of(mode));
        const auto times = [&](const char* field) {
          const auto ms = next->at(field).get<std::vector<double>>();
          check_times(field, ms);
          if (ms.size() != frame.geometry_ms.size()) fail("launches: {}: not one time for each segment", field);
          return ms;
        };
        frame.launches.push_back({ranks, rank, mode, times("segment_ms"), times("whole_ms")});
        ++next;
      }
    }
  }
  if (next != json.end()) fail("launches: more than most_ranks says; measure anew");
}

FrameCosts frame_of(const nlohmann::ordered_json& json, int most_ranks) {
  FrameCosts frame;
  json.at("file").get_to(frame.file);
  json.at("width").get_to(frame.width);
  json.at("height").get_to(frame.height);
  json.at("geometry_ms").get_to(frame.geometry_ms);
  json.at("exchange_bytes").get_to(frame.exchange_bytes);
  check_times("geometry_ms", frame.geometry_ms);
  if (frame.exchange_bytes.size() != frame.geometry_ms.size()) fail("exchange_bytes: not one for each segment");
  for (const auto& d : json.at("draws")) {
    frame.draws.push_back({d.at(0).get<uint32_t>(), d.at(1).get<uint64_t>(), d.at(2).get<double>()});
    check_times("draws", {frame.draws.back().project_us});
  }
  read_launches(json.at("launches"), most_ranks, frame);
  return frame;
}

}  // namespace

std::string to_json(const Costs& costs) {
  nlohmann::ordered_json frames = nlohmann::ordered_json::array();
  for (const FrameCosts& frame : costs.frames) frames.push_back(frame_json(frame));
  const nlohmann::ordered_json json = {{"format", kFormat},        {"version", 2},
                                       {"machine", costs.machine}, {"isa", costs.isa},
                                       {"workers", costs.workers}, {"most_ranks", costs.most_ranks},
                                       {"bin", costs.bin},         {"pattern", costs.pattern},
                                       {"repeats", costs.repeats}, {"oversleep_us", costs.oversleep_us},
                                       {"frames", frames}};
  return json.dump(1) + "\n";
}

Costs read_costs(const std::filesystem::path& file) try {
  const auto json = parse_json(as_text(read_file(file, kMostBytes)));
  if (json.at("format") != kFormat || json.at("version") != 2)
    fail("format: not the costs that `brokkr ranks measure` writes; measure anew");
  Costs costs;
  json.at("machine").get_to(costs.machine);
  json.at("isa").get_to(costs.isa);
  json.at("workers").get_to(costs.workers);
  json.at("most_ranks").get_to(costs.most_ranks);
  json.at("bin").get_to(costs.bin);
  if (costs.most_ranks < 1 || costs.most_ranks > kMostRanks) fail("most_ranks: not 1 to {}", kMostRanks);
  if (costs.bin < 8 || costs.bin > 256 || !std::has_single_bit(unsigned(costs.bin)))
    fail("bin: no power of two from 8 to 256");
  json.at("pattern").get_to(costs.pattern);
  json.at("repeats").get_to(costs.repeats);
  json.at("oversleep_us").get_to(costs.oversleep_us);
  check_times("oversleep_us", {costs.oversleep_us});
  for (const auto& frame : json.at("frames")) costs.frames.push_back(frame_of(frame, costs.most_ranks));
  if (costs.frames.empty()) fail("frames: there is none");
  return costs;
} catch (const nlohmann::json::exception& error) {
  throw std::runtime_error(file.string() + ": no costs of `brokkr ranks measure` (" + error.what() + ")");
} catch (const std::runtime_error& error) {
  const std::string text = error.what();
  throw std::runtime_error(text.starts_with(file.string()) ? text : file.string() + ": " + text);
}

}  // namespace brokkr::ranks
