// A picture of a fragment shader by itself: one triangle over all pixels.
#pragma once

#include <string>
#include <vector>

#include "brokkr/image.h"
#include "shader/program.h"

namespace brokkr::app {

// The uniform words that "NAME=V,V…" gives, by their numbers; as many values as the uniform has words, or its first
// ones. Throws UsageError.
std::map<uint32_t, uint32_t> uniform_words(const shader::Program& program, const std::vector<std::string>& given);

// Every varying is (x, y, 1, 1), x and y from 0 to 1 over the picture. `uniforms`: words; others are 0. `textures`:
// "NAME=FILE" for samplers; those without one read black. Pixels that are discarded are transparent. Throws UsageError,
// and std::runtime_error for files.
Image shader_picture(const shader::Program& program, int width, int height,
                     const std::map<uint32_t, uint32_t>& uniforms, const std::vector<std::string>& textures);

}  // namespace brokkr::app
