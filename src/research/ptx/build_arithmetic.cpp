// Builds instructions that compute with registers.
#include "ptx/builder.h"

namespace brokkr::ptx {
namespace {

Rounding rounding_of(const Words& parts) {
  constexpr Named<Rounding::Mode> kModes[] = {{"rz", Rounding::zero},  {"rzi", Rounding::zero}, {"rm", Rounding::down},
                                              {"rmi", Rounding::down}, {"rp", Rounding::up},    {"rpi", Rounding::up}};
  Rounding r;
  for (const std::string_view& part : parts) {
    if (const Rounding::Mode mode = find(kModes, part); mode != Rounding::nearest) r.mode = mode;
    r.integer |= part == "rni" || part == "rzi" || part == "rmi" || part == "rpi";
    r.flush |= part == "ftz";
    r.saturate |= part == "sat";
    r.approximate |= part == "approx" || part == "full";
  }
  return r;
}

// Unsupported forms: carries, minima that propagate NaN, and fused operations.
bool is_left_out(const Words& parts) {
  return parts[0] == "addc" || parts[0] == "subc" || parts[0] == "madc" || has(parts, "cc") || has(parts, "NaN") ||
         has(parts, "xorsign") || has(parts, "relu");
}

}  // namespace

bool Builder::arithmetic(const Statement& s, const Words& parts, Instruction& in) {
  const Type t = type_named(parts.back());
  if (t == Type::none || is_left_out(parts)) return false;
  for (const Operand& o : s.operands) {
    if (o.kind == Operand::vector || o.kind == Operand::address || o.kind == Operand::list) return false;
  }
  if (t == Type::pred) return predicates(s, parts[0], in);
  const Rounding r = rounding_of(parts);
  std::string operation(parts[0]);
  if (parts[1] == "lo" || parts[1] == "hi") operation += "." + std::string(parts[1]);
  const bool shift = operation == "shl" || operation == "shr";
  in.mode = rounding_mode(r);
  in.d = target(operand(s, 0), t);
  in.a = value(operand(s, 1), t);
  if (s.operands.size() > 2) in.b = value(operand(s, 2), shift ? Type::u32 : t);
  if (s.operands.size() > 3) in.c = value(operand(s, 3), t);
  switch (s.operands.size()) {
    case 2: in.run = unary_handler(operation, t, r); break;
    case 3: in.run = binary_handler(operation, t, r); break;
    case 4: in.run = ternary_handler(operation, t, r); break;
    default: break;
  }
  return in.run != nullptr;
}

bool Builder::predicates(const Statement& s, std::string_view operation, Instruction& in) {
  in.d = target(operand(s, 0), Type::pred);
  in.a = predicate(operand(s, 1), in.a_negated);
  if (s.operands.size() > 2) in.b = predicate(operand(s, 2), in.b_negated);
  in.run = predicate_handler(operation);
  return in.run != nullptr;
}

bool Builder::count_bits(const Statement& s, const Words& parts, Instruction& in) {
  const Type t = type_named(parts.back());
  in.d = target(operand(s, 0), Type::u32);
  in.a = value(operand(s, 1), t);
  in.run = unary_handler(parts[1] == "shiftamt" ? "bfind.shiftamt" : parts[0], t, {});
  return in.run != nullptr;
}

// setp.lt.and.s32 p|q, a, b, c
bool Builder::compare(const Statement& s, const Words& parts, Instruction& in) {
  const Type t = type_named(parts.back());
  size_t i = results(s, in);
  in.a = value(operand(s, i++), t);
  in.b = value(operand(s, i++), t);
  std::string_view combine;
  if (parts[2] == "and" || parts[2] == "or" || parts[2] == "xor") {
    combine = parts[2];
    in.c = predicate(operand(s, i), in.c_negated);
  }
  in.run = compare_handler(parts[1], combine, t);
  return in.run != nullptr;
}

bool Builder::select(const Statement& s, const Words& parts, Instruction& in) {
  const Type t = type_named(parts.back());
  in.d = target(operand(s, 0), t);
  in.a = value(operand(s, 1), t);
  in.b = value(operand(s, 2), t);
  in.c = predicate(operand(s, 3), in.c_negated);
  in.run = select_handler(t);
  return true;
}

bool Builder::wide(const Statement& s, const Words& parts, Instruction& in) {
  const Type t = type_named(parts.back());
  const Type result = bytes_of(t) == 2 ? Type::u32 : Type::u64;
  const bool adds = parts[0] == "mad";
  in.d = target(operand(s, 0), result);
  in.a = value(operand(s, 1), t);
  in.b = value(operand(s, 2), t);
  if (adds) in.c = value(operand(s, 3), result);
  in.run = wide_handler(adds ? "mad.wide" : "mul.wide", t);
  return in.run != nullptr;
}

bool Builder::special(const Statement& s, const Words& parts, Instruction& in) {
  const std::string_view op = parts[0];
  const Type t = type_named(parts.back());
  const bool field = op == "bfe" || op == "bfi";
  in.d = target(operand(s, 0), field ? t : Type::b32);
  std::string mode;
  if (op == "shf" || op == "dp4a") mode = std::string(parts[1]) + "." + std::string(parts[2]);
  if (op == "prmt" && parts.size() > 2) mode = parts[2];
  if (op == "lop3") {
    if (s.operands.size() != 5) return false;
    in.offset = operand(s, 4).bits;
  }
  in.a = value(operand(s, 1), t);
  in.b = value(operand(s, 2), op == "bfe" ? Type::u32 : t);
  in.c = value(operand(s, 3), field ? Type::u32 : t);
  if (op == "bfi") in.m = value(operand(s, 4), Type::u32);
  in.run = special_handler(op, mode, t);
  return in.run != nullptr;
}

bool Builder::move(const Statement& s, const Words& parts, Instruction& in) {
  const Operand &d = operand(s, 0), &a = operand(s, 1);
  const Type t = type_named(parts.back());
  if (t == Type::none) return false;
  if (t == Type::pred) return predicates(s, "mov", in);
  if ((d.kind == Operand::vector && d.items.size() > 1) || (a.kind == Operand::vector && a.items.size() > 1))
    return move_parts(s, t, in);
  in.d = target(d, t);
  if (a.kind == Operand::name) {
    if (move_time(s, in)) return true;
    if (const Local* local = find_local(a.text)) return is_wide(t) && move_address(*local, a, in);
  }
  in.a = value(a, t);
  in.run = move_handler(is_wide(t));
  return true;
}

// Splits a register into parts, or joins them.
bool Builder::move_parts(const Statement& s, Type t, Instruction& in) {
  constexpr Place Instruction::*kTo[4] = {&Instruction::d, &Instruction::e, &Instruction::b, &Instruction::c};
  constexpr Place Instruction::*kFrom[4] = {&Instruction::a, &Instruction::b, &Instruction::c, &Instruction::m};
  const Operand &d = operand(s, 0), &a = operand(s, 1);
  const bool unpack = d.kind == Operand::vector && d.items.size() > 1;
  uint32_t count = 0;
  bool wide_parts = false;
  if (unpack) {
    in.a = value(a, t);
    wide_parts = targets(d, kTo, in, count);
  } else {
    in.d = target(d, t);
    wide_parts = sources(a, Type::b32, kFrom, in, count);
  }
  in.run = pack_handler(count, wide_parts, is_wide(t), unpack);
  return in.run != nullptr;
}

// Clocks are computed on each read, unlike other special registers.
bool Builder::move_time(const Statement& s, Instruction& in) {
  const std::string_view name = operand(s, 1).text;
  if (name == "%globaltimer" || name == "%clock64") in.run = time_handler(true, false);
  if (name == "%clock" || name == "%globaltimer_lo") in.run = time_handler(false, false);
  if (name == "%clock_hi" || name == "%globaltimer_hi") in.run = time_handler(false, true);
  return in.run != nullptr;
}

bool Builder::convert(const Statement& s, const Words& parts, Instruction& in) {
  if (parts.size() < 3 || s.operands.size() != 2) return false;
  const Type to = type_named(parts[parts.size() - 2]), from = type_named(parts.back());
  if (to == Type::none || to == Type::pred || from == Type::pred) return false;
  const Rounding r = rounding_of(parts);
  const Register d = target(operand(s, 0));
  const Source a = source(operand(s, 1), from);
  in.d = d.place;
  in.a = a.place;
  in.mode = rounding_mode(r);
  if (is_wide(d.type) == is_wide(to) && a.wide == is_wide(from)) {
    in.run = convert_handler(to, from, r);
  } else if (!is_float(to) && !is_float(from) && in.mode == 0) {
    in.run = resize_handler(to, from, is_wide(d.type), a.wide);
  }
  return in.run != nullptr;
}

}  // namespace brokkr::ptx
