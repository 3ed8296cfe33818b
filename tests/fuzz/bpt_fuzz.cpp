// libFuzzer target of the reader of patches: it must return a scene of finite points or throw std::runtime_error.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "reyes/patches.h"
#include "tally.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return brokkr::fuzz::counted('b', [&] {
    const brokkr::PatchScene scene = brokkr::read_bpt(std::as_bytes(std::span(data, size)), "fuzz.bpt");
    if (scene.patches() == 0 || scene.materials.size() != scene.patches()) std::abort();
    for (const glm::vec3& p : scene.points) {
      if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) std::abort();
    }
    if (brokkr::edge_numbers(scene.points).size() != size_t(scene.patches()) * 4) std::abort();
  });
}
