// What the host and the kernels of rays.cu share.
#pragma once

namespace rays {

constexpr unsigned kNone = ~0u, kPending = ~1u;
constexpr unsigned kStackEntries = 32;  // of a ray, three words each: 384 bytes, as in [Steffen12, Table 7.4]

struct Work {
  const unsigned* nodes;  // two words each: brokkr::trace::KdNode
  const unsigned* places;
  const float* triangles;  // ten words each: brokkr::trace::TriangleRecord
  unsigned* stack;         // [3 * kStackEntries][rays]
  unsigned* hits;          // [rays]: the triangle, or kNone
  unsigned width, height;
  float eye[3], corner[3], right[3], up[3];  // direction of a pixel: corner + x * right + y * up
  float low[3], high[3];
};

}  // namespace rays
