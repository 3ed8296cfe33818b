// Extracts PTX text from the fat binaries that nvcc embeds in programs.
#pragma once

#include <string>

namespace brokkr::ptx {

// The PTX of the highest architecture. Throws std::runtime_error if there is none.
std::string ptx_of_fatbin(const void* fatbin);

}  // namespace brokkr::ptx
