// Runs the frame's built-in fragment shader on samples of arbitrary primitives.
#pragma once

#include "brokkr/choices.h"
#include "geometry/features.h"
#include "geometry/reuse.h"
#include "raster/interpolate.h"
#include "raster/shade_context.h"
#include "target/pixel.h"

// The shaders that brokkr/shadings.def names.
#include "albedo.h"
#include "blinn_phong.h"
#include "depth.h"
#include "flat.h"
#include "identifier.h"
#include "metallic_roughness.h"
#include "multiply_add.h"
#include "normal.h"
#include "wireframe.h"

BROKKR_MACHINE_BEGIN

BROKKR_FN Color color_of(const Fragment<Warp>& fragment) {
  return {fragment.color.x, fragment.color.y, fragment.color.z, fragment.color.w};
}

struct Samples {
  Float x, y, z;  // sample centres in pixels, depth
  Uint primitive;
};

// A primitive's id in the whole frame; a rank may draw only a part of it.
BROKKR_FN Uint id_in_frame(Warp& w, const FrameTables& frame, Uint primitive, Mask m) {
  return frame.whole_ids != nullptr ? w.gather(frame.whole_ids.get(), as_int(primitive), m) : primitive;
}

// A shader with kSurface is called for the lanes of one run at a time.
template <class Shader>
BROKKR_FN Fragment<Warp> shade_surface(Warp& w, ShadeContext& context, ShaderInput<Warp>& in, Uint run_of, Mask m) {
  Fragment<Warp> out{Vec4<Warp>(0.0f, 0.0f, 0.0f, 0.0f), false};
  Mask todo = m;
  while (w.any(todo)) {
    const uint32_t number = w.broadcast(run_of, lowest_bit(w.ballot(todo)));
    const Mask same = todo && run_of == number;
    if (context.run.number != number) open_run(*context.frame, number, context.run);
    in.draw = context.run.draw;
    in.view = context.frame->views + context.run.view;
    in.material = context.frame->materials + in.draw->material;
    in.draw_number = context.run.draw_number;
    interpolate_surface<Shader::kColors>(w, *context.frame, context.run, context.surfaces, same, in);
    Fragment<Warp> one;
    if constexpr (Shader::kMaterial) {
      one = in.draw->bits & kDrawMaterial ? Shader()(w, in, same) : LitDraw<Warp>()(w, in, same);
    } else {
      one = Shader()(w, in, same);
    }
    out.color.x = select(same, one.color.x, out.color.x);
    out.color.y = select(same, one.color.y, out.color.y);
    out.color.z = select(same, one.color.z, out.color.z);
    out.color.w = select(same, one.color.w, out.color.w);
    out.keep = out.keep || (same && one.keep);
    todo = todo && !same;
  }
  return out;
}

// One shading mode. Not inlined, so that the registers and stack of one shader do not burden the others.
template <class Shader>
BROKKR_FN_NOINLINE Fragment<Warp> shade_samples(Warp& w, ShadeContext& context, const Samples& samples, Mask m) {
  const FrameTables& frame = *context.frame;
  ShaderInput<Warp> in;
  in.frame = context.frame;
  in.draw = nullptr;
  in.material = nullptr;
  in.view = nullptr;
  in.x = samples.x;
  in.y = samples.y;
  in.z = samples.z;
  in.primitive = samples.primitive;
  in.draw_number = 0u;
  const auto run_of = [&] { return w.gather(frame.batch_run.get(), as_int(in.primitive >> 5), m); };
  if constexpr (Shader::kDrawNumber) {
    static_assert(sizeof(RunRecord) == 16);
    in.draw_number = w.gather(&frame.runs[0].draw, as_int(run_of()) * 4, m);
  }
  if constexpr (Shader::kBatchNumber) {
    in.batch_number = frame.planned != nullptr ? planned_batch_of(w, frame, in.primitive, m)
                                               : id_in_frame(w, frame, in.primitive, m) >> 5;
  }
  if constexpr (Shader::kTriangleNumber) in.primitive = id_in_frame(w, frame, in.primitive, m);
  if constexpr (Shader::kSurface) {
    return shade_surface<Shader>(w, context, in, run_of(), m);
  } else {
    return Shader()(w, in, m);
  }
}

// Returns true if the mode's shader reads materials, and so may discard fragments.
#define BROKKR_SHADING(value, name, shader, meaning) \
  case Shading::value: return shader<Warp>::kMaterial;
BROKKR_FN bool shows_materials(Shading shading) {
  switch (shading) {
#include "brokkr/shadings.def"
  }
  return false;
}

#define BROKKR_SHADING(value, name, shader, meaning) \
  case Shading::value: return shade_samples<shader<Warp>>(w, context, samples, m);
// Shades the lanes of m. If RasterTables::quads is set, lanes must form quads of one primitive, including helpers.
BROKKR_FN Fragment<Warp> shade(Warp& w, ShadeContext& context, const Samples& samples, Mask m) {
  if (context.shading == Shading::flat) return Flat<Warp>()(w, ShaderInput<Warp>(), m);
  if constexpr (kKernelFeatures & kFeatureShadings) {
    switch (context.shading) {
#include "brokkr/shadings.def"
    }
    return Flat<Warp>()(w, ShaderInput<Warp>(), m);
  } else {
    return shade_samples<BlinnPhong<Warp>>(w, context, samples, m);
  }
}

BROKKR_MACHINE_END
