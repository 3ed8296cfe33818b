// A frame as input of the pipeline: targets, views, states, materials and commands, all plain data.
//
// Loaders (brokkr/load.h) produce a Frame; `validate` checks every index in it before the pipeline uses one.
// Conventions are OpenGL's: clip space is -w <= x, y, z <= w; the origin of viewport, scissor and image rows is at the
// bottom left; front faces are counter-clockwise by default.
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

// Positions and matrices are passed on in their memory layout.
static_assert(sizeof(glm::vec4) == 16 && alignof(glm::vec4) == 4 && sizeof(glm::vec3) == 12 && sizeof(glm::mat4) == 64,
              "brokkr needs GLM's packed types: build without GLM_FORCE_DEFAULT_ALIGNED_GENTYPES");

// Limits of every Frame. `validate` checks them, and the pipeline's fixed-point setup relies on them.
inline constexpr int kMaxTargetSize = 16384;    // pixels per side; 1/256-pixel coordinates then fit 23 bits
inline constexpr int kMaxTargetLayers = 65536;  // layers of one target
inline constexpr uint64_t kMaxTargetPixels = uint64_t(1) << 31;  // pixels of all layers of one target

// In pixels; the origin is at the bottom left.
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

// The destination of one draw buffer, if there are several.
struct DrawBuffer {
  int plane = 0;  // index of the target's colour; -1: none
  std::optional<BlendState> blend;
  std::array<bool, 4> color_mask{true, true, true, true};
  bool operator==(const DrawBuffer&) const = default;
};

// The fixed-function state of a draw. It is data, and may change with every draw.
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
  // Replaces blending, in all draw buffers. Formats of floats, and sRGB formats that encode, then hold the source.
  std::optional<LogicOp> logic_op;
  std::array<bool, 4> color_mask{true, true, true, true};
  std::optional<AlphaTest> alpha_test;
  std::optional<StencilState> stencil;
  // Only for captured draws, for their programs. If `buffers` is empty, the only draw buffer is the target's first
  // colour, with `blend` and `color_mask`.
  std::vector<DrawBuffer> buffers;
  bool framebuffer_srgb = false;  // colours are encoded if the target's format is sRGB
  bool flat_shading = false;      // applies to the built-in colours
  bool point_sprites = false;     // points are squares of any size; otherwise, their size is a whole number of pixels
  int coord_replace = 0;          // bit i: gl_PointCoord replaces gl_TexCoord[i] of points
  bool point_origin_low = false;  // gl_PointCoord starts at the lower edge
  bool smooth_lines = false;      // alpha fades towards the edges of lines
  // In pixels. If the draw's program has the varying gl_PointSize, it determines the size of each point.
  float line_width = 1, point_size = 1;
  // Only for targets with several samples a pixel.
  bool one_sample = false;         // pixels are covered at their centres, as a whole
  bool sample_shading = false;     // the program runs for each sample, and all its inputs are those of the sample
  bool alpha_to_coverage = false;  // sample i is drawn if the first colour's alpha is larger than i / samples
  bool alpha_to_one = false;       // the alpha of all colours is then 1
  int sample_mask = 0xff;          // bit i: sample i is drawn
  bool operator==(const State&) const = default;
};

// A render target: colour, D32F depth and 8-bit stencil, with `layers` layers. `id` is its name in the file.
struct Target {
  int id = 0;
  int width = 0, height = 0, layers = 1;
  ColorFormat format = ColorFormat::rgba8;
  // The colours that the application had, in captured frames. Brokkr draws into `format`. Empty if they are unknown.
  std::vector<TargetColor> colors;  // by TargetPlane, at most kMaxColorPlanes
  std::optional<TexelFormat> depth, stencil;
  int samples = 1;  // coverage samples of a pixel: 1, 2, 4 or 8. RenderOptions::samples raises a smaller number
  bool mirrored_samples = false;  // the samples' positions are upside down within the pixel, as in Mesa's windows
};

// A target layer that draws go to, and the camera of these draws (unused by clip-space draws).
struct View {
  uint32_t target = 0;  // index into Frame::targets
  uint32_t layer = 0;
  glm::mat4 view_projection{1.0f};  // world -> clip
  glm::vec3 eye{0.0f};              // world-space camera position
};

// The way that a vertex's clip-space position is computed.
enum class VertexKind : uint8_t {
  clip_space,  // positions are in clip space (captured frames); each instance has its own positions
  transform,   // clip = view_projection * model * position
};

// Effects of the application's own shader that a clip-space replay cannot reproduce, and differences of conventions.
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
  uint32_t first_view = 0, view_count = 1;  // range of Frame::views; the draw is repeated for each view in turn
  uint32_t state = 0;                       // index into Frame::states
  uint32_t material = 0;                    // index into Frame::materials
  Topology topology = Topology::triangles;
  VertexKind vertex_kind = VertexKind::clip_space;
  bool indexed = false;
  bool restart = false;  // index 0xFFFFFFFF restarts a strip or fan
  uint32_t flags = 0;    // DrawFlag bits
  uint32_t instances = 1;
  uint64_t first_index = 0;     // into Frame::indices; values are relative to first_vertex
  uint32_t element_count = 0;   // indices of one instance, or vertices of a draw without indices
  uint64_t first_vertex = 0;    // into Frame::positions (and the other attribute arrays)
  uint32_t vertex_count = 0;    // vertices per instance
  uint32_t first_instance = 0;  // into Frame::models, VertexKind::transform only
  std::string label;
  int32_t inputs = -1;  // index into Frame::inputs; -1: the draw's program is unknown
  // Index into Frame::vertex_inputs; shade_vertices then computes the draw's positions and varyings, and the draw is
  // clip_space. -1: the frame holds positions and varyings.
  int32_t vertices = -1;
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
  Rect source, destination;   // nearest sampling if sizes differ; negative extents mirror
  bool color = true, depth = false, stencil = false;
};

