#include "capture/textures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string_view>

#include "brokkr/frame.h"
#include "capture/context.h"
#include "capture/desktop.h"
#include "capture/read_back.h"
#include "capture/state_guard.h"
#include "frame/gl_names.h"
#include "frame/sample_layers.h"

namespace brokkr::capture {

// Reads the sampling parameters of textures.

namespace {

float finite_or(GLfloat value, float otherwise) { return std::isfinite(value) ? value : otherwise; }

// Modes of GL_EXT_texture_mirror_clamp, which frame files do not have.
bool is_mirror_clamp(GLint wrap) { return wrap == GL_MIRROR_CLAMP_EXT || wrap == GL_MIRROR_CLAMP_TO_BORDER_EXT; }

TextureWrap to_wrap(GLint wrap) {
  constexpr GLenum kWraps[] = {GL_REPEAT,          GL_MIRRORED_REPEAT, GL_CLAMP_TO_EDGE,
                               GL_CLAMP_TO_BORDER, GL_CLAMP,           GL_MIRROR_CLAMP_TO_EDGE};
  if (is_mirror_clamp(wrap)) return TextureWrap::mirror_clamp_to_edge;
  return from_gl<TextureWrap>(kWraps, static_cast<GLenum>(wrap)).value_or(TextureWrap::repeat);
}

// Reads parameters of a sampler object or, without one, of the bound texture.
class Parameters {
 public:
  Parameters(GLuint sampler, GLenum target) : sampler_(sampler), target_(target) {}

  GLint number(GLenum name) const {
    GLint value = 0;
    sampler_ ? GL(GetSamplerParameteriv)(sampler_, name, &value) : GL(GetTexParameteriv)(target_, name, &value);
    return value;
  }
  std::array<GLfloat, 4> reals(GLenum name) const {
    std::array<GLfloat, 4> values{};
    sampler_ ? GL(GetSamplerParameterfv)(sampler_, name, values.data())
             : GL(GetTexParameterfv)(target_, name, values.data());
    return values;
  }

