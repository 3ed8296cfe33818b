// GLX and EGL: which context is current, how large a surface is, which keys are down.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace brokkr::capture {

// The surface passed to glXSwapBuffers or eglSwapBuffers.
struct Surface {
  bool egl = false;
  void* display = nullptr;
  uintptr_t drawable = 0;
};

// GLXContext or EGLContext of this thread, or null.
void* current_context_handle();

// The surface that the context draws to by default; drawable is 0 if there is none.
Surface current_surface();

// In pixels; {0, 0} if the window system does not report it.
std::pair<int, int> surface_size(const Surface& surface);

// Whether a key of the X server is down. `key`: an X11 keysym's name, e.g. "F10".
class Keyboard {
 public:
  // Sets `problem` if the key cannot be watched.
  explicit Keyboard(const std::string& key);
  bool is_down() const;
  const std::string& problem() const { return problem_; }

 private:
  void* display_ = nullptr;
  int code_ = 0;
  std::string problem_;
};

}  // namespace brokkr::capture
