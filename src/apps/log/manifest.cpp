#include "log/manifest.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <variant>

#include "base/file_io.h"
#include "base/sha256.h"
#include "brokkr/renderer.h"
#include "brokkr/version.h"
#include "log/machine_facts.h"
#include "log/text.h"
#include "plan/options.h"

namespace brokkr {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMaxSceneBytes = uint64_t(1) << 34;

std::string geometry_hash(const Frame& f) {
  // The counts are hashed too: a value that moves from one array to the next changes the hash.
  const std::array<uint64_t, 5> counts = {f.positions.size(), f.indices.size(), f.normals.size(), f.texcoords.size(),
                                          f.models.size()};
  const auto count = [&](size_t i) { return std::as_bytes(std::span(counts).subspan(i, 1)); };
  const auto values = [](const auto& array) { return std::as_bytes(std::span(array)); };
  std::vector<std::span<const std::byte>> parts = {count(0), values(f.positions), count(1), values(f.indices),
                                                   count(2), values(f.normals),   count(3), values(f.texcoords),
                                                   count(4), values(f.models)};
  // Hashed only if present, so that frames without them keep the hashes of older logs.
  if (!f.second_texcoords.empty()) parts.push_back(values(f.second_texcoords));
  if (!f.colors.empty()) parts.push_back(values(f.colors));
  return sha256(parts);
}

Json option_json(const RenderOptions& options) {
  Json json = Json::object();
  for (const auto& [name, text] : option_texts(options)) json[name] = text;
  json["used"] = nullptr;
  return json;
}

Json computer_json() {
  const MachineFacts facts = machine_facts();
  return {{"processor", facts.processor},     {"cores", facts.cores},
          {"virtual", facts.virtual_machine}, {"memory_gib", double(facts.memory_kib) / (1 << 20)},
          {"system", facts.system},           {"kernel", facts.kernel},
          {"governor", facts.governor},       {"gpu", facts.gpu},
          {"gpu_driver", facts.driver},       {"renderer", nullptr}};
}

}  // namespace

std::filesystem::path manifest_path(const std::filesystem::path& log) {
  return std::filesystem::path(log).replace_extension(".json");
}

Json scene_json(const std::string& path, const Frame& frame) {
  Json json = {{"file", path}};
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) {
    const std::vector<std::byte> bytes = read_file(path, kMaxSceneBytes);
    const std::span<const std::byte> parts[] = {bytes};
    json["bytes"] = bytes.size();
    json["sha256"] = sha256(parts);
  } else {
    json["bytes"] = nullptr;
    json["sha256"] = nullptr;
  }
  json["geometry_sha256"] = geometry_hash(frame);
  json["application"] = frame.application;
  json["frame_number"] = frame.frame_number;
  const Target& target = frame.targets.at(main_target(frame));
  json["width"] = target.width;
  json["height"] = target.height;
  json["layers"] = target.layers;
  uint64_t draws = 0;
  for (const Command& command : frame.commands) draws += std::holds_alternative<DrawCommand>(command);
  json["draws"] = draws;
  json["triangles"] = triangle_count(frame);
  return json;
}

Json settings_json(const RenderOptions& options, const Statistics& s) {
  Json json = option_json(options);
  json["used"] = {{"machine", s.machine}, {"isa", s.isa}, {"workers", s.workers},         {"warps", s.warps_per_block},
                  {"lanes", s.width},     {"bin", s.bin}, {"rasterizers", s.rasterizers}, {"pattern", s.pattern}};
  return json;
}

Json machine_json(const Statistics& s) {
  Json json = computer_json();
  // Find the machine that drew by its name in find_machines.
  for (const MachineInfo& machine : find_machines()) {
    const bool cuda = machine.kind == MachineKind::cuda && s.machine == "cuda";
    if (cuda && machine.available) json["renderer"] = machine.name + " " + machine.isa;
  }
  if (json["renderer"].is_null()) json["renderer"] = s.machine + " " + s.isa;
  return json;
}

Json statistics_json(const FrameStatistics& s) {
  return {{"frames", s.frames},
          {"mean_ms", s.mean_ms},
          {"least_ms", s.min_ms},
          {"most_ms", s.max_ms},
          {"median_ms", s.median_ms},
          {"p95_ms", s.p95_ms},
          {"p99_ms", s.p99_ms},
          {"p99.9_ms", s.p999_ms},
          {"one_percent_low_fps", s.one_percent_low_fps},
          {"one_percent_low_formula", kOnePercentLowFormula}};
}

Json begun_manifest_json(const LogSession& session, Json scene, const RenderOptions& options) {
  Json json = {{"kind", kLogKind},
               {"format", kLogVersion},
               {"log", session.log.filename().string()},
               {"log_format", log_format_name(session.format)},
               {"complete", false},
               {"ended_by", nullptr},
               {"frames_asked", nullptr},
               {"version", BROKKR_VERSION},
               {"commit", program_commit()},
               {"command", command_line()},
               {"begun", session.begun},
               {"written", utc_now()},
               {"scene", std::move(scene)},
               {"camera", session.camera},
               {"settings", option_json(options)},
               {"machine", computer_json()},
               {"load", nullptr},
               {"race", nullptr},
               {"window", nullptr},
               {"driver", session.source.driver},
               {"cut_off_frames", session.cut_off},
               {"statistics", nullptr}};
  if (session.asked > 0) json["frames_asked"] = session.asked;
  if (!session.variant.empty())
    json["race"] = {{"variant", session.variant}, {"with", session.raced_with}, {"turn_pairs", session.race_turn}};
  if (session.source.swap_chain != 0) {
    json["window"] = {{"runtime", session.source.runtime},
                      {"renderer", session.source.gpu},
                      {"sync_interval", session.source.sync_interval},
                      {"present_mode", session.source.present_mode}};
  }
  return json;
}

Json manifest_json(const LogSession& session, Json scene, const RenderOptions& options, const Statistics& last,
                   const std::vector<double>& frame_ms) {
  Json json = begun_manifest_json(session, std::move(scene), options);
  json["complete"] = session.ended_by.empty();
  if (!session.ended_by.empty()) json["ended_by"] = session.ended_by;
  json["settings"] = settings_json(options, last);
  json["machine"] = machine_json(last);
  if (session.load) json["load"] = load_json(*session.load);
  json["statistics"] = statistics_json(frame_statistics(frame_ms));
  return json;
}

void write_json(const std::filesystem::path& path, const Json& json) { write_text(path, json_text(json)); }

}  // namespace brokkr
