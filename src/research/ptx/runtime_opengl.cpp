// OpenGL: the device shares textures of the current context. A registered texture has a copy in device memory: mapping
// reads the texture into it, unmapping writes it back.
#include <GL/gl.h>
#include <GL/glext.h>
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <memory>

#include "ptx/memory.h"
#include "ptx/runtime.h"

namespace brokkr::ptx {
namespace {

// An OpenGL function from the library that created the program's context; nullptr if there is none.
void* find_function(const char* name) {
  constexpr const char* kDoors[][2] = {{"libEGL.so.1", "eglGetProcAddress"},
                                       {"libGLX.so.0", "glXGetProcAddressARB"},
                                       {"libGL.so.1", "glXGetProcAddressARB"}};
  for (const auto& [library, door] : kDoors) {
    void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    const auto get = reinterpret_cast<void* (*)(const char*)>(dlsym(handle, door));
    void* const function = get != nullptr ? get(name) : nullptr;
    dlclose(handle);
    if (function != nullptr) return function;
  }
  return nullptr;
}
template <class F>
F* function(const char* name) {
  return reinterpret_cast<F*>(find_function(name));
}

bool has_context() {
  const auto get_string = function<const GLubyte*(GLenum)>("glGetString");
  return get_string != nullptr && get_string(GL_VERSION) != nullptr;
}

struct Picture {
  GLuint texture = 0;
  GLint width = 0, height = 0;
  Surface surface;
  bool mapped = false;

  ~Picture() { Memory::instance().free(surface.data); }
};
Picture& picture_of(cudaGraphicsResource_t resource) { return *reinterpret_cast<Picture*>(resource); }

// Calls f() while the texture is bound and no pixel buffer is.
template <class F>
void with_texture(GLuint texture, F&& f) {
  const auto get = function<void(GLenum, GLint*)>("glGetIntegerv");
  const auto bind = function<void(GLenum, GLuint)>("glBindTexture");
  const auto bind_buffer = function<void(GLenum, GLuint)>("glBindBuffer");
  GLint bound = 0, pack = 0, unpack = 0;
  get(GL_TEXTURE_BINDING_2D, &bound);
  get(GL_PIXEL_PACK_BUFFER_BINDING, &pack);
  get(GL_PIXEL_UNPACK_BUFFER_BINDING, &unpack);
  bind(GL_TEXTURE_2D, texture);
  bind_buffer(GL_PIXEL_PACK_BUFFER, 0);
  bind_buffer(GL_PIXEL_UNPACK_BUFFER, 0);
  f();
  bind(GL_TEXTURE_2D, GLuint(bound));
  bind_buffer(GL_PIXEL_PACK_BUFFER, GLuint(pack));
  bind_buffer(GL_PIXEL_UNPACK_BUFFER, GLuint(unpack));
}

// Rows of 32-bit texels are aligned to 4 bytes, which is OpenGL's default.
void read_texture(const Picture& p) {
  const auto read = function<void(GLenum, GLint, GLenum, GLenum, void*)>("glGetTexImage");
  with_texture(p.texture, [&] { read(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, p.surface.data); });
}
void write_texture(const Picture& p) {
  const auto write =
      function<void(GLenum, GLint, GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, const void*)>("glTexSubImage2D");
  with_texture(p.texture,
               [&] { write(GL_TEXTURE_2D, 0, 0, 0, p.width, p.height, GL_RGBA, GL_UNSIGNED_BYTE, p.surface.data); });
}

cudaError_t register_texture(Picture& p) {
  const auto level = function<void(GLenum, GLint, GLenum, GLint*)>("glGetTexLevelParameteriv");
  GLint format = 0;
  with_texture(p.texture, [&] {
    level(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &p.width);
    level(GL_TEXTURE_2D, 0, GL_TEXTURE_HEIGHT, &p.height);
    level(GL_TEXTURE_2D, 0, GL_TEXTURE_INTERNAL_FORMAT, &format);
  });
  if (format != GL_RGBA8) return cudaErrorNotSupported;
  if (p.width <= 0 || p.height <= 0) return cudaErrorInvalidValue;
  p.surface.pitch = uint64_t(p.width) * 4;
  p.surface.height = uint64_t(p.height);
  p.surface.data = static_cast<uint8_t*>(
      Memory::instance().allocate(p.surface.pitch * p.surface.height, kGlobalRange, nullptr, true));
  return p.surface.data == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

}  // namespace
}  // namespace brokkr::ptx

using namespace brokkr::ptx;

extern "C" {

cudaError_t cudaGLGetDevices(unsigned* count, int* devices, unsigned most, cudaGLDeviceList) {
  *count = has_context() ? 1 : 0;
  if (*count > 0 && most > 0) devices[0] = 0;
  return *count > 0 ? cudaSuccess : note(cudaErrorNoDevice);
}
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource** resource, GLuint texture, GLenum target, unsigned) {
  return call("cudaGraphicsGLRegisterImage", [&] {
    if (target != GL_TEXTURE_2D || !has_context()) return cudaErrorNotSupported;
    auto picture = std::make_unique<Picture>();
    picture->texture = texture;
    const cudaError_t error = register_texture(*picture);
    if (error == cudaSuccess) *resource = reinterpret_cast<cudaGraphicsResource*>(picture.release());
    return error;
  });
}
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource) {
  return call("cudaGraphicsUnregisterResource", [&] {
    Queue::instance().wait_all();
    delete &picture_of(resource);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t* resources, cudaStream_t) {
  return call("cudaGraphicsMapResources", [&] {
    for (int i = 0; i < count; ++i) {
      Picture& picture = picture_of(resources[i]);
      if (picture.mapped) return cudaErrorAlreadyMapped;
      read_texture(picture);
      picture.mapped = true;
    }
    return cudaSuccess;
  });
}
cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t* resources, cudaStream_t) {
  return call("cudaGraphicsUnmapResources", [&] {
    Queue::instance().wait_all();
    for (int i = 0; i < count; ++i) {
      Picture& picture = picture_of(resources[i]);
      if (!picture.mapped) return cudaErrorNotMapped;
      write_texture(picture);
      picture.mapped = false;
    }
    return cudaSuccess;
  });
}
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t* array, cudaGraphicsResource_t resource, unsigned,
                                                  unsigned) {
  Picture& picture = picture_of(resource);
  if (!picture.mapped) return note(cudaErrorNotMapped);
  *array = reinterpret_cast<cudaArray_t>(&picture.surface);
  return cudaSuccess;
}

}  // extern "C"
