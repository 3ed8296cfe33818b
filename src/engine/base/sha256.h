// SHA-256 of files, and of anything that a log or a cache names by its content.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace brokkr {

// SHA-256 of the concatenated parts, as 64 hexadecimal digits. Throws std::runtime_error if libcrypto fails.
std::string sha256(std::span<const std::span<const std::byte>> parts);

}  // namespace brokkr
