#include "reference/egl_context.h"

#include <glad/egl.h>
#include <glad/gl.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace brokkr {

namespace {

// One way to open a display: an EGL device, Mesa's surfaceless platform, or EGL's default.
struct Candidate {
  std::string name;
  EGLenum platform = 0;  // 0: eglGetDisplay
  void* native = nullptr;
};

bool contains_word(const char* words, std::string_view word) {
  if (words == nullptr) return false;
  const std::string text = " " + std::string(words) + " ";
  return text.find(" " + std::string(word) + " ") != std::string::npos;
}

std::string egl_error(const char* what) {
  char code[16];
  std::snprintf(code, sizeof code, "0x%04x", unsigned(eglGetError()));
  return std::string(what) + " failed (EGL error " + code + ")";
}

std::vector<Candidate> devices() {
  if (!GLAD_EGL_EXT_platform_device || eglQueryDevicesEXT == nullptr) return {};
  EGLint count = 0;
  if (!eglQueryDevicesEXT(0, nullptr, &count) || count <= 0) return {};
  std::vector<EGLDeviceEXT> handles(size_t(count), nullptr);
  if (!eglQueryDevicesEXT(count, handles.data(), &count)) return {};
  std::vector<Candidate> result;
  for (EGLint i = 0; i < count; ++i)
    result.push_back({"device " + std::to_string(i), EGL_PLATFORM_DEVICE_EXT, handles[size_t(i)]});
  return result;
}

bool is_software_device(const Candidate& candidate) {
  return eglQueryDeviceStringEXT != nullptr &&
         contains_word(eglQueryDeviceStringEXT(candidate.native, EGL_EXTENSIONS), "EGL_MESA_device_software");
}

// "software" selects a device, because Mesa's surfaceless platform uses a GPU if Mesa drives one.
std::vector<Candidate> candidates(const std::string& device) {
  const std::vector<Candidate> all = devices();
  const Candidate surfaceless{"surfaceless", EGL_PLATFORM_SURFACELESS_MESA, nullptr};
  std::vector<Candidate> software, hardware;
  for (const Candidate& candidate : all) (is_software_device(candidate) ? software : hardware).push_back(candidate);
  std::vector<Candidate> result;
  if (device == "software") {
    result = software;
    if (GLAD_EGL_MESA_platform_surfaceless) result.push_back(surfaceless);
  } else if (!device.empty()) {
    char* end = nullptr;
    const unsigned long number = std::strtoul(device.c_str(), &end, 10);
    if (*end != '\0' || number >= all.size())
      throw std::runtime_error("OpenGL device '" + device + "': there are " + std::to_string(all.size()) +
                               " EGL devices; give a number below that, 'software', or nothing");
    result.push_back(all[number]);
  } else {
    result = hardware;
    if (GLAD_EGL_MESA_platform_surfaceless) result.push_back(surfaceless);
    result.insert(result.end(), software.begin(), software.end());
    result.push_back({"default", 0, nullptr});
  }
  return result;
}

}  // namespace

struct EglContext::Handles {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLSurface surface = EGL_NO_SURFACE;
  EGLContext context = EGL_NO_CONTEXT;

  ~Handles() {
    if (display == EGL_NO_DISPLAY) return;
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    if (surface != EGL_NO_SURFACE) eglDestroySurface(display, surface);
    // The display stays initialized: EGL shares it with all other contexts of the process.
  }

  // Returns an error message; empty if the context is current and OpenGL is loaded.
  std::string open(const Candidate& candidate, GlProfile profile) {
    if (candidate.platform == 0) {
      display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    } else if (eglGetPlatformDisplayEXT != nullptr) {
      display = eglGetPlatformDisplayEXT(candidate.platform, candidate.native, nullptr);
    }
    if (display == EGL_NO_DISPLAY) return "no display";
    EGLint major = 0, minor = 0;
    if (!eglInitialize(display, &major, &minor)) return egl_error("eglInitialize");
    gladLoaderLoadEGL(display);  // again, with the display's own version and extensions
    if (!eglBindAPI(EGL_OPENGL_API)) return egl_error("eglBindAPI(OpenGL)");

    const char* extensions = eglQueryString(display, EGL_EXTENSIONS);
    const bool surface_free = contains_word(extensions, "EGL_KHR_surfaceless_context");
    const EGLint config_attributes[] = {EGL_SURFACE_TYPE, surface_free ? 0 : EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                        EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = EGL_NO_CONFIG_KHR;  // the context then takes windows of every configuration
    EGLint count = 0;
    if (!contains_word(extensions, "EGL_KHR_no_config_context") || !surface_free) {
      if (!eglChooseConfig(display, config_attributes, &config, 1, &count) || count == 0)
        return "no configuration for OpenGL";
    }
    const bool old = profile == GlProfile::compatibility;
    const EGLint profile_bit = old ? EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT : EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT;
    const EGLint context_attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                         4,
                                         EGL_CONTEXT_MINOR_VERSION,
                                         5,
                                         EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                         profile_bit,
                                         EGL_NONE};
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_attributes);
    if (context == EGL_NO_CONTEXT) {
      return egl_error(old ? "eglCreateContext(OpenGL 4.5, compatible)" : "eglCreateContext(OpenGL 4.5 core)");
    }
    if (!surface_free) {
      const EGLint surface_attributes[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
      surface = eglCreatePbufferSurface(display, config, surface_attributes);
      if (surface == EGL_NO_SURFACE) return egl_error("eglCreatePbufferSurface");
    }
    if (!eglMakeCurrent(display, surface, surface, context)) return egl_error("eglMakeCurrent");
    return gladLoadGL(eglGetProcAddress) < GLAD_MAKE_VERSION(4, 5) ? "OpenGL functions could not be loaded" : "";
  }
};

