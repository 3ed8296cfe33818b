// A frame in the form that the kernel reads: flat tables that the host makes once per frame (plan/prepare.h). They are
// plain data, the same on every machine; pointers refer to host memory or to GPU memory.
//
// Batch        32 triangles of one run; numbered over the whole frame in submission order
// Run          the batches of one instance of one draw in one view
// Primitive id batch * 32 + triangle within the batch: 32 bits, in submission order
// Phase        consecutive batches that a rasterizer handles in one way, or a clear, a blit, a publication of a plane
#pragma once

#include <cstdint>

#include "frame/texture_tables.h"
#include "machine/table_pointer.h"

namespace brokkr {

inline constexpr uint32_t kBatchTriangles = 32;
inline constexpr uint32_t kNoPrimitive = 0xffffffffu;
inline constexpr uint32_t kNoProgram = 0xffffffffu;
inline constexpr uint32_t kEveryTarget = 0xffffffffu;
inline constexpr uint32_t kMaxBatches = 0x07ffffffu;     // primitive ids end below kNoPrimitive
inline constexpr uint32_t kMaxFrameVertices = 1u << 29;  // gathers compute float indices of vec4 arrays in 31 bits

enum class Assembly : uint8_t { list, strip, fan };

// The elements of a triangle, by number within the draw, in submission order. They keep the winding.
constexpr void triangle_elements(Assembly assembly, uint32_t triangle, uint32_t (&element)[3]) {
  const uint32_t odd = assembly == Assembly::strip ? triangle & 1u : 0u;
  const uint32_t start = assembly == Assembly::list ? 3 * triangle : triangle;
  element[0] = assembly == Assembly::fan ? 0u : start + odd;
  element[1] = start + 1 - odd;
  element[2] = start + 2;
}

// Bits of DrawRecord::bits.
enum DrawBit : uint32_t {
  kDrawIndexed = 1u << 0,
  kDrawTransform = 1u << 1,  // positions are object space: clip = view_projection * model * position
  kDrawDepthTest = 1u << 2,
  kDrawDepthWrite = 1u << 3,
  kDrawDepthClamp = 1u << 4,
  kDrawZeroToOne = 1u << 5,
  kDrawCullFront = 1u << 6,
  kDrawCullBack = 1u << 7,
  kDrawFrontClockwise = 1u << 8,
  kDrawBlend = 1u << 9,  // blending, or a logical operation, reads the old colour
  kDrawStencil = 1u << 10,
  kDrawPolygonOffset = 1u << 11,
  kDrawAlphaTest = 1u << 12,  // evaluated only if a material provides alpha
  kDrawMaterial = 1u << 13,   // has normals, texture coordinates and a material
  // The draw is captured and blended. Shading modes that show identifiers draw it with partial opacity.
  kDrawSeeThrough = 1u << 14,
  kDrawInside = 1u << 15,    // no triangle needs clipping (plan/prepare.h)
  kDrawTopEdges = 1u << 16,  // horizontal top edges own the samples on them; bottom edges do not
  // Pixels of several samples are covered at their centres, as a whole. Bit kDrawSkippedSamples + i: sample i is not
  // drawn.
  kDrawOneSample = 1u << 17,
  kDrawMirroredSamples = 1u << 18,  // the samples' positions are upside down within the pixel
  kDrawVertexProgram = 1u << 19,    // the geometry stage shades its vertices with DrawRecord::vertices
  kDrawSkippedSamples = 24,         // 8 bits from here on
};

struct DrawRecord {
  // Window x = (x / w) * scale[0] + offset[0]; y and z likewise.
  float scale[3], offset[3];
  int32_t rect[4];  // samples that the draw may touch: x0, y0, x1, y1 with x1, y1 excluded
  uint32_t bits;
  uint32_t command;
  uint32_t phase;
  uint32_t material;
  uint32_t program;   // index into ProgramTables::programs (shader/program_tables.h), or kNoProgram
  uint32_t vertices;  // index into VertexTables::records (shader/program_tables.h), or kNoProgram
  uint32_t first_index, first_vertex;
  uint32_t vertex_count;    // per instance
  uint32_t triangle_count;  // per instance
  uint32_t first_instance;  // index into FrameTables::models
  Assembly assembly;
  uint8_t depth_func;  // CompareFunc; `always` if the test is off
  uint8_t color_mask;  // bits 0..3: red, green, blue, alpha
  uint8_t stencil_func, stencil_ref, stencil_mask, stencil_write_mask;
  uint8_t stencil_ops[3];  // StencilOp: stencil fail, depth fail, pass
  uint8_t alpha_func;
  uint8_t reach;  // sample_reach of the targets that it draws to
  // source factor, destination factor, equation; or a logical operation (frame/logic_terms.h)
  uint8_t blend_color[3], blend_alpha[3];
  float alpha_ref;
  float blend_constant[4];
  float offset_factor, offset_units;
  float z_min, z_max;  // depths are clamped to this range: the depth range for depth-clamped draws, 0 .. 1 for others
};

struct RunRecord {
  uint32_t draw, view, instance;
  uint32_t first_batch;
};

// A batch that the host planned in advance for a reuse strategy (plan/reuse_plan.cpp). Planned batches are in the order
// of their triangles. Primitive ids do not depend on the strategy.
struct PlannedBatch {
  uint32_t run;
  uint32_t first_primitive;  // primitive id of its first triangle
  uint32_t first_chunk, chunks;
};

// At most 32 triangles, and the vertex shader runs, also at most 32, that precede them. Results are in numbered slots,
// which later chunks of the same batch may use.
struct ReuseChunk {
  uint32_t first_corner;  // index into FrameTables::chunk_corners
  uint32_t first_run;     // index into FrameTables::shade_vertex and shade_slot
  uint16_t triangles, runs;
};
inline constexpr uint32_t kReuseSlotCount = 128;

struct ViewRecord {
  float view_projection[16];  // column by column
  float eye[3];
  uint32_t target, layer;
};

// The kernel's form of brokkr::TextureMapping.
struct MappingRecord {
  float linear[4];  // column by column
  float offset[2];
  uint32_t set, moves;  // `moves` != 0: the coordinates are transformed
};

struct MaterialRecord {
  float diffuse[3], specular[3], emission[3], ambient[3];
  float shininess, opacity, alpha_cutoff;
  int32_t diffuse_texture, alpha_texture;  // -1: none
  uint32_t textured;                       // 1 if the material has any of the textures
  // Parameters of metallic_roughness. Blinn-Phong parameters are converted to these.
  float metallic, roughness, normal_scale, occlusion_strength;
  int32_t metallic_roughness_texture, normal_texture, emission_texture, occlusion_texture;  // -1: none
  uint32_t unlit, second_texcoords;  // second_texcoords: a mapping uses the second set
  MappingRecord diffuse_mapping, metallic_roughness_mapping, normal_mapping, emission_mapping, occlusion_mapping;
};

// A mip chain. Level l starts at first_texel[l] and has max(1, width >> l) x max(1, height >> l) texels.
inline constexpr int kMaxTextureLevels = 15;
// The content of a texel's word. root_opaque: square roots of linear light in 11, 11 and 10 bits, the first in the
// lowest bits, for sRGB textures whose alpha is 1 everywhere. root: the same in 8 bits each, with alpha. linear: 8 bits
// each, unchanged.
enum class TexelCode : uint32_t { linear, root, root_opaque };
// The kernel's form of brokkr::Sampler. `usual`: trilinear with repeat, as for most textures.
struct SamplerRecord {
  uint8_t usual;
  uint8_t wrap_x, wrap_y, mip;  // Wrap, MipFilter
  uint8_t magnify_nearest, minify_nearest;
};
struct TextureRecord {
  uint32_t width, height, levels;
  TexelCode code;
  SamplerRecord sampler;
  uint32_t first_texel[kMaxTextureLevels];
};

// load: a plane gets its content from before the frame. publish: a plane is copied to a level of a texture. mips: a
// level of a texture is generated from the previous level.
enum class PhaseKind : uint8_t { order_free, ordered, clear, blit, load, publish, mips, finish };

// The keys of an order-free phase; the smallest key wins. These bits determine which depth wins, and which primitive
// wins among equal depths.
enum KeyBit : uint8_t {
  kKeyGreater = 1u << 0,    // larger depth wins
  kKeyLastWins = 1u << 1,   // among equal depths the later primitive wins (lequal, gequal)
  kKeyDepthOnly = 1u << 2,  // the colour mask is empty
};

struct PhaseRecord {
  PhaseKind kind;
  uint8_t key_bits;
  uint32_t end_batch;  // the phase is complete when all batches before this one are complete
  uint8_t unread;      // publish: nothing has read the texture yet
  uint8_t again;       // publish: only regions whose colour has changed since the last time differ (kChanged)
  uint8_t sample;      // publish: number of the sample + 1; 0: the average of colours, and the depth of sample 0
  uint8_t joined;      // publish: the next phase, which is one too, awaits its copies
  // clear: the target; finish: the target whose clears must be written, or kEveryTarget
  uint32_t target;
  // PlaneBit. Ordered phases: the planes other than colours that their draws test or write. Finish: the planes whose
  // clears from the start of the frame are written too.
  uint32_t planes;
  uint64_t color;  // in the target's storage format
  float depth;
  uint32_t stencil;
  int32_t rect[4];  // clear: samples x0, y0, x1, y1; blit: destination
  // Only for blits.
  uint32_t source_target;
  int32_t source[4];  // x, y, width, height; negative extents flip
  int32_t destination[4];
  uint32_t gate;         // number among the frame's blits, publishes and mips
  uint32_t first_gate;   // the phase awaits the copies of gates first_gate .. gate
  uint8_t color_planes;  // order_free: one bit per colour plane that its draws write
  // The number of the colour for clear, blit, load, and publish with planes == kPlaneColor.
  uint32_t color_plane, source_plane;
  float clear_color[4];  // clear, for planes beyond the first
  // For publish, which copies from source_target, and for mips.
  uint32_t texture, level;        // mips: index into ProgramTables::textures
  uint32_t first_word, encoding;  // publish: index into FrameTables::sampled_texels; load: into ProgramTables::loads
  int32_t image_width, image_height;
};

enum PlaneBit : uint32_t { kPlaneColor = 1, kPlaneDepth = 2, kPlaneStencil = 4 };

// The numbers of a frame. A device gets all of them at once.
struct FrameNumbers {
  uint32_t batches, phase_count;  // with planned batches, `batches` is their number
  uint32_t vertex_work;           // additional multiply-adds of every vertex shader run
  uint32_t normal_maps;           // 1 if a material has a normal texture
  float light[3];                 // direction towards the light, unit length
};

struct FrameTables : FrameNumbers {
  TablePointer<const DrawRecord> draws;
  TablePointer<const RunRecord> runs;
  TablePointer<const uint32_t> batch_run;  // run of each batch
  TablePointer<const ViewRecord> views;
  TablePointer<const MaterialRecord> materials;
  TablePointer<const TextureRecord> textures;
  TablePointer<const uint32_t> texels;
  TablePointer<const SampledRecord> sampled;  // textures as samplers of captured programs read them
  TablePointer<uint32_t> sampled_texels;      // words; planes are copied into them during the frame
  TablePointer<const PhaseRecord> phases;
  TablePointer<const uint32_t> indices;
  TablePointer<const float> positions;         // x, y, z, w
  TablePointer<const float> normals;           // x, y, z
  TablePointer<const float> texcoords;         // u, v
  TablePointer<const float> second_texcoords;  // u, v; null if the frame has none
  TablePointer<const float> colors;            // red, green, blue, alpha; null if the frame has none
  TablePointer<const float> models;            // 16 floats each, column by column
  // each primitive's id in the whole frame; null unless this is a part of a frame
  TablePointer<const uint32_t> whole_ids;
  TablePointer<const PlannedBatch> planned;  // null without planned batches
  TablePointer<const ReuseChunk> chunks;
  // per triangle: the slots of its corners, 8 bits each, the first in the lowest
  TablePointer<const uint32_t> chunk_corners;
  TablePointer<const uint32_t> shade_vertex;  // per vertex shader run: its vertex, relative to the draw's first
  TablePointer<const uint32_t> shade_slot;    // per vertex shader run: the slot of its result
};

}  // namespace brokkr
