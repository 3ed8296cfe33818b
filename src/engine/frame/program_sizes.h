// The amount of data that each draw must provide for its program, computed once per program: a file of a kilobyte can
// have a million uniforms that a hundred thousand draws use.
#pragma once

#include <cstdint>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/programs.h"

namespace brokkr {

struct ProgramSizes {
  uint64_t varying_components = 0;  // per vertex
  uint64_t uniform_words = 0;       // in the default block
  uint64_t textures = 0;
};

inline std::vector<ProgramSizes> program_sizes(const Frame& frame) {
  std::vector<ProgramSizes> sizes;
  for (const FragmentProgram& program : frame.programs)
    sizes.push_back({varying_components(program), uniform_words(program), bound_textures(program)});
  return sizes;
}

}  // namespace brokkr