EglContext::EglContext(std::string device, GlProfile profile) {
  if (device.empty())
    if (const char* variable = std::getenv("BROKKR_GL_DEVICE")) device = variable;
  if (gladLoaderLoadEGL(EGL_NO_DISPLAY) == 0)
    throw std::runtime_error("OpenGL: libEGL.so.1 cannot be loaded; install libegl1 and a driver (libegl-mesa0)");

  std::string answers;
  for (const Candidate& candidate : candidates(device)) {
    auto handles = std::make_unique<Handles>();
    std::string error = handles->open(candidate, profile);
    if (error.empty()) {
      const auto text = [](GLenum name) { return std::string(reinterpret_cast<const char*>(glGetString(name))); };
      handles_ = std::move(handles);
      device_ = candidate.name;
      renderer_ = text(GL_RENDERER);
      version_ = text(GL_VERSION);
      vendor_ = text(GL_VENDOR);
      if (device != "software" || is_software()) return;
      error = "not a software renderer";
      handles_.reset();
    }
    answers += "; " + candidate.name + ": " + error;
  }
  throw std::runtime_error(std::string("OpenGL: no EGL device gives a 4.5 ") +
                           (profile == GlProfile::core ? "core" : "compatibility") + " context" + answers +
                           "; install a driver (Debian: libegl-mesa0 libgl1-mesa-dri)");
}

EglContext::~EglContext() = default;

void EglContext::make_current() {
  if (eglGetCurrentContext() == handles_->context) return;
  if (!eglMakeCurrent(handles_->display, handles_->surface, handles_->surface, handles_->context))
    throw std::runtime_error("OpenGL: " + egl_error("eglMakeCurrent") + "; is the context current on another thread?");
}

bool EglContext::open_window(const EglWindow& window) {
  const EGLint wanted[] = {EGL_SURFACE_TYPE,
                           EGL_PBUFFER_BIT,
                           EGL_RENDERABLE_TYPE,
                           EGL_OPENGL_BIT,
                           EGL_SAMPLE_BUFFERS,
                           window.samples > 1 ? 1 : 0,
                           EGL_SAMPLES,
                           window.samples > 1 ? window.samples : 0,
                           EGL_DEPTH_SIZE,
                           window.depth_bits,
                           EGL_STENCIL_SIZE,
                           window.stencil_bits,
                           EGL_NONE};
  EGLint count = 0;
  if (!eglChooseConfig(handles_->display, wanted, nullptr, 0, &count) || count == 0) return false;
  std::vector<EGLConfig> configs(size_t(count), nullptr);
  if (!eglChooseConfig(handles_->display, wanted, configs.data(), count, &count)) return false;
  const auto fits = [&](EGLConfig config) {
    const auto is = [&](EGLint name, int value) {
      EGLint found = -1;
      return eglGetConfigAttrib(handles_->display, config, name, &found) && found == value;
    };
    return is(EGL_RED_SIZE, 8) && is(EGL_GREEN_SIZE, 8) && is(EGL_BLUE_SIZE, 8) &&
           is(EGL_ALPHA_SIZE, window.has_alpha ? 8 : 0) && is(EGL_DEPTH_SIZE, window.depth_bits) &&
           is(EGL_STENCIL_SIZE, window.stencil_bits) && is(EGL_SAMPLES, window.samples > 1 ? window.samples : 0);
  };
  const EGLint size[] = {EGL_WIDTH, window.width, EGL_HEIGHT, window.height, EGL_NONE};
  for (size_t i = 0; i < size_t(count); ++i) {
    if (!fits(configs[i])) continue;
    const EGLSurface surface = eglCreatePbufferSurface(handles_->display, configs[i], size);
    if (surface == EGL_NO_SURFACE) continue;
    if (eglMakeCurrent(handles_->display, surface, surface, handles_->context)) {
      if (handles_->surface != EGL_NO_SURFACE) eglDestroySurface(handles_->display, handles_->surface);
      handles_->surface = surface;
      return true;
    }
    eglDestroySurface(handles_->display, surface);
  }
  return false;
}

bool EglContext::is_software() const {
  return renderer_.find("llvmpipe") != std::string::npos || renderer_.find("softpipe") != std::string::npos;
}

}  // namespace brokkr
