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
  BROKKR_FN Fragment<W> operator()(W& w, const ShaderInput<W>& in, Mask active) const {
    const MaterialRecord& material = *in.material;
    Vec3<W> albedo(Float(1.0f), Float(1.0f), Float(1.0f));
    Float alpha(material.opacity);
    if (material.diffuse_texture >= 0) {
      const Vec4<W> texel =
          sample_trilinear(w, *in.frame, material.diffuse_texture, in.texcoord, in.texcoord_dx, in.texcoord_dy, active);
      albedo = Vec3<W>(texel.x, texel.y, texel.z);
      alpha = alpha * texel.w;
    }
    if (material.alpha_texture >= 0) {
      alpha =
          alpha *
          sample_trilinear(w, *in.frame, material.alpha_texture, in.texcoord, in.texcoord_dx, in.texcoord_dy, active).x;
    }
    const Vec3<W> view = normalize(uniform3(in.view->eye) - in.position);
    Vec3<W> normal = normalize(in.normal);
    const Float side = select(dot(normal, view) < 0.0f, -1.0f, 1.0f);
    normal = normal * side;
    const Vec3<W> light = uniform3(in.frame->light);
    const Float lambert = maximum(dot(normal, light), 0.0f);
    Vec3<W> color =
        uniform3(material.emission) +
        albedo * uniform3(material.diffuse) * (uniform3(material.ambient) * 0.25f + Vec3<W>(lambert, lambert, lambert));
    if (material.specular[0] + material.specular[1] + material.specular[2] > 0.0f) {
      const Float gloss = pow_lanes(maximum(dot(normal, normalize(light + view)), 0.0f), material.shininess);
      color = color + uniform3(material.specular) * select(lambert > 0.0f, gloss, 0.0f);
    }
    const Mask keep = material.alpha_cutoff > 0.0f ? alpha >= material.alpha_cutoff : Mask(true);
    return {Vec4<W>(color.x, color.y, color.z, alpha), keep};
  }
};

BROKKR_MACHINE_END
