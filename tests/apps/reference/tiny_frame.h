// Frames of a few triangles, and the OpenGL renderer that draws them (or the reason to skip).
#pragma once

#include <gtest/gtest.h>

#include <glm/vec3.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "reference/egl_context.h"
#include "reference/gl_renderer.h"

namespace brokkr::test {

// A frame with one target, one view of it, and one state whose viewport is the whole target.
inline Frame make_frame(int width, int height, int layers = 1, ColorFormat format = ColorFormat::rgba8) {
  Frame frame;
  frame.source = "test";
  frame.window_width = width;
  frame.window_height = height;
  frame.targets.push_back({0, width, height, layers, format});
  for (uint32_t layer = 0; layer < uint32_t(layers); ++layer) {
    View view;
    view.layer = layer;
    view.eye = glm::vec3(0, 0, 2);
    frame.views.push_back(view);
  }
  State state;
  state.viewport = glm::vec4(0, 0, width, height);
  frame.states.push_back(state);
  return frame;
}

inline void add_clear(Frame& frame, glm::vec4 color, float depth = 1.0f, uint8_t stencil = 0, uint32_t target = 0) {
  ClearCommand clear;
  clear.target = target;
  clear.color = color;
  clear.depth = depth;
  clear.stencil = stencil;
  frame.commands.emplace_back(clear);
}

// A material that gives exactly `color`, whatever the light.
inline uint32_t add_emission(Frame& frame, glm::vec4 color) {
  Material material;
  material.kind = MaterialKind::blinn_phong;
  material.diffuse = material.specular = material.ambient = glm::vec3(0.0f);
  material.emission = glm::vec3(color);
  material.opacity = color.w;
  frame.materials.push_back(material);
  return uint32_t(frame.materials.size()) - 1;
}

// The vertices are in clip space; the draw goes to view 0 with state 0. It is a transform draw with identity matrices,
// because only those can have a material.
inline DrawCommand& add_draw(Frame& frame, const std::vector<glm::vec4>& vertices, glm::vec4 color = glm::vec4(1.0f)) {
  DrawCommand draw;
  draw.vertex_kind = VertexKind::transform;
  if (frame.models.empty()) frame.models.emplace_back(1.0f);
  draw.material = add_emission(frame, color);
  draw.first_vertex = frame.positions.size();
  draw.vertex_count = draw.element_count = uint32_t(vertices.size());
  frame.positions.insert(frame.positions.end(), vertices.begin(), vertices.end());
  frame.normals.resize(frame.positions.size(), glm::vec3(0, 0, 1));
  frame.commands.emplace_back(draw);
  return std::get<DrawCommand>(frame.commands.back());
}

// Two triangles over the rectangle in normalized device coordinates, at depth `z` there.
inline std::vector<glm::vec4> quad(float x0, float y0, float x1, float y1, float z = 0.0f) {
  return {{x0, y0, z, 1}, {x1, y0, z, 1}, {x1, y1, z, 1}, {x0, y0, z, 1}, {x1, y1, z, 1}, {x0, y1, z, 1}};
}

// One context for the whole process, because drivers start slowly. Null with the reason if there is none.
struct SharedContext {
  std::unique_ptr<EglContext> context;
  std::string error;
};

template <class... Arguments>
SharedContext open_context(const Arguments&... arguments) {
  SharedContext result;
  try {
    result.context = std::make_unique<EglContext>(arguments...);
  } catch (const std::runtime_error& error) {
    result.error = error.what();
  }
  return result;
}

inline SharedContext& shared_context() {
  static SharedContext shared = open_context();
  return shared;
}

// The same for a compatibility profile, which draws captured frames.
inline SharedContext& compatible_context() {
  static SharedContext shared = open_context("", GlProfile::compatibility);
  return shared;
}

class GlTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!shared_context().context) GTEST_SKIP() << shared_context().error;
    renderer = std::make_unique<GlRenderer>(*shared_context().context);
  }

  GlLayer draw(const Frame& frame, const GlOptions& options = {}, uint32_t target = 0, uint32_t layer = 0) {
    renderer->prepare(frame, options.exact_lod);
    renderer->draw(options);
    return renderer->read(target, layer);
  }

  std::unique_ptr<GlRenderer> renderer;
};

inline uint32_t pixel(const GlLayer& layer, int x, int y) { return layer.color[size_t(y * layer.width + x)]; }
inline float depth(const GlLayer& layer, int x, int y) { return layer.depth[size_t(y * layer.width + x)]; }
inline int stencil(const GlLayer& layer, int x, int y) { return layer.stencil[size_t(y * layer.width + x)]; }

inline constexpr uint32_t kRed = 0xff0000ff, kGreen = 0xff00ff00, kBlue = 0xffff0000, kBlack = 0xff000000;

}  // namespace brokkr::test
