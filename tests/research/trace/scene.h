// Synthetic scenes for the path tracer's tests.
#pragma once

#include <glm/geometric.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "trace/tracer.h"

namespace brokkr::trace_test {

// A frame of triangles that a camera looks at; each triangle has its material.
class SceneMaker {
 public:
  SceneMaker(int width, int height, glm::vec3 eye, glm::vec3 target) {
    frame.source = "test";
    frame.targets.push_back({0, width, height, 1, ColorFormat::rgba8_srgb, {}, {}, {}});
    View view;
    view.eye = eye;
    view.view_projection = glm::perspective(0.8f, float(width) / float(height), 0.1f, 100.0f) *
                           glm::lookAt(eye, target, glm::vec3(0, 1, 0));
    frame.views.push_back(view);
    frame.states.emplace_back();
    frame.models.emplace_back(1.0f);
  }
  int material(glm::vec3 diffuse, glm::vec3 emission = glm::vec3(0), glm::vec3 specular = glm::vec3(0),
               float shininess = 32) {
    Material m;
    m.kind = MaterialKind::blinn_phong;
    m.diffuse = diffuse;
    m.emission = emission;
    m.specular = specular;
    m.shininess = shininess;
    frame.materials.push_back(m);
    return int(frame.materials.size()) - 1;
  }
  void triangle(glm::vec3 a, glm::vec3 b, glm::vec3 c, int material) {
    const uint64_t first = frame.positions.size();
    for (const glm::vec3& p : {a, b, c}) frame.positions.emplace_back(p, 1.0f);
    frame.texcoords.insert(frame.texcoords.end(), {{0, 0}, {1, 0}, {1, 1}});
    draw(first, 3, material);
  }
  void quad(glm::vec3 corner, glm::vec3 u, glm::vec3 v, int material) {
    const uint64_t first = frame.positions.size();
    for (const glm::vec2& at : {glm::vec2(0, 0), {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}}) {
      frame.positions.emplace_back(corner + u * at.x + v * at.y, 1.0f);
      frame.texcoords.push_back(at);
    }
    draw(first, 6, material);
  }
  void ball(glm::vec3 center, float radius, int rings, int material) {
    const auto at = [&](int i, int j) {
      const float a = 3.14159265f * float(i) / float(rings), b = 3.14159265f * float(j) / float(rings);
      return center + radius * glm::vec3(std::sin(a) * std::cos(b), std::cos(a), std::sin(a) * std::sin(b));
    };
    for (int i = 0; i < rings; ++i) {
      for (int j = 0; j < 2 * rings; ++j) {
        if (i > 0) triangle(at(i, j), at(i, j + 1), at(i + 1, j), material);
        if (i + 1 < rings) triangle(at(i + 1, j), at(i, j + 1), at(i + 1, j + 1), material);
      }
    }
  }
  // Random triangles in a cube around the origin: some of equal size, some tiny, some in one plane.
  void soup(uint32_t count, uint32_t seed, int material) {
    const auto next = [&] {
      seed = seed * 1664525u + 1013904223u;
      return float(seed >> 8) / 16777216.0f * 2 - 1;
    };
    for (uint32_t i = 0; i < count; ++i) {
      const glm::vec3 p(next(), next(), next());
      const float size = i % 7 == 0 ? 1.0f : 0.15f;
      const auto corner = [&] {
        glm::vec3 c = p + size * glm::vec3(next(), next(), next());
        if (i % 5 == 0) c.y = 0.25f;  // in one plane, so that hits are equally far
        return c;
      };
      const glm::vec3 a = corner(), b = corner(), c = corner();
      triangle(a, b, c, material);
    }
  }
  Frame frame;

 private:
  void draw(uint64_t first, uint32_t count, int material) {
    DrawCommand d;
    d.vertex_kind = VertexKind::transform;
    d.material = uint32_t(material);
    d.first_vertex = first;
    d.element_count = d.vertex_count = count;
    frame.commands.emplace_back(d);
  }
};

inline trace::TracePicture picture_of(const Frame& frame, const std::string& machine, const std::string& isa,
                                      const trace::TraceOptions& options, const trace::SceneOptions& lit = {}) {
  const trace::TraceScene scene = trace::make_trace_scene(frame, lit);
  trace::Tracer tracer(make_task_machine(machine, isa), scene, options);
  tracer.run();
  return tracer.picture();
}

}  // namespace brokkr::trace_test
