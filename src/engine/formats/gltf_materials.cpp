#include "formats/gltf_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/failure.h"
#include "base/file_io.h"

namespace brokkr {
namespace {

float unit(double value) { return float(std::clamp(value, 0.0, 1.0)); }

Wrap wrap_of(const GltfData& data, const GltfPart& sampler, const char* key) {
  switch (sampler.whole(key, 10497)) {
    case 10497: return Wrap::repeat;
    case 33648: return Wrap::mirrored_repeat;
    case 33071: return Wrap::clamp_to_edge;
    default:
      data.warn(fmt::format("{}, field '{}': it is not one of 10497, 33648 and 33071; repeated", sampler.place(), key));
      return Wrap::repeat;
  }
}

}  // namespace

GltfMaterials::Made GltfMaterials::make(uint64_t number, const GltfPart& referrer) {
  const auto found = made_.find(number);
  if (found != made_.end()) return found->second;
  try {
    return made_.emplace(number, read(number, referrer)).first->second;
  } catch (const LimitReached&) {
    throw;
  } catch (const std::runtime_error& problem) {
    data_.warn(std::string(problem.what()) + "; drawn with the default material");
    const Made made = read(kGltfNone, referrer);
    return made_.emplace(number, made).first->second;
  }
}

GltfMaterials::Made GltfMaterials::read(uint64_t number, const GltfPart& referrer) {
  static const GltfPart::Json kEmpty = GltfPart::Json::object();
  const GltfPart part = number == kGltfNone ? GltfPart(kEmpty, "default material")
                                            : data_.element("materials", number, referrer, "material");
  Made made;
  Material material = surface(part);
  const std::string mode = part.text("alphaMode", "OPAQUE");
  if (mode == "MASK") {
    material.alpha_cutoff = unit(part.number("alphaCutoff", 0.5));
  } else if (mode == "BLEND") {
    made.blended = true;
  } else if (mode != "OPAQUE") {
    data_.warn(part.place() + ", field 'alphaMode': it is not one of OPAQUE, MASK and BLEND; drawn opaque");
  }
  made.opaque = mode != "MASK" && mode != "BLEND";
  if (made.opaque) material.opacity = 1;
  made.two_sided = part.flag("doubleSided");
  made.second_texcoords = material.reads_second_texcoords();
  made.number = uint32_t(frame_.materials.size());
  frame_.materials.push_back(std::move(material));
  return made;
}

Material GltfMaterials::surface(const GltfPart& part) {
  const GltfPart pbr = part.part("pbrMetallicRoughness"), extensions = part.part("extensions");
  const auto color = pbr.numbers<4>("baseColorFactor", {1, 1, 1, 1});
  const auto emission = part.numbers<3>("emissiveFactor", {0, 0, 0});
  const double strength =
      std::clamp(extensions.part("KHR_materials_emissive_strength").number("emissiveStrength", 1), 0.0, 1e4);
  const std::string mode = part.text("alphaMode", "OPAQUE");
  const bool opaque = mode != "MASK" && mode != "BLEND";
  Material m;
  m.name = part.text("name").substr(0, 256);
  m.kind = MaterialKind::metallic_roughness;
  m.diffuse = {unit(color[0]), unit(color[1]), unit(color[2])};
  m.opacity = unit(color[3]);
  m.emission = glm::vec3(unit(emission[0]), unit(emission[1]), unit(emission[2])) * float(strength);
  m.metallic = unit(pbr.number("metallicFactor", 1));
  m.roughness = unit(pbr.number("roughnessFactor", 1));
  m.unlit = extensions.has("KHR_materials_unlit");
  if (extensions.has("KHR_materials_pbrSpecularGlossiness")) {
    specular_glossiness(extensions.part("KHR_materials_pbrSpecularGlossiness"), opaque, m);
  } else {
    const Channels channels = opaque ? Channels::opaque : Channels::all;
    m.diffuse_texture = texture(pbr, "baseColorTexture", true, channels, m.diffuse_mapping);
    if (!m.unlit) {
      m.metallic_roughness_texture =
          texture(pbr, "metallicRoughnessTexture", false, Channels::opaque, m.metallic_roughness_mapping);
    }
  }
  // If a picture determines a material's whole colour, the material's other values mean nothing without it.
  const GltfPart owner = extensions.has("KHR_materials_pbrSpecularGlossiness")
                             ? extensions.part("KHR_materials_pbrSpecularGlossiness")
                             : pbr;
  const bool wants_picture = owner.has("baseColorTexture") || owner.has("diffuseTexture");
  const bool has_color = owner.has("baseColorFactor") || owner.has("diffuseFactor");
  if (wants_picture && m.diffuse_texture < 0 && !has_color) {
    data_.warn(part.place() + ": without its picture it has no colour; drawn with the default material");
    Material plain;
    plain.name = m.name;
    plain.kind = MaterialKind::metallic_roughness;
    plain.diffuse = glm::vec3(1);
    plain.metallic = 1;
    return plain;
  }
  if (m.unlit) return m;
  m.normal_texture = texture(part, "normalTexture", false, Channels::opaque, m.normal_mapping);
  m.normal_scale = float(std::clamp(part.part("normalTexture").number("scale", 1), -1e4, 1e4));
  m.emission_texture = texture(part, "emissiveTexture", true, Channels::opaque, m.emission_mapping);
  m.occlusion_texture = texture(part, "occlusionTexture", false, Channels::opaque, m.occlusion_mapping);
  m.occlusion_strength = unit(part.part("occlusionTexture").number("strength", 1));
  return m;
}

// The older model, whose roughness is 1 - glossiness. A metal has no diffuse colour. Its base colour is the specular
// colour, and its metalness is the specular share of both colours.
void GltfMaterials::specular_glossiness(const GltfPart& part, bool opaque, Material& m) {
  const auto diffuse = part.numbers<4>("diffuseFactor", {1, 1, 1, 1});
  const auto specular = part.numbers<3>("specularFactor", {1, 1, 1});
  const bool has_maps = part.has("diffuseTexture") || part.has("specularGlossinessTexture");
  const double max_diffuse = std::max({diffuse[0], diffuse[1], diffuse[2]});
  const double max_specular = std::max({specular[0], specular[1], specular[2]});
  constexpr double kDielectric = 0.04;
  m.metallic = 0;
  if (!has_maps && max_specular > kDielectric && max_diffuse + max_specular > 0) {
    m.metallic = unit((max_specular - kDielectric) / (max_diffuse + max_specular));
  } else if (has_maps) {
    data_.warn(part.place() + ": specular colours are not drawn if there are pictures");
  }
  for (int i = 0; i < 3; i++) {
    const double mixed = diffuse[size_t(i)] * (1 - double(m.metallic)) + specular[size_t(i)] * double(m.metallic);
    m.diffuse[i] = unit(m.metallic > 0 ? mixed : diffuse[size_t(i)]);
  }
  if (!opaque) m.opacity = unit(diffuse[3]);
  const double glossiness = std::clamp(part.number("glossinessFactor", 1), 0.0, 1.0);
  m.roughness = unit(1 - glossiness);
  m.diffuse_texture =
      texture(part, "diffuseTexture", true, opaque ? Channels::opaque : Channels::all, m.diffuse_mapping);
  if (!part.has("specularGlossinessTexture")) return;
  m.metallic_roughness_texture =
      texture(part, "specularGlossinessTexture", false, Channels::glossiness, m.metallic_roughness_mapping);
  if (m.metallic_roughness_texture >= 0) m.roughness = 1;
  if (glossiness != 1) data_.warn(part.place() + ": glossinessFactor is taken as 1, because there is a picture");
}

// The number in the frame of the texture that `owner` names, or -1, and the place where it is read.
int GltfMaterials::texture(const GltfPart& owner, const char* key, bool srgb, Channels channels,
                           TextureMapping& where) {
  if (!owner.has(key)) return -1;
  try {
    const GltfPart use = owner.part(key);
    where = mapping(use);
    return load(use, data_.element("textures", use.whole("index"), use, "index"), srgb, channels);
  } catch (const LimitReached&) {
    throw;
  } catch (const std::runtime_error& problem) {
    data_.warn(std::string(problem.what()) + "; drawn without it");
    return -1;
  }
}

int GltfMaterials::load(const GltfPart& use, const GltfPart& texture, bool srgb, Channels channels) {
  // Extensions name pictures in other formats. `source` is the replacement if these cannot be read.
  uint64_t source = texture.whole("source", kGltfNone);
  for (const char* const extension :
       {"EXT_texture_webp", "KHR_texture_basisu", "MSFT_texture_dds", "EXT_texture_avif"}) {
    if (source == kGltfNone) source = texture.part("extensions").part(extension).whole("source", kGltfNone);
  }
  if (source == kGltfNone) use.fail_at("index", "the texture names no picture; export the file again");
  const uint64_t sampling = texture.whole("sampler", kGltfNone);
  const auto [found, is_new] = textures_.emplace(std::tuple(source, srgb, channels, sampling), -1);
  if (!is_new) return found->second;
  const GltfPart part = data_.element("images", source, texture, "source");
  const auto bytes = [&] {
    const std::span<const std::byte> file = data_.image(part);
    return std::vector<std::byte>(file.begin(), file.end());
  };
  const std::string uri = part.text("uri");
  const bool is_file = !uri.empty() && uri.find(':') == std::string::npos && uri.size() <= 256;
  const std::string place = fmt::format("images {}", source);
  std::optional<Image> image =
      read_picture(bytes, is_file ? uri : place, is_file ? place : "", pixels_left_, data_.loading());
  if (!image) return -1;
  for (uint32_t& texel : image->texels) {
    if (channels == Channels::opaque) texel |= 0xff000000u;
    if (channels == Channels::glossiness) texel = 0xff0000ffu | (255 - (texel >> 24)) << 8;
  }
  std::string name = part.text("name", fmt::format("image {}", source)).substr(0, 256);
  const Sampler sampling_of = sampler(texture);
  found->second = int(frame_.textures.size());
  frame_.textures.push_back(
      {std::move(name), image->width, image->height, srgb, std::move(image->texels), sampling_of});
  return found->second;
}

// KHR_texture_transform moves coordinates of pictures whose rows run downwards: (u, v) -> translation * rotation *
// scale. In a Frame, rows run upwards, so v is 1 - v before and after.
TextureMapping GltfMaterials::mapping(const GltfPart& use) {
  constexpr double kMaxShift = 1e6;
  TextureMapping result;
  const GltfPart transform = use.part("extensions").part("KHR_texture_transform");
  const uint64_t set = transform.whole("texCoord", use.whole("texCoord", 0));
  if (set > 1) data_.warn("textures of TEXCOORD_2 and above are drawn with TEXCOORD_0");
  result.set = set == 1 ? 1 : 0;
  if (!use.part("extensions").has("KHR_texture_transform")) return result;
  auto offset = transform.numbers<2>("offset", {0, 0}), scale = transform.numbers<2>("scale", {1, 1});
  for (double* value : {&offset[0], &offset[1], &scale[0], &scale[1]})
    *value = std::clamp(*value, -kMaxShift, kMaxShift);
  const double angle = transform.number("rotation", 0), c = std::cos(angle), s = std::sin(angle);
  // The rotation is counter-clockwise in a picture whose v runs downwards.
  const double uu = c * scale[0], uv = s * scale[1], vu = -s * scale[0], vv = c * scale[1];
  result.linear = glm::mat2(float(uu), float(-vu), float(-uv), float(vv));
  result.offset = glm::vec2(float(uv + offset[0]), float(1 - vv - offset[1]));
  return result;
}

Sampler GltfMaterials::sampler(const GltfPart& texture) const {
  constexpr uint64_t kNearest = 9728, kLinear = 9729, kNearestMipNearest = 9984, kLinearMipLinear = 9987;
  Sampler result;
  if (!texture.has("sampler")) return result;
  const GltfPart part = data_.element("samplers", texture.whole("sampler"), texture, "sampler");
  result.wrap_x = wrap_of(data_, part, "wrapS");
  result.wrap_y = wrap_of(data_, part, "wrapT");
  const uint64_t magnify = part.whole("magFilter", kLinear), minify = part.whole("minFilter", kLinearMipLinear);
  if (magnify != kNearest && magnify != kLinear) {
    data_.warn(part.place() + ", field 'magFilter': it is neither 9728 nor 9729; taken as 9729");
  }
  result.magnify_linear = magnify != kNearest;
  if (minify == kNearest || minify == kLinear) {
    result.mip = MipFilter::none;
    result.minify_linear = minify == kLinear;
  } else if (minify >= kNearestMipNearest && minify <= kLinearMipLinear) {
    const uint64_t bits = minify - kNearestMipNearest;  // 1: linear within a level; 2: linear between levels
    result.mip = bits & 2 ? MipFilter::linear : MipFilter::nearest;
    result.minify_linear = (bits & 1) != 0;
  } else {
    data_.warn(part.place() + ", field 'minFilter': it is not one of 9728, 9729 and 9984 to 9987; taken as 9987");
  }
  return result;
}

}  // namespace brokkr
