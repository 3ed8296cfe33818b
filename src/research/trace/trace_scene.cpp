#include "trace/trace_scene.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/matrix_inverse.hpp>
#include <glm/mat3x3.hpp>
#include <stdexcept>
#include <variant>

#include "frame/primitive_counts.h"

namespace brokkr::trace {
namespace {

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
  throw std::runtime_error((source.empty() ? "the scene" : source) + ": " + why);
}
[[noreturn]] void refuse(const Frame& frame, const std::string& why) { refuse(frame.source, why); }

void copy3(float (&to)[3], const glm::vec3& from) {
  for (int k = 0; k < 3; ++k) to[k] = from[k];
}
float luminance(const float (&c)[3]) { return 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2]; }

MappingRecord mapping_of(const TextureMapping& mapping, int texture) {
  MappingRecord r;
  for (int k = 0; k < 4; ++k) r.linear[k] = mapping.linear[k / 2][k % 2];
  r.offset[0] = mapping.offset.x;
  r.offset[1] = mapping.offset.y;
  r.set = mapping.set;
  r.texture = texture < 0 ? kNone : uint32_t(texture);
  return r;
}

// `blends`: the surface behind a draw with this material is visible through it.
MaterialRecord material_of(const Material& m, bool blends) {
  MaterialRecord r{};
  const glm::vec3 zero(0);
  const auto positive = [&](const glm::vec3& c) { return glm::max(c, zero); };
  glm::vec3 base = positive(m.diffuse), emission = positive(m.emission);
  if (m.unlit) {
    emission = base;
    base = zero;
  }
  copy3(r.base, glm::min(base, glm::vec3(1)));
  copy3(r.specular, glm::min(positive(m.specular), glm::vec3(1)));
  copy3(r.emission, emission);
  r.metallic = -1;
  // Converts Blinn's exponent to a roughness: alpha^2 = 2 / (n + 2) [Walter07, 5].
  r.roughness = std::pow(2.0f / (std::max(m.shininess, 0.0f) + 2.0f), 0.25f);
  r.diffuse = mapping_of(m.diffuse_mapping, m.unlit ? -1 : m.diffuse_texture);
  r.metal_rough = mapping_of({}, -1);
  r.emissive = mapping_of({}, -1);
  r.alpha = mapping_of({}, m.alpha_texture);
  if (m.kind == MaterialKind::metallic_roughness) {
    r.metallic = m.unlit ? 0.0f : std::clamp(m.metallic, 0.0f, 1.0f);
    r.roughness = std::clamp(m.roughness, 0.0f, 1.0f);
    r.metal_rough = mapping_of(m.metallic_roughness_mapping, m.metallic_roughness_texture);
    r.emissive =
        m.unlit ? mapping_of(m.diffuse_mapping, m.diffuse_texture) : mapping_of(m.emission_mapping, m.emission_texture);
  } else if (m.unlit) {
    r.emissive = mapping_of(m.diffuse_mapping, m.diffuse_texture);
  }
  r.opacity = std::clamp(m.opacity, 0.0f, 1.0f);
  r.alpha_cutoff = m.alpha_cutoff;
  r.reads_alpha = m.alpha_cutoff > 0 || blends ? 1 : 0;
  return r;
}

// Collects the triangles of a frame's draws.
class Collector {
 public:
  Collector(const Frame& frame, TraceScene& scene) : frame_(frame), scene_(scene) {}

  void add(const DrawCommand& draw, uint32_t material) {
    material_ = material;
    for (uint32_t instance = 0; instance < draw.instances; ++instance) {
      model_ = frame_.models[draw.first_instance + instance];
      normal_matrix_ = glm::inverseTranspose(glm::mat3(model_));
      run_.clear();
      for (uint32_t i = 0; i < draw.element_count; ++i) {
        const uint32_t index = draw.indexed ? frame_.indices[draw.first_index + i] : i;
        if (draw.indexed && draw.restart && index == kRestartIndex) {
          finish_run(draw.topology);
        } else {
          run_.push_back(draw.first_vertex + index);
        }
      }
      finish_run(draw.topology);
    }
  }

 private:
  const Frame& frame_;
  TraceScene& scene_;
  uint32_t material_ = 0;
  glm::mat4 model_{1};
  glm::mat3 normal_matrix_{1};
  std::vector<uint64_t> run_;

