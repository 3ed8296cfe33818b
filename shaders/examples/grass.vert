// A meadow made of one blade. Each instance has its own place, height and bend, and the wind blows over all of them.
//
//   brokkr render assets/blade.obj --vertex shaders/examples/grass.vert --fragment shaders/examples/grass.frag --shader-instances 20000 --camera "eye=0,1.6,7.5 target=0,0.4,0 fov=45 near=0.1 far=40"
in vec3 b_position;
uniform mat4 b_model, b_view, b_projection;
uniform float b_time;

uniform float size = 12.0;  // side of the meadow

out float up;          // 0: at the root, 1: at the tip
out float tint;        // tint of the blade, 0 .. 1
out vec3 to_surface;   // direction of the blade's face

uint hash(uint n) {
  n = (n ^ 61u) ^ (n >> 16);
  n *= 9u;
  n ^= n >> 4;
  n *= 0x27d4eb2du;
  return n ^ (n >> 15);
}
float random(uint n) { return float(hash(n) & 0xffffu) / 65535.0; }

void main() {
  uint blade = uint(gl_InstanceID) * 5u;
  vec2 place = (vec2(random(blade), random(blade + 1u)) - 0.5) * size;
  float angle = random(blade + 2u) * 6.2831853, tall = 0.5 + 0.7 * random(blade + 3u);
  tint = random(blade + 4u);
  up = b_position.y;
  vec2 across = vec2(cos(angle), sin(angle));
  to_surface = vec3(-across.y, 0.35, across.x);
  float gust = sin(b_time * 1.6 + place.x * 0.8 + place.y * 0.4) + 0.5 * sin(b_time * 2.9 + place.y * 1.7);
  vec2 bend = (vec2(0.35, 0.12) * gust + 0.25 * across.yx) * up * up * tall;
  vec3 p = vec3(place.x, up * tall, place.y);
  p.xz += across * b_position.x + bend;
  p.y -= 0.3 * dot(bend, bend);
  gl_Position = b_projection * b_view * b_model * vec4(p, 1.0);
}
