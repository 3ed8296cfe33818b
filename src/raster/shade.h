// Runs the frame's fragment shader on samples of any primitives.
#pragma once

#include "blinn_phong.h"
#include "brokkr/choices.h"
#include "depth.h"
#include "flat.h"
#include "geometry/planned.h"
#include "identifier.h"
#include "multiply_add.h"
#include "normal.h"
#include "raster/interpolate.h"
#include "wireframe.h"

BROKKR_MACHINE_BEGIN

// The last run that a warp shaded, which is kept since opening a run multiplies matrices.
struct ShadeContext {
  const FrameTables* frame;
  Shading shading;
  Run run;
};

struct Samples {
  Float x, y, z;  // sample centres in pixels, depth
  Uint primitive;
};

// A shader with kSurface is called for lanes of one run at a time.
template <class Shader>
BROKKR_FN Fragment<Warp> shade_surface(Warp& w, ShadeContext& context, ShaderInput<Warp>& in, Uint run_of, Mask m) {
  Fragment<Warp> out{Vec4<Warp>(Float(0.0f), Float(0.0f), Float(0.0f), Float(0.0f)), Mask(false)};
  Mask todo = m;
  while (w.any(todo)) {
    const uint32_t number = w.broadcast(run_of, lowest_bit(w.ballot(todo)));
    const Mask same = todo && run_of == number;
    if (context.run.number != number) open_run(*context.frame, number, context.run);
    in.draw = context.run.draw;
    in.view = context.frame->views + context.run.view;
    in.material = context.frame->materials + in.draw->material;
    in.draw_number = Uint(context.run.draw_number);
    interpolate_surface(w, *context.frame, context.run, same, in);
    Fragment<Warp> f;
    if constexpr (Shader::kMaterial) {
      f = in.draw->bits & kDrawMaterial ? Shader()(w, in, same) : LitDraw<Warp>()(w, in, same);
    } else {
      f = Shader()(w, in, same);
    }
    out.color.x = select(same, f.color.x, out.color.x);
    out.color.y = select(same, f.color.y, out.color.y);
    out.color.z = select(same, f.color.z, out.color.z);
    out.color.w = select(same, f.color.w, out.color.w);
    out.keep = out.keep || (same && f.keep);
    todo = todo && !same;
  }
  return out;
}

BROKKR_FN_NOINLINE Fragment<Warp> shade_samples(Warp& w, ShadeContext& context, const Samples& samples, Mask m) {
  const FrameTables& frame = *context.frame;
  ShaderInput<Warp> in;
  in.frame = &frame;
  in.draw = nullptr;
  in.material = nullptr;
  in.view = nullptr;
  in.x = samples.x;
  in.y = samples.y;
  in.z = samples.z;
  in.primitive = samples.primitive;
  in.draw_number = Uint(0u);
  const auto run_of = [&] { return w.gather(frame.batch_run, as_int(samples.primitive >> 5), m); };
  switch (context.shading) {
    case Shading::draw: {
      static_assert(sizeof(RunRecord) == 16);
      in.draw_number = w.gather(&frame.runs[0].draw, as_int(run_of()) * 4, m);
      return Identifier<Warp, IdentifierKind::draw>()(w, in, m);
    }
    case Shading::triangle: return Identifier<Warp, IdentifierKind::triangle>()(w, in, m);
    case Shading::batch:
      if (frame.planned != nullptr) in.primitive = planned_batch_of(w, frame, samples.primitive, m) << 5;
      return Identifier<Warp, IdentifierKind::batch>()(w, in, m);
    case Shading::depth: return DepthGrey<Warp>()(w, in, m);
    case Shading::normal: return shade_surface<NormalColor<Warp>>(w, context, in, run_of(), m);
    case Shading::wireframe: return shade_surface<Wireframe<Warp>>(w, context, in, run_of(), m);
    case Shading::multiply_add: return MultiplyAdd<Warp>()(w, in, m);
    case Shading::material: return shade_surface<BlinnPhong<Warp>>(w, context, in, run_of(), m);
    case Shading::overdraw:
    case Shading::flat: break;
  }
  return Flat<Warp>()(w, in, m);
}

// Shades the lanes of m. Where RasterTables::quads says so, lanes must come as quads of one primitive, helpers
// included.
BROKKR_FN Fragment<Warp> shade(Warp& w, ShadeContext& context, const Samples& samples, Mask m) {
  if (context.shading == Shading::flat) return Flat<Warp>()(w, ShaderInput<Warp>(), m);
  return shade_samples(w, context, samples, m);
}

BROKKR_MACHINE_END
