#include "viewer/unproject.h"

#include <algorithm>
#include <cmath>
#include <glm/ext/matrix_transform.hpp>
#include <glm/trigonometric.hpp>

namespace brokkr::viewer {
namespace {

// The most vertices of a range that its fit and its bounds use; larger ranges are sampled.
constexpr uint64_t kSamples = 4096;

float focal_length(float fov) { return 1 / std::tan(glm::radians(fov) / 2); }

bool usable(const glm::vec4& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z) && std::isfinite(p.w);
}

// Each range once, by its first vertex; of ranges that overlap the first.
std::vector<PerspectiveRange> ranges_of(const Frame& frame, uint32_t target) {
  std::vector<PerspectiveRange> ranges;
  for (const Command& command : frame.commands) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr || draw->vertex_kind != VertexKind::clip_space) continue;
    if (frame.views[draw->first_view].target != target) continue;
    const uint64_t count = uint64_t(draw->vertex_count) * draw->instances;
    if (count > 0) ranges.push_back({draw->first_vertex, count, {}});
  }
  std::sort(ranges.begin(), ranges.end(), [](const PerspectiveRange& a, const PerspectiveRange& b) {
    return a.first != b.first ? a.first < b.first : a.count > b.count;
  });
  std::vector<PerspectiveRange> disjoint;
  for (const PerspectiveRange& range : ranges) {
    if (disjoint.empty() || range.first >= disjoint.back().first + disjoint.back().count) disjoint.push_back(range);
  }
  return disjoint;
}

}  // namespace

std::optional<ClipDepth> fit_clip_depth(std::span<const glm::vec4> positions) {
  const size_t step = std::max<size_t>(1, positions.size() / kSamples);
  double n = 0, w_sum = 0, z_sum = 0;
  for (size_t i = 0; i < positions.size(); i += step) {
    if (!usable(positions[i])) continue;
    n += 1;
    w_sum += double(positions[i].w);
    z_sum += double(positions[i].z);
  }
  if (n < 3) return std::nullopt;
  const double w_mean = w_sum / n, z_mean = z_sum / n;
  double ww = 0, wz = 0, w_size = 0;
  for (size_t i = 0; i < positions.size(); i += step) {
    if (!usable(positions[i])) continue;
    const double w = double(positions[i].w) - w_mean, z = double(positions[i].z) - z_mean;
    ww += w * w;
    wz += w * z;
    w_size = std::max(w_size, std::abs(double(positions[i].w)));
  }
  if (!(std::sqrt(ww / n) > 1e-4 * w_size)) return std::nullopt;
  const double slope = wz / ww, offset = z_mean - slope * w_mean;
  double worst = 0;
  for (size_t i = 0; i < positions.size(); i += step) {
    if (!usable(positions[i])) continue;
    worst = std::max(worst, std::abs(double(positions[i].z) - slope * double(positions[i].w) - offset));
  }
  // Eight-bit polygon offsets and the like disturb it a little.
  if (worst > 1e-3 * w_size) return std::nullopt;
  const bool infinite = std::abs(offset) <= 1e-5 * w_size;
  return ClipDepth{float(slope), infinite ? 0.0f : float(offset)};
}

Unprojection unproject(const Frame& frame, uint32_t target, float fov) {
  Unprojection result;
  const Target& t = frame.targets[target];
  result.aspect = float(t.width) / float(t.height);
  const glm::vec2 focal(focal_length(fov) / result.aspect, focal_length(fov));
  std::vector<float> distances;
  for (PerspectiveRange& range : ranges_of(frame, target)) {
    const std::span<const glm::vec4> positions(frame.positions.data() + range.first, size_t(range.count));
    const std::optional<ClipDepth> depth = fit_clip_depth(positions);
    if (!depth) continue;
    range.depth = *depth;
    result.ranges.push_back(range);
    if (depth->offset == 0) continue;  // a sky is no place to turn around
    const size_t step = std::max<size_t>(1, positions.size() / kSamples);
    for (size_t i = 0; i < positions.size(); i += step) {
      const glm::vec4& p = positions[i];
      const bool inside = usable(p) && p.w > 0 && std::abs(p.x) <= p.w && std::abs(p.y) <= p.w && std::abs(p.z) <= p.w;
      if (!inside) continue;
      distances.push_back(p.w);
      result.bounds.add({p.x / focal.x, p.y / focal.y, -p.w});
    }
  }
  float distance = 1;
  if (!distances.empty()) {
    const auto middle = distances.begin() + ptrdiff_t(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    distance = *middle;
  }
  result.camera = {.eye = glm::vec3(0), .target = glm::vec3(0, 0, -distance), .up = glm::vec3(0, 1, 0), .fov = fov};
  return result;
}

void reproject(const Unprojection& unprojection, const Camera& camera, std::span<const glm::vec4> from,
               std::span<glm::vec4> to) {
  std::copy(from.begin(), from.end(), to.begin());
  const float before = focal_length(unprojection.camera.fov), now = focal_length(camera.fov);
  const glm::vec2 out(1 / (before / unprojection.aspect), 1 / before);
  const glm::vec2 in(now / unprojection.aspect, now);
  const glm::mat4 view = glm::lookAtRH(camera.eye, camera.target, camera.up);
  for (const PerspectiveRange& range : unprojection.ranges) {
    const ClipDepth d = range.depth;
    const float place = d.offset == 0 ? 0.0f : 1.0f;
    for (uint64_t i = range.first; i < range.first + range.count; ++i) {
      const glm::vec4& p = from[size_t(i)];
      const glm::vec4 eye = view * glm::vec4(p.x * out.x, p.y * out.y, -p.w, place);
      const float rest = p.z - (d.slope * p.w + d.offset);  // the part that the fit does not explain is kept
      to[size_t(i)] = {eye.x * in.x, eye.y * in.y, d.slope * -eye.z + d.offset + rest, -eye.z};
    }
  }
}

}  // namespace brokkr::viewer
