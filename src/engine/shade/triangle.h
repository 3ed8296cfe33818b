// One triangle over a whole picture, shaded by a run-time shader: what `brokkr shaders -o` shows, and what tests hold
// beside OpenGL.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shade/instance.h"
#include "shader/program.h"

namespace brokkr::shader {

// Rows bottom to top. Clip coordinates of the corners are (-1, -1), (3, -1) and (-1, 3), depth is 0 and w is 1.
struct TrianglePicture {
  int width = 0, height = 0;
  std::vector<float> outputs;  // of each pixel the shader's output words; 0 where it is discarded
  std::vector<uint8_t> kept;   // of each pixel whether it is not discarded
};

// `corners`: of each corner the shader's input words, as bits. Words of InputKind::position and front_facing are made
// here; flat ones are those of the last corner.
TrianglePicture shade_triangle(const Program& program, Instance& instance, int width, int height,
                               std::span<const std::vector<uint32_t>, 3> corners);

}  // namespace brokkr::shader
