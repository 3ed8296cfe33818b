// Function calls: frames of registers, local memory, arguments and results; and CUDA's built-in functions.

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>

#include "ptx/block.h"
#include "ptx/machine.h"
#include "ptx/warp.h"

namespace brokkr::ptx {

// The places at which lanes of a warp wait for each other.

// Returns true if the lanes may continue immediately. Otherwise they wait at `pc`.
bool Warp::collect(const Instruction& in, uint32_t lanes, uint32_t pc) {
  const uint32_t* const masks = words(in.m);
  const uint32_t mask = masks[__builtin_ctz(lanes)];
  uint32_t other = 0;
  if ((in.m & 3) != kConstant) {
    for (uint32_t l = 0; l < kLanes; ++l) other |= (lanes >> l & 1) != 0 ? masks[l] ^ mask : 0;
  }
  if (other == 0 && (mask & live_) == lanes) {
    in.run(*this, in, lanes);
    if (Collective(in.mode) == Collective::sync_warp) meet_warp(lanes);
    return true;
  }
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    if ((masks[l] >> l & 1) == 0) fail(in, 1u << l, "the mask of the collective does not name the lane itself");
  }
  set_pc(lanes, pc);
  ready_ &= ~lanes;
  waiting_ |= lanes;
  settle();
  return false;
}

void Warp::settle() {
  const auto mask_of = [&](uint32_t l) { return *word_of(program_.code[pc_[l]].m, l); };
  for (uint32_t todo = waiting_; todo != 0;) {
    const uint32_t first = uint32_t(__builtin_ctz(todo));
    const uint8_t mode = program_.code[pc_[first]].mode;
    const uint32_t mask = mask_of(first);
    uint32_t there = 0;
    for (uint32_t m = waiting_; m != 0; m &= m - 1) {
      const uint32_t l = uint32_t(__builtin_ctz(m));
      if (program_.code[pc_[l]].mode == mode && mask_of(l) == mask) there |= 1u << l;
    }
    todo &= ~there;
    if ((mask & live_ & ~there) == 0) complete(there);
  }
}

// The lanes are at one instruction, or at several of the same kind, each with its own operands.
void Warp::complete(uint32_t lanes) {
  const uint32_t first = uint32_t(__builtin_ctz(lanes));
  const Instruction* in[kLanes] = {};
  bool one_frame = true;
  uint32_t others = 0;
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    in[l] = &program_.code[pc_[l]];
    one_frame &= frame_of_[l] == frame_of_[first];
    if (in[l] != in[first]) others |= 1u << l;
  }
  const bool sync = Collective(in[first]->mode) == Collective::sync_warp;
  if (one_frame && others == 0) {
    uint32_t* const kept = base_[kFrame];
    base_[kFrame] = stack_ + frame_of_[first];
    in[first]->run(*this, *in[first], lanes);
    base_[kFrame] = kept;
  } else {
    if (others != 0) {
      machine_.warn("lanes of a warp meet at two instructions:\n    " + program_.describe(pc_[first]) + "\n    " +
                    program_.describe(pc_[__builtin_ctz(others)]));
    }
    collect_mixed(*this, in, lanes);
  }
  if (sync) meet_warp(lanes);
  for (uint32_t m = lanes; m != 0; m &= m - 1) ++pc_[__builtin_ctz(m)];
  waiting_ &= ~lanes;
  ready_ |= lanes;
}

void Warp::arrive(const Instruction& in, uint32_t lanes, uint32_t pc) {
  const uint32_t id = words(in.a)[__builtin_ctz(lanes)];
  if (id >= 16) fail(in, lanes, "barrier " + std::to_string(id) + " of 16");
  const uint32_t least = in.b == kNowhere ? 0 : words(in.b)[__builtin_ctz(lanes)];
  meet_block(lanes, true);
  set_pc(lanes, pc);
  ready_ &= ~lanes;
  at_barrier_[id] |= lanes;
  if (in.c != kNowhere) barrier_votes_ = (barrier_votes_ & ~lanes) | (bits(in.c, in.c_negated) & lanes);
  block_.barrier_least[id] = least;
  block_.settle_barrier(id, least);
}

namespace {

constexpr uint32_t kNowhereYet = ~0u;
constexpr size_t kMaxArguments = 8;  // for a function that the interpreter or its machine provides

}  // namespace

