// libFuzzer target of the PLY reader: it must return a valid frame or throw std::runtime_error.
#include <cstdint>
#include <span>

#include "formats/sources.h"
#include "tally.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const brokkr::ResourceReader resources = [&](const std::string& name, brokkr::Loading&) -> std::vector<std::byte> {
    throw std::runtime_error("'" + name + "' is missing");
  };
  brokkr::LoadOptions options;
  options.width = options.height = 64;
  return brokkr::fuzz::counted('y', [&] {
    brokkr::validate(brokkr::read_ply(std::as_bytes(std::span(data, size)), "fuzz.ply", resources, options));
  });
}
