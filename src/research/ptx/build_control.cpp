// Builds control-flow instructions: branches, calls, exits, barriers of the block.

#include <algorithm>

#include "ptx/block.h"
#include "ptx/builder.h"

namespace brokkr::ptx {

bool Builder::branch(const Statement& s, const Words&, Instruction& in) {
  in.kind = Kind::branch;
  scopes_.back().branches.emplace_back(uint32_t(p_.code.size()), operand(s, 0).text);
  return true;
}

bool Builder::branch_by_table(const Statement& s, const Words&, Instruction& in) {
  in.kind = Kind::branch_table;
  in.a = value(operand(s, 0), Type::u32);
  const std::string_view name = operand(s, 1).text;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto at = scope->tables.find(name);
    if (at == scope->tables.end()) continue;
    in.target = at->second;
    return true;
  }
  fail("no table " + std::string(name));
}

bool Builder::leave(const Statement&, const Words&, Instruction& in) {
  in.kind = function_->entry ? Kind::end : Kind::leave;
  return true;
}
bool Builder::end(const Statement&, const Words&, Instruction& in) {
  in.kind = Kind::end;
  return true;
}
bool Builder::stop(const Statement&, const Words&, Instruction& in) {
  in.kind = Kind::stop;
  return true;
}
bool Builder::sleep(const Statement& s, const Words&, Instruction& in) {
  in.kind = Kind::sleep;
  in.a = value(operand(s, 0), Type::u32);
  return true;
}

bool Builder::call(const Statement& s, const Words&, Instruction& in) {
  in.kind = Kind::call;
  size_t i = 0;
  const Operand none;
  const Operand& results = operand(s, 0).kind == Operand::list ? s.operands[i++] : none;
  const std::string_view name = operand(s, i++).text;
  const Operand& arguments = i < s.operands.size() && s.operands[i].kind == Operand::list ? s.operands[i] : none;
  const auto known = p_.function_of.find(name);
  if (known == p_.function_of.end()) return call_register(results, s.operands[i - 1], arguments, in);
  CallSite site;
  site.function = known->second;
  if (name == "vprintf") site.builtin = Builtin::vprintf;
  if (name == "__assertfail") site.builtin = Builtin::assertfail;
  if (name.starts_with("brokkr_simt_")) site.builtin = Builtin::foreign;
  const Function& f = p_.functions[site.function];
  const auto copies = [&](const std::vector<Operand>& from, const std::vector<Variable>& to, std::vector<Copy>& all) {
    if (from.size() != to.size()) fail("a call of " + std::string(name) + " with the wrong number of arguments");
    for (size_t j = 0; j < from.size(); ++j) {
      const Local* local = find_local(from[j].text);
      if (local == nullptr || local->kernel_parameter) fail("argument '" + std::string(from[j].text) + "'");
      all.push_back({local->offset, to[j].offset, std::min(local->bytes, to[j].bytes)});
    }
  };
  copies(arguments.items, f.parameters, site.arguments);
  copies(results.items, f.results, site.results);
  in.target = uint32_t(p_.calls.size());
  p_.calls.push_back(std::move(site));
  return true;
}

// call (results), %rd1, (arguments), prototype: the prototype only repeats the types of the arguments.
bool Builder::call_register(const Operand& results, const Operand& address, const Operand& arguments, Instruction& in) {
  in.kind = Kind::call_register;
  in.a = value(address, Type::u64);
  IndirectCall call;
  const auto places = [&](const std::vector<Operand>& from, std::vector<uint32_t>& all) {
    for (const Operand& o : from) {
      const Local* local = find_local(o.text);
      if (local == nullptr || local->kernel_parameter) fail("argument '" + std::string(o.text) + "'");
      all.push_back(local->offset);
      all.push_back(local->bytes);
    }
  };
  places(arguments.items, call.arguments);
  places(results.items, call.results);
  in.target = uint32_t(p_.indirect.size());
  p_.indirect.push_back(std::move(call));
  return true;
}

void Builder::match_calls() {
  const auto copies = [](const std::vector<uint32_t>& from, const std::vector<Variable>& to, std::vector<Copy>& all) {
    if (from.size() != 2 * to.size()) return false;
    for (size_t i = 0; i < to.size(); ++i) {
      if (from[2 * i + 1] != to[i].bytes) return false;
      all.push_back({from[2 * i], to[i].offset, to[i].bytes});
    }
    return true;
  };
  for (IndirectCall& call : p_.indirect) {
    for (uint32_t f = 0; f < p_.functions.size(); ++f) {
      const Function& function = p_.functions[f];
      CallSite site{.function = f, .builtin = Builtin::none, .arguments = {}, .results = {}};
      if (!function.defined || function.entry || !copies(call.arguments, function.parameters, site.arguments) ||
          !copies(call.results, function.results, site.results))
        continue;
      call.call_of[f] = uint32_t(p_.calls.size());
      p_.calls.push_back(std::move(site));
    }
  }
}

// bar.sync id {, threads}; bar.red.popc result, id {, threads}, predicate.
bool Builder::barrier(const Statement& s, const Words& parts, Instruction& in) {
  size_t i = 1;
  if (i < parts.size() && parts[i] == "cta") ++i;
  if (i >= parts.size()) return false;
  size_t first = 0;
  if (parts[i] == "red") {
    const std::string_view reduction = parts[i + 1] == "aligned" ? parts[i + 2] : parts[i + 1];
    in.mode = uint8_t(reduction == "popc"  ? BarrierVote::count
                      : reduction == "and" ? BarrierVote::all
                                           : BarrierVote::any);
    in.d = target(operand(s, 0)).place;
    in.c = predicate(s.operands.back(), in.c_negated);
    first = 1;
    if (s.operands.size() == 4) in.b = value(operand(s, 2), Type::u32);
  } else if (parts[i] == "sync") {
    if (s.operands.size() == 2) in.b = value(operand(s, 1), Type::u32);
  } else {
    return false;
  }
  in.kind = Kind::barrier;
  in.a = value(operand(s, first), Type::u32);
  return true;
}

// Builds instructions that a warp's lanes execute together.

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
