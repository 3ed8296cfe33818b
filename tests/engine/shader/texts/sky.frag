// A sky: gradient by the height, a sun with its glow, stars from a hash, clouds of a texture. GLSL 1.50.
#version 150
uniform sampler2D clouds;
uniform vec3 zenith, horizon, sunDir;
uniform float night;
in vec3 direction;
in vec2 drift;
out vec4 fragColor;
float hash(vec2 p) {
  p = fract(p * vec2(0.1031, 0.1030));
  p += dot(p, p.yx + 33.33);
  return fract((p.x + p.y) * p.x);
}
void main() {
  vec3 d = normalize(direction);
  float height = max(d.y, 0.0);
  vec3 color = mix(horizon, zenith, sqrt(height));
  float sun = max(dot(d, sunDir), 0.0);
  color += vec3(1.0, 0.8, 0.5) * (pow(sun, 64.0) + 0.25 * pow(sun, 8.0));
  vec2 cell = floor(direction.xy * 24.0);
  color += night * step(0.97, hash(cell)) * height;
  vec4 cloud = texture(clouds, drift);
  fragColor = vec4(mix(color, cloud.rgb, cloud.a * 0.6), 1.0);
}
