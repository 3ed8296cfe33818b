// Attributes of samples, computed from the vertices of their primitive. The barycentric weights are
// perspective-correct, in homogeneous coordinates [Olano97]. They are taken relative to the sample, so that small
// triangles far from the origin keep their precision.
#pragma once

#include <type_traits>

#include "geometry/vertex.h"
#include "raster/kept_primitives.h"
#include "shader.h"

BROKKR_MACHINE_BEGIN

// Perspective-correct barycentric weights N_i / (N_0 + N_1 + N_2) of a sample. `dx` and `dy` are the derivatives of the
// numerators N_i.
struct Weights {
  Vec3<Warp> value, dx, dy;
  Float inverse;  // 1 / (N_0 + N_1 + N_2)
};

// x, y: the corners' window positions times w, relative to the sample.
template <class T>
BROKKR_FN Weights weights_at(const ClipVertexOf<T> (&corner)[3], const Float (&x)[3], const Float (&y)[3]) {
  Weights weights;
  const auto numerator = [&](int i, int j) { return x[i] * y[j] - x[j] * y[i]; };
  const Float n0 = numerator(1, 2), n1 = numerator(2, 0), n2 = numerator(0, 1);
  const Float sum = (n0 + n1) + n2;
  weights.inverse = 1.0f / select(sum == 0.0f, 1.0f, sum);
  weights.value = Vec3<Warp>(n0 * weights.inverse, n1 * weights.inverse, n2 * weights.inverse);
  // A step to the right subtracts w from every x.
  const auto along_x = [&](int i, int j) { return corner[j].w * y[i] - corner[i].w * y[j]; };
  const auto along_y = [&](int i, int j) { return corner[i].w * x[j] - corner[j].w * x[i]; };
  weights.dx = Vec3<Warp>(along_x(1, 2), along_x(2, 0), along_x(0, 1));
  weights.dy = Vec3<Warp>(along_y(1, 2), along_y(2, 0), along_y(0, 1));
  return weights;
}

BROKKR_FN Float mixed(const Vec3<Warp>& weights, Float p, Float q, Float r) {
  return (p * weights.x + q * weights.y) + r * weights.z;
}

// Interpolated texture coordinates and their derivatives, by the quotient rule.
template <class T>
BROKKR_FN Texcoords<Warp> mixed_texcoords(const Weights& weights, const T (&t)[3][2]) {
  Texcoords<Warp> result;
  result.at =
      Vec2<Warp>(mixed(weights.value, t[0][0], t[1][0], t[2][0]), mixed(weights.value, t[0][1], t[1][1], t[2][1]));
  const auto derivative = [&](const Vec3<Warp>& step) {
    const Float sum = (step.x + step.y) + step.z;
    const auto one = [&](int c, Float value) {
      return (mixed(step, t[0][c], t[1][c], t[2][c]) - value * sum) * weights.inverse;
    };
    return Vec2<Warp>(one(0, result.at.x), one(1, result.at.y));
  };
  result.dx = derivative(weights.dx);
  result.dy = derivative(weights.dy);
  return result;
}

BROKKR_FN bool is_textured(const FrameTables& frame, const MaterialRecord& material) {
  return frame.texcoords && material.textured != 0;
}

