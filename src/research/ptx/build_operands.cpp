// Operands: places of values.

#include <bit>
#include <unordered_map>

#include "ptx/builder.h"

namespace brokkr::ptx {
namespace {

Place special_place(std::string_view name) {
  static const std::unordered_map<std::string_view, Special> kNames = {{"%tid.x", kTidX},
                                                                       {"%tid.y", kTidY},
                                                                       {"%tid.z", kTidZ},
                                                                       {"%ntid.x", kNtidX},
                                                                       {"%ntid.y", kNtidY},
                                                                       {"%ntid.z", kNtidZ},
                                                                       {"%ctaid.x", kCtaidX},
                                                                       {"%ctaid.y", kCtaidY},
                                                                       {"%ctaid.z", kCtaidZ},
                                                                       {"%nctaid.x", kNctaidX},
                                                                       {"%nctaid.y", kNctaidY},
                                                                       {"%nctaid.z", kNctaidZ},
                                                                       {"%laneid", kLaneId},
                                                                       {"%warpid", kWarpId},
                                                                       {"%nwarpid", kNwarpId},
                                                                       {"%smid", kSmId},
                                                                       {"%nsmid", kNsmId},
                                                                       {"%lanemask_eq", kMaskEq},
                                                                       {"%lanemask_le", kMaskLe},
                                                                       {"%lanemask_lt", kMaskLt},
                                                                       {"%lanemask_ge", kMaskGe},
                                                                       {"%lanemask_gt", kMaskGt},
                                                                       {"%dynamic_smem_size", kDynamicShared},
                                                                       {"%total_smem_size", kTotalShared},
                                                                       {"%gridid", kZero}};
  const auto at = kNames.find(name);
  return at == kNames.end() ? kNowhere : place_of(kSpecial, at->second * kLanes);
}

}  // namespace

Builder::Source Builder::real(const Operand& o, Type t) {
  uint64_t bits = o.bits;
  if (o.real_bits == 0) {
    const double value = std::bit_cast<double>(o.bits);
    bits = is_wide(t) ? o.bits : std::bit_cast<uint32_t>(float(value));
  } else if (o.real_bits == 32 && is_wide(t)) {
    bits = std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(o.bits))));
  }
  return {constant(bits, is_wide(t)), is_wide(t)};
}

Register* Builder::find_register(std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  const std::string_view prefix = name.substr(0, digits);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    auto known = scope->registers.find(name);
    if (known == scope->registers.end() && digits < name.size()) {
      const auto range = scope->ranges.find(prefix);
      if (range != scope->ranges.end() && to_number(name.substr(digits)) < range->second.count)
        known = scope->registers.emplace(name, Register{range->second.type, kNowhere}).first;
    }
    if (known == scope->registers.end()) continue;
    if (known->second.place == kNowhere) known->second.place = new_place(known->second.type);
    return &known->second;
  }
  return nullptr;
}
Place Builder::new_place(Type type) {
  if (type == Type::pred) {
    if (predicate_word_ % kLanes == 0) {
      predicate_word_ = frame_words_;
      frame_words_ += kLanes;
    }
    return place_of(kFrame, predicate_word_++);
  }
  if (bytes_of(type) > 8) fail("registers of 128 bits");
  const uint32_t word = frame_words_;
  frame_words_ += is_wide(type) ? 2 * kLanes : kLanes;
  return place_of(kFrame, word);
}
const Local* Builder::find_local(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto known = scope->locals.find(name);
    if (known != scope->locals.end()) return &known->second;
  }
  return nullptr;
}

Place Builder::constant(uint64_t value, bool wide) {
  auto& known = wide ? wide_constants_ : constants_;
  if (!wide) value = uint32_t(value);
  const auto [at, fresh] = known.try_emplace(value, place_of(kConstant, uint32_t(p_.constants.size())));
  if (fresh) {
    for (uint32_t l = 0; l < kLanes; ++l) {
      p_.constants.push_back(uint32_t(value));
      if (wide) p_.constants.push_back(uint32_t(value >> 32));
    }
  }
  return at->second;
}

