// Runs fragment programs (shader/interpreter.h) on samples of one tile: gives them lanes (program_lanes.h),
// interpolates what the program reads, and brings its results back to the samples.
#pragma once

#include "raster/interpolate.h"
#include "raster/program_lanes.h"
#if defined(BROKKR_KERNEL_LINKED)
#include "shader/run_linked.h"
#elif !defined(__CUDACC__)
#include "shader/run_compiled.h"
#endif
#include "target/pixel.h"

BROKKR_MACHINE_BEGIN

// The programs of the draws that primitives are of.
BROKKR_FN Uint draw_program(Warp& w, const FrameTables& frame, Uint primitive, Mask m) {
  static_assert(sizeof(RunRecord) == 16 && sizeof(DrawRecord) % 4 == 0);
  if (Warp::takes_turns) {
    // Neighbours mostly are of one batch.
    const uint32_t lanes = w.ballot(m);
    if (lanes == 0) return kNoProgram;
    const uint32_t batch = w.broadcast(primitive, lowest_bit(lanes)) >> 5;
    if (!w.any(m && (primitive >> 5) != batch))
      return select(m, frame.draws[frame.runs[frame.batch_run[batch]].draw].program, Uint(kNoProgram));
  }
  const Uint run = w.gather(frame.batch_run.get(), as_int(primitive >> 5), m);
  const Uint draw = w.gather(&frame.runs[0].draw, as_int(run) * 4, m);
  return w.gather(&frame.draws[0].program, as_int(draw) * int(sizeof(DrawRecord) / 4), m, kNoProgram);
}

// Samples s .. s + width - 1 of a word of the program's results.
BROKKR_FN Float result_of(Warp& w, const ProgramRun& run, int word, int s) {
  return as_float(w.load(run.results() + word * kTileSamples + s));
}
BROKKR_FN Color color_of(Warp& w, const ProgramRun& run, const ProgramColor& color, int s) {
  const auto channel = [&](int c) {
    return c < int(color.words) ? result_of(w, run, int(color.first) + c, s) : Float(c == 3 ? 1.0f : 0.0f);
  };
  if (color.bounded != 0)
    return {saturate(channel(0)), saturate(channel(1)), saturate(channel(2)), saturate(channel(3))};
  return {channel(0), channel(1), channel(2), channel(3)};
}

// The second source of blending, which the program has.
BROKKR_FN Color second_of(Warp& w, const ProgramRun& run, const ProgramColor& color, int s) {
  ProgramColor second = color;
  second.first = color.second;
  second.words = color.second_words;
  return color_of(w, run, second, s);
}

// What the program is as code of this processor; null: it is interpreted.
BROKKR_FN shader::CompiledShader compiled_of(const ProgramRun& run) {
#if !defined(__CUDACC__)
  const shader::CompiledShader* const all = run.tables.compiled;
  if (all != nullptr) return all[run.program.code];
#endif
  return nullptr;
}

// Fills the registers that hold the same in all runs of the draw.
BROKKR_FN_NOINLINE void load_program(Warp& w, const ProgramRun& run) {
  const ProgramRecord& program = run.program;
  uint32_t* const registers = run.registers();
  const ProgramPreset* const presets = run.tables.presets + program.first_preset;
  const int lanes = compiled_of(run) != nullptr ? w.width : kRunLanes;  // compiled ones read the first lane alone
  for (uint32_t i = 0; i < program.presets; ++i) {
    const ProgramPreset preset = presets[i];
    for (int g = 0; g < lanes; g += w.width) w.store(registers + int(preset.number) * kRunLanes + g, preset.bits);
  }
  w.once([&] {
    for (uint32_t i = program.presets; i < program.presets + program.mask_presets; ++i)
      run.masks()[presets[i].number] = presets[i].bits != 0 ? ~uint64_t(0) : 0;
    shader::ShaderCall& call = run.memory.call;
    call.code = run.tables.code + program.first_instruction;
    call.begin = program.head;
    call.end = program.instructions;
    call.registers = registers;
    call.masks = run.masks();
    call.uniforms = run.tables.uniforms + program.first_uniform;
    call.uniform_words = program.uniform_words;
    call.frame = &run.frame;
    call.samplers = run.tables.samplers + program.first_sampler;
    call.abort = run.tables.abort;
    call.outputs = run.outputs();
  });
}