 private:
  GLuint sampler_;
  GLenum target_;
};

void read_filters(const Parameters& parameters, CapturedSampler& sampler) {
  const GLint minify = parameters.number(GL_TEXTURE_MIN_FILTER);
  sampler.magnify_linear = parameters.number(GL_TEXTURE_MAG_FILTER) == GL_LINEAR;
  sampler.minify_linear =
      minify == GL_LINEAR || minify == GL_LINEAR_MIPMAP_NEAREST || minify == GL_LINEAR_MIPMAP_LINEAR;
  sampler.mip = minify == GL_NEAREST || minify == GL_LINEAR                                 ? MipFilter::none
                : minify == GL_NEAREST_MIPMAP_NEAREST || minify == GL_LINEAR_MIPMAP_NEAREST ? MipFilter::nearest
                                                                                            : MipFilter::linear;
}

// Reads parameters that only textures have.
void read_texture_parameters(const Context& context, GLenum target, CapturedSampler& sampler) {
  const Parameters own(0, target);
  sampler.base_level = std::clamp(own.number(GL_TEXTURE_BASE_LEVEL), 0, 1000);
  sampler.max_level = std::clamp(own.number(GL_TEXTURE_MAX_LEVEL), 0, 1000);
  if (context.info.swizzle) {
    constexpr GLenum kSwizzles[] = {GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA, GL_ZERO, GL_ONE};
    constexpr std::array<GLenum, 4> kChannels = {GL_TEXTURE_SWIZZLE_R, GL_TEXTURE_SWIZZLE_G, GL_TEXTURE_SWIZZLE_B,
                                                 GL_TEXTURE_SWIZZLE_A};
    for (size_t i = 0; i < 4; i++) {
      const auto known = from_gl<Swizzle>(kSwizzles, static_cast<GLenum>(own.number(kChannels[i])));
      sampler.swizzle[i] = known.value_or(sampler.swizzle[i]);
    }
  }
  if (context.info.compatibility) {
    constexpr GLenum kModes[] = {GL_LUMINANCE, GL_INTENSITY, GL_ALPHA, GL_RED};
    const auto known = from_gl<DepthMode>(kModes, static_cast<GLenum>(own.number(GL_DEPTH_TEXTURE_MODE)));
    sampler.depth_mode = known.value_or(DepthMode::luminance);
  }
}

}  // namespace

// The parameters of the active unit's sampler object or, without one, of the texture bound to `target` in that unit.
// Parameters that a driver does not know keep their defaults and leave no error.
CapturedSampler read_sampler(const Context& context, GLenum target) {
  const GLuint object = context.info.sampler_objects ? get_name(GL_SAMPLER_BINDING) : 0;
  const Parameters parameters(object, target);
  CapturedSampler sampler;
  read_filters(parameters, sampler);
  sampler.wrap = {to_wrap(parameters.number(GL_TEXTURE_WRAP_S)), to_wrap(parameters.number(GL_TEXTURE_WRAP_T)),
                  to_wrap(parameters.number(GL_TEXTURE_WRAP_R))};
  sampler.lod_min = finite_or(parameters.reals(GL_TEXTURE_MIN_LOD)[0], -1000);
  sampler.lod_max = finite_or(parameters.reals(GL_TEXTURE_MAX_LOD)[0], 1000);
  if (context.info.version >= 14) sampler.lod_bias = finite_or(parameters.reals(GL_TEXTURE_LOD_BIAS)[0], 0);
  if (context.info.compatibility && context.info.version >= 14) {
    GLfloat bias = 0;
    GL(GetTexEnvfv)(GL_TEXTURE_FILTER_CONTROL, GL_TEXTURE_LOD_BIAS, &bias);
    sampler.lod_bias += finite_or(bias, 0);
  }
  if (context.info.anisotropy) sampler.anisotropy = finite_or(parameters.reals(GL_TEXTURE_MAX_ANISOTROPY)[0], 1);
  const std::array<GLfloat, 4> border = parameters.reals(GL_TEXTURE_BORDER_COLOR);
  for (size_t i = 0; i < 4; i++) sampler.border[static_cast<glm::length_t>(i)] = finite_or(border[i], 0);
  if (parameters.number(GL_TEXTURE_COMPARE_MODE) == GL_COMPARE_REF_TO_TEXTURE) {
    sampler.compare =
        from_gl<CompareFunc>(kGlCompareFuncs, static_cast<GLenum>(parameters.number(GL_TEXTURE_COMPARE_FUNC)))
            .value_or(CompareFunc::lequal);
  }
  if (context.info.srgb_decode)
    sampler.srgb_decode = parameters.number(GL_TEXTURE_SRGB_DECODE_EXT) != GL_SKIP_DECODE_EXT;
  if (context.info.seamless) sampler.seamless = context.info.es || is_enabled(GL_TEXTURE_CUBE_MAP_SEAMLESS);
  read_texture_parameters(context, target, sampler);
  take_errors();  // caused by parameters that a driver does not know
  return sampler;
}

namespace {

bool clamps_mirrored(const Context& context, GLenum target) {
  const Parameters parameters(context.info.sampler_objects ? get_name(GL_SAMPLER_BINDING) : 0, target);
  bool clamps = false;
  for (const GLenum axis : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R})
    clamps |= is_mirror_clamp(parameters.number(axis));
  take_errors();  // caused by axes that a texture lacks
  return clamps;
}

struct KindNames {
  GLenum target, binding, level_target;
};
// Indexed by TextureKind.
constexpr KindNames kKinds[] = {
    {GL_TEXTURE_1D, GL_TEXTURE_BINDING_1D, GL_TEXTURE_1D},
    {GL_TEXTURE_2D, GL_TEXTURE_BINDING_2D, GL_TEXTURE_2D},
    {GL_TEXTURE_3D, GL_TEXTURE_BINDING_3D, GL_TEXTURE_3D},
    {GL_TEXTURE_CUBE_MAP, GL_TEXTURE_BINDING_CUBE_MAP, GL_TEXTURE_CUBE_MAP_POSITIVE_X},
    {GL_TEXTURE_RECTANGLE, GL_TEXTURE_BINDING_RECTANGLE, GL_TEXTURE_RECTANGLE},
    {GL_TEXTURE_1D_ARRAY, GL_TEXTURE_BINDING_1D_ARRAY, GL_TEXTURE_1D_ARRAY},
    {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_BINDING_2D_ARRAY, GL_TEXTURE_2D_ARRAY},
    {GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_BINDING_CUBE_MAP_ARRAY, GL_TEXTURE_CUBE_MAP_ARRAY},
    {GL_TEXTURE_BUFFER, GL_TEXTURE_BINDING_BUFFER, GL_TEXTURE_BUFFER},
    {GL_TEXTURE_2D_MULTISAMPLE, GL_TEXTURE_BINDING_2D_MULTISAMPLE, GL_TEXTURE_2D_MULTISAMPLE}};
constexpr KindNames kArrayOfSamples = {GL_TEXTURE_2D_MULTISAMPLE_ARRAY, GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY,
                                       GL_TEXTURE_2D_MULTISAMPLE_ARRAY};
const KindNames& names_of(TextureKind kind) { return kKinds[static_cast<size_t>(kind)]; }

struct CompressedFormat {
  GLenum name;
  TexelFormat format;
  TexelBase base;
};
constexpr CompressedFormat kCompressed[] = {
    {GL_COMPRESSED_RGB_S3TC_DXT1_EXT, TexelFormat::bc1, TexelBase::rgb},
    {GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, TexelFormat::bc1, TexelBase::rgba},
    {GL_COMPRESSED_RGBA_S3TC_DXT3_EXT, TexelFormat::bc2, TexelBase::rgba},
    {GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, TexelFormat::bc3, TexelBase::rgba},
    {GL_COMPRESSED_SRGB_S3TC_DXT1_EXT, TexelFormat::bc1_srgb, TexelBase::rgb},
    {GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT, TexelFormat::bc1_srgb, TexelBase::rgba},
    {GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT, TexelFormat::bc2_srgb, TexelBase::rgba},
    {GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT, TexelFormat::bc3_srgb, TexelBase::rgba},
    {GL_COMPRESSED_RED_RGTC1, TexelFormat::bc4, TexelBase::red},
    {GL_COMPRESSED_SIGNED_RED_RGTC1, TexelFormat::bc4_snorm, TexelBase::red},
    {GL_COMPRESSED_RG_RGTC2, TexelFormat::bc5, TexelBase::rg},
    {GL_COMPRESSED_SIGNED_RG_RGTC2, TexelFormat::bc5_snorm, TexelBase::rg},
    {GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT, TexelFormat::bc6h, TexelBase::rgb},
    {GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT, TexelFormat::bc6h_signed, TexelBase::rgb},
    {GL_COMPRESSED_RGBA_BPTC_UNORM, TexelFormat::bc7, TexelBase::rgba},
    {GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM, TexelFormat::bc7_srgb, TexelBase::rgba}};

GLint level_value(GLenum target, GLint level, GLenum name) {
  GLint value = 0;
  GL(GetTexLevelParameteriv)(target, level, name, &value);
  return value;
}

// The transfer format of texels: arguments for glGetTexImage; none for compressed textures.
struct Storage {
  TexelFormat format = TexelFormat::rgba8;
  TexelBase base = TexelBase::rgba;
  GLenum pixels = GL_NONE, type = GL_NONE;
};

TexelFormat moved(TexelFormat first, size_t by) { return static_cast<TexelFormat>(static_cast<size_t>(first) + by); }

// Sets a format with one, two or four channels of numbers; `channels` is 0, 1 or 2.
void set_numbers(Storage& storage, size_t channels, GLint kind, GLint bits, bool srgb) {
  const size_t size = bits <= 8 ? 0 : bits <= 16 ? 1 : 2;
  constexpr std::array<GLenum, 3> kUnsigned = {GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT};
  constexpr std::array<GLenum, 3> kSigned = {GL_BYTE, GL_SHORT, GL_INT};
  storage.type = kUnsigned[size];
  if (kind == GL_FLOAT) {
    storage.format = moved(size < 2 ? TexelFormat::r16f : TexelFormat::r32f, channels);
    storage.type = size < 2 ? GL_HALF_FLOAT : GL_FLOAT;
  } else if (kind == GL_INT || kind == GL_UNSIGNED_INT) {
    storage.format = moved(kind == GL_INT ? TexelFormat::r8i : TexelFormat::r8ui, 3 * size + channels);
    if (kind == GL_INT) storage.type = kSigned[size];
    constexpr std::array<GLenum, 3> kPixels = {GL_RED_INTEGER, GL_RG_INTEGER, GL_RGBA_INTEGER};
    storage.pixels = kPixels[channels];
  } else if (kind == GL_SIGNED_NORMALIZED) {
    storage.format = moved(size == 0 ? TexelFormat::r8_snorm : TexelFormat::r16_snorm, channels);
    storage.type = kSigned[std::min<size_t>(size, 1)];
  } else {
    storage.format = srgb ? TexelFormat::rgba8_srgb : moved(size == 0 ? TexelFormat::r8 : TexelFormat::r16, channels);
    storage.type = kUnsigned[std::min<size_t>(size, 1)];
  }
}

void set_depth(Storage& storage, GLint bits) {
  storage.base = TexelBase::depth;
  storage.pixels = GL_DEPTH_COMPONENT;
  storage.format = bits <= 16 ? TexelFormat::depth16 : bits <= 24 ? TexelFormat::depth24 : TexelFormat::depth32f;
  storage.type = bits <= 16 ? GL_UNSIGNED_SHORT : bits <= 24 ? GL_UNSIGNED_INT : GL_FLOAT;
}

bool is_srgb(GLint format) {
  constexpr std::array<GLint, 6> kSrgb = {GL_SRGB,         GL_SRGB8,       GL_SRGB_ALPHA,
                                          GL_SRGB8_ALPHA8, GL_SLUMINANCE8, GL_SLUMINANCE8_ALPHA8};
  return std::find(kSrgb.begin(), kSrgb.end(), format) != kSrgb.end();
}

// Sets formats whose channels share a word.
bool set_packed(GLint format, Storage& storage) {
  struct Packed {
    GLint name;
    TexelFormat format;
    TexelBase base;
    GLenum pixels, type;
  };
  constexpr Packed kPacked[] = {
      {GL_RGB10_A2, TexelFormat::rgb10_a2, TexelBase::rgba, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV},
      {GL_RGB10, TexelFormat::rgb10_a2, TexelBase::rgb, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV},
      {GL_RGB10_A2UI, TexelFormat::rgb10_a2ui, TexelBase::rgba, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV},
      {GL_R11F_G11F_B10F, TexelFormat::r11g11b10f, TexelBase::rgb, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV},
      {GL_RGB9_E5, TexelFormat::rgb9_e5, TexelBase::rgb, GL_RGB, GL_UNSIGNED_INT_5_9_9_9_REV}};
  const auto* const found =
      std::find_if(std::begin(kPacked), std::end(kPacked), [&](const Packed& one) { return one.name == format; });
  if (found == std::end(kPacked)) return false;
  storage = {found->format, found->base, found->pixels, found->type};
  return true;
}

// The storage of a level, derived from the channels that GL reports.
std::optional<Storage> storage_of(const Context& context, GLenum target, GLint level) {
  const auto value = [&](GLenum name) { return level_value(target, level, name); };
  const GLint format = value(GL_TEXTURE_INTERNAL_FORMAT);
  Storage storage;
  if (target != GL_TEXTURE_BUFFER && value(GL_TEXTURE_COMPRESSED) != 0) {
    for (const CompressedFormat& known : kCompressed) {
      if (known.name == static_cast<GLenum>(format)) return Storage{known.format, known.base};
    }
    return std::nullopt;
  }
  if (set_packed(format, storage)) return storage;
  if (const GLint bits = value(GL_TEXTURE_DEPTH_SIZE); bits > 0) {
    set_depth(storage, bits);
    return storage;
  }
  const bool old = context.info.compatibility;
  const GLint red = value(GL_TEXTURE_RED_SIZE), green = value(GL_TEXTURE_GREEN_SIZE);
  const GLint blue = value(GL_TEXTURE_BLUE_SIZE), alpha = value(GL_TEXTURE_ALPHA_SIZE);
  const GLint luminance = old ? value(GL_TEXTURE_LUMINANCE_SIZE) : 0,
              intensity = old ? value(GL_TEXTURE_INTENSITY_SIZE) : 0;
  struct Channels {
    GLint bits;
    TexelBase base;
    size_t channels;
    GLenum pixels, kind;
  };
  const bool both = luminance > 0 && alpha > 0;
  const Channels found =
      intensity > 0 ? Channels{intensity, TexelBase::intensity, 0, GL_RED, GL_TEXTURE_INTENSITY_TYPE}
      : both        ? Channels{luminance, TexelBase::luminance_alpha, 1, GL_LUMINANCE_ALPHA, GL_TEXTURE_LUMINANCE_TYPE}
      : luminance > 0 ? Channels{luminance, TexelBase::luminance, 0, GL_RED, GL_TEXTURE_LUMINANCE_TYPE}
      : red > 0 && alpha > 0
          ? Channels{std::max({red, green, blue, alpha}), TexelBase::rgba, 2, GL_RGBA, GL_TEXTURE_RED_TYPE}
      : blue > 0  ? Channels{std::max({red, green, blue}), TexelBase::rgb, 2, GL_RGBA, GL_TEXTURE_RED_TYPE}
      : green > 0 ? Channels{red, TexelBase::rg, 1, GL_RG, GL_TEXTURE_RED_TYPE}
      : red > 0   ? Channels{red, TexelBase::red, 0, GL_RED, GL_TEXTURE_RED_TYPE}
                  : Channels{alpha, TexelBase::alpha, 0, GL_ALPHA, GL_TEXTURE_ALPHA_TYPE};
  if (found.bits == 0) return std::nullopt;
  storage.base = found.base;
  storage.pixels = found.pixels;
  const GLint kind = context.info.version >= 30 ? value(found.kind) : GL_UNSIGNED_NORMALIZED;
  // With sRGB, luminance is stored as a colour.
  if (is_srgb(format) && found.channels < 2) {
    storage.pixels = GL_RGBA;
    storage.base = both ? TexelBase::rgba : TexelBase::rgb;
  }
  set_numbers(storage, is_srgb(format) ? 2 : found.channels, kind, found.bits, is_srgb(format));
  return storage;
}

// Reads one level, or one face of it, of the bound texture.
bool read_level(GLenum target, GLint level, const Storage& storage, std::byte* out, uint64_t bytes) {
  if (storage.pixels == GL_NONE) {
    if (level_value(target, level, GL_TEXTURE_COMPRESSED_IMAGE_SIZE) != static_cast<GLint>(bytes)) return false;
    GL(GetCompressedTexImage)(target, level, out);
  } else {
    GL(GetTexImage)(target, level, storage.pixels, storage.type, out);
    if (storage.format == TexelFormat::depth24) {
      for (uint64_t i = 0; i < bytes; i += 4) {
        uint32_t value = 0;
        std::memcpy(&value, out + i, 4);
        value >>= 8;
        std::memcpy(out + i, &value, 4);
      }
    }
  }
  return take_errors() == GL_NO_ERROR;
}

// The number of levels that form a mip chain, starting at the first.
int level_count(const CapturedTexture& texture, GLenum target, GLint max_level) {
  if (texture.kind == TextureKind::rectangle) return 1;
  int count = 1;
  while (count < 15 && count <= max_level) {
    const TexelExtent last = level_extent(texture, count - 1);
    if (last.width == 1 && last.height == 1 && (texture.kind != TextureKind::three || last.depth == 1)) break;
    if (level_value(target, count, GL_TEXTURE_WIDTH) != level_extent(texture, count).width) break;
    count++;
  }
  return count;
}

bool read_size(const Context& context, const KindNames& names, CapturedTexture& texture) {
  const auto value = [&](GLenum name) { return level_value(names.level_target, 0, name); };
  texture.width = value(GL_TEXTURE_WIDTH);
  texture.height = value(GL_TEXTURE_HEIGHT);
  texture.depth = context.info.version >= 12 ? value(GL_TEXTURE_DEPTH) : 1;
  if (texture.kind == TextureKind::one_array) std::swap(texture.height, texture.depth);
  if (texture.kind == TextureKind::one) texture.height = texture.depth = 1;
  if (texture.kind == TextureKind::cube) texture.depth = 6;
  const auto is_fine = [](int size) { return size >= 1 && size <= kMaxTargetSize; };
  return is_fine(texture.width) && is_fine(texture.height) && is_fine(texture.depth);
}

// Reads all levels; empty if GL does not provide them.
std::vector<std::byte> read_levels(const Context& context, const KindNames& names, const CapturedTexture& texture,
                                   const Storage& storage) {
  std::vector<std::byte> data(static_cast<size_t>(texture_bytes(texture)));
  Restore restore;
  pack_plainly(context, restore);
  std::byte* out = data.data();
  for (int level = 0; level < texture.levels; level++) {
    const uint64_t bytes = level_bytes(texture, level);
    const int faces = texture.kind == TextureKind::cube ? 6 : 1;
    for (int face = 0; face < faces; face++) {
      const GLenum target = names.level_target + static_cast<GLenum>(face);
      if (!read_level(target, level, storage, out, bytes / static_cast<uint64_t>(faces))) return {};
      out += bytes / static_cast<uint64_t>(faces);
    }
  }
  return data;
}

std::vector<std::byte> read_texture_buffer(const Context& context, CapturedTexture& texture) {
  const auto value = [](GLenum name) { return level_value(GL_TEXTURE_BUFFER, 0, name); };
  GLint buffer = 0;
  if (context.info.version >= 45 || context.info.version >= 43) {
    buffer = value(GL_TEXTURE_BUFFER_DATA_STORE_BINDING);
  } else {
    buffer = get_integer(GL_TEXTURE_BUFFER_DATA_STORE_BINDING);
  }
  if (buffer == 0) return {};
  const uint32_t texel = texel_block(texture.format).bytes;
  const bool ranged = context.info.version >= 43;
  const auto offset = static_cast<uint64_t>(ranged ? value(GL_TEXTURE_BUFFER_OFFSET) : 0);
  Restore restore;
  restore.bind(GL_COPY_READ_BUFFER, static_cast<GLuint>(buffer));
  const auto wanted = ranged ? static_cast<uint64_t>(value(GL_TEXTURE_BUFFER_SIZE)) : uint64_t(1) << 27;
  std::vector<std::byte> data = read_buffer(context, GL_COPY_READ_BUFFER, offset, wanted);
  data.resize(data.size() / texel * texel);
  texture.width = static_cast<int>(data.size() / texel);
  return data;
}

// Returns true if the images cover all levels and layers of the texture, except levels generated from others.
bool are_whole(const CapturedTexture& texture, int levels) {
  std::set<std::pair<uint32_t, uint32_t>> places;
  for (const TextureImage& image : texture.images) places.emplace(image.level, image.layer);
  for (int level = 0; level < levels; level++) {
    for (int layer = 0; layer < level_extent(texture, level).depth; layer++) {
      if (places.count({static_cast<uint32_t>(level), static_cast<uint32_t>(layer)}) == 0) return false;
    }
  }
  return true;
}

// Binds a texture in the desktop context of an OpenGL ES context, for as long as that is current.
class DesktopTexture {
 public:
  DesktopTexture(const Context& context, const KindNames& names, GLuint name) : desktop_(context) {
    if (!context.info.es) return;
    target_ = names.target;
    GL(BindTexture)(target_, name);
  }
  ~DesktopTexture() {
    if (target_ != GL_NONE) GL(BindTexture)(target_, 0);
  }
  DesktopTexture(const DesktopTexture&) = delete;
  DesktopTexture& operator=(const DesktopTexture&) = delete;
  const Context& operator*() const { return *desktop_; }

