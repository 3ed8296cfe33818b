// Logical operations in the form that the kernel reads: as terms of blending (three bytes, frame_tables.h) with an
// equation beyond those of BlendEquation.
#pragma once

#include <cstdint>

namespace brokkr {

// The third byte of a term: this plus a LogicOp.
inline constexpr uint8_t kFirstLogicEquation = 16;
// The first byte: the number of bits of the stored channel, 1 .. 32, plus one of these. Blending has no such factors.
inline constexpr uint8_t kLogicUnorm = 64;     // the colour 0 .. 1 stands for the codes
inline constexpr uint8_t kLogicInteger = 128;  // the colour's word is the code
inline constexpr uint8_t kLogicSnorm = 192;    // the colour -1 .. 1 stands for the codes, in two's complement
inline constexpr uint8_t kLogicBits = 63;

}  // namespace brokkr
