// Loads scenes on another thread, one at a time, newest request first.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "brokkr/load.h"
#include "viewer/module.h"
#include "viewer/panel.h"

namespace brokkr::viewer {

// The result of a request.
struct Loaded {
  std::string path;
  std::shared_ptr<const Scene> scene;  // null if loading failed
  std::string error;                   // one line; empty if it was cancelled
};

struct LoadState {
  std::string path;
  double part = 0;  // completed fraction, 0..1
};

class Loader {
 public:
  // The size of the cache of loaded frames in bytes; short sequences play from it.
  static constexpr uint64_t kCacheBytes = uint64_t(512) << 20;

  // `modules`: load what the pipeline's loaders cannot. `wake` is called from the loading thread when its state has
  // changed.
  explicit Loader(std::function<void()> wake, std::vector<Module> modules = {});

  // Cancels the current load and all waiting requests, and loads this scene. Ignores `options.progress`.
  void load(const std::string& path, const LoadOptions& options);
  void cancel();
  std::optional<LoadState> state() const;  // empty while idle
  std::optional<Loaded> take();

 private:
  struct Wish {
    std::string path;
    LoadOptions options;
  };
  struct Kept {
    std::string path, key;
    std::shared_ptr<const Scene> scene;
    uint64_t bytes = 0;
  };
  void loop(const std::stop_token& stop);
  Loaded fulfil(const Wish& wish, const std::stop_token& stop);
  void keep(const Kept& kept);

  std::function<void()> wake_;
  std::vector<Module> modules_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Wish> wish_;
  std::optional<Loaded> done_;
  std::string loading_;
  bool busy_ = false;
  std::atomic<double> part_{0};
  std::atomic<bool> cancelled_{false};
  std::vector<Kept> cache_;  // oldest first; only the thread uses it
  std::jthread thread_;      // stops and joins before the other members are destroyed
};

}  // namespace brokkr::viewer
