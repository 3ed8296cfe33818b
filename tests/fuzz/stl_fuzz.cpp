// libFuzzer target of the STL reader: it must return a valid frame or throw std::runtime_error.
#include <cstdint>
#include <span>

#include "formats/sources.h"
#include "tally.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  brokkr::LoadOptions options;
  options.width = options.height = 64;
  return brokkr::fuzz::counted(
      's', [&] { brokkr::validate(brokkr::read_stl(std::as_bytes(std::span(data, size)), "fuzz.stl", options)); });
}
