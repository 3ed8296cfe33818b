#include "oracle/clip_distance.h"

#include <algorithm>
#include <cmath>

#include "geometry/triangle_store.h"
#include "schedule/schedule_tables.h"

namespace brokkr::oracle {

float least_clip_distance(const PreparedFrame::Impl& f) {
  float least = INFINITY;
  for (const RunRecord& run : f.runs) {
    const DrawRecord& d = f.draws[run.draw];
    const glm::mat4 clip = f.frame->views[run.view].view_projection * f.frame->models[d.first_instance + run.instance];
    for (uint32_t v = 0; v < d.vertex_count; ++v) {
      const glm::vec4& p = f.positions()[d.first_vertex + v];
      const glm::vec4 c = clip * glm::vec4(p.x, p.y, p.z, 1);
      const float low = kGuardMin + kGuardMargin, high = kGuardMax - kGuardMargin;
      for (const float distance :
           {c.w, d.bits & kDrawZeroToOne ? c.z : c.z + c.w, c.w - c.z, c.x * d.scale[0] + c.w * (d.offset[0] - low),
            c.w * (high - d.offset[0]) - c.x * d.scale[0], c.y * d.scale[1] + c.w * (d.offset[1] - low),
            c.w * (high - d.offset[1]) - c.y * d.scale[1]})
        least = std::min(least, distance);
    }
  }
  return least;
}

}  // namespace brokkr::oracle
