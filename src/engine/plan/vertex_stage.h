// The vertex stage on the host: runs vertex programs on the CPU's lanes before a frame is prepared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

class Loading;

struct VertexFailure {
  uint32_t program = 0;  // index into Frame::vertex_programs
  std::string reason;
  uint64_t draws = 0;  // number of draws that the failure affects
};

// Does the work of shade_vertices (brokkr/vertex_stage.h), for a frame that has passed `validate`.
std::vector<VertexFailure> run_vertex_programs(Frame& frame, Loading& loading);

}  // namespace brokkr
