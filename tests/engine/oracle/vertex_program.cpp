#include "oracle/vertex_program.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace brokkr::oracle {
namespace {

using shader::Id;
using shader::Instruction;
using shader::Kind;
using shader::Op;
using shader::Program;
using shader::Role;
using shader::Value;

constexpr long double kUnit = 0x1p-24L;       // half a unit in the last place of 1
constexpr long double kSmallest = 0x1p-126L;  // machines may write smaller numbers as 0
constexpr uint32_t kMaxLoopIterations = 65536;

struct Slot {
  ExactNumber number;
  uint32_t bits = 0;  // of integers
  bool truth = false;
};

ExactNumber of_float(uint32_t bits) { return {std::bit_cast<float>(bits), 0}; }

// The result of an operation that rounds once. `error`: what the errors of its operands make.
ExactNumber rounded(long double value, long double error) {
  const long double rounding = std::abs(value) + error < kSmallest ? kSmallest : kUnit * (std::abs(value) + error);
  return {value, error + (value == 0 && error == 0 ? 0 : rounding)};
}
ExactNumber add(const ExactNumber& a, const ExactNumber& b) { return rounded(a.value + b.value, a.bound + b.bound); }
ExactNumber negate(const ExactNumber& a) { return {-a.value, a.bound}; }
ExactNumber multiply(const ExactNumber& a, const ExactNumber& b) {
  return rounded(a.value * b.value, std::abs(a.value) * b.bound + std::abs(b.value) * a.bound + a.bound * b.bound);
}
ExactNumber divide(const ExactNumber& a, const ExactNumber& b) {
  const long double least = std::abs(b.value) - b.bound;
  if (least <= 0) return {a.value / b.value, HUGE_VALL};
  const long double value = a.value / b.value;
  return rounded(value, (a.bound + std::abs(value) * b.bound) / least);
}
// A function whose slope is at most `slope`, and whose result has a relative error of `parts` units and an absolute
// one.
ExactNumber function(const ExactNumber& a, long double value, long double slope, long double parts,
                     long double absolute = 0) {
  const ExactNumber once = rounded(value, slope * a.bound);
  return {value, once.bound + parts * kUnit * std::abs(value) + absolute};
}

class Evaluator {
 public:
  Evaluator(const Program& program, std::span<const uint32_t> inputs, std::span<const uint32_t> uniforms,
            const Fetch& fetch)
      : program_(program),
        inputs_(inputs),
        uniforms_(uniforms),
        fetch_(fetch),
        slots_(program.values.size()),
        outputs_(program.output_words) {
    for (size_t i = 0; i < slots_.size(); ++i) slots_[i] = first(program.values[i]);
  }

  void run() {
    for (size_t at = 0; at < program_.code.size(); ++at) at = step(at);
  }

  const ExactNumber& output(uint32_t word) const { return outputs_.at(word); }

 private:
  Slot word(Kind kind, uint32_t bits) const {
    Slot slot;
    slot.bits = bits;
    slot.truth = kind == Kind::mask && bits != 0;
    if (kind == Kind::number) slot.number = of_float(bits);
    return slot;
  }
  Slot first(const Value& value) const {
    switch (value.role) {
      case Role::constant: return word(value.kind, value.payload);
      case Role::uniform: return word(value.kind, uniforms_[value.payload]);
      case Role::input: return word(value.kind, inputs_[value.payload]);
      case Role::running: {
        Slot slot;
        slot.truth = true;
        return slot;
      }
      default: return {};
    }
  }

  // The instruction that closes the block which instruction `at` opens.
  size_t end_of(size_t at) const {
    int depth = 0;
    for (;; ++at) {
      const Op op = program_.code.at(at).op;
      depth += op == Op::begin_if || op == Op::begin_loop;
      depth -= op == Op::end_if || op == Op::repeat;
      if (depth == 0) return at;
    }
  }

  const Slot& operand(const Instruction& one, size_t i) const { return slots_[one.operand[i]]; }

