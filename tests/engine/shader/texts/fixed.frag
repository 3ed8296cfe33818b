// A fixed-function draw: two texture units, primary colour, secondary colour, exponential fog. GLSL 1.10
// with built-in inputs.
uniform sampler2D unit0, unit1;
uniform vec4 environment;
uniform float density;
varying vec2 coords0, coords1;
varying float fogDepth;
varying vec4 primary;
varying vec4 secondary;
void main() {
  vec4 color = primary * texture2D(unit0, coords0);  // GL_MODULATE
  vec4 decal = texture2D(unit1, coords1);
  color.rgb = mix(color.rgb, decal.rgb, decal.a);  // GL_DECAL
  color.rgb += secondary.rgb;
  float fog = clamp(exp(-density * density * fogDepth * fogDepth), 0.0, 1.0);
  gl_FragColor = vec4(mix(environment.rgb, color.rgb, fog), color.a);
}
