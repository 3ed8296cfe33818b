// The report of `brokkr patterns`: pictures of every experiment as SVG and PNG, and a page with them and their tables.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "lab/pattern_figures.h"

namespace brokkr::lab {

// Draws patterns-NAME.svg and .png in `folder` (.svg alone where the program has no font), and writes report.html with
// them, the maps of fragments and the patterns that lie there, and tables. `settings`: what patterns.json holds.
// `rows`: by the experiment's name. Returns the path of the page.
std::filesystem::path write_pattern_report(const std::filesystem::path& folder, const nlohmann::ordered_json& settings,
                                           const std::map<std::string, PatternRows>& rows);

}  // namespace brokkr::lab
