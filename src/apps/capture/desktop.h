// OpenGL ES cannot read back textures, depth or window samples. The layer reads them in a desktop context of its own,
// which shares the objects of the program's context and draws to the same surface. It never draws.
#pragma once

#include "capture/context.h"

namespace brokkr::capture {

// Makes the desktop context current until destruction, if `context` is one of OpenGL ES. Commands of the program are
// finished before. Objects that contexts do not share (framebuffers, vertex arrays, queries) have other names inside.
class DesktopContext {
 public:
  explicit DesktopContext(const Context& context);
  ~DesktopContext();
  DesktopContext(const DesktopContext&) = delete;
  DesktopContext& operator=(const DesktopContext&) = delete;

  // The desktop context; the program's own if that is one, or if the driver has no context that shares its objects.
  const Context& operator*() const { return *current_; }

 private:
  const Context* current_;
  const Context* left_ = nullptr;  // the context to return to
  Surface draw_, read_;
};

// Creates the desktop context for an OpenGL ES context. Returns false if the driver has none.
bool make_desktop_context(Context& context);

// Deletes it. Call it at the end of a frame.
void delete_desktop_context(Context& context);

}  // namespace brokkr::capture
