// The report of `brokkr patterns`: pictures of every experiment as SVG and PNG, and a page with them and their tables.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "lab/pattern_figures.h"

namespace brokkr::lab {

// Draws patterns-NAME.svg and .png in `folder`; without a font, only the .svg. Writes report.html with these pictures,
// the maps of fragments and the patterns in that folder, and tables. `settings` is the content of patterns.json. `rows`
// is indexed by the experiment's name. Returns the path of the page.
std::filesystem::path write_pattern_report(const std::filesystem::path& folder, const nlohmann::ordered_json& settings,
                                           const std::map<std::string, PatternRows>& rows);

}  // namespace brokkr::lab
