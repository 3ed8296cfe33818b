// Small pictures of frames and scenes, for lists of files. They are made on a thread of their own, one at a time, and
// kept in $XDG_CACHE_HOME/brokkr/thumbnails, or under ~/.cache where that is not set.
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

inline constexpr int kThumbnailWidth = 320, kThumbnailHeight = 180;

// The middle of the picture in the shape of thumbnails, made smaller by means of its pixels.
Picture thumbnail_of(const Picture& picture);

// The folder of the files; empty if neither variable is set.
std::filesystem::path thumbnail_folder();

class Thumbnails {
 public:
  // `folder`: empty keeps no files. `wake` is called from the thread when there is another one.
  Thumbnails(std::filesystem::path folder, std::function<void()> wake);

  // The thumbnail of a file or a generated scene; null until it is made, and where none can be. UI thread.
  const PanelTexture* of(const std::string& path);
  // The window shows this picture of it, which becomes its thumbnail.
  void keep(const std::string& path, const Picture& picture);

 private:
  struct Entry {
    Picture picture;  // empty: not made yet, or there is none
    std::optional<PanelTexture> texture;
  };
  struct Wish {
    std::string path;
    std::optional<Picture> picture;  // to be kept; nothing: to be made
  };
  void loop(const std::stop_token& stop);
  std::filesystem::path file_of(const std::string& path) const;

  std::filesystem::path folder_;
  std::function<void()> wake_;
  std::map<std::string, Entry> entries_;
  std::mutex mutex_;  // of the following
  std::condition_variable_any changed_;
  std::deque<Wish> wishes_;
  std::vector<std::pair<std::string, Picture>> made_;
  std::jthread thread_;  // stopped and joined before the rest goes
};

}  // namespace brokkr::viewer