// The following commands occur only in captured frames, and prepare data that programs read. Renderings without
// programs ignore them.

// Initializes a plane with its content from before the frame, which is level 0 of a texture of the plane's size.
struct LoadCommand {
  uint32_t target = 0;  // index into Frame::targets
  TargetPlane plane = TargetPlane::color0;
  uint32_t texture = 0;  // index into Frame::captured_textures
};

// Generates a texture's levels after its base level from the base level.
struct GenerateMipsCommand {
  uint32_t texture = 0;  // index into Frame::captured_textures; its levels are planes of targets
};

// Copies a rectangle of a plane to another plane at (x, y), pixel by pixel.
struct CopyCommand {
  uint32_t from = 0, to = 0;  // indices into Frame::targets
  TargetPlane from_plane = TargetPlane::color0, to_plane = TargetPlane::color0;
  Rect source;
  int x = 0, y = 0;
};

using Command = std::variant<DrawCommand, ClearCommand, BlitCommand, LoadCommand, GenerateMipsCommand, CopyCommand>;

// The way that a texture is sampled between texels and beyond its edges.
struct Sampler {
  Wrap wrap_x = Wrap::repeat, wrap_y = Wrap::repeat;
  MipFilter mip = MipFilter::linear;
  bool magnify_linear = true, minify_linear = true;  // false: the nearest texel
  bool operator==(const Sampler&) const = default;
};

// RGBA8, rows from bottom to top. The pipeline generates the full mip chain when it prepares the frame.
struct Texture {
  std::string name;
  int width = 0, height = 0;
  bool srgb = true;
  std::vector<uint32_t> texels;  // 0xAABBGGRR, width * height
  Sampler sampler;
};

// A material samples a texture at linear * (u, v) + offset.
struct TextureMapping {
  uint32_t set = 0;        // (u, v) comes from Frame::texcoords (0) or Frame::second_texcoords (1)
  glm::mat2 linear{1.0f};  // column by column
  glm::vec2 offset{0.0f};
  bool operator==(const TextureMapping&) const = default;
};

enum class MaterialKind : uint8_t {
  none,                // captured draw: a shading mode determines how it is shown
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

  // Only for metallic_roughness, whose base colour is `diffuse` times the vertex colour. Textures multiply these
  // factors: roughness is in the green channel of its texture, metalness in the blue channel. Normal maps are in the
  // tangent space of their coordinates. An occlusion texture's red channel is the visible part of the ambient light.
  float metallic = 0, roughness = 1;  // 0..1
  float normal_scale = 1;             // scales x and y of the normal map
  float occlusion_strength = 1;       // 0..1; 0: the occlusion texture has no effect
  int metallic_roughness_texture = -1, normal_texture = -1, emission_texture = -1, occlusion_texture = -1;
  TextureMapping diffuse_mapping, metallic_roughness_mapping, normal_mapping, emission_mapping, occlusion_mapping;
  bool unlit = false;  // the base colour is the final colour

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

// The content of `target` in the application's own driver immediately before command `before`.
struct Reference {
  uint32_t target = 0;              // index into Frame::targets
  uint32_t before = 0;              // command index; Frame::commands.size(): at the end of the frame
  std::vector<uint8_t> color_file;  // the picture as a file: PNG, or JPEG in older captures; may be empty
  int depth_width = 0, depth_height = 0;
  std::vector<float> depth;  // window depth, rows bottom to top; may be empty
};

struct Frame {
  std::string application, generator, license, source;  // source: the file that the frame came from
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
  std::vector<glm::vec2> second_texcoords;  // empty, or one per position; for metallic_roughness
  std::vector<glm::vec4> colors;  // empty, or one per position: linear light and alpha; for metallic_roughness
  std::vector<glm::mat4> models;  // per instance of VertexKind::transform draws

  // Only for captured frames: the data that their programs read.
  std::vector<FragmentProgram> programs;
  std::vector<CapturedTexture> captured_textures;
  std::vector<CapturedSampler> captured_samplers;
  std::vector<DrawInputs> inputs;  // of draws, at most one entry per draw
  std::vector<float> varyings;     // integer types are stored as their bits
  std::vector<uint32_t> uniforms;
  std::vector<std::byte> texture_data;

  // Only for frames with vertex programs (brokkr/vertex_stage.h).
  std::vector<VertexProgram> vertex_programs;
  std::vector<VertexInputs> vertex_inputs;
  std::vector<uint32_t> attributes;

  std::vector<std::string> warnings;  // parts of a file that the loader ignored, one line each

  uint64_t skipped_draws = 0, skipped_triangles = 0;  // draws that the capture could not record
  std::map<std::string, uint64_t> skipped_reasons;

  glm::vec3 light_direction{0.4f, 0.8f, 0.45f};  // towards the light, world space
};

// The primitives of one instance of a draw without restart indices. With restart indices, this is an upper bound.
uint64_t primitive_count(Topology topology, uint64_t elements);

// The primitives of one instance of `draw`, taking restart indices into account.
uint64_t primitive_count(const Frame& frame, const DrawCommand& draw);

// The triangles that the frame submits in all draws, instances and views, without lines and points.
uint64_t triangle_count(const Frame& frame);

// The index of the target that receives the most submitted triangles; `render` shows it by default.
uint32_t main_target(const Frame& frame);

// Checks every index, size and value of the frame. Throws std::runtime_error; the message names command and field.
void validate(const Frame& frame);

}  // namespace brokkr
#pragma GCC visibility pop
