// An X server without a screen, for tests of programs that need one.
#pragma once

#include <sys/types.h>

#include <string>

namespace brokkr::capture_test {

class VirtualDisplay {
 public:
  VirtualDisplay();
  ~VirtualDisplay();
  VirtualDisplay(const VirtualDisplay&) = delete;
  VirtualDisplay& operator=(const VirtualDisplay&) = delete;

  // ":N", or empty if Xvfb is missing.
  const std::string& name() const { return name_; }

 private:
  pid_t server_ = -1;
  std::string name_;
};

}  // namespace brokkr::capture_test
