// The interpreter on the CUDA machine: each operation, and control flow, with the bits of the CPU's builds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "machine/cuda_memory.h"
#include "pipeline/cpu_machine.h"
#include "shade/interpreter.h"
#include "shade/kernels.h"
#include "shader/program.h"

namespace brokkr::shader {
namespace {

constexpr int kLanes = kShaderVectors * kWidth;
constexpr uint32_t kRegisters = 10, kMasks = 8, kOutputs = 2;
constexpr uint32_t kTextureSide = 8;

// The memory of a run, for both machines.
struct Launch {
  CodeInstruction code[16];
  uint32_t registers[kRegisters * kLanes];
  uint64_t masks[kMasks];
  uint32_t outputs[kOutputs * kLanes];
  FrameTables tables;
  SampledRecord record;
  SamplerSlot slot;
  uint32_t texels[4 * 6 * 2 * kTextureSide * kTextureSide];
  ShaderCall call;

  ShaderCall& prepared(uint32_t instructions) {
    call = ShaderCall{};
    call.code = code;
    call.end = instructions;
    call.registers = registers;
    call.masks = masks;
    call.outputs = outputs;
    call.keep = ~uint64_t(0);
    tables.sampled = &record;
    tables.sampled_texels = texels;
    slot.record = 0;
    call.frame = &tables;
    call.samplers = &slot;
    return call;
  }
};

__global__ void run_kernel(ShaderCall* call) {
  Warp w;
  Interpreter(w, *call).run();
}

uint32_t next(uint32_t& state) { return state = state * 1664525u + 1013904223u, state ^ state >> 15; }

// Floats of all sizes in the first registers, small integers in the others.
void fill(Launch& run, uint32_t seed) {
  for (int i = 0; i < int(kRegisters) * kLanes; ++i) {
    const uint32_t bits = next(seed);
    const float number = float(int32_t(bits)) * 0x1p-28f;
    std::memcpy(run.registers + i, &number, sizeof number);
    if (i >= 4 * kLanes) run.registers[i] = bits % 3 == 0 ? bits : bits % 64;
  }
  for (uint64_t& mask : run.masks) mask = uint64_t(next(seed)) << 32 | next(seed);
}

uint32_t same_nan(uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits; }

// The same instructions on a build of the CPU machine, whose runs may have fewer lanes: one part after another.
void run_on_cpu(const ShaderKernel& kernel, Launch& launch, uint32_t instructions) {
  const int lanes = kernel.lanes;
  uint64_t keep = 0;
  std::array<uint64_t, kMasks> masks{};
  for (int first = 0; first < kLanes; first += lanes) {
    const uint64_t all = lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
    std::vector<uint32_t> registers, outputs(kOutputs * size_t(lanes));
    for (uint32_t i = 0; i < kRegisters; ++i) {
      const uint32_t* const begin = launch.registers + i * kLanes + first;
      registers.insert(registers.end(), begin, begin + lanes);
    }
    std::array<uint64_t, kMasks> part{};
    for (uint32_t i = 0; i < kMasks; ++i) part[i] = launch.masks[i] >> first & all;
    ShaderCall call = launch.prepared(instructions);
    call.registers = registers.data();
    call.masks = part.data();
    call.outputs = outputs.data();
    call.keep = all;
    kernel.run(call);
    keep |= call.keep << first;
    for (uint32_t i = 0; i < kMasks; ++i) masks[i] |= (part[i] & all) << first;
    for (uint32_t i = 0; i < kRegisters; ++i)
      std::copy_n(registers.begin() + i * lanes, lanes, launch.registers + i * kLanes + first);
    for (uint32_t i = 0; i < kOutputs; ++i)
      std::copy_n(outputs.begin() + i * lanes, lanes, launch.outputs + i * kLanes + first);
  }
  std::copy(masks.begin(), masks.end(), launch.masks);
  launch.call.keep = keep;
}

class CudaShader : public testing::Test {
 protected:
  // Runs the instructions of gpu_ on both machines.
  void run(uint32_t instructions) {
    std::memcpy(static_cast<void*>(&cpu_), gpu_.get(), sizeof cpu_);
    run_kernel<<<1, 32>>>(&gpu_->prepared(instructions));
    run_on_cpu(*find_kernel(best_cpu_isa()), cpu_, instructions);
    cuda_test::wait();
  }
  // `lanes`: a bit for each lane to compare.
  void expect_same_registers(const std::string& what, uint32_t begin, uint32_t end, uint64_t lanes = ~uint64_t(0)) {
    for (uint32_t i = begin * kLanes; i < end * kLanes; ++i)
      if ((lanes >> i % kLanes & 1) != 0)
        ASSERT_EQ(same_nan(gpu_->registers[i]), same_nan(cpu_.registers[i])) << what << ", word " << i;
  }

