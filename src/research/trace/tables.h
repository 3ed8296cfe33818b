// The path tracer's input and output, as host and machines see them: plain data with pointers into a machine's memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace brokkr::trace {

// The structure that finds ray hits. All three find the same hits, to the bit.
enum class StructureKind : uint32_t { kd, grug, bvh };
// The error metric that decides a region's turn (path tracing of [Kerbl18, 5.4.2]).
enum class Metric : uint32_t { gain, contrast };

// No texture, no light, or no primitive.
inline constexpr uint32_t kNone = 0xffffffffu;

// A triangle: one corner and the two edges from it. The hit test and all bounds use only these floats.
struct TriangleRecord {
  float corner[3], edge1[3], edge2[3];
  uint32_t material;
};
inline constexpr int kTriangleWords = 10;
static_assert(sizeof(TriangleRecord) == kTriangleWords * 4);
// Offsets of the fields of records, in words.
namespace triangle_word {
inline constexpr int kCorner = 0, kEdge1 = 3, kEdge2 = 6, kMaterial = 9;
static_assert(offsetof(TriangleRecord, edge1) == kEdge1 * 4 && offsetof(TriangleRecord, edge2) == kEdge2 * 4 &&
              offsetof(TriangleRecord, material) == kMaterial * 4);
}  // namespace triangle_word

// Attributes of the corners, in the triangle's order: normals in world space, both sets of texture coordinates, linear
// colours.
struct CornerRecord {
  float normal[3], texcoord[2], second[2], color[4];
};
inline constexpr int kCornerWords = 11;
static_assert(sizeof(CornerRecord) == kCornerWords * 4);
namespace corner_word {
inline constexpr int kNormal = 0, kTexcoord = 3, kSecond = 5, kColor = 7;
static_assert(offsetof(CornerRecord, texcoord) == kTexcoord * 4 && offsetof(CornerRecord, second) == kSecond * 4 &&
              offsetof(CornerRecord, color) == kColor * 4);
}  // namespace corner_word

struct MappingRecord {
  float linear[4] = {1, 0, 0, 1}, offset[2] = {0, 0};
  uint32_t set = 0, texture = kNone;
};
inline constexpr int kMappingWords = 8;
namespace mapping_word {
inline constexpr int kLinear = 0, kOffset = 4, kSet = 6, kTexture = 7;
static_assert(offsetof(MappingRecord, offset) == kOffset * 4 && offsetof(MappingRecord, set) == kSet * 4 &&
              offsetof(MappingRecord, texture) == kTexture * 4 && sizeof(MappingRecord) == kMappingWords * 4);
}  // namespace mapping_word
struct MaterialRecord {
  float base[3], specular[3];  // diffuse or base colour, and the reflectance along the normal if metallic < 0
  float emission[3];
  float metallic;   // -1: use `specular`; otherwise a mix of 0.04 and the base colour
  float roughness;  // 0..1; its square is GGX's alpha
  float opacity;    // 0..1, to be multiplied by the opacity of textures and colours
  // > 0: surfaces with lower opacity are absent; 0: `opacity` is the fraction of rays that hit the surface
  float alpha_cutoff;
  // luminance of the emission divided by that of all lights, per unit area; 0: not sampled as a light
  float light_density;
  uint32_t reads_alpha;  // 0: opaque
  uint32_t padding;
  MappingRecord diffuse, metal_rough, emissive, alpha;
};
inline constexpr int kMaterialWords = 16 + 4 * kMappingWords;
static_assert(sizeof(MaterialRecord) == kMaterialWords * 4);
namespace material_word {
inline constexpr int kBase = 0, kSpecular = 3, kEmission = 6, kMetallic = 9, kRoughness = 10, kOpacity = 11,
                     kCutoff = 12, kLightDensity = 13, kReadsAlpha = 14, kDiffuseMapping = 16, kMetalMapping = 24,
                     kEmissionMapping = 32, kAlphaMapping = 40;
static_assert(offsetof(MaterialRecord, emission) == kEmission * 4 &&
              offsetof(MaterialRecord, opacity) == kOpacity * 4 &&
              offsetof(MaterialRecord, light_density) == kLightDensity * 4 &&
              offsetof(MaterialRecord, reads_alpha) == kReadsAlpha * 4 &&
              offsetof(MaterialRecord, diffuse) == kDiffuseMapping * 4 &&
              offsetof(MaterialRecord, alpha) == kAlphaMapping * 4);
}  // namespace material_word