// Fills position, normal, texcoord and barycentric in `in`. Each lane has its own corners, or all lanes share them.
// Returns the weights.
template <class T>
BROKKR_FN Weights interpolate(const FrameTables& frame, const Run& run, const CornersOf<T>& corners,
                              const ClipVertexOf<T> (&corner)[3], ShaderInput<Warp>& in) {
  const DrawRecord& draw = *run.draw;
  Float x[3], y[3];
  for (int i = 0; i < 3; ++i) {
    x[i] = corner[i].x * draw.scale[0] + corner[i].w * (draw.offset[0] - in.x);
    y[i] = corner[i].y * draw.scale[1] + corner[i].w * (draw.offset[1] - in.y);
  }
  const Weights weights = weights_at(corner, x, y);
  in.barycentric = weights.value;

  if (!(draw.bits & kDrawMaterial)) {
    // Guesses eye space for captured clip-space positions, with a vertical field of view of 67 degrees.
    const float sy = 0.66f, sx = draw.scale[0] / (draw.scale[1] == 0.0f ? 1.0f : draw.scale[1]) * sy;
    Vec3<Warp> p[3];
    for (int i = 0; i < 3; ++i) p[i] = Vec3<Warp>(corner[i].x * sx, corner[i].y * sy, -corner[i].w);
    in.normal = cross(p[1] - p[0], p[2] - p[0]);
    in.position = Vec3<Warp>(mixed(weights.value, p[0].x, p[1].x, p[2].x), mixed(weights.value, p[0].y, p[1].y, p[2].y),
                             mixed(weights.value, p[0].z, p[1].z, p[2].z));
    const Float flip = select(dot(in.normal, in.position) > 0.0f, -1.0f, 1.0f);
    in.normal = in.normal * flip;
    return weights;
  }
  const auto attribute = [&](const auto& values, int c) {
    return mixed(weights.value, values[0][c], values[1][c], values[2][c]);
  };
  const float* model = frame.models + size_t(draw.first_instance + run.instance) * 16;
  const Vec3<Warp> p(attribute(corners.position, 0), attribute(corners.position, 1), attribute(corners.position, 2));
  const auto rotate = [&](const Vec3<Warp>& a, int row) {
    return (model[row] * a.x + model[4 + row] * a.y) + model[8 + row] * a.z;
  };
  in.position = Vec3<Warp>(rotate(p, 0) + model[12], rotate(p, 1) + model[13], rotate(p, 2) + model[14]);
  if (frame.normals) {
    const Vec3<Warp> n(attribute(corners.normal, 0), attribute(corners.normal, 1), attribute(corners.normal, 2));
    in.normal = Vec3<Warp>(rotate(n, 0), rotate(n, 1), rotate(n, 2));
  } else {
    in.normal = Vec3<Warp>(0.0f, 0.0f, 1.0f);
  }
  in.texcoord = in.texcoord_dx = in.texcoord_dy = Vec2<Warp>(0.0f, 0.0f);
  if (!is_textured(frame, *in.material)) return weights;
  const Texcoords<Warp> texcoords = mixed_texcoords(weights, corners.texcoord);
  in.texcoord = texcoords.at;
  in.texcoord_dx = texcoords.dx;
  in.texcoord_dy = texcoords.dy;
  return weights;
}

// Sets the lanes `which` of `to` to the corners of a primitive that they share. Sets normals and texture coordinates
// only if the draw has them.
template <class T>
BROKKR_FN void load_corners(const FrameTables& frame, const Run& run, const MaterialRecord* of_draw, uint32_t primitive,
                            Mask which, CornersOf<T>& to) {
  const DrawRecord& draw = *run.draw;
  const bool material = (draw.bits & kDrawMaterial) != 0;
  const bool normals = material && frame.normals, texcoords = material && is_textured(frame, *of_draw);
  const int components = draw.bits & kDrawTransform ? 3 : 4;
  uint32_t vertex[3];
  assemble_one(frame, draw, primitive - run.first_batch * kBatchTriangles, vertex);
  const auto set = [&](T& value, float one) {
    if constexpr (std::is_same_v<T, Float>)
      value = select(which, one, value);
    else
      value = one;
  };
  for (int i = 0; i < 3; ++i) {
    const size_t at = size_t(run.first_vertex) + vertex[i];
    for (int c = 0; c < components; ++c) set(to.position[i][c], vertex_word(frame.positions + (at * 4 + size_t(c))));
    for (int c = 0; c < 3 && normals; ++c) set(to.normal[i][c], frame.normals[at * 3 + size_t(c)]);
    for (int c = 0; c < 2 && texcoords; ++c) set(to.texcoord[i][c], frame.texcoords[at * 2 + size_t(c)]);
  }
}

template <class T>
BROKKR_FN void to_clip_space(const Run& run, const CornersOf<T>& corners, ClipVertexOf<T> (&corner)[3]) {
  for (int i = 0; i < 3; ++i) corner[i] = transform_vertex<T>(run, [&](int c) { return corners.position[i][c]; });
}

// Not inlined, because cache misses are rare.
BROKKR_FN_NOINLINE void keep_surface(const FrameTables& frame, const Run& run, const MaterialRecord* material,
                                     uint32_t primitive, OneSurface& to) {
  OneSurface one = {};
  load_corners(frame, run, material, primitive, true, one.object);
  to_clip_space(run, one.object, one.clip);
  to = one;
}
// Does the work of interpolate() for lanes that share a primitive, whose corners may be in the cache.
BROKKR_FN Weights interpolate_one(const FrameTables& frame, const Run& run, KeptSurfaces& kept, uint32_t primitive,
                                  ShaderInput<Warp>& in) {
  const uint32_t place = primitive % KeptSurfaces::kCount;
  OneSurface& one = kept.surface[place];
  if (kept.number[place] != primitive) {
    kept.number[place] = primitive;
    keep_surface(frame, run, in.material, primitive, one);
  }
  return interpolate(frame, run, one.object, one.clip, in);
}

