// How surfaces scatter light: a diffuse lobe below a GGX lobe with Schlick's Fresnel term.
//
//   f = diffuse / pi * (1 - F(N.V)) * (1 - F(N.L)) + D(H) * G(L) * G(V) * F(V.H) / (4 N.L N.V)
//   F(c) = f0 + (f90 - f0) * (1 - c)^5, f90 = min(1, 50 * largest(f0))                         [Schlick94]
//   D and G are those of GGX [Walter07, eq. 33 and 34]
// The diffuse lobe gets the light that the GGX lobe leaves on the way in and out, so energy is never gained; for f0 = 0
// this is Lambert's law. Sampling draws either normals visible from V [Heitz18] or cosine-distributed directions.
#pragma once

#include "trace/sampling.h"
#include "trace/surface.h"

BROKKR_MACHINE_BEGIN
namespace trace_machine {

BROKKR_CONSTANT float kPi = 3.14159265358979f;

// Directions are in the surface's local frame from here on: z is the normal. v points to where the light goes.
class Scattering {
 public:
  BROKKR_FN Scattering(const Surface& s, V3 v) : s_(s), v_(v), alpha2_(s.alpha * s.alpha) {
    f90_ = minimum(largest(s.specular) * 50.0f, 1.0f);
    const Float mirror = luminance(fresnel(v.z)), matte = luminance(s.diffuse) * (1.0f - mirror);
    // Proportional to the light that the lobe carries, but never zero for a lobe that carries some.
    const Float part = mirror / maximum(mirror + matte, 1e-8f);
    specular_part_ = select(f90_ > 0.0f, clamp_to(part, 0.1f, 1.0f), 0.0f);
    specular_part_ = select(matte > 0.0f, minimum(specular_part_, 0.9f), specular_part_);
  }

  BROKKR_FN V3 fresnel(Float c) const {
    const Float x = clamp_to(1.0f - c, 0.0f, 1.0f), x2 = x * x;
    return s_.specular + (all_of(f90_) - s_.specular) * (x2 * x2 * x);
  }
  BROKKR_FN Float reflected(Float c) const { return 2.0f * c / (c + sqrt(alpha2_ + (1.0f - alpha2_) * c * c)); }  // G

  struct Value {
    V3 color;       // f * N.L
    Float density;  // density with which `choose` returns l
  };
  BROKKR_FN Value value(V3 l) const {
    const Float nl = maximum(l.z, 1e-6f), nv = maximum(v_.z, 1e-6f);
    const V3 h = normalized(l + v_);
    const Float vh = maximum(dot(v_, h), 0.0f);
    const Float nh2 = h.z * h.z;
    const Float spread = nh2 * (alpha2_ - 1.0f) + 1.0f;
    const Float d = alpha2_ / (kPi * spread * spread);
    const Float gv = reflected(nv), gl = reflected(nl);
    const V3 through = (all_of(1.0f) - fresnel(nv)) * (all_of(1.0f) - fresnel(nl));
    const V3 matte = s_.diffuse * through * (nl * (1.0f / kPi));
    const Mask shines = f90_ > 0.0f;
    const V3 gloss = fresnel(vh) * select(shines, d * gl * gv / (4.0f * nv), 0.0f);
    const Float seen = d * gv / (4.0f * nv);  // density of l if its half vector is a visible normal
    const Float density = specular_part_ * seen + (1.0f - specular_part_) * nl * (1.0f / kPi);
    const Mask above = l.z > 0.0f;
    return {select3(above, matte + gloss, {0.0f, 0.0f, 0.0f}), select(above, density, 0.0f)};
  }

  // Samples a direction from three numbers in [0, 1).
  BROKKR_FN V3 choose(Float which, V2 u) const {
    const V2 p = disk_point(u);
    const V3 matte{p.x, p.y, sqrt(maximum(1.0f - u.x, 0.0f))};
    // Samples a normal visible from v: a point of the stretched hemisphere around v [Heitz18, listing 1].
    const V3 stretched = normalized({v_.x * s_.alpha, v_.y * s_.alpha, v_.z});
    const Float across2 = stretched.x * stretched.x + stretched.y * stretched.y;
    const Float scale = 1.0f / sqrt(maximum(across2, 1e-20f));
    const Mask tilted = across2 > 1e-12f;
    const V3 t1 = select3(tilted, {-stretched.y * scale, stretched.x * scale, 0.0f}, {1.0f, 0.0f, 0.0f});
    const V3 t2 = cross(stretched, t1);
    const Float side = 0.5f * (1.0f + stretched.z);
    const Float y = (1.0f - side) * sqrt(maximum(1.0f - p.x * p.x, 0.0f)) + side * p.y;
    const Float z = sqrt(maximum(1.0f - p.x * p.x - y * y, 0.0f));
    const V3 n = t1 * p.x + t2 * y + stretched * z;
    const V3 h = normalized({n.x * s_.alpha, n.y * s_.alpha, maximum(n.z, 1e-6f)});
    const V3 gloss = h * (2.0f * dot(v_, h)) - v_;
    return select3(which < specular_part_, gloss, matte);
  }

 private:
  const Surface& s_;
  V3 v_;
  Float alpha2_, f90_, specular_part_;
};

}  // namespace trace_machine
BROKKR_MACHINE_END
