#include "ptx/warp.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "ptx/machine.h"

namespace brokkr::ptx {
namespace {

constexpr uint32_t kNoStop = ~0u;
constexpr uint64_t kNever = ~uint64_t(0);
// Lanes that wait for others of their warp without sleeping yield after this many instructions.
constexpr uint64_t kPatience = 20000;

std::string lane_list(uint32_t lanes) {
  if (lanes == kAllLanes) return "all lanes";
  std::string text = __builtin_popcount(lanes) == 1 ? "lane" : "lanes";
  for (uint32_t l = 0; l < kLanes;) {
    if ((lanes >> l & 1) == 0) {
      ++l;
      continue;
    }
    uint32_t end = l;
    while (end + 1 < kLanes && (lanes >> (end + 1) & 1) != 0) ++end;
    text += " " + std::to_string(l) + (end > l ? "-" + std::to_string(end) : "");
    l = end + 1;
  }
  return text;
}

}  // namespace

Warp::Warp(Machine& machine, Block& block, uint32_t number, uint32_t threads)
    : machine_(machine),
      block_(block),
      program_(*block.launch.program),
      shared_(block.shared),
      shared_bytes_(block.shared_bytes),
      local_(reinterpret_cast<uint64_t>(block.local) + uint64_t(number) * kLanes * kLocalBytes),
      number_(number),
      stack_(machine.take_stack()) {
  is_crowded_ = machine.is_crowded();
  const Launch& launch = block.launch;
  const uint32_t first = number * machine.warp_lanes;
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint32_t thread = first + l;
    if (thread < threads && l < machine.warp_lanes) live_ |= 1u << l;
    set_special(launch, l, thread);
  }
  ready_ = live_;
  base_[kConstant] = const_cast<uint32_t*>(program_.constants.data());
  base_[kSpecial] = special_;
  base_[kFrame] = stack_;
  const Function& kernel = *launch.kernel;
  for (uint32_t l = 0; l < kLanes; ++l) {
    pc_[l] = kernel.begin;
    const uint64_t local = local_ + uint64_t(l) * kLocalBytes;
    std::memcpy(stack_ + kFrameLocal + 2 * l, &local, 8);
  }
  frames_.push_back({0, kernel.frame_words, uint32_t(&kernel - program_.functions.data()), 0, live_});
  if (machine.settings.held_stores > 0 || machine.settings.stale_loads) {
    is_weak_ = true;
    stores_.resize(kLanes);
    views_.resize(kLanes);
    fenced_.resize(kLanes);
    for (LaneView& view : views_) view.synchronize(machine.history.now());
  }
  if (machine.races != nullptr) {
    races_ = machine.races.get();
    race_slot_ = races_->add_warp(block.number);
  }
}

void Warp::set_special(const Launch& launch, uint32_t lane, uint32_t thread) {
  const uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  const auto set = [&](Special s, uint32_t value) { special_[s * kLanes + lane] = value; };
  set(kTidX, thread % launch.block[0]);
  set(kTidY, thread / launch.block[0] % launch.block[1]);
  set(kTidZ, thread / launch.block[0] / launch.block[1]);
  for (uint32_t i = 0; i < 3; ++i) {
    set(Special(kNtidX + i), launch.block[i]);
    set(Special(kCtaidX + i), block_.index[i]);
    set(Special(kNctaidX + i), launch.grid[i]);
  }
  set(kLaneId, lane);
  set(kWarpId, number_);
  set(kNwarpId, (threads + machine_.warp_lanes - 1) / machine_.warp_lanes);
  set(kSmId, block_.number % uint32_t(machine_.settings.multiprocessors));
  set(kNsmId, uint32_t(machine_.settings.multiprocessors));
  set(kMaskEq, 1u << lane);
  set(kMaskLt, (1u << lane) - 1);
  set(kMaskLe, (2u << lane) - 1);
  set(kMaskGe, ~((1u << lane) - 1));
  set(kMaskGt, ~((2u << lane) - 1));
  set(kDynamicShared, launch.dynamic_shared);
  set(kTotalShared, uint32_t(shared_bytes_));
  const uint64_t parameters = reinterpret_cast<uint64_t>(launch.parameters);
  std::memcpy(&special_[kParamWord + 2 * lane], &parameters, 8);
}

void Warp::identify(const Launch& launch, uint32_t lane, uint32_t block_number, uint32_t thread) {
  set_special(launch, lane, thread);
  special_[kCtaidX * kLanes + lane] = block_number % launch.grid[0];
  special_[kCtaidY * kLanes + lane] = block_number / launch.grid[0] % launch.grid[1];
  special_[kCtaidZ * kLanes + lane] = block_number / launch.grid[0] / launch.grid[1];
}

