// OpenGL: this device shares nothing with it.
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>

#include "ptx/runtime.h"

using namespace brokkr::ptx;

extern "C" {

cudaError_t cudaGLGetDevices(unsigned* count, int*, unsigned, cudaGLDeviceList) {
  *count = 0;
  return note(cudaErrorNoDevice);
}
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource**, GLuint, GLenum, unsigned) {
  return note(cudaErrorNotSupported);
}
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t) { return note(cudaErrorNotSupported); }
cudaError_t cudaGraphicsMapResources(int, cudaGraphicsResource_t*, cudaStream_t) { return note(cudaErrorNotSupported); }
cudaError_t cudaGraphicsUnmapResources(int, cudaGraphicsResource_t*, cudaStream_t) {
  return note(cudaErrorNotSupported);
}
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t*, cudaGraphicsResource_t, unsigned, unsigned) {
  return note(cudaErrorNotSupported);
}

}  // extern "C"
