// Number types, and handlers by the type that an instruction names.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ptx/lanes.h"
#include "ptx/operations.h"

namespace brokkr::ptx {

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>  // types for which the standard library has functions
using Wider = std::conditional_t<std::is_same_v<T, Half>, float, T>;
template <class T>
constexpr int kBits = int(sizeof(T)) * 8;

template <class F>
Handler for_integer(Type t, F&& f) {
  switch (t) {
    case Type::b16:
    case Type::u16: return f(uint16_t());
    case Type::s16: return f(int16_t());
    case Type::b32:
    case Type::u32: return f(uint32_t());
    case Type::s32: return f(int32_t());
    case Type::b64:
    case Type::u64: return f(uint64_t());
    case Type::s64: return f(int64_t());
    default: return nullptr;
  }
}
template <class F>
Handler for_bits(Type t, F&& f) {
  switch (bytes_of(t)) {
    case 2: return f(uint16_t());
    case 4: return f(uint32_t());
    case 8: return f(uint64_t());
    default: return nullptr;
  }
}

template <class F>
Handler for_small(Type t, F&& f) {
  if (t == Type::u8 || t == Type::b8) return f(uint8_t());
  if (t == Type::s8) return f(int8_t());
  return for_integer(t, f);
}
template <class F>
Handler for_float(Type t, F&& f) {
  if (t == Type::f16) return f(Half());
  if (t == Type::f32) return f(float());
  if (t == Type::f64) return f(double());
  return nullptr;
}

}  // namespace brokkr::ptx
