#include "ranks/costs.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "pipeline/options.h"
#include "ranks/transport.h"
#include "scene/file_io.h"

namespace brokkr::ranks {
namespace {

constexpr const char* kFormat = "brokkr rank costs";
constexpr uint64_t kMostBytes = uint64_t(1) << 28;

nlohmann::ordered_json frame_json(const FrameCosts& frame) {
  nlohmann::ordered_json draws = nlohmann::ordered_json::array(), launches = nlohmann::ordered_json::array();
  for (const DrawCost& d : frame.draws) draws.push_back({d.command, d.primitives, d.project_us});
  for (const LaunchCost& l : frame.launches)
    launches.push_back({{"ranks", l.ranks}, {"rank", l.rank}, {"mode", name_of(l.mode)}, {"segment_ms", l.segment_ms}});
  return {{"file", frame.file},
          {"width", frame.width},
          {"height", frame.height},
          {"geometry_ms", frame.geometry_ms},
          {"exchange_bytes", frame.exchange_bytes},
          {"draws", draws},
          {"launches", launches}};
}

FrameCosts frame_of(const nlohmann::ordered_json& json) {
  FrameCosts frame;
  json.at("file").get_to(frame.file);
  json.at("width").get_to(frame.width);
  json.at("height").get_to(frame.height);
  json.at("geometry_ms").get_to(frame.geometry_ms);
  json.at("exchange_bytes").get_to(frame.exchange_bytes);
  for (const auto& d : json.at("draws"))
    frame.draws.push_back({d.at(0).get<uint32_t>(), d.at(1).get<uint64_t>(), d.at(2).get<double>()});
  for (const auto& l : json.at("launches")) {
    const bool duplicate = l.at("mode").get<std::string>() == name_of(ShareMode::duplicate);
    frame.launches.push_back({l.at("ranks").get<int>(), l.at("rank").get<int>(),
                              duplicate ? ShareMode::duplicate : ShareMode::cpd,
                              l.at("segment_ms").get<std::vector<double>>()});
    if (frame.launches.back().segment_ms.size() != frame.geometry_ms.size())
      throw std::runtime_error("launches: not one time for each segment");
  }
  if (frame.exchange_bytes.size() != frame.geometry_ms.size())
    throw std::runtime_error("exchange_bytes: not one for each segment");
  return frame;
}

}  // namespace

std::string to_json(const Costs& costs) {
  nlohmann::ordered_json frames = nlohmann::ordered_json::array();
  for (const FrameCosts& frame : costs.frames) frames.push_back(frame_json(frame));
  const nlohmann::ordered_json json = {{"format", kFormat},        {"version", 1},
                                       {"machine", costs.machine}, {"isa", costs.isa},
                                       {"workers", costs.workers}, {"most_ranks", costs.most_ranks},
                                       {"bin", costs.bin},         {"pattern", costs.pattern},
                                       {"repeats", costs.repeats}, {"frames", frames}};
  return json.dump(1) + "\n";
}

Costs read_costs(const std::filesystem::path& file) try {
  const auto json = nlohmann::ordered_json::parse(text_of(read_file(file, kMostBytes)));
  if (json.at("format") != kFormat || json.at("version") != 1)
    throw std::runtime_error("format: not the costs that `brokkr ranks measure` writes");
  Costs costs;
  json.at("machine").get_to(costs.machine);
  json.at("isa").get_to(costs.isa);
  json.at("workers").get_to(costs.workers);
  json.at("most_ranks").get_to(costs.most_ranks);
  json.at("bin").get_to(costs.bin);
  json.at("pattern").get_to(costs.pattern);
  json.at("repeats").get_to(costs.repeats);
  for (const auto& frame : json.at("frames")) costs.frames.push_back(frame_of(frame));
  if (costs.frames.empty()) throw std::runtime_error("frames: there is none");
  return costs;
} catch (const nlohmann::json::exception& error) {
  throw std::runtime_error(file.string() + ": no costs of `brokkr ranks measure` (" + error.what() + ")");
} catch (const std::runtime_error& error) {
  const std::string text = error.what();
  throw std::runtime_error(text.starts_with(file.string()) ? text : file.string() + ": " + text);
}

}  // namespace brokkr::ranks
