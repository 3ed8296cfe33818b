#include "ptx/block.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "ptx/machine.h"

namespace brokkr::ptx {

Block::Block(Machine& machine, const Launch& l, uint32_t n) : launch(l), number(n), machine_(machine) {
  index[0] = n % l.grid[0];
  index[1] = n / l.grid[0] % l.grid[1];
  index[2] = n / l.grid[0] / l.grid[1];
  const uint32_t threads = l.block[0] * l.block[1] * l.block[2], lanes = machine.warp_lanes,
                 count = (threads + lanes - 1) / lanes;
  shared_bytes = l.program->static_shared + l.dynamic_shared;
  local_bytes = size_t(count) * kLanes * kLocalBytes;
  shared = static_cast<uint8_t*>(machine.take(kSharedRange, shared_bytes + 1, this));
  local = static_cast<uint8_t*>(machine.take(kLocalRange, local_bytes, this));
  if (machine.races != nullptr) machine.races->begin_shared(shared, shared_bytes);
  for (uint32_t i = 0; i < count; ++i) warps.emplace_back(machine, *this, i, threads);
}

Block::Block(Machine& machine, const Launch& l, uint32_t n, uint32_t threads)
    : launch(l), number(n), local_bytes(size_t(kLanes) * kLocalBytes), machine_(machine) {
  local = static_cast<uint8_t*>(machine.take(kLocalRange, local_bytes, this));
  warps.emplace_back(machine, *this, 0, threads);
}

Block::~Block() {
  for (const HeldStore& s : held_) write(s);
  if (shared != nullptr) machine_.give(kSharedRange, shared_bytes + 1, shared);
  machine_.give(kLocalRange, local_bytes, local);
}

void Block::hold(const HeldStore& s) {
  commit_if([&](const HeldStore& other) { return other.overlaps(s.to, s.bytes); });
  if (held_.size() >= 4 * size_t(machine_.settings.held_stores)) {
    const size_t i = machine_.random.below(uint32_t(held_.size()));
    write(held_[i]);
    held_.erase(held_.begin() + std::ptrdiff_t(i));
  }
  held_.push_back(s);
}

void Block::write(const HeldStore& s) {
  if (machine_.settings.stale_loads) {
    machine_.history.overwrite(s.to, s.bytes, number, seen);
    machine_.history.drop_messages(s.to, s.bytes);
  }
  std::memcpy(s.to, s.value, s.bytes);
}

bool Block::ended() const {
  return std::all_of(warps.begin(), warps.end(), [](const Warp& w) { return w.ended(); });
}

void Block::settle_barrier(uint32_t id, uint32_t least) {
  uint32_t there = 0, votes = 0, live = 0;
  for (const Warp& w : warps) {
    there += uint32_t(__builtin_popcount(w.at_barrier_[id]));
    votes += uint32_t(__builtin_popcount(w.at_barrier_[id] & w.barrier_votes_));
    live += uint32_t(__builtin_popcount(w.live_));
  }
  if (there == 0 || there < (least == 0 ? live : least)) return;
  for (Warp& w : warps) {
    if (w.at_barrier_[id] != 0) release(w, id, votes, there);
  }
}

void Block::give_vote(Warp& w, const Instruction& in, uint32_t lane, uint32_t votes, uint32_t there) const {
  uint32_t* const d = w.stack_ + w.frame_of_[lane] + (in.d >> 2);
  const auto set = [&](bool bit) { *d = (*d & ~(1u << lane)) | uint32_t(bit) << lane; };
  switch (BarrierVote(in.mode)) {
    case BarrierVote::count: d[lane] = votes; break;
    case BarrierVote::all: set(votes == there); break;
    case BarrierVote::any: set(votes != 0); break;
    case BarrierVote::none: break;
  }
}

void Block::release(Warp& w, uint32_t id, uint32_t votes, uint32_t there) {
  const uint32_t lanes = w.at_barrier_[id], first = uint32_t(__builtin_ctz(lanes));
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    const Instruction& in = launch.program->code[w.pc_[l]];
    if (w.pc_[l] != w.pc_[first]) {
      machine_.warn("lanes of a warp meet at two instructions of a barrier:\n    " +
                    launch.program->describe(w.pc_[first]) + "\n    " + launch.program->describe(w.pc_[l]));
    }
    if (in.d != kNowhere) give_vote(w, in, l, votes, there);
  }
  for (uint32_t m = lanes; m != 0; m &= m - 1) ++w.pc_[__builtin_ctz(m)];
  w.at_barrier_[id] = 0;
  w.ready_ |= lanes;
  w.meet_block(lanes, false);
}

