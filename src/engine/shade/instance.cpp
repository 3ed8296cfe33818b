#include "shade/instance.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace brokkr::shader {

Instance::Instance(const Code& code, const ShaderKernel& kernel, std::vector<uint32_t> uniforms)
    : code_(code),
      kernel_(kernel),
      uniforms_(std::move(uniforms)),
      registers_(size_t(code.registers) * size_t(kernel.lanes) * sizeof(uint32_t), "registers of a shader"),
      masks_(code.masks),
      outputs_(size_t(code.outputs) * size_t(kernel.lanes)) {
  call_.code = code.instructions.data();
  call_.registers = registers_.as<uint32_t>();
  call_.masks = masks_.data();
  call_.uniforms = uniforms_.data();
  call_.uniform_words = uint32_t(uniforms_.size());
  call_.outputs = outputs_.data();
  for (const Preset& constant : code.constants) fill(constant, constant.payload);
  for (const Preset& uniform : code.uniforms) fill(uniform, uniforms_.at(uniform.payload));
  for (const Preset& constant : code.mask_constants) masks_[constant.number] = constant.payload != 0 ? ~uint64_t(0) : 0;
  call_.end = code.head;
  call_.keep = 1;
  kernel.run(call_);
  const auto keep = [&](uint16_t number) { presets_.push_back({number, bits(number)}); };
  for (const Preset& constant : code.constants) keep(constant.number);
  for (const Preset& uniform : code.uniforms) keep(uniform.number);
  for (uint32_t i = 0; i < code.head; ++i) {
    if (!gives_mask(code.instructions[i].op)) keep(code.instructions[i].result[0]);
  }
}

void Instance::bind(const FrameTables& frame, std::span<const SamplerSlot> samplers) {
  call_.frame = &frame;
  call_.samplers = samplers.data();
}

void Instance::fill(const Preset& preset, uint32_t bits) {
  std::fill_n(call_.registers + size_t(preset.number) * size_t(kernel_.lanes), kernel_.lanes, bits);
}

uint32_t* Instance::input(uint32_t word) {
  const uint16_t number = code_.inputs.at(word);
  return number == kNoRegister ? nullptr : call_.registers + size_t(number) * size_t(kernel_.lanes);
}

void Instance::set_truths(uint32_t word, uint64_t lanes) {
  const uint16_t number = code_.mask_inputs.at(word);
  if (number != kNoRegister) masks_[number] = lanes;
}

uint64_t Instance::run(uint64_t samples) {
  const uint64_t of_quad = (samples | samples >> 1 | samples >> 2 | samples >> 3) & 0x1111111111111111u;
  masks_[code_.running] = of_quad * 15;
  call_.begin = code_.head;
  call_.end = uint32_t(code_.instructions.size());
  call_.keep = samples;
  call_.vectors = uint32_t((std::bit_width(of_quad * 15) + kernel_.width - 1) / kernel_.width);
  if (compiled_ != nullptr) {
    kernel_.run_compiled(compiled_, call_, presets_.data());
  } else {
    kernel_.run(call_);
  }
  return call_.keep;
}

}  // namespace brokkr::shader
