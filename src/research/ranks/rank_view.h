// One window for several ranks. It belongs to rank 0, whose render thread sends requests to the other ranks; all draw
// each frame together. Each rank loads the scenes itself.
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

// The part of rank 0. MPI belongs to the thread that calls `begin`.
class RankView : public FrameSharing {
 public:
  explicit RankView(const ranks::RankSettings& settings) : settings_(settings) {}

  void begin() override;
  // If ranks::why_not gives a reason, rank 0 draws alone. If one rank cannot make the frame, no rank draws it.
  bool prepare(const RenderRequest& request, const std::function<const PreparedFrame&()>& update) override;
  // If ranks cannot continue, this process ends with one line, and so do all others.
  RenderResult render(Renderer& renderer, PreparedFrame& frame, const RenderOptions& options, uint32_t target) override;
  int size() const override { return talk_->size(); }
  void end() override;

 private:
  std::string hear(const std::string& path, const std::string& hash);
  uint64_t number_of(const std::shared_ptr<const Scene>& scene, std::string& hash);

  ranks::RankSettings settings_;
  std::unique_ptr<ranks::Transport> transport_;
  std::optional<ranks::Talk> talk_;
  std::vector<std::pair<std::weak_ptr<const Scene>, uint64_t>> numbers_;  // numbers of the scenes requested so far
  uint64_t last_number_ = 0;
  std::shared_ptr<const FragmentShader> shader_;  // the shader that the other ranks have
};

Module ranks_view_module();

}  // namespace brokkr::viewer
