// CUDA's lane types in shaders that NVRTC compiles at run time. They are the types of the kernel that the shaders are
// linked into, plus masks for mask operations.
#pragma once

#include "machine/cuda_warp.h"

#define BROKKR_EXPORTED __device__

BROKKR_MACHINE_BEGIN

// A lane's bit of a mask, with bitwise operators. Its ~ differs from that of a bool.
struct MaskBits {
  bool b;
  BROKKR_FN MaskBits(bool bit) : b(bit) {}
  BROKKR_FN friend MaskBits operator&(MaskBits x, MaskBits y) { return x.b && y.b; }
  BROKKR_FN friend MaskBits operator|(MaskBits x, MaskBits y) { return x.b || y.b; }
  BROKKR_FN friend MaskBits operator^(MaskBits x, MaskBits y) { return x.b != y.b; }
  BROKKR_FN MaskBits operator~() const { return !b; }
  BROKKR_FN operator bool() const { return b; }
};

BROKKR_FN bool any(Mask m) { return Warp::any(m); }

BROKKR_MACHINE_END
