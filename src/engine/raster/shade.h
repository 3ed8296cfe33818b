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

// The stored colours of some samples of a tile.
struct alignas(64) TileColors {
  uint32_t low[kTileSamples], high[kTileSamples];
  uint64_t samples = 0;  // one bit each
  uint32_t flat[2];      // low and high of Shading::flat
};

// A tile to shade.
struct ShadedTile {
  const KeyPass& pass;  // of its region
  int number, x0, y0;   // in its region; its first sample
  uint32_t format;      // of its colours
  bool quads;           // the shader needs quads
  uint64_t by_program;  // samples that have a colour, one bit each
  uint64_t won;         // samples that primitives won; set on CPUs alone
};

// Does the work of shade_samples and store_color for the samples `which` of a tile, part of the shader by part. Returns
// the samples that it has shaded: those of draws with materials. `Context` is ShadeContext; it is a parameter, so that
// only machines that have SurfaceTable compile this.
template <class Shader, int kVectors, class Context>
BROKKR_FN uint64_t shade_tile_in_parts(Warp& w, Context& context, const ShadedTile& tile, uint64_t which,
                                       const Uint (&primitives)[kVectors], TileColors& colors) {
  const FrameTables& frame = *context.frame;
  typename Shader::Carried carried[kVectors];
  Mask lanes[kVectors];
  uint64_t shaded = 0;
  while (which != 0) {
    const int first = lowest_bit(which);
    const uint32_t first_primitive = w.broadcast(primitives[first / kWidth], first % kWidth);
    const uint32_t number = frame.batch_run[first_primitive / kBatchTriangles];
    if (context.run.number != number) open_run(frame, number, context.run);
    ShaderInput<Warp> in;
    in.frame = context.frame;
    in.draw = context.run.draw;
    in.view = frame.views + context.run.view;
    in.material = frame.materials + in.draw->material;
    in.draw_number = context.run.draw_number;
    uint64_t same = 0;
    for (int i = 0; i < kVectors; ++i) {
      const Mask m = primitives[i] - context.run.first_batch * kBatchTriangles < in.draw->triangle_count;
      same |= uint64_t(w.ballot(m)) << (i * kWidth);
    }
    same &= which;
    which &= ~same;
    if (!(in.draw->bits & kDrawMaterial)) continue;
    shaded |= same;
    const TileOfRun<kVectors> run_tile{tile.x0, tile.y0, same, primitives};
    for (int i = 0; i < kVectors; ++i) lanes[i] = w.lanes_of(run_tile.lanes(i));
    const auto for_vectors = [&](auto&& f) BROKKR_INLINE_LAMBDA {
      for (int i = 0; i < kVectors; ++i) {
        if (run_tile.lanes(i) != 0) f(i, lanes[i]);
      }
    };
    interpolate_tile<Shader::kColors>(w, context.run, run_tile, context.surfaces.table, in,
                                      [&](int i) BROKKR_INLINE_LAMBDA { Shader::begin(in, carried[i]); });
    const ShaderUniforms uniforms = in;
    [&]<int... kPart>(std::integer_sequence<int, kPart...>) BROKKR_INLINE_LAMBDA {
      (for_vectors([&](int i, Mask m)
                       BROKKR_INLINE_LAMBDA { Shader::template part<kPart>(w, uniforms, m, carried[i]); }),
       ...);
    }
    (std::make_integer_sequence<int, Shader::kParts>());
    for_vectors([&](int i, Mask m) BROKKR_INLINE_LAMBDA {
      const Stored stored = store_color(tile.format, color_of(Shader::end(uniforms, carried[i])));
      w.merge(colors.low + i * kWidth, stored.low, m);
      if (tile.format == uint32_t(ColorFormat::rgba16f)) w.merge(colors.high + i * kWidth, stored.high, m);
    });
  }
  return shaded;
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
