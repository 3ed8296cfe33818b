#include "reyes/patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/nearest_name.h"
#include "base/text_scanner.h"

namespace brokkr {
namespace {

constexpr uint64_t kMaxBytes = uint64_t(1) << 30;
constexpr float kMaxCoordinate = 1e15f;

struct Named {
  const char* name;
  PatchScene (*make)();
};
constexpr Named kScenes[] = {{"teapot", teapot_scene}, {"tea-set", tea_set_scene}, {"creature", creature_scene}};

// The control points of a side, starting at its first corner.
std::array<glm::vec3, 4> side_of(const glm::vec3* patch, int side) {
  static constexpr int kFirst[] = {0, 12, 0, 3}, kStep[] = {1, 1, 4, 4};
  std::array<glm::vec3, 4> points;
  for (int k = 0; k < 4; ++k) points[size_t(k)] = patch[kFirst[side] + k * kStep[side]];
  return points;
}

std::array<float, 12> numbers_of(const std::array<glm::vec3, 4>& points, bool backwards) {
  std::array<float, 12> numbers;
  for (size_t k = 0; k < 4; ++k) {
    // turns -0 into +0
    for (int c = 0; c < 3; ++c) numbers[3 * k + size_t(c)] = points[backwards ? 3 - k : k][c] + 0.0f;
  }
  return numbers;
}

PatchScene parse(std::span<const std::byte> file, Loading& loading) {
  TextScanner scanner(as_text(file));
  const std::optional<int64_t> count = scanner.number<int64_t>();
  if (!count) fail("field 'patches': the file does not begin with a number; it must begin with the number of patches");
  if (*count < 1) fail("field 'patches': there are {}; name a file with patches", *count);
  // Two degrees and 48 numbers take at least two characters each.
  if (*count > int64_t(kMaxPatches) || uint64_t(*count) > file.size() / 100 + 1) {
    fail("field 'patches': {} are more than the file holds, or more than {}; copy the file again", *count, kMaxPatches);
  }
  PatchScene scene;
  loading.need(uint64_t(*count) * (kPatchPoints * sizeof(glm::vec3) + sizeof(uint32_t)), "patches");
  scene.points.reserve(size_t(*count) * kPatchPoints);
  scene.palette = {{{0.72f, 0.74f, 0.78f}, 0.35f}};
  for (int64_t p = 1; p <= *count; ++p) {
    const std::optional<int> u = scanner.number<int>(), v = scanner.number<int>();
    if (!u || !v)
      fail("field 'patch {}': lacks its two degrees; {} patches should follow: copy the file again", p, *count);
    if (*u != 3 || *v != 3) {
      fail("field 'patch {}': is of degrees {} and {}; only bicubic patches (3 3) can be read", p, *u, *v);
    }
    for (size_t k = 1; k <= kPatchPoints; ++k) {
      glm::vec3 point(0.0f);
      for (int c = 0; c < 3; ++c) {
        const std::optional<float> number = scanner.number<float>();
        if (!number) fail("field 'patch {}', point {}: lacks its three numbers; copy the file again", p, k);
        // NaN fails this comparison.
        if (!(std::abs(*number) < kMaxCoordinate)) {
          fail("field 'patch {}', point {}: is not finite, or beyond 1e15; write the file again", p, k);
        }
        point[c] = *number + 0.0f;
      }
      scene.points.push_back(point);
    }
  }
  if (!scanner.word().empty()) {
    fail("field 'patches': the file holds more than the {} patches that it announces; correct the number", *count);
  }
  scene.materials.assign(size_t(*count), 0);
  return scene;
}

}  // namespace

std::vector<glm::vec3> PatchScene::points_at(float phase) const {
  if (!move) return points;
  std::vector<glm::vec3> moved(points.size());
  for (size_t k = 0; k < points.size(); ++k) moved[k] = move(points[k], materials[k / kPatchPoints], phase);
  return moved;
}

Bounds PatchScene::bounds() const {
  Bounds bounds;
  for (const glm::vec3& point : points) bounds.add(point);
  return bounds;
}

std::vector<uint32_t> edge_numbers(const std::vector<glm::vec3>& points) {
  std::map<std::array<float, 12>, uint32_t> known;
  std::vector<uint32_t> edges;
  for (size_t p = 0; p < points.size() / kPatchPoints; ++p) {
    for (int side = 0; side < 4; ++side) {
      const std::array<glm::vec3, 4> its = side_of(&points[p * kPatchPoints], side);
      const std::array<float, 12> ahead = numbers_of(its, false), back = numbers_of(its, true);
      const uint32_t number = known.try_emplace(std::min(ahead, back), uint32_t(known.size())).first->second;
      edges.push_back(number << 1 | uint32_t(back < ahead));
    }
  }
  return edges;
}

PatchScene read_bpt(std::span<const std::byte> file, std::string_view name, Loading& loading) {
  try {
    PatchScene scene = parse(file, loading);
    scene.name = name;
    return scene;
  } catch (const std::runtime_error& error) {
    fail("{}: {}", name, error.what());
  }
}

std::string bpt_text(const PatchScene& scene, float phase) {
  const std::vector<glm::vec3> points = scene.points_at(phase);
  std::string text = fmt::format("{}\n", scene.patches());
  for (size_t k = 0; k < points.size(); ++k) {
    if (k % kPatchPoints == 0) text += "3 3\n";
    text += fmt::format("{} {} {}\n", points[k].x, points[k].y, points[k].z);
  }
  return text;
}

std::vector<std::string> patch_scene_names() {
  std::vector<std::string> names;
  for (const Named& scene : kScenes) names.emplace_back(scene.name);
  return names;
}

PatchScene load_patches(const std::string& name, const LoadOptions& options) {
  for (const Named& scene : kScenes) {
    if (name == scene.name) return scene.make();
  }
  if (name.find_first_of("./") == std::string::npos) {
    fail("'{}' is neither a scene of patches nor a .bpt file{}; scenes are {}", name,
         did_you_mean(name, patch_scene_names()), "teapot, tea-set and creature");
  }
  Loading loading(options);
  const std::vector<std::byte> file = read_file(name, kMaxBytes, &loading);
  loading.holds(file.size(), "file");
  return read_bpt(file, name, loading);
}

namespace {

using Edge = std::pair<uint32_t, uint32_t>;

// The face to the left of each directed edge, as face * 4 + the corner at which the edge begins.
std::map<Edge, uint32_t> edges_of(const Cage& cage) {
  std::map<Edge, uint32_t> edges;
  for (uint32_t f = 0; f < cage.faces.size(); ++f) {
    for (uint32_t k = 0; k < 4; ++k) {
      const Edge edge{cage.faces[f][k], cage.faces[f][(k + 1) % 4]};
      if (!edges.emplace(edge, 4 * f + k).second) fail("cage, face {}: shares an edge with two others", f);
    }
  }
  for (const auto& [edge, face] : edges) {
    if (!edges.contains({edge.second, edge.first})) fail("cage, face {}: has an edge with no other face", face / 4);
  }
  return edges;
}

Edge undirected(uint32_t a, uint32_t b) { return a < b ? Edge{a, b} : Edge{b, a}; }

}  // namespace

Cage subdivided(const Cage& cage) {
  const std::map<Edge, uint32_t> edges = edges_of(cage);
  Cage fine;
  std::vector<glm::vec3> centers;
  // For each point: the number of faces around it, the sum of their centres, and the sum of the midpoints of its edges.
  std::vector<float> valence(cage.points.size(), 0);
  std::vector<glm::vec3> faces(cage.points.size(), glm::vec3(0)), middles(cage.points.size(), glm::vec3(0));
  for (const auto& face : cage.faces) {
    glm::vec3 center(0);
    for (const uint32_t corner : face) center += 0.25f * cage.points[corner];
    centers.push_back(center);
    for (size_t k = 0; k < 4; ++k) {
      valence[face[k]] += 1;
      faces[face[k]] += center;
      middles[face[k]] += 0.5f * (cage.points[face[k]] + cage.points[face[(k + 1) % 4]]);
    }
  }
  for (size_t p = 0; p < cage.points.size(); ++p) {
    const float n = valence[p];
    if (n < 3) fail("cage, point {}: has fewer than three faces", p);
    fine.points.push_back((faces[p] / n + 2.0f * middles[p] / n + (n - 3) * cage.points[p]) / n);
  }
  std::map<Edge, uint32_t> edge_points;
  for (const auto& [edge, face] : edges) {
    if (edge.first > edge.second) continue;
    const uint32_t other = edges.at({edge.second, edge.first});
    edge_points[edge] = uint32_t(fine.points.size());
    fine.points.push_back(
        0.25f * (cage.points[edge.first] + cage.points[edge.second] + centers[face / 4] + centers[other / 4]));
  }
  for (uint32_t f = 0; f < cage.faces.size(); ++f) {
    const auto& face = cage.faces[f];
    const uint32_t center = uint32_t(fine.points.size());
    fine.points.push_back(centers[f]);
    for (size_t k = 0; k < 4; ++k) {
      fine.faces.push_back({face[k], edge_points.at(undirected(face[k], face[(k + 1) % 4])), center,
                            edge_points.at(undirected(face[(k + 3) % 4], face[k]))});
      fine.materials.push_back(cage.materials[f]);
    }
  }
  return fine;
}

void append_patches(PatchScene& scene, const Cage& cage) {
  const std::map<Edge, uint32_t> edges = edges_of(cage);
  std::vector<float> valence(cage.points.size(), 0);
  for (const auto& face : cage.faces) {
    for (const uint32_t corner : face) valence[corner] += 1;
  }
  // Inner points, by face * 4 + corner.
  std::vector<glm::vec3> inner;
  std::vector<glm::vec3> corners(cage.points.size(), glm::vec3(0));
  for (const auto& face : cage.faces) {
    for (size_t k = 0; k < 4; ++k) {
      const float n = valence[face[k]];
      const glm::vec3 beside = cage.points[face[(k + 1) % 4]] + cage.points[face[(k + 3) % 4]];
      inner.push_back((n * cage.points[face[k]] + 2.0f * beside + cage.points[face[(k + 2) % 4]]) / (n + 5));
      corners[face[k]] += inner.back() / n;
    }
  }
  // The edge point at the start of a directed edge, from the faces to its left and right; for the right face, this
  // point is the end of the opposite edge.
  const auto edge_point = [&](uint32_t from, uint32_t to) {
    const uint32_t left = edges.at({from, to}), right = edges.at({to, from});
    const glm::vec3& a = inner[left];
    const glm::vec3& b = inner[right / 4 * 4 + (right % 4 + 1) % 4];
    return 0.5f * (a + b);
  };
  for (uint32_t f = 0; f < cage.faces.size(); ++f) {
    const auto& c = cage.faces[f];
    const glm::vec3 patch[kPatchPoints] = {
        corners[c[0]],          edge_point(c[0], c[1]), edge_point(c[1], c[0]), corners[c[1]],
        edge_point(c[0], c[3]), inner[4 * f],           inner[4 * f + 1],       edge_point(c[1], c[2]),
        edge_point(c[3], c[0]), inner[4 * f + 3],       inner[4 * f + 2],       edge_point(c[2], c[1]),
        corners[c[3]],          edge_point(c[3], c[2]), edge_point(c[2], c[3]), corners[c[2]]};
    scene.points.insert(scene.points.end(), std::begin(patch), std::end(patch));
    scene.materials.push_back(cage.materials[f]);
  }
}

Cage cage_of_cubes(const std::array<int, 3>& size, const std::function<int(int, int, int)>& material,
                   const std::function<glm::vec3(float, float, float)>& place) {
  Cage cage;
  std::map<std::array<int, 3>, uint32_t> numbers;
  const auto inside = [&](const std::array<int, 3>& at) {
    for (size_t c = 0; c < 3; ++c) {
      if (at[c] < 0 || at[c] >= size[c]) return -1;
    }
    return material(at[0], at[1], at[2]);
  };
  const auto point = [&](const std::array<int, 3>& at) {
    const auto [found, is_new] = numbers.try_emplace(at, uint32_t(cage.points.size()));
    if (is_new) cage.points.push_back(place(float(at[0]), float(at[1]), float(at[2])));
    return found->second;
  };
  for (int z = 0; z < size[2]; ++z) {
    for (int y = 0; y < size[1]; ++y) {
      for (int x = 0; x < size[0]; ++x) {
        const std::array<int, 3> at{x, y, z};
        const int its = inside(at);
        if (its < 0) continue;
        for (size_t axis = 0; axis < 3; ++axis) {
          for (int side = 0; side < 2; ++side) {
            std::array<int, 3> beside = at;
            beside[axis] += side == 0 ? -1 : 1;
            if (inside(beside) >= 0) continue;
            const size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
            std::array<uint32_t, 4> face;
            for (size_t k = 0; k < 4; ++k) {
              std::array<int, 3> corner = at;
              corner[axis] += side;
              const bool far_a = k == 1 || k == 2, far_b = k >= 2;
              corner[side == 1 ? a : b] += far_a ? 1 : 0;
              corner[side == 1 ? b : a] += far_b ? 1 : 0;
              face[k] = point(corner);
            }
            cage.faces.push_back(face);
            cage.materials.push_back(uint32_t(its));
          }
        }
      }
    }
  }
  return cage;
}

}  // namespace brokkr
