// Finds frames and other files that come with the program: in its source tree, or where `cmake --install` puts them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace brokkr::viewer {

// The location of a file, given by its path in the source tree, such as "scenes/minetest.bkf"; empty if it is missing.
std::optional<std::filesystem::path> find_bundled(const std::string& name);

// The bundled frames, the largest first, and then the scenes; without small frames and parts of an example.
std::vector<std::string> bundled_scenes();

}  // namespace brokkr::viewer
