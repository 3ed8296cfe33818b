#include "formats/gltf_materials.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/failure.h"
#include "base/file_io.h"
#include "formats/image_io.h"

namespace brokkr {
namespace {

float unit(double value) { return float(std::clamp(value, 0.0, 1.0)); }

Wrap wrap_of(const GltfPart& sampler, const char* key) {
  switch (sampler.whole(key, 10497)) {
    case 10497: return Wrap::repeat;
    case 33648: return Wrap::mirrored_repeat;
    case 33071: return Wrap::clamp_to_edge;
    default: sampler.fail_at(key, "it is none of 10497, 33648 and 33071; export the file again");
  }
}

}  // namespace

GltfMaterials::Made GltfMaterials::make(uint64_t number, const GltfPart& from) {
  const auto found = made_.find(number);
  if (found != made_.end()) return found->second;
  static const GltfPart::Json kEmpty = GltfPart::Json::object();
  const GltfPart part =
      number == kGltfNone ? GltfPart(kEmpty, "default material") : data_.element("materials", number, from, "material");
  Made made;
  Material material = surface(part);
  const std::string mode = part.text("alphaMode", "OPAQUE");
  if (mode == "MASK") {
    material.alpha_cutoff = unit(part.number("alphaCutoff", 0.5));
  } else if (mode == "BLEND") {
    made.blended = true;
  } else if (mode != "OPAQUE") {
    part.fail_at("alphaMode", "it is none of OPAQUE, MASK and BLEND; export the file again");
  }
  made.opaque = mode == "OPAQUE";
  if (made.opaque) material.opacity = 1;
  made.two_sided = part.flag("doubleSided");
  made.second_texcoords = material.reads_second_texcoords();
  made.number = uint32_t(frame_.materials.size());
  frame_.materials.push_back(std::move(material));
  return made_.emplace(number, made).first->second;
}

Material GltfMaterials::surface(const GltfPart& part) {
  const GltfPart pbr = part.part("pbrMetallicRoughness"), extensions = part.part("extensions");
  const auto color = pbr.numbers<4>("baseColorFactor", {1, 1, 1, 1});
  const auto emission = part.numbers<3>("emissiveFactor", {0, 0, 0});
  const double strength =
      std::clamp(extensions.part("KHR_materials_emissive_strength").number("emissiveStrength", 1), 0.0, 1e4);
  const bool opaque = part.text("alphaMode", "OPAQUE") == "OPAQUE";
  Material m;
  m.name = part.text("name").substr(0, 256);
  m.kind = MaterialKind::metallic_roughness;
  m.diffuse = {unit(color[0]), unit(color[1]), unit(color[2])};
  m.opacity = unit(color[3]);
  m.emission = glm::vec3(unit(emission[0]), unit(emission[1]), unit(emission[2])) * float(strength);
  m.metallic = unit(pbr.number("metallicFactor", 1));
  m.roughness = unit(pbr.number("roughnessFactor", 1));
  m.unlit = extensions.has("KHR_materials_unlit");
  m.diffuse_texture = texture(pbr, "baseColorTexture", true, opaque, m.diffuse_mapping);
  if (m.unlit) return m;
  m.metallic_roughness_texture = texture(pbr, "metallicRoughnessTexture", false, true, m.metallic_roughness_mapping);
  m.normal_texture = texture(part, "normalTexture", false, true, m.normal_mapping);
  m.normal_scale = float(std::clamp(part.part("normalTexture").number("scale", 1), -1e4, 1e4));
  m.emission_texture = texture(part, "emissiveTexture", true, true, m.emission_mapping);
  m.occlusion_texture = texture(part, "occlusionTexture", false, true, m.occlusion_mapping);
  m.occlusion_strength = unit(part.part("occlusionTexture").number("strength", 1));
  return m;
}

// Number in the frame of the texture that `owner` names, -1 for none, and where it is read.
int GltfMaterials::texture(const GltfPart& owner, const char* key, bool srgb, bool opaque, TextureMapping& where) {
  if (!owner.has(key)) return -1;
  const GltfPart use = owner.part(key);
  const GltfPart texture = data_.element("textures", use.whole("index"), use, "index");
  if (!texture.has("source")) {
    warnings_.add("textures without a PNG or JPEG picture are not drawn");
    return -1;
  }
  where = mapping(use);
  const uint64_t source = texture.whole("source"), sampling = texture.whole("sampler", kGltfNone);
  const auto [found, is_new] =
      textures_.emplace(std::tuple(source, srgb, opaque, sampling), int(frame_.textures.size()));
  if (!is_new) return found->second;
  const GltfPart part = data_.element("images", source, texture, "source");
  Image image = read_image(data_.image(part), fmt::format("images {}", source), std::min(pixels_left_, kMaxImagePixels),
                           data_.loading());
  pixels_left_ -= image.texels.size();
  for (uint32_t& texel : image.texels) texel |= opaque ? 0xff000000u : 0;
  std::string name = part.text("name", fmt::format("image {}", source)).substr(0, 256);
  frame_.textures.push_back(
      {std::move(name), image.width, image.height, srgb, std::move(image.texels), sampler(texture)});
  return found->second;
}

// KHR_texture_transform moves coordinates of pictures whose rows run downwards: (u, v) -> translation * rotation *
// scale. In a Frame rows run upwards: v is 1 - v before and after.
TextureMapping GltfMaterials::mapping(const GltfPart& use) {
  constexpr double kMost = 1e6;
  TextureMapping result;
  const GltfPart transform = use.part("extensions").part("KHR_texture_transform");
  const uint64_t set = transform.whole("texCoord", use.whole("texCoord", 0));
  if (set > 1) warnings_.add("textures of TEXCOORD_2 and above are drawn with TEXCOORD_0");
  result.set = set == 1 ? 1 : 0;
  if (!use.part("extensions").has("KHR_texture_transform")) return result;
  auto offset = transform.numbers<2>("offset", {0, 0}), scale = transform.numbers<2>("scale", {1, 1});
  for (double* value : {&offset[0], &offset[1], &scale[0], &scale[1]}) *value = std::clamp(*value, -kMost, kMost);
  const double angle = transform.number("rotation", 0), c = std::cos(angle), s = std::sin(angle);
  // Rotation is counter-clockwise in a picture whose v runs downwards.
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
  result.wrap_x = wrap_of(part, "wrapS");
  result.wrap_y = wrap_of(part, "wrapT");
  const uint64_t magnify = part.whole("magFilter", kLinear), minify = part.whole("minFilter", kLinearMipLinear);
  if (magnify != kNearest && magnify != kLinear) {
    part.fail_at("magFilter", "it is neither 9728 nor 9729; export the file again");
  }
  result.magnify_linear = magnify == kLinear;
  if (minify == kNearest || minify == kLinear) {
    result.mip = MipFilter::none;
    result.minify_linear = minify == kLinear;
  } else if (minify >= kNearestMipNearest && minify <= kLinearMipLinear) {
    const uint64_t bits = minify - kNearestMipNearest;  // 1: linear in a level; 2: linear between levels
    result.mip = bits & 2 ? MipFilter::linear : MipFilter::nearest;
    result.minify_linear = (bits & 1) != 0;
  } else {
    part.fail_at("minFilter", "it is none of 9728, 9729 and 9984 to 9987; export the file again");
  }
  return result;
}

}  // namespace brokkr
