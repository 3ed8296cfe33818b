// NVIDIA's compiler and linker as libraries, NVRTC and nvJitLink, loaded at run time if they are installed.
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
  // Finds both libraries: in the process, on the dynamic linker's path, in $CUDA_HOME and $CUDA_PATH, and where
  // toolkits are usually installed. Throws std::runtime_error that names what is missing. The libraries stay loaded.
  static const CudaCompiler& found();

  // Versions and files of both libraries, which identify compiled code in caches.
  std::string identity() const;
  // Compiles C++20 text to PTX for devices of `architecture` (90: sm_90) and later, or for the latest architecture that
  // the compiler knows if that is older. The linker resolves calls to external functions. Throws std::runtime_error
  // with the first error, or if `stop` returns true.
  std::string compile(const std::string& text, std::span<const CudaHeader> headers, int architecture,
                      const std::function<bool()>& stop) const;
  // Links a fat binary and PTX for a device of `architecture`; the PTX's functions use at most `registers` registers.
  // Returns an image for cudaLibraryLoadData. Throws std::runtime_error with the linker's message.
  std::vector<std::byte> link(std::span<const std::byte> fatbin, std::span<const std::string> ptx, int architecture,
                              int registers) const;

 private:
  CudaCompiler();
  struct Functions;
  const Functions* functions_;
};

}  // namespace brokkr