  // Runs an instruction. Returns the place of the last one that it has dealt with.
  size_t step(size_t at) {
    const Instruction& one = program_.code[at];
    switch (one.op) {
      case Op::begin_if:
      case Op::begin_loop:
        if (!operand(one, 0).truth) return end_of(at);
        if (one.op == Op::begin_loop) loops_.push_back({at, 0});
        return at;
      case Op::end_if: return at;
      case Op::repeat:
        if (operand(one, 0).truth && ++loops_.back().count < kMaxLoopIterations) return loops_.back().begin;
        loops_.pop_back();
        return at;
      case Op::set:
      case Op::mask_set:
        if (operand(one, 1).truth) slots_[one.result[0]] = operand(one, 0);
        return at;
      case Op::element: slots_[one.result[0]] = slots_[one.operand[0] + index(operand(one, 1), one.extra)]; return at;
      case Op::set_element:
        if (operand(one, 3).truth) slots_[one.operand[0] + index(operand(one, 1), one.extra)] = operand(one, 2);
        return at;
      case Op::uniform_at: {
        const uint32_t place = index(operand(one, 0), static_cast<uint32_t>(uniforms_.size()));
        slots_[one.result[0]] = word(program_.value(one.result[0]).kind, uniforms_[place]);
        return at;
      }
      case Op::output: outputs_[one.extra] = operand(one, 0).number; return at;
      case Op::sample: sample(one); return at;
      default: slots_[one.result[0]] = result(one); return at;
    }
  }
  // A texel by its numbers.
  void sample(const Instruction& one) {
    const int axes = shader::axes_of(shader::kind_of_sample(one.extra));
    std::optional<std::array<uint32_t, 4>> texel;
    if ((one.extra & shader::kSampleFetch) != 0 && axes <= 2) {
      const auto place = [&](size_t i) { return static_cast<int32_t>(operand(one, i).bits); };
      texel = fetch_(one.extra, {place(0), axes > 1 ? place(1) : 0});
    }
    if (!texel) throw std::runtime_error("sample");
    for (size_t i = 0; i < one.results; ++i)
      slots_[one.result[i]] = word(program_.value(one.result[i]).kind, (*texel)[i]);
  }
  static uint32_t index(const Slot& slot, uint32_t length) {
    return static_cast<uint32_t>(std::clamp<int64_t>(static_cast<int32_t>(slot.bits), 0, int64_t(length) - 1));
  }

  Slot result(const Instruction& one) const {
    const Slot &a = operand(one, 0), &b = operand(one, one.operands > 1 ? 1 : 0),
               &c = operand(one, one.operands > 2 ? 2 : 0);
    Slot slot;
    if (number(one.op, a.number, b.number, c.number, slot.number)) return slot;
    if (truth(one.op, a, b, c, slot.truth)) return slot;
    if (whole(one.op, a.bits, b.bits, slot.bits)) return slot;
    switch (one.op) {
      case Op::move:
      case Op::mask_move: return a;
      case Op::select: return a.truth ? b : c;
      case Op::reinterpret:
        return word(program_.value(one.result[0]).kind, bits_of(program_.value(one.operand[0]).kind, a));
      case Op::int_to_float: slot.number = rounded(static_cast<int32_t>(a.bits), 0); return slot;
      case Op::uint_to_float: slot.number = rounded(a.bits, 0); return slot;
      case Op::float_to_int:
        slot.bits =
            static_cast<uint32_t>(static_cast<int32_t>(std::clamp(a.number.value, -2147483648.0L, 2147483520.0L)));
        return slot;
      case Op::float_to_uint:
        slot.bits = static_cast<uint32_t>(std::clamp(a.number.value, 0.0L, 4294967040.0L));
        return slot;
      default: throw std::runtime_error(shader::signature_of(one.op).name);
    }
  }
  static uint32_t bits_of(Kind kind, const Slot& slot) {
    return kind == Kind::number ? std::bit_cast<uint32_t>(static_cast<float>(slot.number.value)) : slot.bits;
  }

  static ExactNumber least(const ExactNumber& a, const ExactNumber& b) {
    return {std::min(a.value, b.value), std::max(a.bound, b.bound)};
  }
  static ExactNumber most(const ExactNumber& a, const ExactNumber& b) {
    return {std::max(a.value, b.value), std::max(a.bound, b.bound)};
  }
  // A step at whole numbers. Near one, the program may land on its other side.
  static ExactNumber whole_part(const ExactNumber& a, long double value) {
    const long double to_next = std::abs(a.value - std::round(a.value));
    return {value, a.bound > 0 && to_next <= a.bound ? 1.0L : 0.0L};
  }

