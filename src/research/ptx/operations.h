// Handlers of instructions, by operation and types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ptx/program.h"

namespace brokkr::ptx {

enum class Type : uint8_t {
  none,
  pred,
  b8,
  u8,
  s8,
  b16,
  u16,
  s16,
  f16,
  b32,
  u32,
  s32,
  f32,
  b64,
  u64,
  s64,
  f64,
  b128,
};
constexpr uint32_t bytes_of(Type t) {
  switch (t) {
    case Type::b8:
    case Type::u8:
    case Type::s8: return 1;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16: return 2;
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::f32: return 4;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64: return 8;
    case Type::b128: return 16;
    default: return 0;
  }
}
constexpr bool is_wide(Type t) { return bytes_of(t) == 8; }
constexpr bool is_float(Type t) { return t == Type::f16 || t == Type::f32 || t == Type::f64; }
Type type_named(std::string_view name);  // none if the name is not a type

// Tables of operations by name; unknown names give nullptr.
template <class T>
struct Named {
  std::string_view name;
  T value;
};
template <class T, size_t kCount>
constexpr T find(const Named<T> (&table)[kCount], std::string_view name) {
  for (const Named<T>& row : table) {
    if (row.name == name) return row.value;
  }
  return T();
}

// The rounding and modifiers of a floating-point instruction or a conversion.
struct Rounding {
  enum Mode : uint8_t { nearest, zero, down, up } mode = nearest;
  bool integer = false;   // .rni and similar
  bool flush = false;     // .ftz
  bool saturate = false;  // .sat
  bool approximate = false;
};

// Handlers; nullptr if the instruction is unsupported. Instruction::mode of a handler with non-default rounding is mode
// | flush << 2 | saturate << 3, as `rounding_mode` computes it.
uint8_t rounding_mode(const Rounding& r);
Handler unary_handler(std::string_view operation, Type t, const Rounding& r);
Handler binary_handler(std::string_view operation, Type t, const Rounding& r);
Handler ternary_handler(std::string_view operation, Type t, const Rounding& r);
Handler wide_handler(std::string_view operation, Type t);                                // mul.wide, mad.wide
Handler compare_handler(std::string_view comparison, std::string_view combine, Type t);  // setp
Handler select_handler(Type t);
Handler predicate_handler(std::string_view operation);
Handler convert_handler(Type to, Type from, const Rounding& r);
Handler resize_handler(Type to, Type from, bool wide_to, bool wide_from);  // integers in registers of other sizes
Handler special_handler(std::string_view operation, std::string_view mode, Type t);  // prmt, shf, lop3, bfi, ...
Handler move_handler(bool wide);
Handler pack_handler(size_t parts, bool wide_parts, bool wide, bool unpack);
Handler time_handler(bool wide, bool high);
Handler active_mask_handler();

// Bits of Instruction::mode for an access.
enum Order : uint8_t {
  kWeak = 0,
  kAcquire = 1,
  kRelease = 2,
  kStrong = 4,   // atomic: no race with other strong accesses
  kOfBlock = 8,  // .cta: atomic among threads of a block
};
Handler load_handler(Type t, bool wide_register, uint32_t parts, Space space, bool wide_address);
Handler store_handler(Type t, bool wide_register, uint32_t parts, Space space, bool wide_address);
Handler atomic_handler(std::string_view operation, Type t, Space space, bool wide_address);
Handler fence_handler();
Handler shared_address_handler(bool to_shared, bool wide);  // cvta, cvta.to
Handler is_space_handler(Space space);
Handler surface_store_handler();

}  // namespace brokkr::ptx
