// A small picture of a panel as an OpenGL texture. UI thread only.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <span>

namespace brokkr::viewer {

class PanelTexture {
 public:
  PanelTexture() = default;
  ~PanelTexture();
  PanelTexture(PanelTexture&& other) noexcept;
  PanelTexture& operator=(PanelTexture&&) = delete;

  // RGBA8 (0xAABBGGRR), rows bottom to top; shown without smoothing.
  void set(int width, int height, std::span<const uint32_t> pixels);

  // Draws it between two corners of the screen, its first row at the bottom, with this opacity.
  void draw(ImDrawList& list, ImVec2 top_left, ImVec2 bottom_right, float opacity = 1) const;

 private:
  unsigned texture_ = 0;
};

}  // namespace brokkr::viewer
