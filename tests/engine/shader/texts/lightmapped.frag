// A wall of an arena: surface times lightmap, with overbright bits, as engines of 1999 draw it. GLSL 1.10.
uniform sampler2D u_surface;
uniform sampler2D u_lightmap;
uniform float u_overbright;
varying vec2 v_surface;
varying vec2 v_lightmap;
void main() {
  vec3 light = texture2D(u_lightmap, v_lightmap).rgb * u_overbright;
  vec4 color = texture2D(u_surface, v_surface);
  gl_FragColor = vec4(min(color.rgb * light, vec3(1.0)), color.a);
}
