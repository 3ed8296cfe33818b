// PNG files that hold the settings they were rendered with.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

using Metadata = std::map<std::string, std::string>;

// Adds a text chunk (iTXt, UTF-8) per entry to a PNG file in memory. Keys are 1..79 Latin letters. Throws
// std::invalid_argument where `png` is no PNG file.
std::vector<std::byte> with_metadata(std::vector<std::byte> png, const Metadata& metadata);

// The settings that a frame was rendered with: "Source", "Software", "Settings" (JSON), "Camera", and "Command", a
// command line of `brokkr render` that draws it again.
Metadata metadata_of(const Rendered& frame);

// Throws std::runtime_error naming the file.
void write_screenshot(const std::filesystem::path& path, const Picture& picture, const Metadata& metadata);

}  // namespace brokkr::viewer