  void finish_run(Topology topology) {
    const size_t n = run_.size();
    switch (topology) {
      case Topology::triangles:
        for (size_t i = 0; i + 2 < n; i += 3) triangle(run_[i], run_[i + 1], run_[i + 2]);
        break;
      case Topology::triangle_strip:
        for (size_t i = 0; i + 2 < n; ++i) triangle(run_[i + (i % 2)], run_[i + 1 - (i % 2)], run_[i + 2]);
        break;
      case Topology::triangle_fan:
        for (size_t i = 1; i + 1 < n; ++i) triangle(run_[0], run_[i], run_[i + 1]);
        break;
      default: scene_.without_surface += n;
    }
    run_.clear();
  }
  void triangle(uint64_t a, uint64_t b, uint64_t c) {
    const uint64_t vertices[3] = {a, b, c};
    glm::vec3 p[3];
    for (int k = 0; k < 3; ++k) p[k] = glm::vec3(model_ * glm::vec4(glm::vec3(frame_.positions[vertices[k]]), 1.0f));
    const glm::vec3 e1 = p[1] - p[0], e2 = p[2] - p[0];
    const glm::vec3 normal = glm::cross(e1, e2);
    const float length = glm::length(normal);
    // Zero, infinite or NaN.
    if (!(length > 0) || !std::isfinite(length)) {
      ++scene_.dropped;
      return;
    }
    TriangleRecord t{};
    copy3(t.corner, p[0]);
    copy3(t.edge1, e1);
    copy3(t.edge2, e2);
    t.material = material_;
    scene_.triangles.push_back(t);
    for (const uint64_t v : vertices) scene_.corners.push_back(corner(v, normal / length));
  }
  CornerRecord corner(uint64_t v, const glm::vec3& flat) const {
    CornerRecord r{};
    glm::vec3 normal = frame_.normals.empty() ? flat : normal_matrix_ * frame_.normals[v];
    const float length = glm::length(normal);
    normal = length > 0 && std::isfinite(length) ? normal / length : flat;
    copy3(r.normal, normal);
    for (int k = 0; k < 2; ++k) {
      r.texcoord[k] = frame_.texcoords.empty() ? 0.0f : frame_.texcoords[v][k];
      r.second[k] = frame_.second_texcoords.empty() ? 0.0f : frame_.second_texcoords[v][k];
    }
    for (int k = 0; k < 4; ++k) r.color[k] = frame_.colors.empty() ? 1.0f : frame_.colors[v][k];
    return r;
  }
};

void add_textures(const Frame& frame, TraceScene& scene) {
  for (const Texture& texture : frame.textures) {
    TextureRecord r{};
    r.first = uint32_t(scene.texels.size());
    r.width = uint32_t(texture.width);
    r.height = uint32_t(texture.height);
    r.wrap_x = uint32_t(texture.sampler.wrap_x);
    r.wrap_y = uint32_t(texture.sampler.wrap_y);
    r.srgb = texture.srgb ? 1 : 0;
    if (scene.texels.size() + texture.texels.size() > 0x7fffffffu)
      refuse(frame, "its textures have more than 2^31 texels; use smaller ones");
    scene.texels.insert(scene.texels.end(), texture.texels.begin(), texture.texels.end());
    scene.textures.push_back(r);
  }
}

// Reserves the memory of the scene's lists, and the memory that filling them needs. Room for all triangles is reserved
// before they are looked at.
void make_room(const Frame& frame, TraceScene& scene, const std::shared_ptr<MemoryBudget>& budget) {
  uint64_t triangles = 0, texels = 0, longest = 0, emitting = 0;
  for (const Command& command : frame.commands) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr) continue;
    longest = std::max<uint64_t>(longest, draw->element_count);
    if (draw->topology > Topology::triangle_fan) continue;
    const uint64_t its = primitive_count(draw->topology, draw->element_count) * draw->instances;
    triangles += its;
    if (luminance(scene.materials[draw->material].emission) > 0) emitting += its;
  }
  for (const Texture& texture : frame.textures) texels += texture.texels.size();
  if (triangles >= (1u << 27)) refuse(frame, "has more than 2^27 triangles; trace a part of it");
  const uint64_t stays = triangles * (sizeof(TriangleRecord) + 3 * sizeof(CornerRecord)) + texels * sizeof(uint32_t) +
                         emitting * sizeof(LightRecord);
  const HeldMemory on_top(budget, longest * sizeof(uint64_t) + emitting * sizeof(double), "scene");
  scene.memory = std::make_shared<HeldMemory>(budget, stays, "scene");
  scene.triangles.reserve(triangles);
  scene.corners.reserve(3 * triangles);
  scene.texels.reserve(texels);
  scene.lights.reserve(emitting);
}

