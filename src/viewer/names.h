// Names of scenes in the window, and of the files that the viewer writes of them.
#pragma once

#include <filesystem>
#include <string>

namespace brokkr::viewer {

// The file's name without its folder, or "generated:NAME", fit for the screen.
std::string display_name(const std::string& scene);

// "brokkr-NAME-1" + `ending` in `folder`, with the first number for which neither that file exists nor one that ends in
// `companion` (empty: there is no companion).
std::filesystem::path free_name(const std::filesystem::path& folder, const std::string& scene,
                                const std::string& ending, const std::string& companion = {});

}  // namespace brokkr::viewer