// The vertices of one primitive.
struct PrimitiveVertices {
  uint32_t number[3];    // in the draw, instance after instance: of varyings
  uint32_t position[3];  // into FrameTables::positions; instances of an object share theirs
  uint32_t run;          // into FrameTables::runs
  uint32_t provoking;    // corner

  BROKKR_FN PrimitiveVertices(const FrameTables& frame, uint32_t primitive, bool provoking_first) {
    run = frame.batch_run[primitive / kBatchTriangles];
    const RunRecord& record = frame.runs[run];
    const DrawRecord& draw = frame.draws[record.draw];
    const uint32_t triangle = primitive - record.first_batch * kBatchTriangles;
    assemble_one(frame, draw, triangle, number);
    const uint32_t of_instance = record.instance * draw.vertex_count;
    const uint32_t first = draw.first_vertex + (draw.bits & kDrawTransform ? 0 : of_instance);
    for (int i = 0; i < 3; ++i) {
      position[i] = first + number[i];
      number[i] += of_instance;
    }
    // Winding is kept, so that the first vertex of every other triangle of a strip is its second corner.
    const bool second = draw.assembly == Assembly::fan || (draw.assembly == Assembly::strip && triangle % 2 == 1);
    provoking = !provoking_first ? 2 : second ? 1 : 0;
  }
};

// What the lanes g .. g + width - 1 need of their primitives.
struct LaneSurface {
  Float x, y;  // sample centres in pixels
  Vec3<Warp> smooth,
      linear;  // weights that are perspective-correct, and that are linear in the window (kProgramWindow)
  Float z, w;  // gl_FragCoord's (kProgramWindow)
  Mask front;
};

// The corners of a primitive in clip space, the same in all lanes.
BROKKR_FN void clip_corners(const ProgramRun& run, const DrawRecord& draw, const PrimitiveVertices& vertices,
                            ClipVertex (&corner)[3]) {
  Run of;
  if (draw.bits & kDrawTransform) open_run(run.frame, vertices.run, of);
  of.draw = &draw;
  for (int i = 0; i < 3; ++i) {
    const float* const p = run.frame.positions + size_t(vertices.position[i]) * 4;
    corner[i] = transform_vertex(of, [&](int c) { return Float(p[c]); });
  }
}

// `corner`: of each lane's primitive.
BROKKR_FN LaneSurface lane_surface(Warp& w, const ProgramRun& run, const DrawRecord& draw,
                                   const ClipVertex (&corner)[3], int g) {
  LaneSurface at;
  const Int sample = as_int(w.load(run.memory.sample + g));
  at.x = to_float(tile_x(sample) + run.x0) + 0.5f;
  at.y = to_float(tile_y(sample) + run.y0) + 0.5f;
  Float x[3], y[3];
  for (int i = 0; i < 3; ++i) {
    x[i] = corner[i].x * draw.scale[0] + corner[i].w * (draw.offset[0] - at.x);
    y[i] = corner[i].y * draw.scale[1] + corner[i].w * (draw.offset[1] - at.y);
  }
  const Weights weights = weights_at(corner, x, y);
  const Vec3<Warp>& value = at.smooth = weights.value;
  if (run.program.bits & kProgramWindow) {
    const Float clip_w = mixed(value, corner[0].w, corner[1].w, corner[2].w);
    at.w = 1.0f / select(clip_w == 0.0f, 1.0f, clip_w);
    at.z = mixed(value, corner[0].z, corner[1].z, corner[2].z) * at.w * draw.scale[2] + draw.offset[2];
    at.linear = Vec3<Warp>(value.x * corner[0].w, value.y * corner[1].w, value.z * corner[2].w) * at.w;
  }
  at.front = (weights.inverse > 0.0f) != Mask((draw.bits & kDrawFrontClockwise) != 0);
  if (run.program.bits & kProgramFront) at.front = true;
  return at;
}

