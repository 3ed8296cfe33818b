#include "formats/sources.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <optional>

#include "base/failure.h"
#include "base/loading.h"
#include "base/nearest_name.h"
#include "formats/scene_setup.h"
#include "frame/mesh_builder.h"

namespace brokkr {
namespace {

// The keys that sources.h describes.
struct Parameters {
  int triangles = 0, textured = 0, instanced = 0, draws = 1, depth = 10;
};
struct Key {
  const char* name;
  int Parameters::*value;
  int low, high;
};
constexpr Key kKeys[] = {{"triangles", &Parameters::triangles, 12, 50'000'000},
                         {"textured", &Parameters::textured, 0, 1},
                         {"instanced", &Parameters::instanced, 0, 1},
                         {"draws", &Parameters::draws, 1, 1'000'000},
                         {"depth", &Parameters::depth, 1, 1000}};

constexpr int kTextureSize = 1024;
constexpr float kTau = 6.2831853f;

// A scene that is being generated: its mesh, and the way that it is shown.
struct Making {
  MeshBuilder mesh;
  const Parameters parameters;
  LoadOptions options;
  std::vector<glm::mat4> models{glm::mat4(1)};
  std::optional<Camera> camera;  // without a camera, one is fitted to the visible part
  CullMode cull = CullMode::back;
  VertexKind kind = VertexKind::transform;
  std::optional<Bounds> bounds;  // the bounds of the mesh, if it has no others
};

// Appends the material that every generated scene uses.
void add_material(Frame& frame, const Parameters& parameters) {
  Material material;
  material.name = "generated";
  material.kind = MaterialKind::blinn_phong;
  material.diffuse = parameters.textured != 0 ? glm::vec3(1.0f) : glm::vec3(0.55f, 0.62f, 0.7f);
  material.specular = glm::vec3(0.25f);
  material.ambient = glm::vec3(0.3f);
  if (parameters.textured != 0) {
    material.diffuse_texture = int(frame.textures.size());
    frame.textures.push_back(tile_texture(kTextureSize));
  }
  frame.materials.push_back(material);
}

// Appends `draw`, cut into `count` draws. Their numbers of triangles differ by at most one.
void add_draws(Frame& frame, const DrawCommand& draw, int count) {
  const uint64_t triangles = draw.element_count / 3, pieces = std::min(uint64_t(count), triangles);
  for (uint64_t piece = 0; piece < pieces; piece++) {
    const uint64_t begin = triangles * piece / pieces, end = triangles * (piece + 1) / pieces;
    DrawCommand part = draw;
    part.first_index += 3 * begin;
    part.element_count = uint32_t(3 * (end - begin));
    frame.commands.emplace_back(std::in_place_type<DrawCommand>, std::move(part));
  }
}

// Puts the whole mesh with its models into the frame, as one draw or as the requested number of draws.
void finish(Frame& frame, const Making& scene) {
  set_up_scene(frame, scene.bounds.value_or(scene.mesh.bounds()), scene.camera, scene.options);
  frame.models = scene.models;
  frame.states.push_back(opaque_state(frame));
  frame.states[0].cull = scene.cull;
  add_material(frame, scene.parameters);
  DrawCommand draw = scene.mesh.draw(uint32_t(frame.models.size()));
  draw.label = frame.application;
  draw.vertex_kind = scene.kind;
  add_draws(frame, draw, scene.parameters.draws);
}

// The number of quads per side of a cube face that makes about `triangles` triangles on the whole sphere.
int sphere_side(int triangles) { return std::max(1, int(std::lround(std::sqrt(double(triangles) / 12)))); }

// At this distance, the sphere's outline is 1.22 times the picture's half height, which is 60 % of a 16:9 picture.
void make_sphere(Making& scene) {
  scene.mesh.displaced_sphere(sphere_side(scene.parameters.triangles), glm::vec3(0), 1, 0.01f);
  scene.camera = Camera{.eye = 3.21f * glm::normalize(glm::vec3(0.3f, 0.2f, 1)), .fov = 30};
}

// Triangles of equal area on the screen, in any depth order, that together cover it `depth` times.
void make_overlap(Making& scene) {
  const float aspect = scene_aspect(scene.options);
  const float area = float(scene.parameters.depth) * 4 * aspect / float(scene.parameters.triangles);
  const float radius = std::sqrt(area * 4 / (3 * std::sqrt(3.0f)));  // circumscribed circle, equilateral
  const Camera camera{.eye = {0, 0, 0}, .target = {0, 0, -1}, .fov = 60, .near_plane = 0.5f, .far_plane = 20};
  scene.camera = camera;
  const float slope = std::tan(camera.fov / 360 * kTau / 2);
  uint32_t random = 1;
  for (int i = 0; i < scene.parameters.triangles; i++) {
    const float x = (2 * random_unit(random) - 1) * aspect, y = 2 * random_unit(random) - 1;
    const float depth = 1 + 9 * random_unit(random), turn = kTau * random_unit(random);
    std::array<glm::vec3, 3> corners;
    for (size_t k = 0; k < 3; k++) {
      const float angle = turn + kTau * float(k) / 3;
      const float d = depth * (0.95f + 0.1f * random_unit(random));
      corners[k] =
          glm::vec3((x + radius * std::cos(angle)) * slope * d, (y + radius * std::sin(angle)) * slope * d, -d);
    }
    const glm::vec3 normal = glm::normalize(glm::cross(corners[1] - corners[0], corners[2] - corners[0]));
    const uint32_t a = scene.mesh.vertex(corners[0], normal, {0, 0}), b = scene.mesh.vertex(corners[1], normal, {1, 0});
    scene.mesh.triangle(a, b, scene.mesh.vertex(corners[2], normal, {0, 1}));
  }
  scene.cull = CullMode::none;
}

float hills(float x, float z) {
  float height = 0;
  for (int octave = 0; octave < 5; octave++) {
    const float scale = float(1 << octave);
    height += (std::sin(0.21f * scale * x + 1.7f * float(octave)) * std::cos(0.17f * scale * z - 0.9f * float(octave)) +
               std::sin(0.13f * scale * (x + z))) /
              scale;
  }
  return height;
}

void make_terrain(Making& scene) {
  const int side = std::max(1, int(std::lround(std::sqrt(double(scene.parameters.triangles) / 2))));
  scene.mesh.height_field(side, 100, hills);
  scene.camera = Camera{.eye = {3, hills(3, 48) + 2.5f, 48}, .target = {0, 0.5f, 0}, .fov = 50, .near_plane = 0.2f};
  scene.cull = CullMode::none;
}

void make_city(Making& scene) {
  const int boxes = std::max(1, scene.parameters.triangles / 12);
  const int row = int(std::ceil(std::sqrt(double(boxes))));
  constexpr float kBlock = 3;
  const float half = float(row) * kBlock / 2;
  Bounds bounds;
  if (scene.parameters.instanced != 0) scene.models.clear();
  uint32_t random = 7;
  for (int i = 0; i < boxes; i++) {
    const float width = 1.5f + 0.9f * random_unit(random), depth = 1.5f + 0.9f * random_unit(random);
    const float unit = random_unit(random);
    const glm::vec3 size(width, 1.5f + 3 * unit + 16 * std::pow(unit, 12.0f), depth);
    const int column = i % row, line = i / row;
    const glm::vec3 base((float(column) + 0.5f) * kBlock - half, 0, (float(line) + 0.5f) * kBlock - half);
    bounds.add(base - glm::vec3(size.x, 0, size.z) / 2.0f);
    bounds.add(base + glm::vec3(size.x / 2, size.y, size.z / 2));
    if (scene.parameters.instanced != 0) {
      scene.models.push_back(glm::scale(glm::translate(glm::mat4(1), base), size));
    } else {
      scene.mesh.box(base, size, 0.5f);
    }
  }
  if (scene.parameters.instanced != 0) scene.mesh.box(glm::vec3(0), glm::vec3(1), 1);
  // The camera is at a person's height above the roof edges of the first street, and looks along the street.
  scene.camera =
      Camera{.eye = {half * 0.05f, 3.2f, half + 4}, .target = {-half * 0.1f, 2.4f, 0}, .fov = 60, .near_plane = 0.2f};
  scene.bounds = bounds;
}

// Many small pictures of one object in one launch.
void make_views(Making& scene) {
  if (scene.options.views == 0) scene.options.views = 1024;
  scene.mesh.displaced_sphere(sphere_side(scene.parameters.triangles), glm::vec3(0), 1, 0.05f);
}

void make_scan(Making& scene) { add_scan(scene.mesh, scan_cells(scene.parameters.triangles)); }

// Leaves that share no vertices, around a trunk that does.
void make_tree(Making& scene) {
  constexpr int kRound = 12;
  const int rings = std::clamp(scene.parameters.triangles / (20 * kRound), 1, 40);
  for (int ring = 0; ring <= rings; ring++) {
    const float y = 4.0f * float(ring) / float(rings), radius = 0.3f - 0.06f * y;
    for (int i = 0; i < kRound; i++) {
      const float angle = kTau * float(i) / kRound;
      const glm::vec3 out(std::cos(angle), 0, std::sin(angle));
      scene.mesh.vertex(out * radius + glm::vec3(0, y, 0), out, {float(i) / kRound, y});
    }
  }
  for (uint32_t ring = 0; ring < uint32_t(rings); ring++) {
    for (uint32_t i = 0; i < kRound; i++) {
      const uint32_t a = ring * kRound + i, b = ring * kRound + (i + 1) % kRound;
      scene.mesh.triangle(a, a + kRound, b + kRound);
      scene.mesh.triangle(a, b + kRound, b);
    }
  }
  const int leaves = std::max(1, (scene.parameters.triangles - 2 * kRound * rings) / 2);
  uint32_t random = 11;
  const auto unit = [&] { return 2 * random_unit(random) - 1; };
  for (int i = 0; i < leaves; i++) {
    glm::vec3 centre;
    do centre = glm::vec3(unit(), unit(), unit());
    while (glm::dot(centre, centre) > 1);
    centre = centre * glm::vec3(2, 1.6f, 2) + glm::vec3(0, 4, 0);
    const glm::vec3 along = glm::normalize(glm::vec3(unit(), unit() - 0.3f, unit()) + glm::vec3(1e-3f, 0, 0));
    const glm::vec3 normal = glm::normalize(glm::cross(along, glm::vec3(unit(), 2, unit())));
    const glm::vec3 across = glm::cross(normal, along) * 0.04f, length = along * 0.1f;
    const uint32_t a = scene.mesh.vertex(centre - across, normal, {0, 0}),
                   b = scene.mesh.vertex(centre + across, normal, {1, 0});
    const uint32_t c = scene.mesh.vertex(centre + across + length, normal, {1, 1});
    const uint32_t d = scene.mesh.vertex(centre - across + length, normal, {0, 1});
    scene.mesh.triangle(a, b, c);
    scene.mesh.triangle(a, c, d);
  }
  scene.cull = CullMode::none;
}

void make_screen(Making& scene) {
  const auto corner = [&](float x, float y) {
    return scene.mesh.vertex({x, y, 0}, {0, 0, 1}, {x / 2 + 0.5f, y / 2 + 0.5f});
  };
  const uint32_t a = corner(-1, -1), b = corner(3, -1);
  scene.mesh.triangle(a, b, corner(-1, 3));
  scene.kind = VertexKind::clip_space;
}

struct Scene {
  const char *name, *description;
  int triangles;    // default number
  double vertices;  // per triangle, approximately
  void (*make)(Making&);
};

constexpr Scene kScenes[] = {
    {"sphere-1m", "a displaced sphere of 1.0 M small triangles over 60 % of the picture", 12 * 289 * 289, 0.6,
     make_sphere},
    {"sphere-100k", "the same of 100 k triangles", 12 * 91 * 91, 0.6, make_sphere},
    {"overlap-10k", "10 k large triangles in random depth order, depth complexity 10", 10'000, 3, make_overlap},
    {"terrain", "512 x 512 x 2 triangles of hills at a grazing angle", 512 * 512 * 2, 0.6, make_terrain},
    {"city", "20 k boxes of 12 triangles from street level, heavy occlusion", 240'000, 2, make_city},
    {"views", "1024 views of 128 x 128 pixels of one object of 1 k triangles", 12 * 9 * 9, 0.6, make_views},
    {"scan", "a knotty figure of 1 M irregular triangles, numbered slice by slice as scans are", 1'000'000, 0.6,
     make_scan},
    {"screen", "one triangle over the whole picture, for shaders that need no scene", 1, 3, make_screen},
    {"tree", "a trunk and 50 k leaves, each of two triangles with vertices of its own", 100'000, 2, make_tree},
};

Parameters parse_parameters(std::string_view spec, std::string_view text, int triangles) {
  Parameters parameters{.triangles = triangles};
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::string_view name = part.substr(0, part.find('='));
    const std::string_view value = part.substr(std::min(name.size() + 1, part.size()));
    const auto* key = std::find_if(std::begin(kKeys), std::end(kKeys), [&](const Key& k) { return name == k.name; });
    if (key == std::end(kKeys)) {
      fail("generated:{}, field '{}': there is no such key; use triangles, textured, instanced, draws or depth", spec,
           name);
    }
    int& number = parameters.*key->value;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < key->low || number > key->high) {
      fail("generated:{}, field '{}': '{}' is not an integer in {}..{}; choose another value", spec, name, value,
           key->low, key->high);
    }
  }
  return parameters;
}

// Requires the memory before anything is generated. Lists are copied when they grow.
void require_room(const Scene& scene, const Parameters& parameters, Loading& loading) {
  constexpr double kVertex = 3 * (sizeof(glm::vec4) + sizeof(glm::vec3) + sizeof(glm::vec2));
  constexpr double kTriangle = 3 * 3 * sizeof(uint32_t), kSmall = 1 << 16;
  const double triangles = std::max(parameters.triangles, 1);
  loading.check(uint64_t(kSmall + triangles * (kTriangle + scene.vertices * kVertex)), "triangles");
  loading.check(uint64_t(parameters.draws) * 2 * sizeof(Command), "draws");
}

}  // namespace

Frame generate(std::string_view spec, const LoadOptions& options) {
  const size_t question = std::min(spec.find('?'), spec.size());
  const std::string_view name = spec.substr(0, question);
  const auto* scene = std::find_if(std::begin(kScenes), std::end(kScenes),
                                   [&](const Scene& candidate) { return name == candidate.name; });
  if (scene == std::end(kScenes)) {
    std::vector<std::string> names;
    for (const Scene& known : kScenes) names.emplace_back(known.name);
    fail("generated:{}, field 'name': there is no such scene; use one of {}{}", spec, fmt::join(names, ", "),
         did_you_mean(name, names));
  }
  const Parameters parameters =
      parse_parameters(spec, spec.substr(std::min(question + 1, spec.size())), scene->triangles);
  Frame frame;
  frame.application = scene->name;
  frame.generator = "brokkr";
  frame.license = "CC0";
  frame.source = "generated:" + std::string(spec);
  Loading loading(options);
  loading.at(0);
  try {
    require_room(*scene, parameters, loading);
  } catch (const std::runtime_error& error) {
    fail("generated:{}, {}", spec, error.what());
  }
  loading.until(0.9);
  Making making{MeshBuilder(frame, loading), parameters, options};
  scene->make(making);
  finish(frame, making);
  validate(frame, loading);
  return frame;
}

std::vector<SceneSource> generated_scenes() {
  std::vector<SceneSource> scenes;
  for (const Scene& scene : kScenes) scenes.push_back({scene.name, scene.description});
  return scenes;
}

}  // namespace brokkr