// A value of type t: a register, a special register, a number, or an address that is already known.
Builder::Source Builder::source(const Operand& o, Type t) {
  if (o.kind == Operand::vector && o.items.size() == 1) return source(o.items[0], t);
  if (o.kind == Operand::number) return {constant(o.bits, is_wide(t)), is_wide(t)};
  if (o.kind == Operand::real) return real(o, t);
  if (o.kind != Operand::name) fail("operand");
  if (const Register* r = find_register(o.text)) {
    if (o.negated || o.bits != 0) fail("operand with a sign or an offset");
    return {r->place, is_wide(r->type)};
  }
  const Place special = special_place(o.text);
  if (special != kNowhere) return {special, false};
  if (o.text == "WARP_SZ") return {constant(kLanes, is_wide(t)), is_wide(t)};
  if (const auto at = shared_.find(o.text); at != shared_.end())
    return {constant(at->second + o.bits, is_wide(t)), is_wide(t)};
  if (const auto at = p_.variables.find(o.text); at != p_.variables.end())
    return {constant(reinterpret_cast<uint64_t>(at->second.first) + o.bits, true), true};
  if (const auto at = p_.function_of.find(o.text); at != p_.function_of.end())
    return {constant(kFirstFunction + at->second * kFunctionBytes, true), true};
  fail("name '" + std::string(o.text) + "'");
}
// Like `source`, with the width of the type.
Place Builder::value(const Operand& o, Type t) {
  const Source s = source(o, t);
  if (s.wide != is_wide(t)) fail("register '" + std::string(o.text) + "' has a different size from its operation");
  return s.place;
}
Place Builder::predicate(const Operand& o, bool& negated) {
  negated = o.negated;
  if (o.kind == Operand::number) return constant(o.bits != 0 ? ~0u : 0u, false);
  const Register* r = find_register(o.text);
  if (r == nullptr || r->type != Type::pred) fail("predicate '" + std::string(o.text) + "'");
  return r->place;
}
// The register of a result; `_`: none.
Register Builder::target(const Operand& o) {
  if (o.kind == Operand::vector && o.items.size() == 1) return target(o.items[0]);
  if (o.text == "_") return {};
  const Register* r = find_register(o.text);
  if (r == nullptr) fail("register '" + std::string(o.text) + "'");
  return *r;
}
Place Builder::target(const Operand& o, Type t) {
  const Register r = target(o);
  if (r.place != kNowhere && ((r.type == Type::pred) != (t == Type::pred) || is_wide(r.type) != is_wide(t)))
    fail("register '" + std::string(o.text) + "' cannot hold the result");
  return r.place;
}

// [register + 4], [variable], [parameter + 8].
bool Builder::address(const Operand& o, Instruction& in) {  // returns true for a 64-bit address
  if (o.kind != Operand::address) fail("an address was expected");
  const Operand& base = o.items[0];
  in.offset = base.bits;
  if (base.kind == Operand::number) {
    in.offset = 0;
    in.a = constant(base.bits, true);
    return true;
  }
  if (const Register* r = find_register(base.text)) {
    in.a = r->place;
    return is_wide(r->type);
  }
  if (const Local* local = find_local(base.text)) {
    in.a = frame_base(*local);
    in.offset += local->offset;
    return true;
  }
  if (const auto at = shared_.find(base.text); at != shared_.end()) {
    in.a = constant(at->second, false);
    return false;
  }
  if (const auto at = p_.variables.find(base.text); at != p_.variables.end()) {
    in.a = constant(reinterpret_cast<uint64_t>(at->second.first), true);
    return true;
  }
  fail("name '" + std::string(base.text) + "'");
}
Place Builder::frame_base(const Local& local) {
  return local.kernel_parameter ? place_of(kSpecial, kParamWord) : place_of(kFrame, kFrameLocal);
}

const Operand& Builder::operand(const Statement& s, size_t i) const {
  if (i >= s.operands.size()) fail("too few operands");
  return s.operands[i];
}

bool Builder::targets(const Operand& o, const Parts& parts, Instruction& in, uint32_t& count) {
  const std::vector<Operand> items = o.kind == Operand::vector ? o.items : std::vector<Operand>{o};
  if (items.size() > 4) fail("a vector of more than four");
  count = uint32_t(items.size());
  bool wide = false;
  for (size_t i = 0; i < items.size(); ++i) {
    const Register r = target(items[i]);
    in.*parts[i] = r.place;
    wide |= is_wide(r.type);
  }
  return wide;
}

