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
#include "ranks/render.h"
#include "ranks/settings.h"
#include "ranks/transport.h"
#include "viewer/module.h"

namespace brokkr::viewer {

// Rank 0's part. MPI belongs to the thread that calls `begin`.
class RankView : public FrameSharing {
 public:
  explicit RankView(const ranks::RankSettings& settings) : settings_(settings) {}

  void begin() override;
  // Rank 0 draws alone what ranks::why_not names; no rank draws what one could not make.
  bool prepare(const RenderRequest& request, const std::function<const PreparedFrame&()>& update) override;
  // If ranks cannot go on, this process ends with one line, and all others with it.
  RenderResult render(Renderer& renderer, PreparedFrame& frame, const RenderOptions& options, uint32_t target) override;
  int size() const override { return talk_->size(); }
  void end() override;

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

Module ranks_view_module();

}  // namespace brokkr::viewer
