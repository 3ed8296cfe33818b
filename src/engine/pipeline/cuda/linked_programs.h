// Links the programs of a frame into CUDA's kernel: NVRTC compiles their C++ text (shader/print_cpp.h), and nvJitLink
// links it with the relocatable code of a kernel, kernel_linked.cu or, for programs of both stages,
// kernel_linked_vertices.cu.
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

  void take_cached(const Codes& codes) override;

  // Returns true if the kernel runs vertex programs.
  bool has_vertices() const { return has_vertices_; }
  // If ready: an image for cudaLibraryLoadData with the kernel `run_frame_linked` or, if it runs vertex programs,
  // `run_frame_linked_vertices`.
  std::span<const std::byte> image() const { return image_; }
  // A unique number of this object.
  uint64_t number() const { return number_; }

 private:
  void print(const Codes& codes);
  void compile() override;

  int architecture_;
  uint64_t number_;
  uint64_t programs_ = 0;  // of both stages
  bool has_vertices_ = false;
  std::vector<std::string> texts_;  // compiled in parallel
  std::string name_;                // name of the cache file
  std::vector<std::byte> image_;
};

}  // namespace brokkr
