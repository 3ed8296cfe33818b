#include "viewer/loader.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
#include <utility>

#include "base/loading.h"
#include "viewer/scene.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;

// A key that changes when the file or the options change. Empty for frames that are not cached (an OBJ scene has
// several files).
std::string cache_key(const std::string& path, const LoadOptions& options) {
  std::error_code error;
  if (fs::path(path).extension() != ".bkf") return {};
  const auto time = fs::last_write_time(path, error);
  const auto size = error ? 0 : fs::file_size(path, error);
  if (error) return {};
  return path + '\n' + std::to_string(time.time_since_epoch().count()) + '\n' + std::to_string(size) + '\n' +
         options.camera + '\n' + std::to_string(options.width) + 'x' + std::to_string(options.height);
}

}  // namespace

Loader::Loader(std::function<void()> wake, std::vector<Module> modules)
    : wake_(std::move(wake)),
      modules_(std::move(modules)),
      thread_([this](const std::stop_token& stop) { loop(stop); }) {}

void Loader::load(const std::string& path, const LoadOptions& options) {
  const std::lock_guard lock(mutex_);
  wish_ = Wish{path, options};
  cancelled_ = true;  // ends the current load
  changed_.notify_all();
}

void Loader::cancel() {
  const std::lock_guard lock(mutex_);
  wish_.reset();
  done_.reset();
  cancelled_ = true;
}

std::optional<LoadState> Loader::state() const {
  const std::lock_guard lock(mutex_);
  if (wish_) return LoadState{wish_->path, 0};
  if (done_) return LoadState{done_->path, 1};  // not taken yet
  if (!busy_ || cancelled_) return std::nullopt;
  return LoadState{loading_, part_.load()};
}

std::optional<Loaded> Loader::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, std::nullopt);
}

void Loader::loop(const std::stop_token& stop) {
  for (;;) {
    Wish wish;
    {
      std::unique_lock lock(mutex_);
      busy_ = false;
      changed_.wait(lock, stop, [&] { return wish_.has_value(); });
      if (stop.stop_requested()) return;
      wish = *std::exchange(wish_, std::nullopt);
      loading_ = wish.path;
      busy_ = true;
      cancelled_ = false;
      part_ = 0;
    }
    Loaded loaded = fulfil(wish, stop);
    {
      const std::lock_guard lock(mutex_);
      if (!cancelled_) done_ = std::move(loaded);
    }
    wake_();
  }
}

Loaded Loader::fulfil(const Wish& wish, const std::stop_token& stop) {
  Loaded loaded{wish.path, nullptr, ""};
  const std::string key = cache_key(wish.path, wish.options);
  for (const Kept& kept : cache_) {
    if (key.empty() || kept.key != key) continue;
    loaded.scene = kept.scene;
    return loaded;
  }
  LoadOptions options = wish.options;
  options.progress = [this, &stop](double part) {
    if (cancelled_ || stop.stop_requested()) throw LoadCancelled();
    // Redraw the UI only when the bar moves by a hundredth or more.
    if (part - part_.exchange(part) > 0.01) wake_();
  };
  // A capture has its own size and camera.
  if (fs::path(wish.path).extension() == ".bkf") {
    options.camera.clear();
    options.views = 0;
  }
  try {
    if (const Module* const module = module_of_scene(modules_, wish.path)) {
      loaded.scene = module->scenes->load(wish.path, options);
      return loaded;
    }
    const auto begin = Clock::now();
    Frame frame = load_frame(wish.path, options);
    const double ms = milliseconds(Clock::now() - begin);
    options.progress(1);  // the rest is not needed if the load was cancelled
    loaded.scene = make_scene(wish.path, std::move(frame), ms, options);
    keep({wish.path, key, loaded.scene, memory_of(loaded.scene->frame)});
  } catch (const LoadCancelled&) {
  } catch (const std::bad_alloc&) {
    loaded.error = wish.path + ": not enough memory to load it";
  } catch (const std::exception& error) {
    loaded.error = error.what();
  }
  return loaded;
}

void Loader::keep(const Kept& kept) {
  std::erase_if(cache_, [&](const Kept& other) { return other.path == kept.path; });
  if (kept.key.empty() || kept.bytes > kCacheBytes / 2) return;
  cache_.push_back(kept);
  uint64_t sum = 0;
  for (const Kept& other : cache_) sum += other.bytes;
  while (sum > kCacheBytes) {
    sum -= cache_.front().bytes;
    cache_.erase(cache_.begin());
  }
}

}  // namespace brokkr::viewer
