// A frame as the pipeline receives it: targets, views, states, materials and commands, all plain data.
//
// Loaders (bkf.h, obj.h, gltf.h, ply.h, stl.h, generated.h) produce a Frame; `validate` checks every index in it before
// the pipeline uses one. Conventions are OpenGL's: clip space -w <= x, y, z <= w, viewport, scissor and image rows with
// their origin at the bottom left, counter-clockwise front faces by default.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "brokkr/programs.h"
#include "brokkr/states.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// Positions and matrices are handed over as they lie in memory.
static_assert(sizeof(glm::vec4) == 16 && alignof(glm::vec4) == 4 && sizeof(glm::vec3) == 12 && sizeof(glm::mat4) == 64,
              "brokkr needs GLM's packed types: build without GLM_FORCE_DEFAULT_ALIGNED_GENTYPES");

// Limits that every Frame respects (checked by `validate`, relied upon by the pipeline's fixed-point setup).
inline constexpr int kMaxTargetSize = 16384;    // pixels per side; 1/256-pixel coordinates then fit 23 bits
inline constexpr int kMaxTargetLayers = 65536;  // layers of one target
inline constexpr uint64_t kMaxTargetPixels = uint64_t(1) << 31;  // pixels of all layers of one target

// Pixels; origin at the bottom left.
struct Rect {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Rect&) const = default;
};

struct DepthState {
  bool test = true, write = true;
  CompareFunc func = CompareFunc::less;
  bool operator==(const DepthState&) const = default;
};

struct BlendTerm {
  BlendFactor src = BlendFactor::one, dst = BlendFactor::zero;
  BlendEquation equation = BlendEquation::add;
  bool operator==(const BlendTerm&) const = default;
};

struct BlendState {
  BlendTerm color, alpha;
  glm::vec4 constant{0.0f};
  bool operator==(const BlendState&) const = default;
};

struct StencilState {
  CompareFunc func = CompareFunc::always;
  uint8_t ref = 0, mask = 0xff, write_mask = 0xff;
  StencilOp stencil_fail = StencilOp::keep, depth_fail = StencilOp::keep, pass = StencilOp::keep;
  bool operator==(const StencilState&) const = default;
};

struct AlphaTest {
  CompareFunc func = CompareFunc::greater;
  float ref = 0.5f;
  bool operator==(const AlphaTest&) const = default;
};

struct PolygonOffset {
  float factor = 0, units = 0;
  bool operator==(const PolygonOffset&) const = default;
};

// Where one of several draw buffers goes.
struct DrawBuffer {
  int plane = 0;  // of the target's colours; -1: nowhere
  std::optional<BlendState> blend;
  std::array<bool, 4> color_mask{true, true, true, true};
  bool operator==(const DrawBuffer&) const = default;
};

// Everything a draw's fixed-function stages need. Data, switched per draw at run time.
struct State {
  glm::vec4 viewport{0};                // x, y, width, height in pixels (fractions allowed)
  float depth_near = 0, depth_far = 1;  // depth range, each in [0, 1]; near > far is allowed
  std::optional<Rect> scissor;
  DepthState depth;
  CullMode cull = CullMode::none;
  FrontFace front_face = FrontFace::ccw;
  PolygonMode polygon_mode = PolygonMode::fill;
  std::optional<PolygonOffset> polygon_offset;
  std::optional<BlendState> blend;
  std::array<bool, 4> color_mask{true, true, true, true};
  std::optional<AlphaTest> alpha_test;
  std::optional<StencilState> stencil;
  // Of captured draws, for their programs. `buffers` is empty where the one draw buffer is the target's first colour,
  // which `blend` and `color_mask` are of.
  std::vector<DrawBuffer> buffers;
  bool framebuffer_srgb = false;  // colours are encoded where the target's format is sRGB
  bool flat_shading = false;      // of the built-in colours
  bool point_sprites = false;     // points are squares of any size; without it, of whole pixels
  int coord_replace = 0;          // bit i: gl_TexCoord[i] of points is their gl_PointCoord
  bool point_origin_low = false;  // gl_PointCoord begins at the lower edge
  bool smooth_lines = false;      // alpha fades towards the edges of lines
  // Pixels. The varying gl_PointSize, where the draw's program has it, is the size of each point.
  float line_width = 1, point_size = 1;
  bool operator==(const State&) const = default;
};

// One render target: colour, D32F depth and 8-bit stencil, `layers` deep. `id` is the file's name for it.
struct Target {
  int id = 0;
  int width = 0, height = 0, layers = 1;
  ColorFormat format = ColorFormat::rgba8;
  // What the application had there, in captured frames: `format` is what Brokkr draws into. Empty where it is not
  // known.
  std::vector<TargetColor> colors;  // by TargetPlane, at most kMaxColorPlanes
  std::optional<TexelFormat> depth, stencil;
};

