// Turns each storey a little further than the one below it, back and forth.
//
//   brokkr render assets/courtyard.obj --vertex shaders/examples/twist.vert --uniform turn=0.35
in vec3 b_position;
uniform mat4 b_model, b_view, b_projection;
uniform float b_time;

uniform float turn = 0.35;  // radians per unit of height

void main() {
  vec4 world = b_model * vec4(b_position, 1.0);
  float angle = turn * world.y * cos(b_time * 0.5);
  float c = cos(angle), s = sin(angle);
  world.xz = mat2(c, s, -s, c) * world.xz;
  gl_Position = b_projection * b_view * world;
}