// Collects emitting triangles and the sums of their power.
void add_lights(TraceScene& scene) {
  std::vector<double> power;
  power.reserve(scene.lights.capacity());
  double total = 0;
  for (size_t i = 0; i < scene.triangles.size(); ++i) {
    const TriangleRecord& t = scene.triangles[i];
    const float emits = luminance(scene.materials[t.material].emission);
    if (emits <= 0) continue;
    const glm::vec3 e1(t.edge1[0], t.edge1[1], t.edge1[2]), e2(t.edge2[0], t.edge2[1], t.edge2[2]);
    total += double(emits) * 0.5 * double(glm::length(glm::cross(e1, e2)));
    scene.lights.push_back({uint32_t(i), 0});
    power.push_back(total);
  }
  for (size_t i = 0; i < power.size(); ++i) scene.lights[i].sum = float(power[i] / total);
  if (scene.lights.empty()) return;
  scene.lights.back().sum = 1;
  for (MaterialRecord& m : scene.materials) m.light_density = float(double(luminance(m.emission)) / total);
}

// The lens of a view: the corners of the picture in a plane at distance 1.
LensRecord lens_of(const std::string& source, const View& view, int width, int height) {
  const glm::dmat4 inverse = glm::inverse(glm::dmat4(view.view_projection));
  const auto unproject = [&](double x, double y, double z) {
    const glm::dvec4 p = inverse * glm::dvec4(x, y, z, 1);
    return glm::dvec3(p) / p.w;
  };
  const glm::dvec3 eye(view.eye);
  const glm::dvec3 axis = glm::normalize(unproject(0, 0, 1) - unproject(0, 0, -1));
  const auto at_distance_1 = [&](double x, double y) {
    const glm::dvec3 ray = unproject(x, y, 0.5) - eye;
    return ray / glm::dot(ray, axis);
  };
  const glm::dvec3 corner = at_distance_1(-1, -1);
  const glm::dvec3 right = (at_distance_1(1, -1) - corner) / double(width);
  const glm::dvec3 up = (at_distance_1(-1, 1) - corner) / double(height);
  LensRecord lens;
  copy3(lens.eye, glm::vec3(eye));
  copy3(lens.corner, glm::vec3(corner));
  copy3(lens.right, glm::vec3(right));
  copy3(lens.up, glm::vec3(up));
  copy3(lens.lens_x, glm::vec3(glm::normalize(right)));
  copy3(lens.lens_y, glm::vec3(glm::normalize(up)));
  for (const float value : {lens.eye[0], lens.corner[0], lens.corner[1], lens.corner[2], lens.right[0], lens.up[1]}) {
    if (!std::isfinite(value))
      refuse(source, "field 'views': its camera has no inverse; give one: --camera \"eye=0,1,5\"");
  }
  return lens;
}

// Far above the rounding error of a scene point seen from the eye, and far below visible detail. It is a power of two,
// so that a small camera move changes neither the tolerance nor the structures that depend on it.
float tolerance_of(const Box& box, const glm::vec3& eye) {
  Box all = box;
  all.add({eye, eye});
  const glm::vec3 size = all.high - all.low;
  const float most = std::max({size.x, size.y, size.z, std::abs(all.low.x) * 0.1f, std::abs(all.high.x) * 0.1f,
                               std::abs(all.low.y) * 0.1f, std::abs(all.high.y) * 0.1f, std::abs(all.low.z) * 0.1f,
                               std::abs(all.high.z) * 0.1f});
  return std::exp2(std::ceil(std::log2(1e-5f * most)));
}

// The distance of the surface in the middle of the picture, along the view direction; 0 if there is none.
float distance_in_the_middle(const TraceScene& scene) {
  const LensRecord& lens = scene.lens;
  const auto vec = [](const float(&xyz)[3]) { return glm::dvec3(xyz[0], xyz[1], xyz[2]); };
  const glm::dvec3 eye = vec(lens.eye), axis = glm::normalize(glm::cross(vec(lens.up), vec(lens.right))) * -1.0;
  const glm::dvec3 d = vec(lens.corner) + vec(lens.right) * (0.5 * scene.width) + vec(lens.up) * (0.5 * scene.height);
  double nearest = 0;
  for (const TriangleRecord& t : scene.triangles) {
    const glm::dvec3 e1 = vec(t.edge1), e2 = vec(t.edge2), p = glm::cross(d, e2), s = eye - vec(t.corner);
    const double determinant = glm::dot(e1, p);
    if (determinant == 0) continue;
    const glm::dvec3 q = glm::cross(s, e1);
    const double u = glm::dot(s, p) / determinant, v = glm::dot(d, q) / determinant, at = glm::dot(e2, q) / determinant;
    if (u >= 0 && v >= 0 && u + v <= 1 && at > 0 && (nearest == 0 || at < nearest)) nearest = at;
  }
  return float(nearest * std::abs(glm::dot(d, axis)));
}

}  // namespace

