#include "reference/gl_program.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/type_ptr.hpp>
#include <stdexcept>
#include <string>

namespace brokkr {
namespace {

// Adds the first line of the driver's log for a shader or program.
template <class ReadLog>
[[noreturn]] void fail(const char* what, const char* problem, GLuint object, ReadLog read_log) {
  char log[2048] = "";
  read_log(object, sizeof log, nullptr, log);
  const std::string said(log);
  throw std::runtime_error(std::string("OpenGL: ") + what + problem + ": " + said.substr(0, said.find('\n')));
}

}  // namespace

GlProgram link_program(std::initializer_list<std::pair<GLenum, std::string>> texts, const char* what) {
  GlProgram program = GlProgram::create();
  GLint good = GL_FALSE;
  for (const auto& [stage, text] : texts) {
    const GLuint shader = glCreateShader(stage);
    glAttachShader(program.id(), shader);
    glDeleteShader(shader);  // deleted together with the program
    const char* const source = text.c_str();
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good == GL_FALSE) fail(what, " does not compile", shader, glGetShaderInfoLog);
  }
  glLinkProgram(program.id());
  glGetProgramiv(program.id(), GL_LINK_STATUS, &good);
  if (good == GL_FALSE) fail(what, " does not link", program.id(), glGetProgramInfoLog);
  return program;
}

namespace {

// The locations that the texts below declare.
constexpr GLint kToClip = 0, kEye = 4, kLight = 5, kColor = 6, kDiffuse = 7, kSpecular = 8, kEmission = 9,
                kAmbient = 10, kShininess = 11, kMaps = 12, kTestFunc = 13, kTestRef = 14, kCutoff = 15, kModel = 16,
                kSurface = 17, kUnlit = 18, kSets = 19, kLinear = 25, kOffset = 31;

// `invariant`: programs that differ only in shading must place a vertex identically, or later passes with depth
// function "equal" would have holes.
constexpr const char* kVertexText = R"(
layout(location = 0) in vec4 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 texcoord;
#ifdef CLIP_SPACE
layout(location = 9) in float point_size;
#endif
layout(location = 0) uniform mat4 to_clip;  // from the world; GlVertex::single: from the object
#ifdef SINGLE
layout(location = 16) uniform mat4 model;
#else
layout(location = 3) in mat4 model;
#endif
invariant gl_Position;
#ifdef LIT
out vec3 world_position, world_normal;
out vec2 uv;
#endif
#ifdef PHYSICAL
layout(location = 7) in vec4 vertex_color;
layout(location = 8) in vec2 second_texcoord;
out vec4 tint;
out vec2 second_uv;
#endif
void main() {
#ifdef CLIP_SPACE
  gl_Position = position;
  gl_PointSize = point_size;  // counts only if GL_PROGRAM_POINT_SIZE is on
  vec4 world = position;
  vec3 direction = normal;
#else
  vec4 world = model * position;
  vec3 direction = mat3(model) * normal;
#ifdef SINGLE
  gl_Position = to_clip * position;
#else
  gl_Position = to_clip * world;
#endif
#endif
#ifdef LIT
  float size = dot(direction, direction);
  world_position = world.xyz;
  world_normal = size > 0.0 ? direction * inversesqrt(size) : vec3(0.0);
  uv = texcoord;
#endif
#ifdef PHYSICAL
  tint = vertex_color;
  second_uv = second_texcoord;
#endif
}
)";

