// Rays, and the ray-triangle test [Moller97]. This test alone decides which triangles are hit; an acceleration
// structure only selects the triangles to test.
//
// A triangle is hit if the computed point lies inside the bounds of its computed corners, enlarged by half a tolerance.
// Structures store triangles with bounds enlarged by a whole tolerance, and the rounding error of their planes is far
// below the other half. So every structure tests every triangle that is hit in front of the nearest hit. Among hits at
// equal distance, the lowest primitive number wins. Therefore all structures find the same hits.
#pragma once

#include "machine/machine.h"
#include "trace/tables.h"

// Three floats per lane.

BROKKR_MACHINE_BEGIN
namespace trace_machine {

struct V3 {
  Float x = 0.0f, y = 0.0f, z = 0.0f;
  BROKKR_FN friend V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  BROKKR_FN friend V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  BROKKR_FN friend V3 operator*(V3 a, V3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
  BROKKR_FN friend V3 operator*(V3 a, Float s) { return {a.x * s, a.y * s, a.z * s}; }
  BROKKR_FN V3 operator-() const { return {-x, -y, -z}; }
};
BROKKR_FN V3 all_of(Float s) { return {s, s, s}; }
BROKKR_FN V3 uniform(const float (&vector)[3]) { return {vector[0], vector[1], vector[2]}; }
BROKKR_FN Float dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
BROKKR_FN V3 cross(V3 a, V3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
BROKKR_FN V3 select3(Mask m, V3 a, V3 b) { return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)}; }
BROKKR_FN V3 normalized(V3 a) {
  const Float length = sqrt(maximum(dot(a, a), 1e-30f));
  return a * (1.0f / length);
}
BROKKR_FN Float largest(V3 a) { return maximum(a.x, maximum(a.y, a.z)); }
BROKKR_FN Float luminance(V3 a) { return a.x * 0.2126f + a.y * 0.7152f + a.z * 0.0722f; }

// Gathers word `word` of record `i`, where records have `words` words. gather_vector gathers three words starting
// there.
BROKKR_FN Float gather_word(Warp& w, const void* records, Uint i, int words, int word, Mask m) {
  return w.gather(static_cast<const float*>(records) + word, as_int(i * uint32_t(words)), m);
}
BROKKR_FN Uint gather_bits(Warp& w, const void* records, Uint i, int words, int word, Mask m) {
  return w.gather(static_cast<const uint32_t*>(records) + word, as_int(i * uint32_t(words)), m);
}
BROKKR_FN V3 gather3(Warp& w, const void* records, Uint i, int words, int word, Mask m) {
  return {gather_word(w, records, i, words, word, m), gather_word(w, records, i, words, word + 1, m),
          gather_word(w, records, i, words, word + 2, m)};
}

}  // namespace trace_machine
BROKKR_MACHINE_END

