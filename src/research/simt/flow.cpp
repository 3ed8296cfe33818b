#include "simt/flow.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <set>

namespace brokkr::simt {
namespace {

using ptx::Instruction;
using ptx::Kind;

constexpr uint32_t kNone = ~0u;

// Possible successors of an instruction; `leaves`: the function may end here.
std::vector<uint32_t> successors(const ptx::Program& p, uint32_t pc, bool& leaves) {
  const Instruction& in = p.code[pc];
  const bool guarded = in.guard != ptx::kNowhere;
  std::vector<uint32_t> next;
  switch (in.kind) {
    case Kind::branch: next.push_back(in.target); break;
    case Kind::branch_table: next = p.tables[in.target]; break;
    case Kind::end:
    case Kind::leave:
    case Kind::stop: leaves = true; break;
    default: next.push_back(pc + 1); return next;
  }
  if (guarded) next.push_back(pc + 1);
  return next;
}

}  // namespace

Flow::Flow(const ptx::Program& program) : program_(program), block_of_(program.code.size(), kNone) {
  for (const ptx::Function& f : program.functions) {
    if (f.defined) add_function(f);
  }
}

void Flow::add_function(const ptx::Function& f) {
  std::vector<uint32_t> order;
  find_blocks(f, order);
  find_meetings(order);
  find_loops(order);
}

// Finds blocks in address order.
void Flow::find_blocks(const ptx::Function& f, std::vector<uint32_t>& order) {
  std::set<uint32_t> begins = {f.begin};
  for (uint32_t pc = f.begin; pc < f.end; ++pc) {
    bool leaves = false;
    const std::vector<uint32_t> next = successors(program_, pc, leaves);
    const bool runs_on = !leaves && next.size() == 1 && next[0] == pc + 1;
    if (runs_on) continue;
    begins.insert(next.begin(), next.end());
    if (pc + 1 < f.end) begins.insert(pc + 1);
  }
  for (const uint32_t begin : begins) {
    if (begin >= f.end) continue;
    order.push_back(uint32_t(blocks_.size()));
    blocks_.emplace_back();
    blocks_.back().begin = begin;
  }
  for (size_t i = 0; i < order.size(); ++i) {
    Block& b = blocks_[order[i]];
    b.end = i + 1 < order.size() ? blocks_[order[i + 1]].begin : f.end;
    for (uint32_t pc = b.begin; pc < b.end; ++pc) block_of_[pc] = order[i];
  }
  for (const uint32_t i : order) {
    Block& b = blocks_[i];
    for (const uint32_t pc : successors(program_, b.end - 1, b.leaves)) {
      if (pc < f.end) b.next.push_back(block_of_[pc]);
    }
  }
}

// Computes post-dominators as dominators of the reversed graph, by iterated intersection. The function's end is the
// root; a block without a path to the end has none.
void Flow::find_meetings(const std::vector<uint32_t>& order) {
  const uint32_t first = order.front(), count = uint32_t(order.size()), root = count;
  std::vector<std::vector<uint32_t>> before(count + 1);
  for (uint32_t i = 0; i < count; ++i) {
    for (const uint32_t n : blocks_[first + i].next) before[n - first].push_back(i);
    if (blocks_[first + i].leaves) before[root].push_back(i);
  }
  // Postorder of the reversed graph, from its root.
  std::vector<uint32_t> number(count + 1, kNone), sequence;
  std::vector<std::pair<uint32_t, size_t>> path = {{root, 0}};
  std::vector<bool> seen(count + 1);
  seen[root] = true;
  while (!path.empty()) {
    auto& [at, edge] = path.back();
    if (edge < before[at].size()) {
      const uint32_t to = before[at][edge++];
      if (!seen[to]) {
        seen[to] = true;
        path.emplace_back(to, 0);
      }
      continue;
    }
    number[at] = uint32_t(sequence.size());
    sequence.push_back(at);
    path.pop_back();
  }
  std::vector<uint32_t> idom(count + 1, kNone);
  idom[root] = root;
  const auto common = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (number[a] < number[b]) a = idom[a];
      while (number[b] < number[a]) b = idom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = sequence.size() - 1; i-- > 0;) {
      const uint32_t b = sequence[i];
      uint32_t meet = kNone;
      const auto join = [&](uint32_t to) {
        if (idom[to] != kNone) meet = meet == kNone ? to : common(to, meet);
      };
      for (const uint32_t n : blocks_[first + b].next) join(n - first);
      if (blocks_[first + b].leaves) join(root);
      changed |= meet != idom[b];
      idom[b] = meet;
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (idom[i] != kNone && idom[i] != root) blocks_[first + i].meeting = blocks_[first + idom[i]].begin;
  }
}

// Breadth-first search against the edges, from the blocks that jump back.
void Flow::find_loops(const std::vector<uint32_t>& order) {
  const uint32_t first = order.front();
  std::vector<std::vector<uint32_t>> before(order.size());
  std::deque<uint32_t> queue;
  for (const uint32_t i : order) {
    for (const uint32_t n : blocks_[i].next) {
      before[n - first].push_back(i);
      blocks_[n].is_head |= n <= i;
      if (n <= i && blocks_[i].to_loop == kNone) {
        blocks_[i].to_loop = blocks_[i].end - blocks_[i].begin;
        queue.push_back(i);
      }
    }
  }
  while (!queue.empty()) {
    const Block& b = blocks_[queue.front()];
    const uint32_t at = queue.front();
    queue.pop_front();
    for (const uint32_t p : before[at - first]) {
      const uint32_t distance = b.to_loop + (blocks_[p].end - blocks_[p].begin);
      if (distance >= blocks_[p].to_loop) continue;
      blocks_[p].to_loop = distance;
      queue.push_back(p);
    }
  }
}

uint32_t Flow::registers(const ptx::Function& f) const {
  const uint32_t first = block_of_[f.begin], last = block_of_[f.end - 1];
  RegisterNames names;
  std::vector<std::vector<RegisterUse>> uses;  // per instruction
  for (uint32_t pc = f.begin; pc < f.end; ++pc) uses.push_back(names.uses_of(program_, pc));
  const std::vector<uint32_t> size = names.words();
  std::vector<std::vector<bool>> live_in(last - first + 1, std::vector<bool>(names.count()));
  uint32_t most = 0;
  const auto walk = [&](uint32_t b) {
    std::vector<bool> live(names.count());
    for (const uint32_t n : blocks_[b].next) {
      for (uint32_t r = 0; r < names.count(); ++r) live[r] = live[r] || live_in[n - first][r];
    }
    uint32_t words = 0;
    for (uint32_t r = 0; r < names.count(); ++r) words += live[r] ? size[r] : 0;
    most = std::max(most, words);
    for (uint32_t pc = blocks_[b].end; pc-- > blocks_[b].begin;) {
      for (const bool read : {false, true}) {
        for (const RegisterUse& u : uses[pc - f.begin]) {
          if (u.is_read != read || live[u.number] == read) continue;
          if (!read && program_.code[pc].guard != ptx::kNowhere) continue;  // a guarded write may keep the old value
          live[u.number] = read;
          words = read ? words + size[u.number] : words - size[u.number];
        }
      }
      most = std::max(most, words);
    }
    const bool changed = live != live_in[b - first];
    live_in[b - first] = std::move(live);
    return changed;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = last + 1; b-- > first;) changed |= walk(b);
  }
  return most;
}

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
