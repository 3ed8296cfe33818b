// A frame as the path tracer sees it: triangles in world space with their materials, lights and a lens.
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

// What a scene is lit by, and how it is looked at, beside what its file says. Colours are linear light.
struct SceneOptions {
  // Radiance from everywhere, and irradiance from Frame::light_direction. Without them: none where materials emit;
  // where none does, 0.5 and 2.
  std::optional<glm::vec3> sky, sun;
  float aperture = 0;  // radius of the lens, in units of the scene; 0: a pinhole
  float focus = 0;     // distance that is sharp, along the direction of view; 0: what the middle of the picture shows
};

struct Box {
  glm::vec3 low{3e38f}, high{-3e38f};
  void add(const Box& other);
  float half_area() const;
};

struct TraceScene {
  std::string source;  // of the frame: the file's name
  std::vector<TriangleRecord> triangles;
  std::vector<CornerRecord> corners;
  std::vector<MaterialRecord> materials;
  std::vector<TextureRecord> textures;
  std::vector<uint32_t> texels;
  std::vector<LightRecord> lights;
  glm::vec3 sky{0}, sun{0}, to_sun{0, 1, 0};
  Box box;                    // of all triangles
  glm::vec3 low{0}, high{0};  // the same, two tolerances wider
  float tolerance = 0;
  bool all_opaque = true;
  LensRecord lens;
  int width = 0, height = 0;           // pixels of the picture
  uint64_t dropped = 0;                // triangles without an area, or with corners that are no numbers
  uint64_t without_surface = 0;        // lines and points, which light does not meet
  std::shared_ptr<HeldMemory> memory;  // what it takes of a budget
};

// What `frame` shows in its first view. Throws std::runtime_error naming file, field and remedy for a frame that cannot
// be traced: captured frames, whose vertices have left the scene; nothing to hit; no light; more memory than `budget`
// has, where there is one.
TraceScene make_trace_scene(const Frame& frame, const SceneOptions& options,
                            const std::shared_ptr<MemoryBudget>& budget = nullptr);

// Looks at a scene through another view, in another size: lens, width and height become its. Throws as
// make_trace_scene. False where the tolerance of `scene` does not suit the view's distance: the scene is then to be
// made anew, and so are the structures over it.
bool look_through(TraceScene& scene, const View& view, int width, int height, const SceneOptions& options);

// Bounds of a triangle, by which structures hold it: a tolerance wider than its computed corners.
Box bounds_of(const TriangleRecord& triangle, float tolerance);

}  // namespace brokkr::trace
