// Leaves: an alpha test, two-sided light, a wind-blown tint. GLSL 1.20.
#version 120
uniform sampler2D u_leaves;
uniform float u_alphaRef;
uniform vec3 u_sun;
uniform vec3 u_ambient;
varying vec2 v_tex;
varying vec3 v_normal;
varying float v_tint;
void main() {
  vec4 leaf = texture2D(u_leaves, v_tex);
  if (leaf.a < u_alphaRef)
    discard;
  vec3 n = normalize(v_normal);
  float light = abs(dot(n, u_sun)) * 0.7 + 0.3;
  vec3 tint = mix(vec3(1.0), vec3(1.2, 1.05, 0.6), v_tint);
  gl_FragColor = vec4(leaf.rgb * tint * (u_ambient + light), 1.0);
}
