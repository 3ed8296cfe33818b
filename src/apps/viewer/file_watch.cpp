#include "viewer/file_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <utility>

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;
constexpr int kQuietMs = 100;

}  // namespace

FileWatch::FileWatch(std::function<void()> changed)
    : changed_(std::move(changed)), inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)), stop_(eventfd(0, EFD_CLOEXEC)) {
  // If either is missing, the viewer works but does not reload files by itself.
  if (inotify_ >= 0 && stop_ >= 0) thread_ = std::thread([this] { loop(); });
}

FileWatch::~FileWatch() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    while (write(stop_, &one, sizeof one) < 0 && errno == EINTR) {
    }
    thread_.join();
  }
  if (inotify_ >= 0) close(inotify_);
  if (stop_ >= 0) close(stop_);
}

void FileWatch::watch(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (folder_ >= 0) inotify_rm_watch(inotify_, folder_);
  folder_ = -1;
  name_.clear();
  changed_flag_ = false;
  std::error_code error;
  if (path.empty() || inotify_ < 0 || !fs::is_regular_file(path, error)) return;
  const fs::path folder = fs::absolute(path, error).parent_path();
  // Watch the folder rather than the file: many programs write a new file and rename it.
  folder_ = inotify_add_watch(inotify_, folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO);
  name_ = fs::path(path).filename().string();
}

bool FileWatch::concerns(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (name_.empty()) return false;
  if (name == name_) return true;
  // Ignore pictures that the viewer saves beside the scene (free_name); they are not textures.
  if (name.starts_with("brokkr-" + fs::path(name_).stem().string() + "-")) return false;
  const std::string scene = fs::path(name_).extension().string();
  if (scene != ".obj" && scene != ".gltf" && scene != ".ply") return false;
  static constexpr std::array kParts = {".mtl", ".bin", ".png", ".jpg", ".jpeg", ".tga", ".bmp"};
  const std::string ending = fs::path(name).extension().string();
  return std::find(kParts.begin(), kParts.end(), ending) != kParts.end();
}

void FileWatch::loop() {
  bool pending = false;
  for (;;) {
    std::array<pollfd, 2> files = {pollfd{inotify_, POLLIN, 0}, pollfd{stop_, POLLIN, 0}};
    const int ready = poll(files.data(), files.size(), pending ? kQuietMs : -1);
    if (ready < 0 && errno != EINTR) return;
    if (files[1].revents != 0) return;
    if (ready == 0 && pending) {
      pending = false;
      changed_flag_ = true;
      changed_();
    }
    if (ready <= 0 || files[0].revents == 0) continue;
    alignas(inotify_event) std::array<char, 4096> buffer{};
    const ssize_t bytes = read(inotify_, buffer.data(), buffer.size());
    for (ssize_t offset = 0; offset + ssize_t(sizeof(inotify_event)) <= bytes;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + offset, sizeof event);
      if (event.len > 0 && concerns(buffer.data() + offset + sizeof event)) pending = true;
      offset += ssize_t(sizeof event) + ssize_t(event.len);
    }
  }
}

}  // namespace brokkr::viewer