// Gives lanes `which` of the first `vectors` vectors of lanes from g on, of one primitive, the components of its
// varyings that component_of(input) names.
template <class ComponentOf, class Which>
BROKKR_FN void interpolate(Warp& w, const ProgramRun& run, const PrimitiveVertices& vertices, const LaneSurface* at,
                           int vectors, int g, ComponentOf component_of, Which which) {
  const ProgramRecord& program = run.program;
  const ProgramInput* const inputs = run.tables.inputs + program.first_input;
  const uint32_t* of[3];
  for (int i = 0; i < 3; ++i)
    of[i] = run.tables.varyings + size_t(program.first_varying) + size_t(vertices.number[i]) * program.stride;
  for (uint32_t i = 0; i < program.varying_inputs; ++i) {
    const ProgramInput input = inputs[i];
    uint32_t* const to = run.registers() + int(input.number) * kRunLanes + g;
    const auto word = [&](uint32_t k) { return Uint(of[k][component_of(input)]); };
    const auto give = [&](auto&& value_at) {
      for (int v = 0; v < vectors; ++v) w.merge(to + v * w.width, value_at(at[v]), which(at[v]));
    };
    const Float p = as_float(word(0)), q = as_float(word(1)), r = as_float(word(2));
    if (input.source == InputSource::smooth) {
      give([&](const LaneSurface& lanes) { return as_uint(mixed(lanes.smooth, p, q, r)); });
    } else if (input.source == InputSource::no_perspective) {
      give([&](const LaneSurface& lanes) { return as_uint(mixed(lanes.linear, p, q, r)); });
    } else {
      const Uint flat = word(vertices.provoking);
      give([&](const LaneSurface&) { return flat; });
    }
  }
}

BROKKR_FN_NOINLINE void interpolate_backs(Warp& w, const ProgramRun& run, const PrimitiveVertices& vertices,
                                          const LaneSurface* at, int vectors, int g, Mask same) {
  interpolate(
      w, run, vertices, at, vectors, g, [](const ProgramInput& input) { return input.back; },
      [&](const LaneSurface& lanes) { return same && !lanes.front; });
}

// The lanes `same` are of one primitive.
BROKKR_FN void interpolate_varyings(Warp& w, const ProgramRun& run, const PrimitiveVertices& vertices,
                                    const LaneSurface* at, int vectors, int g, Mask same) {
  interpolate(
      w, run, vertices, at, vectors, g, [](const ProgramInput& input) { return input.component; },
      [&](const LaneSurface&) { return same; });
  if (run.program.bits & kProgramTwoSided) interpolate_backs(w, run, vertices, at, vectors, g, same);
}

BROKKR_FN Float other_input(const LaneSurface& at, const ProgramInput& input) {
  if (input.source != InputSource::position) return 0.0f;
  switch (input.component) {
    case 0: return at.x;
    case 1: return at.y;
    case 2: return at.z;
    default: return at.w;
  }
}

BROKKR_FN void fill_others(Warp& w, const ProgramRun& run, const LaneSurface& at, int g) {
  const ProgramRecord& program = run.program;
  const ProgramInput* const inputs = run.tables.inputs + program.first_input + program.varying_inputs;
  for (uint32_t i = 0; i < program.other_inputs; ++i) {
    const ProgramInput input = inputs[i];
    if (input.source == InputSource::facing) {
      const uint64_t bits = uint64_t(w.ballot(at.front)) << g;
      w.once([&] {
        uint64_t& mask = run.masks()[input.number];
        mask = g == 0 ? bits : mask | bits;
      });
    } else {
      w.store(run.registers() + int(input.number) * kRunLanes + g, as_uint(other_input(at, input)));
    }
  }
}

