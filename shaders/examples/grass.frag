// The blades of grass.vert: dark at the root, yellow at some tips.
//
//   brokkr render assets/blade.obj --vertex shaders/examples/grass.vert --fragment shaders/examples/grass.frag --shader-instances 20000 --camera "eye=0,1.6,7.5 target=0,0.4,0 fov=45 near=0.1 far=40"
in float up;
in float tint;
in vec3 to_surface;
uniform vec3 b_light_direction;
out vec4 color;

void main() {
  vec3 root = vec3(0.02, 0.07, 0.02), tip = mix(vec3(0.22, 0.45, 0.08), vec3(0.55, 0.55, 0.16), tint * tint);
  float light = 0.45 + 0.55 * abs(dot(normalize(to_surface), b_light_direction));
  color = vec4(sqrt(mix(root, tip, up) * light), 1.0);
}
