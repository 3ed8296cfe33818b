// A ring that comes out of the forge, in Shadertoy's manner: there is no scene, and rays march through a distance
// field.
//
//   brokkr render --fragment shaders/examples/forge.frag --size 1280x720 --time 2 -o forge.png
const int kSteps = 72;
const float kFar = 14.0;

mat2 turned(float angle) {
  float c = cos(angle), s = sin(angle);
  return mat2(c, -s, s, c);
}

float box(vec3 p, vec3 size, float round) {
  vec3 q = abs(p) - size;
  return length(max(q, 0.0)) + min(max(q.x, max(q.y, q.z)), 0.0) - round;
}

// The ring: a band of three strands that wind around each other.
float ring(vec3 p) {
  p -= vec3(0.0, 1.15 + 0.08 * sin(iTime * 1.3), 0.0);
  p.xz *= turned(iTime * 0.4);
  p.xy *= turned(0.5);
  float angle = atan(p.z, p.x);
  vec2 across = vec2(length(p.xz) - 0.78, p.y) * turned(angle * 2.0 + iTime * 0.2);
  float turn = 2.0943951;
  float nearest = 1e3;
  for (int i = 0; i < 3; i++) {
    nearest = min(nearest, length(across - vec2(0.13, 0.0)) - 0.085);
    across *= turned(turn);
  }
  return nearest * 0.7;
}

float anvil(vec3 p) {
  float top = box(p - vec3(0.0, -0.12, 0.0), vec3(1.05, 0.16, 0.42), 0.05);
  float waist = box(p - vec3(0.0, -0.6, 0.0), vec3(0.38, 0.35, 0.26) - 0.25 * (p.y + 0.6) * (p.y + 0.2), 0.06);
  float foot = box(p - vec3(0.0, -1.02, 0.0), vec3(0.75, 0.1, 0.42), 0.06);
  vec3 q = p - vec3(1.1, -0.08, 0.0);
  float horn = max(length(q.yz) - 0.2 * (1.0 - clamp(q.x / 0.85, 0.0, 0.9)), max(-q.x - 0.2, q.x - 0.76));
  return min(min(top, waist), min(foot, horn * 0.8));
}

// x: the distance; y: the nearest object: 0 ground, 1 anvil, 2 ring.
vec2 field(vec3 p) {
  vec2 nearest = vec2(p.y + 1.18, 0.0);
  vec3 q = p;
  q.xz *= turned(0.55);
  float iron = anvil(q);
  if (iron < nearest.x) nearest = vec2(iron, 1.0);
  float gold = ring(p);
  if (gold < nearest.x) nearest = vec2(gold, 2.0);
  return nearest;
}

vec3 normal_at(vec3 p) {
  vec2 e = vec2(0.0015, -0.0015);
  return normalize(e.xyy * field(p + e.xyy).x + e.yyx * field(p + e.yyx).x + e.yxy * field(p + e.yxy).x +
                   e.xxx * field(p + e.xxx).x);
}

float shadow(vec3 from, vec3 to) {
  float light = 1.0, t = 0.05;
  for (int i = 0; i < 20; i++) {
    float d = field(from + to * t).x;
    light = min(light, 9.0 * d / t);
    t += clamp(d, 0.04, 0.4);
    if (light < 0.01 || t > 5.0) break;
  }
  return clamp(light, 0.0, 1.0);
}

vec3 room(vec3 direction) {
  float fire = pow(max(dot(direction, normalize(vec3(-0.8, 0.1, 0.5))), 0.0), 5.0);
  vec3 dark = mix(vec3(0.015, 0.012, 0.015), vec3(0.03, 0.035, 0.055), 0.5 + 0.5 * direction.y);
  float window = smoothstep(0.9, 0.96, dot(direction, normalize(vec3(0.5, 0.7, 0.4))));
  return dark + vec3(1.0, 0.42, 0.1) * fire * 1.6 + vec3(0.8, 0.9, 1.0) * window * 1.5;
}