// A primitive whose vertices the next lanes may need too.
struct KeptVertices {
  uint32_t primitive;
  PrimitiveVertices vertices;
  ClipVertex corner[3];

  BROKKR_FN KeptVertices(const ProgramRun& run, const DrawRecord& draw, uint32_t number, bool provoking_first)
      : primitive(number), vertices(run.frame, number, provoking_first) {
    clip_corners(run, draw, vertices, corner);
  }
  // In place: a copy of the corners takes longer than they do.
  BROKKR_FN void take(const ProgramRun& run, const DrawRecord& draw, uint32_t number, bool provoking_first) {
    primitive = number;
    vertices = PrimitiveVertices(run.frame, number, provoking_first);
    clip_corners(run, draw, vertices, corner);
  }
};

// The inputs of all lanes.
BROKKR_FN void fill_inputs(Warp& w, const ProgramRun& run, const DrawRecord& draw) {
  const ProgramMemory& memory = run.memory;
  const bool provoking_first = (run.program.bits & kProgramProvokingFirst) != 0;
  ClipVertex corner[3];
  if (Warp::takes_turns && memory.of_one != 0) {
    const PrimitiveVertices vertices(run.frame, memory.of_lane[0], provoking_first);
    clip_corners(run, draw, vertices, corner);
    LaneSurface at[kShaderVectors];
    int vectors = 0;
    for (int g = 0; g < memory.lanes; g += w.width) {
      at[vectors] = lane_surface(w, run, draw, corner, g);
      fill_others(w, run, at[vectors++], g);
    }
    interpolate_varyings(w, run, vertices, at, vectors, 0, true);
    return;
  }
  KeptVertices kept(run, draw, memory.of_lane[0], provoking_first);
  for (int g = 0; g < memory.lanes; g += w.width) {
    const Uint primitives = w.load(memory.of_lane + g);
    if (Warp::takes_turns) {
      // Mostly a vector is of one primitive, and often of the one before.
      const uint32_t one = memory.of_lane[g];
      if (!w.any(primitives != one)) {
        if (one != kept.primitive) kept.take(run, draw, one, provoking_first);
        const LaneSurface at = lane_surface(w, run, draw, kept.corner, g);
        interpolate_varyings(w, run, kept.vertices, &at, 1, g, true);
        fill_others(w, run, at, g);
        continue;
      }
    }
    for (ClipVertex& c : corner) c = {0.0f, 0.0f, 0.0f, 0.0f};
    w.for_distinct(primitives, true, [&](auto primitive, Mask same) {
      ClipVertex own[3];
      clip_corners(run, draw, PrimitiveVertices(run.frame, primitive, provoking_first), own);
      for (int i = 0; i < 3; ++i) {
        corner[i].x = select(same, own[i].x, corner[i].x);
        corner[i].y = select(same, own[i].y, corner[i].y);
        corner[i].z = select(same, own[i].z, corner[i].z);
        corner[i].w = select(same, own[i].w, corner[i].w);
      }
    });
    const LaneSurface at = lane_surface(w, run, draw, corner, g);
    w.for_distinct(primitives, true, [&](auto primitive, Mask same) {
      interpolate_varyings(w, run, PrimitiveVertices(run.frame, primitive, provoking_first), &at, 1, g, same);
    });
    fill_others(w, run, at, g);
  }
}

