// A small picture of what one draw touched.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "viewer/panel.h"

namespace brokkr::viewer {

struct DrawThumbnail {
  Picture picture;       // the target's layer after the draw, its pixels bright and the others dark and grey
  uint64_t touched = 0;  // pixels whose colour or depth the draw wrote last
};

// At most `most` pixels on each side. `colors`: 0xAABBGGRR, rows bottom to top, `width` wide. `touched`: a value for
// each colour. A pixel of the result that stands for several is bright where the draw touched any of them.
DrawThumbnail highlight(int width, int height, std::span<const uint32_t> colors, std::span<const uint8_t> touched,
                        int most);

// Renders the frame up to the draw `command`; nothing where the rendering is ended. On the render thread.
std::optional<DrawThumbnail> draw_thumbnail(RenderContext& context, uint32_t command);

}  // namespace brokkr::viewer
