// The render targets of a frame: which images a framebuffer draws to.
//
// A target of the file has one colour, one depth and one stencil plane; GL combines images freely. A target here is a
// combination of images, and where an image moves on to another combination, the recorder copies its plane there (a
// blit), so that every command finds the content that the application's images had.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "brokkr/frame.h"
#include "capture/context.h"
#include "capture/window_system.h"

namespace brokkr::capture {

enum class Plane : uint8_t { color, depth, stencil };
inline constexpr size_t kPlanes = 3;

// One two-dimensional image: a window's buffer, a renderbuffer, or a level and layer of a texture.
struct Image {
  GLenum kind = GL_NONE;  // GL_FRAMEBUFFER_DEFAULT, GL_RENDERBUFFER, GL_TEXTURE
  uintptr_t name = 0;     // the drawable, or the object's name
  GLint level = 0, layer = 0, face = 0;
  bool layered = false;
  uint32_t generation = 0;  // of the name, which may be used again
  auto operator<=>(const Image&) const = default;
};

struct ImageSize {
  int width = 0, height = 0;  // 0 where the driver does not say
  GLint samples = 0;
  GLenum target = GL_NONE;  // of a texture: GL_TEXTURE_2D, …
};
// Extent of a texture level or renderbuffer.
ImageSize image_size(const Context& context, const Image& image);

struct TargetImages {
  std::array<std::optional<Image>, kPlanes> planes;
  auto operator<=>(const TargetImages&) const = default;
  const std::optional<Image>& plane(Plane which) const { return planes[static_cast<size_t>(which)]; }
  bool is_window() const;
};

struct TargetInfo {
  TargetImages images;
  int width = 0, height = 0;
  GLint samples = 0;
  bool is_main_window = false;
  Surface surface;  // window targets
};

class Targets {
 public:
  explicit Targets(const Surface& window);

  // The images of the framebuffer bound to `binding` (GL_DRAW_FRAMEBUFFER or GL_READ_FRAMEBUFFER), or why there are
  // none. Neither: the framebuffer is incomplete, and GL draws nothing there.
  struct Found {
    std::optional<size_t> target;
    std::string problem;
  };
  Found find(const Context& context, GLenum binding);

  const std::vector<TargetInfo>& all() const { return all_; }
  static constexpr size_t kMainWindow = 0;

  // A texture or renderbuffer of that name goes away.
  void forget(GLenum kind, GLuint name);

 private:
  TargetImages images_of(const Context& context, GLenum binding, bool is_window) const;
  std::optional<Image> attachment(const Context& context, GLenum binding, GLenum point) const;

  Surface window_;
  std::vector<TargetInfo> all_;
  std::map<TargetImages, size_t> number_of_;
  std::map<std::pair<GLenum, uintptr_t>, uint32_t> generations_;
};

}  // namespace brokkr::capture
