// Turns the ground into a sea: three waves run through everything that stands on it.
//
//   brokkr render assets/courtyard.obj --vertex shaders/examples/waves.vert --time 1.2
in vec3 b_position;
in vec3 b_normal;
uniform mat4 b_model, b_view, b_projection;
uniform float b_time;

uniform float height = 0.35;

void main() {
  vec4 world = b_model * vec4(b_position, 1.0);
  float wave = sin(world.x * 1.1 + b_time * 1.7) + 0.6 * sin(world.z * 1.7 - b_time * 1.3) +
               0.3 * sin((world.x + world.z) * 2.9 + b_time * 2.3);
  world.y += height * wave;
  world.x += 0.2 * height * cos(world.x * 1.1 + b_time * 1.7);
  gl_Position = b_projection * b_view * world;
}
