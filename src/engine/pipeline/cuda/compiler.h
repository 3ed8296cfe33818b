// NVRTC and nvJitLink, NVIDIA's compiler and linker as libraries: loaded while the program runs, where they are found.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace brokkr {

struct CudaHeader {
  const char *name, *text;
};

class CudaCompiler {
 public:
  // Finds both: in the process, where the dynamic linker looks, in $CUDA_HOME and $CUDA_PATH, and where toolkits are
  // installed. Throws std::runtime_error that names what is missing. They stay loaded.
  static const CudaCompiler& found();

  // Versions and files of both, for names of what they make.
  std::string identity() const;
  // PTX of a text in C++20 for devices from `architecture` (90: sm_90) on, or the latest that the compiler knows; calls
  // to what is not in the text are left to the linker. Throws std::runtime_error with its first error, and where `stop`
  // returned true on the way.
  std::string compile(const std::string& text, std::span<const CudaHeader> headers, int architecture,
                      const std::function<bool()>& stop) const;
  // Links a fat binary and PTX for a device of `architecture`; functions of the PTX get at most so many registers.
  // Returns what cudaLibraryLoadData takes. Throws std::runtime_error with the linker's words.
  std::vector<std::byte> link(std::span<const std::byte> fatbin, std::span<const std::string> ptx, int architecture,
                              int registers) const;

 private:
  CudaCompiler();
  struct Functions;
  const Functions* functions_;
};

}  // namespace brokkr