void Block::settle_barriers() {
  for (uint32_t id = 0; id < 16; ++id) settle_barrier(id, barrier_least[id]);
}

namespace {

// The operands and the results of all lanes: one value and one predicate per lane.
struct Exchange {
  const uint32_t *a = nullptr, *b = nullptr, *c = nullptr;
  const uint64_t* wide = nullptr;
  uint32_t predicate = 0;
  uint32_t value[kLanes];
  uint32_t bits = 0;
  uint32_t from_outside = 0;  // lanes that read from an inactive lane
};

constexpr bool is_shuffle(Collective k) {
  return k == Collective::shfl_idx || k == Collective::shfl_up || k == Collective::shfl_down ||
         k == Collective::shfl_bfly;
}
constexpr bool is_vote(Collective k) {
  return k == Collective::vote_any || k == Collective::vote_all || k == Collective::vote_uni ||
         k == Collective::vote_ballot;
}
constexpr bool gives_predicate_first(Collective k) { return is_vote(k) && k != Collective::vote_ballot; }
constexpr bool is_wide(Collective k) { return k == Collective::match_any64 || k == Collective::match_all64; }

template <Collective kKind>
void shuffle(Exchange& x, uint32_t lanes) {
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint32_t b = x.b[l] & 31, clamp = x.c[l] & 31, segment = x.c[l] >> 8 & 31;
    const uint32_t most = (l & segment) | (clamp & ~segment);
    uint32_t from;
    bool inside;
    if constexpr (kKind == Collective::shfl_idx) {
      from = (l & segment) | (b & ~segment), inside = from <= most;
    } else if constexpr (kKind == Collective::shfl_up) {
      from = l - b, inside = int32_t(from) >= int32_t(most);
    } else if constexpr (kKind == Collective::shfl_down) {
      from = l + b, inside = from <= most;
    } else {
      from = l ^ b, inside = from <= most;
    }
    from = inside ? from & 31 : l;
    x.value[l] = x.a[from];
    x.bits |= uint32_t(inside) << l;
    x.from_outside |= (~lanes >> from & 1) << l;
  }
  x.from_outside &= lanes;
}

template <class T>
void match(Exchange& x, const T* a, uint32_t lanes, bool all) {
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    uint32_t same = 0;
    for (uint32_t n = lanes; n != 0; n &= n - 1) {
      const uint32_t o = uint32_t(__builtin_ctz(n));
      same |= uint32_t(a[o] == a[l]) << o;
    }
    if (all && same != lanes) same = 0;
    x.value[l] = same;
    x.bits |= uint32_t(same == lanes) << l;
  }
}

template <class F>
void reduce(Exchange& x, uint32_t lanes, F&& f) {
  uint32_t sum = x.a[__builtin_ctz(lanes)];
  for (uint32_t m = lanes & (lanes - 1); m != 0; m &= m - 1) sum = f(sum, x.a[__builtin_ctz(m)]);
  std::fill(x.value, x.value + kLanes, sum);
}

