// Clips primitives at user clip planes like drivers do, before they are stored, so that the frame needs no planes.
// Makes no GL calls.
#pragma once

#include <cstdint>
#include <glm/vec4.hpp>
#include <vector>

#include "capture/primitives.h"

namespace brokkr::capture {

// A draw's vertices, instance after instance: `vertices` for each of `instances`.
struct ClippedDraw {
  Assembly assembly;
  uint32_t vertices = 0, instances = 1;
  std::vector<glm::vec4> positions;
  std::vector<float> varyings;  // per vertex, as many as ClipRules::interpolation has entries
};

struct ClipRules {
  std::vector<Interpolation> interpolation;  // per component of a vertex's varyings
  bool provoking_first = false;              // whether flat components come from a primitive's first vertex or its last
};

// Removes what lies behind a plane, where a distance is negative. `distances`: `planes` values per vertex. Triangles
// become a list of their remaining parts, lines and points likewise, all in one instance; a draw that no plane cuts is
// unchanged. Along an edge, components change linearly in clip space (smooth), linearly in window space
// (noperspective), or not at all (flat).
void clip(ClippedDraw& draw, const std::vector<float>& distances, uint32_t planes, const ClipRules& rules);

}  // namespace brokkr::capture