// Fills color and second in `in` for lanes m.
BROKKR_FN void interpolate_colors(Warp& w, const FrameTables& frame, const Run& run, Mask m, const Weights& weights,
                                  ShaderInput<Warp>& in) {
  const bool material = (run.draw->bits & kDrawMaterial) != 0, colors = material && frame.colors;
  const bool second = material && frame.second_texcoords && in.material->second_texcoords != 0;
  in.color = Vec4<Warp>(1.0f, 1.0f, 1.0f, 1.0f);
  in.second.at = in.second.dx = in.second.dy = Vec2<Warp>(0.0f, 0.0f);
  if (!colors && !second) return;
  Float color[3][4], texcoord[3][2];
  for (int i = 0; i < 3; ++i) {
    for (Float& value : color[i]) value = 0.0f;
    for (Float& value : texcoord[i]) value = 0.0f;
  }
  const uint32_t base_primitive = run.first_batch * kBatchTriangles;
  w.for_distinct(in.primitive, m, [&](auto primitive, Mask same) {
    uint32_t vertex[3];
    assemble_one(frame, *run.draw, primitive - base_primitive, vertex);
    for (int i = 0; i < 3; ++i) {
      const size_t at = size_t(run.first_vertex) + vertex[i];
      for (size_t c = 0; c < 4 && colors; ++c) color[i][c] = select(same, frame.colors[at * 4 + c], color[i][c]);
      for (size_t c = 0; c < 2 && second; ++c)
        texcoord[i][c] = select(same, frame.second_texcoords[at * 2 + c], texcoord[i][c]);
    }
  });
  const auto channel = [&](int c) { return mixed(weights.value, color[0][c], color[1][c], color[2][c]); };
  if (colors) in.color = Vec4<Warp>(channel(0), channel(1), channel(2), channel(3));
  if (second) in.second = mixed_texcoords(weights, texcoord);
}

// Does the work of interpolate() for lanes m, each of which may have its own primitive.
BROKKR_FN Weights interpolate_each(Warp& w, const FrameTables& frame, const Run& run, Mask m, ShaderInput<Warp>& in) {
  CornersOf<Float> corners;
  // We avoid CornersOf{}, because GCC would zero memory and load it again.
  for (int i = 0; i < 3; ++i) {
    for (Float& value : corners.position[i]) value = 0.0f;
    for (Float& value : corners.normal[i]) value = 0.0f;
    for (Float& value : corners.texcoord[i]) value = 0.0f;
  }
  w.for_distinct(in.primitive, m, [&](auto primitive, Mask same) BROKKR_INLINE_LAMBDA {
    load_corners(frame, run, in.material, primitive, same, corners);
  });
  ClipVertex corner[3];
  to_clip_space(run, corners, corner);
  return interpolate(frame, run, corners, corner, in);
}

// Computes the surface for lanes m, whose primitives belong to `run`; kColors is that of ShaderTraits.
template <bool kColors>
BROKKR_FN void interpolate_surface(Warp& w, const FrameTables& frame, const Run& run, NoSurfaces&, Mask m,
                                   ShaderInput<Warp>& in) {
  const Weights weights = interpolate_each(w, frame, run, m, in);
  if constexpr (kColors) interpolate_colors(w, frame, run, m, weights, in);
}
// The same for warps whose lanes share primitives.
template <bool kColors>
BROKKR_FN void interpolate_surface(Warp& w, const FrameTables& frame, const Run& run, KeptSurfaces& kept, Mask m,
                                   ShaderInput<Warp>& in) {
  const uint32_t first = w.broadcast(in.primitive, lowest_bit(w.ballot(m)));
  const bool shared = !w.any(m && in.primitive != first);
  const Weights weights =
      shared ? interpolate_one(frame, run, kept, first, in) : interpolate_each(w, frame, run, m, in);
  if constexpr (kColors) interpolate_colors(w, frame, run, m, weights, in);
}

BROKKR_MACHINE_END
