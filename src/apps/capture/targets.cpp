#include "capture/targets.h"

#include <algorithm>
#include <span>
#include <utility>

#include "capture/image_format.h"
#include "capture/read_back.h"
#include "capture/settings.h"
#include "capture/state_guard.h"

namespace brokkr::capture {
namespace {

// A target to which a texture of unknown kind may belong, and the state that names the texture bound there.
struct TextureTarget {
  GLenum target, binding, level_target;
  int version, version_es;  // that introduced it; 99: none
};
constexpr TextureTarget kTextureTargets[] = {
    {GL_TEXTURE_2D, GL_TEXTURE_BINDING_2D, GL_TEXTURE_2D, 11, 20},
    {GL_TEXTURE_2D_MULTISAMPLE, GL_TEXTURE_BINDING_2D_MULTISAMPLE, GL_TEXTURE_2D_MULTISAMPLE, 32, 31},
    {GL_TEXTURE_CUBE_MAP, GL_TEXTURE_BINDING_CUBE_MAP, GL_TEXTURE_CUBE_MAP_POSITIVE_X, 13, 20},
    {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_BINDING_2D_ARRAY, GL_TEXTURE_2D_ARRAY, 30, 30},
    {GL_TEXTURE_RECTANGLE, GL_TEXTURE_BINDING_RECTANGLE, GL_TEXTURE_RECTANGLE, 31, 99},
    {GL_TEXTURE_3D, GL_TEXTURE_BINDING_3D, GL_TEXTURE_3D, 12, 30},
    {GL_TEXTURE_1D, GL_TEXTURE_BINDING_1D, GL_TEXTURE_1D, 11, 99},
    {GL_TEXTURE_1D_ARRAY, GL_TEXTURE_BINDING_1D_ARRAY, GL_TEXTURE_1D_ARRAY, 30, 99},
    {GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_BINDING_CUBE_MAP_ARRAY, GL_TEXTURE_CUBE_MAP_ARRAY, 40, 32},
    {GL_TEXTURE_2D_MULTISAMPLE_ARRAY, GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY, GL_TEXTURE_2D_MULTISAMPLE_ARRAY, 32, 32},
};

ImageSize renderbuffer_size(const Image& image) {
  ImageSize size;
  Restore restore;
  restore.bind(GL_RENDERBUFFER, static_cast<GLuint>(image.name));
  GL(GetRenderbufferParameteriv)(GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, &size.width);
  GL(GetRenderbufferParameteriv)(GL_RENDERBUFFER, GL_RENDERBUFFER_HEIGHT, &size.height);
  GL(GetRenderbufferParameteriv)(GL_RENDERBUFFER, GL_RENDERBUFFER_SAMPLES, &size.samples);
  GL(GetRenderbufferParameteriv)(GL_RENDERBUFFER, GL_RENDERBUFFER_INTERNAL_FORMAT, &size.format);
  GL(GetRenderbufferParameteriv)(GL_RENDERBUFFER, GL_RENDERBUFFER_GREEN_SIZE, &size.green_bits);
  GL(GetRenderbufferParameteriv)(GL_RENDERBUFFER, GL_RENDERBUFFER_RED_SIZE, &size.red_bits);
  GL(GetRenderbufferParameteriv)(GL_RENDERBUFFER, GL_RENDERBUFFER_BLUE_SIZE, &size.blue_bits);
  GL(GetRenderbufferParameteriv)(GL_RENDERBUFFER, GL_RENDERBUFFER_ALPHA_SIZE, &size.alpha_bits);
  return size;
}

ImageSize texture_size(const Context& context, const Image& image) {
  for (const TextureTarget& kind : kTextureTargets) {
    if (context.info.version < (context.info.es ? kind.version_es : kind.version)) continue;
    const GLuint bound = get_name(kind.binding);
    // Binding a texture to a target of another kind is an error without effect. This identifies the texture's target.
    GL(BindTexture)(kind.target, static_cast<GLuint>(image.name));
    if (take_errors() != GL_NO_ERROR) continue;
    ImageSize size;
    size.target = kind.target;
    const auto read = [&](GLenum name, GLint& value) {
      GL(GetTexLevelParameteriv)(kind.level_target, image.level, name, &value);
    };
    read(GL_TEXTURE_WIDTH, size.width);
    read(GL_TEXTURE_HEIGHT, size.height);
    read(GL_TEXTURE_INTERNAL_FORMAT, size.format);
    read(GL_TEXTURE_RED_SIZE, size.red_bits);
    read(GL_TEXTURE_GREEN_SIZE, size.green_bits);
    read(GL_TEXTURE_BLUE_SIZE, size.blue_bits);
    read(GL_TEXTURE_ALPHA_SIZE, size.alpha_bits);
    const bool is_cube = kind.target == GL_TEXTURE_CUBE_MAP;
    if (is_cube) size.layers = 6;
    if (!is_cube && kind.target != GL_TEXTURE_2D && kind.target != GL_TEXTURE_1D)
      read(kind.target == GL_TEXTURE_1D_ARRAY ? GL_TEXTURE_HEIGHT : GL_TEXTURE_DEPTH, size.layers);
    if (context.info.version >= 32) {
      GL(GetTexLevelParameteriv)(kind.level_target, image.level, GL_TEXTURE_SAMPLES, &size.samples);
    }
    if (size.format == GL_DEPTH_COMPONENT) {  // without a size in OpenGL ES, whose drivers take it from the type
      GLint bits = 0;
      GL(GetTexLevelParameteriv)(kind.level_target, image.level, GL_TEXTURE_DEPTH_SIZE, &bits);
      if (bits == 16) size.format = GL_DEPTH_COMPONENT16;
      if (bits == 32) size.format = GL_DEPTH_COMPONENT32;
    }
    GL(BindTexture)(kind.target, bound);
    take_errors();
    return size;
  }
  return {};
}

GLint attachment_value(GLenum binding, GLenum point, GLenum name) {
  GLint value = 0;
  GL(GetFramebufferAttachmentParameteriv)(binding, point, name, &value);
  return value;
}

// Since version 3.0, GL has names for the planes of the default framebuffer; before that, only their numbers of bits
// can be queried.
bool window_has(const Context& context, GLenum binding, Plane plane) {
  if (context.info.version < 30) return get_integer(plane == Plane::depth ? GL_DEPTH_BITS : GL_STENCIL_BITS) > 0;
  const GLenum point = plane == Plane::depth ? GLenum(GL_DEPTH) : GLenum(GL_STENCIL);
  const GLint type = attachment_value(binding, point, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE);
  if (type != GL_FRAMEBUFFER_DEFAULT) return false;
  return attachment_value(
             binding, point,
             plane == Plane::depth ? GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE : GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE) > 0;
}

// The format of a colour with few bits a channel, if files have it.
std::optional<TexelFormat> narrow_format(const ImageSize& size) {
  if (size.red_bits != size.blue_bits) return {};
  if (size.red_bits == 5 && size.green_bits == 6 && size.alpha_bits == 0) return TexelFormat::rgb565;
  if (size.red_bits == 5 && size.green_bits == 5 && size.alpha_bits <= 1) return TexelFormat::rgb5_a1;
  if (size.red_bits == 4 && size.green_bits == 4 && (size.alpha_bits == 0 || size.alpha_bits == 4))
    return TexelFormat::rgba4;
  return {};
}

// An image that is the first colour of one target and the second of another is stored once.
std::pair<Image, Plane> key_of(const Image& image, Plane plane) {
  return {image, is_color(plane) ? Plane::color : plane};
}

}  // namespace

GLint draw_buffer_count(const Context& context) {
  return context.info.draw_buffers ? get_integer(GL_MAX_DRAW_BUFFERS) : 1;
}

ImageSize image_size(const Context& context, const Image& image) {
  return image.kind == GL_RENDERBUFFER ? renderbuffer_size(image) : texture_size(context, image);
}

bool TargetImages::is_window() const {
  return plane(Plane::color) && plane(Plane::color)->kind == GL_FRAMEBUFFER_DEFAULT;
}

std::optional<Image> Targets::attachment(const Context& context, GLenum binding, GLenum point) const {
  const GLint type = attachment_value(binding, point, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE);
  if (type != GL_TEXTURE && type != GL_RENDERBUFFER) return std::nullopt;
  Image image;
  image.kind = static_cast<GLenum>(type);
  image.group = context.share_group;
  image.name = static_cast<uintptr_t>(attachment_value(binding, point, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME));
  if (type == GL_TEXTURE) {
    image.level = attachment_value(binding, point, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL);
    image.face = attachment_value(binding, point, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE);
    if (context.info.version >= 30) {
      image.layer = attachment_value(binding, point, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER);
    }
    const GLuint framebuffer =
        get_name(binding == GL_READ_FRAMEBUFFER ? GL_READ_FRAMEBUFFER_BINDING : GL_DRAW_FRAMEBUFFER_BINDING);
    const auto attached = context.attached_layers.find({framebuffer, point});
    if (image.layer == 0 && attached != context.attached_layers.end() && attached->second.first == image.name)
      image.layer = attached->second.second;
    if (context.info.geometry) {
      image.layered = attachment_value(binding, point, GL_FRAMEBUFFER_ATTACHMENT_LAYERED) != 0;
    }
  }
  const auto found = generations_.find({image.group, image.kind, image.name});
  if (found != generations_.end()) image.generation = found->second;
  return image;
}

TargetImages Targets::images_of(const Context& context, GLenum binding, bool is_window) const {
  TargetImages images;
  if (is_window) {
    const Image image{.kind = GL_FRAMEBUFFER_DEFAULT, .name = current_surface().drawable};
    images.planes[0] = image;
    if (window_has(context, binding, Plane::depth)) images.planes[1] = image;
    if (window_has(context, binding, Plane::stencil)) images.planes[2] = image;
    return images;
  }
  // The first buffer drawn to; if there is none, the first attached one, so that a pass without colour shares the
  // target of a pass with it.
  const bool draw = binding == GL_DRAW_FRAMEBUFFER;
  const GLint buffer = draw ? draw_buffer(context) : get_integer(GL_READ_BUFFER);
  if (buffer >= GL_COLOR_ATTACHMENT0) images.planes[0] = attachment(context, binding, GLenum(buffer));
  const GLint count = get_integer(GL_MAX_COLOR_ATTACHMENTS);
  for (GLint i = 0; !images.planes[0] && i < count; i++) {
    images.planes[0] = attachment(context, binding, GL_COLOR_ATTACHMENT0 + static_cast<GLenum>(i));
  }
  const GLint buffers = draw && settings().programs ? std::min(draw_buffer_count(context), 8) : 1;
  for (GLint i = 1; i < buffers; i++) {
    const GLint further = get_integer(GL_DRAW_BUFFER0 + static_cast<GLenum>(i));
    if (further < GL_COLOR_ATTACHMENT0) continue;
    images.planes[static_cast<size_t>(color_plane(static_cast<size_t>(i)))] =
        attachment(context, binding, static_cast<GLenum>(further));
  }
  images.planes[1] = attachment(context, binding, GL_DEPTH_ATTACHMENT);
  images.planes[2] = attachment(context, binding, GL_STENCIL_ATTACHMENT);
  return images;
}

uint32_t Targets::take_layer(const Context& context, TargetImages& images, uint32_t layer) const {
  uint32_t layers = ~0u;
  for (std::optional<Image>& image : images.planes) {
    if (!image || !image->layered) continue;
    const ImageSize size = image_size(context, *image);
    layers = std::min(layers, static_cast<uint32_t>(std::max(size.layers, 1)));
    image->layered = false;
    image->layer = size.target == GL_TEXTURE_CUBE_MAP ? 0 : static_cast<GLint>(layer);
    if (size.target == GL_TEXTURE_CUBE_MAP) image->face = GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLint>(layer);
  }
  return layers == ~0u ? 1 : layers;
}

Targets::Found Targets::find(const Context& context, GLenum binding, uint32_t layer) {
  Found found;
  const bool draw = binding == GL_DRAW_FRAMEBUFFER;
  const bool is_window = !context.info.framebuffers || get_integer(draw ? GLenum(GL_DRAW_FRAMEBUFFER_BINDING)
                                                                        : GLenum(GL_READ_FRAMEBUFFER_BINDING)) == 0;
  if (context.info.framebuffers && GL(CheckFramebufferStatus)(binding) != GL_FRAMEBUFFER_COMPLETE) return found;
  TargetImages images = images_of(context, binding, is_window);
  found.layers = take_layer(context, images, layer);
  if (const auto known = number_of_.find(images); known != number_of_.end()) {
    found.target = known->second;
    return found;
  }
  TargetInfo info{.images = images};
  if (is_window) {
    info.surface = current_surface();
    info.is_main_window = info.surface.drawable == window_.drawable;
    std::tie(info.width, info.height) = surface_size(info.surface);
    if (info.width == 0 || info.height == 0) {
      // The window system does not report the size: the application's viewport is the best guess.
      const auto [x, y, width, height] = get_floats<4>(GL_VIEWPORT);
      info.width = static_cast<int>(x + width);
      info.height = static_cast<int>(y + height);
    }
    Restore restore;
    if (context.info.framebuffers) restore.bind(GL_DRAW_FRAMEBUFFER, 0);  // GL_SAMPLES belongs to it
    info.samples = context.info.multisample ? get_integer(GL_SAMPLES) : 0;
  } else {
    for (const std::optional<Image>& image : images.planes) {
      if (!image) continue;
      const ImageSize size = image_size(context, *image);
      info.width = info.width == 0 ? size.width : std::min(info.width, size.width);
      info.height = info.height == 0 ? size.height : std::min(info.height, size.height);
      info.samples = std::max(info.samples, size.samples);
    }
  }
  if (info.width < 1 || info.height < 1 || info.width > kMaxTargetSize || info.height > kMaxTargetSize) {
    found.problem = "the framebuffer's size is not known or above 16384 pixels";
    return found;
  }
  found.target = number_of_[images] = add(context, info);
  return found;
}

Targets::Found Targets::find_texture(const Context& context, GLuint name, GLenum texture_target, GLint level,
                                     GLint layer) {
  Image image{.kind = GL_TEXTURE, .name = name, .group = context.share_group, .level = level, .layer = layer};
  if (texture_target >= GL_TEXTURE_CUBE_MAP_POSITIVE_X && texture_target <= GL_TEXTURE_CUBE_MAP_NEGATIVE_Z) {
    image.face = static_cast<GLint>(texture_target);
  }
  if (const auto found = generations_.find({image.group, image.kind, image.name}); found != generations_.end()) {
    image.generation = found->second;
  }
  const ImageSize size = image_size(context, image);
  if (size.width < 1 || size.height < 1 || size.width > kMaxTargetSize || size.height > kMaxTargetSize) {
    return {{}, "the texture's size is not known or above 16384 pixels"};
  }
  TargetImages images;
  images.planes[depth_format(size.format) ? 1 : 0] = image;
  if (const auto known = number_of_.find(images); known != number_of_.end()) return {known->second, ""};
  const uint32_t target =
      add(context, {.images = images, .width = size.width, .height = size.height, .samples = size.samples});
  number_of_[images] = target;
  return {target, ""};
}

void Targets::take_window(const Surface& window) {
  window_ = window;
  bool is_first = true;
  for (size_t i = 0; i < all_.size(); i++) {
    all_[i].is_main_window = all_[i].images.is_window() && all_[i].surface.drawable == window.drawable;
    frame_.targets[i].id = all_[i].is_main_window && is_first ? 0 : static_cast<int>(i) + 1;
    if (all_[i].is_main_window) is_first = false;
  }
}

// In the file, the window has the number 0.
uint32_t Targets::add(const Context& context, const TargetInfo& info) {
  const auto number = static_cast<uint32_t>(all_.size());
  Target target{.id = static_cast<int>(number) + 1, .width = info.width, .height = info.height};
  const auto is_window = [](const Target& known) { return known.id == 0; };
  // A window whose size changes becomes another target.
  const bool is_first = std::none_of(frame_.targets.begin(), frame_.targets.end(), is_window);
  if (info.is_main_window && is_first) target.id = 0;
  if (settings().programs) describe(context, info, target);
  target.samples = info.samples <= 1 ? 1 : info.samples <= 2 ? 2 : info.samples <= 4 ? 4 : 8;
  // Mesa mirrors windows together with their samples.
  target.mirrored_samples = target.samples > 1 && info.images.is_window();
  if (target.samples != std::max(info.samples, 1)) {
    frame_.skipped_reasons["a target of " + std::to_string(info.samples) + " samples a pixel, written with " +
                           std::to_string(target.samples)]++;
  }
  all_.push_back(info);
  frame_.targets.push_back(std::move(target));
  frame_.views.push_back({.target = number});
  return number;
}

bool Targets::load_earlier_content(const Context& context, uint32_t target, Plane plane) {
  if (frame_.targets[target].samples > 1) {
    frame_.skipped_reasons["what several samples a pixel held before the frame, written as one value a pixel"]++;
  }
  if (is_color(plane)) {  // only programs read these
    if (settings().programs) {
      add_load(target, plane, read_colors(context, all_[target], plane, read_format_of(target, plane)));
    }
    return true;
  }
  ClearCommand clear{.target = target};
  const auto is_uniform = [](const auto& values) {
    return std::all_of(values.begin(), values.end(), [&](auto value) { return value == values.front(); });
  };
  bool uniform = false;
  std::vector<std::byte> content;
  const auto keep = [&](const auto& values) {
    const auto bytes = std::as_bytes(std::span(values));
    content.assign(bytes.begin(), bytes.end());
  };
  if (plane == Plane::depth) {
    const std::vector<float> depth = read_depth(context, all_[target]);
    if (depth.empty()) return false;
    uniform = is_uniform(depth);
    keep(depth);
    clear.depth = std::clamp(depth.front(), 0.0f, 1.0f);
  } else {
    const std::vector<uint8_t> stencil = read_stencil(context, all_[target]);
    if (stencil.empty()) return false;
    uniform = is_uniform(stencil);
    keep(stencil);
    clear.stencil = stencil.front();
  }
  if (uniform) {
    frame_.commands.emplace_back(clear);
  } else {
    if (settings().programs) add_load(target, plane, content);
    const char* const name = plane == Plane::depth ? "depth" : "stencil";
    const bool held = settings().programs && !content.empty();
    frame_.skipped_reasons[std::string(name) + (held ? " of an earlier frame, which pictures of positions do without"
                                                     : " of an earlier frame, which the file does not hold")]++;
  }
  return uniform;
}

void Targets::describe(const Context& context, const TargetInfo& info, Target& target) const {
  const auto note_bits = [&](GLint green) {
    if (green > 0 && green < 8) frame_.skipped_reasons["a target of fewer than 8 bits a channel, written with 8"]++;
  };
  if (info.images.is_window()) {
    // a pbuffer may have no back buffer
    const GLenum drawn = get_integer(GL_DOUBLEBUFFER) != 0 ? GL_BACK_LEFT : GL_FRONT_LEFT;
    const GLenum buffer = context.info.es ? GLenum(GL_BACK) : drawn;
    const auto bits = [&](GLenum state, GLenum name) {
      return context.info.version < 30 || context.info.compatibility
                 ? get_integer(state)
                 : attachment_value(GL_DRAW_FRAMEBUFFER, buffer, name);
    };
    const bool alpha = bits(GL_ALPHA_BITS, GL_FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE) > 0;
    note_bits(bits(GL_GREEN_BITS, GL_FRAMEBUFFER_ATTACHMENT_GREEN_SIZE));
    const bool srgb =
        context.info.framebuffer_srgb &&
        (context.info.version < 30
             ? get_integer(GL_FRAMEBUFFER_SRGB_CAPABLE_EXT) != 0
             : attachment_value(GL_DRAW_FRAMEBUFFER, buffer, GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING) == GL_SRGB);
    target.colors = {{srgb ? TexelFormat::rgba8_srgb : TexelFormat::rgba8, alpha ? TexelBase::rgba : TexelBase::rgb}};
    if (info.images.plane(Plane::depth)) target.depth = TexelFormat::depth24;
    if (info.images.plane(Plane::stencil)) target.stencil = TexelFormat::stencil8;
    return;
  }
  const auto format = [&](Plane plane) { return image_size(context, *info.images.plane(plane)).format; };
  for (size_t i = 0; i < kMaxColorPlanes; i++) {
    if (!info.images.plane(color_plane(i))) continue;
    const ImageSize size = image_size(context, *info.images.plane(color_plane(i)));
    target.colors.resize(i + 1);
    target.colors[i] = color_format(size.format);
    if (const auto narrow = narrow_format(size)) {
      target.colors[i].format = *narrow;
    } else {
      note_bits(size.green_bits);
    }
  }
  if (info.images.plane(Plane::depth)) target.depth = depth_format(format(Plane::depth));
  if (info.images.plane(Plane::stencil)) target.stencil = stencil_format(format(Plane::stencil));
}

ReadFormat Targets::read_format_of(uint32_t target, Plane plane) const {
  const std::vector<TargetColor>& colors = frame_.targets[target].colors;
  const auto number = static_cast<size_t>(file_plane(plane));
  return read_format(number < colors.size() ? colors[number].format : TexelFormat::rgba8);
}

void Targets::add_load(uint32_t target, Plane plane, const std::vector<std::byte>& content) {
  if (content.empty()) return;
  if (frame_.texture_data.size() + content.size() > settings().texture_limit) {
    frame_.skipped_reasons["what a target held before the frame, beyond --texture-limit"]++;
    return;
  }
  const TargetInfo& info = all_[target];
  CapturedTexture texture{.label = "before the frame", .width = info.width, .height = info.height, .stored = true};
  if (plane == Plane::depth) {
    texture.format = TexelFormat::depth32f;
    texture.base = TexelBase::depth;
  } else if (plane == Plane::stencil) {
    texture.format = TexelFormat::stencil8;
    texture.base = TexelBase::stencil;
  } else {
    texture.format = read_format_of(target, plane).format;
  }
  frame_.texture_data.resize((frame_.texture_data.size() + 15) / 16 * 16);
  texture.first_byte = frame_.texture_data.size();
  frame_.texture_data.insert(frame_.texture_data.end(), content.begin(), content.end());
  const auto number = static_cast<uint32_t>(frame_.captured_textures.size());
  frame_.captured_textures.push_back(std::move(texture));
  frame_.commands.emplace_back(LoadCommand{target, file_plane(plane), number});
}

void Targets::use(const Context& context, uint32_t target, Planes planes, bool needs_content) {
  std::map<uint32_t, Planes> moves;  // stored as blits
  std::vector<CopyCommand> copies;
  const auto& used = all_[target];
  for (size_t i = 0; i < kPlanes; i++) {
    const auto plane = static_cast<Plane>(i);
    const std::optional<Image>& image = used.images.plane(plane);
    if (!planes[i] || !image) continue;
    const auto [found, is_new] = contents_.emplace(key_of(*image, plane), Content{target, plane});
    Content& content = found->second;
    if (is_new && needs_content) content.unknown = !load_earlier_content(context, target, plane);
    if (std::exchange(content.written, false) && needs_content)
      content.unknown = !load_earlier_content(context, content.target, content.plane);
    if ((content.target != target || content.plane != plane) && needs_content) {
      if (content.plane == plane && i < 3) {
        moves[content.target][i] = true;
      } else if (settings().programs) {
        const TargetInfo& source = all_[content.target];
        const Rect rect{0, 0, std::min(source.width, used.width), std::min(source.height, used.height)};
        copies.push_back({content.target, target, file_plane(content.plane), file_plane(plane), rect});
      }
    }
    content.target = target;
    content.plane = plane;
  }
  for (const auto& [source, moved] : moves) {
    const TargetInfo &a = all_[source], &b = all_[target];
    const Rect rect{0, 0, std::min(a.width, b.width), std::min(a.height, b.height)};
    frame_.commands.emplace_back(BlitCommand{source, target, rect, rect, moved[0], moved[1], moved[2]});
  }
  frame_.commands.insert(frame_.commands.end(), copies.begin(), copies.end());
}

bool Targets::is_image_of(const Context& context, const Image& image, GLuint texture) const {
  const auto generation = generations_.find({context.share_group, GL_TEXTURE, texture});
  return image.kind == GL_TEXTURE && image.name == texture && image.group == context.share_group &&
         image.generation == (generation == generations_.end() ? 0 : generation->second);
}

void Targets::written(const Context& context, GLuint texture) {
  for (auto& [key, content] : contents_) {
    if (is_image_of(context, key.first, texture)) content.written = true;
  }
}

void Targets::load_written(const Context& context, GLuint texture) {
  for (auto& [key, content] : contents_) {
    if (is_image_of(context, key.first, texture) && std::exchange(content.written, false))
      content.unknown = !load_earlier_content(context, content.target, content.plane);
  }
}

std::vector<TextureImage> Targets::images_of_texture(const Context& context, GLuint name) const {
  std::vector<TextureImage> images;
  for (const auto& [key, content] : contents_) {
    const auto& [image, plane] = key;
    if (!is_image_of(context, image, name) || plane == Plane::stencil) continue;
    const GLint layer = image.face != 0 ? image.face - GL_TEXTURE_CUBE_MAP_POSITIVE_X : image.layer;
    images.push_back(
        {static_cast<uint32_t>(image.level), static_cast<uint32_t>(layer), content.target, file_plane(content.plane)});
  }
  return images;
}

Targets::Content* Targets::content_of(uint32_t target, Plane plane) {
  const std::optional<Image>& image = all_[target].images.plane(plane);
  const auto found = image ? contents_.find(key_of(*image, plane)) : contents_.end();
  return found == contents_.end() ? nullptr : &found->second;
}

void Targets::mark_drawn(uint32_t target, Planes planes) {
  for (size_t i = 0; i < kPlanes; i++) {
    Content* const content = planes[i] ? content_of(target, static_cast<Plane>(i)) : nullptr;
    if (content) content->drawn = true;
  }
}

void Targets::add_reference(const Context& context, uint32_t target, bool with_depth) {
  const TargetInfo& info = all_[target];
  Reference reference;
  reference.target = target;
  reference.before = static_cast<uint32_t>(frame_.commands.size());
  // If another target holds the current colours, they no longer belong to this one.
  const Content* const color = content_of(target, Plane::color);
  if (!color || color->target == target) reference.color_file = read_picture(context, info);
  if (with_depth) reference.depth = read_depth(context, info);
  if (!reference.depth.empty()) {
    reference.depth_width = info.width;
    reference.depth_height = info.height;
  } else if (with_depth) {
    frame_.skipped_reasons["depth that the driver does not give for comparison"]++;
  }
  if (!reference.depth.empty() || !reference.color_file.empty()) frame_.references.push_back(std::move(reference));
}

void Targets::end_depth(const Context& context, uint32_t target, bool whole) {
  Content* const depth = content_of(target, Plane::depth);
  if (!depth || !depth->drawn) return;
  add_reference(context, depth->target, !depth->unknown);
  if (whole) depth->drawn = depth->unknown = false;
}

std::optional<uint32_t> Targets::window_target(const Context& context) {
  Restore restore;
  if (context.info.framebuffers) restore.bind(GL_DRAW_FRAMEBUFFER, 0);
  return find(context, GL_DRAW_FRAMEBUFFER).target;
}

void Targets::end_window(const Context& context) {
  const std::optional<uint32_t> window = window_target(context);
  if (!window) return;
  Content* const depth = content_of(*window, Plane::depth);
  add_reference(context, *window, depth && !depth->unknown);
  if (depth) depth->drawn = false;
}

void Targets::finish(const Context& context) {
  const std::optional<uint32_t> window = window_target(context);
  for (const auto& [key, content] : contents_) {
    // This context cannot read objects of other share groups.
    const bool is_here = key.first.group == 0 || key.first.group == context.share_group;
    if (is_here && key.second == Plane::depth && content.drawn && !content.unknown && content.target != window) {
      add_reference(context, content.target, true);
    }
  }
  end_window(context);
}

}  // namespace brokkr::capture