 private:
  DesktopContext desktop_;
  GLenum target_ = GL_NONE;
};

}  // namespace

GLenum texture_target(TextureKind kind) { return names_of(kind).target; }

GLuint bound_texture(GLenum target) {
  const bool face = target >= GL_TEXTURE_CUBE_MAP_POSITIVE_X && target <= GL_TEXTURE_CUBE_MAP_NEGATIVE_Z;
  for (const KindNames& names : kKinds) {
    if (names.target == (face ? GLenum(GL_TEXTURE_CUBE_MAP) : target)) return get_name(names.binding);
  }
  return 0;
}

uint32_t Textures::add(CapturedTexture texture, const std::vector<std::byte>& data) {
  const auto is_same = [&](const CapturedTexture& known) {
    return known.kind == texture.kind && known.format == texture.format && known.base == texture.base &&
           known.width == texture.width && known.height == texture.height && known.depth == texture.depth &&
           known.levels == texture.levels && known.images == texture.images && known.stored == texture.stored &&
           (!known.stored || std::equal(data.begin(), data.end(),
                                        frame_.texture_data.begin() + static_cast<ptrdiff_t>(known.first_byte)));
  };
  if (frame_.texture_data.size() + data.size() > limit_) {
    frame_.skipped_reasons["a texture beyond --texture-limit"]++;
    texture.stored = false;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data.data()), data.size());
  const std::pair key(data.size(), uint64_t(std::hash<std::string_view>()(bytes)));
  for (auto [known, end] = of_content_.equal_range(key); known != end; ++known) {
    if (is_same(frame_.captured_textures[known->second])) return known->second;
  }
  if (texture.stored) {
    // Blobs are aligned.
    frame_.texture_data.resize((frame_.texture_data.size() + 15) / 16 * 16);
    texture.first_byte = frame_.texture_data.size();
    frame_.texture_data.insert(frame_.texture_data.end(), data.begin(), data.end());
  }
  const auto number = static_cast<uint32_t>(frame_.captured_textures.size());
  frame_.captured_textures.push_back(std::move(texture));
  of_content_.emplace(key, number);
  return number;
}

