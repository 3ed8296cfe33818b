// Facts about the pixels of the last frame: the colour, the depth and the draw under the mouse, their values in the
// pixels of an enlarged image, and what the chosen draw touched where it is shown alone or as the last one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "viewer/looks.h"
#include "viewer/panel.h"

namespace brokkr::viewer {

class PixelFacts {
 public:
  // In every UI frame, over the image. `darken`: what is not the chosen draw, while that is shown alone or as the last.
  void draw(ViewerState& state, ImDrawList& list, bool darken);

 private:
  struct Facts {
    FrameSource source;
    int width = 0, height = 0;
    // By pixel, rows bottom to top.
    std::vector<uint32_t> colors;  // 0xAABBGGRR, as on the screen
    std::vector<float> depth;
    std::vector<uint32_t> draws;  // the command that is seen; kNoDraw: none
  };
  static constexpr uint32_t kNoDraw = ~0u;

  void ask(ViewerState& state);
  bool is_current(const ViewerState& state) const;
  void make_mask(uint32_t command, int outline);
  void draw_focus(const ViewerState& state, ImDrawList& list, uint32_t command);
  void draw_values(const ImageView& view, ImDrawList& list) const;
  void draw_line(const ViewerState& state, ImDrawList& list) const;

  std::shared_ptr<const Facts> facts_ = std::make_shared<Facts>();
  std::weak_ptr<const RenderJob> under_way_;
  PanelTexture mask_{PanelTexture::Kind::picture};
  std::shared_ptr<const Facts> mask_of_;
  uint32_t mask_command_ = kNoDraw;
  int mask_outline_ = 0;
};

// The draw that the picture is about: the chosen one, where it is alone or the last.
std::optional<uint32_t> focus_of(const ViewerState& state);

}  // namespace brokkr::viewer
