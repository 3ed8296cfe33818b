// What scenes are called in the window, and what the files are called that the viewer writes of them.
#pragma once

#include <filesystem>
#include <string>

namespace brokkr::viewer {

// The file's name without its folder, or "generated:NAME", fit for the screen.
std::string display_name(const std::string& scene);

// "brokkr-NAME-1" + `ending` in `folder`, with the first number for which there is neither that file nor one with
// `companion` in place of the ending (empty: none goes with it).
std::filesystem::path free_name(const std::filesystem::path& folder, const std::string& scene,
                                const std::string& ending, const std::string& companion = {});

}  // namespace brokkr::viewer
