#include "shader/textures.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "base/loading.h"
#include "base/processors.h"
#include "frame/sample_layers.h"
#include "shader/texels.h"

namespace brokkr::shader {
namespace {

// For each channel of a base format, the stored channel that it is read from.
std::array<uint8_t, 4> channels_of(TexelBase base, DepthMode depth_mode) {
  constexpr uint8_t kZero = kChannelZero, kOne = kChannelOne;
  switch (base) {
    case TexelBase::red:
    case TexelBase::stencil: return {0, kZero, kZero, kOne};
    case TexelBase::rg: return {0, 1, kZero, kOne};
    case TexelBase::rgb: return {0, 1, 2, kOne};
    case TexelBase::rgba: return {0, 1, 2, 3};
    case TexelBase::alpha: return {kZero, kZero, kZero, 0};
    case TexelBase::luminance: return {0, 0, 0, kOne};
    case TexelBase::luminance_alpha: return {0, 0, 0, 1};
    case TexelBase::intensity: return {0, 0, 0, 0};
    case TexelBase::depth: break;
  }
  switch (depth_mode) {
    case DepthMode::luminance: return {0, 0, 0, kOne};
    case DepthMode::intensity: return {0, 0, 0, 0};
    case DepthMode::alpha: return {kZero, kZero, kZero, 0};
    case DepthMode::red: break;
  }
  return {0, kZero, kZero, kOne};
}

void set_channels(SampledRecord& record, const CapturedTexture& texture, const CapturedSampler& sampler) {
  const std::array<uint8_t, 4> base = channels_of(texture.base, sampler.depth_mode);
  for (size_t c = 0; c < 4; ++c) {
    const Swizzle channel = sampler.swizzle[c];
    record.channel[c] = channel == Swizzle::zero  ? kChannelZero
                        : channel == Swizzle::one ? kChannelOne
                                                  : base[size_t(channel)];
  }
}

// The border colour in the stored channels, clamped to the format's range.
void set_border(SampledRecord& record, const CapturedTexture& texture, const CapturedSampler& sampler) {
  glm::vec4 border = sampler.border;
  if (texture.base == TexelBase::alpha) border.x = border.w;
  if (texture.base == TexelBase::luminance_alpha) border.y = border.w;
  for (int c = 0; c < 4; ++c) {
    float v = border[c];
    if (is_unorm(texture.format)) v = std::clamp(v, 0.0f, 1.0f);
    if (is_snorm(texture.format)) v = std::clamp(v, -1.0f, 1.0f);
    const auto whole = [&](float low, float high) { return v > low ? std::min(v, high) : low; };  // NaN: low
    record.border[c] = record.type == SampledType::real      ? std::bit_cast<uint32_t>(v)
                       : record.type == SampledType::natural ? uint32_t(whole(0, 4294967040.0f))
                                                             : uint32_t(int32_t(whole(-2147483648.0f, 2147483520.0f)));
  }
}

bool has_plain_bytes(const SampledRecord& r) {
  const auto is_plain = [](TextureWrap wrap) {
    return wrap == TextureWrap::repeat || wrap == TextureWrap::clamp_to_edge;
  };
  return (r.kind == TextureKind::two || r.kind == TextureKind::cube) && r.type == SampledType::real &&
         (r.encoding == TexelEncoding::rgba8 || r.encoding == TexelEncoding::srgb8) && is_plain(r.wrap[0]) &&
         is_plain(r.wrap[1]);
}

// The number of samples of a pixel of a multisampled texture.
uint32_t samples_of(const CapturedTexture& texture) {
  uint32_t samples = 1;
  for (const TextureImage& image : texture.images) samples = std::max(samples, sample_of_layer(image.layer) + 1);
  return texture.stored ? kSampleLayers : samples;
}

SampledRecord record_of_pair(const CapturedTexture& texture, const TextureTexels& texels,
                             const CapturedSampler& sampler) {
  SampledRecord r{};
  r.kind = texels.kind;
  r.encoding = encoding_of(texture.format, sampler.srgb_decode);
  if (has_few_bits(r.encoding)) r.encoding = TexelEncoding::rgba8;
  r.type = type_of(texture.format);
  const bool filters = r.type == SampledType::real;  // integers are never filtered
  std::copy(sampler.wrap.begin(), sampler.wrap.end(), r.wrap);
  if (is_cube(r.kind)) std::fill(std::begin(r.wrap), std::end(r.wrap), TextureWrap::clamp_to_edge);
  r.magnify_linear = filters && sampler.magnify_linear;
  r.minify_linear = filters && sampler.minify_linear;
  r.mip = !filters && sampler.mip == MipFilter::linear ? MipFilter::nearest : sampler.mip;
  r.seamless = sampler.seamless;
  r.anisotropic = filters && sampler.anisotropy > 1 &&
                  (r.kind == TextureKind::two || r.kind == TextureKind::two_array || is_cube(r.kind));
  r.compares = sampler.compare.has_value() && texture.base == TexelBase::depth;
  r.compare = sampler.compare.value_or(CompareFunc::lequal);
  r.clamps_reference = is_unorm(texture.format);
  set_channels(r, texture, sampler);
  set_border(r, texture, sampler);
  const int last = int(texels.levels) - 1, base = std::clamp(sampler.base_level, 0, last);
  const TexelExtent extent = level_extent(texture, base);
  r.width = uint32_t(extent.width);
  r.height = uint32_t(extent.height);
  r.depth = uint32_t(extent.depth);
  r.levels = uint32_t(std::clamp(sampler.max_level, base, last) - base + 1);
  std::copy_n(texels.first + base, r.levels, r.first);
  // Layers of samples have one level; programs may ask for the number of samples.
  if (texture.kind == TextureKind::multisampled && texture.depth >= int(kSampleLayers)) r.levels = samples_of(texture);
  r.lod_min = sampler.lod_min;
  r.lod_max = sampler.lod_max;
  r.lod_bias = sampler.lod_bias;
  r.usual = has_plain_bytes(r) && r.magnify_linear && r.minify_linear;
  r.nearest = has_plain_bytes(r) && r.kind == TextureKind::two && !r.magnify_linear && !r.minify_linear;
  r.has_details = r.magnify_linear != r.minify_linear || (r.mip != MipFilter::none && r.levels > 1);
  return r;
}

// Assigns places to a texture's levels from `words` on, and advances `words` past them and one unused word. The unused
// word is needed because inactive lanes also read pairs of texels: the last texel and the next word
// (machine/near_words.h). That word must exist, and must not belong to a texture that another block writes.
TextureTexels place_texels(const CapturedTexture& texture, uint64_t& words) {
  // Samples are layers.
  TextureTexels texels{texture.kind == TextureKind::multisampled ? TextureKind::two_array : texture.kind,
                       encoding_of(texture.format, true),
                       uint32_t(texture.width),
                       uint32_t(texture.height),
                       uint32_t(texture.depth),
                       0,
                       {}};
  texels.levels = std::min(uint32_t(texture.levels), kMaxSampledLevels);
  for (uint32_t level = 0; level < texels.levels; ++level) {
    const TexelExtent extent = level_extent(texture, int(level));
    texels.first[level] = uint32_t(words);
    words += uint64_t(extent.width) * uint64_t(extent.height) * uint64_t(extent.depth) * words_of(texels.encoding);
    if (words > uint64_t(std::numeric_limits<int32_t>::max()))
      throw std::runtime_error("textures: shaders would read more than 8 GiB of texels; capture smaller textures");
  }
  ++words;
  return texels;
}

void add_images(const CapturedTexture& texture, uint32_t number, const TextureTexels& texels,
                std::vector<PublishedImage>& images) {
  for (const TextureImage& image : texture.images) {
    if (image.level >= texels.levels) continue;
    const TexelExtent extent = level_extent(texture, int(image.level));
    if (image.layer >= uint32_t(extent.depth)) continue;
    const uint64_t texel = uint64_t(image.layer) * uint64_t(extent.width) * uint64_t(extent.height);
    images.push_back({number, image.level, image.layer, image.target, image.plane,
                      texels.first[image.level] + uint32_t(texel) * words_of(texels.encoding), uint32_t(extent.width),
                      uint32_t(extent.height), texels.encoding,
                      uint8_t(texture.kind == TextureKind::multisampled ? sample_of_layer(image.layer) + 1 : 0)});
  }
}

// Rows of one layer of a level, decoded at once: their source in the frame and their destination in the shaders'
// texels.
struct Rows {
  TexelFormat format;
  const std::byte* data;
  int width, height;
  uint64_t first;  // first destination word
};

void add_rows(const Frame& frame, const CapturedTexture& texture, const TextureTexels& texels, std::vector<Rows>& all) {
  constexpr uint64_t kTexels = 1 << 16;  // texels per piece, which takes some tenths of a millisecond
  const TexelBlock block = texel_block(texture.format);
  const std::byte* data = frame.texture_data.data() + texture.first_byte;
  for (uint32_t level = 0; level < texels.levels; ++level) {
    const TexelExtent extent = level_extent(texture, int(level));
    const auto width = uint64_t(extent.width), edge = uint64_t(block.edge);
    const int max_rows = int(std::max<uint64_t>(kTexels / (width * edge), 1) * edge);
    uint64_t first = texels.first[level];
    for (int layer = 0; layer < extent.depth; ++layer) {
      for (int row = 0; row < extent.height; row += max_rows) {
        const int rows = std::min(max_rows, extent.height - row);
        all.push_back({texture.format, data, extent.width, rows, first});
        data += (width + edge - 1) / edge * ((uint64_t(rows) + edge - 1) / edge) * block.bytes;
        first += width * uint64_t(rows) * words_of(texels.encoding);
      }
    }
  }
}

const char* const kKindNames[] = {"1D",       "2D",       "3D",         "cube",   "rectangle",
                                  "1D array", "2D array", "cube array", "buffer", "multisampled"};
const char* const kTypeNames[] = {"floats", "ints", "uints"};

}  // namespace

bool is_held(const CapturedTexture& texture) {
  if (texture.stored) return true;
  // A layer of an array of multisampled textures has as many samples as its target; it has the first one at least.
  const bool layered = texture.kind == TextureKind::multisampled && texture.depth > int(kSampleLayers);
  for (uint32_t layer = 0; layer < uint32_t(texture.depth); layer += layered ? kSampleLayers : 1) {
    const auto draws = [&](const TextureImage& image) { return image.level == 0 && image.layer == layer; };
    if (std::none_of(texture.images.begin(), texture.images.end(), draws)) return false;
  }
  return true;
}

int32_t SampledTextures::record_of(const BoundTexture& bound) const {
  const auto found = numbers.find({bound.texture, bound.sampler});
  return found == numbers.end() ? -1 : found->second;
}

SampledTextures make_sampled_textures(const Frame& frame, Loading& loading) {
  SampledTextures made;
  made.textures.resize(frame.captured_textures.size());
  uint64_t words = 0;
  const auto add = [&](const std::vector<BoundTexture>& textures) {
    for (const BoundTexture& bound : textures) {
      if (bound.texture < 0 || made.record_of(bound) >= 0) continue;
      const auto number = uint32_t(bound.texture);
      const CapturedTexture& texture = frame.captured_textures[number];
      if (!is_held(texture)) continue;
      TextureTexels& texels = made.textures[number];
      if (texels.levels == 0) {
        texels = place_texels(texture, words);
        add_images(texture, number, texels, made.images);
      }
      const CapturedSampler sampler =
          bound.sampler < 0 ? CapturedSampler{} : frame.captured_samplers[size_t(bound.sampler)];
      made.numbers[{bound.texture, bound.sampler}] = int32_t(made.records.size());
      made.records.push_back(record_of_pair(texture, texels, sampler));
    }
  };
  for (const DrawInputs& inputs : frame.inputs) add(inputs.textures);
  for (const VertexInputs& inputs : frame.vertex_inputs) add(inputs.textures);
  loading.need(words * sizeof(uint32_t), "textures");
  if (words != 0) made.texels.resize(size_t(words) + kTexelWordsBeyond);
  std::vector<Rows> all;
  for (size_t i = 0; i < made.textures.size(); ++i) {
    const CapturedTexture& texture = frame.captured_textures[i];
    if (made.textures[i].levels != 0 && texture.stored) add_rows(frame, texture, made.textures[i], all);
  }
  const auto decode = [&](int i) {
    const Rows& rows = all[size_t(i)];
    decode_texels(rows.format, rows.data, rows.width, rows.height, 1, made.texels.data() + rows.first);
  };
  parallel_for(int(all.size()), usable_processors(), decode, [&](int i) { loading.look(uint64_t(i), all.size()); });
  return made;
}

std::string misfit(const SamplerInput& sampler, const SampledRecord& texture) {
  if (sampler.kind == texture.kind && fits(sampler.type, texture.type)) return {};
  const auto name = [](TextureKind kind, SampledType type) {
    return std::string(kKindNames[size_t(kind)]) + " of " + kTypeNames[size_t(type)];
  };
  return "'" + sampler.name + "' reads " + name(sampler.kind, sampler.type) + ", and is given " +
         name(texture.kind, texture.type);
}

}  // namespace brokkr::shader