// A call by all running lanes continues in the callee immediately.
bool Warp::call(Group& g, const Instruction& in, uint32_t active) {
  const CallSite& site = program_.calls[in.target];
  if (site.builtin != Builtin::none) {
    call_builtin(in, site, active);
    ++g.pc;
    if (active == g.lanes) return true;
    set_pc(active, g.pc);
    return false;
  }
  const uint32_t base = enter(site, active, g.base, g.pc + 1);
  const uint32_t begin = program_.functions[site.function].begin;
  if (active != g.lanes || !g.alone) {
    set_pc(active, begin);
    return false;
  }
  g.base = base, g.stop = kNowhereYet;
  base_[kFrame] = stack_ + base;
  g.pc = begin;
  return true;
}

// Lanes that call the same function go there together.
void Warp::call_register(const Group& g, const Instruction& in, uint32_t active) {
  const uint64_t* const addresses = longs(in.a);
  for (uint32_t rest = active; rest != 0;) {
    const uint64_t address = addresses[__builtin_ctz(rest)], offset = address - kFirstFunction;
    uint32_t same = 0;
    for (uint32_t m = rest; m != 0; m &= m - 1) {
      const uint32_t l = uint32_t(__builtin_ctz(m));
      same |= uint32_t(addresses[l] == address) << l;
    }
    rest &= ~same;
    const CallSite* site = nullptr;
    if (offset % kFunctionBytes == 0 && offset / kFunctionBytes < program_.functions.size())
      site = program_.call_at(g.pc, uint32_t(offset / kFunctionBytes));
    if (site == nullptr) fail(in, same, "call of an address that is not a function with these arguments");
    enter(*site, same, g.base, g.pc + 1);
    set_pc(same, program_.functions[site->function].begin);
  }
}

// Lanes in the same call of the same frame share its registers.
uint32_t Warp::enter(const CallSite& site, uint32_t lanes, uint32_t caller, uint32_t back) {
  const Function& callee = program_.functions[site.function];
  uint32_t top = 0, base = kNowhereYet, caller_function = 0;
  for (Frame& f : frames_) {
    top = std::max(top, f.end);
    if (f.begin == caller && (f.lanes & lanes) != 0) caller_function = f.function;
    if (f.function == site.function && f.caller == caller && f.begin != caller) {
      f.lanes |= lanes;
      base = f.begin;
    }
  }
  if (base == kNowhereYet) {
    base = top;
    if (base + callee.frame_words > kStackWords)
      fail(program_.code[back - 1], lanes, "calls are nested too deeply: no memory for registers");
    frames_.push_back({base, base + callee.frame_words, site.function, caller, lanes});
  }
  const uint32_t caller_local = program_.functions[caller_function].local_bytes;
  uint32_t* const from = stack_ + caller;
  uint32_t* const to = stack_ + base;
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    uint64_t local;
    std::memcpy(&local, from + kFrameLocal + 2 * l, 8);
    const uint64_t inner = local + caller_local;
    const uint64_t begin = local_ + uint64_t(l) * kLocalBytes;
    if (inner + callee.local_bytes > begin + kLocalBytes)
      fail(program_.code[back - 1], 1u << l, "calls are nested too deeply: no local memory");
    for (const Copy& c : site.arguments) {
      std::memcpy(reinterpret_cast<void*>(inner + c.to), reinterpret_cast<const void*>(local + c.from), c.bytes);
    }
    std::memcpy(to + kFrameLocal + 2 * l, &inner, 8);
    to[kFrameReturn + l] = back;
    to[kFrameCaller + l] = caller;
    frame_of_[l] = base;
  }
  return base;
}

void Warp::leave(uint32_t lanes, uint32_t frame) {
  if (frame == 0) return end(lanes);
  const uint32_t* const from = stack_ + frame;
  const auto current = std::find_if(frames_.begin(), frames_.end(), [&](const Frame& f) { return f.begin == frame; });
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    const uint32_t back = from[kFrameReturn + l], caller = from[kFrameCaller + l];
    const CallSite& site = *program_.call_at(back - 1, current->function);
    uint64_t inner, local;
    std::memcpy(&inner, from + kFrameLocal + 2 * l, 8);
    std::memcpy(&local, stack_ + caller + kFrameLocal + 2 * l, 8);
    for (const Copy& c : site.results)
      std::memcpy(reinterpret_cast<void*>(local + c.from), reinterpret_cast<const void*>(inner + c.to), c.bytes);
    pc_[l] = back;
    frame_of_[l] = caller;
  }
  current->lanes &= ~lanes;
  if (current->lanes == 0) frames_.erase(current);
}