  const std::shared_ptr<Launch> gpu_ = cuda_test::make<Launch>();
  Launch cpu_;
};

TEST_F(CudaShader, OperationsHaveTheCpusBits) {
  for (int op = 0; op <= int(Op::set); ++op) {
    for (const uint16_t first : {uint16_t(0), uint16_t(4)}) {
      fill(*gpu_, uint32_t(op) * 2 + first);
      gpu_->code[0] = {Op(op), {2}, {first, uint16_t(first + 1), uint16_t(first + 2)}, 0, 0};
      run(1);
      expect_same_registers(signature_of(Op(op)).name, 0, kRegisters);
      for (uint32_t i = 0; i < kMasks; ++i) ASSERT_EQ(gpu_->masks[i], cpu_.masks[i]) << signature_of(Op(op)).name;
    }
  }
}

// A texture of `kind` with levels of noise; `number` selects encoding, wrap mode and filters.
void set_texture(Launch& run, TextureKind kind, uint32_t number) {
  SampledRecord& r = run.record;
  r = {};
  r.kind = kind;
  r.encoding = TexelEncoding(number % (uint32_t(TexelEncoding::rgba32) + 1));
  const TextureWrap wrap = is_cube(kind) ? TextureWrap::clamp_to_edge : TextureWrap(number % 6);
  for (TextureWrap& each : r.wrap) each = wrap;
  r.magnify_linear = r.minify_linear = number % 3 != 0;
  r.mip = MipFilter(number % 3);
  r.seamless = number % 2 == 0;
  r.compares = number % 5 == 0;
  r.compare = CompareFunc::lequal;
  r.usual = r.encoding <= TexelEncoding::srgb8 && r.magnify_linear && wrap != TextureWrap::mirrored_repeat &&
            (wrap == TextureWrap::repeat || wrap == TextureWrap::clamp_to_edge) &&
            (kind == TextureKind::two || kind == TextureKind::cube);
  for (uint8_t c = 0; c < 4; ++c) r.channel[c] = c;
  r.width = kTextureSide;
  r.height = axes_of(kind) > 1 ? kTextureSide : 1;
  r.depth = kind == TextureKind::three ? kTextureSide : kind == TextureKind::cube ? 6 : is_array(kind) ? 6 : 1;
  r.levels = 3;
  r.lod_min = -1000;
  r.lod_max = 1000;
  const float border = 0.25f;
  for (uint32_t& each : r.border) std::memcpy(&each, &border, sizeof border);
  r.first[1] = 100;  // levels overlap, inside of the texels
  r.first[2] = 37;
  uint32_t state = number;
  for (uint32_t& texel : run.texels) {
    const float value = float(next(state) >> 8) * 0x1p-24f;
    std::memcpy(&texel, &value, sizeof value);
    if (r.encoding < TexelEncoding::r32) texel = next(state) & 0xbbffbbffu;  // halves that are finite numbers
  }
}

TEST_F(CudaShader, LookupsHaveTheCpusBits) {
  std::set<uint32_t> results;
  for (uint32_t number = 0; number < 36; ++number) {
    const TextureKind kind = TextureKind(number % uint32_t(TextureKind::buffer));
    fill(*gpu_, number);
    set_texture(*gpu_, kind, number);
    uint32_t state = number;
    for (int i = 0; i < int(kRegisters) * kLanes; ++i) {  // all inputs: numbers over a few repeats
      const float value = float(int32_t(next(state))) * 0x1p-29f;
      std::memcpy(gpu_->registers + i, &value, sizeof value);
    }
    const uint32_t sample_bits = uint32_t(kind) << kSampleKind;
    CodeInstruction detail = {Op::detail, {9}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, 0, sample_bits | kSampleOfQuad};
    CodeInstruction sample = {Op::sample, {5, 6, 7, 8}, {}, 0, sample_bits};
    uint16_t operand = 0;
    for (; operand < coordinates_of(kind); ++operand) sample.operand[operand] = operand;
    if (number % 5 == 0) sample.extra |= kSampleCompare, sample.operand[operand++] = 4;
    sample.operand[operand] = number % 2 == 0 ? 9 : 4;
    sample.operand[operand + 1] = 3;  // the mask
    gpu_->code[0] = detail;
    gpu_->code[1] = sample;
    run(2);
    // The result of a lookup has no meaning in lanes outside its mask.
    const std::string name = "kind " + std::to_string(int(kind)) + ", " + std::to_string(number);
    expect_same_registers(name, 5, kRegisters - 1, gpu_->masks[3]);
    expect_same_registers(name, kRegisters - 1, kRegisters);  // the level of detail
    results.insert(gpu_->registers + 5 * kLanes, gpu_->registers + 8 * kLanes);
  }
  EXPECT_GT(results.size(), 1000u);
}

// while (x < 8) x += 0.5 for some lanes, with a discard inside, and an array that each lane indexes. Registers other
// than the cell and the result depend on which lanes run together.
TEST_F(CudaShader, ControlHasTheCpusBits) {
  for (uint32_t seed = 0; seed < 8; ++seed) {
    fill(*gpu_, seed);
    const float half = 0.5f, eight = 8.0f;
    for (int lane = 0; lane < kLanes; ++lane) {
      std::memcpy(gpu_->registers + 1 * kLanes + lane, &half, sizeof half);
      std::memcpy(gpu_->registers + 2 * kLanes + lane, &eight, sizeof eight);
    }
    CodeInstruction* const code = gpu_->code;
    code[0] = {Op::begin_loop, {}, {0}, 0, 6};
    code[1] = {Op::add, {3}, {0, 1}, 0, 0};
    code[2] = {Op::set, {0}, {3, 0}, 0, 0};
    code[3] = {Op::less, {1}, {0, 2}, 0, 0};
    code[4] = {Op::mask_and, {0}, {0, 1}, 0, 0};
    code[5] = {Op::discard, {}, {2}, 0, 0};
    code[6] = {Op::repeat, {}, {0}, 0, 0};
    code[7] = {Op::set_element, {}, {4, 7, 0, 3}, 0, 3};
    code[8] = {Op::element, {3}, {4, 7}, 0, 3};
    code[9] = {Op::begin_if, {}, {4}, 0, 10};
    code[10] = {Op::change_x, {7}, {3, 5}, 0, 0};
    code[11] = {Op::output, {}, {3}, 0, 1};
    run(12);
    expect_same_registers("the cell", 0, 1);
    EXPECT_EQ(gpu_->call.keep, cpu_.call.keep);
    for (int lane = 0; lane < kLanes; ++lane) EXPECT_EQ(gpu_->outputs[kLanes + lane], cpu_.outputs[kLanes + lane]);
  }
}

}  // namespace
}  // namespace brokkr::shader
