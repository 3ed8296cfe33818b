// Metallic-roughness: the material of glTF scenes, as [Gltf20, Appendix B] defines it.
//
//   a = roughness^2, diffuse = base * (1 - metallic), F0 = 0.04 + (base - 0.04) * metallic
//   D = a^2 / (pi * ((N.H)^2 * (a^2 - 1) + 1)^2)                                  GGX [Walter07, eq. 33]
//   V = 1 / (N.L + sqrt(a^2 + (1 - a^2) * (N.L)^2)), times the same for N.V       Smith [Walter07, eq. 34]
//   F = F0 + (1 - F0) * (1 - V.H)^5                                               [Schlick94, eq. 15]
//   color = emission + occlusion * ambient / 4 * (diffuse + F0) + pi * N.L * ((1 - F) * diffuse / pi + F * D * V)
//   alpha = opacity * texture alpha * vertex alpha; discarded below the cutoff
// The base colour is the product of the material's, its texture's and the vertices'. Textures are read where their
// mappings say.
// There is one light with radiance pi, so that white chalk that faces it is white, and ambient / 4 of this light comes
// from all sides.
// Roughness below 0.045 counts as 0.045: the light is a point, and its reflection would be smaller than a pixel.
// Normals are turned towards the viewer, then bent by the normal texture. The axes of that texture are the directions
// in which the texture coordinates grow [Schueler06].
#pragma once

#include "texture.h"

BROKKR_MACHINE_BEGIN

template <class W>
struct MetallicRoughness : ShaderTraits {
  static constexpr bool kSurface = true, kMaterial = true, kNormalMaps = true, kColors = true;

  // The material and orientation of the surface at the samples; `view` points to the eye.
  struct Surface {
    Vec3<W> base, normal, view;
    Float metallic, roughness;
  };

  BROKKR_FN static Texcoords<W> mapped(const ShaderInput<W>& in, const MappingRecord& mapping) {
    Texcoords<W> c{in.texcoord, in.texcoord_dx, in.texcoord_dy};
    if (mapping.set != 0) c = in.second;
    if (mapping.moves == 0) return c;
    const auto turned = [&](const Vec2<W>& v) {
      return Vec2<W>(v.x * mapping.linear[0] + v.y * mapping.linear[2],
                     v.x * mapping.linear[1] + v.y * mapping.linear[3]);
    };
    c = {turned(c.at), turned(c.dx), turned(c.dy)};
    c.at = Vec2<W>(c.at.x + mapping.offset[0], c.at.y + mapping.offset[1]);
    return c;
  }

  BROKKR_FN Fragment<W> operator()(W& w, const ShaderInput<W>& in, Mask active) const {
    const MaterialRecord& material = *in.material;
    const auto sample = [&](int texture, const Texcoords<W>& c) {
      return sample_trilinear(w, *in.frame, texture, c.at, c.dx, c.dy, active);
    };
    Surface surface{uniform3(material.diffuse) * Vec3<W>(in.color.x, in.color.y, in.color.z),
                    {},
                    {},
                    Float(material.metallic),
                    Float(material.roughness)};
    Float alpha = in.color.w * material.opacity;
    if (material.diffuse_texture >= 0) {
      const Vec4<W> texel = sample(material.diffuse_texture, mapped(in, material.diffuse_mapping));
      surface.base = surface.base * Vec3<W>(texel.x, texel.y, texel.z);
      alpha = alpha * texel.w;
    }
    if (material.alpha_texture >= 0) {
      alpha = alpha * sample(material.alpha_texture, {in.texcoord, in.texcoord_dx, in.texcoord_dy}).x;
    }
    const Mask keep = material.alpha_cutoff > 0.0f ? alpha >= material.alpha_cutoff : Mask(true);
    if (material.unlit) return {Vec4<W>(surface.base.x, surface.base.y, surface.base.z, alpha), keep};

    if (material.metallic_roughness_texture >= 0) {
      const Vec4<W> texel =
          sample(material.metallic_roughness_texture, mapped(in, material.metallic_roughness_mapping));
      surface.roughness = surface.roughness * texel.y;
      surface.metallic = surface.metallic * texel.z;
    }
    surface.view = normalize(uniform3(in.view->eye) - in.position);
    surface.normal = normalize(in.normal);
    surface.normal = surface.normal * select(dot(surface.normal, surface.view) < 0.0f, -1.0f, 1.0f);
    if (material.normal_texture >= 0) {
      const Texcoords<W> c = mapped(in, material.normal_mapping);
      surface.normal = bend(w, in, surface.normal, c, sample(material.normal_texture, c));
    }
    Vec3<W> color = uniform3(material.emission);
    if (material.emission_texture >= 0) {
      const Vec4<W> texel = sample(material.emission_texture, mapped(in, material.emission_mapping));
      color = color * Vec3<W>(texel.x, texel.y, texel.z);
    }
    Vec3<W> ambient = uniform3(material.ambient) * 0.25f;
    if (material.occlusion_texture >= 0) {
      const Float open = sample(material.occlusion_texture, mapped(in, material.occlusion_mapping)).x;
      ambient = ambient * (1.0f + (open - 1.0f) * material.occlusion_strength);
    }
    color = color + reflected(surface, uniform3(in.frame->light), ambient);
    return {Vec4<W>(color.x, color.y, color.z, alpha), keep};
  }