Warp::~Warp() {
  machine_.give_stack(stack_);
  if (races_ != nullptr) races_->remove_warp(race_slot_);
}

uint64_t Warp::clock() const { return machine_.now(); }

void Warp::fail(const Instruction& in, uint32_t lanes, const std::string& what) const {
  const uint32_t pc = uint32_t(&in - program_.code.data());
  throw Fault(what + "\n  block " + std::to_string(block_.number) + ", warp " + std::to_string(number_) + ", " +
              lane_list(lanes) + ": " + program_.describe(pc));
}

void Warp::warn(const Instruction& in, const std::string& what) const {
  machine_.warn(what + ": " + program_.describe(uint32_t(&in - program_.code.data())));
}

void Warp::bad_access(uint64_t address, uint32_t bytes, const Instruction& in, uint32_t lane, uint32_t kinds) const {
  const Range& r = memory_.range_of(address);
  char text[64];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  std::string what = std::to_string(bytes) + " bytes at " + text + ": ";
  if ((address & (bytes - 1)) != 0) {
    what = "misaligned access to " + what;
  } else if (address >= r.begin && address + bytes <= r.end && (r.kind & kinds) == 0) {
    what = "access of the wrong state space, or a store to memory that is read only: " + what;
  } else if (address >= r.begin && address + bytes <= r.end) {
    what = "access to memory of another block or thread: " + what;
  } else {
    what = "access out of bounds to " + what;
  }
  fail(in, 1u << lane, what + memory_.describe(address));
}

void Warp::check(uint64_t address, uint32_t bytes, const Instruction& in, uint32_t lane, uint32_t kinds) const {
  const Range& r = memory_.range_of(address);
  if (address < r.begin || address + bytes > r.end || (r.kind & kinds) == 0 || (address & (bytes - 1)) != 0 ||
      (r.owner != nullptr && !owns(r, address, lane))) [[unlikely]]
    bad_access(address, bytes, in, lane, kinds);
}

bool Warp::owns(const Range& r, uint64_t address, uint32_t lane) const {
  if (r.owner != &block_) return false;
  if (r.kind != kLocalRange) return true;
  const uint64_t begin = local_ + uint64_t(lane) * kLocalBytes;
  return address >= begin && address < begin + kLocalBytes;
}

uint64_t Warp::wake() {
  if (asleep_ == 0) return kNever;
  const uint64_t now = machine_.now();
  uint64_t next = kNever;
  for (uint32_t m = asleep_; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    if (wake_[l] <= now) {
      asleep_ &= ~(1u << l);
      ready_ |= 1u << l;
    } else {
      next = std::min(next, wake_[l]);
    }
  }
  return next;
}

// By default, runs the innermost call first, and within it the lowest address. Lanes that are ahead wait for the
// others, so that they meet where paths join.
Warp::Group Warp::pick(uint32_t avoid) {
  uint32_t from = ready_ & ~avoid;
  if (from == 0) from = ready_;
  Group g{0, 0, 0, kNoStop, true};
  if (from == ready_) {  // the common case: all lanes are at one place
    const uint32_t l = uint32_t(__builtin_ctz(from));
    g.pc = pc_[l], g.base = frame_of_[l];
    uint32_t other = 0;
    for (uint32_t i = 0; i < kLanes; ++i) other |= uint32_t(pc_[i] != g.pc || frame_of_[i] != g.base) << i;
    if ((other & ready_) == 0) {
      g.lanes = from;
      g.first = true;
      return g;
    }
    g.base = 0;
  }
  // Loops over all lanes, so that the compiler vectorizes.
  for (uint32_t l = 0; l < kLanes; ++l) g.base = std::max(g.base, (from >> l & 1) != 0 ? frame_of_[l] : 0);
  g.pc = kNoStop;
  for (uint32_t l = 0; l < kLanes; ++l)
    g.pc = std::min(g.pc, (from >> l & 1) != 0 && frame_of_[l] == g.base ? pc_[l] : kNoStop);
  g.lanes = ready_ & lanes_at(g.pc, g.base);
  for (uint32_t l = 0; l < kLanes; ++l)
    g.stop = std::min(g.stop, (ready_ >> l & 1) != 0 && frame_of_[l] == g.base && pc_[l] > g.pc ? pc_[l] : kNoStop);
  g.alone = g.lanes == ready_;
  g.first = from == ready_;
  return g;
}

