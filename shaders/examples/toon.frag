// Cel shading: light in few steps, a warm and a cool side, and ink where a surface turns away.
//
//   brokkr render assets/courtyard.obj --fragment shaders/examples/toon.frag --uniform steps=3
in vec3 b_position;
in vec3 b_normal;
in vec2 b_uv;

uniform vec3 b_camera_position;
uniform vec3 b_light_direction;
uniform vec4 b_base_color;
uniform float b_alpha_cutoff;
uniform sampler2D b_base_map;
uniform sampler2D b_alpha_map;

uniform float steps = 4.0;                   // number of steps of light
uniform float ink = 2.5;                     // width of outlines, pixels
uniform vec3 shade = vec3(0.25, 0.27, 0.45);  // the colour of unlit surfaces

out vec4 color;

void main() {
  vec4 texel = texture(b_base_map, b_uv) * b_base_color;
  float alpha = texel.a * texture(b_alpha_map, b_uv).r;
  if (alpha < b_alpha_cutoff) discard;

  vec3 view = normalize(b_camera_position - b_position);
  vec3 normal = normalize(b_normal);
  if (dot(normal, view) < 0.0) normal = -normal;

  float light = 0.5 + 0.5 * dot(normal, b_light_direction);
  float place = light * steps;
  float edge = fwidth(place);
  float level = (floor(place) + smoothstep(1.0 - min(edge, 1.0), 1.0, fract(place))) / steps;
  vec3 base = sqrt(texel.rgb);  // textures are linear light
  vec3 lit = mix(base * shade, base * vec3(1.1, 1.02, 0.9), level);

  vec3 half_way = normalize(view + b_light_direction);
  lit += 0.35 * smoothstep(0.965, 0.975, dot(normal, half_way));

  float facing = dot(normal, view);
  float line = smoothstep(ink - 1.0, ink, facing / max(fwidth(facing), 1e-4));
  color = vec4(lit * mix(0.12, 1.0, line), alpha);
}
