// Attributes of samples, computed from the vertices of their primitive. The barycentric weights are
// perspective-correct, in homogeneous coordinates [Olano97]. They are taken relative to the sample, so that small
// triangles far from the origin keep their precision.
#pragma once

#include <type_traits>

#include "geometry/vertex.h"
#include "raster/kept_primitives.h"
#include "raster/region.h"
#include "shader.h"

BROKKR_MACHINE_BEGIN

// Perspective-correct barycentric weights N_i / (N_0 + N_1 + N_2) of a sample. `dx` and `dy` are the derivatives of the
// numerators N_i.
struct Weights {
  Vec3<Warp> value, dx, dy;
  Float inverse;  // 1 / (N_0 + N_1 + N_2)
};

// x, y: the corners' window positions times w, relative to the sample. w: the corners' w.
template <class T>
BROKKR_FN Weights weights_at(const T (&w)[3], const Float (&x)[3], const Float (&y)[3]) {
  Weights weights;
  const auto numerator = [&](int i, int j) { return x[i] * y[j] - x[j] * y[i]; };
  const Float n0 = numerator(1, 2), n1 = numerator(2, 0), n2 = numerator(0, 1);
  const Float sum = (n0 + n1) + n2;
  weights.inverse = 1.0f / select(sum == 0.0f, 1.0f, sum);
  weights.value = Vec3<Warp>(n0 * weights.inverse, n1 * weights.inverse, n2 * weights.inverse);
  // A step to the right subtracts w from every x.
  const auto along_x = [&](int i, int j) { return w[j] * y[i] - w[i] * y[j]; };
  const auto along_y = [&](int i, int j) { return w[i] * x[j] - w[j] * x[i]; };
  weights.dx = Vec3<Warp>(along_x(1, 2), along_x(2, 0), along_x(0, 1));
  weights.dy = Vec3<Warp>(along_y(1, 2), along_y(2, 0), along_y(0, 1));
  return weights;
}

