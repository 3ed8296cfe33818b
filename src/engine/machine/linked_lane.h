// The lane types of CUDA in shaders that are compiled while the program runs, by NVRTC: those of the kernel that they
// are linked into, and masks of mask operations.
#pragma once

#include "machine/cuda_warp.h"

#define BROKKR_EXPORTED __device__

BROKKR_MACHINE_BEGIN

// A lane's bit of a mask: operators of bits, of which ~ differs from that of a bool.
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