void Warp::end(uint32_t lanes) {
  meet_weakly(lanes, false);
  live_ &= ~lanes;
  ready_ &= ~lanes;
  settle();
  block_.settle_barriers();
}

std::string Warp::text_at(uint64_t address, const Instruction& in, uint32_t lane) {
  std::string s;
  for (char c; (c = char(*at(address, 1, in, lane, kAnyRange))) != '\0'; ++address) s += c;
  return s;
}

// Formats a lane's printf. Its values are stored consecutively, each aligned to its size.
std::string Warp::printed(const std::string& format, uint64_t values, const Instruction& in, uint32_t lane) {
  const auto value = [&](uint32_t bytes) {
    values = (values + bytes - 1) / bytes * bytes;
    uint64_t bits = 0;
    std::memcpy(&bits, at(values, bytes, in, lane, kAnyRange), bytes);
    values += bytes;
    return bits;
  };
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    size_t end = format[i] == '%' ? format.find_first_of("%cdiouxXeEfFgGaAsp", i + 1) : std::string::npos;
    if (end == std::string::npos) {
      out += format[i];
      continue;
    }
    const std::string part = format.substr(i, end + 1 - i);
    const bool wide = part.find_first_of("lz") != std::string::npos;
    char piece[512];
    if (format[end] == '%') {
      std::snprintf(piece, sizeof piece, "%%");
    } else if (format[end] == 's') {
      std::snprintf(piece, sizeof piece, part.c_str(), text_at(value(8), in, lane).c_str());
    } else if (format[end] == 'p') {
      std::snprintf(piece, sizeof piece, part.c_str(), reinterpret_cast<void*>(value(8)));
    } else if (std::strchr("eEfFgGaA", format[end]) != nullptr) {
      std::snprintf(piece, sizeof piece, part.c_str(), std::bit_cast<double>(value(8)));
    } else if (wide) {
      std::snprintf(piece, sizeof piece, part.c_str(), value(8));
    } else {
      std::snprintf(piece, sizeof piece, part.c_str(), uint32_t(value(4)));
    }
    out += piece;
    i = end;
  }
  return out;
}

uint64_t Warp::argument_of(const Instruction& in, uint32_t lane, size_t argument) const {
  const Copy& c = program_.calls[in.target].arguments.at(argument);
  const uint64_t local = *long_of(place_of(kFrame, kFrameLocal), lane);
  uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(local + c.from), std::min(c.bytes, 8u));
  return value;
}

void Warp::call_builtin(const Instruction& in, const CallSite& site, uint32_t lanes) {
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    uint64_t local, argument[kMaxArguments] = {};
    std::memcpy(&local, words(place_of(kFrame, kFrameLocal)) + 2 * l, 8);
    for (size_t i = 0; i < site.arguments.size() && i < kMaxArguments; ++i)
      std::memcpy(&argument[i], reinterpret_cast<const void*>(local + site.arguments[i].from), site.arguments[i].bytes);
    if (site.builtin == Builtin::foreign) {
      if (machine_.foreign == nullptr)
        fail(in, lanes, program_.functions[site.function].name + " is a function of a machine that times programs");
      const uint64_t result = machine_.foreign->call(*this, in, l, argument);
      if (!site.results.empty())
        std::memcpy(reinterpret_cast<void*>(local + site.results[0].from), &result, site.results[0].bytes);
      continue;
    }
    if (site.builtin == Builtin::assertfail) {
      fail(in, 1u << l,
           "assertion `" + text_at(argument[0], in, l) + "' failed at " + text_at(argument[1], in, l) + ":" +
               std::to_string(uint32_t(argument[2])) + " in " + text_at(argument[3], in, l));
    }
    std::fputs(printed(text_at(argument[0], in, l), argument[1], in, l).c_str(), stdout);
  }
}

}  // namespace brokkr::ptx