template <class T>
BROKKR_FN Weights weights_at(const ClipVertexOf<T> (&corner)[3], const Float (&x)[3], const Float (&y)[3]) {
  const T w[3] = {corner[0].w, corner[1].w, corner[2].w};
  return weights_at(w, x, y);
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

// Fills position and normal of captured clip-space positions: eye space with a vertical field of view of 67 degrees.
template <class Surface>
BROKKR_FN void guess_surface(const DrawRecord& draw, const Surface& surface, const Weights& weights,
                             ShaderInput<Warp>& in) {
  const float sy = 0.66f, sx = draw.scale[0] / (draw.scale[1] == 0.0f ? 1.0f : draw.scale[1]) * sy;
  Vec3<Warp> p[3];
  for (int i = 0; i < 3; ++i) {
    p[i] = Vec3<Warp>(surface.get([&](const auto& s) -> const auto& { return s.clip[i].x; }) * sx,
                      surface.get([&](const auto& s) -> const auto& { return s.clip[i].y; }) * sy,
                      -surface.get([&](const auto& s) -> const auto& { return s.clip[i].w; }));
  }
  in.normal = cross(p[1] - p[0], p[2] - p[0]);
  in.position = Vec3<Warp>(mixed(weights.value, p[0].x, p[1].x, p[2].x), mixed(weights.value, p[0].y, p[1].y, p[2].y),
                           mixed(weights.value, p[0].z, p[1].z, p[2].z));
  const Float flip = select(dot(in.normal, in.position) > 0.0f, -1.0f, 1.0f);
  in.normal = in.normal * flip;
}

// Fills position, normal, texcoord and barycentric in `in`. `surface` is a SurfaceOf, PickedSurfaces or
// SurfacesOfTable. Returns the weights.
template <class Surface>
BROKKR_FN_INLINE Weights interpolate(const FrameTables& frame, const Run& run, const Surface& surface,
                                     ShaderInput<Warp>& in) {
  const DrawRecord& draw = *run.draw;
  using T = decltype(surface.get([](const auto& s) -> const auto& { return s.clip[0].w; }));
  T clip_w[3];
  Float x[3], y[3];
  for (int i = 0; i < 3; ++i) {
    clip_w[i] = surface.get([&](const auto& s) -> const auto& { return s.clip[i].w; });
    T scaled_x = surface.get([&](const auto& s) -> const auto& { return s.clip[i].x; });
    T scaled_y = surface.get([&](const auto& s) -> const auto& { return s.clip[i].y; });
    if constexpr (!Surface::kIsScaled) {
      scaled_x = scaled_x * draw.scale[0];
      scaled_y = scaled_y * draw.scale[1];
    }
    x[i] = scaled_x + clip_w[i] * (draw.offset[0] - in.x);
    y[i] = scaled_y + clip_w[i] * (draw.offset[1] - in.y);
  }
  const Weights weights = weights_at(clip_w, x, y);
  in.barycentric = weights.value;

  if (!Surface::kHasMaterial && !(draw.bits & kDrawMaterial)) {
    guess_surface(draw, surface, weights, in);
    return weights;
  }
  const auto attribute = [&](auto&& corner_value) {
    return mixed(weights.value, surface.get([&](const auto& s) -> const auto& { return corner_value(s, 0); }),
                 surface.get([&](const auto& s) -> const auto& { return corner_value(s, 1); }),
                 surface.get([&](const auto& s) -> const auto& { return corner_value(s, 2); }));
  };
  const auto position = [&](int c) {
    return attribute([c](const auto& s, int i) -> const auto& { return s.position[i][c]; });
  };
  const auto normal = [&](int c) {
    return attribute([c](const auto& s, int i) -> const auto& { return s.normal[i][c]; });
  };
  const float* model = frame.models + size_t(draw.first_instance + run.instance) * 16;
  const Vec3<Warp> p(position(0), position(1), position(2));
  const auto rotate = [&](const Vec3<Warp>& a, int row) {
    return (model[row] * a.x + model[4 + row] * a.y) + model[8 + row] * a.z;
  };
  in.position = Vec3<Warp>(rotate(p, 0) + model[12], rotate(p, 1) + model[13], rotate(p, 2) + model[14]);
  if (frame.normals) {
    const Vec3<Warp> n(normal(0), normal(1), normal(2));
    in.normal = Vec3<Warp>(rotate(n, 0), rotate(n, 1), rotate(n, 2));
  } else {
    in.normal = Vec3<Warp>(0.0f, 0.0f, 1.0f);
  }
  in.texcoord = in.texcoord_dx = in.texcoord_dy = Vec2<Warp>(0.0f, 0.0f);
  if (!is_textured(frame, *in.material)) return weights;
  T texcoord[3][2];
  for (int i = 0; i < 3; ++i) {
    for (int c = 0; c < 2; ++c)
      texcoord[i][c] = surface.get([&](const auto& s) -> const auto& { return s.texcoord[i][c]; });
  }
  const Texcoords<Warp> texcoords = mixed_texcoords(weights, texcoord);
  in.texcoord = texcoords.at;
  in.texcoord_dx = texcoords.dx;
  in.texcoord_dy = texcoords.dy;
  return weights;
}

// Sets the lanes `which` of `surface` to the corners of a primitive that they share, in object space. Sets normals and
// texture coordinates only if the draw has them.
template <class T>
BROKKR_FN void load_corners(const FrameTables& frame, const Run& run, const MaterialRecord* material,
                            uint32_t primitive, Mask which, SurfaceOf<T>& surface) {
  const DrawRecord& draw = *run.draw;
  const bool has_material = (draw.bits & kDrawMaterial) != 0;
  const bool normals = has_material && frame.normals, texcoords = has_material && is_textured(frame, *material);
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
    const size_t index = size_t(run.first_vertex) + vertex[i];
    for (int c = 0; c < components; ++c)
      set(surface.position[i][c], vertex_word(frame.positions + (index * 4 + size_t(c))));
    for (int c = 0; c < 3 && normals; ++c) set(surface.normal[i][c], frame.normals[index * 3 + size_t(c)]);
    for (int c = 0; c < 2 && texcoords; ++c) set(surface.texcoord[i][c], frame.texcoords[index * 2 + size_t(c)]);
  }
}

template <class T>
BROKKR_FN void to_clip_space(const Run& run, SurfaceOf<T>& surface) {
  for (int i = 0; i < 3; ++i) surface.clip[i] = transform_vertex<T>(run, [&](int c) { return surface.position[i][c]; });
}