struct TextureRecord {
  uint32_t first, width, height, wrap_x, wrap_y, srgb;
};
inline constexpr int kTextureWords = 6;
namespace texture_word {
inline constexpr int kFirst = 0, kWidth = 1, kHeight = 2, kWrapX = 3, kWrapY = 4, kSrgb = 5;
static_assert(offsetof(TextureRecord, width) == kWidth * 4 && offsetof(TextureRecord, wrap_x) == kWrapX * 4 &&
              offsetof(TextureRecord, srgb) == kSrgb * 4 && sizeof(TextureRecord) == kTextureWords * 4);
}  // namespace texture_word

// Lights: emitting triangles with the cumulative sums of their power; the last sum is 1.
struct LightRecord {
  uint32_t triangle;
  float sum;
};
inline constexpr int kLightWords = 2;
namespace light_word {
inline constexpr int kTriangle = 0, kSum = 1;
static_assert(offsetof(LightRecord, sum) == kSum * 4 && sizeof(LightRecord) == kLightWords * 4);
}  // namespace light_word

// Nodes of the kd-tree and of GrUG's trees. `link`: the two lowest bits are the split axis, or 3 for a leaf; the bits
// above are the index of the lower child, followed by its sibling, or a leaf's number of primitives.
struct KdNode {
  uint32_t value;  // the split position as a float; for a leaf, the start of its primitives in the list
  uint32_t link;
};
inline constexpr int kKdWords = 2;
namespace kd_word {
inline constexpr int kValue = 0, kLink = 1;
static_assert(offsetof(KdNode, link) == kLink * 4 && sizeof(KdNode) == kKdWords * 4);
}  // namespace kd_word
// The two children of a BVH node. If bit 31 of `child` is set, it is a leaf, with its count in bits 27..30 and its
// first index in the list below; otherwise it is a node.
struct BvhNode {
  float low0[3], high0[3], low1[3], high1[3];
  uint32_t child[2];
};
inline constexpr int kBvhWords = 14;
static_assert(sizeof(BvhNode) == kBvhWords * 4);
namespace bvh_word {
inline constexpr int kLow0 = 0, kHigh0 = 3, kLow1 = 6, kHigh1 = 9, kChild = 12;
static_assert(offsetof(BvhNode, high0) == kHigh0 * 4 && offsetof(BvhNode, low1) == kLow1 * 4 &&
              offsetof(BvhNode, high1) == kHigh1 * 4 && offsetof(BvhNode, child) == kChild * 4);
}  // namespace bvh_word
inline constexpr uint32_t kBvhLeaf = 1u << 31;
inline constexpr int kMaxBvhLeaf = 8;
// A node with eight children. One lane of a warp tests each child, and each leaf is one block of triangles. Rows of
// planes: low and high of x, of y, of z. No ray hits the planes of absent children.
inline constexpr int kWide = 8;
struct WideNode {
  float planes[6][kWide];
  uint32_t child[kWide];  // as in BvhNode, with a leaf's block number in place of its first index
};
// A leaf's triangles in ascending order, side by side: rows of corner, edge1 and edge2. Unused entries have edges of
// length 0, which no ray hits.
struct TriangleBlock {
  float words[9][kWide];
  uint32_t primitive[kWide];
};
// A group of GrUG's cells: a node of the tree at the threshold, or empty space. Cells low .. high, both inclusive.
struct GrugGroup {
  uint32_t root;       // a KdNode; kNone: the group is empty
  uint32_t low, high;  // x | y << 10 | z << 20
};
inline constexpr int kGroupWords = 3;
namespace group_word {
inline constexpr int kRoot = 0, kLow = 1, kHigh = 2;
static_assert(offsetof(GrugGroup, low) == kLow * 4 && offsetof(GrugGroup, high) == kHigh * 4 &&
              sizeof(GrugGroup) == kGroupWords * 4);
}  // namespace group_word

struct SceneTables {
  const TriangleRecord* triangles = nullptr;
  const CornerRecord* corners = nullptr;  // [3 * triangles]
  const MaterialRecord* materials = nullptr;
  const TextureRecord* textures = nullptr;
  const uint32_t* texels = nullptr;
  const float* linear = nullptr;  // [256]: linear light of an sRGB channel
  const LightRecord* lights = nullptr;
  uint32_t light_count = 0;
  float sky[3] = {0, 0, 0};                         // radiance of the environment
  float sun[3] = {0, 0, 0}, to_sun[3] = {0, 1, 0};  // irradiance of a surface that faces the sun
  float low[3] = {0, 0, 0}, high[3] = {0, 0, 0};    // box around everything that can be hit
  float tolerance = 0;  // structures' bounds exceed their content by this; the hit test uses half of it
  bool all_opaque = true;