template <Collective kKind>
void exchange(Exchange& x, uint32_t lanes) {
  using C = Collective;
  const auto all_get = [&](bool bit) { x.bits = bit ? kAllLanes : 0; };
  const uint32_t votes = x.predicate & lanes;
  if constexpr (is_shuffle(kKind)) shuffle<kKind>(x, lanes);
  if constexpr (kKind == C::vote_any) all_get(votes != 0);
  if constexpr (kKind == C::vote_all) all_get(votes == lanes);
  if constexpr (kKind == C::vote_uni) all_get(votes == 0 || votes == lanes);
  if constexpr (kKind == C::vote_ballot) std::fill(x.value, x.value + kLanes, votes);
  if constexpr (kKind == C::match_any32) match(x, x.a, lanes, false);
  if constexpr (kKind == C::match_all32) match(x, x.a, lanes, true);
  if constexpr (kKind == C::match_any64) match(x, x.wide, lanes, false);
  if constexpr (kKind == C::match_all64) match(x, x.wide, lanes, true);
  if constexpr (kKind == C::redux_add) reduce(x, lanes, [](uint32_t a, uint32_t b) { return a + b; });
  if constexpr (kKind == C::redux_min_u) reduce(x, lanes, [](uint32_t a, uint32_t b) { return std::min(a, b); });
  if constexpr (kKind == C::redux_max_u) reduce(x, lanes, [](uint32_t a, uint32_t b) { return std::max(a, b); });
  if constexpr (kKind == C::redux_min_s)
    reduce(x, lanes, [](uint32_t a, uint32_t b) { return uint32_t(std::min(int32_t(a), int32_t(b))); });
  if constexpr (kKind == C::redux_max_s)
    reduce(x, lanes, [](uint32_t a, uint32_t b) { return uint32_t(std::max(int32_t(a), int32_t(b))); });
  if constexpr (kKind == C::redux_and) reduce(x, lanes, [](uint32_t a, uint32_t b) { return a & b; });
  if constexpr (kKind == C::redux_or) reduce(x, lanes, [](uint32_t a, uint32_t b) { return a | b; });
  if constexpr (kKind == C::redux_xor) reduce(x, lanes, [](uint32_t a, uint32_t b) { return a ^ b; });
  if constexpr (kKind == C::elect) {
    std::fill(x.value, x.value + kLanes, uint32_t(__builtin_ctz(lanes)));
    x.bits = lanes & (~lanes + 1);
  }
}

void keep_bits(uint32_t& predicate, uint32_t bits, uint32_t lanes) {
  predicate = (predicate & ~lanes) | (bits & lanes);
}

void note_outside(const Warp& w, const Instruction& in, uint32_t lanes) {
  if (lanes != 0) w.warn(in, "shfl reads a lane that does not take part");
}

template <Collective kKind>
void together(Warp& w, const Instruction& in, uint32_t lanes) {
  if constexpr (kKind == Collective::sync_warp) return;
  Exchange x;
  if constexpr (is_vote(kKind)) {
    x.predicate = w.bits(in.a, in.a_negated);
  } else if constexpr (is_wide(kKind)) {
    x.wide = w.longs(in.a);
  } else if constexpr (kKind != Collective::elect) {
    x.a = w.words(in.a);
  }
  if constexpr (is_shuffle(kKind)) x.b = w.words(in.b), x.c = w.words(in.c);
  exchange<kKind>(x, lanes);
  if constexpr (is_shuffle(kKind)) note_outside(w, in, x.from_outside);
  if constexpr (gives_predicate_first(kKind)) {
    keep_bits(*w.words(in.d), x.bits, lanes);
  } else {
    if (in.d != kNowhere) {
      uint32_t* const d = w.words(in.d);
      for (uint32_t l = 0; l < kLanes; ++l) d[l] = (lanes >> l & 1) != 0 ? x.value[l] : d[l];
    }
    if (in.e != kNowhere) keep_bits(*w.words(in.e), x.bits, lanes);
  }
}

