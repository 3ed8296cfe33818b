// SHA-256 of files and of what a log or a cache names by its content.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace brokkr {

// SHA-256 of the parts one after another, as 64 hexadecimal digits. Throws std::runtime_error where libcrypto cannot.
std::string sha256(std::span<const std::span<const std::byte>> parts);

}  // namespace brokkr
