// Operations and machine code of run-time shaders: what host and machines share.
#pragma once

#include <cstdint>

#include "frame/texture_tables.h"
#include "shader/compiled_call.h"

namespace brokkr::shader {

// The operations of operations.def, and those that are more than a function of their operands:
//
//   reinterpret  x             the bits of a word as another kind
//   change_x, change_y  x m    difference of x to the next sample on the right, above, inside a quad; 0 where m lacks
//                              one of the two lanes
//   set, mask_set  v m         the lanes m of a cell become v
//   element  i                 cell number i, of each lane its own, of an array; i is clamped to the array
//   set_element  i v m         the same cell becomes v in lanes m
//   uniform_at  i              the same of uniform words
//   detail  d …                the level of detail of coordinates that change so; see SampleBit
//   sample  u v … m            a texture; see SampleBit
//   texture_size  l            width, height and depth of a texture's level l, and how many levels it has
//   detail_levels  d           the level that is read for a level of detail, and the level of detail with its bias
//   discard  m                 lanes m are discarded; they go on as helpers of their quads
//   output  v                  v is the shader's result number `extra`
//   begin_if m … end_if        runs where any lane of m is set
//   begin_loop m … repeat m    runs once where any lane of m is set, and again while any lane of repeat's m is
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

// What `extra` of a lookup says: the sampler's number, kind and numbers, and how it reads. Operands of a sample are the
// coordinates, a reference depth where it compares, a level of detail (but to gather), the lanes' mask and, where
// has_changes, the changes of the coordinates to the right, then those upwards, or where gives_offset, an offset in
// texels, two whole numbers. Those of a detail are the direction for cubes, then the changes of the coordinates to the
// right, then those upwards.
enum SampleBit : uint32_t {
  kSamplerMask = 0xff,
  kSampleCompare = 1u << 8,
  kSampleFetch = 1u << 9,         // coordinates and the level are integers, and count texels and levels
  kSampleGather = 1u << 10,       // one channel of the four texels that a filter would read
  kSampleChannel = 11,            // 2 bits from here on: that channel
  kSampleKind = 13,               // 4 bits: TextureKind
  kSampleType = 17,               // 2 bits: SampledType
  kSampleOffset = 19,             // 3 times 4 bits: an offset in texels, -8 .. 7, of each coordinate
  kSampleOffsetGiven = 1u << 30,  // of a gather, which has no third coordinate's offset: operands are the offset
  kSampleOfQuad = 1u << 31,       // a quad has the level of detail, and the changes, of one sample
  kDetailOfQuery = 1u << 9,       // of a detail: the shader asks for it, whether a lookup depends on it or not
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
// Coordinates that vary over a level: 2 for what lies on a cube's face.
constexpr int axes_of(TextureKind kind) {
  if (kind == TextureKind::one || kind == TextureKind::one_array || kind == TextureKind::buffer) return 1;
  return kind == TextureKind::three ? 3 : 2;
}
// Coordinates that have a level of detail: a cube's are a direction.
constexpr int directions_of(TextureKind kind) { return is_cube(kind) ? 3 : axes_of(kind); }
constexpr int coordinates_of(TextureKind kind) { return directions_of(kind) + (is_array(kind) ? 1 : 0); }
// Whether a sample is told how its coordinates change: what anisotropy needs. static: each instruction set has its own.
static constexpr bool has_changes(uint32_t extra) {
  const TextureKind kind = kind_of_sample(extra);
  return (extra & kSampleOfQuad) != 0 && (kind == TextureKind::two || kind == TextureKind::two_array);
}
static constexpr bool gives_offset(uint32_t extra) {
  return (extra & kSampleGather) != 0 && (extra & kSampleOffsetGiven) != 0;
}
// Whether a lookup may read the texture: it is of the sampler's kind and has its numbers. Integers with a sign are read
// as those without one, by their bits, and the other way round: OpenGL leaves that open, and drivers do it.
constexpr bool fits(SampledType sampler, SampledType texture) {
  return (sampler == SampledType::real) == (texture == SampledType::real);
}
constexpr bool fits(uint32_t extra, const SampledRecord& texture) {
  return kind_of_sample(extra) == texture.kind && fits(type_of_sample(extra), texture.type);
}

// What is known of the texture of a sample or a detail before it runs (shader/fold_lookups.h): that it is there and of
// kind two, and that the sample goes by the path of usual textures (shade/texture_usual.h), and how. 0: nothing.
enum KnownBit : uint16_t {
  kKnownUsual = 1u << 0,
  kKnownLight = 1u << 1,  // colours are encoded as sRGB
  kKnownRepeat = 2,       // from here on a bit for each axis: repeated, else clamped to edges
  kKnownMip = 4,          // 2 bits from here on: MipFilter; none where there is one level
  kKnownChannel = 6,      // 4 times 2 bits from here on: the stored channel, where a channel is one
  kKnownTwo = 1u << 14,
  kKnownNearest = 1u << 15,  // a nearest texture, instead of a usual one; the other bits say how
};
constexpr MipFilter mip_of_known(uint32_t known) { return MipFilter(known >> kKnownMip & 3); }

inline constexpr uint32_t kMostSamplers = 32;
inline constexpr uint32_t kMostLoopDepth = 32;

// An instruction of machine code: operation, numbers of registers, and `extra`: the place that control jumps to, a
// sampler, the number of an output, or the length of an array. Masks have registers of their own.
struct CodeInstruction {
  Op op;
  uint16_t result[kMostResults];
  uint16_t operand[kMostOperands];
  union {
    uint16_t depth;  // of a loop: how many loops are around it
    uint16_t known;  // of a sample or a detail: KnownBit
  };
  uint32_t extra;
};
static_assert(sizeof(CodeInstruction) == 36);

}  // namespace brokkr::shader
