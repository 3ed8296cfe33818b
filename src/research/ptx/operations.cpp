#include "ptx/operations.h"

namespace brokkr::ptx {

Type type_named(std::string_view name) {
  constexpr Named<Type> kTypes[] = {{"pred", Type::pred}, {"b8", Type::b8},   {"u8", Type::u8},   {"s8", Type::s8},
                                    {"b16", Type::b16},   {"u16", Type::u16}, {"s16", Type::s16}, {"f16", Type::f16},
                                    {"b32", Type::b32},   {"u32", Type::u32}, {"s32", Type::s32}, {"f32", Type::f32},
                                    {"b64", Type::b64},   {"u64", Type::u64}, {"s64", Type::s64}, {"f64", Type::f64},
                                    {"b128", Type::b128}};
  return find(kTypes, name);
}

uint8_t rounding_mode(const Rounding& r) {
  return uint8_t(r.mode | int(r.flush) << 2 | int(r.saturate) << 3 | int(r.integer) << 4);
}

}  // namespace brokkr::ptx