// Loads a primitive into its place of the cache. Not inlined, because most lookups find their primitive.
BROKKR_FN_NOINLINE void keep_surface(const FrameTables& frame, const Run& run, const MaterialRecord* material,
                                     uint32_t primitive, OneSurface& surface) {
  load_corners(frame, run, material, primitive, true, surface);
  to_clip_space(run, surface);
}

// The cache, for primitives of one run.
struct SurfacesOfRun {
  const FrameTables& frame;
  const Run& run;
  const MaterialRecord* material;
  KeptSurfaces& kept;

  BROKKR_FN const OneSurface& find(uint32_t primitive) const {
    const uint32_t place = primitive % KeptSurfaces::kCount;
    OneSurface& one = kept.surface[place];
    if (kept.number[place] != primitive) {
      kept.number[place] = primitive;
      keep_surface(frame, run, material, primitive, one);
    }
    return one;
  }
};

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
      const size_t index = size_t(run.first_vertex) + vertex[i];
      for (size_t c = 0; c < 4 && colors; ++c) color[i][c] = select(same, frame.colors[index * 4 + c], color[i][c]);
      for (size_t c = 0; c < 2 && second; ++c)
        texcoord[i][c] = select(same, frame.second_texcoords[index * 2 + c], texcoord[i][c]);
    }
  });
  const auto channel = [&](int c) { return mixed(weights.value, color[0][c], color[1][c], color[2][c]); };
  if (colors) in.color = Vec4<Warp>(channel(0), channel(1), channel(2), channel(3));
  if (second) in.second = mixed_texcoords(weights, texcoord);
}

// Does the work of interpolate() for lanes m, each of which may have its own primitive.
BROKKR_FN Weights interpolate_each(Warp& w, const FrameTables& frame, const Run& run, Mask m, ShaderInput<Warp>& in) {
  SurfaceOf<Float> surface;
  // We avoid SurfaceOf{}, because GCC would zero memory and load it again.
  for (int i = 0; i < 3; ++i) {
    for (Float& value : surface.position[i]) value = 0.0f;
    for (Float& value : surface.normal[i]) value = 0.0f;
    for (Float& value : surface.texcoord[i]) value = 0.0f;
  }
  w.for_distinct(in.primitive, m, [&](auto primitive, Mask same) BROKKR_INLINE_LAMBDA {
    load_corners(frame, run, in.material, primitive, same, surface);
  });
  to_clip_space(run, surface);
  return interpolate(frame, run, surface, in);
}

// Loads a primitive into a lane of the table.
BROKKR_FN void load_lane(const FrameTables& frame, const Run& run, const MaterialRecord& material, uint32_t primitive,
                         int lane, SurfaceTable& table) {
  const DrawRecord& draw = *run.draw;
  const int components = draw.bits & kDrawTransform ? 3 : 4;
  uint32_t vertex[3];
  assemble_one(frame, draw, primitive - run.first_batch * kBatchTriangles, vertex);
  for (int i = 0; i < 3; ++i) {
    const size_t index = size_t(run.first_vertex) + vertex[i];
    for (int c = 0; c < components; ++c)
      table.surfaces.position[i][c].set(lane, vertex_word(frame.positions + (index * 4 + size_t(c))));
    for (int c = 0; c < 3 && frame.normals; ++c)
      table.surfaces.normal[i][c].set(lane, frame.normals[index * 3 + size_t(c)]);
    for (int c = 0; c < 2 && is_textured(frame, material); ++c)
      table.surfaces.texcoord[i][c].set(lane, frame.texcoords[index * 2 + size_t(c)]);
  }
}

// Some samples of a tile and their primitives, which belong to one run.
template <int kVectors>
struct TileOfRun {
  int x0, y0;        // the tile's first sample
  uint64_t samples;  // one bit each
  const Uint (&primitives)[kVectors];

  BROKKR_FN uint32_t lanes(int vector) const {
    return uint32_t(samples >> (vector * kWidth) & (~uint64_t(0) >> (64 - kWidth)));
  }
};

