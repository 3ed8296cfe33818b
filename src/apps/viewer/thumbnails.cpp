#include "viewer/thumbnails.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <functional>
#include <utility>

#include "app/input.h"
#include "base/file_io.h"
#include "base/sha256.h"
#include "brokkr/image.h"
#include "inspect/image_compare.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLargestShown = 64 << 20;  // bytes; a larger file gets a thumbnail only when it is shown
constexpr int kSmallSide = 640;               // size in pixels at which a scene is drawn

// The game's own picture if the file has one, otherwise Brokkr's.
Picture picture_of(const std::string& path, const std::stop_token& stop) {
  LoadOptions load;
  load.progress = [&](double) {
    if (stop.stop_requested()) throw LoadCancelled();
  };
  if (!path.ends_with(".bkf")) {
    load.width = kSmallSide;
    load.height = kSmallSide * kThumbnailHeight / kThumbnailWidth;
  }
  const Frame frame = load_frame(path, load);
  const uint32_t target = app::picture_target(frame);
  if (const Reference* const original = original_of(frame, target)) {
    Image image = original_picture(frame, *original);
    return {image.width, image.height, std::move(image.texels)};
  }
  Renderer renderer;
  RenderOptions options;
  options.workers = 1;
  options.samples = app::picture_samples(frame, options.shading);
  PreparedFrame prepared = renderer.prepare(frame, load);
  const RenderResult result = renderer.render(prepared, options);
  const Layer& layer = result.targets[target].layers[0];
  return {layer.width, layer.height, screen_pixels(layer)};
}

}  // namespace

Picture thumbnail_of(const Picture& picture) {
  if (picture.width <= 0 || picture.height <= 0) return {};
  // Crop the picture to the thumbnail's shape.
  const double scale = std::min(double(picture.width) / kThumbnailWidth, double(picture.height) / kThumbnailHeight);
  const double left = (picture.width - scale * kThumbnailWidth) / 2,
               low = (picture.height - scale * kThumbnailHeight) / 2;
  Picture small{kThumbnailWidth, kThumbnailHeight, {}};
  const auto range = [&](double begin, int pixel, int size) {
    const int first = std::clamp(int(begin + scale * pixel), 0, size - 1);
    return std::pair(first, std::clamp(int(begin + scale * (pixel + 1)), first + 1, size));
  };
  for (int y = 0; y < small.height; ++y) {
    const auto [y0, y1] = range(low, y, picture.height);
    for (int x = 0; x < small.width; ++x) {
      const auto [x0, x1] = range(left, x, picture.width);
      std::array<uint32_t, 3> sum{};
      for (int row = y0; row < y1; ++row) {
        for (int column = x0; column < x1; ++column) {
          const uint32_t pixel = picture.pixels[size_t(row) * size_t(picture.width) + size_t(column)];
          for (unsigned c = 0; c < 3; ++c) sum[c] += pixel >> (8 * c) & 255;
        }
      }
      const auto count = uint32_t((y1 - y0) * (x1 - x0));
      small.pixels.push_back(0xff000000u | sum[2] / count << 16 | sum[1] / count << 8 | sum[0] / count);
    }
  }
  return small;
}

fs::path thumbnail_folder() {
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return fs::path(cache) / "brokkr" / "thumbnails";
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache" / "brokkr" / "thumbnails";
  return {};
}

Thumbnails::Thumbnails(fs::path folder, std::function<void()> wake)
    : folder_(std::move(folder)),
      wake_(std::move(wake)),
      thread_([this](const std::stop_token& stop) { loop(stop); }) {}

// The name depends on the thumbnail's width and the file's path, time and size, so that a changed file gets a new one.
// Empty if none is stored.
fs::path Thumbnails::file_of(const std::string& path) const {
  std::error_code error;
  if (folder_.empty() || !fs::is_regular_file(path, error)) return {};
  const std::string key = std::to_string(kThumbnailWidth) + '\n' + fs::absolute(path, error).string() + '\n' +
                          std::to_string(fs::file_size(path, error)) + '\n' +
                          std::to_string(fs::last_write_time(path, error).time_since_epoch().count());
  const std::span<const std::byte> part = std::as_bytes(std::span(key));
  return folder_ / (sha256(std::span(&part, 1)).substr(0, 32) + ".png");
}

const PanelTexture* Thumbnails::find(const std::string& path) {
  {
    const std::lock_guard lock(mutex_);
    for (auto& [made, picture] : std::exchange(made_, {})) {
      entries_[made].picture = std::move(picture);
      entries_[made].texture.reset();
      entries_[made].done = true;
    }
    if (!entries_.contains(path)) {
      entries_[path];
      wishes_.push_back({path, std::nullopt});
      changed_.notify_all();
    }
  }
  Entry& entry = entries_[path];
  if (entry.picture.pixels.empty()) return nullptr;
  if (!entry.texture) {
    entry.texture.emplace(PanelTexture::Kind::picture);
    entry.texture->set(entry.picture.width, entry.picture.height, entry.picture.pixels);
  }
  return &*entry.texture;
}

bool Thumbnails::is_making(const std::string& path) const {
  const auto entry = entries_.find(path);
  return entry != entries_.end() && !entry->second.done;
}

void Thumbnails::keep(const std::string& path, const Picture& picture) {
  const std::lock_guard lock(mutex_);
  wishes_.push_front({path, thumbnail_of(picture)});
  entries_.erase(path);
  changed_.notify_all();
}

void Thumbnails::loop(const std::stop_token& stop) {
  // The window and its frames have priority. A larger value would stop thumbnails for minutes on a busy computer.
  setpriority(PRIO_PROCESS, id_t(gettid()), 5);
  for (;;) {
    Wish wish;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return !wishes_.empty(); })) return;
      wish = std::move(wishes_.front());
      wishes_.pop_front();
    }
    Picture made;
    try {
      const fs::path file = file_of(wish.path);
      std::error_code error;
      if (wish.picture) {
        made = std::move(*wish.picture);
      } else if (!file.empty() && fs::exists(file, error)) {
        Image image = read_image(file);
        made = {image.width, image.height, std::move(image.texels)};
      } else if (!fs::exists(wish.path, error) || fs::file_size(wish.path, error) <= kLargestShown) {
        made = thumbnail_of(picture_of(wish.path, stop));
      }
      if (!file.empty() && !made.pixels.empty() && (wish.picture || !fs::exists(file, error))) {
        make_folder(folder_);
        write_png(file, made.width, made.height, made.pixels, true);
      }
    } catch (const LoadCancelled&) {
      return;
    } catch (const std::exception&) {
      // A file that cannot be read has no thumbnail; opening it shows the reason.
    }
    {
      const std::lock_guard lock(mutex_);
      made_.emplace_back(wish.path, std::move(made));
    }
    wake_();
  }
}

}  // namespace brokkr::viewer