  StructureKind structure = StructureKind::bvh;
  const uint32_t* places = nullptr;  // primitives of leaves
  const KdNode* kd = nullptr;        // node 0 is the kd-tree's root
  const BvhNode* bvh = nullptr;
  const WideNode* wide = nullptr;         // replaces bvh if nodes have eight children
  const TriangleBlock* blocks = nullptr;  // the leaves of `wide`
  uint32_t bvh_children = 2;
  const uint32_t* cells = nullptr;  // [grid^3] groups, x fastest
  const GrugGroup* groups = nullptr;
  uint32_t grid_bits = 0;
};

// A thin lens at `eye`. The ray for picture position (x, y), in pixels from the lower left corner, goes from eye +
// aperture * (a * lens_x + b * lens_y) through eye + focus * (corner + x * right + y * up), where (a, b) is a point of
// the unit disk.
struct LensRecord {
  float eye[3], corner[3], right[3], up[3], lens_x[3], lens_y[3];
  float focus = 1, aperture = 0;
};

inline constexpr int kRegion = 8;  // pixels per side
inline constexpr int kRegionPixels = kRegion * kRegion;
inline constexpr int kSamplesOfTask = 4;  // per pixel
inline constexpr int kBuckets = 128;
// Planes of floats [regions * 64] for regions: sums of red, green, blue and squared luminance, then the minimum and the
// maximum of each channel.
namespace plane_number {
inline constexpr int kRed = 0, kGreen = 1, kBlue = 2, kSquares = 3, kMinColor = 4, kMaxColor = 5;
inline constexpr int kChannel = 2;  // from the extremes of a channel to those of the next
}  // namespace plane_number
inline constexpr int kPlanes = 10;
inline constexpr int kStackEntries = 96;  // per lane, three words each

struct TraceCounters {
  uint64_t tasks, segments, shadow_rays, steps, groups, tests;
};

struct TracePlan {
  SceneTables scene;
  LensRecord lens;
  uint32_t width = 0, height = 0;  // pixels
  uint32_t regions_x = 0, regions = 0;
  uint32_t seed = 1, bounces = 8;
  uint32_t samples = 0;  // maximum per pixel; 0: unlimited
  uint32_t budget = 0;   // tasks of all regions after their first ones; 0: unlimited
  uint32_t adaptive = 0;
  Metric metric = Metric::gain;
  float low_error = 0, high_error = 1;  // bounds of the buckets of regions
  float* planes = nullptr;              // [kPlanes][regions * 64]
  uint32_t* counts = nullptr;           // [regions]: samples per pixel
  float neighbors = 0;                  // part of a neighbour's error that counts as a region's own
  uint32_t* errors = nullptr;           // [regions]: the latest error of its own, in units of 2^-15
  uint32_t* begun = nullptr;            // number of tasks that have requested a part of the budget
  TraceCounters* counters = nullptr;
  uint32_t* stacks = nullptr;  // [warps][3 * kStackEntries][32]
  // The program's memory.
  void* memory = nullptr;
  uint32_t capacity = 0, resumed = 0;
  uint32_t *abort = nullptr, *pause = nullptr;
};

// The builds of the path tracer: one per CPU machine (trace/trace_kernel.cpp) and one for CUDA (trace/trace_kernel.cu).

// Offsets and sizes in the task program's memory, in bytes.
struct TraceMemory {
  size_t bytes = 0;    // total, zeroed before the first run
  size_t open_at = 0;  // offset of two words: the number of workers, then the number of open tasks
  // Adaptive sampling: two 64-bit words, namely the number of halvings of the upper error bound and the patience before
  // the next one (DecreasingPriorities).
  size_t halvings_at = 0, patience_at = 0;
};

// Like TaskKernel of a TaskMachine, but without its headers, whose code must not be compiled for a single instruction
// set.
struct TraceKernels {
  int width = 0;  // lanes per warp
  void (*on_cpu)(const TracePlan&, int warp) = nullptr;
  const void* on_gpu = nullptr;
  // capacity: per queue, a power of two in 4 .. 2^28.
  TraceMemory (*memory)(bool adaptive, uint32_t capacity, uint32_t workers) = nullptr;
};

const TraceKernels& cuda_trace_kernels();

}  // namespace brokkr::trace
