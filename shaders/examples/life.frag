// The Game of Life. Buffer A (life-a.frag) plays it; this pass shows the living cells and those that have just died.
//
//   brokkr render --fragment shaders/examples/life.frag --buffer-a shaders/examples/life-a.frag --size 384x216 --time 2 -o life.png

void mainImage(out vec4 color, in vec2 at) {
  vec4 cell = texelFetch(iChannel0, ivec2(at) / 4, 0);
  vec3 dark = vec3(0.02, 0.03, 0.06), trail = vec3(0.5, 0.15, 0.05), alive = vec3(1.0, 0.75, 0.3);
  color = vec4(mix(dark + trail * cell.y, alive, cell.x), 1.0);
}
