// The computer and the circumstances of a benchmark, for readers of its numbers.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/bench_measure.h"

namespace brokkr::app {

// Processor, cores, memory, date, commit of the program, load, niceness, peers' versions, command line.
nlohmann::ordered_json bench_environment(const Bench& bench);

double load_average();  // of the last minute

}  // namespace brokkr::app
