
#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>

#include "shader/simplify.h"

namespace brokkr::shader {

namespace {

// The known facts about a value: the range of a number, the constant bits of an integer, or whether a mask can be true
// and can be false.
struct Fact {
  Range range;
  bool is_known = false;
  uint32_t bits = 0;
  bool may_be_true = true, may_be_false = true;
};

Range exactly(float v) { return std::isnan(v) ? Range{} : Range{v, v, false}; }
Range hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.nan || b.nan};
}
bool is_finite(const Range& a) { return std::isfinite(a.low) && std::isfinite(a.high); }

Fact of_range(const Range& range) {
  Fact fact;
  fact.range = range;
  return fact;
}
Fact of_truth(bool may_be_true, bool may_be_false) {
  Fact fact;
  fact.may_be_true = may_be_true;
  fact.may_be_false = may_be_false;
  return fact;
}
Fact of_bits(Kind kind, uint32_t bits) {
  if (kind == Kind::mask) return of_truth(bits != 0, bits == 0);
  Fact fact;
  fact.is_known = true;
  fact.bits = bits;
  if (kind == Kind::number) fact.range = exactly(std::bit_cast<float>(bits));
  return fact;
}
Fact either(const Fact& a, const Fact& b) {
  Fact fact;
  fact.range = hull(a.range, b.range);
  fact.is_known = a.is_known && b.is_known && a.bits == b.bits;
  fact.bits = a.bits;
  fact.may_be_true = a.may_be_true || b.may_be_true;
  fact.may_be_false = a.may_be_false || b.may_be_false;
  return fact;
}

// Rounding is monotonic. If we compute the ends of ranges as lanes do, all results in between lie between them.
// Infinities can produce NaN; then nothing is known.
Range sum(const Range& a, const Range& b) {
  if (!is_finite(a) || !is_finite(b)) return {};
  return {a.low + b.low, a.high + b.high, a.nan || b.nan};
}
Range negative(const Range& a) { return {-a.high, -a.low, a.nan}; }
Range of_ends(std::initializer_list<float> ends, bool nan) {
  const auto [low, high] = std::minmax(ends);
  return {low, high, nan};
}
Range product(const Range& a, const Range& b) {
  if (!is_finite(a) || !is_finite(b)) return {};
  return of_ends({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high}, a.nan || b.nan);
}
Range quotient(const Range& a, const Range& b) {
  if (!is_finite(a) || !is_finite(b) || (b.low <= 0 && b.high >= 0)) return {};
  return of_ends({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high}, a.nan || b.nan);
}
// If an operand can be NaN, a minimum may return either operand.
Range smaller(const Range& a, const Range& b) {
  if (a.nan || b.nan) return hull(a, b);
  return {std::min(a.low, b.low), std::min(a.high, b.high), false};
}
Range larger(const Range& a, const Range& b) { return negative(smaller(negative(a), negative(b))); }

template <class F>
Range rising(const Range& a, F f) {
  return {f(a.low), f(a.high), a.nan};
}

// The ranges of functions of one number that have known bounds.
Range of_one(Op op, const Range& a) {
  const bool nan = a.nan || !is_finite(a);
  switch (op) {
    case Op::move: return a;
    case Op::negate: return negative(a);
    case Op::absolute: return larger(a, negative(a));
    case Op::floor: return is_finite(a) ? rising(a, [](float v) { return std::floor(v); }) : Range{};
    case Op::ceiling: return is_finite(a) ? rising(a, [](float v) { return std::ceil(v); }) : Range{};
    case Op::truncate: return is_finite(a) ? rising(a, [](float v) { return std::trunc(v); }) : Range{};
    case Op::fraction: return {0, 1, nan};
    case Op::sign: return {-1, 1, a.nan};
    case Op::square_root: return a.low >= 0 ? rising(a, [](float v) { return std::sqrt(v); }) : Range{};
    case Op::sine:
    case Op::cosine: return {-1.001f, 1.001f, nan};
    case Op::exp:
    case Op::exp2: return {0, std::numeric_limits<float>::infinity(), true};
    default: return {};
  }
}

class Facts {
 public:
  Facts(const Program& program, const DrawFacts& draw) : program_(program), draw_(draw), facts_(program.values.size()) {
    for (Id id = 0; id < facts_.size(); ++id) facts_[id] = of_value(program.value(id));
  }

  bool run(uint32_t output_word, Range* range) {
    bool discards = false;
    for (size_t index = 0; index < program_.code.size(); ++index) {
      const Instruction& one = program_.code[index];
      switch (one.op) {
        case Op::begin_loop: forget(index); [[fallthrough]];
        case Op::begin_if: ++depth_; break;
        case Op::end_if:
        case Op::repeat: --depth_; break;
        case Op::discard: discards = discards || facts_[one.operand[0]].may_be_true; break;
        case Op::output:
          if (one.extra == output_word && range != nullptr) *range = facts_[one.operand[0]].range;
          break;
        case Op::set_element:
          for (uint32_t i = 0; i < one.extra; ++i) facts_[one.operand[0] + i] = {};
          break;
        case Op::set:
        case Op::mask_set: put(one, facts_[one.operand[0]], facts_[one.operand[1]].may_be_false); break;
        case Op::sample: take_texels(one); break;
        default:
          if (one.results == 1) put(one, computed(one), false);
          break;  // nothing is known about other operations
      }
    }
    return discards;
  }

