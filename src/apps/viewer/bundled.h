// Frames and other files that come with the program: in its sources, or where `cmake --install` puts them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace brokkr::viewer {

// A file by its path in the sources, "scenes/minetest.bkf"; nothing where it is not there.
std::optional<std::filesystem::path> find_bundled(const std::string& name);

// The bundled frames and scenes, those of play before those of menus.
std::vector<std::string> bundled_scenes();

}  // namespace brokkr::viewer
