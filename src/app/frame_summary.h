// The contents of a frame in numbers, for `brokkr info`.
#pragma once

#include <cstdint>
#include <glm/vec3.hpp>
#include <map>
#include <string>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr::app {

struct TargetSummary {
  Target target;
  uint64_t draws = 0, triangles = 0;
  bool is_main = false;
};

struct FrameSummary {
  uint64_t commands = 0, draws = 0, clears = 0, blits = 0;
  uint64_t triangles = 0, indices = 0;
  uint64_t unique_vertices = 0;                // distinct vertices of each draw, times its instances, summed
  uint64_t instances = 0;                      // of all draws
  std::map<std::string, uint64_t> topologies;  // draws with each
  std::map<std::string, uint64_t> flags;       // draws with each flag, named as in frame files
  std::map<std::string, uint64_t> states;      // draws with each kind of state: "blend", "stencil", …
  std::vector<TargetSummary> targets;
  // Of all finite positions: clip space divided by w where w > 0, or object space.
  glm::vec3 lower{0}, upper{0};
  uint64_t behind_eye = 0;  // clip-space positions with w <= 0
  uint64_t not_finite = 0;
};

FrameSummary summarize(const Frame& frame);

std::string topology_name(Topology topology);
std::string format_name(ColorFormat format);

}  // namespace brokkr::app
