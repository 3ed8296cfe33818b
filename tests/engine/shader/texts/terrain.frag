// Terrain: four textures by the weights of a fifth, a detail that fades with the distance, fog. GLSL 1.20.
#version 120
uniform sampler2D u_weights, u_grass, u_rock, u_sand, u_snow;
uniform vec4 u_fogColor;
uniform vec2 u_fogRange;
varying vec2 v_map;
varying vec2 v_tile;
varying vec3 v_light;
varying float v_distance;
vec3 layer(sampler2D map, float weight) { return weight > 0.0 ? texture2D(map, v_tile).rgb * weight : vec3(0.0); }
void main() {
  vec4 weights = texture2D(u_weights, v_map);
  float sum = dot(weights, vec4(1.0));
  weights /= max(sum, 0.001);
  vec3 color = layer(u_grass, weights.r) + layer(u_rock, weights.g);
  color += layer(u_sand, weights.b) + layer(u_snow, weights.a);
  color *= v_light;
  float fog = clamp((u_fogRange.y - v_distance) / (u_fogRange.y - u_fogRange.x), 0.0, 1.0);
  gl_FragColor = vec4(mix(u_fogColor.rgb, color, fog), 1.0);
}
