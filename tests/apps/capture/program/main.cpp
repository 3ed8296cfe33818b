// The program under capture: one case per frame, in a pbuffer of a headless EGL display. For each frame it prints its
// number, a hash of its pixels, of its depth and of GL's query results, and the GL error that the case left. With
// --forever it presents frames until it is killed. With --many N, the first frame has N draws in immediate mode, each
// with its own state, fog and sampler, and the program prints the thread's processor time for each quarter of them.
// With --many N at-once it then ends by _exit(), and so does a child that it forks before. With --srgb its window
// encodes colours as sRGB; with --kept the window could, but does not; then there is only one case. With --es it draws
// the cases of OpenGL ES; a context of version 2 is one of all later versions too. With --beside a second context,
// which shares objects, draws in each frame. With --elsewhere another window, which is never shown, is cleared before
// the only frame. With --old the window has four samples a pixel, and the context the version that the environment
// names (MESA_GL_VERSION_OVERRIDE); with --old-srgb the window encodes colours instead.
#include "cases.h"
#include "scene.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

namespace {

EGLDisplay display = EGL_NO_DISPLAY;
EGLConfig config = nullptr;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "capture test program: %s (EGL error 0x%x)\n", what, unsigned(eglGetError()));
  std::exit(77);  // no driver can run this, so the test is skipped
}

EGLContext make_context(EGLint profile, EGLContext share) {
  const EGLint attributes[] = {
      EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_CONTEXT_OPENGL_PROFILE_MASK, profile, EGL_NONE};
  EGLContext context = eglCreateContext(display, config, share, attributes);
  if (context == EGL_NO_CONTEXT) fail("no OpenGL 4.5 context");
  return context;
}

EGLContext make_context_es() {
  const EGLint attributes[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
  eglBindAPI(EGL_OPENGL_ES_API);
  EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
  if (context == EGL_NO_CONTEXT) fail("no OpenGL ES context");
  return context;
}

template <typename T>
uint64_t hash(const std::vector<T>& values) {
  uint64_t result = 1469598103934665603ull;
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  for (size_t i = 0; i < values.size() * sizeof(T); i++) result = (result ^ bytes[i]) * 1099511628211ull;
  return result;
}

void print_picture(int number) {
  const GLenum error = glGetError();
  std::vector<uint32_t> color(scene::kSize * scene::kSize), depth(color.size());
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glReadPixels(0, 0, scene::kSize, scene::kSize, GL_RGBA, GL_UNSIGNED_BYTE, color.data());
  glReadPixels(0, 0, scene::kSize, scene::kSize, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, depth.data());
  const std::string answers = scene::describe_context();
  if (std::getenv("BROKKR_SHOW_ANSWERS")) std::fprintf(stderr, "%d %s\n", number, answers.c_str());
  std::printf("%d %016llx %016llx %016llx 0x%x\n", number, (unsigned long long)hash(color),
              (unsigned long long)hash(depth), (unsigned long long)hash(std::vector(answers.begin(), answers.end())),
              unsigned(error));
}

// Programs find functions in three ways, which must all give the same result. The layer exports functions of GLX, which
// the process cannot find without libGL.
void check_lookup() {
  auto* const direct = reinterpret_cast<void*>(&glDrawArrays);
  auto* const asked = reinterpret_cast<void*>(eglGetProcAddress("glDrawArrays"));
  void* const library = dlopen("libGL.so.1", RTLD_LAZY | RTLD_LOCAL);
  void* const found = library ? dlsym(library, "glDrawArrays") : direct;
  const bool preloaded = std::getenv("BROKKR_CAPTURE_OUTPUT") != nullptr;
  if (preloaded && (asked != direct || found != direct)) {
    std::fprintf(stderr, "capture test program: lookups differ: %p %p %p\n", direct, asked, found);
    std::exit(1);
  }
  // A lookup that succeeds leaves no error, also of a function that the layer does not replace.
  dlerror();
  const bool known = library && dlsym(library, "glGetString") != nullptr;
  if (const char* const message = dlerror(); known && message) {
    std::fprintf(stderr, "capture test program: a lookup left an error: %s\n", message);
    std::exit(1);
  }
}

double thread_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

[[noreturn]] void end_at_once() {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child > 0) waitpid(child, nullptr, 0);
  std::_Exit(0);
}

void draw_many(int count) {
  GLuint texture = 0;
  const std::vector<GLubyte> texels(16, 255);
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
  for (const GLenum feature : {GL_TEXTURE_2D, GL_FOG, GL_SCISSOR_TEST}) glEnable(feature);
  for (int quarter = 0; quarter < 4; quarter++) {
    const double begin = thread_ms();
    for (int i = quarter * count / 4; i < (quarter + 1) * count / 4; i++) {
      glScissor(i % 64, i / 64 % 64, 1 + i / 4096, 1);
      glFogf(GL_FOG_DENSITY, GLfloat(i) * 1e-6f);
      glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MIN_LOD, GLfloat(i) * 1e-6f);
      glBegin(GL_TRIANGLES);
      for (const auto& [x, y] : {std::array{-1, -1}, {1, -1}, {0, 1}}) glVertex2f(GLfloat(x), GLfloat(y));
      glEnd();
    }
    std::printf("%.3f ms\n", thread_ms() - begin);
  }
}

}  // namespace