int32_t Textures::add_sampler(const CapturedSampler& sampler) {
  return static_cast<int32_t>(samplers_.number_of(sampler, frame_.captured_samplers));
}

BoundTexture Textures::of_target(const Target& target, uint32_t number, TargetColor color,
                                 const CapturedSampler& sampler) {
  CapturedTexture texture{.label = "a target", .format = color.format, .base = color.base};
  texture.width = target.width;
  texture.height = target.height;
  texture.images = {{0, 0, number, TargetPlane::color0}};
  return {static_cast<int32_t>(add(std::move(texture), {})), add_sampler(sampler)};
}

// Reads the texture that is bound to its target.
std::optional<uint32_t> Textures::read_texture(const Context& context, TextureKind kind, GLuint name,
                                               bool array_of_samples) {
  const Name key = name_of(context, kind, name);
  const KindNames& names = names_of(kind);
  CapturedTexture texture{.label = std::to_string(name), .kind = kind};
  if (name != 0) {
    targets_.load_written(context, name);
    texture.images = targets_.images_of_texture(context, name);
  }
  GLint max_level = 0;
  if (kind != TextureKind::multisampled && kind != TextureKind::buffer) {
    GL(GetTexParameteriv)(names.target, GL_TEXTURE_MAX_LEVEL, &max_level);
    // No lookup reads later levels. A program that makes levels one after another draws to one of them now.
    std::erase_if(texture.images,
                  [&](const TextureImage& image) { return image.level > uint32_t(std::max(max_level, 0)); });
  }
  if (kind == TextureKind::multisampled) return read_samples(context, name, array_of_samples, std::move(texture));
  if (texture.images.empty() && kind != TextureKind::buffer) {
    if (const auto found = known_.find(key); found != known_.end() && found->second.second >= max_level)
      return found->second.first;
  } else if (const auto found = drawn_.find(key); found != drawn_.end()) {
    if (frame_.captured_textures[found->second].images == texture.images) return found->second;
  }
  const DesktopTexture desktop(context, names, name);
  const Context& reader = *desktop;
  const std::optional<Storage> storage = storage_of(reader, names.level_target, 0);
  if (!storage) return std::nullopt;
  if (storage->base == TexelBase::depth && context.info.version >= (context.info.es ? 31 : 43)) {
    GLint mode = GL_DEPTH_COMPONENT;
    GL(GetTexParameteriv)(names.target, GL_DEPTH_STENCIL_TEXTURE_MODE, &mode);
    if (mode == GL_STENCIL_INDEX) problem_ = "a stencil that is read as a texture";
  }
  texture.format = storage->format;
  texture.base = storage->base;
  std::vector<std::byte> data;
  if (kind == TextureKind::buffer) {
    data = read_texture_buffer(reader, texture);
  } else {
    if (!read_size(reader, names, texture)) return std::nullopt;
    texture.levels = level_count(texture, names.level_target, max_level);
    // Generated levels come from the base level, unless the frame draws to one of them later.
    const bool only_base = std::all_of(texture.images.begin(), texture.images.end(),
                                       [](const TextureImage& image) { return image.level == 0; });
    const bool generates = only_base && generated_.count(key) > 0;
    const bool whole = !texture.images.empty() && are_whole(texture, generates ? 1 : texture.levels);
    if (!whole) data = read_levels(reader, names, texture, *storage);
  }
  texture.stored = !data.empty();
  const bool drawn = !texture.images.empty();
  const uint32_t number = add(std::move(texture), data);
  if (drawn) {
    drawn_[key] = number;
  } else {
    known_[key] = {number, max_level};
  }
  return number;
}