  static bool number(Op op, const ExactNumber& a, const ExactNumber& b, const ExactNumber& c, ExactNumber& to) {
    switch (op) {
      case Op::add: to = add(a, b); return true;
      case Op::subtract: to = add(a, negate(b)); return true;
      case Op::multiply: to = multiply(a, b); return true;
      case Op::divide: to = divide(a, b); return true;
      case Op::multiply_add: to = add(multiply(a, b), c); return true;
      case Op::mix: to = add(a, multiply(add(b, negate(a)), c)); return true;
      case Op::negate: to = negate(a); return true;
      case Op::absolute: to = {std::abs(a.value), a.bound}; return true;
      case Op::minimum: to = least(a, b); return true;
      case Op::maximum: to = most(a, b); return true;
      case Op::clamp: to = least(most(a, b), c); return true;
      case Op::floor: to = whole_part(a, std::floor(a.value)); return true;
      case Op::fraction: to = add(a, negate(whole_part(a, std::floor(a.value)))); return true;
      case Op::truncate: to = whole_part(a, std::trunc(a.value)); return true;
      case Op::sign:
        to = {static_cast<long double>((a.value > 0) - (a.value < 0)), std::abs(a.value) <= a.bound ? 1.0L : 0.0L};
        return true;
      case Op::step: to = {b.value < a.value ? 0.0L : 1.0L, 0}; return true;
      case Op::square_root: to = root(a); return true;
      case Op::inverse_root: to = divide({1, 0}, root(a)); return true;
      // The bounds of lane_functions.h.
      case Op::sine: to = function(a, std::sin(a.value), 1, 0, 2e-7L); return true;
      case Op::cosine: to = function(a, std::cos(a.value), 1, 0, 2e-7L); return true;
      case Op::exp2: to = function(a, std::exp2(a.value), std::exp2(a.value + a.bound), 4); return true;
      case Op::power: to = power(a, b); return true;
      default: return false;
    }
  }
  static ExactNumber root(const ExactNumber& a) {
    const long double value = std::sqrt(std::max(a.value, 0.0L));
    return rounded(value, value > 0 ? a.bound / value : std::sqrt(a.bound));
  }
  static ExactNumber power(const ExactNumber& a, const ExactNumber& b) {
    const long double value = a.value > 0 ? std::pow(a.value, b.value) : b.value == 0 ? 1 : 0;
    const long double relative = a.value > a.bound ? std::abs(b.value) * a.bound / (a.value - a.bound) : 1;
    const long double exponent = a.value > 0 ? std::abs(std::log2(a.value) * b.value) : 0;
    return {value, value * (relative + (8 + 4 * exponent) * kUnit)};
  }

  static bool truth(Op op, const Slot& a, const Slot& b, const Slot& c, bool& to) {
    const long double x = a.number.value, y = b.number.value;
    const auto i = static_cast<int32_t>(a.bits), j = static_cast<int32_t>(b.bits);
    switch (op) {
      case Op::less: to = x < y; return true;
      case Op::less_equal: to = x <= y; return true;
      case Op::equal: to = x == y; return true;
      case Op::not_equal: to = x != y; return true;
      case Op::is_infinite: to = std::isinf(x); return true;
      case Op::int_equal: to = a.bits == b.bits; return true;
      case Op::int_less: to = i < j; return true;
      case Op::int_less_equal: to = i <= j; return true;
      case Op::uint_less: to = a.bits < b.bits; return true;
      case Op::uint_less_equal: to = a.bits <= b.bits; return true;
      case Op::mask_and: to = a.truth && b.truth; return true;
      case Op::mask_or: to = a.truth || b.truth; return true;
      case Op::mask_xor: to = a.truth != b.truth; return true;
      case Op::mask_without: to = a.truth && !b.truth; return true;
      case Op::mask_not: to = !a.truth; return true;
      case Op::mask_select: to = a.truth ? b.truth : c.truth; return true;
      default: return false;
    }
  }

  static bool whole(Op op, uint32_t a, uint32_t b, uint32_t& to) {
    const auto i = static_cast<int32_t>(a), j = static_cast<int32_t>(b);
    switch (op) {
      case Op::int_add: to = a + b; return true;
      case Op::int_subtract: to = a - b; return true;
      case Op::int_multiply: to = a * b; return true;
      case Op::int_negate: to = 0 - a; return true;
      case Op::int_minimum: to = static_cast<uint32_t>(std::min(i, j)); return true;
      case Op::int_maximum: to = static_cast<uint32_t>(std::max(i, j)); return true;
      case Op::bits_and: to = a & b; return true;
      case Op::bits_or: to = a | b; return true;
      case Op::bits_xor: to = a ^ b; return true;
      case Op::bits_not: to = ~a; return true;
      case Op::shift_left: to = a << (b & 31); return true;
      case Op::shift_right: to = a >> (b & 31); return true;
      case Op::shift_right_signed: to = static_cast<uint32_t>(i >> (b & 31)); return true;
      default: return false;
    }
  }

  struct Loop {
    size_t begin;
    uint32_t count;
  };
  const Program& program_;
  std::span<const uint32_t> inputs_, uniforms_;
  const Fetch& fetch_;
  std::vector<Slot> slots_;
  std::vector<ExactNumber> outputs_;
  std::vector<Loop> loops_;
};

}  // namespace

ExactVertex evaluate(const shader::Program& program, std::span<const uint32_t> inputs,
                     std::span<const uint32_t> uniforms, uint32_t position, const Fetch& fetch) {
  ExactVertex result;
  try {
    Evaluator evaluator(program, inputs, uniforms, fetch);
    evaluator.run();
    for (uint32_t i = 0; i < 4; ++i) result.position[i] = evaluator.output(position + i);
  } catch (const std::runtime_error& error) {
    result.problem = error.what();
  }
  return result;
}

}  // namespace brokkr::oracle
