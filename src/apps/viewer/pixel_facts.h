// Facts about the pixels of the last frame: colour, depth and draw under the mouse, values inside the pixels of an
// enlarged image, and the pixels that the chosen draw touched while it is isolated or is the last one shown.
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
  // Draws over the image; call it in every UI frame. `darken`: darkens everything but the chosen draw while that draw
  // is isolated or is the last one shown.
  void draw(ViewerState& state, ImDrawList& list, bool darken);

 private:
  struct Facts {
    FrameSource source;
    int width = 0, height = 0;
    // One value per pixel, rows bottom to top.
    std::vector<uint32_t> colors;  // 0xAABBGGRR, as displayed
    std::vector<float> depth;
    std::vector<uint32_t> draws;  // the visible command; kNoDraw: none
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

// The draw that the picture focuses on: the chosen draw, if it is isolated or is the last one shown.
std::optional<uint32_t> focus_of(const ViewerState& state);

}  // namespace brokkr::viewer
