// The fragment programs of a frame as a part of CUDA's kernel: their C++ text (shader/print_cpp.h), compiled by NVRTC,
// is linked with the kernel's relocatable code (kernel_linked.cu) by nvJitLink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shader/code_maker.h"

namespace brokkr {

class LinkedPrograms : public shader::CodeMaker {
 public:
  // For devices of `architecture`, 90 for sm_90.
  explicit LinkedPrograms(int architecture);
  ~LinkedPrograms() override;

  void take_cached(std::span<const shader::Code* const> codes) override;

  // Once it is ready: what cudaLibraryLoadData takes, with the kernel `run_frame_linked`.
  std::span<const std::byte> image() const { return image_; }
  // Another number for each that was ever made.
  uint64_t number() const { return number_; }

 private:
  void print(std::span<const shader::Code* const> codes);
  void compile() override;

  int architecture_;
  uint64_t number_;
  uint64_t programs_ = 0;
  std::vector<std::string> texts_;  // which are compiled side by side
  std::string name_;                // of the file in the cache
  std::vector<std::byte> image_;
};

}  // namespace brokkr
