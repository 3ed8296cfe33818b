// Takes a finished picture from the render thread into a texture of the window. Machines and OpenGL meet only here.
//
// A presenter is made and destroyed on the UI thread, with the window's context current. `write` and `write_device` are
// called on the render thread, everything else on the UI thread.
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
  uint64_t number = 0;  // of the frame
};

// A new texture, which is bound, that is shown unsmoothed where it is enlarged, and with this filter where it is
// reduced.
unsigned make_texture(int reduced);

class Presenter {
 public:
  virtual ~Presenter() = default;

  // Hands a picture over. Waits while all buffers are in use (the window is minimized). False where `stop` was called.
  virtual bool write(uint64_t number, int width, int height, std::span<const uint32_t> pixels) = 0;

  // Returns true if a frame of these options can be shown without passing through the host.
  virtual bool takes_device_frames(const RenderOptions&) const { return false; }
  // The same as `write` for the frame that `renderer` has just drawn without read-back, whole or cut off. False where
  // that cannot be done: the caller then renders again with read-back and calls `write`.
  virtual bool write_device(uint64_t /*number*/, Renderer&, uint32_t /*target*/, uint32_t /*layer*/, int /*width*/,
                            int /*height*/) {
    return false;
  }

  // Once per UI frame: brings the newest picture into the texture. Never waits.
  virtual ShownImage update() = 0;
  // Returns true if something is under way that only another `update` finishes.
  virtual bool busy() const = 0;
  // Ends waiting in `write`, for good.
  virtual void stop() = 0;
  // Text for the status bar: "2 mapped pixel buffers".
  virtual std::string description() const = 0;
};

// Pixel buffers, two of them: mapped for good where the driver can (OpenGL 4.4 or ARB_buffer_storage), else host
// memory. `wake`: makes the UI thread call `update`; from any thread.
std::unique_ptr<Presenter> make_host_presenter(std::function<void()> wake);

#if defined(BROKKR_VIEWER_CUDA)
// Frames of the CUDA machine are resolved into a registered texture, without a copy through the host. All other frames
// are shown as by make_host_presenter; where the window's context is not on the CUDA device (Mesa, remote), that is all
// frames, and the description says so.
std::unique_ptr<Presenter> make_cuda_presenter(std::function<void()> wake);
#endif

}  // namespace brokkr::viewer
