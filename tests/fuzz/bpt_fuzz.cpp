// libFuzzer target of patches. The reader must return a scene of finite points or throw std::runtime_error. A returned
// scene is split, diced, stitched and drawn within small limits, which must give a picture, or one line that names the
// exceeded limit.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "reyes/reyes.h"
#include "tally.h"

namespace {

constexpr int kMemoryMib = 256;
constexpr uint32_t kMaxDrawn = 64;  // patches

// Cameras that fit the scene, stand inside it, and look from far away; full quality, and a few splits.
void draw(brokkr::PatchScene scene) {
  const glm::vec3 point = scene.points.back();
  brokkr::ReyesMachine machine;
  machine.machine = "cpu";
  machine.workers = 1;
  machine.memory_limit = kMemoryMib;
  brokkr::Reyes reyes(std::move(scene), machine);
  brokkr::ReyesOptions options;
  options.width = 40, options.height = 24;
  options.rate = 4;
  for (const char* camera : {"", "eye=0,0,6 target=0,0,0", "eye=0,0,0 target=1,1,1"}) {
    options.camera = camera;
    for (const bool limited : {false, true}) {
      options.tasks.reset();
      if (limited) options.tasks = uint32_t(std::abs(int(point.x)) % 40);
      options.grid_lines = limited;
      try {
        const brokkr::ReyesFrame frame = reyes.draw(0, options);
        if (frame.layer.color.size() != size_t(options.width) * size_t(options.height)) std::abort();
        brokkr::fuzz::Tally::get().drawn();
      } catch (const std::runtime_error&) {
        // The scene exceeds the limit, or the camera sees nothing.
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return brokkr::fuzz::counted('p', [&] {
    brokkr::LoadOptions load;
    load.memory_limit = kMemoryMib;
    brokkr::Loading loading(load);
    brokkr::PatchScene scene = brokkr::read_bpt(std::as_bytes(std::span(data, size)), "fuzz.bpt", loading);
    if (scene.patches() == 0 || scene.materials.size() != scene.patches()) std::abort();
    for (const glm::vec3& p : scene.points) {
      if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) std::abort();
    }
    if (brokkr::edge_numbers(scene.points).size() != size_t(scene.patches()) * 4) std::abort();
    if (scene.patches() <= kMaxDrawn) draw(std::move(scene));
  });
}
