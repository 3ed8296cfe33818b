// Moves a finished picture from the render thread into a texture of the window. Only here do machines and OpenGL meet.
//
// A presenter is created and destroyed on the UI thread, with the window's context current. `write` and `write_device`
// are called on the render thread, everything else on the UI thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "brokkr/renderer.h"

namespace brokkr::viewer {

// RGBA8 (0xAABBGGRR), rows bottom to top; alpha reads as 1.
struct ShownImage {
  unsigned texture = 0;  // OpenGL's name; 0: nothing yet
  int width = 0, height = 0;
  uint64_t number = 0;  // number of the frame
};

// Creates and binds a texture. Enlarged, it shows pixels as squares; reduced, it uses the filter `reduced`.
unsigned make_texture(int reduced);

class Presenter {
 public:
  virtual ~Presenter() = default;

  // Passes a picture to the window. Waits while all buffers are in use (the window is minimized). Returns false if
  // `stop` was called.
  virtual bool write(uint64_t number, int width, int height, std::span<const uint32_t> pixels) = 0;

  // Returns true if a frame with these options can be shown without passing through the host.
  virtual bool takes_device_frames(const RenderOptions&) const { return false; }
  // Like `write`, for the frame that `renderer` has just drawn without read-back, complete or cut off. Returns false if
  // that is impossible; the caller then renders again with read-back and calls `write`.
  virtual bool write_device(uint64_t /*number*/, Renderer&, uint32_t /*target*/, uint32_t /*layer*/, int /*width*/,
                            int /*height*/) {
    return false;
  }

  // Copies the newest picture into the texture. Call it once per UI frame; it never waits.
  virtual ShownImage update() = 0;
  // Returns true if work is pending that only another `update` finishes.
  virtual bool busy() const = 0;
  // Ends waiting in `write` permanently.
  virtual void stop() = 0;
  // Describes the presenter on the status bar: "2 mapped pixel buffers".
  virtual std::string description() const = 0;
};

// Uses two pixel buffers: mapped permanently if the driver supports it (OpenGL 4.4 or ARB_buffer_storage), otherwise
// host memory. `wake`: makes the UI thread call `update`; may be called from any thread.
std::unique_ptr<Presenter> make_host_presenter(std::function<void()> wake);

#if defined(BROKKR_VIEWER_CUDA)
// Resolves frames of the CUDA machine into a registered texture, without a copy through the host. Other frames are
// shown as by make_host_presenter. If the window's context is not on the CUDA device (Mesa, remote display), that is
// every frame, and the description says so.
std::unique_ptr<Presenter> make_cuda_presenter(std::function<void()> wake);
#endif

}  // namespace brokkr::viewer
