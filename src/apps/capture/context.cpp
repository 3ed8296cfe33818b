#include "capture/context.h"

#include <EGL/egl.h>
#include <GL/glx.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "capture/lookup.h"

namespace brokkr::capture {
namespace {

template <typename Function>
Function* x11_function(const char* name) {
  static void* const library = dlopen("libX11.so.6", RTLD_LAZY);
  return library ? reinterpret_cast<Function*>(real_dlsym(library, name)) : nullptr;
}
#define X11(name) x11_function<decltype(::name)>(#name)

bool x_error = false;
int note_x_error(Display*, XErrorEvent*) {
  x_error = true;
  return 0;
}

std::pair<int, int> glx_size(const Surface& surface) {
  const auto query = WINDOW(glXQueryDrawable);
  const auto set_handler = X11(XSetErrorHandler);
  const auto sync = X11(XSync);
  if (!query || !set_handler || !sync) return {0, 0};
  auto* display = static_cast<Display*>(surface.display);
  // Some drivers do not accept a plain window as a GLX drawable, and report an error that would end the program.
  x_error = false;
  sync(display, False);
  const XErrorHandler before = set_handler(note_x_error);
  unsigned width = 0, height = 0;
  query(display, surface.drawable, GLX_WIDTH, &width);
  query(display, surface.drawable, GLX_HEIGHT, &height);
  sync(display, False);
  if (x_error || width == 0) {
    const auto geometry = X11(XGetGeometry);
    Window root = 0;
    int x = 0, y = 0;
    unsigned border = 0, depth = 0;
    x_error = false;
    if (!geometry || !geometry(display, surface.drawable, &root, &x, &y, &width, &height, &border, &depth)) {
      width = height = 0;
    }
    sync(display, False);
  }
  set_handler(before);
  return {static_cast<int>(width), static_cast<int>(height)};
}

}  // namespace

void* current_context_handle() {
  if (const auto get = WINDOW(glXGetCurrentContext)) {
    if (void* context = get()) return context;
  }
  const auto get = WINDOW(eglGetCurrentContext);
  return get ? get() : nullptr;
}

Surface current_surface() {
  const auto get_context = WINDOW(glXGetCurrentContext);
  const auto get_display = WINDOW(glXGetCurrentDisplay);
  const auto get_drawable = WINDOW(glXGetCurrentDrawable);
  if (get_context && get_display && get_drawable && get_context()) {
    return {false, get_display(), static_cast<uintptr_t>(get_drawable())};
  }
  const auto egl_display = WINDOW(eglGetCurrentDisplay);
  const auto egl_surface = WINDOW(eglGetCurrentSurface);
  if (!egl_display || !egl_surface) return {};
  return {true, egl_display(), reinterpret_cast<uintptr_t>(egl_surface(EGL_DRAW))};
}

std::pair<int, int> surface_size(const Surface& surface) {
  if (surface.drawable == 0) return {0, 0};
  if (!surface.egl) return glx_size(surface);
  const auto query = WINDOW(eglQuerySurface);
  EGLint width = 0, height = 0;
  void* const egl_surface = reinterpret_cast<void*>(surface.drawable);
  if (!query || !query(surface.display, egl_surface, EGL_WIDTH, &width) ||
      !query(surface.display, egl_surface, EGL_HEIGHT, &height)) {
    return {0, 0};
  }
  return {width, height};
}

Keyboard::Keyboard(const std::string& key) {
  const auto open = X11(XOpenDisplay);
  const auto to_symbol = X11(XStringToKeysym);
  const auto to_code = X11(XKeysymToKeycode);
  if (!open || !to_symbol || !to_code) {
    problem_ = "libX11 was not found; keys are watched through the X server";
    return;
  }
  // The layer uses its own connection, because several threads of the program may use the program's.
  auto* display = open(nullptr);
  const KeySym symbol = to_symbol(key.c_str());
  if (!display) {
    problem_ = "no X server answers; keys are watched through it";
  } else if (symbol == NoSymbol || (code_ = to_code(display, symbol)) == 0) {
    problem_ = "the keyboard has no key '" + key + "'; name an X11 keysym such as F10";
  } else {
    display_ = display;
  }
}

bool Keyboard::is_down() const {
  const auto query = X11(XQueryKeymap);
  if (!display_ || !query) return false;
  char keys[32] = {};
  query(static_cast<Display*>(display_), keys);
  return (keys[code_ / 8] >> (code_ % 8) & 1) != 0;
}

namespace {

struct Contexts {
  std::mutex mutex;
  std::map<void*, std::unique_ptr<Context>> of_handle;
  std::map<std::pair<uint64_t, GLuint>, std::vector<ListPiece>> lists;
  uint64_t next_group = 1, next_number = 1;
};

// Never destroyed: threads may still draw while the process exits.
Contexts& contexts() {
  static auto* const result = new Contexts;
  return *result;
}

Context& add_context(Contexts& all, void* handle, uint64_t group) {
  auto context = std::make_unique<Context>();
  context->handle = handle;
  context->number = all.next_number++;
  context->share_group = group;
  return *(all.of_handle[handle] = std::move(context));
}

std::set<std::string> read_extensions(int version) {
  std::set<std::string> result;
  if (version >= 30) {
    const GLint count = get_integer(GL_NUM_EXTENSIONS);
    for (GLint i = 0; i < count; i++) {
      const auto* name = reinterpret_cast<const char*>(GL(GetStringi)(GL_EXTENSIONS, static_cast<GLuint>(i)));
      if (name) result.insert(name);
    }
    return result;
  }
  const auto* names = reinterpret_cast<const char*>(GL(GetString)(GL_EXTENSIONS));
  for (const char* name = names; name && *name;) {
    const size_t length = std::strcspn(name, " ");
    result.emplace(name, length);
    name += length + std::strspn(name + length, " ");
  }
  return result;
}

ContextInfo read_info() {
  ContextInfo info;
  const auto* text = reinterpret_cast<const char*>(GL(GetString)(GL_VERSION));
  const auto* renderer = reinterpret_cast<const char*>(GL(GetString)(GL_RENDERER));
  if (renderer) info.renderer = renderer;
  if (!text) return info;
  info.mesa = std::strstr(text, "Mesa") != nullptr;
  info.es = std::strncmp(text, "OpenGL ES", 9) == 0;
  const char* digits = text + std::strcspn(text, "0123456789");
  const long major = std::strtol(digits, nullptr, 10);
  const char* dot = std::strchr(digits, '.');
  info.version = static_cast<int>(major * 10 + (dot ? std::strtol(dot + 1, nullptr, 10) : 0));
  const int version = info.version;
  const std::set<std::string> extensions = read_extensions(version);
  if (info.es) {
    info.compatibility = false;
  } else if (version >= 32) {
    info.compatibility = (get_integer(GL_CONTEXT_PROFILE_MASK) & GL_CONTEXT_COMPATIBILITY_PROFILE_BIT) != 0;
  } else {
    info.compatibility = version < 31 || extensions.count("GL_ARB_compatibility") > 0;
    if (version >= 30 && (get_integer(GL_CONTEXT_FLAGS) & GL_CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT) != 0) {
      info.compatibility = false;
    }
  }
  const auto has = [&](int since, int since_es, std::initializer_list<const char*> names) {
    const auto is_there = [&](const char* name) { return extensions.count(name) > 0; };
    return version >= (info.es ? since_es : since) || std::any_of(names.begin(), names.end(), is_there);
  };
#define BROKKR_FEATURE(name, since, since_es, ...) info.name = has(since, since_es, {__VA_ARGS__});
  BROKKR_FEATURES(BROKKR_FEATURE)
#undef BROKKR_FEATURE
  info.arb_vertex_program = info.compatibility && extensions.count("GL_ARB_vertex_program") > 0;
  info.arb_fragment_program = info.compatibility && extensions.count("GL_ARB_fragment_program") > 0;
  info.ati_fragment_shader = info.compatibility && extensions.count("GL_ATI_fragment_shader") > 0;
  return info;
}

}  // namespace

std::recursive_mutex& capture_mutex() {
  static auto* const result = new std::recursive_mutex;
  return *result;
}

Context* current_context() {
  void* handle = current_context_handle();
  if (!handle) return nullptr;
  Contexts& all = contexts();
  const std::lock_guard lock(all.mutex);
  const auto found = all.of_handle.find(handle);
  return found != all.of_handle.end() ? found->second.get() : &add_context(all, handle, all.next_group++);
}

Context* known_context() {
  Context* context = current_context();
  if (context && !context->is_known) {
    context->info = read_info();
    context->is_known = true;
  }
  return context;
}

void context_created(void* handle, void* shared_with) {
  if (!handle) return;
  Contexts& all = contexts();
  const std::lock_guard lock(all.mutex);
  const auto shared = all.of_handle.find(shared_with);
  add_context(all, handle, shared != all.of_handle.end() ? shared->second->share_group : all.next_group++);
}

std::vector<ListPiece> list_pieces(const Context& context, GLuint list) {
  Contexts& all = contexts();
  const std::lock_guard lock(all.mutex);
  const auto found = all.lists.find({context.share_group, list});
  return found == all.lists.end() ? std::vector<ListPiece>{{list, 0}} : found->second;
}

std::vector<ListPiece> set_list_pieces(const Context& context, GLuint list, std::vector<ListPiece> pieces) {
  Contexts& all = contexts();
  const std::lock_guard lock(all.mutex);
  return std::exchange(all.lists[{context.share_group, list}], std::move(pieces));
}

GLenum take_errors() {
  constexpr int kMaxErrors = 16;  // a lost context returns an error forever
  const GLenum first = GL(GetError)();
  for (int i = 1; i < kMaxErrors && first != GL_NO_ERROR && GL(GetError)() != GL_NO_ERROR; i++) continue;
  return first;
}

// OpenGL ES always encodes, and always uses its samples, unless an extension brings OpenGL's state.
bool encodes_srgb(const ContextInfo& info) {
  if (!info.framebuffer_srgb) return false;
  return info.srgb_control ? is_enabled(GL_FRAMEBUFFER_SRGB) : info.es;
}

bool is_multisampling(const ContextInfo& info) {
  if (!info.multisample || get_integer(GL_SAMPLE_BUFFERS) < 1) return false;
  return info.es || is_enabled(GL_MULTISAMPLE);
}

GLint get_integer(GLenum name) {
  GLint values[4] = {0, 0, 0, 0};  // some names have several values
  GL(GetIntegerv)(name, values);
  return values[0];
}

}  // namespace brokkr::capture