// Adversarial mode: picks any lane, together with some of those at the same place.
Warp::Group Warp::pick_any() {
  Group g{0, 0, 0, kNoStop, false};
  uint32_t skip = machine_.random.below(uint32_t(__builtin_popcount(ready_)));
  uint32_t m = ready_;
  while (skip-- > 0) m &= m - 1;
  const uint32_t chosen = uint32_t(__builtin_ctz(m));
  g.pc = pc_[chosen], g.base = frame_of_[chosen];
  for (uint32_t l = 0; l < kLanes; ++l) {
    if ((ready_ >> l & 1) != 0 && pc_[l] == g.pc && frame_of_[l] == g.base) g.lanes |= 1u << l;
  }
  if (machine_.random.below(8) == 0) g.lanes = (g.lanes & uint32_t(machine_.random.next())) | 1u << chosen;
  g.alone = g.lanes == ready_;
  return g;
}

void Warp::set_pc(uint32_t lanes, uint32_t pc) {
  for (uint32_t l = 0; l < kLanes; ++l) pc_[l] = (lanes >> l & 1) != 0 ? pc : pc_[l];
}

uint64_t Warp::run(uint64_t most) {
  uint64_t done = 0;
  turn_ = machine_.adversarial ? machine_.random.below(kLanes) : 0;
  uint32_t avoid = ran_last_;
  ran_last_ = 0;
  while (done < most && ready_ != 0) {
    Group g = machine_.adversarial ? pick_any() : pick(avoid);
    avoid = 0;
    const uint64_t ran = run_group(g, machine_.adversarial ? 1 + machine_.random.below(64) : most - done);
    done += ran;
    // Lanes that spin until another lane of their warp acts must let that lane run.
    patience_ = g.alone ? 0 : patience_ + ran;
    if (patience_ > kPatience) {
      patience_ = 0;
      avoid = ran_last_ = g.lanes;
    }
  }
  commit_due();
  return done;
}

// Runs a group for a turn of about `most` instructions. Lanes may leave it at a branch.
uint64_t Warp::run_group(Group& g, uint64_t most) {
  base_[kFrame] = stack_ + g.base;
  for (uint64_t done = 0;;) {
    if (g.pc >= g.stop || done >= most) {
      set_pc(g.lanes, g.pc);
      return done;
    }
    if (const uint32_t plain = program_.code[g.pc].plain; plain > 0) {
      const uint32_t count = uint32_t(std::min<uint64_t>({plain, g.stop - g.pc, most - done}));
      run_plain(g, count);
      done += count;
      continue;
    }
    ++done;
    if (!step(g)) return done;
  }
}

void Warp::run_plain(Group& g, uint32_t count) {
  const Instruction* in = &program_.code[g.pc];
  const Instruction* const end = in + count;
  if (machine_.counts != nullptr) {
    for (; in != end; ++in, ++g.pc) {
      const uint32_t active = in->guard == kNowhere ? g.lanes : g.lanes & bits(in->guard, in->guard_negated);
      count_run(g.pc, active);
      if (active != 0) in->run(*this, *in, active);
    }
    return;
  }
  for (; in != end; ++in) {
    const uint32_t active = in->guard == kNowhere ? g.lanes : g.lanes & bits(in->guard, in->guard_negated);
    if (active != 0) in->run(*this, *in, active);
  }
  g.pc += count;
}

void Warp::count_run(uint32_t pc, uint32_t lanes) const {
  machine_.counts[pc] += lanes != 0;
  if (machine_.lane_counts != nullptr) machine_.lane_counts[pc] += uint64_t(__builtin_popcount(lanes));
}

// Loop over all lanes, so that the compiler vectorizes.
uint32_t Warp::lanes_at(uint32_t pc, uint32_t frame) const {
  uint32_t there = 0;
  for (uint32_t l = 0; l < kLanes; ++l) there |= uint32_t((pc_[l] == pc) & (frame_of_[l] == frame)) << l;
  return there;
}

uint32_t Warp::lanes_below(uint32_t frame) const {
  uint32_t there = 0;
  for (uint32_t l = 0; l < kLanes; ++l) there |= uint32_t(frame_of_[l] < frame) << l;
  return there;
}

uint32_t Warp::guarded(const Instruction& in, uint32_t lanes) const {
  if (in.guard == kNowhere) return lanes;
  const uint32_t bits_there = *predicate_of(in.guard, uint32_t(__builtin_ctz(lanes)));
  return lanes & (in.guard_negated ? ~bits_there : bits_there);
}

uint64_t Warp::address_of(const Instruction& in, const Traits& traits, uint32_t lane) const {
  return (traits.wide_address ? *long_of(in.a, lane) : *word_of(in.a, lane)) + in.offset;
}