// Interpolates the surfaces of samples whose run has a material. Each result is in `in` when done(i) is called for
// vector i.
template <bool kColors, int kVectors, class Done>
BROKKR_FN void interpolate_tile(Warp& w, const Run& run, const TileOfRun<kVectors>& tile, SurfaceTable& table,
                                ShaderInput<Warp>& in, Done&& done) {
  const FrameTables& frame = *in.frame;
  uint32_t primitives[SurfaceTable::kCount];
  Int place[kVectors];  // in the table
  for (int begin = 0; begin < kVectors;) {
    // As many vectors as have no more primitives than the table has lanes.
    int count = 0, end = begin;
    for (; end < kVectors; ++end) {
      uint32_t rest = tile.lanes(end);
      if (rest == 0) continue;
      const Uint lane_primitives = tile.primitives[end];
      Int number = 0;
      const int before = count;
      for (int k = 0; k < before && rest != 0; ++k) {
        const Mask same = lane_primitives == primitives[k];
        number = select(same, k, number);
        rest &= ~w.ballot(same);
      }
      while (rest != 0 && count < SurfaceTable::kCount) {
        primitives[count] = w.broadcast(lane_primitives, lowest_bit(rest));
        const Mask same = lane_primitives == primitives[count];
        number = select(same, count, number);
        rest &= ~w.ballot(same);
        ++count;
      }
      if (rest != 0) {
        count = before;
        break;
      }
      place[end] = number;
    }
    // Neighbouring tiles of a large triangle find it in the table.
    bool loads = false;
    for (int k = 0; k < count; ++k) {
      if (table.number[k] == primitives[k]) continue;
      loads = true;
      table.number[k] = primitives[k];
      load_lane(frame, run, *in.material, primitives[k], k, table);
    }
    for (int i = 0; i < 3 && loads; ++i) {
      const ClipVertex corner = transform_vertex(run, [&](int c) { return table.surfaces.position[i][c].lanes(); });
      table.surfaces.clip[i] = {w.spill(corner.x * run.draw->scale[0]), w.spill(corner.y * run.draw->scale[1]),
                                w.spill(corner.z), w.spill(corner.w)};
    }
    for (int i = begin; i < end; ++i) {
      const uint32_t some = tile.lanes(i);
      if (some == 0) continue;
      in.x = to_float(tile_x(w.lane()) + (tile_x(i * kWidth) + tile.x0)) + 0.5f;
      in.y = to_float(tile_y(w.lane()) + (tile_y(i * kWidth) + tile.y0)) + 0.5f;
      in.primitive = tile.primitives[i];
      const Weights weights = interpolate(frame, run, SurfacesOfTable{table, place[i]}, in);
      if constexpr (kColors) interpolate_colors(w, frame, run, w.lanes_of(some), weights, in);
      done(i);
    }
    begin = end;
  }
}

// Finds the primitives of lanes m, with their corners. Returns false if there are more than kMax, or if two of them
// have the same place in the cache.
template <int kMax>
BROKKR_FN bool pick_surfaces(Warp& w, const SurfacesOfRun& surfaces, Uint lane_primitives, Mask m,
                             PickedSurfaces<kMax>& picked) {
  static_assert(KeptSurfaces::kCount <= 32);
  uint32_t primitive[kMax], places = 0;
  int count = 0;
  Mask rest = m;
  for (; count < kMax && w.any(rest); ++count) {
    primitive[count] = w.broadcast(lane_primitives, lowest_bit(w.ballot(rest)));
    const uint32_t place = uint32_t(1) << primitive[count] % KeptSurfaces::kCount;
    if (places & place) return false;
    places |= place;
    picked.lanes[count] = rest && lane_primitives == primitive[count];
    rest = rest && !picked.lanes[count];
  }
  if (w.any(rest)) return false;
  for (int i = 0; i < count; ++i) picked.surfaces[i] = &surfaces.find(primitive[i]);
  for (int i = count; i < kMax; ++i) {
    picked.surfaces[i] = picked.surfaces[0];
    picked.lanes[i] = false;
  }
  return true;
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
  Weights weights;
  PickedSurfaces<4> some;
  const SurfacesOfRun surfaces{frame, run, in.material, kept};
  if (!w.any(m && in.primitive != first))
    weights = interpolate(frame, run, surfaces.find(first), in);
  else if (pick_surfaces(w, surfaces, in.primitive, m, some))
    weights = interpolate(frame, run, some, in);
  else
    weights = interpolate_each(w, frame, run, m, in);
  if constexpr (kColors) interpolate_colors(w, frame, run, m, weights, in);
}

BROKKR_MACHINE_END
