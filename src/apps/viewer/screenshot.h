// PNG files that contain the settings of their picture.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

using Metadata = std::map<std::string, std::string>;

// A PNG file without alpha, with one text chunk (iTXt, UTF-8) per entry. Keys are 1..79 Latin letters. Throws
// std::runtime_error if the picture has no pixels.
std::vector<std::byte> encode_screenshot(const Picture& picture, const Metadata& metadata);

// The settings that a frame was rendered with: "Source", "Software", "Settings" (JSON), "Camera", and "Command", the
// command line of `brokkr` that draws it again.
Metadata metadata_of(const Rendered& frame);

}  // namespace brokkr::viewer
