// Large zeroed memory whose pages are allocated when they are first touched.
#pragma once

#include <cstddef>
#include <utility>

namespace brokkr {

class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  // Throws std::runtime_error if the system lacks the memory; the message names `what` and the size.
  ZeroedMemory(size_t bytes, const char* what);
  ~ZeroedMemory();
  ZeroedMemory(ZeroedMemory&& o) noexcept
      : data_(std::exchange(o.data_, nullptr)), bytes_(std::exchange(o.bytes_, 0)) {}
  ZeroedMemory& operator=(ZeroedMemory&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(bytes_, o.bytes_);
    return *this;
  }

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace brokkr
