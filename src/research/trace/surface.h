// The surface that a ray hits: position, material, textures.
#pragma once

#include "brokkr/states.h"
#include "trace/ray.h"

BROKKR_MACHINE_BEGIN
namespace trace_machine {
using namespace material_word;

struct Texel {
  V3 color;
  Float alpha = 1.0f;
};

// Texel index i in a row of `size` texels under the sampler's wrap mode. wrap: Wrap.
BROKKR_FN Int wrapped_texel(Int i, Int size, Uint wrap) {
  const Int clamped = clamp_to(i, 0, size - 1);
  const Int twice = size + size;
  const Float turns = floor(to_float(i) / to_float(twice));
  const Int mirror = i - to_int(turns) * twice;  // 0 .. 2 size - 1
  const Int mirrored = clamp_to(select(mirror >= size, twice - 1 - mirror, mirror), 0, size - 1);
  const Float rounds = floor(to_float(i) / to_float(size));
  const Int repeated = clamp_to(i - to_int(rounds) * size, 0, size - 1);
  return select(wrap == uint32_t(Wrap::clamp_to_edge), clamped,
                select(wrap == uint32_t(Wrap::mirrored_repeat), mirrored, repeated));
}

// Bilinear lookup in linear light for lanes m, which must have a texture.
BROKKR_FN_NOINLINE Texel sample_texture(Warp& w, const SceneTables& scene, Uint texture, Float u, Float v, Mask m) {
  const auto field = [&](int k) { return gather_bits(w, scene.textures, texture, kTextureWords, k, m); };
  const Uint first = field(0), wrap_x = field(3), wrap_y = field(4);
  const Int width = maximum(as_int(field(1)), 1), height = maximum(as_int(field(2)), 1);
  const Mask srgb = field(5) != 0u;
  // Reduces large coordinates before they become integers: by whole pairs of repeats, because of mirroring.
  const auto near = [](Float c, Uint wrap) {
    const Mask clamps = wrap == uint32_t(Wrap::clamp_to_edge);
    const Float finite = select(is_finite(c), c, 0.0f);
    return select(clamps, clamp_to(finite, -1.0f, 2.0f), finite - floor(finite * 0.5f) * 2.0f);
  };
  const Float x = near(u, wrap_x) * to_float(width) - 0.5f, y = near(v, wrap_y) * to_float(height) - 0.5f;
  const Float fx = floor(x), fy = floor(y);
  const Float tx = x - fx, ty = y - fy;
  Texel sum{{0.0f, 0.0f, 0.0f}, 0.0f};
  for (int corner = 0; corner < 4; ++corner) {
    const int dx = corner & 1, dy = corner >> 1;
    const Int column = wrapped_texel(to_int(fx) + dx, width, wrap_x);
    const Int row = wrapped_texel(to_int(fy) + dy, height, wrap_y);
    const Uint texel = w.gather(scene.texels, as_int(first) + row * width + column, m);
    const Float weight = (dx != 0 ? tx : 1.0f - tx) * (dy != 0 ? ty : 1.0f - ty);
    const auto channel = [&](uint32_t shift) {
      const Int byte = as_int((texel >> shift) & 0xffu);
      return select(srgb, w.gather(scene.linear, byte, m), to_float(byte) * (1.0f / 255.0f));
    };
    sum.color = sum.color + V3{channel(0), channel(8), channel(16)} * weight;
    sum.alpha = sum.alpha + to_float(as_int(texel >> 24)) * (1.0f / 255.0f) * weight;
  }
  return sum;
}

struct Surface {
  V3 point, normal, geometric;  // normals are turned towards the ray's origin
  V3 diffuse, specular;         // colours of the two lobes
  Float alpha = 1.0f;           // GGX's
  V3 emission;
  Float light_density = 0.0f;
  Float opacity = 1.0f;
};

// Interpolated attributes of a hit.
class HitAttributes {
 public:
  BROKKR_FN HitAttributes(Warp& w, const SceneTables& scene, const Hit& hit, Mask m)
      : w_(w), s_(scene), corner_(hit.primitive * 3u), a_(1.0f - hit.u - hit.v), b_(hit.u), c_(hit.v), m_(m) {}
  // Interpolates `count` <= 4 floats from `word` of CornerRecord on.
  BROKKR_FN Float value(int word) const {
    return gather_word(w_, s_.corners, corner_, kCornerWords, word, m_) * a_ +
           gather_word(w_, s_.corners, corner_ + 1u, kCornerWords, word, m_) * b_ +
           gather_word(w_, s_.corners, corner_ + 2u, kCornerWords, word, m_) * c_;
  }
  // The texel that a material's mapping reads; white without a texture.
  BROKKR_FN Texel texel(Uint material, int mapping_word) const {
    Texel white{all_of(1.0f), 1.0f};
    const auto field = [&](int k) {
      return gather_word(w_, s_.materials, material, kMaterialWords, mapping_word + k, m_);
    };
    const Uint texture = as_uint(field(7));
    const Mask has = m_ && texture != kNone;
    if (!w_.any(has)) return white;
    const Mask second = as_uint(field(6)) != 0u;
    const Float u = select(second, value(5), value(3)), v = select(second, value(6), value(4));
    const Float x = u * field(0) + v * field(2) + field(4), y = u * field(1) + v * field(3) + field(5);
    const Texel texel = sample_texture(w_, s_, texture, x, y, has);
    return {select3(has, texel.color, white.color), select(has, texel.alpha, white.alpha)};
  }

