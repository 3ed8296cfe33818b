// The scattering of light at surfaces: a diffuse lobe below a GGX lobe with Schlick's Fresnel term.
//
//   f = diffuse / pi * (1 - F(N.V)) * (1 - F(N.L)) + D(H) * G(L) * G(V) * F(V.H) / (4 N.L N.V)
//   F(c) = f0 + (f90 - f0) * (1 - c)^5, f90 = min(1, 50 * largest(f0))                         [Schlick94]
//   D and G are GGX's [Walter07, eq. 33 and 34]
// The diffuse lobe gets the light that the GGX lobe leaves on the way in and out, so energy is never gained; for f0 = 0
// this is Lambert's law. Sampling draws either normals visible from V [Heitz18] or cosine-distributed directions.
#pragma once

#include "brokkr/states.h"
#include "trace/ray.h"

// The surface that a ray hits: position, material, textures.

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
  const Uint first = field(texture_word::kFirst);
  const Uint wrap_x = field(texture_word::kWrapX), wrap_y = field(texture_word::kWrapY);
  const Int width = maximum(as_int(field(texture_word::kWidth)), 1);
  const Int height = maximum(as_int(field(texture_word::kHeight)), 1);
  const Mask srgb = field(texture_word::kSrgb) != 0u;
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
  Float alpha = 1.0f;           // alpha of GGX
  V3 emission;
  Float light_density = 0.0f;
  Float opacity = 1.0f;
};