// A target layer that draws go to, and the camera that they are seen through (unused by clip-space draws).
struct View {
  uint32_t target = 0;  // index into Frame::targets
  uint32_t layer = 0;
  glm::mat4 view_projection{1.0f};  // world -> clip
  glm::vec3 eye{0.0f};              // world-space camera position
};

// How a vertex becomes a clip-space position.
enum class VertexKind : uint8_t {
  clip_space,  // positions are clip space already (captured frames); instances have positions of their own
  transform,   // clip = view_projection * model * position
};

// Properties of the application's own shader that a clip-space replay cannot follow, and differences of conventions.
enum DrawFlag : uint32_t {
  kFragmentDiscard = 1u << 0,
  kFragmentDepth = 1u << 1,
  kCondition = 1u << 2,
  kClipDistance = 1u << 3,
  kMultisample = 1u << 4,
  kDepthClamp = 1u << 5,
  kZeroToOne = 1u << 6,
  kOriginUpperLeft = 1u << 7,
  kProvokingFirst = 1u << 8,
};

struct DrawCommand {
  uint32_t first_view = 0, view_count = 1;  // range of Frame::views; all views of a draw are drawn in turn
  uint32_t state = 0;                       // index into Frame::states
  uint32_t material = 0;                    // index into Frame::materials
  Topology topology = Topology::triangles;
  VertexKind vertex_kind = VertexKind::clip_space;
  bool indexed = false;
  bool restart = false;  // index 0xFFFFFFFF restarts a strip or fan
  uint32_t flags = 0;    // DrawFlag bits
  uint32_t instances = 1;
  uint64_t first_index = 0;     // into Frame::indices; values are relative to first_vertex
  uint32_t element_count = 0;   // indices of one instance, or vertices where not indexed
  uint64_t first_vertex = 0;    // into Frame::positions (and the other attribute arrays)
  uint32_t vertex_count = 0;    // vertices per instance
  uint32_t first_instance = 0;  // into Frame::models, VertexKind::transform only
  std::string label;
  int32_t inputs = -1;  // index into Frame::inputs, -1: the draw's program is not known
};

struct PlaneColor {
  TargetPlane plane = TargetPlane::color1;
  glm::vec4 color{0.0f};
  bool operator==(const PlaneColor&) const = default;
};

struct ClearCommand {
  uint32_t target = 0;  // index into Frame::targets; clears every layer
  std::optional<glm::vec4> color;
  std::optional<float> depth;
  std::optional<uint8_t> stencil;
  std::optional<Rect> scissor;
  std::vector<PlaneColor> other_colors;  // of colours beyond the target's first
};

struct BlitCommand {
  uint32_t from = 0, to = 0;  // indices into Frame::targets (layer 0)
  Rect source, destination;   // nearest sampling where sizes differ; negative extents flip
  bool color = true, depth = false, stencil = false;
};

// The commands that follow are of captured frames, and say what their programs will read. Pictures without programs do
// not show them: nothing is drawn for them.

// Gives a plane what it held before the frame: level 0 of a texture of the plane's size.
struct LoadCommand {
  uint32_t target = 0;  // index into Frame::targets
  TargetPlane plane = TargetPlane::color0;
  uint32_t texture = 0;  // index into Frame::captured_textures
};

// Makes a texture's levels after its base level out of that.
struct GenerateMipsCommand {
  uint32_t texture = 0;  // index into Frame::captured_textures; its levels are planes of targets
};

// Copies a rectangle of a plane into another one, at (x, y), pixel by pixel.
struct CopyCommand {
  uint32_t from = 0, to = 0;  // indices into Frame::targets
  TargetPlane from_plane = TargetPlane::color0, to_plane = TargetPlane::color0;
  Rect source;
  int x = 0, y = 0;
};

using Command = std::variant<DrawCommand, ClearCommand, BlitCommand, LoadCommand, GenerateMipsCommand, CopyCommand>;

// How a texture is read beyond its edges and between its texels.
struct Sampler {
  Wrap wrap_x = Wrap::repeat, wrap_y = Wrap::repeat;
  MipFilter mip = MipFilter::linear;
  bool magnify_linear = true, minify_linear = true;  // false: the nearest texel
  bool operator==(const Sampler&) const = default;
};

// RGBA8, rows bottom to top, full mip chain made by the pipeline's preparation.
struct Texture {
  std::string name;
  int width = 0, height = 0;
  bool srgb = true;
  std::vector<uint32_t> texels;  // 0xAABBGGRR, width * height
  Sampler sampler;
};

// Where a material reads a texture: at linear * (u, v) + offset.
struct TextureMapping {
  uint32_t set = 0;        // 0: (u, v) is of Frame::texcoords, 1: of Frame::second_texcoords
  glm::mat2 linear{1.0f};  // column by column
  glm::vec2 offset{0.0f};
  bool operator==(const TextureMapping&) const = default;
};

