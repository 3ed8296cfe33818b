// Two grids over everything, projected along the three axes of the world, so that they need no texture coordinates.
// Fine lines fade when they become narrower than a pixel.
//
//   brokkr render assets/courtyard.obj --fragment shaders/examples/grid.frag --uniform unit=0.5
in vec3 b_position;
in vec3 b_normal;

uniform vec3 b_camera_position;
uniform vec3 b_light_direction;

uniform float unit = 1.0;                       // distance between two lines
uniform vec3 paper = vec3(0.05, 0.16, 0.32);
uniform vec3 ink = vec3(0.75, 0.9, 1.0);

out vec4 color;

// The share of a pixel that the lines of a plane cover. `width` is a fraction of a cell.
float lines(vec2 at, float width) {
  vec2 pixel = fwidth(at);
  vec2 drawn = clamp(vec2(width), pixel, vec2(0.5));
  vec2 away = abs(fract(at - 0.5) - 0.5);
  vec2 covered = smoothstep(drawn + pixel, drawn - pixel * 0.5, away) * clamp(width / drawn, 0.0, 1.0);
  covered = mix(covered, vec2(width * 2.0), clamp(pixel * 2.0 - 1.0, 0.0, 1.0));
  return max(covered.x, covered.y);
}

float triplanar(vec3 at, vec3 weight, float width) {
  return weight.x * lines(at.yz, width) + weight.y * lines(at.xz, width) + weight.z * lines(at.xy, width);
}

void main() {
  vec3 normal = normalize(b_normal);
  vec3 view = normalize(b_camera_position - b_position);
  if (dot(normal, view) < 0.0) normal = -normal;

  vec3 weight = pow(abs(normal), vec3(8.0));
  weight /= weight.x + weight.y + weight.z;
  vec3 at = b_position / unit + 0.001;
  float drawn = max(triplanar(at, weight, 0.02), 0.45 * triplanar(at * 5.0, weight, 0.03));

  float light = 0.45 + 0.55 * max(dot(normal, b_light_direction), 0.0);
  float far = exp(-0.012 * length(b_camera_position - b_position) / unit);
  vec3 sheet = paper * (0.6 + 0.9 * light) + 0.1 * weight * light;
  color = vec4(mix(sheet, ink * (0.55 + 0.45 * light), drawn * mix(0.35, 1.0, far)), 1.0);
}
