// Smoke: two frames of an atlas mixed, faded near surfaces by their depth. GLSL 1.30.
#version 130
uniform sampler2D atlas;
uniform sampler2D sceneDepth;
uniform vec2 planes;  // near and far
uniform int columns;
in vec2 corner;
in float age;
in vec4 tint;
out vec4 color;
float linear(float depth) { return planes.x * planes.y / (planes.y - depth * (planes.y - planes.x)); }
void main() {
  float frame = age * float(columns * columns - 1);
  int first = int(frame), second = min(first + 1, columns * columns - 1);
  vec2 size = vec2(1.0 / float(columns));
  vec2 a = (vec2(first % columns, first / columns) + corner) * size;
  vec2 b = (vec2(second % columns, second / columns) + corner) * size;
  vec4 smoke = mix(textureLod(atlas, a, 0.0), textureLod(atlas, b, 0.0), fract(frame));
  ivec2 pixel = ivec2(gl_FragCoord.xy) % textureSize(sceneDepth, 0);
  float behind = linear(texelFetch(sceneDepth, pixel, 0).r);
  float soft = clamp((behind - linear(gl_FragCoord.z)) * 0.5, 0.0, 1.0);
  color = smoke * tint * vec4(1.0, 1.0, 1.0, soft);
}
