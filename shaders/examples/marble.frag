// Marble cut out of a block: turbulence bends the layers of the stone into veins. The shader reads no texture.
//
//   brokkr render generated:sphere-100k --fragment shaders/examples/marble.frag --uniform scale=2
in vec3 b_position;
in vec3 b_normal;
in vec3 b_object_position;

uniform vec3 b_camera_position;
uniform vec3 b_light_direction;

uniform float scale = 1.5;                      // veins per unit of the object
uniform float turbulence = 2.2;                 // how far the veins wander
uniform vec3 stone = vec3(0.93, 0.91, 0.88);
uniform vec3 vein = vec3(0.16, 0.2, 0.26);
uniform vec3 gold = vec3(0.85, 0.6, 0.22);      // colour of the finest veins

out vec4 color;

float random(ivec3 cell) {
  uint h = uint(cell.x) * 1597334677u ^ uint(cell.y) * 3812015801u ^ uint(cell.z) * 2798796413u;
  h = (h ^ (h >> 16)) * 2246822519u;
  h = (h ^ (h >> 13)) * 3266489917u;
  return float(h >> 8) / 16777216.0;
}

float noise(vec3 p) {
  ivec3 cell = ivec3(floor(p));
  vec3 f = fract(p);
  f = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
  vec4 low, high;
  for (int i = 0; i < 4; i++) {
    ivec3 corner = cell + ivec3(i & 1, i >> 1, 0);
    low[i] = random(corner);
    high[i] = random(corner + ivec3(0, 0, 1));
  }
  vec4 layer = mix(low, high, f.z);
  vec2 line = mix(layer.xz, layer.yw, f.x);
  return mix(line.x, line.y, f.y);
}

float cloud(vec3 p) {
  float sum = 0.0, part = 0.5;
  for (int octave = 0; octave < 5; octave++) {
    sum += part * noise(p);
    p = p.zxy * 2.03 + 17.0;
    part *= 0.5;
  }
  return sum;
}

void main() {
  vec3 p = b_object_position * scale;
  float bend = cloud(p * 1.3 + 4.0);
  float layers = sin((p.x + 0.6 * p.y - 0.4 * p.z) * 2.0 + turbulence * 6.0 * (bend - 0.5));
  float veins = pow(1.0 - abs(layers), 5.0);
  float fine = pow(1.0 - abs(sin(9.0 * cloud(p * 0.9 - 7.0) + 2.0 * layers)), 24.0);

  vec3 base = mix(stone, stone * vec3(0.82, 0.84, 0.86), cloud(p * 3.0));
  base = mix(base, vein, 0.85 * veins);
  base = mix(base, gold, 0.7 * fine);

  vec3 view = normalize(b_camera_position - b_position);
  vec3 normal = normalize(b_normal);
  if (dot(normal, view) < 0.0) normal = -normal;
  float wrapped = (dot(normal, b_light_direction) + 0.35) / 1.35;  // light comes through thin edges
  vec3 lit = base * (0.22 + 0.85 * max(wrapped, 0.0));
  vec3 half_way = normalize(view + b_light_direction);
  float polish = pow(max(dot(normal, half_way), 0.0), 90.0);
  float fresnel = 0.04 + 0.5 * pow(1.0 - max(dot(normal, view), 0.0), 5.0);
  color = vec4(lit + vec3(1.0, 0.97, 0.92) * (0.6 * polish + 0.4 * fresnel), 1.0);
}
