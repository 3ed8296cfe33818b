// A frame in the form that the path tracer needs: triangles in world space with materials, lights and a lens.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "brokkr/frame.h"
#include "trace/tables.h"

namespace brokkr::trace {

// Lighting and camera settings beyond the scene's file. Colours are linear light.
struct SceneOptions {
  glm::vec3 sky{0.5f};  // radiance of the environment
  glm::vec3 sun{2};     // irradiance from Frame::light_direction
  float aperture = 0;   // radius of the lens in scene units; 0: a pinhole
  // distance of the focal plane along the view direction; 0: that of the surface in the middle of the picture
  float focus = 0;
};

struct Box {
  glm::vec3 low{3e38f}, high{-3e38f};
  void add(const Box& other);
  float half_area() const;
};

struct TraceScene {
  std::string source;  // the frame's file name
  std::vector<TriangleRecord> triangles;
  std::vector<CornerRecord> corners;
  std::vector<MaterialRecord> materials;
  std::vector<TextureRecord> textures;
  std::vector<uint32_t> texels;
  std::vector<LightRecord> lights;
  glm::vec3 sky{0}, sun{0}, to_sun{0, 1, 0};
  Box box;                    // around all triangles
  glm::vec3 low{0}, high{0};  // the box, enlarged by two tolerances
  float tolerance = 0;
  bool all_opaque = true;
  LensRecord lens;
  int width = 0, height = 0;           // size of the picture in pixels
  uint64_t dropped = 0;                // triangles without area, or with corners that are not finite
  uint64_t without_surface = 0;        // lines and points, which have no surface
  std::shared_ptr<HeldMemory> memory;  // its share of a budget
};

// Converts the first view of `frame`. Throws std::runtime_error that names file, field and remedy if the frame cannot
// be traced: a captured frame, which has no world-space geometry; a scene without surfaces or without light; or a scene
// for which `budget`, if given, has too little memory.
TraceScene make_trace_scene(const Frame& frame, const SceneOptions& options,
                            const std::shared_ptr<MemoryBudget>& budget = nullptr);

// Changes a scene's view and size: sets lens, width and height. Throws as make_trace_scene does. Returns false if the
// scene's tolerance does not suit the view's distance: then the scene and its structures must be rebuilt.
bool look_through(TraceScene& scene, const View& view, int width, int height, const SceneOptions& options);

// The bounds with which structures store a triangle: one tolerance wider than its computed corners.
Box bounds_of(const TriangleRecord& triangle, float tolerance);

}  // namespace brokkr::trace
