// A model in the sun: Lambert and Blinn-Phong, a shadow map looked up at four places. GLSL 1.20 with shadow2D.
#version 120
uniform sampler2D u_base;
uniform sampler2DShadow u_shadow;
uniform vec4 u_shadowScale;  // size and its reciprocal
uniform vec3 u_sunDir;
uniform vec3 u_sunColor;
uniform vec3 u_ambient;
uniform float u_gloss;
varying vec4 v_shadow;
varying vec3 v_normal;
varying vec3 v_half;
varying vec2 v_tex;
float lit() {
  float bias = 0.003;
  vec3 at = vec3(v_shadow.xy / v_shadow.w, v_shadow.z - bias);
  vec2 step = u_shadowScale.zw;
  float sum = 0.0;
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 2; ++x)
      sum += shadow2D(u_shadow, vec3(at.xy + (vec2(x, y) - 0.5) * step, at.z)).r;
  return sum * 0.25;
}
void main() {
  vec3 n = normalize(v_normal);
  float lambert = max(dot(n, u_sunDir), 0.0);
  float specular = pow(max(dot(n, normalize(v_half)), 0.0), u_gloss);
  vec4 base = texture2D(u_base, v_tex);
  float shade = lambert > 0.0 ? lit() : 0.0;
  vec3 color = base.rgb * (u_ambient + u_sunColor * lambert * shade) + u_sunColor * (specular * shade * base.a);
  gl_FragColor = vec4(color, 1.0);
}
