// Converts submitted draws to the draws of a frame file: vertex numbers, topologies, restarts. Makes no GL calls.
#pragma once

#include <GL/gl.h>
#include <GL/glext.h>

#include <array>
#include <cstdint>
#include <functional>
#include <glm/vec4.hpp>
#include <optional>
#include <span>
#include <vector>

#include "brokkr/frame.h"
#include "frame/primitive_counts.h"

namespace brokkr::capture {

// The driver's way of splitting quads, found by a test: the corners of a quad's two triangles in submission order. A
// quad of a strip consists of its vertices 2i … 2i + 3.
struct QuadSplit {
  std::array<uint8_t, 6> quad = {0, 1, 3, 1, 2, 3};
  std::array<uint8_t, 6> strip = {2, 0, 3, 0, 1, 3};
};

// Widens indices of 1, 2 or 4 bytes (GL_UNSIGNED_BYTE, …_SHORT, …_INT) to 32 bits.
std::vector<uint32_t> widen_indices(std::span<const std::byte> bytes, GLenum type);
size_t index_size(GLenum type);  // bytes; 0 if `type` is not an index type

// A draw's distinct vertices in ascending order, and each index as a position among them.
struct CompactIndices {
  std::vector<uint32_t> vertices;
  std::vector<uint32_t> indices;  // into `vertices`; kRestartIndex where a primitive restarts
  bool has_restart = false;
};
CompactIndices compact_indices(const std::vector<uint32_t>& submitted, std::optional<uint32_t> restart);

// A draw as stored in the file. Without `indexed`, its vertices are used in order.
struct Assembly {
  Topology topology = Topology::triangles;
  bool indexed = false, restart = false;
  std::vector<uint32_t> indices;
};

// Converts `mode` as submitted. Without `indices` there are `count` vertices. Strips, fans and loops are unchanged.
// Quads, polygons and adjacency modes (without a geometry shader to use them) become indices. Restarts in lists, which
// files do not store, cut off incomplete primitives. Empty for a mode that assembles no primitives (GL_PATCHES).
std::optional<Assembly> assemble(GLenum mode, const CompactIndices* indices, uint32_t count, const QuadSplit& split);

// A polygon's triangles, of which each has the polygon's first vertex as its provoking one.
Assembly assemble_flat_polygons(const CompactIndices* indices, uint32_t count, bool provoking_first);

// The outlines of faces as lines, and the number of lines of each face.
struct Outlines {
  Assembly lines;
  std::vector<uint32_t> sizes;
};

// The outlines of the faces that `mode` assembles, without the edges inside of quads and polygons. Empty for modes
// without faces, and with adjacency.
std::optional<Outlines> assemble_outlines(GLenum mode, const CompactIndices* indices, uint32_t count);

// The same for the triangles into which the driver has split quads and strips of them (`faces` GL_QUADS) or polygons.
// `vertices`: their number, three for each triangle. `same`: tells if two vertices are equal. Empty if these are not
// such faces.
std::optional<Outlines> outlines_of_triangles(GLenum faces, uint32_t vertices, const QuadSplit& split,
                                              const std::function<bool(uint32_t, uint32_t)>& same);

// Removes the outlines of faces that are culled. `positions`: of the vertices. `culled`: true for front faces, which
// turn counter-clockwise if the y axis of clip space points upwards.
void cull_outlines(Outlines& outlines, std::span<const glm::vec4> positions, const std::array<bool, 2>& culled);

// The number of triangles in `count` elements of `mode`.
uint64_t count_triangles(GLenum mode, uint64_t count);

// The primitive that feedback records for a draw in `mode`: GL_POINTS, GL_LINES or GL_TRIANGLES.
GLenum feedback_primitive(GLenum mode);

// Clips primitives at user clip planes before they are stored, as drivers do, so that the frame needs no planes. Makes
// no GL calls.

// A draw's vertices, instance after instance: `vertices` for each of `instances`.
struct ClippedDraw {
  Assembly assembly;
  uint32_t vertices = 0, instances = 1;
  std::vector<glm::vec4> positions;
  std::vector<float> varyings;  // per vertex, as many as ClipRules::interpolation has entries
};

struct ClipRules {
  std::vector<Interpolation> interpolation;  // per component of a vertex's varyings
  bool provoking_first = false;  // true: flat components come from a primitive's first vertex, otherwise from its last
};

// Removes everything behind a plane, where a distance is negative. `distances`: `planes` values per vertex. Triangles
// become a list of their remaining parts, and so do lines and points, all in one instance; a draw that no plane cuts is
// unchanged. Along an edge, components change linearly in clip space (smooth), linearly in window space
// (noperspective), or not at all (flat).
void clip(ClippedDraw& draw, const std::vector<float>& distances, uint32_t planes, const ClipRules& rules);

// Removes the primitives of which all vertices have a negative distance to the same plane. As clip() otherwise.
void cull(ClippedDraw& draw, const std::vector<float>& distances, uint32_t planes, const ClipRules& rules);

// The layer and the viewport that a primitive goes to: those of its first vertex in the order of the file's lists.
struct Route {
  int32_t layer = 0, viewport = 0;
  bool operator==(const Route&) const = default;
};
struct RoutedDraw {
  Route route;
  ClippedDraw draw;
};

// Divides a draw into lists with one route each, in one instance. `routes`: one per vertex of all instances. In each
// layer, the primitives keep their order.
std::vector<RoutedDraw> route(ClippedDraw draw, std::span<const Route> routes, const ClipRules& rules);

// The pattern of glPolygonStipple: 32 rows from the bottom; the highest bit is the leftmost pixel.
using StipplePattern = std::array<uint32_t, 32>;

// The pattern of glLineStipple, and the state on which its place depends.
struct LineStipple {
  uint16_t pattern = 0xffff;
  uint32_t factor = 1;       // pixels per bit, at least 1
  bool rectangular = false;  // counts along the line, and otherwise along its longer axis
  glm::vec4 viewport{0};     // x, y, width, height in pixels
  bool clips_depth = true;   // lines end at the near and the far plane
  bool zero_to_one = false;  // the near plane is z = 0, and otherwise z = -w
};

// Cuts the draw's lines into dashes, as Mesa's software drivers do: in window space, in pixels from the beginning of
// each line or strip. The draw becomes a list of lines in one instance. All components that are not flat change
// linearly in window space.
void cut_into_dashes(ClippedDraw& draw, const LineStipple& stipple, const ClipRules& rules);

}  // namespace brokkr::capture
