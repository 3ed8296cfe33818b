// nvJitLink for PTX: combines modules that call each other's functions to one module, which is again text. Functions
// and their meaning are those of NVIDIA's library, so that a linking program uses this one instead.
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>

#include "ptx/fatbin.h"
#include "ptx/program.h"

namespace {

enum Result : int { kDone = 0, kInvalid = 2, kFailed = 5 };  // NVJITLINK_SUCCESS, _ERROR_INVALID_INPUT, _ERROR_INTERNAL
enum Input : int { kPtx = 2, kFatbin = 4 };

struct Link {
  std::string text, log;
};

template <class F>
Result guarded(Link* link, F&& f) {
  try {
    f();
    return kDone;
  } catch (const std::exception& error) {
    link->log = std::string("error: ") + error.what();
    return kFailed;
  }
}

}  // namespace

extern "C" {

unsigned nvJitLinkVersion(unsigned* major, unsigned* minor) {
  *major = 13, *minor = 0;
  return kDone;
}
Result nvJitLinkCreate(Link** link, uint32_t, const char**) {
  *link = new Link;
  return kDone;
}
Result nvJitLinkDestroy(Link** link) {
  delete *link;
  *link = nullptr;
  return kDone;
}
Result nvJitLinkAddData(Link* link, Input kind, const void* data, size_t bytes, const char*) {
  if (kind != kPtx && kind != kFatbin) return kInvalid;
  return guarded(link, [&] {
    std::string text =
        kind == kFatbin ? brokkr::ptx::ptx_of_fatbin(data) : std::string(static_cast<const char*>(data), bytes);
    while (!text.empty() && text.back() == '\0') text.pop_back();
    link->text += text + "\n";
  });
}
// Reports functions that no module defines, as a linker does.
Result nvJitLinkComplete(Link* link) {
  return guarded(link, [&] { brokkr::ptx::build_program(link->text); });
}
Result nvJitLinkGetLinkedCubinSize(Link* link, size_t* bytes) {
  *bytes = link->text.size() + 1;
  return kDone;
}
Result nvJitLinkGetLinkedCubin(Link* link, void* to) {
  std::memcpy(to, link->text.c_str(), link->text.size() + 1);
  return kDone;
}
Result nvJitLinkGetErrorLogSize(Link* link, size_t* bytes) {
  *bytes = link->log.size() + 1;
  return kDone;
}
Result nvJitLinkGetErrorLog(Link* link, char* to) {
  std::memcpy(to, link->log.c_str(), link->log.size() + 1);
  return kDone;
}

}  // extern "C"
