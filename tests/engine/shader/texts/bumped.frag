// Normal mapping with parallax: a march along the eye ray that stops where it meets the surface. GLSL 3.30.
#version 330 core
uniform sampler2D base, normals;
uniform vec3 lights[3];
uniform vec3 colors[3];
uniform float depth;
in vec2 uv;
in vec3 eye;  // in the space of the surface
out vec4 result;
vec2 march(vec2 at, vec3 ray) {
  const int steps = 12;
  vec2 stride = ray.xy / max(ray.z, 0.2) * depth / float(steps);
  float layer = 0.0, height = 1.0 - textureLod(normals, at, 0.0).a;
  for (int i = 0; i < steps; ++i) {
    if (layer >= height) break;
    at -= stride;
    layer += 1.0 / float(steps);
    height = 1.0 - textureLod(normals, at, 0.0).a;
  }
  return at;
}
void main() {
  vec3 ray = normalize(eye);
  vec2 at = march(uv, ray);
  vec3 n = normalize(texture(normals, uv).xyz * 2.0 - 1.0);
  vec4 surface = texture(base, at);
  vec3 sum = surface.rgb * 0.1;
  for (int i = 0; i < 3; ++i) {
    vec3 l = normalize(lights[i] - vec3(uv, 0.0));
    vec3 h = normalize(l + ray);
    sum += colors[i] * (surface.rgb * max(dot(n, l), 0.0) + 0.3 * pow(max(dot(n, h), 0.0), 24.0));
  }
  result = vec4(sum, surface.a);
}
