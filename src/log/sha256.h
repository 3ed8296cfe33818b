// SHA-256: a manifest identifies its scene by it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace brokkr {

class Sha256 {
 public:
  Sha256();  // throws std::runtime_error where libcrypto cannot
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void add(std::span<const std::byte> bytes);
  std::string hex();  // 64 digits, of everything added; ends the object's use

 private:
  struct Context;  // of libcrypto
  std::unique_ptr<Context> context_;
};

}  // namespace brokkr