// Rising sparks: each cell of a grid has one.
vec3 sparks(vec2 uv) {
  vec3 sum = vec3(0.0);
  for (int layer = 0; layer < 3; layer++) {
    float size = 5.0 + 3.0 * float(layer);
    vec2 at = uv * size + vec2(0.4 * sin(iTime * 0.7 + uv.y * 2.0 + float(layer)), -iTime * (0.5 + 0.2 * float(layer)));
    vec2 cell = floor(at);
    float chance = fract(sin(dot(cell, vec2(12.9898, 78.233)) + float(layer)) * 437.58);
    vec2 place = fract(at) - 0.5 - 0.3 * vec2(cos(chance * 40.0), sin(chance * 40.0));
    float near = smoothstep(0.2, 0.0, length(place)) / (1.0 + 900.0 * dot(place, place));
    sum += vec3(1.0, 0.45, 0.12) * step(0.8, chance) * 2.0 * near * smoothstep(1.1, -0.6, uv.y);
  }
  return sum;
}

void mainImage(out vec4 color, in vec2 place) {
  vec2 uv = (2.0 * place - iResolution.xy) / iResolution.y;
  vec3 eye = vec3(0.6, 1.1, 4.3);
  eye.xz *= turned(0.12 * sin(iTime * 0.3));
  vec3 forward = normalize(vec3(0.05, 0.22, 0.0) - eye);
  vec3 right = normalize(cross(forward, vec3(0.0, 1.0, 0.0)));
  vec3 ray = normalize(uv.x * right + uv.y * cross(right, forward) + 2.1 * forward);

  float t = 1.5;
  vec2 hit = vec2(1.0, -1.0);
  for (int i = 0; i < kSteps; i++) {
    hit = field(eye + ray * t);
    if (hit.x < 0.0008 * t || t > kFar) break;
    t += hit.x;
  }

  vec3 lit = room(ray);
  if (t < kFar) {
    vec3 p = eye + ray * t, normal = normal_at(p);
    vec3 to_window = normalize(vec3(0.5, 0.7, 0.4)), to_ring = vec3(0.0, 1.15, 0.0) - p;
    float day = max(dot(normal, to_window), 0.0) * shadow(p, to_window);
    float ember = max(dot(normal, normalize(to_ring)), 0.0) / (0.6 + dot(to_ring, to_ring));
    float fire = max(dot(normal, normalize(vec3(-0.8, 0.1, 0.5))), 0.0);
    vec3 mirror = room(reflect(ray, normal));
    float fresnel = pow(1.0 - max(dot(-ray, normal), 0.0), 5.0);
    if (hit.y > 1.5) {
      vec3 gold = vec3(1.0, 0.66, 0.24);
      lit = gold * (0.06 + 0.5 * day + 0.5 * fire) + mirror * mix(gold, vec3(1.0), fresnel);
      lit += vec3(1.0, 0.25, 0.04) * (0.2 + 0.12 * sin(iTime * 3.0 + 6.0 * p.y));
    } else if (hit.y > 0.5) {
      vec3 iron = vec3(0.055, 0.06, 0.07);
      lit = iron * (0.15 + 0.9 * day + vec3(1.0, 0.45, 0.15) * (1.1 * ember + 0.6 * fire));
      lit += mirror * mix(0.1, 0.9, fresnel);
    } else {
      vec2 stone = abs(fract(p.xz * 0.9 + vec2(0.0, 0.5 * floor(p.x * 0.9))) - 0.5);
      float mortar = smoothstep(0.5, 0.46, max(stone.x, stone.y));
      vec3 floor_color = mix(vec3(0.02), vec3(0.09, 0.08, 0.075), mortar);
      lit = floor_color * (0.2 + 0.9 * day + vec3(1.0, 0.45, 0.15) * (1.5 * ember + 0.5 * fire));
    }
    lit = mix(lit, room(ray) * 0.6, smoothstep(4.0, kFar, t));
  }
  lit += sparks(uv);
  lit *= 1.0 - 0.18 * dot(uv * 0.6, uv * 0.6);
  lit = lit * (2.51 * lit + 0.03) / (lit * (2.43 * lit + 0.59) + 0.14);  // filmic curve
  color = vec4(pow(clamp(lit, 0.0, 1.0), vec3(1.0 / 2.2)), 1.0);
}
