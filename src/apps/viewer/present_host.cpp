#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "viewer/present.h"

namespace brokkr::viewer {
namespace {

class HostPresenter : public Presenter {
 public:
  explicit HostPresenter(std::function<void()> wake)
      : wake_(std::move(wake)),
        mapped_((GLAD_GL_VERSION_4_4 || has_extension("GL_ARB_buffer_storage")) && glBufferStorage != nullptr) {
    image_.texture = make_texture(GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_A, GL_ONE);  // a window has no alpha
  }
  ~HostPresenter() override {
    for (Slot& slot : slots_) release(slot);
    glDeleteTextures(1, &image_.texture);
  }
  HostPresenter(const HostPresenter&) = delete;
  HostPresenter& operator=(const HostPresenter&) = delete;

  bool write(uint64_t number, int width, int height, std::span<const uint32_t> pixels) override {
    std::unique_lock lock(mutex_);
    Slot* slot = nullptr;
    while ((slot = free_slot(pixels.size())) == nullptr) {
      if (stopped_) return false;
      wanted_ = pixels.size();
      wake_();  // only the UI thread may call OpenGL to free or enlarge buffers
      changed_.wait(lock);
    }
    if (stopped_) return false;
    slot->state = State::writing;
    lock.unlock();
    std::memcpy(slot->memory, pixels.data(), pixels.size() * sizeof(uint32_t));
    lock.lock();
    slot->state = State::ready;
    slot->number = number;
    slot->width = width;
    slot->height = height;
    lock.unlock();
    wake_();
    return true;
  }

  ShownImage update() override {
    const std::lock_guard lock(mutex_);
    for (Slot& slot : slots_) finish_upload(slot);
    Slot* newest = nullptr;
    for (Slot& slot : slots_) {
      if (slot.state != State::ready) continue;
      if (newest != nullptr) (slot.number > newest->number ? *newest : slot).state = State::free;
      if (newest == nullptr || slot.number > newest->number) newest = &slot;
    }
    if (newest != nullptr) upload(*newest);
    if (wanted_ > 0) {
      for (Slot& slot : slots_) {
        if (slot.state == State::free && slot.capacity < wanted_) enlarge(slot, wanted_);
      }
    }
    if (std::any_of(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.state == State::free; })) {
      wanted_ = 0;
      changed_.notify_all();
    }
    return image_;
  }

  bool busy() const override {
    const std::lock_guard lock(mutex_);
    return std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.state == State::uploading; });
  }

  void stop() override {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  std::string description() const override {
    return mapped_ ? "2 mapped pixel buffers" : "2 host buffers (the driver maps none)";
  }

 private:
  enum class State { free, writing, ready, uploading };
  struct Slot {
    State state = State::free;
    GLuint buffer = 0;
    std::vector<uint32_t> host;  // used if buffers cannot be mapped permanently
    uint32_t* memory = nullptr;
    size_t capacity = 0;  // pixels
    GLsync fence = nullptr;
    uint64_t number = 0;
    int width = 0, height = 0;
  };

  static bool has_extension(const char* name) {
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; ++i) {
      if (std::strcmp(reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, GLuint(i))), name) == 0) return true;
    }
    return false;
  }

  Slot* free_slot(size_t pixels) {
    for (Slot& slot : slots_) {
      if (slot.state == State::free && slot.capacity >= pixels) return &slot;
    }
    return nullptr;
  }

  void release(Slot& slot) {
    if (slot.fence != nullptr) glDeleteSync(slot.fence);
    if (slot.buffer != 0) glDeleteBuffers(1, &slot.buffer);  // also unmaps it
    slot = Slot{};
  }

  void enlarge(Slot& slot, size_t pixels) {
    release(slot);
    slot.capacity = pixels;
    if (mapped_) {
      const GLbitfield access = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
      const auto bytes = GLsizeiptr(pixels * sizeof(uint32_t));
      glGenBuffers(1, &slot.buffer);
      glBindBuffer(GL_PIXEL_UNPACK_BUFFER, slot.buffer);
      glBufferStorage(GL_PIXEL_UNPACK_BUFFER, bytes, nullptr, access);
      slot.memory = static_cast<uint32_t*>(glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, bytes, access));
      glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
      if (slot.memory != nullptr) return;
      release(slot);
      slot.capacity = pixels;
      mapped_ = false;
    }
    slot.host.resize(pixels);
    slot.memory = slot.host.data();
  }

  void upload(Slot& slot) {
    glBindTexture(GL_TEXTURE_2D, image_.texture);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, slot.buffer);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    const void* const pixels = slot.buffer != 0 ? nullptr : slot.memory;
    if (image_.width != slot.width || image_.height != slot.height) {
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, slot.width, slot.height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    } else {
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, slot.width, slot.height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    }
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    image_.width = slot.width;
    image_.height = slot.height;
    image_.number = slot.number;
    slot.state = State::free;  // the call has already copied host memory
    if (slot.buffer == 0) return;
    slot.fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    slot.state = State::uploading;
    finish_upload(slot);
  }

  void finish_upload(Slot& slot) {
    if (slot.state != State::uploading) return;
    const GLenum state = glClientWaitSync(slot.fence, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
    if (state == GL_TIMEOUT_EXPIRED) return;
    glDeleteSync(slot.fence);
    slot.fence = nullptr;
    slot.state = State::free;
  }

  std::function<void()> wake_;
  bool mapped_;
  ShownImage image_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Slot, 2> slots_;
  size_t wanted_ = 0;  // size in pixels that the render thread waits for
  bool stopped_ = false;
};

}  // namespace

unsigned make_texture(int reduced) {
  unsigned texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, reduced);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return texture;
}

std::unique_ptr<Presenter> make_host_presenter(std::function<void()> wake) {
  return std::make_unique<HostPresenter>(std::move(wake));
}

}  // namespace brokkr::viewer