BROKKR_MACHINE_BEGIN
namespace trace_machine {
using namespace brokkr::trace;

struct Ray {
  V3 origin, direction, inverse;
  // Hits at or before (t, primitive) are behind the ray, which continues from there. Hits from `limit` on are too far.
  Float after = 0.0f;
  Int after_primitive = -1;
  Float limit = 3e38f;
};
struct Hit {
  Float t = 3e38f, u = 0.0f, v = 0.0f;
  Uint primitive = kNone;
};
// The cost of finding hits: visited nodes and groups of cells; groups only; tested triangles.
struct Effort {
  Uint steps = 0u, groups = 0u, tests = 0u;
};

// A search for hits: the scene, the warp's memory (3 * kStackEntries * 32 words), and the costs, which it adds to.
struct Search {
  const SceneTables& scene;
  uint32_t* memory;
  Effort& effort;
};

// Avoids division by zero: if the direction lies in a plane, its distance becomes large.
BROKKR_FN Float safe_inverse(Float d) {
  const Float least = 1e-18f;
  const Float kept = select(absolute(d) < least, select(d < 0.0f, -least, least), d);
  return 1.0f / kept;
}
BROKKR_FN Ray make_ray(V3 origin, V3 direction) {
  Ray ray;
  ray.origin = origin;
  ray.direction = direction;
  ray.inverse = {safe_inverse(direction.x), safe_inverse(direction.y), safe_inverse(direction.z)};
  return ray;
}

BROKKR_FN Mask within(Float p, Float c, Float e1, Float e2, float tolerance) {
  const Float a = c + e1, b = c + e2;
  const Float low = minimum(c, minimum(a, b)), high = maximum(c, maximum(a, b));
  return p >= low - tolerance && p <= high + tolerance;
}

// A triangle per lane: a corner, the edges that start there, and the primitive's number.
struct LaneTriangle {
  V3 corner, e1, e2;
  Uint id;
};
// The intersections of rays and triangles. Where `nearer` is false, the others have no meaning.
struct Meeting {
  Mask nearer;
  Float t, u, v;
};
// Tests one triangle per lane of m, whether the ray meets it nearer than `hit`.
BROKKR_FN Meeting meet_triangle(Warp& w, const SceneTables& scene, const Ray& ray, const LaneTriangle& triangle,
                                const Hit& hit, Mask m) {
  const V3 &corner = triangle.corner, &e1 = triangle.e1, &e2 = triangle.e2;
  const Uint id = triangle.id;
  const V3 p = cross(ray.direction, e2);
  const Float determinant = dot(e1, p);
  const Float inverse = 1.0f / determinant;
  const V3 s = ray.origin - corner;
  const Float u = dot(s, p) * inverse;
  const V3 q = cross(s, e1);
  const Float v = dot(ray.direction, q) * inverse;
  const Float t = dot(e2, q) * inverse;
  const Int number = as_int(id);
  Mask is_hit = m && determinant != 0.0f && u >= 0.0f && v >= 0.0f && u + v <= 1.0f && t < ray.limit;
  is_hit = is_hit && (t > ray.after || (t == ray.after && number > ray.after_primitive));
  is_hit = is_hit && (t < hit.t || (t == hit.t && id < hit.primitive));
  if (!w.any(is_hit)) return {is_hit, t, u, v};
  const V3 point = ray.origin + ray.direction * t;
  const float tolerance = 0.5f * scene.tolerance;
  is_hit = is_hit && within(point.x, corner.x, e1.x, e2.x, tolerance) &&
           within(point.y, corner.y, e1.y, e2.y, tolerance) && within(point.z, corner.z, e1.z, e2.z, tolerance);
  return {is_hit, t, u, v};
}

// Tests primitive `id` for lanes m, and updates the hit if it is nearer.
BROKKR_FN void test_triangle(Warp& w, const SceneTables& scene, const Ray& ray, Uint id, Hit& hit, Mask m) {
  const V3 corner = gather3(w, scene.triangles, id, kTriangleWords, triangle_word::kCorner, m);
  const V3 e1 = gather3(w, scene.triangles, id, kTriangleWords, triangle_word::kEdge1, m);
  const V3 e2 = gather3(w, scene.triangles, id, kTriangleWords, triangle_word::kEdge2, m);
  const Meeting at = meet_triangle(w, scene, ray, {corner, e1, e2, id}, hit, m);
  if (!w.any(at.nearer)) return;
  hit.t = select(at.nearer, at.t, hit.t);
  hit.u = select(at.nearer, at.u, hit.u);
  hit.v = select(at.nearer, at.v, hit.v);
  hit.primitive = select(at.nearer, id, hit.primitive);
}

// The part of the ray inside a box, within the ray's limits; enter > leave if it is empty.
struct Span {
  Float enter, leave;
};
BROKKR_FN Span span_of(const Ray& ray, V3 low, V3 high) {
  const V3 a = (low - ray.origin) * ray.inverse, b = (high - ray.origin) * ray.inverse;
  const Float enter = maximum(maximum(minimum(a.x, b.x), minimum(a.y, b.y)), minimum(a.z, b.z));
  const Float leave = minimum(minimum(maximum(a.x, b.x), maximum(a.y, b.y)), maximum(a.z, b.z));
  return {maximum(enter, 0.0f), leave};
}
// Factor that moves computed plane distances nearer: far above their rounding error, and far below a tolerance.
BROKKR_CONSTANT float kNearer = 1.0f - 1e-6f;

// A stack per lane, in the warp's memory.
class LaneStack {
 public:
  BROKKR_FN LaneStack(Warp& w, uint32_t* memory) : w_(w), memory_(memory) {}
  BROKKR_FN void push(int word, Uint value, Mask m) {
    w_.scatter(memory_ + word * (kStackEntries * 32), (size_ << 5) + w_.lane(), value, m);
  }
  BROKKR_FN void pushed(Mask m) { size_ += select(m, 1, 0); }
  BROKKR_FN void popped(Mask m) { size_ -= select(m, 1, 0); }
  // A word of the entry popped last.
  BROKKR_FN Uint top(int word, Mask m) const {
    return w_.gather(memory_ + word * (kStackEntries * 32), (size_ << 5) + w_.lane(), m);
  }
  BROKKR_FN Mask is_empty() const { return size_ == 0; }
  BROKKR_FN void clear(Mask m) { size_ = select(m, 0, size_); }

 private:
  Warp& w_;
  uint32_t* memory_;
  Int size_ = 0;
};

}  // namespace trace_machine
BROKKR_MACHINE_END
