// The JSON file beside a frame-time log: scene, options, machine and results.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/options.h"
#include "brokkr/statistics.h"
#include "log/frame_log.h"
#include "log/frame_statistics.h"
#include "log/machine_facts.h"

namespace brokkr {

inline constexpr const char* kLogKind = "brokkr frame log";
inline constexpr int kLogVersion = 1;

// Turns "run.csv" into "run.json".
std::filesystem::path manifest_path(const std::filesystem::path& log);

// File, size, SHA-256 of the file (null for a generated scene) and of the loaded geometry: positions, indices, normals,
// texture coordinates and models. Reads the file; takes 5 ms per MiB.
nlohmann::ordered_json scene_json(const std::string& path, const Frame& frame);

// Options by their command-line names, with the texts of their values: those requested, and those that the launch used.
nlohmann::ordered_json settings_json(const RenderOptions& options, const Statistics& statistics);

nlohmann::ordered_json machine_json(const Statistics& statistics);

nlohmann::ordered_json statistics_json(const FrameStatistics& statistics);

struct LogSession {
  std::filesystem::path log;  // file name of the CSV, relative to the manifest
  LogFormat format = LogFormat::presentmon;
  LogSource source;
  std::string camera, begun;  // begun: from utc_now()
  uint64_t cut_off = 0;       // number of frames that the frame budget cut off
  uint64_t asked = 0;         // number of requested frames; 0: unlimited
  std::string ended_by;       // the signal that ended the recording early, such as "SIGINT"; empty: none
  std::optional<MachineLoad> load;
  std::string variant, raced_with;  // for alternating runs: "A" and the log of B, or "B" and the log of A
  size_t race_turn = 1;             // Race::turn
};

// The manifest at the start of a recording: "complete" is false, the used values and the statistics are null. It stays
// beside a log whose program was killed.
nlohmann::ordered_json begun_manifest_json(const LogSession& session, nlohmann::ordered_json scene,
                                           const RenderOptions& options);

nlohmann::ordered_json manifest_json(const LogSession& session, nlohmann::ordered_json scene,
                                     const RenderOptions& options, const Statistics& last,
                                     const std::vector<double>& frame_ms);

// Writes the file completely or not at all. Throws std::runtime_error.
void write_json(const std::filesystem::path& path, const nlohmann::ordered_json& json);

}  // namespace brokkr
