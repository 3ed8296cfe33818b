// Resolve of a deferred frame: normals and albedo from pictures, positions from depth, lamps by type in a switch,
// tone mapping. GLSL 4.30.
#version 430 core
struct Lamp {
  vec4 place;  // w: reach
  vec3 color;
  int kind;    // 0: point, 1: sun, 2: spot
};
layout(std140) uniform Scene {
  mat4 fromClip;
  Lamp lamps[4];
  uint mask;
};
uniform sampler2D albedo, normal, depth;
in vec2 uv;
layout(location = 0) out vec4 lit;
layout(location = 1) out vec4 bright;
vec3 shine(Lamp lamp, vec3 at, vec3 n) {
  vec3 way = lamp.place.xyz - at;
  float distance = length(way);
  vec3 l = way / max(distance, 0.0001);
  float fade = 1.0;
  switch (lamp.kind) {
    case 0: fade = clamp(1.0 - distance / lamp.place.w, 0.0, 1.0); break;
    case 1: l = normalize(lamp.place.xyz); break;
    case 2: fade = smoothstep(0.5, 0.9, l.z); break;
    default: return vec3(0.0);
  }
  return lamp.color * (max(dot(n, l), 0.0) * fade * fade);
}
void main() {
  float z = textureLod(depth, uv, 0.0).r;
  vec4 clip = fromClip * vec4(uv * 2.0 - 1.0, z * 2.0 - 1.0, 1.0);
  vec3 at = clip.xyz / clip.w;
  vec3 n = normalize(textureLod(normal, uv, 0.0).xyz * 2.0 - 1.0);
  vec4 base = textureLod(albedo, uv, 0.0);
  vec3 sum = base.rgb * 0.05;
  for (int i = 0; i < 4; ++i)
    if ((mask & (1u << i)) != 0u) sum += base.rgb * shine(lamps[i], at, n);
  vec3 mapped = sum / (sum + 1.0);
  lit = vec4(pow(mapped, vec3(1.0 / 2.2)), 1.0);
  bright = vec4(max(sum - 1.0, 0.0), float(z < 0.5));
}