constexpr const char* kFragmentText = R"(
layout(location = 0) out vec4 result;
layout(location = 4) uniform vec3 eye;
layout(location = 5) uniform vec3 light;    // unit vector towards the light
layout(location = 6) uniform vec4 color;
layout(location = 7) uniform vec4 diffuse;  // a: opacity
layout(location = 8) uniform vec3 specular;
layout(location = 9) uniform vec3 emission;
layout(location = 10) uniform vec3 ambient;
layout(location = 11) uniform float shininess;
layout(location = 12) uniform int maps;     // a bit for each GlMap that there is
layout(location = 13) uniform int test_func;
layout(location = 14) uniform float test_ref;
layout(location = 15) uniform float cutoff;
layout(binding = 0) uniform sampler2D diffuse_map;
layout(binding = 1) uniform sampler2D alpha_map;
layout(binding = 2) uniform sampler2D metallic_roughness_map;
layout(binding = 3) uniform sampler2D normal_map;
layout(binding = 4) uniform sampler2D emission_map;
layout(binding = 5) uniform sampler2D occlusion_map;
#ifdef LIT
in vec3 world_position, world_normal;
in vec2 uv;
// With EXACT_LOD, the level of detail is the specification's at this sample (OpenGL 4.5, 8.14.1); drivers may use one
// for a whole quad, and approximate the logarithm. uv / w and 1 / w are linear on the screen, so that differences of
// them are exact.
vec4 sample_map(sampler2D map, vec2 uv) {
#ifdef EXACT_LOD
  float q = gl_FragCoord.w;
  vec2 size = vec2(textureSize(map, 0));
  vec2 dx = (dFdx(uv * q) - uv * dFdx(q)) / q * size;
  vec2 dy = (dFdy(uv * q) - uv * dFdy(q)) / q * size;
  return textureLod(map, uv, 0.5 * log2(max(dot(dx, dx), dot(dy, dy))));
#else
  return texture(map, uv);
#endif
}
bool has(int map) { return (maps >> map & 1) != 0; }
#endif
#ifdef PHYSICAL
)"
                                      R"(
