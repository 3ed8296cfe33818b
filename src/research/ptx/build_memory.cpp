// Builds instructions that access memory or convert addresses.
#include "ptx/builder.h"

namespace brokkr::ptx {
namespace {

Space space_of(const Words& parts) {
  constexpr Named<Space> kSpaces[] = {{"global", Space::global},          {"shared", Space::shared},
                                      {"shared::cta", Space::shared},     {"local", Space::local},
                                      {"const", Space::constant},         {"param", Space::parameter},
                                      {"param::entry", Space::parameter}, {"param::func", Space::parameter}};
  for (const std::string_view& part : parts) {
    if (const Space space = find(kSpaces, part); space != Space::generic) return space;
  }
  return Space::generic;
}

// Order and scope of an access; atomics are always strong.
uint8_t order_of(const Words& parts, bool atomic) {
  constexpr Named<uint8_t> kOrders[] = {{"relaxed", kStrong},
                                        {"volatile", kStrong},
                                        {"mmio", kStrong},
                                        {"acquire", kStrong | kAcquire},
                                        {"release", kStrong | kRelease},
                                        {"acq_rel", kStrong | kAcquire | kRelease},
                                        {"sc", kStrong | kAcquire | kRelease},
                                        {"cta", kOfBlock}};
  uint8_t order = atomic ? kStrong : kWeak;
  for (const std::string_view& part : parts) order = uint8_t(order | find(kOrders, part));
  return order;
}

constexpr Place Instruction::*kVector[4] = {&Instruction::d, &Instruction::e, &Instruction::b, &Instruction::c};

}  // namespace

void Builder::describe_access(const Words& parts, uint32_t bytes, bool wide_address) {
  traits_.space = space_of(parts);
  traits_.bytes = uint8_t(bytes);
  traits_.wide_address = wide_address;
}

bool Builder::load(const Statement& s, const Words& parts, Instruction& in) {
  in.mode = order_of(parts, false);
  const bool wide_address = address(operand(s, 1), in);
  uint32_t count = 0;
  const bool wide_register = targets(operand(s, 0), kVector, in, count);
  const Type t = type_named(parts.back());
  describe_access(parts, bytes_of(t) * count, wide_address);
  in.kinds = ranges_of(space_of(parts), false);
  in.run = load_handler(t, wide_register, count, space_of(parts), wide_address);
  return in.run != nullptr;
}

bool Builder::store(const Statement& s, const Words& parts, Instruction& in) {
  const Type t = type_named(parts.back());
  in.mode = order_of(parts, false);
  const bool wide_address = address(operand(s, 0), in);
  uint32_t count = 0;
  const bool wide_register = sources(operand(s, 1), t, kVector, in, count);
  describe_access(parts, bytes_of(t) * count, wide_address);
  in.kinds = ranges_of(space_of(parts), true);
  in.run = store_handler(t, wide_register, count, space_of(parts), wide_address);
  return in.run != nullptr;
}

bool Builder::atomic(const Statement& s, const Words& parts, Instruction& in) {
  const bool gives = parts[0] == "atom";
  if (!gives && has(parts, "async")) return false;
  const Type t = type_named(parts.back());
  const size_t first = gives ? 1 : 0;
  in.mode = order_of(parts, true);
  const bool wide_address = address(operand(s, first), in);
  describe_access(parts, bytes_of(t), wide_address);
  in.kinds = ranges_of(space_of(parts), true);
  if (gives) in.d = target(operand(s, 0), t);
  in.b = value(operand(s, first + 1), t);
  if (has(parts, "cas")) in.c = value(operand(s, first + 2), t);
  for (const std::string_view& part : parts) {
    if (in.run == nullptr) in.run = atomic_handler(part, t, space_of(parts), wide_address);
  }
  return in.run != nullptr;
}

bool Builder::fence(const Statement&, const Words&, Instruction& in) {
  in.run = fence_handler();
  return true;
}

bool Builder::nothing(const Statement&, const Words&, Instruction& in) {
  in.run = [](Warp&, const Instruction&, uint32_t) {};
  return true;
}

bool Builder::convert_address(const Statement& s, const Words& parts, Instruction& in) {
  const bool to = parts[1] == "to";
  const Operand& from = operand(s, 1);
  const Type t = type_named(parts.back());
  if (!is_wide(t)) return false;
  in.d = target(operand(s, 0), t);
  if (from.kind == Operand::name) {
    if (const Local* local = find_local(from.text)) return move_address(*local, from, in);
  }
  const Source a = source(from, t);
  in.a = a.place;
  const bool shared = space_of(parts) == Space::shared;
  in.run = shared ? shared_address_handler(to, a.wide) : move_handler(true);
  return in.run != nullptr && (a.wide || shared);
}

bool Builder::move_address(const Local& local, const Operand& o, Instruction& in) {
  in.a = frame_base(local);
  in.b = constant(local.offset + o.bits, true);
  in.run = binary_handler("add", Type::u64, {});
  return true;
}

bool Builder::is_space(const Statement& s, const Words& parts, Instruction& in) {
  in.d = target(operand(s, 0), Type::pred);
  in.a = value(operand(s, 1), Type::u64);
  in.run = is_space_handler(space_of(parts));
  return true;
}

// sust.b.2d.b32.trap [surface, {x, y}], {value}
bool Builder::store_surface(const Statement& s, const Words& parts, Instruction& in) {
  const Operand& surface = operand(s, 0);
  if (!has(parts, "2d") || !has(parts, "b32") || surface.items.size() != 2 || surface.items[1].items.size() != 2)
    return false;
  in.a = value(surface.items[0], Type::u64);
  in.b = value(surface.items[1].items[0], Type::u32);
  in.c = value(surface.items[1].items[1], Type::u32);
  in.m = value(operand(s, 1), Type::u32);
  in.run = surface_store_handler();
  return true;
}

}  // namespace brokkr::ptx
