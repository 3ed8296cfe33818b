// Operations and machine code of run-time shaders, shared by host and machines.
#pragma once

#include <cstdint>

#include "frame/texture_tables.h"
#include "shader/compiled_call.h"

namespace brokkr::shader {

// The operations of operations.def, and operations that are more than a function of their operands:
//
//   reinterpret  x             the bits of a word, as another kind
//   change_x, change_y  x m    difference of x to the next sample of the quad to the right or above; 0 if m lacks one
//                              of the two lanes
//   set, mask_set  v m         sets the lanes m of a cell to v
//   element  i                 cell number i of an array, where each lane has its own i; i is clamped to the array
//   set_element  i v m         sets that cell to v in lanes m
//   uniform_at  i              uniform word number i of an array, selected in the same way
//   detail  d …                the level of detail for the changes d of the coordinates; see SampleBit
//   sample  u v … m            a texture lookup; see SampleBit
//   texture_size  l            width, height and depth of a texture's level l, and the texture's number of levels
//   detail_levels  d           the level that is read for a level of detail, and the level of detail with its bias
//   discard  m                 discards lanes m, which go on as helpers of their quads
//   output  v                  makes v the shader's result number `extra`
//   begin_if m … end_if        runs if any lane of m is set
//   begin_loop m … repeat m    runs once if any lane of m is set, and again while any lane of repeat's m is set
enum class Op : uint16_t {
#define BROKKR_SHADER_OP1(name, ...) name,
#define BROKKR_SHADER_OP2(name, ...) name,
#define BROKKR_SHADER_OP3(name, ...) name,
#define BROKKR_SHADER_MASK1(name, ...) name,
#define BROKKR_SHADER_MASK2(name, ...) name,
#define BROKKR_SHADER_MASK3(name, ...) name,
#include "shader/operations.def"
  reinterpret,
  change_x,
  change_y,
  set,
  mask_set,
  element,
  set_element,
  uniform_at,
  detail,
  sample,
  texture_size,
  detail_levels,
  discard,
  output,
  begin_if,
  end_if,
  begin_loop,
  repeat,
};

constexpr bool asks_a_sampler(Op op) { return op >= Op::detail && op <= Op::detail_levels; }

// The bits of a lookup's `extra`: the sampler's number, kind and type, and the way it reads. A sample has these
// operands: the coordinates, a reference depth if it compares, a level of detail (except for gather), the lanes' mask,
// and, if has_changes, the coordinates' changes to the right, then those upwards. If gives_offset, an offset in texels
// (two integers) follows instead of the changes. A detail has these operands: the direction for cubes, then the
// coordinates' changes to the right, then those upwards.
enum SampleBit : uint32_t {
  kSamplerMask = 0xff,
  kSampleCompare = 1u << 8,
  kSampleFetch = 1u << 9,         // coordinates and level are integers that index texels and levels
  kSampleGather = 1u << 10,       // one channel of the four texels that a filter would read
  kSampleChannel = 11,            // 2 bits from here on: the channel of a gather
  kSampleKind = 13,               // 4 bits: TextureKind
  kSampleType = 17,               // 2 bits: SampledType
  kSampleOffset = 19,             // 3 times 4 bits: an offset in texels, -8 .. 7, for each coordinate
  kSampleOffsetGiven = 1u << 30,  // gather, which has no third coordinate: the offset is an operand
  kSampleOfQuad = 1u << 31,       // a quad uses the level of detail, and the changes, of one sample
  kDetailOfQuery = 1u << 9,       // the shader asks for the detail itself, whether or not a lookup depends on it
};
constexpr TextureKind kind_of_sample(uint32_t extra) { return TextureKind(extra >> kSampleKind & 15); }
constexpr SampledType type_of_sample(uint32_t extra) { return SampledType(extra >> kSampleType & 3); }
constexpr int channel_of_sample(uint32_t extra) { return int(extra >> kSampleChannel & 3); }
constexpr int offset_of_sample(uint32_t extra, int axis) {
  return int((extra >> (uint32_t(kSampleOffset) + 4 * uint32_t(axis)) & 15) ^ 8) - 8;
}
constexpr bool has_offset(uint32_t extra) { return (extra >> kSampleOffset & 0xfff) != 0; }

constexpr bool is_cube(TextureKind kind) { return kind == TextureKind::cube || kind == TextureKind::cube_array; }
constexpr bool is_array(TextureKind kind) { return kind >= TextureKind::one_array && kind <= TextureKind::cube_array; }
// The number of coordinates that vary over a level: 2 on a cube's face.
constexpr int axes_of(TextureKind kind) {
  if (kind == TextureKind::one || kind == TextureKind::one_array || kind == TextureKind::buffer) return 1;
  return kind == TextureKind::three ? 3 : 2;
}
// The number of coordinates that determine the level of detail: a cube's are a 3D direction.
constexpr int directions_of(TextureKind kind) { return is_cube(kind) ? 3 : axes_of(kind); }
constexpr int coordinates_of(TextureKind kind) { return directions_of(kind) + (is_array(kind) ? 1 : 0); }
// Returns true if a sample receives the changes of its coordinates, which anisotropic filtering needs. static: each
// instruction set has its own copy.
static constexpr bool has_changes(uint32_t extra) {
  const TextureKind kind = kind_of_sample(extra);
  return (extra & kSampleOfQuad) != 0 && (kind == TextureKind::two || kind == TextureKind::two_array);
}
static constexpr bool gives_offset(uint32_t extra) {
  return (extra & kSampleGather) != 0 && (extra & kSampleOffsetGiven) != 0;
}
// Returns true if a sampler may read the texture: kind and number type must match. Signed and unsigned integers may
// read each other's bits, which OpenGL does not define but drivers allow.
constexpr bool fits(SampledType sampler, SampledType texture) {
  return (sampler == SampledType::real) == (texture == SampledType::real);
}
constexpr bool fits(uint32_t extra, const SampledRecord& texture) {
  return kind_of_sample(extra) == texture.kind && fits(type_of_sample(extra), texture.type);
}

// Words of InputKind::sample: gl_SampleID, gl_SamplePosition, gl_SampleMaskIn, gl_NumSamples, and what
// interpolateAtCentroid and interpolateAtSample need: the centroid relative to the centre, and the positions of all
// samples, x and y, in 1/16 pixel, four bits each.
enum class SampleWord : uint8_t {
  number,
  position_x,
  position_y,
  mask,
  count,
  centroid_x,
  centroid_y,
  places_x,
  places_y
};

// The bits of a word in a pixel with one sample.
constexpr uint32_t word_of_one_sample(SampleWord word) {
  switch (word) {
    case SampleWord::position_x:
    case SampleWord::position_y: return 0x3f000000;  // 0.5
    case SampleWord::mask:
    case SampleWord::count: return 1;
    case SampleWord::places_x:
    case SampleWord::places_y: return 8;
    default: return 0;
  }
}

// Facts about the texture of a sample or a detail that are known before it runs (shader/simplify.h). A texture of one,
// two or three axes is bound, and the sample takes the path of usual textures (shade/texture_usual.h) with these
// parameters. 0: nothing is known.
enum KnownBit : uint16_t {
  kKnownUsual = 1u << 0,
  kKnownLight = 1u << 1,     // colours are encoded as sRGB
  kKnownRepeat = 2,          // one bit per axis from here on: repeat, otherwise clamp to edge
  kKnownMip = 4,             // 2 bits from here on: MipFilter; none if there is one level
  kKnownChannel = 6,         // 4 times 2 bits from here on: the stored channel that a channel reads
  kKnownTwo = 1u << 14,      // a texture of kind two; otherwise of another kind, which is plain
  kKnownNearest = 1u << 15,  // nearest filtering instead of linear; the other bits keep their meaning
  // A plain texture (shade/texture_plain.h), which is neither usual nor nearest. Bits 2 to 13 have this meaning:
  kKnownPlain = 1u << 1,
  kPlainEncoding = 2,  // 3 bits from here on: TexelEncoding; of a lookup that compares, which reads r32: CompareFunc
  kPlainMip = 5,       // 2 bits: like kKnownMip, or kMipOfRectangle
  kPlainWrap = 7,      // 2 times 3 bits: TextureWrap of an axis; the record has that of a third one
  kPlainLinear = 1u << 13,
};
constexpr bool is_known_plain(uint32_t known) {
  constexpr uint32_t kOther = kKnownUsual | kKnownNearest;
  return (known & (kOther | kKnownPlain)) == kKnownPlain;
}
// Takes the place of a plain texture's MipFilter if the texture is a rectangle, which has one level.
inline constexpr uint32_t kMipOfRectangle = 3;
// Returns true if a known plain texture is a rectangle, whose coordinates are in texels.
constexpr bool counts_texels(uint32_t known) { return (known >> kPlainMip & 3) == kMipOfRectangle; }
constexpr MipFilter mip_of_known(uint32_t known) { return MipFilter(known >> kKnownMip & 3); }

inline constexpr uint32_t kMaxSamplers = 32;
inline constexpr uint32_t kMaxLoopDepth = 32;

// An instruction of machine code: operation, register numbers, and `extra`: a jump target, a sampler, an output number,
// or an array length. Masks have separate registers.
struct CodeInstruction {
  Op op;
  uint16_t result[kMaxResults];
  uint16_t operand[kMaxOperands];
  union {
    uint16_t depth;  // loops: number of enclosing loops
    uint16_t known;  // sample or detail: KnownBit
  };
  uint32_t extra;
};
static_assert(sizeof(CodeInstruction) == 36);

}  // namespace brokkr::shader
