// A window of several ranks: it belongs to rank 0, whose render thread asks the others to draw what it shows, and all
// draw it together. The others hold the same scenes, which each loads for itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/command.h"
#include "ranks/report.h"
#include "ranks/settings.h"
#include "ranks/transport.h"
#include "viewer/painter.h"

namespace brokkr::viewer {

// Rank 0's part. All but the constructor is called on the thread that calls `begin`: MPI belongs to that.
class RankView {
 public:
  explicit RankView(const ranks::RankSettings& settings) : settings_(settings) {}

  // Opens MPI. Throws std::runtime_error.
  void begin();
  // Asks all for a frame; `update` makes this rank's, and returns why ranks cannot draw it (ranks::why_not) or nothing.
  // Returns whether all draw it: rank 0 draws alone what several cannot. Throws what `update` throws, and
  // std::runtime_error that names the rank which could not make the frame; no rank draws then.
  bool prepare(const RenderRequest& request, const std::function<std::string()>& update);
  // Draws what was prepared; the target's colours are whole. Where ranks cannot go on, this process ends with one line,
  // and all others with it.
  RenderResult render(Renderer& renderer, PreparedFrame& frame, const RenderOptions& options, uint32_t target);
  int size() const { return talk_->size(); }
  // Lets the others end.
  void end();

 private:
  std::string hear(const std::string& path, const std::string& hash);
  uint64_t number_of(const std::shared_ptr<const Scene>& scene, std::string& hash);

  ranks::RankSettings settings_;
  std::unique_ptr<ranks::Transport> transport_;
  std::optional<ranks::Talk> talk_;
  std::vector<std::pair<std::weak_ptr<const Scene>, uint64_t>> numbers_;  // of scenes that were asked for
  uint64_t last_number_ = 0;
  std::shared_ptr<const FragmentShader> shader_;  // that the others have
};

// The part of all other ranks, until the window is closed; the exit code.
int serve_window(const app::Arguments& arguments);

}  // namespace brokkr::viewer
