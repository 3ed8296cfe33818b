// After GLAD, so that CUDA's header does not include another OpenGL header.
#include <glad/gl.h>

#include <cuda_gl_interop.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "raster/shading_traits.h"
#include "viewer/present.h"

namespace brokkr::viewer {
namespace {

class CudaPresenter : public Presenter {
 public:
  explicit CudaPresenter(std::function<void()> wake) : wake_(wake), host_(make_host_presenter(std::move(wake))) {
    unsigned count = 0;
    int devices[8] = {};
    const cudaError_t error = cudaGLGetDevices(&count, devices, 8, cudaGLDeviceListAll);
    cudaGetLastError();
    // The pipeline runs on device 0.
    shared_ = error == cudaSuccess && std::find(devices, devices + count, 0) != devices + count;
    if (!shared_)
      reason_ =
          std::string("OpenGL is on another device (") + reinterpret_cast<const char*>(glGetString(GL_RENDERER)) + ")";
  }
  ~CudaPresenter() override { release(); }
  CudaPresenter(const CudaPresenter&) = delete;
  CudaPresenter& operator=(const CudaPresenter&) = delete;

  bool write(uint64_t number, int width, int height, std::span<const uint32_t> pixels) override {
    return host_->write(number, width, height, pixels);
  }

  bool takes_device_frames(const RenderOptions& options) const override {
    const bool cuda =
        options.machine == MachineKind::cuda || (options.machine == MachineKind::automatic && options.isa.empty());
    // Overdraw is coloured on the host.
    return shared_ && cuda && !shading_traits(options.shading).overdraw;
  }

  // Only the UI thread has the context that a mapping needs, so the UI thread resolves while this thread waits. The
  // window then has the picture before the next launch reuses the planes.
  bool write_device(uint64_t number, Renderer& renderer, uint32_t target, uint32_t layer, int width,
                    int height) override {
    std::unique_lock lock(mutex_);
    if (!shared_ || stopped_) return stopped_;
    wish_ = Wish{number, &renderer, target, layer, width, height};
    wake_();
    changed_.wait(lock, [&] { return !wish_ || stopped_; });
    wish_.reset();
    return image_.number == number || stopped_;
  }

  ShownImage update() override {
    const ShownImage from_host = host_->update();
    const std::lock_guard lock(mutex_);
    if (wish_) {
      try {
        resolve(*wish_);
      } catch (const std::exception& error) {
        give_up(error.what());
      }
      wish_.reset();
      changed_.notify_all();
    }
    return from_host.number > image_.number ? from_host : image_;
  }

  bool busy() const override { return host_->busy(); }

  void stop() override {
    host_->stop();
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  std::string description() const override {
    const std::lock_guard lock(mutex_);
    return shared_ ? "shared texture" : "copied through the host: " + reason_;
  }

 private:
  struct Wish {
    uint64_t number;
    Renderer* renderer;
    uint32_t target, layer;
    int width, height;
  };

  static void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    cudaGetLastError();
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
  }

  void release() {
    if (resource_ != nullptr) cudaGraphicsUnregisterResource(resource_);
    if (image_.texture != 0) glDeleteTextures(1, &image_.texture);
    resource_ = nullptr;
    image_ = {};
  }

  void give_up(const std::string& reason) {
    release();
    shared_ = false;
    reason_ = reason;
  }

  void register_texture(int width, int height) {
    release();
    image_.texture = make_texture(GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    check(cudaGraphicsGLRegisterImage(&resource_, image_.texture, GL_TEXTURE_2D,
                                      cudaGraphicsRegisterFlagsSurfaceLoadStore),
          "register the texture");
    image_.width = width;
    image_.height = height;
  }

  void resolve(const Wish& wish) {
    if (image_.width != wish.width || image_.height != wish.height) register_texture(wish.width, wish.height);
    check(cudaGraphicsMapResources(1, &resource_), "map the texture");
    cudaSurfaceObject_t surface = 0;
    bool drawn = false;
    try {
      cudaArray_t array = nullptr;
      check(cudaGraphicsSubResourceGetMappedArray(&array, resource_, 0, 0), "texture memory");
      cudaResourceDesc description{};
      description.resType = cudaResourceTypeArray;
      description.res.array.array = array;
      check(cudaCreateSurfaceObject(&surface, &description), "surface");
      drawn = wish.renderer->resolve_to_surface(wish.target, wish.layer, surface);
    } catch (...) {
      if (surface != 0) cudaDestroySurfaceObject(surface);
      cudaGraphicsUnmapResources(1, &resource_);
      throw;
    }
    cudaDestroySurfaceObject(surface);
    check(cudaGraphicsUnmapResources(1, &resource_), "unmap the texture");
    if (drawn) image_.number = wish.number;  // otherwise only this frame goes through the host
  }

  std::function<void()> wake_;
  std::unique_ptr<Presenter> host_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Wish> wish_;
  bool stopped_ = false, shared_ = false;
  std::string reason_;
  ShownImage image_;
  cudaGraphicsResource* resource_ = nullptr;
};

}  // namespace

std::unique_ptr<Presenter> make_cuda_presenter(std::function<void()> wake) {
  return std::make_unique<CudaPresenter>(std::move(wake));
}

}  // namespace brokkr::viewer
