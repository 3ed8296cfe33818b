// Clips primitives at user clip planes as drivers do, before they go to the file: the frame then needs no planes. No GL
// calls.
#pragma once

#include <cstdint>
#include <glm/vec4.hpp>
#include <vector>

#include "capture/primitives.h"

namespace brokkr::capture {

// A draw's vertices, instance after instance: `vertices` of each of `instances`.
struct ClippedDraw {
  Assembly assembly;
  uint32_t vertices = 0, instances = 1;
  std::vector<glm::vec4> positions;
  std::vector<float> varyings;  // of each vertex, as many as ClipRules::interpolation has
};

struct ClipRules {
  std::vector<Interpolation> interpolation;  // of each component of a vertex's varyings
  bool provoking_first = false;              // whose flat components a primitive has: its first vertex's, or its last's
};

// Removes what lies behind a plane, where a distance is negative. `distances`: `planes` of each vertex. Triangles
// become a list of what remains of them, lines and points likewise, all in one instance; a draw that nothing is cut
// from stays as it is. Components change along an edge as clip-space positions do (smooth), as window positions do
// (noperspective), or not at all (flat).
void clip(ClippedDraw& draw, const std::vector<float>& distances, uint32_t planes, const ClipRules& rules);

}  // namespace brokkr::capture