// A texture of several samples a pixel has the content of targets, one for each of its layers. If the frame does not
// draw a layer, a target gets its content from before the frame.
std::optional<uint32_t> Textures::read_samples(const Context& context, GLuint name, bool is_array,
                                               CapturedTexture texture) {
  const KindNames& names = is_array ? kArrayOfSamples : names_of(TextureKind::multisampled);
  std::optional<Storage> storage;
  GLint layers = 1;
  {
    const DesktopTexture desktop(context, names, name);
    storage = storage_of(*desktop, names.level_target, 0);
    if (is_array) layers = level_value(names.level_target, 0, GL_TEXTURE_DEPTH);
  }
  if (!storage || layers < 1 || layers * GLint(kSampleLayers) > kMaxTargetLayers) return std::nullopt;
  for (GLint layer = 0; layer < layers; layer++) {
    const auto is_layer = [&](const TextureImage& image) { return image.layer == static_cast<uint32_t>(layer); };
    if (std::any_of(texture.images.begin(), texture.images.end(), is_layer)) continue;
    const std::optional<uint32_t> target = targets_.find_texture(context, name, names.target, 0, layer).target;
    if (!target) return std::nullopt;
    Targets::Planes planes{};
    for (size_t i = 0; i < kPlanes; i++) planes[i] = targets_[*target].images.planes[i].has_value();
    targets_.use(context, *target, planes);
  }
  const std::vector<TextureImage> of_layers = targets_.images_of_texture(context, name);
  if (of_layers.size() != static_cast<size_t>(layers)) return std::nullopt;
  const Target& target = frame_.targets[of_layers.front().target];
  texture.format = storage->format;
  texture.base = storage->base;
  texture.width = target.width;
  texture.height = target.height;
  texture.depth = is_array ? layers * GLint(kSampleLayers) : target.samples;
  texture.images.clear();
  for (const TextureImage& image : of_layers) {
    const auto samples = static_cast<uint32_t>(frame_.targets[image.target].samples);
    for (uint32_t sample = 0; sample < samples; sample++)
      texture.images.push_back({0, image.layer * kSampleLayers + sample, image.target, image.plane});
  }
  return add(std::move(texture), {});
}