enum class MaterialKind : uint8_t {
  none,                // captured draw: shown by a shading mode
  blinn_phong,         // textured Blinn-Phong (OBJ + MTL, PLY, STL)
  metallic_roughness,  // physically based [Gltf20, Appendix B]: shaders/metallic_roughness.h
};

struct Material {
  std::string name;
  MaterialKind kind = MaterialKind::none;
  glm::vec3 diffuse{0.8f}, specular{0.0f}, emission{0.0f}, ambient{1.0f};
  float shininess = 32, opacity = 1;
  int diffuse_texture = -1, alpha_texture = -1;  // indices into Frame::textures, -1: none
  float alpha_cutoff = 0;                        // > 0: fragments with a lower alpha are discarded

  // Of metallic_roughness, whose base colour is `diffuse` times the vertices' colour. Textures multiply: roughness is
  // in the green channel of theirs, metalness in the blue one. Normals of a normal texture lie in the space of its
  // coordinates. The red channel of an occlusion texture is the part of the light from all sides that arrives.
  float metallic = 0, roughness = 1;  // 0..1
  float normal_scale = 1;             // of the normal texture's x and y
  float occlusion_strength = 1;       // 0..1; 0: the occlusion texture counts for nothing
  int metallic_roughness_texture = -1, normal_texture = -1, emission_texture = -1, occlusion_texture = -1;
  TextureMapping diffuse_mapping, metallic_roughness_mapping, normal_mapping, emission_mapping, occlusion_mapping;
  bool unlit = false;  // the base colour is what is seen

  bool is_textured() const {
    return diffuse_texture >= 0 || alpha_texture >= 0 || metallic_roughness_texture >= 0 || normal_texture >= 0 ||
           emission_texture >= 0 || occlusion_texture >= 0;
  }
  bool reads_second_texcoords() const {
    return (diffuse_texture >= 0 && diffuse_mapping.set != 0) ||
           (metallic_roughness_texture >= 0 && metallic_roughness_mapping.set != 0) ||
           (normal_texture >= 0 && normal_mapping.set != 0) || (emission_texture >= 0 && emission_mapping.set != 0) ||
           (occlusion_texture >= 0 && occlusion_mapping.set != 0);
  }
};

// The content of `target` in the application's own driver, just before command `before`.
struct Reference {
  uint32_t target = 0;              // index into Frame::targets
  uint32_t before = 0;              // command index; Frame::commands.size(): at the end of the frame
  std::vector<uint8_t> color_file;  // the picture as a file: PNG, or JPEG from older captures; may be empty
  int depth_width = 0, depth_height = 0;
  std::vector<float> depth;  // window depth, rows bottom to top, may be empty
};

struct Frame {
  std::string application, generator, license, source;  // source: file it came from
  int64_t frame_number = 0;
  int window_width = 0, window_height = 0;

  std::vector<Target> targets;
  std::vector<View> views;
  std::vector<State> states;
  std::vector<Material> materials;
  std::vector<Texture> textures;
  std::vector<Command> commands;
  std::vector<Reference> references;

  std::vector<uint32_t> indices;
  std::vector<glm::vec4> positions;         // clip space, or object space with w = 1
  std::vector<glm::vec3> normals;           // empty, or one per position
  std::vector<glm::vec2> texcoords;         // empty, or one per position
  std::vector<glm::vec2> second_texcoords;  // empty, or one per position; of metallic_roughness
  std::vector<glm::vec4> colors;            // empty, or one per position: linear light and alpha; of metallic_roughness
  std::vector<glm::mat4> models;            // per instance of VertexKind::transform draws

  // Of captured frames: what their programs read.
  std::vector<FragmentProgram> programs;
  std::vector<CapturedTexture> captured_textures;
  std::vector<CapturedSampler> captured_samplers;
  std::vector<DrawInputs> inputs;  // of draws, at most one each
  std::vector<float> varyings;     // of integer types: their bits
  std::vector<uint32_t> uniforms;
  std::vector<std::byte> texture_data;

  std::vector<std::string> warnings;  // what the loader left out of a file, a line each

  uint64_t skipped_draws = 0, skipped_triangles = 0;  // draws that the capture could not record
  std::map<std::string, uint64_t> skipped_reasons;

  glm::vec3 light_direction{0.4f, 0.8f, 0.45f};  // towards the light, world space
};

// Primitives of one instance of a draw before restart indices are considered (an upper bound with them).
uint64_t primitive_count(Topology topology, uint64_t elements);

// Primitives of one instance of `draw`, restart indices taken into account.
uint64_t primitive_count(const Frame& frame, const DrawCommand& draw);

// Triangles that the frame submits over all draws, instances and views (lines and points excluded).
uint64_t triangle_count(const Frame& frame);

// The target that most submitted triangles go to, which `render` shows by default.
uint32_t main_target(const Frame& frame);

// Checks every index, size and value of the frame. Throws std::runtime_error naming command and field.
void validate(const Frame& frame);

}  // namespace brokkr
#pragma GCC visibility pop
