#include "reference/gl_captured_texture.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "frame/sample_layers.h"
#include "reference/gl_planes.h"

#include "frame/gl_names.h"  // must follow GLAD's header

namespace brokkr {

namespace {

// Constants that OpenGL 4.5's header lacks.
constexpr GLenum kBc1Rgb = 0x83F0, kBc1 = 0x83F1, kBc2 = 0x83F2, kBc3 = 0x83F3;
constexpr GLenum kBc1RgbSrgb = 0x8C4C, kBc1Srgb = 0x8C4D, kBc2Srgb = 0x8C4E, kBc3Srgb = 0x8C4F;
constexpr GLenum kAlpha32f = 0x8816, kIntensity32f = 0x8817, kLuminance32f = 0x8818, kLuminanceAlpha32f = 0x8819;
constexpr GLenum kAlpha16f = 0x881C, kIntensity16f = 0x881D, kLuminance16f = 0x881E, kLuminanceAlpha16f = 0x881F;
constexpr GLenum kMaxAnisotropy = 0x84FE, kSrgbDecode = 0x8A48, kSkipDecode = 0x8A4A;

// Indexed by TexelFormat.
constexpr GlTexelFormat kFormats[] = {{GL_R8, GL_RED, GL_UNSIGNED_BYTE},
                                      {GL_RG8, GL_RG, GL_UNSIGNED_BYTE},
                                      {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE},
                                      {GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE},
                                      {GL_R8_SNORM, GL_RED, GL_BYTE},
                                      {GL_RG8_SNORM, GL_RG, GL_BYTE},
                                      {GL_RGBA8_SNORM, GL_RGBA, GL_BYTE},
                                      {GL_R16, GL_RED, GL_UNSIGNED_SHORT},
                                      {GL_RG16, GL_RG, GL_UNSIGNED_SHORT},
                                      {GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT},
                                      {GL_R16_SNORM, GL_RED, GL_SHORT},
                                      {GL_RG16_SNORM, GL_RG, GL_SHORT},
                                      {GL_RGBA16_SNORM, GL_RGBA, GL_SHORT},
                                      {GL_R16F, GL_RED, GL_HALF_FLOAT},
                                      {GL_RG16F, GL_RG, GL_HALF_FLOAT},
                                      {GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT},
                                      {GL_R32F, GL_RED, GL_FLOAT},
                                      {GL_RG32F, GL_RG, GL_FLOAT},
                                      {GL_RGBA32F, GL_RGBA, GL_FLOAT},
                                      {GL_R8I, GL_RED_INTEGER, GL_BYTE},
                                      {GL_RG8I, GL_RG_INTEGER, GL_BYTE},
                                      {GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE},
                                      {GL_R16I, GL_RED_INTEGER, GL_SHORT},
                                      {GL_RG16I, GL_RG_INTEGER, GL_SHORT},
                                      {GL_RGBA16I, GL_RGBA_INTEGER, GL_SHORT},
                                      {GL_R32I, GL_RED_INTEGER, GL_INT},
                                      {GL_RG32I, GL_RG_INTEGER, GL_INT},
                                      {GL_RGBA32I, GL_RGBA_INTEGER, GL_INT},
                                      {GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE},
                                      {GL_RG8UI, GL_RG_INTEGER, GL_UNSIGNED_BYTE},
                                      {GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE},
                                      {GL_R16UI, GL_RED_INTEGER, GL_UNSIGNED_SHORT},
                                      {GL_RG16UI, GL_RG_INTEGER, GL_UNSIGNED_SHORT},
                                      {GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT},
                                      {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT},
                                      {GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT},
                                      {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT},
                                      {GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV},
                                      {GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV},
                                      {GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV},
                                      {GL_RGB9_E5, GL_RGB, GL_UNSIGNED_INT_5_9_9_9_REV},
                                      {GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5},
                                      {GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1},
                                      {GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4},
                                      {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT},
                                      {GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT},
                                      {GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT},
                                      {GL_STENCIL_INDEX8, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE},
                                      {kBc1, GL_NONE, GL_NONE},
                                      {kBc1Srgb, GL_NONE, GL_NONE},
                                      {kBc2, GL_NONE, GL_NONE},
                                      {kBc2Srgb, GL_NONE, GL_NONE},
                                      {kBc3, GL_NONE, GL_NONE},
                                      {kBc3Srgb, GL_NONE, GL_NONE},
                                      {GL_COMPRESSED_RED_RGTC1, GL_NONE, GL_NONE},
                                      {GL_COMPRESSED_SIGNED_RED_RGTC1, GL_NONE, GL_NONE},
                                      {GL_COMPRESSED_RG_RGTC2, GL_NONE, GL_NONE},
                                      {GL_COMPRESSED_SIGNED_RG_RGTC2, GL_NONE, GL_NONE},
                                      {GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT, GL_NONE, GL_NONE},
                                      {GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT, GL_NONE, GL_NONE},
                                      {GL_COMPRESSED_RGBA_BPTC_UNORM, GL_NONE, GL_NONE},
                                      {GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM, GL_NONE, GL_NONE}};
static_assert(std::size(kFormats) == size_t(TexelFormat::bc7_srgb) + 1);

// The internal format if only some of a format's channels count.
struct Narrowed {
  GLenum whole;
  TexelBase base;
  GLenum internal;
};
constexpr Narrowed kNarrowed[] = {{GL_R8, TexelBase::alpha, GL_ALPHA8},
                                  {GL_R8, TexelBase::luminance, GL_LUMINANCE8},
                                  {GL_R8, TexelBase::intensity, GL_INTENSITY8},
                                  {GL_RG8, TexelBase::luminance_alpha, GL_LUMINANCE8_ALPHA8},
                                  {GL_R16, TexelBase::alpha, GL_ALPHA16},
                                  {GL_R16, TexelBase::luminance, GL_LUMINANCE16},
                                  {GL_R16, TexelBase::intensity, GL_INTENSITY16},
                                  {GL_RG16, TexelBase::luminance_alpha, GL_LUMINANCE16_ALPHA16},
                                  {GL_R16F, TexelBase::alpha, kAlpha16f},
                                  {GL_R16F, TexelBase::luminance, kLuminance16f},
                                  {GL_R16F, TexelBase::intensity, kIntensity16f},
                                  {GL_RG16F, TexelBase::luminance_alpha, kLuminanceAlpha16f},
                                  {GL_R32F, TexelBase::alpha, kAlpha32f},
                                  {GL_R32F, TexelBase::luminance, kLuminance32f},
                                  {GL_R32F, TexelBase::intensity, kIntensity32f},
                                  {GL_RG32F, TexelBase::luminance_alpha, kLuminanceAlpha32f},
                                  {GL_RGBA8, TexelBase::rgb, GL_RGB8},
                                  {GL_SRGB8_ALPHA8, TexelBase::rgb, GL_SRGB8},
                                  {GL_RGBA8_SNORM, TexelBase::rgb, GL_RGB8_SNORM},
                                  {GL_RGBA16, TexelBase::rgb, GL_RGB16},
                                  {GL_RGBA16_SNORM, TexelBase::rgb, GL_RGB16_SNORM},
                                  {GL_RGBA16F, TexelBase::rgb, GL_RGB16F},
                                  {GL_RGBA32F, TexelBase::rgb, GL_RGB32F},
                                  {GL_RGBA8I, TexelBase::rgb, GL_RGB8I},
                                  {GL_RGBA16I, TexelBase::rgb, GL_RGB16I},
                                  {GL_RGBA32I, TexelBase::rgb, GL_RGB32I},
                                  {GL_RGBA8UI, TexelBase::rgb, GL_RGB8UI},
                                  {GL_RGBA16UI, TexelBase::rgb, GL_RGB16UI},
                                  {GL_RGBA32UI, TexelBase::rgb, GL_RGB32UI},
                                  {GL_RGB10_A2, TexelBase::rgb, GL_RGB10},
                                  {kBc1, TexelBase::rgb, kBc1Rgb},
                                  {kBc1Srgb, TexelBase::rgb, kBc1RgbSrgb}};

// Indexed by TextureKind.
constexpr GLenum kTargets[] = {GL_TEXTURE_1D,        GL_TEXTURE_2D,
                               GL_TEXTURE_3D,        GL_TEXTURE_CUBE_MAP,
                               GL_TEXTURE_RECTANGLE, GL_TEXTURE_1D_ARRAY,
                               GL_TEXTURE_2D_ARRAY,  GL_TEXTURE_CUBE_MAP_ARRAY,
                               GL_TEXTURE_BUFFER,    GL_TEXTURE_2D_MULTISAMPLE};

bool is_depth(TexelFormat format) { return format >= TexelFormat::depth16 && format <= TexelFormat::depth32f; }

// Specifies the bound texture's level of `extent`, or one of its faces.
void specify_level(const CapturedTexture& source, GLenum target, int level, TexelExtent extent, const std::byte* texels,
                   uint64_t bytes) {
  const GlTexelFormat format = gl_texel_format(source.format, source.base);
  const auto internal = GLint(format.internal);
  const bool flat = source.kind == TextureKind::two || source.kind == TextureKind::rectangle;
  const int height = source.kind == TextureKind::one_array ? extent.depth : extent.height;
  std::vector<uint32_t> widened;  // the 24 bits are in the low bits, and OpenGL expects them in the high ones
  if (source.format == TexelFormat::depth24 && texels != nullptr) {
    widened.resize(size_t(bytes / 4));
    std::memcpy(widened.data(), texels, widened.size() * 4);
    for (uint32_t& value : widened) value = value << 8 | (value >> 16 & 0xffu);
    texels = reinterpret_cast<const std::byte*>(widened.data());
  }
  if (format.pixels == GL_NONE) {
    const std::vector<std::byte> nothing(texels == nullptr ? size_t(bytes) : 0);
    const std::byte* data = texels == nullptr ? nothing.data() : texels;
    if (flat || source.kind == TextureKind::cube) {
      glCompressedTexImage2D(target, level, format.internal, extent.width, height, 0, GLsizei(bytes), data);
    } else {
      glCompressedTexImage3D(target, level, format.internal, extent.width, height, extent.depth, 0, GLsizei(bytes),
                             data);
    }
  } else if (source.kind == TextureKind::one) {
    glTexImage1D(target, level, internal, extent.width, 0, format.pixels, format.type, texels);
  } else if (flat || source.kind == TextureKind::cube || source.kind == TextureKind::one_array) {
    glTexImage2D(target, level, internal, extent.width, height, 0, format.pixels, format.type, texels);
  } else {
    glTexImage3D(target, level, internal, extent.width, height, extent.depth, 0, format.pixels, format.type, texels);
  }
}

// Returns true if the texture has layers of several samples each. An array of one layer counts as none.
bool is_array_of_samples(const CapturedTexture& source) {
  return source.kind == TextureKind::multisampled && source.depth > int(kSampleLayers);
}

// Returns true if the images are samples of one plane.
bool holds_one_plane(const std::vector<TextureImage>& images) {
  return !images.empty() && std::all_of(images.begin(), images.end(), [&](const TextureImage& image) {
    return image.target == images[0].target && image.plane == images[0].plane;
  });
}

GlSampler make_sampler(const CapturedSampler& source) {
  static constexpr GLint kWraps[] = {GL_REPEAT,          GL_MIRRORED_REPEAT, GL_CLAMP_TO_EDGE,
                                     GL_CLAMP_TO_BORDER, GL_CLAMP,           GL_MIRROR_CLAMP_TO_EDGE};
  static constexpr GLint kNearest[] = {GL_NEAREST, GL_NEAREST_MIPMAP_NEAREST, GL_NEAREST_MIPMAP_LINEAR};
  static constexpr GLint kLinear[] = {GL_LINEAR, GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_LINEAR};
  GlSampler sampler = GlSampler::create();
  const auto set = [&](GLenum name, GLint value) { glSamplerParameteri(sampler.id(), name, value); };
  set(GL_TEXTURE_WRAP_S, kWraps[size_t(source.wrap[0])]);
  set(GL_TEXTURE_WRAP_T, kWraps[size_t(source.wrap[1])]);
  set(GL_TEXTURE_WRAP_R, kWraps[size_t(source.wrap[2])]);
  set(GL_TEXTURE_MIN_FILTER, (source.minify_linear ? kLinear : kNearest)[size_t(source.mip)]);
  set(GL_TEXTURE_MAG_FILTER, source.magnify_linear ? GL_LINEAR : GL_NEAREST);
  glSamplerParameterf(sampler.id(), GL_TEXTURE_MIN_LOD, source.lod_min);
  glSamplerParameterf(sampler.id(), GL_TEXTURE_MAX_LOD, source.lod_max);
  glSamplerParameterf(sampler.id(), GL_TEXTURE_LOD_BIAS, source.lod_bias);
  if (source.anisotropy > 1) glSamplerParameterf(sampler.id(), kMaxAnisotropy, source.anisotropy);
  glSamplerParameterfv(sampler.id(), GL_TEXTURE_BORDER_COLOR, &source.border.x);
  if (source.compare) {
    set(GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    set(GL_TEXTURE_COMPARE_FUNC, GLint(to_gl(kGlCompareFuncs, *source.compare)));
  }
  if (!source.srgb_decode) set(kSrgbDecode, GLint(kSkipDecode));
  return sampler;
}

}  // namespace

GlTexelFormat gl_texel_format(TexelFormat format, TexelBase base) {
  GlTexelFormat result = kFormats[size_t(format)];
  for (const Narrowed& narrowed : kNarrowed) {
    if (narrowed.whole != result.internal || narrowed.base != base) continue;
    result.internal = narrowed.internal;
    break;
  }
  if (base == TexelBase::alpha && result.pixels == GL_RED) result.pixels = GL_ALPHA;
  if (base == TexelBase::luminance_alpha && result.pixels == GL_RG) result.pixels = GL_LUMINANCE_ALPHA;
  return result;
}

bool is_integer_format(TexelFormat format) {
  return (format >= TexelFormat::r8i && format <= TexelFormat::rgba32ui) || format == TexelFormat::rgb10_a2ui;
}

GlCapturedTextures::GlCapturedTextures(const Frame& frame, GlPlanes& planes) : frame_(frame), planes_(planes) {
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glActiveTexture(GL_TEXTURE0);
  for (const CapturedTexture& source : frame.captured_textures) {
    Texture& texture = textures_.emplace_back();
    texture.copied.assign(source.images.size(), 0);
    const bool multisampled = source.kind == TextureKind::multisampled;
    const bool has_one = multisampled ? holds_one_plane(source.images) : source.images.size() == 1;
    texture.is_plane = (multisampled || source.kind == TextureKind::two) && source.levels == 1 && has_one &&
                       planes.texture(source.images[0].target, source.images[0].plane) != 0 &&
                       frame.targets[source.images[0].target].width == source.width &&
                       frame.targets[source.images[0].target].height == source.height;
    if (is_array_of_samples(source)) {
      texture.is_plane = false;
      make_layers(source, texture);
    } else if (!multisampled && !texture.is_plane && (source.stored || !source.images.empty()))
      upload(source, texture);
  }
  for (const CapturedSampler& sampler : frame.captured_samplers) samplers_.push_back(make_sampler(sampler));
}

void GlCapturedTextures::make_layers(const CapturedTexture& source, Texture& texture) {
  if (source.images.empty()) return;
  texture.own = GlTexture::create(GL_TEXTURE_2D_MULTISAMPLE_ARRAY);
  glTextureStorage3DMultisample(texture.own.id(), frame_.targets[source.images[0].target].samples,
                                gl_texel_format(source.format, source.base).internal, source.width, source.height,
                                source.depth / GLsizei(kSampleLayers), GL_TRUE);
}

void GlCapturedTextures::upload(const CapturedTexture& source, Texture& texture) {
  const GLenum target = kTargets[size_t(source.kind)];
  const std::byte* texels = source.stored ? frame_.texture_data.data() + source.first_byte : nullptr;
  texture.own = GlTexture::create(target);
  if (source.kind == TextureKind::buffer) {
    texture.texels = GlBuffer::create();
    glNamedBufferStorage(texture.texels.id(), GLsizeiptr(texture_bytes(source)), texels, 0);
    glTextureBuffer(texture.own.id(), gl_texel_format(source.format, source.base).internal, texture.texels.id());
    return;
  }
  glBindTexture(target, texture.own.id());
  const int faces = source.kind == TextureKind::cube ? 6 : 1;
  for (int level = 0; level < source.levels; ++level) {
    const uint64_t bytes = level_bytes(source, level) / uint64_t(faces);
    for (int face = 0; face < faces; ++face) {
      const GLenum part = faces == 6 ? GLenum(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face) : target;
      specify_level(source, part, level, level_extent(source, level), texels, bytes);
      if (texels != nullptr) texels += bytes;
    }
  }
  glBindTexture(target, 0);
  if (source.kind != TextureKind::rectangle) {
    glTextureParameteri(texture.own.id(), GL_TEXTURE_MAX_LEVEL, source.levels - 1);
  }
}

GLuint GlCapturedTextures::name_of(uint32_t number) const {
  const Texture& texture = textures_[number];
  if (!texture.is_plane) return texture.own.id();
  const TextureImage& image = frame_.captured_textures[number].images[0];
  return planes_.texture(image.target, image.plane);
}

void GlCapturedTextures::take_images(uint32_t number) {
  const CapturedTexture& source = frame_.captured_textures[number];
  Texture& texture = textures_[number];
  if (texture.is_plane || !texture.own) return;
  for (size_t i = 0; i < source.images.size(); ++i) {
    const TextureImage& image = source.images[i];
    const uint64_t version = planes_.version(image.target);
    if (texture.copied[i] == version) continue;
    texture.copied[i] = version;
    if (source.kind == TextureKind::multisampled) {
      const GLuint plane = planes_.texture(image.target, image.plane);
      if (sample_of_layer(image.layer) != 0 || plane == 0) continue;  // all samples are copied together
      glCopyImageSubData(plane, GL_TEXTURE_2D_MULTISAMPLE, 0, 0, 0, 0, texture.own.id(),
                         GL_TEXTURE_2D_MULTISAMPLE_ARRAY, 0, 0, 0, GLint(image.layer / kSampleLayers), source.width,
                         source.height, 1);
      continue;
    }
    const TexelExtent extent = level_extent(source, int(image.level));
    planes_.read_from(image.target, image.plane);
    const Target& target = frame_.targets[image.target];
    const int width = std::min(extent.width, target.width), height = std::min(extent.height, target.height);
    const auto level = GLint(image.level), layer = GLint(image.layer);
    if (source.kind == TextureKind::one) {
      glCopyTextureSubImage1D(texture.own.id(), level, 0, 0, 0, width);
    } else if (source.kind == TextureKind::two || source.kind == TextureKind::rectangle) {
      glCopyTextureSubImage2D(texture.own.id(), level, 0, 0, 0, 0, width, height);
    } else {
      glCopyTextureSubImage3D(texture.own.id(), level, 0, 0, layer, 0, 0, width, height);
    }
  }
}

// Parameters of textures that sampler objects do not have.
void GlCapturedTextures::set_parameters(uint32_t number, int32_t sampler) {
  static constexpr GLint kSwizzles[] = {GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA, GL_ZERO, GL_ONE};
  static constexpr GLint kDepthModes[] = {GL_LUMINANCE, GL_INTENSITY, GL_ALPHA, GL_RED};
  Texture& texture = textures_[number];
  const CapturedTexture& source = frame_.captured_textures[number];
  // Several captured textures may refer to one plane.
  if ((texture.sampler == sampler && !texture.is_plane) || sampler < 0 || source.kind == TextureKind::buffer) return;
  texture.sampler = sampler;
  const CapturedSampler& parameters = frame_.captured_samplers[size_t(sampler)];
  const auto set = [name = name_of(number)](GLenum what, GLint value) { glTextureParameteri(name, what, value); };
  if (source.kind != TextureKind::rectangle && source.kind != TextureKind::multisampled) {
    set(GL_TEXTURE_BASE_LEVEL, std::min(parameters.base_level, source.levels - 1));
    set(GL_TEXTURE_MAX_LEVEL, std::min(parameters.max_level, source.levels - 1));
  }
  for (GLenum i = 0; i < 4; ++i) set(GL_TEXTURE_SWIZZLE_R + i, kSwizzles[size_t(parameters.swizzle[i])]);
  if (is_depth(source.format)) set(GL_DEPTH_TEXTURE_MODE, kDepthModes[size_t(parameters.depth_mode)]);
}

void GlCapturedTextures::bind(GLuint unit, const BoundTexture& bound) {
  const bool is_there = bound.texture >= 0 && name_of(uint32_t(bound.texture)) != 0;
  if (!is_there) {
    glBindTextureUnit(unit, 0);
    return;
  }
  const auto number = uint32_t(bound.texture);
  take_images(number);
  set_parameters(number, bound.sampler);
  glBindTextureUnit(unit, name_of(number));
  glBindSampler(unit, bound.sampler < 0 ? 0 : samplers_[size_t(bound.sampler)].id());
}

void GlCapturedTextures::generate_mips(const GenerateMipsCommand& command) {
  Texture& texture = textures_[command.texture];
  if (texture.is_plane || !texture.own) return;
  take_images(command.texture);
  const CapturedTexture& source = frame_.captured_textures[command.texture];
  glTextureParameteri(texture.own.id(), GL_TEXTURE_MAX_LEVEL, source.levels - 1);
  texture.sampler = -1;
  glGenerateTextureMipmap(texture.own.id());
}

void GlCapturedTextures::forget_copies() {
  for (Texture& texture : textures_) std::fill(texture.copied.begin(), texture.copied.end(), 0);
}

}  // namespace brokkr