// [Gltf20, Appendix B] with one light of radiance pi and light from all sides. The maps are numbered as GlMap.
in vec4 tint;
in vec2 second_uv;
layout(location = 17) uniform vec4 surface;  // metalness, roughness, the normals' scale, strength of the occlusion
layout(location = 18) uniform bool unlit;
layout(location = 19) uniform int sets[6];
layout(location = 25) uniform mat2 linears[6];
layout(location = 31) uniform vec2 offsets[6];
vec2 place(int map) { return linears[map] * (sets[map] != 0 ? second_uv : uv) + offsets[map]; }
// The normal of the normal map: x and y along the growing coordinates, which differences on the screen tell.
vec3 bent(vec3 n) {
  vec2 at = place(3);
  vec3 texel = sample_map(normal_map, at).xyz * 2.0 - 1.0;
  vec3 px = dFdx(world_position), py = dFdy(world_position);
#ifdef EXACT_LOD
  float q = gl_FragCoord.w;
  vec2 tx = (dFdx(at * q) - at * dFdx(q)) / q, ty = (dFdy(at * q) - at * dFdy(q)) / q;
#else
  vec2 tx = dFdx(at), ty = dFdy(at);
#endif
  vec3 a = cross(py, n), b = cross(n, px);
  vec3 t = a * tx.x + b * ty.x, s = a * tx.y + b * ty.y;
  float longest = max(dot(t, t), dot(s, s));
  float side = dot(px, a) < 0.0 ? -1.0 : 1.0;
  float scale = side * surface.z / sqrt(max(longest, 1e-30));
  return normalize(t * texel.x * scale + s * texel.y * scale + n * texel.z);
}
vec4 shade() {
  vec4 base = vec4(diffuse.rgb, diffuse.a) * tint;
  if (has(0)) base *= sample_map(diffuse_map, place(0));
  if (has(1)) base.a *= sample_map(alpha_map, uv).r;
  if (unlit) return base;
  vec2 made = surface.xy;
  if (has(2)) made *= sample_map(metallic_roughness_map, place(2)).bg;
  float metallic = made.x, alpha = clamp(made.y, 0.045, 1.0);
  alpha *= alpha;
  vec3 v = normalize(eye - world_position), n = normalize(world_normal);
  if (dot(n, v) < 0.0) n = -n;
  if (has(3)) n = bent(n);
  vec3 glow = emission;
  if (has(4)) glow *= sample_map(emission_map, place(4)).rgb;
  vec3 around = ambient * 0.25;
  if (has(5)) around *= 1.0 + (sample_map(occlusion_map, place(5)).r - 1.0) * surface.w;
  vec3 h = normalize(light + v);
  float nl = max(dot(n, light), 0.0), nv = max(dot(n, v), 0.0), nh = dot(n, h), vh = clamp(dot(v, h), 0.0, 1.0);
  vec3 sine = cross(n, h);  // 1 - nh^2 without cancellation
  float a2 = alpha * alpha, spread = a2 * nh * nh + dot(sine, sine);
  float d = a2 / (spread * spread);  // times 1 / pi
  float visible = 1.0 / ((nl + sqrt(a2 + (1.0 - a2) * nl * nl)) * (nv + sqrt(a2 + (1.0 - a2) * nv * nv)));
  vec3 f0 = mix(vec3(0.04), base.rgb, metallic), f = f0 + (1.0 - f0) * pow(1.0 - vh, 5.0);
  vec3 body = base.rgb * (1.0 - metallic);
  return vec4(glow + around * (body + f0) + nl * ((1.0 - f) * body + f * d * visible), base.a);
}
#elif defined(LIT)
vec4 shade() {
  vec4 texel = has(0) ? sample_map(diffuse_map, uv) : vec4(1.0);
  vec3 v = normalize(eye - world_position);
  float size = dot(world_normal, world_normal);
  vec3 n = size > 0.0 ? world_normal * inversesqrt(size) : vec3(0.0);
  if (dot(n, v) < 0.0) n = -n;
  vec3 h = normalize(light + v);
  float alpha = diffuse.a * texel.a;
  if (has(1)) alpha *= sample_map(alpha_map, uv).r;
  float lambert = max(dot(n, light), 0.0);
  vec3 surface = emission + texel.rgb * diffuse.rgb * (ambient * 0.25 + lambert);
  if (lambert > 0.0) surface += specular * pow(max(dot(n, h), 0.0), shininess);
  return vec4(surface, alpha);
}
#elif defined(TRIANGLE)
vec4 shade() {
  uint bits = uint(gl_PrimitiveID) * 2654435769u;
  return vec4(vec3(bits >> 24, (bits >> 16) & 255u, (bits >> 8) & 255u) / 255.0 * 0.8 + 0.2, 1.0);
}
#elif defined(DEPTH)
vec4 shade() { return vec4(vec3(gl_FragCoord.z), 1.0); }
#else
vec4 shade() { return color; }
#endif
#ifdef DISCARDS
bool passes(float alpha) {
  switch (test_func) {
    case 0: return false;
    case 1: return alpha < test_ref;
    case 2: return alpha == test_ref;
    case 3: return alpha <= test_ref;
    case 4: return alpha > test_ref;
    case 5: return alpha != test_ref;
    case 6: return alpha >= test_ref;
  }
  return true;
}
#endif
void main() {
  result = shade();
#ifdef DISCARDS
  if (!passes(result.a) || result.a < cutoff) discard;
#endif
}
)";

GlProgram build(const GlProgramKey& key) {
  static constexpr const char* kFragmentDefines[kGlFragmentCount] = {
      "", "#define TRIANGLE\n", "#define DEPTH\n", "#define LIT\n", "#define LIT\n#define PHYSICAL\n"};
  std::string defines = kFragmentDefines[size_t(key.fragment)];
  static constexpr const char* kVertexDefines[] = {"#define CLIP_SPACE\n", "#define SINGLE\n", ""};
  defines += kVertexDefines[size_t(key.vertex)];
  if (key.discards) defines += "#define DISCARDS\n";
  if (key.exact_lod) defines += "#define EXACT_LOD\n";
  const std::string head = "#version 450 core\n" + defines;
  return link_program({{GL_VERTEX_SHADER, head + kVertexText}, {GL_FRAGMENT_SHADER, head + kFragmentText}},
                      "a program of the reference");
}

