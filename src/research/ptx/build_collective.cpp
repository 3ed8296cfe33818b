// Builds instructions that a warp's lanes execute together.
#include "ptx/builder.h"
#include "ptx/collective.h"

namespace brokkr::ptx {
namespace {

// The last operand of each is its mask.
bool collective(Collective kind, Place mask, Instruction& in) {
  in.m = mask;
  in.kind = Kind::collective;
  in.mode = uint8_t(kind);
  in.run = collective_handler(kind);
  return true;
}

// Kinds are numbered from 1 in tables; 0 means that a name is unknown.
constexpr int numbered(Collective kind) { return int(kind) + 1; }
Collective kind_of(int number) { return Collective(number - 1); }

}  // namespace

size_t Builder::results(const Statement& s, Instruction& in) {
  const Operand& d = operand(s, 0);
  in.d = target(d).place;
  if (!d.paired) return 1;
  in.e = target(operand(s, 1)).place;
  return 2;
}

bool Builder::sync_warp(const Statement& s, const Words&, Instruction& in) {
  return collective(Collective::sync_warp, value(operand(s, 0), Type::u32), in);
}

bool Builder::shuffle(const Statement& s, const Words& parts, Instruction& in) {
  constexpr Named<int> kKinds[] = {{"idx", numbered(Collective::shfl_idx)},
                                   {"up", numbered(Collective::shfl_up)},
                                   {"down", numbered(Collective::shfl_down)},
                                   {"bfly", numbered(Collective::shfl_bfly)}};
  const int kind = parts.size() > 2 ? find(kKinds, parts[2]) : 0;
  if (kind == 0 || parts[1] != "sync") return false;
  const size_t i = results(s, in);
  in.a = value(operand(s, i), Type::b32);
  in.b = value(operand(s, i + 1), Type::u32);
  in.c = value(operand(s, i + 2), Type::u32);
  return collective(kind_of(kind), value(operand(s, i + 3), Type::u32), in);
}

bool Builder::vote(const Statement& s, const Words& parts, Instruction& in) {
  constexpr Named<int> kKinds[] = {{"any", numbered(Collective::vote_any)},
                                   {"all", numbered(Collective::vote_all)},
                                   {"uni", numbered(Collective::vote_uni)},
                                   {"ballot", numbered(Collective::vote_ballot)}};
  const int kind = parts.size() > 2 ? find(kKinds, parts[2]) : 0;
  if (kind == 0 || parts[1] != "sync") return false;
  const size_t i = results(s, in);
  in.a = predicate(operand(s, i), in.a_negated);
  return collective(kind_of(kind), value(operand(s, i + 1), Type::u32), in);
}

bool Builder::match(const Statement& s, const Words& parts, Instruction& in) {
  if (parts.size() < 3 || parts[2] != "sync") return false;
  const Type t = type_named(parts.back());
  const size_t i = results(s, in);
  in.a = value(operand(s, i), t);
  const Collective any = is_wide(t) ? Collective::match_any64 : Collective::match_any32;
  const Collective all = is_wide(t) ? Collective::match_all64 : Collective::match_all32;
  return collective(parts[1] == "any" ? any : all, value(operand(s, i + 1), Type::u32), in);
}

bool Builder::reduce(const Statement& s, const Words& parts, Instruction& in) {
  constexpr Named<int> kKinds[] = {
      {"add.u32", numbered(Collective::redux_add)},   {"add.s32", numbered(Collective::redux_add)},
      {"min.u32", numbered(Collective::redux_min_u)}, {"min.s32", numbered(Collective::redux_min_s)},
      {"max.u32", numbered(Collective::redux_max_u)}, {"max.s32", numbered(Collective::redux_max_s)},
      {"and.b32", numbered(Collective::redux_and)},   {"or.b32", numbered(Collective::redux_or)},
      {"xor.b32", numbered(Collective::redux_xor)}};
  if (parts.size() != 4 || parts[1] != "sync") return false;
  const int kind = find(kKinds, s.word.substr(s.word.size() - parts[2].size() - 1 - parts[3].size()));
  if (kind == 0) return false;
  const size_t i = results(s, in);
  in.a = value(operand(s, i), Type::b32);
  return collective(kind_of(kind), value(operand(s, i + 1), Type::u32), in);
}

bool Builder::elect(const Statement& s, const Words&, Instruction& in) {
  const size_t i = results(s, in);
  return collective(Collective::elect, value(operand(s, i), Type::u32), in);
}

bool Builder::active_mask(const Statement& s, const Words&, Instruction& in) {
  in.d = target(operand(s, 0), Type::b32);
  in.run = active_mask_handler();
  return true;
}

}  // namespace brokkr::ptx
