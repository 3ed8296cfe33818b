#include "viewer/panel_texture.h"

#include <glad/gl.h>

#include <utility>

namespace brokkr::viewer {

PanelTexture::~PanelTexture() {
  if (texture_ != 0) glDeleteTextures(1, &texture_);
}

PanelTexture::PanelTexture(PanelTexture&& other) noexcept : texture_(std::exchange(other.texture_, 0)) {}

void PanelTexture::set(int width, int height, std::span<const uint32_t> pixels) {
  if (texture_ == 0) glGenTextures(1, &texture_);
  glBindTexture(GL_TEXTURE_2D, texture_);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
}

void PanelTexture::draw(ImDrawList& list, ImVec2 top_left, ImVec2 bottom_right, float opacity) const {
  if (texture_ == 0) return;
  list.AddImage(reinterpret_cast<ImTextureID>(uintptr_t(texture_)), top_left, bottom_right, {0, 1}, {1, 0},
                IM_COL32(255, 255, 255, int(opacity * 255 + 0.5f)));
}

}  // namespace brokkr::viewer