bool Builder::sources(const Operand& o, Type t, const Parts& parts, Instruction& in, uint32_t& count) {
  const std::vector<Operand> items = o.kind == Operand::vector ? o.items : std::vector<Operand>{o};
  if (items.size() > 4) fail("a vector of more than four");
  count = uint32_t(items.size());
  bool wide = false;
  for (size_t i = 0; i < items.size(); ++i) {
    const Source item = source(items[i], t);
    in.*parts[i] = item.place;
    wide |= item.wide;
  }
  return wide;
}

// Maps each operation to the part of the builder that builds it.

// Operations by their first word, or by their first two words. All others are arithmetic.
const Named<Builder::Translate> Builder::kOperations[] = {
    {"bra", &Builder::branch},
    {"brx", &Builder::branch_by_table},
    {"ret", &Builder::leave},
    {"exit", &Builder::end},
    {"trap", &Builder::stop},
    {"brkpt", &Builder::stop},
    {"nanosleep", &Builder::sleep},
    {"call", &Builder::call},
    {"bar", &Builder::barrier},
    {"barrier", &Builder::barrier},
    {"bar.warp", &Builder::sync_warp},
    {"ld", &Builder::load},
    {"ldu", &Builder::load},
    {"st", &Builder::store},
    {"atom", &Builder::atomic},
    {"red", &Builder::atomic},
    {"fence", &Builder::fence},
    {"membar", &Builder::fence},
    {"cvta", &Builder::convert_address},
    {"isspacep", &Builder::is_space},
    {"prefetch", &Builder::nothing},
    {"prefetchu", &Builder::nothing},
    {"discard", &Builder::nothing},
    {"applypriority", &Builder::nothing},
    {"sust", &Builder::store_surface},
    {"shfl", &Builder::shuffle},
    {"vote", &Builder::vote},
    {"match", &Builder::match},
    {"redux", &Builder::reduce},
    {"elect", &Builder::elect},
    {"activemask", &Builder::active_mask},
    {"mov", &Builder::move},
    {"cvt", &Builder::convert},
    {"setp", &Builder::compare},
    {"selp", &Builder::select},
    {"popc", &Builder::count_bits},
    {"clz", &Builder::count_bits},
    {"bfind", &Builder::count_bits},
    {"mul.wide", &Builder::wide},
    {"mad.wide", &Builder::wide},
    {"lop3", &Builder::special},
    {"bfi", &Builder::special},
    {"bfe", &Builder::special},
    {"prmt", &Builder::special},
    {"shf", &Builder::special},
    {"dp4a", &Builder::special},
};

void Builder::append(const Instruction& in, uint32_t line) {
  p_.code.push_back(in);
  p_.lines.push_back({line, location_.file, location_.line, location_.inlined});
  p_.traits.push_back(traits_);
}

const Builder::Operation& Builder::operation_of(std::string_view word) {
  const auto [at, is_new] = operations_.try_emplace(word);
  Operation& o = at->second;
  if (!is_new) return o;
  o.parts = split(word, '.');
  o.work = work_of(o.parts);
  if (o.parts.size() > 1) o.translate = find(kOperations, word.substr(0, o.parts[0].size() + 1 + o.parts[1].size()));
  if (o.translate == nullptr) o.translate = find(kOperations, o.parts[0]);
  if (o.translate == nullptr) o.translate = &Builder::arithmetic;
  return o;
}

void Builder::instruction(const Statement& s) {
  Instruction in;
  if (!s.guard.empty()) {
    const Register* r = find_register(s.guard);
    if (r == nullptr || r->type != Type::pred) fail("predicate '" + std::string(s.guard) + "'");
    in.guard = r->place;
    in.guard_negated = s.guard_negated;
  }
  const Operation& operation = operation_of(s.word);
  traits_ = {.work = operation.work};
  if (!(this->*operation.translate)(s, operation.parts, in)) {  // fails only if it is executed
    in.kind = Kind::unknown;
    in.run = nullptr;
  }
  append(in, s.line);
}

}  // namespace brokkr::ptx
