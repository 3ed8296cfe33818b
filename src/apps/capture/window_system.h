// GLX and EGL: which context is current, how large a surface is, which keys are down.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace brokkr::capture {

// The surface that glXSwapBuffers and eglSwapBuffers name.
struct Surface {
  bool egl = false;
  void* display = nullptr;
  uintptr_t drawable = 0;
};

// GLXContext or EGLContext of this thread, or null.
void* current_context_handle();

// The surface that the context draws to by default; drawable 0 where it has none.
Surface current_surface();

// Pixels; {0, 0} where the window system does not say.
std::pair<int, int> surface_size(const Surface& surface);

// Whether a key of the X server is down. `key`: an X11 keysym's name, e.g. "F10".
class Keyboard {
 public:
  // `problem` is set where the key cannot be watched.
  explicit Keyboard(const std::string& key);
  bool is_down() const;
  const std::string& problem() const { return problem_; }

 private:
  void* display_ = nullptr;
  int code_ = 0;
  std::string problem_;
};

}  // namespace brokkr::capture
