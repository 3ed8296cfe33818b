// Primary rays through a kd-tree, in a generated scene: a room with a floor and walls, and clusters of small triangles
// in it, most of them in a few places, as objects in a conference room are.
#include <algorithm>
#include <cmath>

#include "simt/kernels/rays.h"
#include "simt/programs.h"
#include "simt/programs/expect.h"
#include "trace/structure.h"

namespace brokkr::simt {
namespace {

using trace::TraceScene;
using trace::TriangleRecord;

void add_triangle(TraceScene& scene, glm::vec3 a, glm::vec3 b, glm::vec3 c) {
  TriangleRecord t = {};
  for (int i = 0; i < 3; ++i) {
    t.corner[i] = a[i];
    t.edge1[i] = b[i] - a[i];
    t.edge2[i] = c[i] - a[i];
  }
  scene.triangles.push_back(t);
}

// A sheet of cells x cells squares.
void add_sheet(TraceScene& scene, glm::vec3 from, glm::vec3 u, glm::vec3 v, int cells) {
  for (int y = 0; y < cells; ++y) {
    for (int x = 0; x < cells; ++x) {
      const auto at = [&](int i, int j) { return from + (u * float(i) + v * float(j)) / float(cells); };
      add_triangle(scene, at(x, y), at(x + 1, y), at(x, y + 1));
      add_triangle(scene, at(x + 1, y), at(x + 1, y + 1), at(x, y + 1));
    }
  }
}

TraceScene make_room(uint32_t triangles) {
  TraceScene scene;
  const int cells = std::max(1, int(std::sqrt(float(triangles) / 30.0f)));
  add_sheet(scene, {-1, 0, -1}, {2, 0, 0}, {0, 0, 2}, cells);
  add_sheet(scene, {-1, 0, 1}, {2, 0, 0}, {0, 1, 0}, cells);
  add_sheet(scene, {-1, 0, -1}, {0, 0, 2}, {0, 1, 0}, cells);
  Numbers numbers(10);
  const auto spread = [&](float size) { return (numbers.unit() + numbers.unit() + numbers.unit() - 1.5f) * size; };
  std::vector<glm::vec3> places;
  for (int i = 0; i < 24; ++i) places.emplace_back(spread(1.1f), 0.1f + 0.3f * numbers.unit(), spread(1.1f));
  const float small = 0.8f / std::sqrt(float(triangles));
  while (scene.triangles.size() < triangles) {
    const glm::vec3 middle = places[std::min(numbers.below(24), numbers.below(24))];
    const glm::vec3 p = middle + glm::vec3(spread(0.2f), spread(0.2f), spread(0.2f));
    const auto corner = [&] { return p + glm::vec3(spread(small), spread(small), spread(small)) * 4.0f; };
    const glm::vec3 a = corner(), b = corner(), c = corner();
    add_triangle(scene, a, b, c);
  }
  scene.tolerance = 1e-5f;
  trace::Box all;
  for (const TriangleRecord& t : scene.triangles) all.add(trace::bounds_of(t, scene.tolerance));
  scene.low = all.low, scene.high = all.high;
  return scene;
}

// The ray of a pixel against all triangles, in double precision: the least distance, or infinity.
double nearest(const TraceScene& scene, const rays::Work& w, uint32_t ray) {
  const float x = float(ray % w.width) + 0.5f, y = float(ray / w.width) + 0.5f;
  glm::dvec3 d, eye;
  for (int a = 0; a < 3; ++a) {
    d[a] = w.corner[a] + x * w.right[a] + y * w.up[a];
    eye[a] = w.eye[a];
  }
  double best = INFINITY;
  for (const TriangleRecord& t : scene.triangles) {
    const glm::dvec3 p(t.corner[0], t.corner[1], t.corner[2]), e1(t.edge1[0], t.edge1[1], t.edge1[2]),
        e2(t.edge2[0], t.edge2[1], t.edge2[2]);
    const glm::dvec3 pv = glm::cross(d, e2), tv = eye - p, qv = glm::cross(tv, e1);
    const double det = glm::dot(e1, pv), u = glm::dot(tv, pv) / det, v = glm::dot(d, qv) / det;
    const double at = glm::dot(e2, qv) / det;
    if (u >= 0 && v >= 0 && u + v <= 1 && at > 0) best = std::min(best, at);
  }
  return best;
}

double distance_to(const TraceScene& scene, const rays::Work& w, uint32_t ray, uint32_t hit) {
  if (hit == rays::kNone) return INFINITY;
  TraceScene one;
  one.triangles = {scene.triangles[hit]};
  return nearest(one, w, ray);
}

// Some rays by another way. A ray through an edge may take the one or the other triangle.
void check(const TraceScene& scene, const rays::Work& w) {
  constexpr uint32_t kChecked = 64;
  const uint32_t count = w.width * w.height;
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < kChecked; ++i) {
    const uint32_t ray = uint32_t(uint64_t(i) * count / kChecked + i % 7) % count;
    const double expected = nearest(scene, w, ray), found = distance_to(scene, w, ray, w.hits[ray]);
    wrong += expected != found && std::fabs(expected - found) > 1e-4 * expected;
  }
  if (wrong > 1) fail("ray: {} of {} rays do not find the nearest triangle", wrong, kChecked);
}

void run_rays(Runner& runner, const ProgramSize& size, const char* kernel) {
  const TraceScene scene = make_room(size.triangles);
  const trace::Structure tree = trace::build_kd(scene, 0);
  if (tree.depth > int(rays::kStackEntries) + 20) fail("ray: the tree is {} deep, more than stacks hold", tree.depth);
  rays::Work w = {};
  w.width = w.height = size.width;
  std::vector<uint32_t> nodes;
  for (const trace::KdNode& n : tree.kd) nodes.insert(nodes.end(), {n.value, n.link});
  std::vector<float> triangles;
  for (const TriangleRecord& t : scene.triangles) {
    for (const auto& part : {t.corner, t.edge1, t.edge2}) triangles.insert(triangles.end(), part, part + 3);
    triangles.push_back(0);
  }
  const uint32_t count = w.width * w.height;
  w.nodes = runner.buffer(nodes), w.places = runner.buffer(tree.places), w.triangles = runner.buffer(triangles);
  w.stack = runner.buffer<uint32_t>(size_t(count) * 3 * rays::kStackEntries);
  uint32_t* const hits = w.hits = runner.buffer<uint32_t>(count);
  std::fill(hits, hits + count, rays::kPending);
  const float eye[3] = {0.9f, 0.7f, -1.6f}, corner[3] = {-1.5f, -0.85f, 1.2f};
  for (int a = 0; a < 3; ++a) {
    w.eye[a] = eye[a];
    w.corner[a] = corner[a];
    w.low[a] = scene.low[a];
    w.high[a] = scene.high[a];
  }
  w.right[0] = 2.0f / float(w.width), w.right[2] = 0.8f / float(w.width);
  w.up[1] = 1.2f / float(w.height);
  runner.launch(kernel, {count / 64}, {64}, w);
  runner.count_done(uint64_t(std::count_if(hits, hits + count, [](uint32_t h) { return h != rays::kPending; })));
  if (!runner.was_stopped()) check(scene, w);
}

}  // namespace

void run_rays_loops(Runner& runner, const ProgramSize& size) { run_rays(runner, size, "rays_loops"); }
void run_rays_spawned(Runner& runner, const ProgramSize& size) { run_rays(runner, size, "rays_begin"); }

}  // namespace brokkr::simt
