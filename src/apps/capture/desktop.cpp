#include "capture/desktop.h"

#include <EGL/egl.h>
#include <GL/glx.h>
#include <dlfcn.h>

#include <utility>

#include "capture/lookup.h"

namespace brokkr::capture {
namespace {

// The context's configuration in GLX.
GLXFBConfig glx_config(Display* display, GLXContext context) {
  int id = 0, screen = 0, count = 0;
  WINDOW(glXQueryContext)(display, context, GLX_FBCONFIG_ID, &id);
  WINDOW(glXQueryContext)(display, context, GLX_SCREEN, &screen);
  const int wanted[] = {GLX_FBCONFIG_ID, id, 0};
  GLXFBConfig* const found = WINDOW(glXChooseFBConfig)(display, screen, wanted, &count);
  const GLXFBConfig config = found && count > 0 ? found[0] : nullptr;
  const auto release = reinterpret_cast<int (*)(void*)>(real_dlsym(RTLD_DEFAULT, "XFree"));
  if (found && release) release(found);
  return config;
}

void* make_glx(const Surface& surface, void* shared) {
  auto* const display = static_cast<Display*>(surface.display);
  const auto get = WINDOW(glXGetProcAddressARB);
  const auto create = get ? reinterpret_cast<PFNGLXCREATECONTEXTATTRIBSARBPROC>(
                                get(reinterpret_cast<const GLubyte*>("glXCreateContextAttribsARB")))
                          : nullptr;
  auto* const es = static_cast<GLXContext>(shared);
  const GLXFBConfig config = glx_config(display, es);
  const int none[] = {0};
  return create && config ? create(display, config, es, True, none) : nullptr;
}

void* make_egl(const Surface& surface, void* shared) {
  EGLint id = 0, count = 0;
  WINDOW(eglQueryContext)(surface.display, shared, EGL_CONFIG_ID, &id);
  const EGLint wanted[] = {EGL_CONFIG_ID, id, EGL_NONE};
  EGLConfig config = nullptr;  // of a context without configuration
  if (id != 0 && (!WINDOW(eglChooseConfig)(surface.display, wanted, &config, 1, &count) || count < 1)) return nullptr;
  const EGLenum api = WINDOW(eglQueryAPI)();
  if (!WINDOW(eglBindAPI)(EGL_OPENGL_API)) return nullptr;
  const EGLint none[] = {EGL_NONE};
  void* const made = WINDOW(eglCreateContext)(surface.display, config, shared, none);
  WINDOW(eglBindAPI)(api);
  return made;
}

// Makes a context current, with these surfaces. The current EGL context is one for OpenGL and OpenGL ES together.
bool make_current(const Surface& draw, const Surface& read, void* context) {
  if (!draw.egl) {
    return WINDOW(glXMakeContextCurrent)(static_cast<Display*>(draw.display), draw.drawable, read.drawable,
                                         static_cast<GLXContext>(context)) == True;
  }
  return WINDOW(eglMakeCurrent)(draw.display, reinterpret_cast<EGLSurface>(draw.drawable),
                                reinterpret_cast<EGLSurface>(read.drawable), context) == EGL_TRUE;
}

Surface current_read_surface(const Surface& draw) {
  Surface read = draw;
  read.drawable = draw.egl ? reinterpret_cast<uintptr_t>(WINDOW(eglGetCurrentSurface)(EGL_READ))
                           : static_cast<uintptr_t>(WINDOW(glXGetCurrentReadDrawable)());
  return read;
}

}  // namespace

bool make_desktop_context(Context& context) {
  if (std::exchange(context.has_desktop, true)) return context.desktop != nullptr;
  const Surface surface = current_surface();
  context.desktop = surface.egl ? make_egl(surface, context.handle) : make_glx(surface, context.handle);
  if (context.desktop == nullptr) return false;
  context_created(context.desktop, context.handle);
  const DesktopContext probe(context);
  return (*probe).handle == context.desktop && (*probe).info.version >= 30;
}

void delete_desktop_context(Context& context) {
  context.has_desktop = false;
  if (context.desktop == nullptr) return;
  const Surface surface = current_surface();
  void* const unused = std::exchange(context.desktop, nullptr);
  if (surface.egl) {
    WINDOW(eglDestroyContext)(surface.display, unused);
  } else {
    WINDOW(glXDestroyContext)(static_cast<Display*>(surface.display), static_cast<GLXContext>(unused));
  }
}

DesktopContext::DesktopContext(const Context& context) : current_(&context) {
  if (!context.info.es || context.desktop == nullptr || current_context_handle() != context.handle) return;
  draw_ = current_surface();
  read_ = current_read_surface(draw_);
  GL(Finish)();  // other contexts see only what is finished
  if (!make_current(draw_, read_, context.desktop)) return;
  left_ = &context;
  current_ = known_context();
}

DesktopContext::~DesktopContext() {
  if (left_ == nullptr) return;
  take_errors();
  make_current(draw_, read_, left_->handle);
}

}  // namespace brokkr::capture