int main(int count_of_words, char** words) {
  const auto is_asked = [&](const char* option) { return count_of_words > 1 && std::strcmp(words[1], option) == 0; };
  const bool srgb = is_asked("--srgb") || is_asked("--kept") || is_asked("--old-srgb"), es = is_asked("--es");
  const bool old = is_asked("--old") || is_asked("--old-srgb");
  // After its last frame is captured, this program may be killed before it ends.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr)) fail("no surfaceless EGL display");
  eglBindAPI(EGL_OPENGL_API);
  const EGLint wanted[] = {EGL_SURFACE_TYPE,
                           EGL_PBUFFER_BIT,
                           EGL_RENDERABLE_TYPE,
                           EGL_OPENGL_BIT,
                           EGL_RED_SIZE,
                           8,
                           EGL_GREEN_SIZE,
                           8,
                           EGL_BLUE_SIZE,
                           8,
                           EGL_DEPTH_SIZE,
                           24,
                           EGL_STENCIL_SIZE,
                           8,
                           EGL_SAMPLES,
                           is_asked("--old") ? 4 : 0,
                           EGL_NONE};
  EGLConfig configs[64];
  EGLint count = 0;
  if (!eglChooseConfig(display, wanted, configs, 64, &count) || count == 0) fail("no config");
  config = configs[0];
  // There is no sRGB format with 10 bits.
  for (EGLint i = count - 1, red = 0; i >= 0 && srgb; i--) {
    if (eglGetConfigAttrib(display, configs[i], EGL_RED_SIZE, &red) && red == 8) config = configs[i];
  }
  const EGLint size[] = {
      EGL_WIDTH,    scene::kSize,          EGL_HEIGHT,
      scene::kSize, EGL_GL_COLORSPACE_KHR, srgb ? EGL_GL_COLORSPACE_SRGB_KHR : EGL_GL_COLORSPACE_LINEAR_KHR,
      EGL_NONE};
  EGLSurface surface = eglCreatePbufferSurface(display, config, size);
  if (surface == EGL_NO_SURFACE) fail("no pbuffer");
  const EGLint second_size[] = {EGL_WIDTH, scene::kSecondSize, EGL_HEIGHT, scene::kSecondSize, EGL_NONE};
  EGLSurface second = eglCreatePbufferSurface(display, config, second_size);
  if (second == EGL_NO_SURFACE) fail("no second pbuffer");
  if (old) {
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, nullptr);
    if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, surface, surface, context)) fail("no context");
    eglSwapBuffers(display, surface);
    scene::begin_case();
    srgb ? scene::draw_encoded() : scene::draw_old_window();
    print_picture(1);
    eglSwapBuffers(display, surface);
    return 0;
  }
  const EGLContext core = make_context(EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NO_CONTEXT);
  const EGLContext fixed = make_context(EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT, EGL_NO_CONTEXT);
  const EGLContext threads[2] = {make_context(EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, core),
                                 make_context(EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, core)};
  check_lookup();

  if (is_asked("--elsewhere")) {
    eglMakeCurrent(display, second, second, core);
    glClear(GL_COLOR_BUFFER_BIT);
    eglMakeCurrent(display, surface, surface, core);
    scene::setup_core();
    scene::begin_case();
    scene::draw_core(scene::kArrays);
    print_picture(0);
    eglSwapBuffers(display, surface);
    return 0;
  }
  eglMakeCurrent(display, surface, surface, fixed);
  scene::setup_compatibility();
  eglMakeCurrent(display, surface, surface, core);
  scene::setup_core();
  eglSwapBuffers(display, surface);
  while (is_asked("--forever")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    scene::draw_core(scene::kArrays);
    eglSwapBuffers(display, surface);
  }
  if (is_asked("--many") && count_of_words > 2) {
    eglMakeCurrent(display, surface, surface, fixed);
    draw_many(std::atoi(words[2]));
    eglSwapBuffers(display, surface);
    if (count_of_words > 3) end_at_once();
    return 0;
  }
  for (int number = 1; number < 5 && is_asked("--beside"); number++) {
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, threads[0]);
    scene::draw_beside(number == 1);
    eglMakeCurrent(display, surface, surface, core);
    scene::begin_case();
    scene::draw_core(scene::kArrays);
    print_picture(number);
    eglSwapBuffers(display, surface);
  }
  if (is_asked("--beside")) return 0;
  if (es) {
    const EGLContext context = make_context_es();
    for (int number = 1; number < scene::kCaseCountEs; number++) {
      eglMakeCurrent(display, surface, surface, context);
      scene::begin_case();
      scene::draw_es(number);
      print_picture(number);
      eglSwapBuffers(display, surface);
    }
    return 0;
  }
  if (srgb) {
    eglMakeCurrent(display, surface, surface, fixed);
    scene::begin_case();
    is_asked("--srgb") ? scene::draw_encoded() : scene::draw_kept();
    print_picture(1);
    eglSwapBuffers(display, surface);
    return 0;
  }
  for (int number = 1; number < scene::kCaseCount; number++) {
    const bool is_core = number < scene::kImmediate;
    eglMakeCurrent(display, surface, surface, is_core ? core : fixed);
    scene::begin_case();
    if (number == scene::kThreads) {
      glFinish();
      scene::draw_threads([&](int thread) {
        eglBindAPI(EGL_OPENGL_API);  // for each thread
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, thread < 0 ? EGL_NO_CONTEXT : threads[thread]);
      });
    } else if (number == scene::kWindows) {
      const auto make_current = [&](int window) {
        EGLSurface to = window == 0 ? surface : second;
        eglMakeCurrent(display, to, to, core);
      };
      scene::draw_windows(make_current, [&] { eglSwapBuffers(display, second); });
    } else if (number >= scene::kGeometry && is_core) {
      scene::draw_shaders(number);
    } else if (is_core) {
      scene::draw_core(number);
    } else {
      scene::draw_compatibility(number);
    }
    print_picture(number);
    eglSwapBuffers(display, surface);
  }
  std::fflush(stdout);
  eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglTerminate(display);
  return 0;
}