 private:
  Fact of_value(const Value& value) const {
    switch (value.role) {
      case Role::constant: return of_bits(value.kind, value.payload);
      case Role::running: return of_truth(true, false);  // lanes that do not run have no fragments
      case Role::uniform:
        return value.payload < draw_.uniforms.size() ? of_bits(value.kind, draw_.uniforms[value.payload]) : Fact{};
      case Role::input:
        if (value.kind != Kind::number || value.payload >= draw_.inputs.size()) return {};
        return of_range(draw_.inputs[value.payload]);
      default: return {};
    }
  }

  // A cell keeps its value in lanes outside the instruction's mask.
  void put(const Instruction& one, const Fact& fact, bool some_keep) {
    const Id result = one.result[0];
    const bool keeps = program_.value(result).role == Role::cell && (some_keep || depth_ > 0);
    facts_[result] = keeps ? either(facts_[result], fact) : fact;
  }

  // An iteration of a loop finds the values that other iterations left in cells.
  void forget(size_t index) {
    for (size_t open = 1; open > 0 && ++index < program_.code.size();) {
      const Instruction& one = program_.code[index];
      if (one.op == Op::begin_if || one.op == Op::begin_loop) ++open;
      if (one.op == Op::end_if || one.op == Op::repeat) --open;
      for (size_t i = 0; i < one.results; ++i) facts_[one.result[i]] = {};
      for (uint32_t i = 0; one.op == Op::set_element && i < one.extra; ++i) facts_[one.operand[0] + i] = {};
    }
  }

  // Filters round, so a mix of texels may exceed their range by one last bit.
  void take_texels(const Instruction& one) {
    const uint32_t sampler = one.extra & kSamplerMask;
    const bool fetches = (one.extra & (kSampleFetch | kSampleGather)) != 0;
    for (size_t c = 0; c < one.results; ++c) {
      Range range;
      if ((one.extra & kSampleCompare) != 0) {
        range = {0, 1, false};
      } else if (!fetches && sampler < draw_.samplers.size()) {
        range = draw_.samplers[sampler][c];
      }
      if (range.low < range.high) {
        const float margin = 1e-4f * std::max(std::abs(range.low), std::abs(range.high));
        range.low -= margin;
        range.high += margin;
      }
      facts_[one.result[c]] = program_.value(one.result[c]).kind == Kind::number ? of_range(range) : Fact{};
    }
  }

  Fact computed(const Instruction& one) const {
    const Fact& a = facts_[one.operand[0]];
    const Fact& b = facts_[one.operand[1]];
    const Fact& c = facts_[one.operand[2]];
    switch (one.op) {
      case Op::mask_and: return of_truth(a.may_be_true && b.may_be_true, a.may_be_false || b.may_be_false);
      case Op::mask_or: return of_truth(a.may_be_true || b.may_be_true, a.may_be_false && b.may_be_false);
      case Op::mask_without: return of_truth(a.may_be_true && b.may_be_false, a.may_be_false || b.may_be_true);
      case Op::mask_not: return of_truth(a.may_be_false, a.may_be_true);
      case Op::mask_move:
      case Op::move: return a;
      case Op::select:
      case Op::mask_select:
        if (!a.may_be_false) return b;
        return a.may_be_true ? either(b, c) : c;
      case Op::int_equal:
        if (a.is_known && b.is_known) return of_truth(a.bits == b.bits, a.bits != b.bits);
        return {};
      default: break;
    }
    return program_.value(one.result[0]).kind == Kind::mask ? compared(one.op, a.range, b.range)
                                                            : of_range(of_numbers(one, a.range, b.range, c.range));
  }

  static Fact compared(Op op, const Range& a, const Range& b) {
    const bool nan = a.nan || b.nan, apart = a.high < b.low || b.high < a.low;
    const bool same = a.low == a.high && b.low == b.high && a.low == b.low && !nan;
    switch (op) {
      case Op::less: return of_truth(a.low < b.high, nan || a.high >= b.low);
      case Op::less_equal: return of_truth(a.low <= b.high, nan || a.high > b.low);
      case Op::equal: return of_truth(!apart, !same);
      case Op::not_equal: return of_truth(!same, !nan && !apart);
      default: return {};
    }
  }

  Range of_numbers(const Instruction& one, const Range& a, const Range& b, const Range& c) const {
    switch (one.op) {
      case Op::add: return sum(a, b);
      case Op::subtract: return sum(a, negative(b));
      case Op::multiply: {
        Range result = product(a, b);
        if (one.operand[0] == one.operand[1] && is_finite(a)) result.low = std::max(result.low, 0.0f);
        return result;
      }
      case Op::divide: return quotient(a, b);
      case Op::multiply_add: return sum(product(a, b), c);
      case Op::mix: return sum(a, product(sum(b, negative(a)), c));
      case Op::minimum: return smaller(a, b);
      case Op::maximum: return larger(a, b);
      case Op::clamp: return smaller(larger(a, b), c);
      case Op::step: return {0, 1, false};
      case Op::smooth_step: return {0, 1, true};
      default: return of_one(one.op, a);
    }
  }

  const Program& program_;
  const DrawFacts& draw_;
  std::vector<Fact> facts_;
  int depth_ = 0;  // depth of open control
};

}  // namespace

bool may_discard(const Program& program, const DrawFacts& facts, uint32_t output_word, Range* range) {
  return Facts(program, facts).run(output_word, range);
}

void leave_out_discards(Program& program) {
  std::erase_if(program.code, [](const Instruction& one) { return one.op == Op::discard; });
  sweep(program);
}

}  // namespace brokkr::shader
