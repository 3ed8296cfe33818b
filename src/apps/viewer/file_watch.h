// Reports changes of a scene's file. It uses inotify, so that it costs nothing while nothing changes.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace brokkr::viewer {

class FileWatch {
 public:
  // `changed` is called from another thread, about 100 ms after the last change, because programs write files in
  // pieces.
  explicit FileWatch(std::function<void()> changed);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Watches this file instead; for a .obj, .gltf or .ply file also its materials, data and pictures in the same folder.
  // Watches nothing if the path is empty or is not a file.
  void watch(const std::string& path);
  // Returns true if the file changed since the last call.
  bool take() { return changed_flag_.exchange(false); }

 private:
  void loop();
  bool concerns(const std::string& name);

  std::function<void()> changed_;
  int inotify_ = -1, folder_ = -1, stop_ = -1;
  std::mutex mutex_;
  std::string name_;
  std::atomic<bool> changed_flag_{false};
  std::thread thread_;
};

}  // namespace brokkr::viewer
