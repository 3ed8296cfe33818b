// PTX text in the fat binaries that nvcc puts into programs.
#pragma once

#include <string>

namespace brokkr::ptx {

// Of the highest architecture; throws std::runtime_error where there is none.
std::string ptx_of_fatbin(const void* fatbin);

}  // namespace brokkr::ptx
