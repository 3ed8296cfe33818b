// Compares two runs of `brokkr bench`, before and after a change.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace brokkr::app {

// Rows of both files matched by name, shading and curve position: "before", "after" in ms, "ratio" above 1 where the
// second is faster, its range over the rounds, and "machine", the same ratio of the first peer, which shows how much
// the computer itself changed. "verdict" says what can be told of the two, "doubt" why nothing can: the runs were not
// drawn together. Geometric means by group under "geomeans". Throws std::runtime_error where a file is no result of
// `brokkr bench` or the two share no row.
nlohmann::ordered_json bench_difference(const std::string& before, const std::string& after);

std::string difference_table(const nlohmann::ordered_json& difference);

// Returns true if the file is a manifest of a frame-time log (and no result of `brokkr bench --json`).
bool is_log_manifest(const std::string& path);

// Two logs, named by their manifests, side by side: their statistics, the ratio of their medians with its interval, and
// what can be told of it ("verdict", "doubt" as above). Logs of one `bench --ab` were drawn together: their ratio is
// that of their pairs.
// Throws std::runtime_error where a file or its CSV cannot be read.
nlohmann::ordered_json log_difference(const std::string& before, const std::string& after);
std::string log_difference_table(const nlohmann::ordered_json& difference);

}  // namespace brokkr::app
