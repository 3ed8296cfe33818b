// The building blocks of a shader's C++ text (shader/print_cpp.cpp): a function op_NAME for each operation, which works
// on one vector of words. The formulas and functions are those of the interpreter (operations.def, lane_functions.h),
// so results are equal to the bit. VectorRun, the run, is in compiled_run.h for CPUs and in linked_run.h for CUDA.
#pragma once

#include "machine/machine.h"
#include "shade/lane_functions.h"
#include "shader/compiled_call.h"

BROKKR_MACHINE_BEGIN

using shader::CompiledCall;
using Word = Uint;

template <class T>
using Raw = std::conditional_t<std::is_same_v<T, Mask>, Mask, Uint>;
BROKKR_FN Uint raw(Uint a) { return a; }
BROKKR_FN Uint raw(Int a) { return as_uint(a); }
BROKKR_FN Uint raw(Float a) { return as_uint(a); }
BROKKR_FN Mask raw(Mask a) { return a; }
template <class T>
BROKKR_FN T as(Raw<T> a) {
  if constexpr (std::is_same_v<T, Float>) {
    return as_float(a);
  } else if constexpr (std::is_same_v<T, Int>) {
    return as_int(a);
  } else {
    return a;
  }
}

#define BROKKR_SHADER_OP1(name, R, A, ...) \
  BROKKR_FN Raw<R> op_##name(Raw<A> ra) {  \
    const A a = as<A>(ra);                 \
    return raw(R(__VA_ARGS__));            \
  }
#define BROKKR_SHADER_OP2(name, R, A, B, ...)        \
  BROKKR_FN Raw<R> op_##name(Raw<A> ra, Raw<B> rb) { \
    const A a = as<A>(ra);                           \
    const B b = as<B>(rb);                           \
    return raw(R(__VA_ARGS__));                      \
  }
#define BROKKR_SHADER_OP3(name, R, A, B, C, ...)                \
  BROKKR_FN Raw<R> op_##name(Raw<A> ra, Raw<B> rb, Raw<C> rc) { \
    const A a = as<A>(ra);                                      \
    const B b = as<B>(rb);                                      \
    const C c = as<C>(rc);                                      \
    return raw(R(__VA_ARGS__));                                 \
  }
#define BROKKR_SHADER_MASK1(name, ...)  \
  BROKKR_FN Mask op_##name(Mask ra) {   \
    const MaskBits a = ra.m;            \
    return Mask(MaskBits(__VA_ARGS__)); \
  }
#define BROKKR_SHADER_MASK2(name, ...)         \
  BROKKR_FN Mask op_##name(Mask ra, Mask rb) { \
    const MaskBits a = ra.m, b = rb.m;         \
    return Mask(MaskBits(__VA_ARGS__));        \
  }
#define BROKKR_SHADER_MASK3(name, ...)                  \
  BROKKR_FN Mask op_##name(Mask ra, Mask rb, Mask rc) { \
    const MaskBits a = ra.m, b = rb.m, c = rc.m;        \
    return Mask(MaskBits(__VA_ARGS__));                 \
  }
#include "shader/operations.def"

BROKKR_FN Uint op_reinterpret(Uint a) { return a; }
BROKKR_FN Uint op_set(Uint value, Mask m, Uint old) { return select(m, value, old); }
BROKKR_FN Mask op_mask_set(Mask value, Mask m, Mask old) { return op_mask_select(m, value, old); }

BROKKR_MACHINE_END
