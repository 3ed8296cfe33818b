// What the path tracer reads and writes, as host and machines see it: plain data, pointers into a machine's memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace brokkr::trace {

// Which structure finds what a ray hits. All three find the same, to the bit.
enum class StructureKind : uint32_t { kd, grug, bvh };
// What is asked of a region before its next samples (path tracing of [Kerbl18, 5.4.2]).
enum class Metric : uint32_t { gain, contrast };

// Unset: no texture, no light.
inline constexpr uint32_t kNone = 0xffffffffu;

// A triangle: one corner and the two edges that leave it. Its hit test and all bounds are made of these floats alone.
struct TriangleRecord {
  float corner[3], edge1[3], edge2[3];
  uint32_t material;
};
inline constexpr int kTriangleWords = 10;
static_assert(sizeof(TriangleRecord) == kTriangleWords * 4);

// The corners' attributes, in the order of the triangle's corners: normals in world space, both sets of texture
// coordinates, linear colours.
struct CornerRecord {
  float normal[3], texcoord[2], second[2], color[4];
};
inline constexpr int kCornerWords = 11;
static_assert(sizeof(CornerRecord) == kCornerWords * 4);

struct MappingRecord {
  float linear[4] = {1, 0, 0, 1}, offset[2] = {0, 0};
  uint32_t set = 0, texture = kNone;
};
inline constexpr int kMappingWords = 8;
struct MaterialRecord {
  float base[3], specular[3];  // diffuse or base colour, and the reflectance along the normal where metallic < 0
  float emission[3];
  float metallic;        // -1: `specular` holds; else 0.04 and the base colour are mixed
  float roughness;       // 0..1; its square is GGX's alpha
  float opacity;         // 0..1, times that of textures and colours
  float alpha_cutoff;    // > 0: below it, there is nothing; 0: `opacity` is the part of the rays that meet something
  float light_density;   // luminance of the emission over that of all lights, per unit of area; 0: not in their list
  uint32_t reads_alpha;  // 0: opaque
  uint32_t padding;
  MappingRecord diffuse, metal_rough, emissive, alpha;
};
inline constexpr int kMaterialWords = 16 + 4 * kMappingWords;
static_assert(sizeof(MaterialRecord) == kMaterialWords * 4);
// Where its fields are, in words.
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

// Lights: triangles that emit, with the sums of their power up to and with each, the last of which is 1.
struct LightRecord {
  uint32_t triangle;
  float sum;
};

// Inner nodes of the kd-tree and of GrUG's trees. `link`: the axis of the split in the two lowest bits, 3 for a leaf;
// above, the number of the lower child, which its sibling follows, or a leaf's count of primitives.
struct KdNode {
  uint32_t value;  // the split's float; of a leaf, where its primitives begin in the list
  uint32_t link;
};
// The two children of a node of the BVH. Child: bit 31: a leaf, with its count in bits 27..30 and its first place in
// the list below; else a node.
struct BvhNode {
  float low0[3], high0[3], low1[3], high1[3];
  uint32_t child[2];
};
inline constexpr int kBvhWords = 14;
static_assert(sizeof(BvhNode) == kBvhWords * 4);
inline constexpr uint32_t kBvhLeaf = 1u << 31;
inline constexpr int kMostBvhLeaf = 8;
// The same with eight children to a node, of which the lanes of a warp test one each, and with leaves of one block of
// triangles each. Rows of planes: low and high of x, of y, of z. Children that a node lacks are met by no ray.
inline constexpr int kWide = 8;
struct WideNode {
  float planes[6][kWide];
  uint32_t child[kWide];  // as BvhNode's, with the number of the leaf's block in the place of its first place
};
// Triangles of a leaf in ascending order, side by side: rows of corner, edge1 and edge2. Those that it lacks have edges
// of length 0, which nothing hits.
struct TriangleBlock {
  float words[9][kWide];
  uint32_t primitive[kWide];
};
// A group of GrUG's cells: a threshold node of the tree, or empty space. Cells low .. high, both inside.
struct GrugGroup {
  uint32_t root;       // a KdNode; kNone: nothing is here
  uint32_t low, high;  // x | y << 10 | z << 20
};

struct SceneTables {
  const TriangleRecord* triangles = nullptr;
  const CornerRecord* corners = nullptr;  // [3 * triangles]
  const MaterialRecord* materials = nullptr;
  const TextureRecord* textures = nullptr;
  const uint32_t* texels = nullptr;
  const float* linear = nullptr;  // [256]: linear light of an sRGB channel
  const LightRecord* lights = nullptr;
  uint32_t light_count = 0;
  float sky[3] = {0, 0, 0};                         // radiance from everywhere
  float sun[3] = {0, 0, 0}, to_sun[3] = {0, 1, 0};  // irradiance of a surface that faces it
  float low[3] = {0, 0, 0}, high[3] = {0, 0, 0};    // a box around all that can be hit
  float tolerance = 0;  // by which bounds are wider than what they bound; half of it in the hit test
  bool all_opaque = true;

  StructureKind structure = StructureKind::bvh;
  const uint32_t* places = nullptr;  // primitives of leaves
  const KdNode* kd = nullptr;        // node 0 is the kd-tree's root
  const BvhNode* bvh = nullptr;
  const WideNode* wide = nullptr;         // in the place of bvh where a node has eight children
  const TriangleBlock* blocks = nullptr;  // its leaves
  uint32_t bvh_children = 2;
  const uint32_t* cells = nullptr;  // [grid^3] groups, x fastest
  const GrugGroup* groups = nullptr;
  uint32_t grid_bits = 0;
};

// A thin lens at `eye`: the ray of picture position (x, y), in pixels from the lower left corner, leads through eye +
// focus * (corner + x * right + y * up), from eye + aperture * (a * lens_x + b * lens_y).
struct LensRecord {
  float eye[3], corner[3], right[3], up[3], lens_x[3], lens_y[3];
  float focus = 1, aperture = 0;
};

inline constexpr int kRegion = 8;  // pixels a side
inline constexpr int kRegionPixels = kRegion * kRegion;
inline constexpr int kSamplesOfTask = 4;  // of each pixel
inline constexpr int kBuckets = 128;
// Planes of floats [regions * 64] that regions keep: sums of red, green, blue and of squared luminance, and the least
// and the most of each channel.
inline constexpr int kPlanes = 10;
inline constexpr int kStackEntries = 96;  // a lane's; each is three words

struct TraceCounters {
  uint64_t tasks, segments, shadow_rays, steps, groups, tests;
};

struct TracePlan {
  SceneTables scene;
  LensRecord lens;
  uint32_t width = 0, height = 0;  // pixels
  uint32_t regions_x = 0, regions = 0;
  uint32_t seed = 1, bounces = 8;
  uint32_t samples = 0;  // of a pixel at most; 0: any number
  uint32_t budget = 0;   // tasks of all regions after their first ones; 0: any number
  uint32_t adaptive = 0;
  Metric metric = Metric::gain;
  float low_error = 0, high_error = 1;  // of a region: the bounds of the buckets
  float* planes = nullptr;              // [kPlanes][regions * 64]
  uint32_t* counts = nullptr;           // [regions]: samples of each pixel
  float* errors = nullptr;              // [regions]: the last error
  uint32_t* begun = nullptr;            // tasks that asked for a part of the budget
  TraceCounters* counters = nullptr;
  uint32_t* stacks = nullptr;  // [warps][3 * kStackEntries][32]
  // The program's memory.
  void* memory = nullptr;
  uint32_t capacity = 0, resumed = 0;
  uint32_t *abort = nullptr, *pause = nullptr;
};

}  // namespace brokkr::trace