// Interpolated attributes of a hit.
class HitAttributes {
 public:
  BROKKR_FN HitAttributes(Warp& w, const SceneTables& scene, const Hit& hit, Mask m)
      : w_(w), s_(scene), corner_(hit.primitive * 3u), a_(1.0f - hit.u - hit.v), b_(hit.u), c_(hit.v), m_(m) {}
  // Interpolates word `word` of CornerRecord.
  BROKKR_FN Float value(int word) const {
    return gather_word(w_, s_.corners, corner_, kCornerWords, word, m_) * a_ +
           gather_word(w_, s_.corners, corner_ + 1u, kCornerWords, word, m_) * b_ +
           gather_word(w_, s_.corners, corner_ + 2u, kCornerWords, word, m_) * c_;
  }
  BROKKR_FN V3 vector(int word) const { return {value(word), value(word + 1), value(word + 2)}; }
  // The texel that a material's mapping reads; white without a texture. `mapping`: one of material_word.
  BROKKR_FN Texel texel(Uint material, int mapping) const {
    Texel white{all_of(1.0f), 1.0f};
    const auto field = [&](int k) { return gather_word(w_, s_.materials, material, kMaterialWords, mapping + k, m_); };
    const Uint texture = as_uint(field(mapping_word::kTexture));
    const Mask has = m_ && texture != kNone;
    if (!w_.any(has)) return white;
    const Mask second = as_uint(field(mapping_word::kSet)) != 0u;
    const auto texcoord = [&](int k) {
      return select(second, value(corner_word::kSecond + k), value(corner_word::kTexcoord + k));
    };
    const Float u = texcoord(0), v = texcoord(1);
    const auto linear = [&](int k) { return field(mapping_word::kLinear + k); };
    const Float x = u * linear(0) + v * linear(2) + field(mapping_word::kOffset);
    const Float y = u * linear(1) + v * linear(3) + field(mapping_word::kOffset + 1);
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
  const Float alpha =
      field(kOpacity) * diffuse.alpha * at.texel(material, kAlphaMapping).color.x * at.value(corner_word::kColor + 3);
  const Float cutoff = field(kCutoff);
  const Float kept = select(cutoff > 0.0f, select(alpha >= cutoff, Float(1.0f), 0.0f), clamp_to(alpha, 0.0f, 1.0f));
  return select(reads, kept, 1.0f);
}

// Only the opacity, for shadow rays.
BROKKR_FN_NOINLINE Float find_opacity(Warp& w, const SceneTables& scene, const Hit& hit, Mask m) {
  const Uint material = gather_bits(w, scene.triangles, hit.primitive, kTriangleWords, triangle_word::kMaterial, m);
  const Mask reads = m && gather_bits(w, scene.materials, material, kMaterialWords, kReadsAlpha, m) != 0u;
  if (!w.any(reads)) return 1.0f;
  const HitAttributes at(w, scene, hit, reads);
  return select(reads, opacity_of(w, scene, material, at.texel(material, kDiffuseMapping), at, reads), 1.0f);
}

BROKKR_FN_NOINLINE Surface find_surface(Warp& w, const SceneTables& scene, const Ray& ray, const Hit& hit, Mask m) {
  Surface s;
  const V3 e1 = gather3(w, scene.triangles, hit.primitive, kTriangleWords, triangle_word::kEdge1, m);
  const V3 e2 = gather3(w, scene.triangles, hit.primitive, kTriangleWords, triangle_word::kEdge2, m);
  const V3 corner = gather3(w, scene.triangles, hit.primitive, kTriangleWords, triangle_word::kCorner, m);
  s.point = corner + e1 * hit.u + e2 * hit.v;
  s.geometric = normalized(cross(e1, e2));
  s.geometric = select3(dot(s.geometric, ray.direction) > 0.0f, -s.geometric, s.geometric);
  const HitAttributes at(w, scene, hit, m);
  const V3 normal = normalized(at.vector(corner_word::kNormal));
  // The interpolated normal lies on the side of the surface that the ray sees; if it points away from the ray, it is
  // bent back.
  s.normal = select3(dot(normal, s.geometric) < 0.0f, -normal, normal);
  const Float facing = dot(s.normal, ray.direction);
  s.normal = normalized(select3(facing > -0.01f, s.normal - ray.direction * (facing + 0.01f), s.normal));

  const Uint material = gather_bits(w, scene.triangles, hit.primitive, kTriangleWords, triangle_word::kMaterial, m);
  const auto field = [&](int k) { return gather_word(w, scene.materials, material, kMaterialWords, k, m); };
  const Texel diffuse = at.texel(material, kDiffuseMapping);
  const V3 base = V3{field(kBase), field(kBase + 1), field(kBase + 2)} * diffuse.color * at.vector(corner_word::kColor);
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

// Low-discrepancy points: the first two dimensions of Sobol's sequence, Owen-scrambled by hashing, and padded: each
// pair of dimensions has its own order and scrambling [Burley20]. Also converts points to directions.

BROKKR_MACHINE_BEGIN
namespace trace_machine {

struct V2 {
  Float x, y;
};

BROKKR_FN Uint reversed_bits(Uint x) {
  x = (x << 16) | (x >> 16);
  x = ((x & 0x00ff00ffu) << 8) | ((x & 0xff00ff00u) >> 8);
  x = ((x & 0x0f0f0f0fu) << 4) | ((x & 0xf0f0f0f0u) >> 4);
  x = ((x & 0x33333333u) << 2) | ((x & 0xccccccccu) >> 2);
  return ((x & 0x55555555u) << 1) | ((x & 0xaaaaaaaau) >> 1);
}
// Owen scrambling of a bit-reversed number by a hash in which each bit depends only on lower bits [Laine11, 3.1].
BROKKR_FN Uint scrambled_reversed(Uint x, Uint seed) {
  x = x ^ (x * 0x3d20adeau);
  x = x + seed;
  x = x * ((seed >> 16) | 1u);
  x = x ^ (x * 0x05526c56u);
  return x ^ (x * 0x53a22864u);
}
BROKKR_FN Float unit_of(Uint bits) { return to_float(as_int(bits >> 8)) * (1.0f / 16777216.0f); }

// The random numbers of one pixel. `pixel` is a hash of the pixel and the picture's seed.
class Sampler {
 public:
  BROKKR_FN Sampler(Uint pixel, Uint sample) : pixel_(pixel), reversed_(reversed_bits(sample)) {}

  // The sample's point in dimension pair `pair`.
  BROKKR_FN V2 point(Uint pair) const {
    const Uint seed = hash_lanes(pixel_ ^ (pair * 0x9e3779b9u + 0x85ebca6bu));
    const Uint i = reversed_bits(scrambled_reversed(reversed_, seed));
    // Sobol's second matrix is Pascal's triangle modulo 2: five exchanges of bits.
    Uint j = i ^ ((i >> 1) & 0x55555555u);
    j = j ^ ((j >> 2) & 0x33333333u);
    j = j ^ ((j >> 4) & 0x0f0f0f0fu);
    j = j ^ ((j >> 8) & 0x00ff00ffu);
    j = j ^ ((j >> 16) & 0x0000ffffu);
    const Uint second = hash_lanes(seed ^ 0x68bc21ebu), third = hash_lanes(seed ^ 0x02e5be93u);
    return {unit_of(reversed_bits(scrambled_reversed(i, second))),
            unit_of(reversed_bits(scrambled_reversed(j, third)))};
  }

 private:
  Uint pixel_, reversed_;
};

// Sine and cosine of 2 pi x for x in [0, 1): polynomials on an eighth of the circle, with an error below 1e-6.
struct SinCos {
  Float sine, cosine;
};
BROKKR_FN SinCos sin_cos_turn(Float x) {
  const Float quarter = floor(x * 4.0f + 0.5f);
  const Float a = (x - quarter * 0.25f) * 6.28318530717958648f;  // -pi/4 .. pi/4
  const Float q = a * a;
  const Float s = a * (1.0f + q * (-1.0f / 6.0f + q * (1.0f / 120.0f + q * (-1.0f / 5040.0f))));
  const Float c = 1.0f + q * (-0.5f + q * (1.0f / 24.0f + q * (-1.0f / 720.0f + q * (1.0f / 40320.0f))));
  const Int n = to_int(quarter) & 3;
  const Mask odd = n == 1 || n == 3;
  const Float sine = select(odd, c, s), cosine = select(odd, s, c);
  return {select(n >= 2, -sine, sine), select(n == 1 || n == 2, -cosine, cosine)};
}

// A point of the unit disk, uniform by area.
BROKKR_FN V2 disk_point(V2 u) {
  const Float r = sqrt(u.x);
  const SinCos turn = sin_cos_turn(u.y);
  return {r * turn.cosine, r * turn.sine};
}

// Two axes that form a right-handed frame with n [Duff17].
struct Axes {
  V3 a, b, n;
  BROKKR_FN V3 to_world(V3 vector) const { return a * vector.x + b * vector.y + n * vector.z; }
  BROKKR_FN V3 to_local(V3 vector) const { return {dot(vector, a), dot(vector, b), dot(vector, n)}; }
};
BROKKR_FN Axes axes_around(V3 n) {
  const Float sign = select(n.z < 0.0f, -1.0f, Float(1.0f));
  const Float a = -1.0f / (sign + n.z);
  const Float b = n.x * n.y * a;
  return {{1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}, n};
}

}  // namespace trace_machine
BROKKR_MACHINE_END

BROKKR_MACHINE_BEGIN
namespace trace_machine {

BROKKR_CONSTANT float kPi = 3.14159265358979f;

// Directions are in the surface's local frame from here on: z is the normal. `view` points to where the light goes.
class Scattering {
 public:
  BROKKR_FN Scattering(const Surface& s, V3 view) : s_(s), view_(view), alpha2_(s.alpha * s.alpha) {
    f90_ = minimum(largest(s.specular) * 50.0f, 1.0f);
    const Float mirror = luminance(fresnel(view.z)), matte = luminance(s.diffuse) * (1.0f - mirror);
    // Proportional to the light that the specular lobe carries, but never zero if the lobe carries any.
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
    const Float nl = maximum(l.z, 1e-6f), nv = maximum(view_.z, 1e-6f);
    const V3 h = normalized(l + view_);
    const Float vh = maximum(dot(view_, h), 0.0f);
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
    // Samples a normal that is visible from `view`: a point of the stretched hemisphere around it [Heitz18, listing 1].
    const V3 stretched = normalized({view_.x * s_.alpha, view_.y * s_.alpha, view_.z});
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
    const V3 gloss = h * (2.0f * dot(view_, h)) - view_;
    return select3(which < specular_part_, gloss, matte);
  }

 private:
  const Surface& s_;
  V3 view_;
  Float alpha2_, f90_, specular_part_;
};

}  // namespace trace_machine
BROKKR_MACHINE_END