  BROKKR_FN static Vec3<W> reflected(const Surface& s, const Vec3<W>& light, const Vec3<W>& ambient) {
    constexpr float kSmallest = 0.045f, kDielectric = 0.04f;
    const Float roughness = clamp_to(s.roughness, kSmallest, 1.0f), a = roughness * roughness, a2 = a * a;
    const Vec3<W> half = normalize(light + s.view), crossed = cross(s.normal, half);
    const Float nl = dot(s.normal, light), nv = maximum(dot(s.normal, s.view), 0.0f);
    const Float nh = dot(s.normal, half), vh = saturate(dot(s.view, half));
    // (N.H)^2 (a^2 - 1) + 1 without the cancellation near N = H: 1 - (N.H)^2 is the square of their cross product.
    const Float spread = a2 * (nh * nh) + dot(crossed, crossed);
    const auto smith = [&](Float cosine) { return 1.0f / (cosine + sqrt(a2 + (1.0f - a2) * (cosine * cosine))); };
    const Float lobe = a2 / (spread * spread) * (smith(maximum(nl, 0.0f)) * smith(nv));  // pi * D * V
    const Float away = 1.0f - vh, away2 = away * away, away5 = away2 * away2 * away;
    const Float lit = maximum(nl, 0.0f);
    const Vec3<W> dielectric(kDielectric, kDielectric, kDielectric), one(1.0f, 1.0f, 1.0f);
    const Vec3<W> f0 = dielectric + (s.base - dielectric) * s.metallic;
    const Vec3<W> fresnel = f0 + (one - f0) * away5, diffuse = s.base * (1.0f - s.metallic);
    const Vec3<W> direct = (one - fresnel) * diffuse + fresnel * lobe;
    return ambient * (diffuse + f0) + direct * lit;
  }

  // Bends the normal by the texture's `texel`, which is at `c`. Lanes come as quads.
  BROKKR_FN static Vec3<W> bend(W& w, const ShaderInput<W>& in, const Vec3<W>& normal, const Texcoords<W>& c,
                                const Vec4<W>& texel) {
    const auto change = [&](auto&& difference) {
      return Vec3<W>(difference(w, in.position.x), difference(w, in.position.y), difference(w, in.position.z));
    };
    const Vec3<W> dx = change([](W&o, Float v) { return ddx(o, v); }),
                  dy = change([](W&o, Float v) { return ddy(o, v); });
    const Vec3<W> across_x = cross(dy, normal), across_y = cross(normal, dx);
    const Vec3<W> tangent = across_x * c.dx.x + across_y * c.dy.x;
    const Vec3<W> bitangent = across_x * c.dx.y + across_y * c.dy.y;
    const Float longest = maximum(dot(tangent, tangent), dot(bitangent, bitangent));
    // A mirrored picture, such as that of a left-handed projection, reverses both axes.
    const Float side = select(dot(dx, across_x) < 0.0f, -1.0f, 1.0f);
    const Float scale = side * in.material->normal_scale / sqrt(maximum(longest, 1e-30f));
    const Float tx = (texel.x * 2.0f - 1.0f) * scale, ty = (texel.y * 2.0f - 1.0f) * scale;
    const Vec3<W> bent = tangent * tx + bitangent * ty + normal * (texel.z * 2.0f - 1.0f);
    return normalize(bent);
  }
};

BROKKR_MACHINE_END
