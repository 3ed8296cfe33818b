// A thin film over mother-of-pearl: its colours change with the angle of view, and its rim is bright.
//
//   brokkr render assets/spheres.glb --fragment shaders/examples/pearl.frag --uniform thickness=2.5
in vec3 b_position;
in vec3 b_normal;

uniform vec3 b_camera_position;
uniform vec3 b_light_direction;
uniform float b_time;

uniform float thickness = 1.6;                // of the film: how often the colours repeat
uniform float rim = 3.0;                      // exponent; larger: a narrower rim
uniform vec3 glow = vec3(0.55, 0.75, 1.0);    // colour of the rim

out vec4 color;

vec3 rainbow(float phase) { return 0.5 + 0.5 * cos(6.2831853 * (phase + vec3(0.0, 0.33, 0.67))); }

// The sky that the pearl reflects, brighter above.
vec3 sky(vec3 direction) {
  float height = direction.y * 0.5 + 0.5;
  vec3 air = mix(vec3(0.16, 0.12, 0.2), vec3(0.75, 0.85, 1.0), smoothstep(0.3, 0.9, height));
  float sun = max(dot(direction, b_light_direction), 0.0);
  return air + vec3(1.0, 0.9, 0.7) * (pow(sun, 64.0) + 0.25 * pow(sun, 6.0));
}

void main() {
  vec3 view = normalize(b_camera_position - b_position);
  vec3 normal = normalize(b_normal);
  if (dot(normal, view) < 0.0) normal = -normal;

  float facing = max(dot(normal, view), 0.0);
  float fresnel = pow(1.0 - facing, rim);
  float wave = 0.06 * sin(5.0 * b_position.x + 3.0 * b_position.y + b_time) * sin(4.0 * b_position.z - b_time);
  vec3 film = rainbow(thickness * (1.0 - facing) + wave + 0.1);
  vec3 nacre = mix(vec3(0.95, 0.91, 0.88), film, 0.3);

  float light = 0.35 + 0.65 * max(dot(normal, b_light_direction), 0.0);
  vec3 mirror = sky(reflect(-view, normal));
  color = vec4(nacre * light * 0.8 + mirror * mix(0.12, 0.6, fresnel) * nacre + glow * fresnel * 0.5, 1.0);
}
