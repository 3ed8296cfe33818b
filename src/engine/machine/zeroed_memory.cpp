#include "machine/zeroed_memory.h"

#include <sys/mman.h>

#include <stdexcept>
#include <string>

namespace brokkr {

ZeroedMemory::ZeroedMemory(size_t bytes, const char* what) : bytes_(bytes) {
  if (bytes == 0) return;
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    throw std::runtime_error(std::string(what) + ": no memory for " + std::to_string(bytes >> 20) +
                             " MiB; use fewer rasterizers, a smaller store or smaller targets");
  }
  madvise(p, bytes, MADV_HUGEPAGE);
  data_ = p;
}

ZeroedMemory::~ZeroedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace brokkr
