// The render targets of a frame: the images that framebuffers draw to.
//
// In the file, a target has planes for the colours of all draw buffers, for depth and for stencil, whereas GL combines
// images freely. Here, a target is a combination of images. When an image becomes part of another combination, its
// plane is copied there (by a blit, or by a copy for colours beyond the first), so that every command finds the content
// that the application's images had.
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
#include "capture/image_format.h"

namespace brokkr::capture {

// `color` belongs to the first draw buffer; further colours come last.
enum class Plane : uint8_t { color, depth, stencil, color1, color2, color3, color4, color5, color6, color7 };
inline constexpr size_t kPlanes = 10;

inline bool is_color(Plane plane) { return plane != Plane::depth && plane != Plane::stencil; }
inline Plane color_plane(size_t number) {
  return number == 0 ? Plane::color : static_cast<Plane>(static_cast<size_t>(Plane::color1) + number - 1);
}
// The plane's value in files.
inline TargetPlane file_plane(Plane plane) {
  if (plane == Plane::depth) return TargetPlane::depth;
  if (plane == Plane::stencil) return TargetPlane::stencil;
  const size_t number = plane == Plane::color ? 0 : static_cast<size_t>(plane) - static_cast<size_t>(Plane::color1) + 1;
  return static_cast<TargetPlane>(number);
}

// One two-dimensional image: a window's buffer, a renderbuffer, or a level and layer of a texture.
struct Image {
  GLenum kind = GL_NONE;  // GL_FRAMEBUFFER_DEFAULT, GL_RENDERBUFFER, GL_TEXTURE
  uintptr_t name = 0;     // the drawable, or the object's name
  uint64_t group = 0;     // share group of the object; other groups have their own names
  GLint level = 0, layer = 0, face = 0;
  bool layered = false;
  uint32_t generation = 0;  // of the name, because GL may reuse it
  auto operator<=>(const Image&) const = default;
};

struct ImageSize {
  int width = 0, height = 0;  // 0 if the driver does not report it
  GLint samples = 0, format = GL_NONE;
  GLint green_bits = 0;  // 0 if there is no such channel
  GLint red_bits = 0, blue_bits = 0, alpha_bits = 0;
  GLenum target = GL_NONE;  // textures only: GL_TEXTURE_2D, …
  GLint layers = 1;         // of a texture with layers; 6 for cubes
};
// The maximum number of draw buffers.
GLint draw_buffer_count(const Context& context);

// Size and format of a texture level or renderbuffer.
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
  // Adds to `frame` the targets and views, and the blits, clears and references that the images' content requires.
  // `window`: the window whose swap ends the frame.
  Targets(Frame& frame, const Surface& window) : frame_(frame), window_(window) {}

  // The images of the framebuffer bound to `binding` (GL_DRAW_FRAMEBUFFER or GL_READ_FRAMEBUFFER), or the reason why
  // there are none. If both are empty, the framebuffer is incomplete, and GL draws nothing.
  struct Found {
    std::optional<uint32_t> target;  // in Frame::targets
    std::string problem;
    uint32_t layers = 1;  // of the framebuffer; each is a target of its own
  };
  Found find(const Context& context, GLenum binding, uint32_t layer = 0);

  // Call it when the application writes to a texture without drawing.
  void written(const Context& context, GLuint texture);

  // Loads what the application wrote to levels of a texture that the frame has drawn. The context must be the
  // texture's.
  void load_written(const Context& context, GLuint texture);

  // The levels and layers of a texture that the frame has drawn or cleared so far, and the place of their content.
  std::vector<TextureImage> images_of_texture(const Context& context, GLuint name) const;

  // The target of a texture level, or of one of its layers; `texture_target` may be a face of a cube.
  Found find_texture(const Context& context, GLuint name, GLenum texture_target, GLint level, GLint layer = 0);

  const TargetInfo& operator[](uint32_t target) const { return all_[target]; }

  // Call it when a texture or renderbuffer is deleted.
  void forget(const Context& context, GLenum kind, GLuint name) { generations_[{context.share_group, kind, name}]++; }

  // Moves the content of the planes to the target that the next command uses.
  using Planes = std::array<bool, kPlanes>;
  void use(const Context& context, uint32_t target, Planes planes, bool needs_content = true);

  // Records that the command draws to these planes.
  void mark_drawn(uint32_t target, Planes planes);

  // Keeps a depth plane for comparison when a clear ends it. `whole`: the clear has no scissor.
  void end_depth(const Context& context, uint32_t target, bool whole);

  // Gives the number 0 to the target that is `window`, and to no other.
  void take_window(const Surface& window);

  // Keeps picture and depth of the current window, even if the frame draws nothing to it.
  void end_window(const Context& context);

  // Call it at the end of the frame: keeps every depth plane for comparison.
  void finish(const Context& context);

 private:
  // The place in the file that holds the content of an image's plane.
  struct Content {
    uint32_t target = 0;
    Plane plane = Plane::color;  // of that target
    bool drawn = false;          // since the last clear
    bool written = false;        // by other means than drawing; the file does not have this yet
    bool unknown = false;        // holds content of an earlier frame that the file does not have
  };

  std::optional<Image> attachment(const Context& context, GLenum binding, GLenum point) const;
  TargetImages images_of(const Context& context, GLenum binding, bool is_window) const;
  // Returns true if the image belongs to the texture that has this name now.
  bool is_image_of(const Context& context, const Image& image, GLuint texture) const;
  uint32_t add(const Context& context, const TargetInfo& info);
  // The number of layers that all layered images have; they become images of one layer.
  uint32_t take_layer(const Context& context, TargetImages& images, uint32_t layer) const;
  // Fills in the file's description of the application's images.
  void describe(const Context& context, const TargetInfo& info, Target& target) const;
  ReadFormat read_format_of(uint32_t target, Plane plane) const;
  // Returns false if the file cannot hold the content.
  bool load_earlier_content(const Context& context, uint32_t target, Plane plane);
  void add_load(uint32_t target, Plane plane, const std::vector<std::byte>& content);
  Content* content_of(uint32_t target, Plane plane);
  void add_reference(const Context& context, uint32_t target, bool with_depth);
  std::optional<uint32_t> window_target(const Context& context);

  Frame& frame_;
  Surface window_;
  std::vector<TargetInfo> all_;  // as in Frame::targets
  std::map<TargetImages, uint32_t> number_of_;
  std::map<std::pair<Image, Plane>, Content> contents_;                      // key: all colours count as Plane::color
  std::map<std::tuple<uint64_t, GLenum, uintptr_t>, uint32_t> generations_;  // by share group, kind and name
};

}  // namespace brokkr::capture
