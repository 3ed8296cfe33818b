// Cel shading: bands of light from a loop over a table, an outline from derivatives. GLSL 3.30.
#version 330
uniform vec3 light;
uniform vec3 base;
uniform float levels[4];
uniform int count;
in vec3 normal;
in vec3 toEye;
out vec4 color;
void main() {
  vec3 n = normalize(normal);
  float lambert = dot(n, light) * 0.5 + 0.5;
  float band = 0.0;
  for (int i = 0; i < count; i++) {
    if (lambert < levels[i]) break;
    band = float(i + 1) / float(count);
  }
  float facing = dot(n, normalize(toEye));
  float edge = fwidth(facing) * 2.0;
  float line = facing < edge ? 0.2 : 1.0;
  color = vec4(base * (0.25 + 0.75 * band) * line, 1.0);
}