// Brings the outputs of the lanes `keep` to their samples. Returns these.
BROKKR_FN uint64_t take_results(Warp& w, const ProgramRun& run, uint64_t keep) {
  const ProgramMemory& memory = run.memory;
  const bool in_order = memory.in_order != 0;
  for (int g = 0; g < memory.lanes; g += w.width) {
    const Mask m = w.lanes_of(uint32_t(keep >> g));
    const Int sample = as_int(w.load(memory.sample + g));
    for (int word = 0; word < int(run.program.outputs); ++word) {
      const Uint value = w.load(run.outputs() + word * kRunLanes + g);
      uint32_t* const to = run.results() + word * kTileSamples;
      if (in_order) {
        w.merge(to + int(memory.sample[0]) + g, value, m);
      } else {
        w.scatter_quads(to, sample, value, m);
      }
    }
  }
  w.sync();
  uint64_t samples = 0;
  for (int lane = 0; lane < memory.lanes; lane += 4) samples |= (keep >> lane & 15) << memory.sample[lane];
  return samples;
}

// Those of `kept` that pass the draw's alpha test.
BROKKR_FN uint64_t alpha_tested(Warp& w, const ProgramRun& run, const DrawRecord& draw, uint64_t kept) {
  uint64_t passed = 0;
  const int word = run.program.alpha;
  for (int s = 0; s < kTileSamples; s += w.width) {
    const Float alpha = word == kNoOutput ? Float(1.0f) : result_of(w, run, word, s);
    passed |= uint64_t(w.ballot(compare(draw.alpha_func, alpha, draw.alpha_ref))) << s;
  }
  return kept & passed;
}

// Runs the program on the lanes that are ready.
BROKKR_FN void execute(Warp& w, const ProgramRun& run) {
  shader::ShaderCall& call = run.memory.call;
#if defined(BROKKR_KERNEL_LINKED)
  static_assert(sizeof(LookupMemory) == kLookupBytes);
  run_linked(w, run.program.code, call, run.memory.lanes, run.part<LookupMemory>(run.layout.lookups));
#else
#if !defined(__CUDACC__)
  if (const shader::CompiledShader compiled = compiled_of(run); compiled != nullptr)
    return run_compiled(compiled, call, run.memory.lanes);
#endif
  Interpreter(w, call).run();
#endif
}

// Runs the program on the tile's samples `wanted`, whose primitives are all of its draw and stand in the memory;
// of_one: they are all the same. Returns those that are kept; what the program says of them are the run's results.
BROKKR_FN_NOINLINE uint64_t run_program(Warp& w, ShadeContext& context, const ProgramRun& run, uint32_t number,
                                        uint64_t wanted, bool of_one) {
  if (context.program != number) load_program(w, run);
  context.program = number;
  const ProgramMemory& memory = run.memory;
  const uint32_t first = memory.primitive[lowest_bit(wanted)];
  const FrameTables& frame = run.frame;
  const DrawRecord& draw = frame.draws[frame.runs[frame.batch_run[first / kBatchTriangles]].draw];
  uint64_t kept = 0;
  for (uint64_t rest = wanted; rest != 0;) {
    if (!take_row(w, run, rest))
      rest = of_one ? w.uniform([&] { return take_quads(run, rest); }) : take_lanes(w, run, rest);
    w.sync();
    fill_inputs(w, run, draw);
    w.sync();
    execute(w, run);
    const uint64_t keep = memory.call.keep;
    kept |= take_results(w, run, keep);
  }
  return run.program.bits & kProgramAlphaTest ? alpha_tested(w, run, draw, kept) : kept;
}

BROKKR_FN ProgramMemory* memory_of_warp(const ProgramTables& programs, int warp) {
  return reinterpret_cast<ProgramMemory*>(programs.memory + size_t(warp) * ProgramLayout(programs.sizes).bytes);
}

BROKKR_FN bool runs_program(const ShadeContext& context, const DrawRecord& draw) {
  return context.shows_programs() && draw.program != kNoProgram;
}

BROKKR_FN ProgramRun open_program(const ShadeContext& context, uint32_t number, int x0, int y0) {
  const ProgramTables& tables = *context.programs;
  return {*context.frame, tables, tables.programs[number], *context.memory, ProgramLayout(tables.sizes), x0, y0};
}

BROKKR_MACHINE_END
