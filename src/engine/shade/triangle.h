// Shades one triangle that covers a whole picture with a run-time shader. This makes the picture of `brokkr shaders
// -o`, which tests compare with OpenGL.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shade/instance.h"
#include "shader/program.h"

namespace brokkr::shader {

// Rows run bottom to top. The corners' clip coordinates are (-1, -1), (3, -1) and (-1, 3), depth is 0 and w is 1.
struct TrianglePicture {
  int width = 0, height = 0;
  std::vector<float> outputs;  // the shader's output words per pixel; 0 if discarded
  std::vector<uint8_t> kept;   // per pixel: 1 if it is not discarded
};

// `corners`: the shader's input words per corner, as bits. This function computes words of InputKind::position and
// front_facing. Flat inputs come from the last corner.
TrianglePicture shade_triangle(const Program& program, Instance& instance, int width, int height,
                               std::span<const std::vector<uint32_t>, 3> corners);

}  // namespace brokkr::shader
