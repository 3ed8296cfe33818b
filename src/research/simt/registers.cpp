#include "simt/registers.h"

#include <algorithm>
#include <iterator>

namespace brokkr::simt {
namespace {

using ptx::Instruction;
using ptx::Work;

bool is_register(ptx::Place p) {
  return p != ptx::kNowhere && (p & 3) == ptx::kFrame && p >> 2 >= ptx::kFrameRegisters;
}

}  // namespace

// Vectors are in d, e, b and c: a load writes them, a store reads them.
std::vector<RegisterUse> RegisterNames::uses_of(const ptx::Program& program, uint32_t pc) {
  const Instruction& in = program.code[pc];
  const bool loads = program.traits[pc].work == Work::load, stores = program.traits[pc].work == Work::store;
  std::vector<RegisterUse> uses;
  const auto add = [&](ptx::Place p, bool is_read) {
    if (!is_register(p)) return;
    uses.push_back({numbers_.try_emplace(p, count()).first->second, is_read});
  };
  add(in.guard, true);
  add(in.a, true);
  add(in.m, true);
  add(in.d, stores);
  add(in.e, stores);
  add(in.b, !loads);
  add(in.c, !loads);
  return uses;
}

std::vector<uint32_t> RegisterNames::words() const {
  std::vector<uint32_t> all(count());
  for (auto at = numbers_.begin(); at != numbers_.end(); ++at) {
    const auto next = std::next(at);
    const uint32_t space = next == numbers_.end() ? ptx::kLanes : (next->first >> 2) - (at->first >> 2);
    all[at->second] = std::min(space / ptx::kLanes, 2u);
  }
  return all;
}

}  // namespace brokkr::simt