template <Collective kKind>
void apart(Warp& w, const Instruction* const* in, uint32_t lanes) {
  if constexpr (kKind == Collective::sync_warp) return;
  uint32_t a[kLanes] = {}, b[kLanes] = {}, c[kLanes] = {};
  uint64_t wide[kLanes] = {};
  Exchange x;
  x.a = a, x.b = b, x.c = c, x.wide = wide;
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    if constexpr (is_vote(kKind)) {
      x.predicate |= ((*w.predicate_of(in[l]->a, l) >> l & 1) ^ uint32_t(in[l]->a_negated)) << l;
    } else if constexpr (is_wide(kKind)) {
      wide[l] = *w.long_of(in[l]->a, l);
    } else if constexpr (kKind != Collective::elect) {
      a[l] = *w.word_of(in[l]->a, l);
    }
    if constexpr (is_shuffle(kKind)) b[l] = *w.word_of(in[l]->b, l), c[l] = *w.word_of(in[l]->c, l);
  }
  exchange<kKind>(x, lanes);
  if constexpr (is_shuffle(kKind)) note_outside(w, *in[__builtin_ctz(lanes)], x.from_outside);
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    if constexpr (gives_predicate_first(kKind)) {
      keep_bits(*w.predicate_of(in[l]->d, l), x.bits, 1u << l);
    } else {
      if (in[l]->d != kNowhere) *w.word_of(in[l]->d, l) = x.value[l];
      if (in[l]->e != kNowhere) keep_bits(*w.predicate_of(in[l]->e, l), x.bits, 1u << l);
    }
  }
}

struct Pair {
  Handler together;
  void (*apart)(Warp&, const Instruction* const*, uint32_t);
};
template <uint8_t... kKinds>
constexpr auto table_of(std::integer_sequence<uint8_t, kKinds...>) {
  return std::array<Pair, sizeof...(kKinds)>{Pair{&together<Collective(kKinds)>, &apart<Collective(kKinds)>}...};
}
constexpr auto kTable = table_of(std::make_integer_sequence<uint8_t, uint8_t(Collective::elect) + 1>());

}  // namespace

Handler collective_handler(Collective kind) { return kTable[size_t(kind)].together; }

void collect_mixed(Warp& warp, const Instruction* const* in, uint32_t lanes) {
  kTable[in[__builtin_ctz(lanes)]->mode].apart(warp, in, lanes);
}

// Runs a launch on several host threads: each runs its own blocks on its own machine. Lanes of a warp and warps of a
// block stay on one thread. Blocks share memory, which is then accessed with the host's atomics (access.cpp). Features
// that need a repeatable order or a global view use one thread: seeds, weak memory, race detection.

size_t Machine::crew_of(const Launch& launch) const {
  if (adversarial || settings.held_stores > 0 || settings.stale_loads || settings.races) return 1;
  const uint64_t blocks = std::min<uint64_t>(launch.blocks(), launch.resident_blocks);
  return size_t(std::clamp<uint64_t>(uint64_t(std::max(settings.threads, 1)), 1, blocks));
}

void Machine::run_crew(const Launch& launch, size_t crew) {
  Crowd crowd;
  crowd.clock = now();
  std::vector<Machine*> machines = {this};
  while (helpers_.size() + 1 < crew) helpers_.push_back(std::make_unique<Machine>(settings));
  for (size_t i = 1; i < crew; ++i) {
    Machine& helper = *helpers_[i - 1];
    helper.executed_ = 0;
    helper.profile_.keep(profile_.is_kept());
    helper.begin(launch);
    machines.push_back(&helper);
  }
  for (size_t i = 0; i < crew; ++i) {
    machines[i]->crowd_ = &crowd;
    machines[i]->share_ = (launch.resident_blocks + crew - 1 - i) / crew;
  }
  std::vector<std::exception_ptr> faults(crew);
  const auto work = [&](size_t i) {
    try {
      machines[i]->run_all(launch);
    } catch (...) {
      faults[i] = std::current_exception();
      crowd.stop.store(true, std::memory_order_relaxed);
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < crew; ++i) threads.emplace_back(work, i);
  work(0);
  for (std::thread& t : threads) t.join();
  for (Machine* m : machines) m->crowd_ = nullptr;
  for (size_t i = 1; i < crew; ++i) {
    executed_ += machines[i]->executed_;
    profile_.add(machines[i]->profile_);
  }
  // The clock continues from its current value.
  slept_ = std::max(slept_, crowd.clock.load() - std::min(crowd.clock.load(), executed_));
  for (const std::exception_ptr& fault : faults) {
    if (fault != nullptr) std::rethrow_exception(fault);
  }
}

}  // namespace brokkr::ptx
