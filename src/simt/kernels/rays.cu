// Primary rays through a kd-tree, a thread each: by three loops, one in another (down to a leaf, through its triangles,
// back to what was passed by); and with each loop as a µ-kernel [Steffen12, 7.2.1].
#include "intrinsics.h"
#include "rays.h"

using rays::kNone;
using rays::Work;

// 48 bytes, which is what a thread leaves to the next.
struct alignas(16) RayState {
  unsigned ray, node;
  float enter, leave;
  unsigned place, left;
  float t;
  unsigned hit;
  float direction[3];
  unsigned depth;
};

static __device__ bool begin_ray(const Work& w, unsigned ray, RayState& s) {
  const float x = float(ray % w.width) + 0.5f, y = float(ray / w.width) + 0.5f;
  float enter = 0.0f, leave = 3e38f;
#pragma unroll
  for (int a = 0; a < 3; ++a) {
    s.direction[a] = w.corner[a] + x * w.right[a] + y * w.up[a];
    const float inverse = 1.0f / s.direction[a];
    const float t0 = (w.low[a] - w.eye[a]) * inverse, t1 = (w.high[a] - w.eye[a]) * inverse;
    enter = fmaxf(enter, fminf(t0, t1));
    leave = fminf(leave, fmaxf(t0, t1));
  }
  s.ray = ray, s.node = 0, s.enter = enter, s.leave = leave, s.place = s.left = 0;
  s.t = 3e38f, s.hit = kNone, s.depth = 0;
  return enter <= leave;
}

// One node down; returns whether it was a leaf.
static __device__ bool step_down(const Work& w, RayState& s) {
  const uint2 node = reinterpret_cast<const uint2*>(w.nodes)[s.node];
  const unsigned axis = node.y & 3;
  if (axis == 3) {
    s.place = node.x;
    s.left = node.y >> 2;
    return true;
  }
  const float split = __uint_as_float(node.x);
  const float origin = axis == 0 ? w.eye[0] : axis == 1 ? w.eye[1] : w.eye[2];
  const float direction = axis == 0 ? s.direction[0] : axis == 1 ? s.direction[1] : s.direction[2];
  const float t = (split - origin) / direction;
  const unsigned low = node.y >> 2;
  const bool low_first = origin < split || (origin == split && direction <= 0.0f);
  const unsigned near = low_first ? low : low + 1, far = low_first ? low + 1 : low;
  if (!(t >= 0.0f) || t > s.leave) {
    s.node = near;
  } else if (t < s.enter) {
    s.node = far;
  } else {
    const unsigned all = w.width * w.height;
    unsigned* const at = w.stack + 3 * s.depth * all + s.ray;
    at[0] = far;
    at[all] = __float_as_uint(t);
    at[2 * all] = __float_as_uint(s.leave);
    ++s.depth;
    s.node = near;
    s.leave = t;
  }
  return false;
}

// One triangle of the leaf [Moller97].
static __device__ void test_triangle(const Work& w, RayState& s) {
  const unsigned index = w.places[s.place++];
  --s.left;
  const float* const p = w.triangles + 10 * index;
  const float e1x = p[3], e1y = p[4], e1z = p[5], e2x = p[6], e2y = p[7], e2z = p[8];
  const float px = s.direction[1] * e2z - s.direction[2] * e2y, py = s.direction[2] * e2x - s.direction[0] * e2z,
              pz = s.direction[0] * e2y - s.direction[1] * e2x;
  const float det = e1x * px + e1y * py + e1z * pz;
  if (det == 0.0f) return;
  const float inverse = 1.0f / det;
  const float tx = w.eye[0] - p[0], ty = w.eye[1] - p[1], tz = w.eye[2] - p[2];
  const float u = (tx * px + ty * py + tz * pz) * inverse;
  if (u < 0.0f || u > 1.0f) return;
  const float qx = ty * e1z - tz * e1y, qy = tz * e1x - tx * e1z, qz = tx * e1y - ty * e1x;
  const float v = (s.direction[0] * qx + s.direction[1] * qy + s.direction[2] * qz) * inverse;
  if (v < 0.0f || u + v > 1.0f) return;
  const float t = (e2x * qx + e2y * qy + e2z * qz) * inverse;
  if (t > 0.0f && (t < s.t || (t == s.t && index < s.hit))) {
    s.t = t;
    s.hit = index;
  }
}

// The next part that was passed by; false: the ray is done.
static __device__ bool pop(const Work& w, RayState& s) {
  if (s.depth == 0 || s.t <= s.leave) return false;
  const unsigned all = w.width * w.height;
  --s.depth;
  const unsigned* const at = w.stack + 3 * s.depth * all + s.ray;
  s.node = at[0];
  s.enter = __uint_as_float(at[all]);
  s.leave = __uint_as_float(at[2 * all]);
  return true;
}

extern "C" __global__ void rays_loops(Work w) {
  const unsigned ray = blockIdx.x * blockDim.x + threadIdx.x;
  if (ray >= w.width * w.height) return;
  RayState s;
  if (begin_ray(w, ray, s)) {
    do {
      while (!step_down(w, s)) {
      }
      while (s.left != 0) test_triangle(w, s);
    } while (pop(w, s));
  }
  w.hits[ray] = s.hit;
}

static __device__ void store_state(const RayState& s) {
  uint4* const to = static_cast<uint4*>(brokkr_simt_state());
  const uint4* const from = reinterpret_cast<const uint4*>(&s);
  to[0] = from[0], to[1] = from[1], to[2] = from[2];
}
static __device__ void load_state(RayState& s) {
  const uint4* const from = static_cast<const uint4*>(brokkr_simt_state());
  uint4* const to = reinterpret_cast<uint4*>(&s);
  to[0] = from[0], to[1] = from[1], to[2] = from[2];
}
static __device__ void go_on(const RayState& s, const char* kernel) {
  store_state(s);
  brokkr_simt_spawn(kernel, brokkr_simt_state());
}
// Behind a leaf.
static __device__ void next_part(const Work& w, RayState& s) {
  if (pop(w, s))
    go_on(s, "rays_down");
  else
    w.hits[s.ray] = s.hit;
}

extern "C" __global__ void rays_down(Work w) {
  RayState s;
  load_state(s);
  if (!step_down(w, s)) {
    go_on(s, "rays_down");
  } else if (s.left != 0) {
    go_on(s, "rays_leaf");
  } else {
    next_part(w, s);
  }
}

extern "C" __global__ void rays_leaf(Work w) {
  RayState s;
  load_state(s);
  test_triangle(w, s);
  if (s.left != 0)
    go_on(s, "rays_leaf");
  else
    next_part(w, s);
}

extern "C" __global__ void rays_begin(Work w) {
  const unsigned ray = blockIdx.x * blockDim.x + threadIdx.x;
  if (ray >= w.width * w.height) return;
  RayState s;
  if (begin_ray(w, ray, s))
    go_on(s, "rays_down");
  else
    w.hits[ray] = kNone;
}
