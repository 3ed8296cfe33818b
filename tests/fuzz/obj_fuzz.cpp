// libFuzzer target of the OBJ reader: it must return a valid frame or throw std::runtime_error.
//
// The input is split at zero bytes into the OBJ file, the MTL file, and the content of every texture.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/obj.h"
#include "tally.h"

namespace {

std::string_view cut(std::string_view& rest) {
  const std::string_view part = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

std::vector<std::byte> to_bytes(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view obj = cut(rest), mtl = cut(rest), texture = rest;
  const brokkr::ResourceReader resources = [&](const std::string& name, brokkr::Loading&) {
    if (name == "missing") throw brokkr::MissingResource("missing");
    return to_bytes(name.ends_with(".mtl") ? mtl : texture);
  };
  brokkr::LoadOptions options;
  options.width = options.height = 64;
  return brokkr::fuzz::counted('o', [&] {
    brokkr::validate(brokkr::read_obj(obj, "fuzz.obj", resources, options, {.texture_pixels = 1 << 20}));
  });
}
