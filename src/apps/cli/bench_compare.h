// Compares two runs of `brokkr bench`, one before and one after a change.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace brokkr::app {

// Matches the rows of both files by name, shading and curve position. Each row has: "before" and "after" in ms;
// "ratio", above 1 if the second is faster, with its range over the rounds; "machine", the same ratio for the first
// peer, which shows how much the computer itself changed; "verdict", the conclusion; and "doubt", the reason why no
// conclusion is possible. "geomeans" has geometric means by group. Throws std::runtime_error if a file is not a result
// of `brokkr bench` or if the files share no row.
nlohmann::ordered_json bench_difference(const std::string& before, const std::string& after);

std::string difference_table(const nlohmann::ordered_json& difference);

// Returns true if the file is the manifest of a frame-time log, not a result of `brokkr bench --json`.
bool is_log_manifest(const std::string& path);

// Compares two logs, named by their manifests: their statistics, the ratio of their medians with its interval, and the
// conclusion ("verdict" and "doubt" as above). If both logs come from one `bench --ab` run, the ratio is computed from
// their pairs. Throws std::runtime_error if a file or its CSV cannot be read.
nlohmann::ordered_json log_difference(const std::string& before, const std::string& after);
std::string log_difference_table(const nlohmann::ordered_json& difference);

}  // namespace brokkr::app