void Warp::issue(uint32_t lanes) {
  const uint32_t first = uint32_t(__builtin_ctz(lanes));
  Group g{pc_[first], frame_of_[first], lanes, kNoStop, false};
  base_[kFrame] = stack_ + g.base;
  if (step(g)) set_pc(g.lanes, g.pc);
}

bool Warp::step(Group& g) {
  const Instruction& in = program_.code[g.pc];
  uint32_t active = g.lanes;
  if (in.guard != kNowhere) active &= bits(in.guard, in.guard_negated);
  if (machine_.counts != nullptr) count_run(g.pc, active);
  if (in.kind == Kind::plain) {
    if (active != 0) in.run(*this, in, active);
    ++g.pc;
    return true;
  }
  if (active == 0) {
    ++g.pc;
    return true;
  }
  if (in.kind == Kind::branch) {
    if (active != g.lanes) return part(g, in, active);
    g.pc = in.target;
    return true;
  }
  if (active != g.lanes) set_pc(g.lanes & ~active, g.pc + 1);
  return control(g, in, active);
}

// The group continues with the lanes that `pick` would choose next, which are at the lower address. The others wait at
// the other address.
bool Warp::part(Group& g, const Instruction& in, uint32_t active) {
  const uint32_t next = g.pc + 1, rest = g.lanes & ~active;
  set_pc(active, in.target);
  set_pc(rest, next);
  const bool back = in.target < next;
  if (!g.first || in.target == next || (!back && next >= g.stop)) return false;
  g.alone = false;
  g.lanes = back ? active : rest;
  g.pc = std::min(in.target, next);
  g.stop = std::min(g.stop, std::max(in.target, next));
  return true;
}

// Executes instructions that change program counters. Inactive lanes have already moved to the next instruction.
bool Warp::control(Group& g, const Instruction& in, uint32_t active) {
  switch (in.kind) {
    case Kind::branch_table: branch_by_table(in, active); return false;
    case Kind::call: return call(g, in, active);
    case Kind::call_register: call_register(g, in, active); return false;
    case Kind::leave: leave(active, g.base); return false;
    case Kind::end: end(active); return false;
    case Kind::collective:
      if (!collect(in, active, g.pc)) return false;
      break;
    case Kind::barrier: arrive(in, active, g.pc); return false;
    case Kind::sleep:
      set_pc(active, g.pc + 1);
      sleep(in, active);
      return false;
    case Kind::stop: fail(in, active, "trap");
    case Kind::plain:
    case Kind::branch:
    case Kind::unknown: fail(in, active, "instruction that the interpreter does not know");
  }
  ++g.pc;
  if (active == g.lanes) return true;
  set_pc(active, g.pc);
  return false;
}

void Warp::branch_by_table(const Instruction& in, uint32_t lanes) {
  const std::vector<uint32_t>& table = program_.tables[in.target];
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    const uint32_t index = words(in.a)[l];
    if (index >= table.size()) fail(in, 1u << l, "brx.idx: index " + std::to_string(index) + " out of bounds");
    pc_[l] = table[index];
  }
}

void Warp::sleep(const Instruction& in, uint32_t lanes) {
  const uint64_t now = machine_.now();
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    wake_[l] = now + words(in.a)[l];
  }
  ready_ &= ~lanes;
  asleep_ |= lanes;
}

std::string Warp::state() const {
  std::string text;
  for (uint32_t todo = live_; todo != 0;) {
    const uint32_t first = uint32_t(__builtin_ctz(todo));
    const auto kind_of = [&](uint32_t l) {
      if ((waiting_ >> l & 1) != 0) return "waits for lanes";
      if ((asleep_ >> l & 1) != 0) return "sleeps";
      if ((ready_ >> l & 1) != 0) return "runs";
      return "waits at a barrier";
    };
    uint32_t same = 0;
    for (uint32_t m = todo; m != 0; m &= m - 1) {
      const uint32_t l = uint32_t(__builtin_ctz(m));
      if (pc_[l] == pc_[first] && kind_of(l) == kind_of(first)) same |= 1u << l;
    }
    todo &= ~same;
    text += "\n  block " + std::to_string(block_.number) + ", warp " + std::to_string(number_) + ", " +
            lane_list(same) + ", " + kind_of(first) + ": " + program_.describe(pc_[first]);
    // The call stack.
    for (uint32_t frame = frame_of_[first]; frame != 0;) {
      const uint32_t* const words = stack_ + frame;
      text += "\n      from " + program_.describe(words[kFrameReturn + first] - 1);
      frame = words[kFrameCaller + first];
    }
  }
  return text;
}

}  // namespace brokkr::ptx
