#include "viewer/scene.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/trigonometric.hpp>
#include <system_error>
#include <utility>

#include "app/input.h"
#include "app/text.h"
#include "inspect/trim.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;

// The assumed vertical field of view of captured frames, in degrees.
constexpr float kCapturedFov = 60;

// The bounds of a range use at most this many vertices; larger ranges are sampled.
constexpr uint64_t kSamples = 4096;

// The length of the prefix of a scene that is not a file, such as "generated:".
size_t prefix_of(const std::string& scene) {
  const size_t colon = scene.find(':');
  return colon == std::string::npos || scene.find_first_of("/.") != std::string::npos ? 0 : colon + 1;
}

float focal_length(float fov) { return 1 / std::tan(glm::radians(fov) / 2); }

bool usable(const glm::vec4& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z) && std::isfinite(p.w);
}

// Lists each range once, by its first vertex; where ranges overlap, only the first.
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

glm::vec3 row(const glm::mat4& m, int r) { return {m[0][r], m[1][r], m[2][r]}; }

// The camera that a view was made from (brokkr/camera.h: make_view), with its target at the distance of `bounds`.
Camera camera_of(const View& view, const Bounds& bounds) {
  // The rows of projection * view are the view's axes, scaled: right / (aspect tan), up / tan, ..., forward.
  Camera camera;
  const glm::vec3 forward = row(view.view_projection, 3), up = row(view.view_projection, 1);
  if (!(glm::length(forward) > 0) || !(glm::length(up) > 0)) return camera;
  camera.eye = view.eye;
  camera.up = glm::normalize(up);
  camera.fov = std::clamp(glm::degrees(2 * std::atan(glm::length(forward) / glm::length(up))), 1.0f, 170.0f);
  const glm::vec3 direction = glm::normalize(forward);
  float distance = 1;
  if (!bounds.empty()) {
    distance = glm::dot(bounds.center() - camera.eye, direction);
    if (!(distance > 0.05f * bounds.radius())) distance = std::max(0.5f * bounds.radius(), 1e-4f);
  }
  camera.target = camera.eye + direction * distance;
  // Turning around the world's up axis keeps horizons level.
  const glm::vec3 world_up(0, 1, 0);
  if (glm::dot(camera.up, world_up) > 0 && glm::length(glm::cross(direction, world_up)) > 1e-3f &&
      std::abs(glm::dot(glm::normalize(glm::cross(direction, world_up)), camera.up)) < 1e-3f)
    camera.up = world_up;
  return camera;
}

}  // namespace

Unprojection unproject(const Frame& frame, uint32_t target, float fov, float aspect) {
  Unprojection result;
  const Target& t = frame.targets[target];
  result.aspect = aspect > 0 ? aspect : float(t.width) / float(t.height);
  const glm::vec2 focal(focal_length(fov) / result.aspect, focal_length(fov));
  std::vector<float> distances;
  for (PerspectiveRange& range : ranges_of(frame, target)) {
    const std::span<const glm::vec4> positions(frame.positions.data() + range.first, size_t(range.count));
    const std::optional<ClipDepth> depth = fit_clip_depth(positions);
    if (!depth) continue;
    range.depth = *depth;
    result.ranges.push_back(range);
    if (depth->offset == 0) continue;  // a sky is not a useful centre of rotation
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

void reproject(const Unprojection& unprojection, const Camera& camera, std::span<const glm::vec4> points,
               std::span<glm::vec4> moved) {
  std::copy(points.begin(), points.end(), moved.begin());
  const float before = focal_length(unprojection.camera.fov), now = focal_length(camera.fov);
  const glm::vec2 out(1 / (before / unprojection.aspect), 1 / before);
  const glm::vec2 in(now / unprojection.aspect, now);
  const glm::mat4 view = glm::lookAtRH(camera.eye, camera.target, camera.up);
  for (const PerspectiveRange& range : unprojection.ranges) {
    const ClipDepth d = range.depth;
    const float place = d.offset == 0 ? 0.0f : 1.0f;
    for (uint64_t i = range.first; i < range.first + range.count; ++i) {
      const glm::vec4& p = points[size_t(i)];
      const glm::vec4 eye = view * glm::vec4(p.x * out.x, p.y * out.y, -p.w, place);
      const float rest = p.z - (d.slope * p.w + d.offset);  // keep the part that the fit does not explain
      moved[size_t(i)] = {eye.x * in.x, eye.y * in.y, d.slope * -eye.z + d.offset + rest, -eye.z};
    }
  }
}

std::shared_ptr<const Scene> make_scene(std::string path, Frame frame, double load_ms, const LoadOptions& load) {
  auto scene = std::make_shared<Scene>();
  scene->path = std::move(path);
  scene->frame = std::move(frame);
  scene->load_ms = load_ms;
  scene->load = load;
  scene->load.progress = {};
  scene->load.warning = {};
  scene->main_target = main_target(scene->frame);
  scene->picture_target = app::picture_target(scene->frame);
  scene->draws = draw_commands(scene->frame).size();
  scene->triangles = triangle_count(scene->frame);
  const auto transformed = [](const Command& command) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    return draw != nullptr && draw->vertex_kind == VertexKind::transform;
  };
  scene->clip_space = std::none_of(scene->frame.commands.begin(), scene->frame.commands.end(), transformed);
  if (scene->clip_space) {
    scene->game = find_game_camera(scene->frame, load);
    const GameProjection& projection = scene->game.projection;
    const bool is_known = scene->game.is_found();
    scene->unprojection = unproject(scene->frame, scene->main_target, is_known ? projection.fov() : kCapturedFov,
                                    is_known ? projection.aspect() : 0);
    scene->bounds = scene->unprojection.bounds;
    scene->camera = is_known ? scene->game.captured() : scene->unprojection.camera;
  } else {
    scene->bounds = bounds_of(scene->frame);
    scene->camera = camera_of(scene->frame.views[0], scene->bounds);
  }
  return scene;
}

std::string display_name(const std::string& scene) {
  return app::printable(prefix_of(scene) > 0 ? scene : fs::path(scene).filename().string());
}

fs::path free_name(const fs::path& folder, const std::string& scene, const std::string& ending,
                   const std::string& companion) {
  const size_t prefix = prefix_of(scene);
  std::string stem = prefix > 0 ? scene.substr(prefix) : fs::path(scene).stem().string();
  for (char& c : stem) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 128 && !std::isalnum(byte) && c != '-' && c != '_') c = '-';
  }
  const auto exists = [&](const std::string& name) {
    std::error_code ignored;
    return fs::exists(folder / name, ignored);
  };
  for (int number = 1;; ++number) {
    const std::string name = "brokkr-" + stem + "-" + std::to_string(number);
    if (!exists(name + ending) && (companion.empty() || !exists(name + companion))) return folder / (name + ending);
  }
}

}  // namespace brokkr::viewer
