// libFuzzer target of the glTF reader: it must return a valid frame or throw std::runtime_error.
//
// All files that the scene names contain the input itself.
#include <cstdint>
#include <span>

#include "formats/gltf.h"
#include "tally.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  const brokkr::ResourceReader resources = [&](const std::string& name, brokkr::Loading&) -> std::vector<std::byte> {
    if (name == "missing") throw std::runtime_error("missing");
    return {file.begin(), file.end()};
  };
  brokkr::LoadOptions options;
  options.width = options.height = 64;
  const brokkr::GltfLimits limits{.texture_pixels = 1 << 20, .copied_vertices = 1 << 16};
  return brokkr::fuzz::counted(
      'g', [&] { brokkr::validate(brokkr::read_gltf(file, "fuzz.gltf", resources, options, limits)); });
}
