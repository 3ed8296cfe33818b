// Attributes of samples, recomputed from the vertices of their primitive: perspective-correct barycentrics in
// homogeneous coordinates (Olano and Greer 1997), taken relative to the sample so that small triangles far
// from the origin keep their precision.
#pragma once

#include "geometry/vertex.h"
#include "shader.h"

BROKKR_MACHINE_BEGIN

// Fills position, normal and texcoord of `in` for lanes whose primitives belong to `run`.
BROKKR_FN void interpolate_surface(Warp& w, const FrameTables& frame, const Run& run, Mask m,
                                   ShaderInput<Warp>& in) {
  const DrawRecord& draw = *run.draw;
  Int vertex[3];
  assemble(w, frame, draw, as_int(in.primitive - Uint(run.first_batch * kBatchTriangles)), m, vertex);
  ClipVertex v[3];
  for (int i = 0; i < 3; ++i) v[i] = shade_vertex(w, frame, run, vertex[i], m);

  Float x[3], y[3];
  for (int i = 0; i < 3; ++i) {
    x[i] = v[i].x * Float(draw.scale[0]) + v[i].w * (Float(draw.offset[0]) - in.x);
    y[i] = v[i].y * Float(draw.scale[1]) + v[i].w * (Float(draw.offset[1]) - in.y);
  }
  Float b0 = x[1] * y[2] - x[2] * y[1], b1 = x[2] * y[0] - x[0] * y[2], b2 = x[0] * y[1] - x[1] * y[0];
  const Float sum = (b0 + b1) + b2;
  const Float inverse = Float(1.0f) / select(sum == Float(0.0f), Float(1.0f), sum);
  b0 = b0 * inverse;
  b1 = b1 * inverse;
  b2 = b2 * inverse;
  const auto mix = [&](Float p, Float q, Float r) { return (p * b0 + q * b1) + r * b2; };

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
  const auto attribute = [&](const float* base, int count, int component) {
    Float c[3];
    for (int i = 0; i < 3; ++i) {
      c[i] = w.gather(base + size_t(run.first_vertex) * size_t(count) + component, vertex[i] * Int(count), m);
    }
    return mix(c[0], c[1], c[2]);
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
  in.texcoord = frame.texcoords
                    ? Vec2<Warp>(attribute(frame.texcoords, 2, 0), attribute(frame.texcoords, 2, 1))
                    : Vec2<Warp>(Float(0.0f), Float(0.0f));
}

BROKKR_MACHINE_END
