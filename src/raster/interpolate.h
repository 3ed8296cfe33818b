// Attributes of samples, recomputed from the vertices of their primitive: perspective-correct barycentrics in
// homogeneous coordinates (Olano and Greer 1997), taken relative to the sample so that small triangles far
// from the origin keep their precision.
#pragma once

#include "geometry/vertex.h"
#include "shader.h"

BROKKR_MACHINE_BEGIN

// Barycentric weights at (dx, dy) samples from where x, y (window position times w, relative to the sample)
// were taken.
BROKKR_FN Vec3<Warp> weights(const ClipVertex (&v)[3], const Float (&x)[3], const Float (&y)[3], Float dx,
                             Float dy) {
  Float px[3], py[3];
  for (int i = 0; i < 3; ++i) {
    px[i] = x[i] - v[i].w * dx;
    py[i] = y[i] - v[i].w * dy;
  }
  const Float b0 = px[1] * py[2] - px[2] * py[1], b1 = px[2] * py[0] - px[0] * py[2],
              b2 = px[0] * py[1] - px[1] * py[0];
  const Float sum = (b0 + b1) + b2;
  const Float inverse = Float(1.0f) / select(sum == Float(0.0f), Float(1.0f), sum);
  return Vec3<Warp>(b0 * inverse, b1 * inverse, b2 * inverse);
}

// Fills position, normal and texcoord of `in`. `corner(i, base, stride, c)` is component c of corner i in
// an array of `stride` floats per vertex.
template <class Attribute>
BROKKR_FN void interpolate(const FrameTables& frame, const Run& run, Attribute&& corner,
                           ShaderInput<Warp>& in) {
  const DrawRecord& draw = *run.draw;
  ClipVertex v[3];
  for (int i = 0; i < 3; ++i) {
    v[i] = transform_vertex(run, [&](int c) { return corner(i, frame.positions, 4, c); });
  }

  Float x[3], y[3];
  for (int i = 0; i < 3; ++i) {
    x[i] = v[i].x * Float(draw.scale[0]) + v[i].w * (Float(draw.offset[0]) - in.x);
    y[i] = v[i].y * Float(draw.scale[1]) + v[i].w * (Float(draw.offset[1]) - in.y);
  }
  in.barycentric = weights(v, x, y, Float(0.0f), Float(0.0f));
  const auto mix = [&](Float p, Float q, Float r) {
    return (p * in.barycentric.x + q * in.barycentric.y) + r * in.barycentric.z;
  };

  if (!(draw.bits & kDrawMaterial)) {
    // A guess at eye space for captured clip positions: 67 degrees of vertical field of view.
    const Float sx = Float(draw.scale[0] / (draw.scale[1] == 0.0f ? 1.0f : draw.scale[1]) * 0.66f),
                sy = Float(0.66f);
    Vec3<Warp> p[3];
    for (int i = 0; i < 3; ++i) p[i] = Vec3<Warp>(v[i].x * sx, v[i].y * sy, -v[i].w);
    in.normal = cross(p[1] - p[0], p[2] - p[0]);
    in.position =
        Vec3<Warp>(mix(p[0].x, p[1].x, p[2].x), mix(p[0].y, p[1].y, p[2].y), mix(p[0].z, p[1].z, p[2].z));
    const Float flip = select(dot(in.normal, in.position) > Float(0.0f), Float(-1.0f), Float(1.0f));
    in.normal = scale(in.normal, flip);
    return;
  }
  const auto attribute = [&](const float* base, int stride, int component) {
    return mix(corner(0, base, stride, component), corner(1, base, stride, component),
               corner(2, base, stride, component));
  };
  const float* model = frame.models + size_t(draw.first_instance + run.instance) * 16;
  const Vec3<Warp> p(attribute(frame.positions, 4, 0), attribute(frame.positions, 4, 1),
                     attribute(frame.positions, 4, 2));
  const auto rotate = [&](const Vec3<Warp>& a, int row) {
    return (Float(model[row]) * a.x + Float(model[4 + row]) * a.y) + Float(model[8 + row]) * a.z;
  };
  in.position = Vec3<Warp>(rotate(p, 0) + Float(model[12]), rotate(p, 1) + Float(model[13]),
                           rotate(p, 2) + Float(model[14]));
  if (frame.normals) {
    const Vec3<Warp> n(attribute(frame.normals, 3, 0), attribute(frame.normals, 3, 1),
                       attribute(frame.normals, 3, 2));
    in.normal = Vec3<Warp>(rotate(n, 0), rotate(n, 1), rotate(n, 2));
  } else {
    in.normal = Vec3<Warp>(Float(0.0f), Float(0.0f), Float(1.0f));
  }
  const Vec2<Warp> zero(Float(0.0f), Float(0.0f));
  in.texcoord = in.texcoord_dx = in.texcoord_dy = zero;
  if (!frame.texcoords || (in.material->diffuse_texture < 0 && in.material->alpha_texture < 0)) return;
  Vec2<Warp> uv[3];
  for (int i = 0; i < 3; ++i)
    uv[i] = Vec2<Warp>(corner(i, frame.texcoords, 2, 0), corner(i, frame.texcoords, 2, 1));
  const auto mix_uv = [&](const Vec3<Warp>& b) {
    return Vec2<Warp>((uv[0].x * b.x + uv[1].x * b.y) + uv[2].x * b.z,
                      (uv[0].y * b.x + uv[1].y * b.y) + uv[2].y * b.z);
  };
  in.texcoord = mix_uv(in.barycentric);
  in.texcoord_dx = mix_uv(weights(v, x, y, Float(1.0f), Float(0.0f))) - in.texcoord;
  in.texcoord_dy = mix_uv(weights(v, x, y, Float(0.0f), Float(1.0f))) - in.texcoord;
}

// The same for lanes m, whose primitives belong to `run`. Lanes of one primitive, as inside a large triangle,
// load its corners once; the arithmetic, and so the result, is the same.
BROKKR_FN void interpolate_surface(Warp& w, const FrameTables& frame, const Run& run, Mask m,
                                   ShaderInput<Warp>& in) {
  const uint32_t first = w.broadcast(in.primitive, lowest_bit(w.ballot(m)));
  const uint32_t base_primitive = run.first_batch * kBatchTriangles;
  if (!w.any(m && in.primitive != Uint(first))) {
    uint32_t vertex[3];
    assemble_one(frame, *run.draw, first - base_primitive, vertex);
    interpolate(
        frame, run,
        [&](int i, const float* base, int stride, int c) {
          return Float(base[(size_t(run.first_vertex) + vertex[i]) * size_t(stride) + size_t(c)]);
        },
        in);
    return;
  }
  Int vertex[3];
  assemble(w, frame, *run.draw, as_int(in.primitive - Uint(base_primitive)), m, vertex);
  interpolate(
      frame, run,
      [&](int i, const float* base, int stride, int c) {
        return w.gather(base + size_t(run.first_vertex) * size_t(stride) + c, vertex[i] * Int(stride), m);
      },
      in);
}

BROKKR_MACHINE_END