void Box::add(const Box& other) {
  low = glm::min(low, other.low);
  high = glm::max(high, other.high);
}
float Box::half_area() const {
  const glm::vec3 size = glm::max(high - low, glm::vec3(0));
  return size.x * size.y + size.y * size.z + size.z * size.x;
}

Box bounds_of(const TriangleRecord& t, float tolerance) {
  Box box;
  for (int k = 0; k < 3; ++k) {
    const float a = t.corner[k] + t.edge1[k], b = t.corner[k] + t.edge2[k];
    box.low[k] = std::min({t.corner[k], a, b}) - tolerance;
    box.high[k] = std::max({t.corner[k], a, b}) + tolerance;
  }
  return box;
}

TraceScene make_trace_scene(const Frame& frame, const SceneOptions& options,
                            const std::shared_ptr<MemoryBudget>& budget) {
  TraceScene scene;
  std::vector<bool> blends(frame.materials.size());
  const DrawCommand* first = nullptr;
  for (const Command& command : frame.commands) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr) continue;
    if (draw->vertex_kind != VertexKind::transform)
      refuse(frame, "a captured frame cannot be path traced: its vertices are already projected; trace a model (" +
                        std::string(".obj, .gltf, .glb, .ply, .stl)"));
    if (first == nullptr) first = draw;
    if (frame.states[draw->state].blend) blends[draw->material] = true;
  }
  if (first == nullptr || frame.views.empty()) refuse(frame, "nothing is drawn, so there is nothing to trace");
  for (size_t i = 0; i < frame.materials.size(); ++i)
    scene.materials.push_back(material_of(frame.materials[i], blends[i]));
  make_room(frame, scene, budget);
  add_textures(frame, scene);
  Collector collector(frame, scene);
  for (const Command& command : frame.commands) {
    if (const auto* draw = std::get_if<DrawCommand>(&command)) collector.add(*draw, draw->material);
  }
  if (scene.triangles.empty())
    refuse(frame, "has no triangle with an area; " + std::to_string(scene.dropped) + " without one are left out");
  for (const TriangleRecord& t : scene.triangles)
    scene.all_opaque = scene.all_opaque && scene.materials[t.material].reads_alpha == 0;

  for (const TriangleRecord& t : scene.triangles) scene.box.add(bounds_of(t, 0));
  const View& view = frame.views[first->first_view];
  scene.tolerance = tolerance_of(scene.box, view.eye);
  scene.low = scene.box.low - 2 * scene.tolerance;
  scene.high = scene.box.high + 2 * scene.tolerance;

  add_lights(scene);
  scene.sky = options.sky;
  scene.sun = options.sun;
  scene.to_sun = glm::normalize(frame.light_direction);
  if (scene.lights.empty() && scene.sky == glm::vec3(0) && scene.sun == glm::vec3(0))
    refuse(frame, "has no light: no material emits, and there is neither sky nor sun; give --sky 0.5 or --sun 2");
  const Target& target = frame.targets[view.target];
  scene.source = frame.source;
  look_through(scene, view, target.width, target.height, options);
  return scene;
}

bool look_through(TraceScene& scene, const View& view, int width, int height, const SceneOptions& options) {
  scene.width = width;
  scene.height = height;
  scene.lens = lens_of(scene.source, view, width, height);
  scene.lens.aperture = options.aperture;
  scene.lens.focus = options.focus > 0 ? options.focus : 1.0f;
  if (options.focus <= 0 && options.aperture > 0) {
    const float distance = distance_in_the_middle(scene);
    if (distance <= 0)
      refuse(scene.source,
             "there is no surface in the middle of the picture to focus on; give --focus, in units of the scene");
    scene.lens.focus = distance;
  }
  return tolerance_of(scene.box, view.eye) == scene.tolerance;
}

}  // namespace brokkr::trace
