// Textured Blinn-Phong: the material of OBJ scenes.
//
//   albedo = texture (linear light) or 1
//   color = emission + albedo * diffuse * (ambient / 4 + max(N.L, 0)) + specular * max(N.H, 0)^shininess
//   alpha = opacity * texture alpha; discarded below the cutoff
// Normals are turned towards the viewer.
#pragma once

#include "texture.h"

BROKKR_MACHINE_BEGIN

template <class W>
struct BlinnPhong : ShaderTraits {
  static constexpr bool kSurface = true, kMaterial = true;
  static constexpr int kParts = 6;
  struct Carried {
    Vec3<W> to_eye, normal, albedo;
    Texcoords<W> texcoord;
    TrilinearLookup diffuse;
    Float alpha, lambert, shine;  // shine: N.H, then its power
  };

  BROKKR_FN static void begin(const ShaderInput<W>& in, Carried& c) {
    c.to_eye = uniform3(in.view->eye) - in.position;
    c.normal = in.normal;
    if (in.material->textured != 0) c.texcoord = {in.texcoord, in.texcoord_dx, in.texcoord_dy};
  }

  template <int kPart>
  BROKKR_FN static void part(W& w, const ShaderUniforms& of, Mask active, Carried& c) {
    const MaterialRecord& material = *of.material;
    const int texture = material.diffuse_texture;
    if constexpr (kPart == 0) {
      if (texture >= 0) c.diffuse.measure(*of.frame, texture, c.texcoord);
    } else if constexpr (kPart == 1) {
      if (texture >= 0) c.diffuse.place(w, *of.frame, texture, c.texcoord, active);
    } else if constexpr (kPart == 2) {
      if (texture >= 0) c.diffuse.load(w, *of.frame, texture, active);
    } else if constexpr (kPart == 3) {
      c.albedo = Vec3<W>(Float(1.0f), Float(1.0f), Float(1.0f));
      c.alpha = material.opacity;
      if (texture >= 0) {
        const Vec4<W> texel = c.diffuse.mixed(w, *of.frame, texture, c.texcoord, active);
        c.albedo = Vec3<W>(texel.x, texel.y, texel.z);
        c.alpha = c.alpha * texel.w;
      }
      if (material.alpha_texture >= 0) {
        const Vec4<W> texel = sample_trilinear(w, *of.frame, material.alpha_texture, c.texcoord, active);
        c.alpha = c.alpha * texel.x;
      }
    } else if constexpr (kPart == 4) {
      const Vec3<W> view = normalize(c.to_eye), light = uniform3(of.frame->light);
      Vec3<W> normal = normalize(c.normal);
      normal = normal * select(dot(normal, view) < 0.0f, -1.0f, 1.0f);
      c.lambert = maximum(dot(normal, light), 0.0f);
      if (shines(w, material, active, c)) c.shine = maximum(dot(normal, normalize(light + view)), 0.0f);
    } else {
      c.shine = shines(w, material, active, c) ? pow_lanes(c.shine, material.shininess) : Float(0.0f);
    }
  }

  BROKKR_FN static Fragment<W> end(const ShaderUniforms& of, const Carried& c) {
    const MaterialRecord& material = *of.material;
    const Float lambert = c.lambert;
    Vec3<W> color =
        uniform3(material.emission) + c.albedo * uniform3(material.diffuse) *
                                          (uniform3(material.ambient) * 0.25f + Vec3<W>(lambert, lambert, lambert));
    if (has_specular(material)) color = color + uniform3(material.specular) * select(lambert > 0.0f, c.shine, 0.0f);
    const Mask keep = material.alpha_cutoff > 0.0f ? c.alpha >= material.alpha_cutoff : Mask(true);
    return {Vec4<W>(color.x, color.y, color.z, c.alpha), keep};
  }

  BROKKR_FN Fragment<W> operator()(W& w, const ShaderInput<W>& in, Mask active) const {
    return shade_in_parts<BlinnPhong>(w, in, active);
  }

 private:
  BROKKR_FN static bool has_specular(const MaterialRecord& material) {
    return material.specular[0] + material.specular[1] + material.specular[2] > 0.0f;
  }
  // True if light reaches any of the lanes, and the material reflects it. On CUDA the vote would need registers, so it
  // is left out.
  BROKKR_FN static bool shines(W& w, const MaterialRecord& material, Mask active, const Carried& c) {
    return has_specular(material) && (!Warp::takes_turns || w.any(active && c.lambert > 0.0f));
  }
};

BROKKR_MACHINE_END
