// The colour of a surface without light: the material's colour times the colours of its texture and its vertices.
#pragma once

#include "metallic_roughness.h"

BROKKR_MACHINE_BEGIN

template <class W>
struct Albedo : ShaderTraits {
  static constexpr bool kSurface = true, kMaterial = true, kColors = true;
  BROKKR_FN Fragment<W> operator()(W& w, const ShaderInput<W>& in, Mask active) const {
    const MaterialRecord& material = *in.material;
    const auto sample = [&](int texture, const Texcoords<W>& c) {
      return sample_trilinear(w, *in.frame, texture, c, active);
    };
    Vec3<W> color = uniform3(material.diffuse) * Vec3<W>(in.color.x, in.color.y, in.color.z);
    Float alpha = in.color.w * material.opacity;
    if (material.diffuse_texture >= 0) {
      const Vec4<W> texel =
          sample(material.diffuse_texture, MetallicRoughness<W>::mapped({in.texcoord, in.texcoord_dx, in.texcoord_dy},
                                                                        in.second, material.diffuse_mapping));
      color = color * Vec3<W>(texel.x, texel.y, texel.z);
      alpha = alpha * texel.w;
    }
    if (material.alpha_texture >= 0)
      alpha = alpha * sample(material.alpha_texture, {in.texcoord, in.texcoord_dx, in.texcoord_dy}).x;
    const Mask keep = material.alpha_cutoff > 0.0f ? alpha >= material.alpha_cutoff : Mask(true);
    return {Vec4<W>(color.x, color.y, color.z, alpha), keep};
  }
};

BROKKR_MACHINE_END
