// An OpenGL 4.5 context without a window, through EGL, on a GPU's driver or Mesa's software renderer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace brokkr {

// Compatibility contexts have the fixed function of OpenGL 1.5, and accept shaders that use its variables.
enum class GlProfile : uint8_t { core, compatibility };

// A window without a screen. Its planes are those of framebuffer 0.
struct EglWindow {
  int width = 0, height = 0;  // pixels
  int samples = 1;            // of a pixel
  bool has_alpha = false;     // colours have 8 bits, and linear light
  int depth_bits = 0, stencil_bits = 0;
};

// The context is current on the thread that created it; one thread at a time may use it.
class EglContext {
 public:
  // `device`: "" uses the first GPU that gives a context and falls back to software; "software" uses Mesa's software
  // renderer; a number uses that EGL device (in the order of eglQueryDevicesEXT). An empty `device` reads the
  // environment variable BROKKR_GL_DEVICE first. Throws std::runtime_error with each device's error.
  explicit EglContext(std::string device = "", GlProfile profile = GlProfile::core);
  ~EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

  // Makes the context current on the calling thread. Throws std::runtime_error if EGL refuses.
  void make_current();

  // Replaces framebuffer 0, which is incomplete at first, by a window. Returns false, and changes nothing, if the
  // driver has no such windows.
  bool open_window(const EglWindow& window);

  const std::string& renderer() const { return renderer_; }  // GL_RENDERER
  const std::string& version() const { return version_; }    // GL_VERSION
  const std::string& vendor() const { return vendor_; }      // GL_VENDOR
  // The opened display: "device 0", "surfaceless", "default".
  const std::string& device() const { return device_; }
  bool is_software() const;  // Mesa's llvmpipe or softpipe

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
  std::string renderer_, version_, vendor_, device_;
};

}  // namespace brokkr
