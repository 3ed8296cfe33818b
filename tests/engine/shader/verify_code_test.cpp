// Code that the verifier of machine code rejects, and code that it accepts: accepted code accesses only its own memory
// (sanitizers check that).
#include <functional>
#include <stdexcept>

#include "random/random_glsl.h"
#include "run_shader.h"

namespace brokkr::shader::test {
namespace {

// Every form of operand and control, in few instructions.
const char* const kText = R"(#version 400
uniform sampler2D map;
uniform float table[6];
in vec4 at;
out vec4 color;
void main() {
  float cells[4] = float[](at.x, at.y, at.z, at.w);
  for (int i = 0; i < int(at.x) % 5; ++i) {
    cells[(i + int(at.y)) & 3] += table[i] + dFdx(at.z);
    if (cells[i & 3] > 2.0) { cells[0] += sin(at.y) * cos(at.x) + exp(at.z) + texture(map, at.xy).g; }
  }
  if (cells[1] < 0.0) discard;
  color = texture(map, at.zw) * cells[2] + textureGather(map, at.xy);
})";

class ShaderCode : public testing::Test {
 protected:
  const Code good_ = assemble(compiled(kText));

  CodeInstruction& first(Code& code, Op op) const {
    for (CodeInstruction& one : code.instructions)
      if (one.op == op) return one;
    throw std::runtime_error(std::string("there is no ") + signature_of(op).name);
  }
  void expect_wrong(const char* what, const std::function<void(Code&)>& change) const {
    Code wrong = good_;
    change(wrong);
    EXPECT_THROW(verify(wrong), std::logic_error) << what;
  }
};

TEST_F(ShaderCode, IsRefusedWhereItNamesWhatItHasNot) {
  verify(good_);
  expect_wrong("operand", [&](Code& c) { first(c, Op::output).operand[0] = kNoRegister; });
  expect_wrong("the first behind the last", [&](Code& c) { first(c, Op::output).operand[0] = uint16_t(c.registers); });
  expect_wrong("result", [&](Code& c) { first(c, Op::change_x).result[0] = uint16_t(c.registers); });
  expect_wrong("mask", [&](Code& c) { first(c, Op::set).operand[1] = uint16_t(c.masks); });
  expect_wrong("mask of a branch", [&](Code& c) { first(c, Op::begin_if).operand[0] = kNoRegister; });
  expect_wrong("array", [&](Code& c) { first(c, Op::set_element).extra = c.registers + 1; });
  expect_wrong("no array", [&](Code& c) { first(c, Op::set_element).extra = 0; });
  expect_wrong("output", [&](Code& c) { first(c, Op::output).extra = c.outputs; });
  expect_wrong("sampler", [&](Code& c) { first(c, Op::sample).extra |= 1; });
  expect_wrong("kind of sampler", [&](Code& c) { first(c, Op::sample).extra ^= 1u << kSampleKind; });
  expect_wrong("known", [&](Code& c) {
    for (CodeInstruction& one : c.instructions)
      if (one.op == Op::sample && (one.extra & kSampleGather) != 0) one.known = kKnownTwo | kKnownUsual;
  });
  expect_wrong("uniforms", [&](Code& c) { c.uniform_words = 0; });
  expect_wrong("operation", [&](Code& c) { c.instructions.back().op = Op(uint16_t(Op::repeat) + 1); });
  expect_wrong("head", [&](Code& c) { c.head = uint32_t(c.instructions.size() + 1); });
  expect_wrong("control in the head", [&](Code& c) { c.head = uint32_t(c.instructions.size()); });
  expect_wrong("constant", [&](Code& c) { c.constants.push_back({uint16_t(c.registers), 0}); });
  expect_wrong("uniform word", [&](Code& c) { c.uniforms.push_back({0, c.uniform_words}); });
  expect_wrong("input", [&](Code& c) { c.inputs[0] = uint16_t(c.registers); });
  expect_wrong("running", [&](Code& c) { c.running = uint16_t(c.masks); });
}

TEST_F(ShaderCode, IsRefusedWhereItJumpsToWhereItMustNot) {
  const uint32_t end = uint32_t(good_.instructions.size());
  expect_wrong("behind the end", [&](Code& c) { first(c, Op::begin_if).extra = end; });
  expect_wrong("back", [&](Code& c) { first(c, Op::begin_if).extra = 0; });
  expect_wrong("out of the loop", [&](Code& c) { first(c, Op::begin_if).extra = first(c, Op::begin_loop).extra; });
  expect_wrong("no end", [&](Code& c) { first(c, Op::begin_loop).extra -= 1; });
  expect_wrong("no begin", [&](Code& c) { first(c, Op::repeat).extra += 1; });
  expect_wrong("never closed", [&](Code& c) { first(c, Op::repeat).op = Op::discard; });
  expect_wrong("never opened", [&](Code& c) { first(c, Op::begin_loop).op = Op::discard; });
  expect_wrong("depth", [&](Code& c) { first(c, Op::begin_loop).depth = kMaxLoopDepth; });
  expect_wrong("depth of its end", [&](Code& c) { first(c, Op::repeat).depth = 1; });
}

// One word of the code in many other states.
TEST_F(ShaderCode, WhatIsTakenRunsInItsOwnMemory) {
  const uint32_t abort = 1;  // loops end after 256 iterations
  const Textures textures;
  size_t taken = 0;
  RandomBits random(33);
  constexpr size_t kChanges = 20000;
  for (size_t i = 0; i < kChanges; ++i) {
    Code code = good_;
    CodeInstruction& one = code.instructions[random.below(uint32_t(code.instructions.size()))];
    auto* const halves = reinterpret_cast<uint16_t*>(&one);
    uint16_t& half = halves[random.below(sizeof one / sizeof(uint16_t))];
    half = random.one_in(2) ? uint16_t(half ^ (1u << random.below(16))) : uint16_t(random.below(40));
    try {
      verify(code);
    } catch (const std::logic_error&) {
      continue;
    }
    ++taken;
    Instance instance(code, *find_kernel(runnable_kernels().front()),
                      std::vector<uint32_t>(code.uniform_words, 0x40000000));
    instance.bind(textures.tables, textures.slots);
    instance.set_abort(&abort);
    instance.run(0xff);
  }
  EXPECT_GT(taken, kChanges / 10);
  EXPECT_LT(taken, kChanges * 9 / 10);
}

// The verifier also checks the program, for faults that no single register shows.
TEST_F(ShaderCode, IsNotMadeOfABrokenProgram) {
  Program wrong = compiled(kText);
  for (Instruction& one : wrong.code)
    if (one.op == Op::output) one.operand[0] = Builder(wrong).make(Kind::number, Role::temporary);
  try {
    assemble(wrong);
    ADD_FAILURE() << "a program that uses what it never makes becomes code";
  } catch (const ShaderError& error) {
    EXPECT_NE(std::string(error.what()).find("used before it is made"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("please report it"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace brokkr::shader::test
