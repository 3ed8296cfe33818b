// Links the fragment programs of a frame into CUDA's kernel: NVRTC compiles their C++ text (shader/print_cpp.h), and
// nvJitLink links it with the kernel's relocatable code (kernel_linked.cu).
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
  // For devices of `architecture`; 90 is sm_90.
  explicit LinkedPrograms(int architecture);
  ~LinkedPrograms() override;

  void take_cached(std::span<const shader::Code* const> codes) override;

  // If ready: an image for cudaLibraryLoadData with the kernel `run_frame_linked`.
  std::span<const std::byte> image() const { return image_; }
  // A unique number of this object.
  uint64_t number() const { return number_; }

 private:
  void print(std::span<const shader::Code* const> codes);
  void compile() override;

  int architecture_;
  uint64_t number_;
  uint64_t programs_ = 0;
  std::vector<std::string> texts_;  // compiled in parallel
  std::string name_;                // name of the cache file
  std::vector<std::byte> image_;
};

}  // namespace brokkr