void set_material(const GlProgramKey& key, const GlUniforms& uniforms) {
  const Material& material = uniforms.material;
  const glm::vec3 light = glm::normalize(uniforms.light_direction);
  if (key.vertex == GlVertex::single) glUniformMatrix4fv(kModel, 1, GL_FALSE, glm::value_ptr(*uniforms.model));
  glUniform3fv(kEye, 1, glm::value_ptr(uniforms.view.eye));
  glUniform3fv(kLight, 1, glm::value_ptr(light));
  glUniform4f(kDiffuse, material.diffuse.x, material.diffuse.y, material.diffuse.z, material.opacity);
  glUniform3fv(kEmission, 1, glm::value_ptr(material.emission));
  glUniform3fv(kAmbient, 1, glm::value_ptr(material.ambient));
  GLint maps = 0;
  for (uint32_t map = 0; map < kGlMaps; ++map) maps |= GLint(texture_of(material, GlMap(map)) >= 0) << map;
  glUniform1i(kMaps, maps);
  if (key.fragment == GlFragment::blinn_phong) {
    glUniform3fv(kSpecular, 1, glm::value_ptr(material.specular));
    glUniform1f(kShininess, material.shininess);
    return;
  }
  // A lobe of Blinn-Phong exponent n is about as wide as one of roughness^4 = 2 / (n + 2) [Walter07, 5.2].
  const bool is_translated = material.kind == MaterialKind::blinn_phong;
  const float width = std::pow(2.0f / (std::max(material.shininess, 0.0f) + 2.0f), 0.25f);
  glUniform4f(kSurface, is_translated ? 0.0f : material.metallic, is_translated ? width : material.roughness,
              material.normal_scale, material.occlusion_strength);
  glUniform1i(kUnlit, material.unlit);
  const TextureMapping as_they_are;
  const TextureMapping* const mappings[kGlMaps] = {&material.diffuse_mapping,
                                                   &as_they_are,
                                                   &material.metallic_roughness_mapping,
                                                   &material.normal_mapping,
                                                   &material.emission_mapping,
                                                   &material.occlusion_mapping};
  for (GLint map = 0; map < GLint(kGlMaps); ++map) {
    glUniform1i(kSets + map, GLint(mappings[map]->set));
    glUniformMatrix2fv(kLinear + map, 1, GL_FALSE, glm::value_ptr(mappings[map]->linear));
    glUniform2fv(kOffset + map, 1, glm::value_ptr(mappings[map]->offset));
  }
}

}  // namespace

int texture_of(const Material& material, GlMap map) {
  const int textures[kGlMaps] = {
      material.diffuse_texture, material.alpha_texture,    material.metallic_roughness_texture,
      material.normal_texture,  material.emission_texture, material.occlusion_texture};
  return textures[map];
}

void GlPrograms::use(const GlProgramKey& key, const GlUniforms& uniforms) {
  const size_t kind = (size_t(key.vertex) * kGlFragmentCount + size_t(key.fragment)) * 4;
  GlProgram& program = programs_[kind + size_t(key.discards) * 2 + size_t(key.exact_lod)];
  if (!program) program = build(key);
  glUseProgram(program.id());
  const View& view = uniforms.view;
  if (key.vertex == GlVertex::instanced) glUniformMatrix4fv(kToClip, 1, GL_FALSE, glm::value_ptr(view.view_projection));
  if (key.vertex == GlVertex::single) {
    const glm::mat4 to_clip = view.view_projection * *uniforms.model;
    glUniformMatrix4fv(kToClip, 1, GL_FALSE, glm::value_ptr(to_clip));
  }
  if (key.fragment == GlFragment::color) glUniform4fv(kColor, 1, glm::value_ptr(uniforms.color));
  if (key.fragment == GlFragment::blinn_phong || key.fragment == GlFragment::metallic_roughness) {
    set_material(key, uniforms);
  }
  if (key.discards) {
    const std::optional<AlphaTest>& test = uniforms.alpha_test;
    glUniform1i(kTestFunc, GLint(test ? test->func : CompareFunc::always));
    glUniform1f(kTestRef, test ? test->ref : 0.0f);
    glUniform1f(kCutoff, uniforms.alpha_cutoff);
  }
}

}  // namespace brokkr