 private:
  Warp& w_;
  const SceneTables& s_;
  Uint corner_;
  Float a_, b_, c_;
  Mask m_;
};

// The fraction 0..1 of rays that hit the surface at this point: 0 or 1 for cut-outs.
BROKKR_FN Float opacity_of(Warp& w, const SceneTables& scene, Uint material, const Texel& diffuse,
                           const HitAttributes& at, Mask m) {
  const auto field = [&](int k) { return gather_word(w, scene.materials, material, kMaterialWords, k, m); };
  const Mask reads = m && as_uint(field(kReadsAlpha)) != 0u;
  if (!w.any(reads)) return 1.0f;
  const Float alpha = field(kOpacity) * diffuse.alpha * at.texel(material, kAlphaMapping).color.x * at.value(10);
  const Float cutoff = field(kCutoff);
  const Float kept = select(cutoff > 0.0f, select(alpha >= cutoff, Float(1.0f), 0.0f), clamp_to(alpha, 0.0f, 1.0f));
  return select(reads, kept, 1.0f);
}

// Only the opacity, for shadow rays.
BROKKR_FN_NOINLINE Float find_opacity(Warp& w, const SceneTables& scene, const Hit& hit, Mask m) {
  const Uint material = gather_bits(w, scene.triangles, hit.primitive, kTriangleWords, 9, m);
  const Mask reads = m && gather_bits(w, scene.materials, material, kMaterialWords, kReadsAlpha, m) != 0u;
  if (!w.any(reads)) return 1.0f;
  const HitAttributes at(w, scene, hit, reads);
  return select(reads, opacity_of(w, scene, material, at.texel(material, kDiffuseMapping), at, reads), 1.0f);
}

BROKKR_FN_NOINLINE Surface find_surface(Warp& w, const SceneTables& scene, const Ray& ray, const Hit& hit, Mask m) {
  Surface s;
  const V3 e1 = gather3(w, scene.triangles, hit.primitive, kTriangleWords, 3, m);
  const V3 e2 = gather3(w, scene.triangles, hit.primitive, kTriangleWords, 6, m);
  const V3 corner = gather3(w, scene.triangles, hit.primitive, kTriangleWords, 0, m);
  s.point = corner + e1 * hit.u + e2 * hit.v;
  s.geometric = normalized(cross(e1, e2));
  s.geometric = select3(dot(s.geometric, ray.direction) > 0.0f, -s.geometric, s.geometric);
  const HitAttributes at(w, scene, hit, m);
  const V3 normal = normalized({at.value(0), at.value(1), at.value(2)});
  // The interpolated normal lies on the side of the surface that the ray sees; if it points away from the ray, it is
  // bent back.
  s.normal = select3(dot(normal, s.geometric) < 0.0f, -normal, normal);
  const Float facing = dot(s.normal, ray.direction);
  s.normal = normalized(select3(facing > -0.01f, s.normal - ray.direction * (facing + 0.01f), s.normal));

  const Uint material = gather_bits(w, scene.triangles, hit.primitive, kTriangleWords, 9, m);
  const auto field = [&](int k) { return gather_word(w, scene.materials, material, kMaterialWords, k, m); };
  const Texel diffuse = at.texel(material, kDiffuseMapping);
  const V3 base =
      V3{field(kBase), field(kBase + 1), field(kBase + 2)} * diffuse.color * V3{at.value(7), at.value(8), at.value(9)};
  const V3 specular{field(kSpecular), field(kSpecular + 1), field(kSpecular + 2)};
  const Float metallic = field(kMetallic);
  const Mask is_physical = metallic >= 0.0f;
  const Texel metal = at.texel(material, kMetalMapping);
  const Float metalness = metallic * metal.color.z;
  s.diffuse = select3(is_physical, base * (1.0f - metalness), base);
  s.specular = select3(is_physical, all_of(0.04f) + (base - all_of(0.04f)) * metalness, specular);
  const Float roughness = field(kRoughness) * select(is_physical, metal.color.y, 1.0f);
  s.alpha = maximum(roughness * roughness, 0.002f);
  s.emission =
      V3{field(kEmission), field(kEmission + 1), field(kEmission + 2)} * at.texel(material, kEmissionMapping).color;
  s.light_density = field(kLightDensity);
  s.opacity = opacity_of(w, scene, material, diffuse, at, m);
  return s;
}

}  // namespace trace_machine
BROKKR_MACHINE_END
