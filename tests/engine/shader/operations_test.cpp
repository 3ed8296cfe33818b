// Each operation alone: its values against double precision, and its bits on every build of the interpreter.
#include <cstring>
#include <random>

#include "run_shader.h"

namespace brokkr::shader::test {
namespace {

constexpr int kRounds = 64;  // of 64 lanes each

struct Operation {
  Op op;
  Shape result;
  std::vector<Shape> operands;
};

// The operations of operations.def.
std::vector<Operation> operations() {
  std::vector<Operation> all;
  for (int i = 0; i < int(Op::reinterpret); ++i) {
    const Signature& signature = signature_of(Op(i));
    all.push_back(
        {Op(i), signature.result, {signature.operand.begin(), signature.operand.begin() + signature.operands}});
  }
  return all;
}

// Typical numbers, and those at which functions switch between cases.
uint32_t some_word(Shape shape, std::mt19937& random) {
  static const float kNumbers[] = {0.0f,     -0.0f,     1.0f,  -1.0f,       0.5f,          -0.5f,      2.0f,    1e-30f,
                                   1e30f,    3.5f,      -2.5f, 16777216.0f, 2147483648.0f, 4e9f,       -3e9f,   1e-40f,
                                   INFINITY, -INFINITY, NAN,   0.999999f,   1.5707964f,    3.1415927f, 8191.0f, 126.5f};
  static const uint32_t kWhole[] = {0,   1,          2,          3,          31,         32,        33,
                                    255, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe};
  if (shape == Shape::number) {
    if (random() % 4 == 0) return std::bit_cast<uint32_t>(kNumbers[random() % std::size(kNumbers)]);
    const float size = std::exp2(float(int(random() % 40)) - 20.0f);
    return std::bit_cast<uint32_t>((float(random() >> 8) * 0x1p-23f - 1.0f) * size);
  }
  if (random() % 3 == 0) return kWhole[random() % std::size(kWhole)];
  return uint32_t(random() % 2 == 0 ? random() : random() % 100);
}

struct Lanes {
  std::vector<std::array<uint32_t, kSamples>> operands;  // of masks: 0 or 1
};

Lanes some_lanes(const Operation& operation, std::mt19937& random) {
  Lanes lanes;
  lanes.operands.resize(operation.operands.size());
  for (size_t i = 0; i < operation.operands.size(); ++i)
    for (uint32_t& word : lanes.operands[i])
      word = operation.operands[i] == Shape::mask ? random() & 1 : some_word(operation.operands[i], random);
  return lanes;
}

std::array<uint32_t, kSamples> result_on(const ShaderKernel& kernel, const Operation& operation, const Lanes& in) {
  std::array<uint32_t, kSamples> out{};
  const size_t lanes = size_t(kernel.lanes);
  for (size_t first = 0; first < kSamples; first += lanes) {
    std::vector<uint32_t> registers(4 * lanes);
    std::array<uint64_t, 4> masks{};
    CodeInstruction code{};
    code.op = operation.op;
    code.result[0] = 3;
    for (size_t i = 0; i < in.operands.size(); ++i) {
      code.operand[i] = uint16_t(i);
      for (size_t lane = 0; lane < lanes; ++lane) {
        registers[i * lanes + lane] = in.operands[i][first + lane];
        masks[i] |= uint64_t(in.operands[i][first + lane] & 1) << lane;
      }
    }
    ShaderCall call;
    call.code = &code;
    call.end = 1;
    call.registers = registers.data();
    call.masks = masks.data();
    kernel.run(call);
    for (size_t lane = 0; lane < lanes; ++lane)
      out[first + lane] =
          operation.result == Shape::mask ? uint32_t(masks[3] >> lane & 1) : registers[3 * lanes + lane];
  }
  return out;
}

TEST(ShaderOperations, HaveTheSameBitsEverywhere) {
  std::mt19937 random(7);
  const std::vector<std::string> names = runnable_kernels();
  ASSERT_GT(names.size(), 1u);
  for (const Operation& operation : operations()) {
    for (int round = 0; round < kRounds; ++round) {
      const Lanes lanes = some_lanes(operation, random);
      const auto expected = result_on(*find_kernel(names.front()), operation, lanes);
      for (size_t k = 1; k < names.size(); ++k) {
        const auto found = result_on(*find_kernel(names[k]), operation, lanes);
        for (size_t i = 0; i < kSamples; ++i)
          ASSERT_EQ(same_nan(found[i]), same_nan(expected[i]))
              << signature_of(operation.op).name << " on " << names[k] << " of " << std::hex << lanes.operands[0][i]
              << " " << (lanes.operands.size() > 1 ? lanes.operands[1][i] : 0) << " "
              << (lanes.operands.size() > 2 ? lanes.operands[2][i] : 0);
      }
    }
  }
}

float as_number(uint32_t bits) { return std::bit_cast<float>(bits); }

// The largest error that an operation on numbers has within a range of its operands: |found - exact| over max(1,
// |exact|).
struct Exact {
  Op op;
  double low, high;  // of operands
  double error;
  double (*function)(double a, double b, double c);
};

double fraction_of(double a) { return a - std::floor(a); }

const Exact kExact[] = {
    {Op::add, -1e6, 1e6, 1e-7, [](double a, double b, double) { return a + b; }},
    {Op::subtract, -1e6, 1e6, 1e-7, [](double a, double b, double) { return a - b; }},
    {Op::multiply, -1e6, 1e6, 1e-7, [](double a, double b, double) { return a * b; }},
    {Op::divide, 1e-3, 1e6, 1e-7, [](double a, double b, double) { return a / b; }},
    {Op::multiply_add, 0, 100, 2e-7, [](double a, double b, double c) { return a * b + c; }},
    {Op::negate, -1e6, 1e6, 0, [](double a, double, double) { return -a; }},
    {Op::absolute, -1e6, 1e6, 0, [](double a, double, double) { return std::abs(a); }},
    {Op::sign, -4, 4, 0, [](double a, double, double) { return double((a > 0) - (a < 0)); }},
    {Op::floor, -1e6, 1e6, 0, [](double a, double, double) { return std::floor(a); }},
    {Op::ceiling, -1e6, 1e6, 0, [](double a, double, double) { return std::ceil(a); }},
    {Op::truncate, -1e6, 1e6, 0, [](double a, double, double) { return std::trunc(a); }},
    {Op::round_even, -1e6, 1e6, 0, [](double a, double, double) { return std::nearbyint(a); }},
    {Op::fraction, -1e3, 1e3, 1e-7, [](double a, double, double) { return fraction_of(a); }},
    {Op::minimum, -9, 9, 0, [](double a, double b, double) { return std::min(a, b); }},
    {Op::maximum, -9, 9, 0, [](double a, double b, double) { return std::max(a, b); }},
    {Op::clamp, -9, 9, 0, [](double a, double b, double c) { return std::min(std::max(a, b), c); }},
    {Op::mix, 0, 1, 3e-7, [](double a, double b, double c) { return a + (b - a) * c; }},
    {Op::step, -9, 9, 0, [](double a, double b, double) { return b < a ? 0.0 : 1.0; }},
    {Op::square_root, 0, 1e6, 1e-7, [](double a, double, double) { return std::sqrt(a); }},
    {Op::inverse_root, 1e-3, 1e6, 3e-7, [](double a, double, double) { return 1 / std::sqrt(a); }},
    {Op::exp2, -20, 20, 3e-7, [](double a, double, double) { return std::exp2(a); }},
    {Op::exp, -8, 8, 1e-6, [](double a, double, double) { return std::exp(a); }},
    {Op::log2, 1e-6, 1e6, 5e-7, [](double a, double, double) { return std::log2(a); }},
    {Op::log, 1e-6, 1e6, 5e-7, [](double a, double, double) { return std::log(a); }},
    {Op::power, 0.01, 4, 3e-6, [](double a, double b, double) { return std::pow(a, b); }},
    {Op::sine, -8192, 8192, 3e-7, [](double a, double, double) { return std::sin(a); }},
    {Op::cosine, -8192, 8192, 3e-7, [](double a, double, double) { return std::cos(a); }},
    {Op::tangent, -1.5, 1.5, 1e-5, [](double a, double, double) { return std::tan(a); }},
    {Op::arc_sine, -1, 1, 3e-7, [](double a, double, double) { return std::asin(a); }},
    {Op::arc_cosine, -1, 1, 4e-7, [](double a, double, double) { return std::acos(a); }},
    {Op::arc_tangent, -1e3, 1e3, 3e-7, [](double a, double, double) { return std::atan(a); }},
    {Op::arc_tangent2, -9, 9, 4e-7, [](double a, double b, double) { return std::atan2(a, b); }},
    {Op::hyperbolic_sine, -6, 6, 1e-6, [](double a, double, double) { return std::sinh(a); }},
    {Op::hyperbolic_cosine, -6, 6, 1e-6, [](double a, double, double) { return std::cosh(a); }},
    {Op::hyperbolic_tangent, -30, 30, 5e-7, [](double a, double, double) { return std::tanh(a); }},
};

TEST(ShaderOperations, AreAsExactAsTheySay) {
  std::mt19937 random(11);
  const ShaderKernel& kernel = *find_kernel(runnable_kernels().front());
  for (const Exact& exact : kExact) {
    const Signature& signature = signature_of(exact.op);
    double worst = 0;
    for (int round = 0; round < kRounds; ++round) {
      Lanes lanes;
      lanes.operands.resize(signature.operands);
      for (auto& operand : lanes.operands)
        for (uint32_t& word : operand)
          word = std::bit_cast<uint32_t>(float(exact.low + (exact.high - exact.low) * (double(random()) * 0x1p-32)));
      const auto found = result_on(kernel, {exact.op, signature.result, {}}, lanes);
      for (size_t i = 0; i < kSamples; ++i) {
        const auto operand = [&](size_t k) {
          return k < lanes.operands.size() ? double(as_number(lanes.operands[k][i])) : 0;
        };
        const double wanted = exact.function(operand(0), operand(1), operand(2));
        worst = std::max(worst, std::abs(double(as_number(found[i])) - wanted) / std::max(1.0, std::abs(wanted)));
      }
    }
    EXPECT_LE(worst, exact.error) << signature.name;
  }
}

uint32_t exact_integer(Op op, uint32_t a, uint32_t b) {
  const int32_t i = int32_t(a), k = int32_t(b);
  const int64_t wide = i, divisor = k;
  switch (op) {
    case Op::int_add: return a + b;
    case Op::int_subtract: return a - b;
    case Op::int_multiply: return a * b;
    case Op::int_negate: return 0 - a;
    case Op::int_divide: return k == 0 ? 0 : uint32_t(wide / divisor);
    case Op::int_remainder: return k == 0 ? a : uint32_t(wide % divisor);
    case Op::int_modulo: return k == 0 ? a : uint32_t((wide % divisor + divisor) % divisor);
    case Op::uint_divide: return b == 0 ? 0 : a / b;
    case Op::uint_modulo: return b == 0 ? a : a % b;
    case Op::int_absolute: return i < 0 ? 0 - a : a;
    case Op::int_sign: return uint32_t((i > 0) - (i < 0));
    case Op::int_minimum: return uint32_t(std::min(i, k));
    case Op::int_maximum: return uint32_t(std::max(i, k));
    case Op::uint_minimum: return std::min(a, b);
    case Op::uint_maximum: return std::max(a, b);
    case Op::bits_and: return a & b;
    case Op::bits_or: return a | b;
    case Op::bits_xor: return a ^ b;
    case Op::bits_not: return ~a;
    case Op::shift_left: return a << (b & 31);
    case Op::shift_right: return a >> (b & 31);
    case Op::shift_right_signed: return uint32_t(i >> (b & 31));
    case Op::int_equal: return a == b;
    case Op::int_less: return i < k;
    case Op::int_less_equal: return i <= k;
    case Op::uint_less: return a < b;
    case Op::uint_less_equal: return a <= b;
    case Op::int_to_float: return std::bit_cast<uint32_t>(float(i));
    case Op::uint_to_float: return std::bit_cast<uint32_t>(float(a));
    default: ADD_FAILURE() << signature_of(op).name; return 0;
  }
}

TEST(ShaderOperations, IntegersAreExact) {
  std::mt19937 random(13);
  for (const Operation& operation : operations()) {
    if (operation.op < Op::int_add || operation.op > Op::uint_to_float) continue;
    if (operation.op == Op::float_to_int || operation.op == Op::float_to_uint) continue;
    for (int round = 0; round < kRounds; ++round) {
      const Lanes lanes = some_lanes(operation, random);
      const auto found = result_on(*find_kernel(runnable_kernels().back()), operation, lanes);
      for (size_t i = 0; i < kSamples; ++i) {
        const uint32_t a = lanes.operands[0][i], b = lanes.operands.size() > 1 ? lanes.operands[1][i] : 0;
        ASSERT_EQ(found[i], exact_integer(operation.op, a, b))
            << signature_of(operation.op).name << " " << a << " " << b;
      }
    }
  }
}

TEST(ShaderOperations, ConversionsMeetTheirLimits) {
  const auto converted = [](Op op, float a) {
    Lanes lanes;
    lanes.operands.resize(1);
    lanes.operands[0].fill(std::bit_cast<uint32_t>(a));
    return result_on(*find_kernel(runnable_kernels().front()), {op, signature_of(op).result, {}}, lanes)[0];
  };
  EXPECT_EQ(int32_t(converted(Op::float_to_int, -2.9f)), -2);
  EXPECT_EQ(int32_t(converted(Op::float_to_int, 3e9f)), 2147483520);
  EXPECT_EQ(int32_t(converted(Op::float_to_int, -3e9f)), INT32_MIN);
  EXPECT_EQ(int32_t(converted(Op::float_to_int, NAN)), INT32_MIN);
  EXPECT_EQ(converted(Op::float_to_uint, 3e9f), 3000000000u);
  EXPECT_EQ(converted(Op::float_to_uint, 2147483648.0f), 2147483648u);
  EXPECT_EQ(converted(Op::float_to_uint, 5e9f), 4294967040u);
  EXPECT_EQ(converted(Op::float_to_uint, -1.0f), 0u);
  EXPECT_EQ(as_number(converted(Op::sine, 1e20f)) >= -1 && as_number(converted(Op::sine, 1e20f)) <= 1, true);
  EXPECT_EQ(as_number(converted(Op::log2, 0.0f)), -INFINITY);
}

// spirv-opt would divide these constants on the host's processor, which ends the process (glsl.cpp, DivisionGuard).
TEST(ShaderOperations, TheLeastIntegerIsDividedByMinusOne) {
  const std::string text = R"(#version 450
    uniform int u;
    out ivec4 result;
    void main() {
      int least = -2147483647 - 1, minus = -1;
      ivec3 all = ivec3(least, 7, -8), by = ivec3(minus, -1, 3);
      ivec3 quotients = all / by, remainders = all % by;
      result = ivec4(least / minus, least % minus, quotients.x ^ quotients.y << 8 ^ quotients.z << 16,
                     remainders.x | remainders.y | u / minus);
      result.y += u / (u - 6) + u % (u - 6);
    })";
  const Results results = run_everywhere(compiled(text), {5}, [](uint32_t, int) { return 0u; });
  const auto found = [&](size_t word) { return results.outputs[word][3]; };
  EXPECT_EQ(found(0), 0x80000000u);
  EXPECT_EQ(found(1), uint32_t(-5));
  EXPECT_EQ(found(2), 0x80000000u ^ uint32_t(-7) << 8 ^ uint32_t(-2) << 16);
  EXPECT_EQ(found(3), uint32_t(-5));
}

}  // namespace
}  // namespace brokkr::shader::test
