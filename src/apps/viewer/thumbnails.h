// Small pictures of frames and scenes for lists of files. A separate thread makes them one at a time and stores them in
// $XDG_CACHE_HOME/brokkr/thumbnails, or under ~/.cache if that variable is not set.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "viewer/looks.h"
#include "viewer/panel.h"

namespace brokkr::viewer {

inline constexpr int kThumbnailWidth = 480, kThumbnailHeight = 270;

// Crops the picture to the shape of a thumbnail and shrinks it by averaging pixels.
Picture thumbnail_of(const Picture& picture);

// The folder of the thumbnail files; empty if neither variable is set.
std::filesystem::path thumbnail_folder();

class Thumbnails {
 public:
  // `folder`: where thumbnails are stored; empty: nowhere. `wake` is called from the thread when a thumbnail is ready.
  Thumbnails(std::filesystem::path folder, std::function<void()> wake);

  // The thumbnail of a file or a generated scene; null until it exists, and if it cannot be made. UI thread only.
  const PanelTexture* find(const std::string& path);
  // Returns true after `find` until the thumbnail exists or is known to be impossible. UI thread only.
  bool is_making(const std::string& path) const;
  // Makes `picture`, which the window shows, the thumbnail of this file.
  void keep(const std::string& path, const Picture& picture);

 private:
  struct Entry {
    Picture picture;  // empty: not made yet, or impossible
    std::optional<PanelTexture> texture;
    bool done = false;
  };
  struct Wish {
    std::string path;
    std::optional<Picture> picture;  // picture to store; empty: draw it first
  };
  void loop(const std::stop_token& stop);
  std::filesystem::path file_of(const std::string& path) const;

  std::filesystem::path folder_;
  std::function<void()> wake_;
  std::map<std::string, Entry> entries_;
  std::mutex mutex_;  // protects the following members
  std::condition_variable_any changed_;
  std::deque<Wish> wishes_;
  std::vector<std::pair<std::string, Picture>> made_;
  std::jthread thread_;  // stops and joins before the other members are destroyed
};

}  // namespace brokkr::viewer
