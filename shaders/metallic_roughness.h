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

  static constexpr int kParts = 7;

  // The material and orientation of the surface at the samples; `view` points to the eye.
  struct Surface {
    Vec3<W> base, normal, view;
    Float metallic, roughness;
  };
  // Cosines between normal, light, view and half vector, and the denominator of the lobe.
  struct Angles {
    Float nl, nv, vh, a2, spread;
  };
  struct Carried {
    Vec3<W> position, normal;
    Texcoords<W> first, second;
    TrilinearLookup base;
    Vec4<W> color;
    Surface surface;
    Vec3<W> emission, ambient;
    Float alpha, lobe;
    Angles angles;
  };

  BROKKR_FN static void begin(const ShaderInput<W>& in, Carried& c) {
    c.position = in.position;
    c.normal = in.normal;
    c.color = in.color;
    if (in.material->textured != 0) c.first = {in.texcoord, in.texcoord_dx, in.texcoord_dy};
    if (in.material->second_texcoords != 0) c.second = in.second;
  }

  template <int kPart>
  BROKKR_FN static void part(W& w, const ShaderUniforms& of, Mask active, Carried& c) {
    const MaterialRecord& material = *of.material;
    const int texture = material.diffuse_texture;
    if constexpr (kPart == 0) {
      if (texture >= 0) c.base.measure(*of.frame, texture, mapped(c.first, c.second, material.diffuse_mapping));
    } else if constexpr (kPart == 1) {
      if (texture >= 0)
        c.base.place(w, *of.frame, texture, mapped(c.first, c.second, material.diffuse_mapping), active);
    } else if constexpr (kPart == 2) {
      if (texture >= 0) c.base.load(w, *of.frame, texture, active);
    } else if constexpr (kPart == 3) {
      look_up(w, of, active, c);
    } else if (!material.unlit) {
      if constexpr (kPart == 4) turn(w, of, active, c);
      if constexpr (kPart == 5) c.angles = angles_of(c.surface, uniform3(of.frame->light));
      if constexpr (kPart == 6) c.lobe = lobe_of(c.angles);
    }
  }

  BROKKR_FN static Fragment<W> end(const ShaderUniforms& of, const Carried& c) {
    const MaterialRecord& material = *of.material;
    const Mask keep = material.alpha_cutoff > 0.0f ? c.alpha >= material.alpha_cutoff : Mask(true);
    const Vec3<W> color =
        material.unlit ? c.surface.base : c.emission + reflected(c.surface, c.angles, c.lobe, c.ambient);
    return {Vec4<W>(color.x, color.y, color.z, c.alpha), keep};
  }

  BROKKR_FN Fragment<W> operator()(W& w, const ShaderInput<W>& in, Mask active) const {
    return shade_in_parts<MetallicRoughness>(w, in, active);
  }

  // Texture coordinates as a mapping places them. They are the first or the second of two sets.
  BROKKR_FN static Texcoords<W> mapped(const Texcoords<W>& first, const Texcoords<W>& second,
                                       const MappingRecord& mapping) {
    Texcoords<W> c = mapping.set != 0 ? second : first;
    if (mapping.moves == 0) return c;
    const auto turned = [&](const Vec2<W>& v) {
      return Vec2<W>(v.x * mapping.linear[0] + v.y * mapping.linear[2],
                     v.x * mapping.linear[1] + v.y * mapping.linear[3]);
    };
    c = {turned(c.at), turned(c.dx), turned(c.dy)};
    c.at = Vec2<W>(c.at.x + mapping.offset[0], c.at.y + mapping.offset[1]);
    return c;
  }

 private:
  BROKKR_FN static Vec4<W> sample(W& w, const ShaderUniforms& of, int texture, const Texcoords<W>& c, Mask active) {
    return sample_trilinear(w, *of.frame, texture, c, active);
  }

  // Ends the lookup of the base colour and reads all other textures but that of the normal.
  BROKKR_FN static void look_up(W& w, const ShaderUniforms& of, Mask active, Carried& c) {
    const MaterialRecord& material = *of.material;
    const auto texel = [&](int texture, const MappingRecord& mapping) {
      return sample(w, of, texture, mapped(c.first, c.second, mapping), active);
    };
    Surface& s = c.surface;
    s.base = uniform3(material.diffuse) * Vec3<W>(c.color.x, c.color.y, c.color.z);
    c.alpha = c.color.w * material.opacity;
    if (material.diffuse_texture >= 0) {
      const Vec4<W> t = c.base.mixed(w, *of.frame, material.diffuse_texture,
                                     mapped(c.first, c.second, material.diffuse_mapping), active);
      s.base = s.base * Vec3<W>(t.x, t.y, t.z);
      c.alpha = c.alpha * t.w;
    }
    if (material.alpha_texture >= 0) c.alpha = c.alpha * sample(w, of, material.alpha_texture, c.first, active).x;
    if (material.unlit) return;
    s.metallic = material.metallic;
    s.roughness = material.roughness;
    if (material.metallic_roughness_texture >= 0) {
      const Vec4<W> t = texel(material.metallic_roughness_texture, material.metallic_roughness_mapping);
      s.roughness = s.roughness * t.y;
      s.metallic = s.metallic * t.z;
    }
    c.emission = uniform3(material.emission);
    if (material.emission_texture >= 0) {
      const Vec4<W> t = texel(material.emission_texture, material.emission_mapping);
      c.emission = c.emission * Vec3<W>(t.x, t.y, t.z);
    }
    c.ambient = uniform3(material.ambient) * 0.25f;
    if (material.occlusion_texture >= 0) {
      const Float open = texel(material.occlusion_texture, material.occlusion_mapping).x;
      c.ambient = c.ambient * (1.0f + (open - 1.0f) * material.occlusion_strength);
    }
  }

  // Finds the directions of the view and the normal.
  BROKKR_FN static void turn(W& w, const ShaderUniforms& of, Mask active, Carried& c) {
    const MaterialRecord& material = *of.material;
    Surface& s = c.surface;
    s.view = normalize(uniform3(of.view->eye) - c.position);
    const Vec3<W> normal = normalize(c.normal);
    s.normal = normal * select(dot(normal, s.view) < 0.0f, -1.0f, 1.0f);
    if (material.normal_texture >= 0) {
      const Texcoords<W> at = mapped(c.first, c.second, material.normal_mapping);
      s.normal = bend(w, material, c.position, s.normal, at, sample(w, of, material.normal_texture, at, active));
    }
  }

  BROKKR_FN static Angles angles_of(const Surface& s, const Vec3<W>& light) {
    constexpr float kSmallest = 0.045f;
    const Float roughness = clamp_to(s.roughness, kSmallest, 1.0f), a = roughness * roughness, a2 = a * a;
    const Vec3<W> half = normalize(light + s.view), crossed = cross(s.normal, half);
    const Float nh = dot(s.normal, half);
    // (N.H)^2 (a^2 - 1) + 1 without the cancellation near N = H: 1 - (N.H)^2 is the square of their cross product.
    return {dot(s.normal, light), maximum(dot(s.normal, s.view), 0.0f), saturate(dot(s.view, half)), a2,
            a2 * (nh * nh) + dot(crossed, crossed)};
  }

  // pi * D * V
  BROKKR_FN static Float lobe_of(const Angles& of) {
    const Float a2 = of.a2;
    const auto smith = [&](Float cosine) { return 1.0f / (cosine + sqrt(a2 + (1.0f - a2) * (cosine * cosine))); };
    return a2 / (of.spread * of.spread) * (smith(maximum(of.nl, 0.0f)) * smith(of.nv));
  }

  BROKKR_FN static Vec3<W> reflected(const Surface& s, const Angles& of, Float lobe, const Vec3<W>& ambient) {
    constexpr float kDielectric = 0.04f;
    const Float away = 1.0f - of.vh, away2 = away * away, away5 = away2 * away2 * away;
    const Float lit = maximum(of.nl, 0.0f);
    const Vec3<W> dielectric(kDielectric, kDielectric, kDielectric), one(1.0f, 1.0f, 1.0f);
    const Vec3<W> f0 = dielectric + (s.base - dielectric) * s.metallic;
    const Vec3<W> fresnel = f0 + (one - f0) * away5, diffuse = s.base * (1.0f - s.metallic);
    const Vec3<W> direct = (one - fresnel) * diffuse + fresnel * lobe;
    return ambient * (diffuse + f0) + direct * lit;
  }

  // Bends the normal by the texture's `texel`, which is at `c`. Lanes come as quads.
  BROKKR_FN static Vec3<W> bend(W& w, const MaterialRecord& material, const Vec3<W>& position, const Vec3<W>& normal,
                                const Texcoords<W>& c, const Vec4<W>& texel) {
    const auto change = [&](auto&& difference) {
      return Vec3<W>(difference(w, position.x), difference(w, position.y), difference(w, position.z));
    };
    const Vec3<W> dx = change([](W&o, Float v) { return ddx(o, v); }),
                  dy = change([](W&o, Float v) { return ddy(o, v); });
    const Vec3<W> across_x = cross(dy, normal), across_y = cross(normal, dx);
    const Vec3<W> tangent = across_x * c.dx.x + across_y * c.dy.x;
    const Vec3<W> bitangent = across_x * c.dx.y + across_y * c.dy.y;
    const Float longest = maximum(dot(tangent, tangent), dot(bitangent, bitangent));
    // A mirrored picture, such as that of a left-handed projection, reverses both axes.
    const Float side = select(dot(dx, across_x) < 0.0f, -1.0f, 1.0f);
    const Float scale = side * material.normal_scale / sqrt(maximum(longest, 1e-30f));
    const Float tx = (texel.x * 2.0f - 1.0f) * scale, ty = (texel.y * 2.0f - 1.0f) * scale;
    const Vec3<W> bent = tangent * tx + bitangent * ty + normal * (texel.z * 2.0f - 1.0f);
    return normalize(bent);
  }
};

BROKKR_MACHINE_END
