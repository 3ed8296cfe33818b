#include "inspect/original.h"

#include <span>

namespace brokkr {

const Reference* original_of(const Frame& frame, uint32_t target) {
  const Reference* latest = nullptr;
  for (const Reference& reference : frame.references) {
    if (reference.target != target || reference.color_file.empty()) continue;
    if (latest == nullptr || reference.before >= latest->before) latest = &reference;
  }
  return latest;
}

Image original_picture(const Frame& frame, const Reference& reference) {
  return read_image(std::as_bytes(std::span(reference.color_file)), frame.source + ": picture of the game");
}

}  // namespace brokkr
