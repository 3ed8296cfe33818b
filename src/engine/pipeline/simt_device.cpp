#include "pipeline/task_machine.h"

#include <dlfcn.h>

#include <optional>
#include <stdexcept>

#include "base/process.h"
#include "brokkr/version.h"

namespace brokkr {
namespace {

constexpr const char* kLibrary = "brokkr-simt.so";
constexpr const char* kEntry = "brokkr_simt_device_" BROKKR_VERSION;

SimtDevice* load(std::string& why) {
  const auto file = find_beside_library(kLibrary, "src/research/simt", why);
  if (!why.empty()) return nullptr;
  if (!file) {
    why =
        "this program was built without the simulated device, or without nvcc, which makes its kernels; build with "
        "BROKKR_SIMT=ON where nvcc is";
    return nullptr;
  }
  // The library's threads run until the process ends, so it is never unloaded.
  void* const library = dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    why = dlerror();
    return nullptr;
  }
  auto* const device = reinterpret_cast<SimtDevice* (*)()>(dlsym(library, kEntry));
  if (device == nullptr) {
    why = file->string() + " is of another version than this program (" BROKKR_VERSION "); install both again";
    return nullptr;
  }
  return device();
}

struct Loaded {
  std::string why;
  SimtDevice* device = load(why);
};
const Loaded& loaded() {
  static const Loaded once;
  return once;
}

}  // namespace

SimtDevice& simt_device() {
  if (loaded().device == nullptr) throw std::runtime_error("machine simt: " + loaded().why);
  return *loaded().device;
}

std::string why_no_simt_device() { return loaded().why; }

}  // namespace brokkr
