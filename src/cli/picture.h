// From what the renderer returns to the picture files that a command writes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pipeline/renderer.h"
#include "scene/frame.h"

namespace brokkr::cli {

// A picture's kind by its file name. Throws UsageError for names that do not end in .png, .exr or .pfm.
enum class PictureFormat : uint8_t { png, exr, pfm };
PictureFormat picture_format(const std::string& path, const std::string& option);

// `path` with {} replaced by the stem of `input`. With several inputs (`several`) a name without {} would be
// overwritten: throws UsageError naming `option`.
std::string output_name(const std::string& path, const std::string& input, bool several, const std::string& option);

// The colour of a layer to .png or .exr. Eight-bit values go to PNG as they are stored; floating-point ones are
// clamped and sRGB-encoded. EXR holds linear values.
void write_color(const std::string& path, const Layer& layer, ColorFormat format);

// Extra images, one value per pixel (AOV: arbitrary output variable).
enum class Aov : uint8_t { depth, draw, triangle, overdraw };
struct AovRequest {
  Aov aov = Aov::depth;
  std::string path;
};

// "depth=FILE.pfm". Throws UsageError.
AovRequest parse_aov(const std::string& text);

// Values of an image: depth 0..1; command and triangle numbers (-1 where nothing was drawn) of the primitive
// that is seen; fragments per pixel.
std::vector<float> aov_values(Aov aov, const Layer& layer, const PreparedFrame& prepared);

}  // namespace brokkr::cli
