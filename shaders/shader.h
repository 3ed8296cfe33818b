// The inputs and outputs of a shader. A shader is a struct template over the warp type W. It is derived from
// ShaderTraits and has
//
//   Fragment<W> operator()(W& w, const ShaderInput<W>& in, Mask active) const;
//
// It may use every lane operation of the machine model. docs/guide/shading-modes.md explains how to write one.
#pragma once

#include <utility>

#include "frame/frame_tables.h"
#include "machine/machine.h"

BROKKR_MACHINE_BEGIN

// Vectors of lane values. They are not GLM types, because GLM puts components into unions. Lane types do not fit into
// these unless a definition changes every GLM type of the program.
template <class W>
struct Vec2 {
  typename W::Float x, y;
  Vec2() = default;
  BROKKR_FN Vec2(typename W::Float x_, typename W::Float y_) : x(x_), y(y_) {}
};
template <class W>
struct Vec3 {
  typename W::Float x, y, z;
  Vec3() = default;
  BROKKR_FN Vec3(typename W::Float x_, typename W::Float y_, typename W::Float z_) : x(x_), y(y_), z(z_) {}
};
template <class W>
struct Vec4 {
  typename W::Float x, y, z, w;
  Vec4() = default;
  BROKKR_FN Vec4(typename W::Float x_, typename W::Float y_, typename W::Float z_, typename W::Float w_)
      : x(x_), y(y_), z(z_), w(w_) {}
};

BROKKR_FN Vec3<Warp> operator+(const Vec3<Warp>& a, const Vec3<Warp>& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
BROKKR_FN Vec3<Warp> operator-(const Vec3<Warp>& a, const Vec3<Warp>& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
BROKKR_FN Vec3<Warp> operator*(const Vec3<Warp>& a, const Vec3<Warp>& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
BROKKR_FN Vec3<Warp> operator*(const Vec3<Warp>& a, Float s) { return {a.x * s, a.y * s, a.z * s}; }

// A shader redeclares the traits that apply to it. The host knows the traits as well (raster/shading_traits.h).
struct ShaderTraits {
  static constexpr bool kSurface = false;         // needs interpolated position, normal and texture coordinates
  static constexpr bool kMaterial = false;        // needs a material and may discard; captured draws get LitDraw
  static constexpr bool kDerivatives = false;     // uses ddx or ddy: its lanes come as quads
  static constexpr bool kNormalMaps = false;      // the same, but only for materials with a normal texture
  static constexpr bool kDrawNumber = false;      // needs in.draw_number; kSurface includes it
  static constexpr bool kBatchNumber = false;     // needs in.batch_number
  static constexpr bool kTriangleNumber = false;  // needs in.primitive to be the triangle's number in the whole frame
  static constexpr bool kOverdraw = false;        // fragments are counted, for Layer::overdraw
  // Needs interpolated in.color and in.second; requires kMaterial.
  static constexpr bool kColors = false;
};

// Texture coordinates, and their change to the next sample to the right and upwards.
template <class W>
struct Texcoords {
  Vec2<W> at, dx, dy;
};

// Values that all lanes share. Shaders without kSurface have the frame only; lanes of the others belong to one run.
struct ShaderUniforms {
  const FrameTables* frame;
  const DrawRecord* draw;
  const MaterialRecord* material;
  const ViewRecord* view;
};

template <class W>
struct ShaderInput : ShaderUniforms {
  typename W::Float x, y, z;   // sample centre in pixels, depth in [0, 1]
  typename W::Uint primitive;  // primitive id
  typename W::Uint draw_number, batch_number;
  Vec3<W> position;  // world space; clip x, y, w of captured draws
  Vec3<W> normal;    // world space, not unit length; of the face for captured draws
  Vec2<W> texcoord;
  Vec2<W> texcoord_dx,
      texcoord_dy;      // change of texcoord to the next sample to the right and upwards; textured materials only
  Texcoords<W> second;  // second set; kColors only, 0 if the material reads none of them
  Vec4<W> color;        // vertex colour; kColors only, white if vertices have none
  Vec3<W> barycentric;  // perspective-correct weights of the primitive's corners
};

template <class W>
struct Fragment {
  Vec4<W> color;          // linear red, green, blue; alpha
  typename W::Mask keep;  // false: discarded
};

// A shader with kSurface may divide its work into parts:
//
//   struct Carried;                                       what the parts hand on
//   static constexpr int kParts;
//   static void begin(const ShaderInput<W>& in, Carried& carried);
//   template <int kPart> static void part(W& w, const ShaderUniforms& of, Mask active, Carried& carried);
//   static Fragment<W> end(const ShaderUniforms& of, const Carried& carried);
//
// A CPU runs each part for all vectors of a tile before the next part. The results of a vector's long chains of
// operations, as of a division after a square root, are then ready when the next part needs them. A part that is too
// long hides the next vector from the processor.
template <class Shader>
concept HasParts = requires {
  typename Shader::Carried;
};

// Runs the parts of a shader one after another.
template <class Shader>
BROKKR_FN Fragment<Warp> shade_in_parts(Warp& w, const ShaderInput<Warp>& in, Mask active) {
  typename Shader::Carried carried;
  Shader::begin(in, carried);
  [&]<int... kPart>(std::integer_sequence<int, kPart...>) BROKKR_INLINE_LAMBDA {
    (Shader::template part<kPart>(w, in, active, carried), ...);
  }
  (std::make_integer_sequence<int, Shader::kParts>());
  return Shader::end(in, carried);
}

BROKKR_FN Float dot(const Vec3<Warp>& a, const Vec3<Warp>& b) { return (a.x * b.x + a.y * b.y) + a.z * b.z; }
BROKKR_FN Vec3<Warp> cross(const Vec3<Warp>& a, const Vec3<Warp>& b) {
  return Vec3<Warp>(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
BROKKR_FN Vec3<Warp> normalize(const Vec3<Warp>& a) { return a * (1.0f / sqrt(maximum(dot(a, a), 1e-30f))); }
BROKKR_FN Vec3<Warp> uniform3(const float* v) { return Vec3<Warp>(Float(v[0]), Float(v[1]), Float(v[2])); }

// Differences inside a 2x2 quad. Lanes 4 q .. 4 q + 3 are its lower left, lower right, upper left and upper right
// samples.
BROKKR_FN Float ddx(Warp& w, Float v) { return w.shuffle(v, w.lane() | 1) - w.shuffle(v, w.lane() & ~1); }
BROKKR_FN Float ddy(Warp& w, Float v) { return w.shuffle(v, w.lane() | 2) - w.shuffle(v, w.lane() & ~2); }

// A pleasant colour for an identifier: its hash determines hue and brightness.
BROKKR_FN Vec3<Warp> palette(Uint id) {
  const Uint h = hash_lanes(id + 0x9e3779b9u);
  const Float hue = to_float(as_int(h & 0xffff)) * (1.0f / 65536.0f);
  const Float value = 0.62f + to_float(as_int((h >> 16) & 0xff)) * (0.38f / 255.0f);
  const auto channel = [&](float shift) {
    const Float t = absolute(fraction(hue + shift) * 6.0f - 3.0f) - 1.0f;
    return (0.35f + 0.65f * saturate(t)) * value;
  };
  return Vec3<Warp>(channel(1.0f), channel(2.0f / 3.0f), channel(1.0f / 3.0f));
}

BROKKR_MACHINE_END
