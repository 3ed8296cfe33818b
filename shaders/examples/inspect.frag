// Shows the data of vertices: normals, texture coordinates with a checkerboard, faces, and tangents.
//
//   brokkr render assets/courtyard.obj --fragment shaders/examples/inspect.frag --uniform show=1
in vec3 b_position;
in vec3 b_normal;
in vec3 b_tangent;
in vec2 b_uv;

uniform vec3 b_camera_position;
uniform vec2 b_resolution;

uniform int show = 4;         // 0 normals, 1 texture coordinates, 2 faces, 3 tangents, 4 all of them side by side
uniform float squares = 8.0;  // squares of the checkerboard per unit of the coordinates

out vec4 color;

vec3 as_color(vec3 direction) { return normalize(direction) * 0.5 + 0.5; }

float checkerboard(vec2 at) {
  vec2 cell = floor(at * squares);
  return mod(cell.x + cell.y, 2.0);
}

void main() {
  int what = show;
  if (show > 3) what = min(int(4.0 * gl_FragCoord.x / b_resolution.x), 3);

  vec3 face = normalize(cross(dFdx(b_position), dFdy(b_position)));
  vec3 view = normalize(b_camera_position - b_position);
  float shade = 0.45 + 0.55 * abs(dot(face, view));

  vec3 seen;
  if (what == 0) {
    seen = as_color(b_normal);
  } else if (what == 1) {
    seen = vec3(fract(b_uv), 0.25) * mix(0.55, 1.0, checkerboard(b_uv));
  } else if (what == 2) {
    seen = as_color(face) * (gl_FrontFacing ? vec3(1.0) : vec3(1.0, 0.35, 0.35));
  } else {
    seen = as_color(b_tangent + 1e-6);
  }
  float middle = fract(4.0 * gl_FragCoord.x / b_resolution.x);
  float seam = show > 3 && middle < 4.0 * 2.0 / b_resolution.x ? 0.0 : 1.0;
  color = vec4(seen * shade * seam, 1.0);
}