void Textures::written(const Context& context, GLuint name) {
  for (size_t kind = 0; kind < std::size(kKinds); kind++) {
    known_.erase(name_of(context, static_cast<TextureKind>(kind), name));
  }
}

BoundTexture Textures::read(const Context& context, TextureKind kind, GLuint unit, bool array_of_samples) {
  Restore restore;
  restore.add([active = get_name(GL_ACTIVE_TEXTURE)] { GL(ActiveTexture)(active); });
  GL(ActiveTexture)(GL_TEXTURE0 + unit);
  const KindNames& names = array_of_samples ? kArrayOfSamples : names_of(kind);
  const GLuint name = get_name(names.binding);
  // A default texture may have no content from the application. In OpenGL ES, contexts do not share default textures.
  const bool has_no_default = kind == TextureKind::buffer || kind == TextureKind::multisampled || context.info.es;
  if (name == 0 && (has_no_default || level_value(names.level_target, 0, GL_TEXTURE_WIDTH) == 0)) return {};
  BoundTexture bound;
  if (const auto texture = read_texture(context, kind, name, array_of_samples)) {
    bound.texture = static_cast<int32_t>(*texture);
  } else {
    frame_.skipped_reasons["a texture of a format or size that the file does not hold"]++;
  }
  if (kind == TextureKind::buffer) return bound;
  if (clamps_mirrored(context, names.target))
    frame_.skipped_reasons["texture coordinates of GL_MIRROR_CLAMP_EXT, clamped to the texture's edge"]++;
  bound.sampler = add_sampler(read_sampler(context, names.target));
  return bound;
}

std::optional<uint32_t> Textures::generate(const Context& context, GLenum target) {
  const auto* const names = std::find_if(std::begin(kKinds), std::end(kKinds),
                                         [&](const KindNames& known) { return known.target == target; });
  const GLuint name = names == std::end(kKinds) ? 0 : get_name(names->binding);
  written(context, name);
  if (name == 0 || targets_.images_of_texture(context, name).empty()) return std::nullopt;
  const auto kind = static_cast<TextureKind>(names - std::begin(kKinds));
  drawn_.erase(name_of(context, kind, name));
  generated_.insert(name_of(context, kind, name));
  return read_texture(context, kind, name);
}

}  // namespace brokkr::capture
