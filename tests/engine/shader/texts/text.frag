// Letters of a window: a distance field with an outline. GLSL 1.20.
#version 120
uniform sampler2D u_font;
uniform vec4 u_color;
uniform vec4 u_outline;
uniform bool u_hasOutline;
varying vec2 v_tex;
void main() {
  float distance = texture2D(u_font, v_tex).r;
  float width = max(fwidth(distance), 0.004);
  float inside = smoothstep(0.5 - width, 0.5 + width, distance);
  vec4 color = vec4(u_color.rgb, u_color.a * inside);
  if (u_hasOutline) {
    float border = smoothstep(0.35 - width, 0.35 + width, distance);
    color = vec4(mix(u_outline.rgb, u_color.rgb, inside), max(border * u_outline.a, color.a));
  }
  gl_FragColor = color;
}
