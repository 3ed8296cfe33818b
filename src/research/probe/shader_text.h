// The fragment shader of drawings, shared by the pipeline and OpenGL drivers.
#pragma once

#include <string>

namespace brokkr::probe {

// Uniforms: `background`, `waits`, `slow_count`; `slow`: x, y, cost and branch of each slow pixel; `stars`: every, cost
// and kinds of Stars.
inline constexpr const char* kWorkText = R"(uniform int background;
uniform int waits;
uniform int slow_count;
uniform ivec4 slow[64];
uniform ivec4 stars;

// Additions: each waits for the one before it, or four at a time do not.
float one_by_one(int n, float step) {
  float sum = 0.0;
  for (int i = 0; i < n; ++i) sum += step;
  return sum;
}
float four_by_four(int n, float step) {
  vec4 sum = vec4(0.0);
  for (int i = 0; i < n; i += 4) sum += vec4(step);
  return sum.x + sum.y + sum.z + sum.w;
}
float add(int n, float step) { return waits != 0 ? one_by_one(n, step) : four_by_four(n, step); }

float work(ivec2 pixel) {
  int cost = background, branch = 0;
  if (stars.x > 0 && pixel.x % stars.x == 0 && pixel.y % stars.x == 0) {
    cost = stars.y;
    branch = 1 + pixel.x / stars.x % stars.z;
  }
  for (int i = 0; i < slow_count; ++i) {
    if (slow[i].xy == pixel) {
      cost = slow[i].z;
      branch = slow[i].w;
    }
  }
  if (branch == 0) return add(cost, 1.0);
  if (branch == 1) return add(cost, 1.25);
  if (branch == 2) return add(cost, 1.5);
  if (branch == 3) return add(cost, 1.75);
  return add(cost, 2.0);
}
)";

}  // namespace brokkr::probe
