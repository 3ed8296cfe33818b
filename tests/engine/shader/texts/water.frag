// Water: two sheets of waves, reflection and refraction by Fresnel's law, foam at the shore. GLSL 3.30.
#version 330 core
uniform sampler2D waves;
uniform sampler2D reflection;
uniform sampler2D refraction;
uniform float time;
uniform vec3 tint;
in vec2 uv;
in vec3 toEye;
in vec2 screen;
in float shore;
layout(location = 0) out vec4 color;
void main() {
  vec3 a = texture(waves, uv * 2.0 + vec2(time * 0.03, 0.0)).xyz * 2.0 - 1.0;
  vec3 b = texture(waves, uv * 3.0 - vec2(0.0, time * 0.02)).xyz * 2.0 - 1.0;
  vec3 n = normalize(vec3(a.xy + b.xy, 2.0).xzy);
  float cosine = clamp(dot(normalize(toEye), n), 0.0, 1.0);
  float fresnel = 0.02 + 0.98 * pow(1.0 - cosine, 5.0);
  vec2 bend = n.xz * 0.03;
  vec3 above = texture(reflection, screen + bend).rgb;
  vec3 below = texture(refraction, screen - bend).rgb * tint;
  float foam = smoothstep(0.6, 0.95, shore + 0.1 * sin(uv.x * 40.0 + time));
  color = vec4(mix(mix(below, above, fresnel), vec3(1.0), foam), 0.9);
}
