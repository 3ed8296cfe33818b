// Buffer A of life.frag. Red: the cell is alive. Green: how recently it was alive.

float lives(ivec2 cell) {
  ivec2 size = max(ivec2(iResolution.xy) / 4, ivec2(1));
  return texelFetch(iChannel0, (cell + size) % size, 0).x;
}

float chance(vec2 cell) {
  return fract(sin(dot(cell, vec2(12.9898, 78.233))) * 437.585);
}

void mainImage(out vec4 next, in vec2 at) {
  ivec2 cell = ivec2(at);
  if (iFrame == 0) {
    next = vec4(step(0.7, chance(floor(at))), 0.0, 0.0, 1.0);
    return;
  }
  float around = -lives(cell);
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) around += lives(cell + ivec2(x, y));
  }
  vec4 before = texelFetch(iChannel0, cell, 0);
  float life = around == 3.0 || (around == 2.0 && before.x == 1.0) ? 1.0 : 0.0;
  next = vec4(life, max(life, before.y * 0.93), 0.0, 1.0);
}
