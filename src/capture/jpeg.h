// The pictures in a frame file.
#pragma once

#include <cstdint>
#include <vector>

namespace brokkr::capture {

// RGB, rows bottom to top. Empty where encoding fails.
std::vector<uint8_t> encode_jpeg(int width, int height, const std::vector<uint8_t>& pixels);

}  // namespace brokkr::capture
