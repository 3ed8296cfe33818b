// The inputs of programs. Interpolates the varyings of samples' primitives and writes them to the lanes of a run.
#pragma once

#include "raster/interpolate.h"
#include "raster/program_lanes.h"
#include "shade/varying_steps.h"

BROKKR_MACHINE_BEGIN

// A run of the draw, cached because consecutive primitives usually belong to the same run.
struct PrimitiveRun {
  uint32_t number;           // index into FrameTables::runs
  uint32_t first_primitive;  // a run has draw.triangle_count primitives
  uint32_t vertices_before;  // number of vertices of earlier instances
  uint32_t first_position;   // index into FrameTables::positions; instances of an object share positions

  BROKKR_FN PrimitiveRun(const FrameTables& frame, const DrawRecord& draw, uint32_t primitive) {
    number = frame.batch_run[primitive / kBatchTriangles];
    const RunRecord& record = frame.runs[number];
    first_primitive = record.first_batch * kBatchTriangles;
    vertices_before = record.instance * draw.vertex_count;
    first_position = draw.first_vertex + (draw.bits & kDrawTransform ? 0 : vertices_before);
  }
  BROKKR_FN PrimitiveRun(const Run& run, const DrawRecord& draw)
      : number(run.number),
        first_primitive(run.first_batch * kBatchTriangles),
        vertices_before(run.instance * draw.vertex_count),
        first_position(run.first_vertex) {}
  BROKKR_FN void lead_to(const FrameTables& frame, const DrawRecord& draw, uint32_t primitive) {
    if (primitive - first_primitive >= draw.triangle_count) *this = PrimitiveRun(frame, draw, primitive);
  }
};

// The vertices of one primitive.
struct PrimitiveVertices {
  uint32_t number[3];    // vertex numbers within the draw, counted over instances; they index varyings
  uint32_t position[3];  // index into FrameTables::positions
  uint32_t provoking;    // corner
  uint32_t triangle;     // gl_PrimitiveID

  BROKKR_FN void assemble(const FrameTables& frame, const DrawRecord& draw, const PrimitiveRun& run, uint32_t primitive,
                          bool provoking_first) {
    triangle = primitive - run.first_primitive;
    assemble_one(frame, draw, triangle, number);
    for (int i = 0; i < 3; ++i) {
      position[i] = run.first_position + number[i];
      number[i] += run.vertices_before;
    }
    // Assembly keeps the winding, so in a strip the first vertex of every other triangle is its second corner.
    const bool second = draw.assembly == Assembly::fan || (draw.assembly == Assembly::strip && triangle % 2 == 1);
    provoking = !provoking_first ? 2 : second ? 1 : 0;
  }
};

// The parts of the lanes' surfaces that lanes g .. g + width - 1 need.
struct LaneSurface {
  Float x, y;  // sample centres in pixels
  Vec3<Warp> smooth,
      linear;  // perspective-correct weights, and weights that are linear in window space (kProgramWindow)
  Float z, w;  // those of gl_FragCoord (kProgramWindow)
  Mask front;
};

// Returns true if no lane needs a surface. On CUDA all lanes have one.
BROKKR_FN bool is_flat(const ProgramRun& run) { return Warp::takes_turns && (run.program.bits & kProgramFlat) != 0; }

// Finds the corners of a primitive that all lanes share. `open` returns the run of this number (open_run).
template <class Open>
BROKKR_FN void find_corners(const ProgramRun& run, const DrawRecord& draw, uint32_t number,
                            const PrimitiveVertices& vertices, ClipVertexOf<float> (&corner)[3], Open open) {
  if (is_flat(run)) return;
  const float* const positions = run.frame.positions;
  if (!(draw.bits & kDrawTransform)) {
    for (int i = 0; i < 3; ++i) {
      const float* const p = positions + size_t(vertices.position[i]) * 4;
      corner[i] = {vertex_word(p) * draw.scale[0], vertex_word(p + 1) * draw.scale[1], vertex_word(p + 2),
                   vertex_word(p + 3)};
    }
    return;
  }
  // The four components take the same steps, and all are computed before one is stored: compilers make vectors of them.
  const Run& opened = open(number);
  const float scale[4] = {draw.scale[0], draw.scale[1], 1.0f, 1.0f};
  ClipVertexOf<float> clip[3];
  for (int i = 0; i < 3; ++i) {
    const float* const p = positions + size_t(vertices.position[i]) * 4;
    clip[i] = transform_vertex<float>(opened, [&](int c) { return p[c]; });
    clip[i] = {clip[i].x * scale[0], clip[i].y * scale[1], clip[i].z * scale[2], clip[i].w * scale[3]};
  }
  for (int i = 0; i < 3; ++i) corner[i] = clip[i];
}

template <class Open>
BROKKR_FN void find_primitive(const ProgramRun& run, const DrawRecord& draw, PrimitiveRun& cached_run, uint32_t number,
                              OnePrimitive& primitive, Open open) {
  const ProgramRecord& program = run.program;
  PrimitiveVertices vertices;
  cached_run.lead_to(run.frame, draw, number);
  vertices.assemble(run.frame, draw, cached_run, number, (program.bits & kProgramProvokingFirst) != 0);
  find_corners(run, draw, cached_run.number, vertices, primitive.corner, open);
  for (int i = 0; i < 3; ++i) {
    primitive.varyings.corner_words[i] =
        run.tables.varyings + size_t(program.first_varying) + size_t(vertices.number[i]) * program.stride;
  }
  primitive.varyings.provoking = vertices.provoking;
  primitive.varyings.triangle = vertices.triangle;
}

// Not inlined, because cache misses are rare.
BROKKR_FN_NOINLINE void keep_primitive(const ProgramRun& run, const DrawRecord& draw, KeptPrimitives& kept,
                                       uint32_t number, OnePrimitive& primitive) {
  Run& opened = kept.opened;
  if (opened.number == kNoPrimitive || number - opened.first_batch * kBatchTriangles >= opened.draw->triangle_count)
    open_run(run.frame, run.frame.batch_run[number / kBatchTriangles], opened);
  PrimitiveRun run_of_primitive(opened, draw);
  find_primitive(run, draw, run_of_primitive, number, primitive, [&](uint32_t) -> const Run& { return opened; });
}
// Returns the primitive from the cache, for warps whose lanes share primitives. The reference is valid until the next
// call.
BROKKR_FN const OnePrimitive& kept_primitive(const ProgramRun& run, const DrawRecord& draw, KeptPrimitives& kept,
                                             uint32_t number) {
  const uint32_t place = number % KeptPrimitives::kCount;
  if (kept.number[place] != number) {
    kept.number[place] = number;
    keep_primitive(run, draw, kept, number, kept.primitive[place]);
  }
  return kept.primitive[place];
}

// The inputs of a run are interpolated at places within the pixels. A class of places has these members: kUniform (all
// lanes have the same place), takes(input), the place of lanes g .. g + width - 1 in pixels from the lower left corner,
// and the words of InputKind::sample. raster/sampled_inputs.h has the places in pixels of several samples.
struct PixelCentres {
  static constexpr bool kUniform = true;
  BROKKR_FN constexpr bool takes(const ProgramInput&) const { return true; }
  BROKKR_FN constexpr float x(Warp&, const ProgramRun&, int) const { return 0.5f; }
  BROKKR_FN constexpr float y(Warp&, const ProgramRun&, int) const { return 0.5f; }
  BROKKR_FN Uint sample_word(Warp&, const ProgramRun&, shader::SampleWord word, int) const {
    return shader::word_of_one_sample(word);
  }
};

// The positions of the samples of lanes g .. g + width - 1.
struct LanePlaces {
  Float x, y;

  template <class Places>
  BROKKR_FN LanePlaces(Warp& w, const ProgramRun& run, int g, const Places& places) {
    Int column, row;
    if (Warp::takes_turns && run.memory.in_place != 0) {
      const int first = g & -Warp::width;  // g, as compilers can see
      column = tile_x(w.lane()) + (tile_x(first) + run.x0);
      row = tile_y(w.lane()) + (tile_y(first) + run.y0);
    } else {
      const Int sample = as_int(w.load(run.memory.sample + g));
      column = tile_x(sample) + run.x0;
      row = tile_y(sample) + run.y0;
    }
    x = to_float(column) + places.x(w, run, g);
    y = to_float(row) + places.y(w, run, g);
  }
};

// corners_across: the corners' x relative to the samples, times w. corners_along: the same for y. `corner` holds one
// primitive per lane, or one that all lanes share.
template <class T>
BROKKR_FN void corners_across(const DrawRecord& draw, const ClipVertexOf<T> (&corner)[3], Float x, Float (&across)[3]) {
  for (int i = 0; i < 3; ++i) across[i] = corner[i].x + corner[i].w * (draw.offset[0] - x);
}
template <class T>
BROKKR_FN void corners_along(const DrawRecord& draw, const ClipVertexOf<T> (&corner)[3], Float y, Float (&along)[3]) {
  for (int i = 0; i < 3; ++i) along[i] = corner[i].y + corner[i].w * (draw.offset[1] - y);
}

// Returns true if inputs may depend on the side of the primitive that a sample sees.
BROKKR_FN bool reads_facing(const ProgramRecord& program) {
  return program.other_inputs != 0 || (program.bits & kProgramTwoSided) != 0;
}

// x and y come from corners_across and corners_along. Does not set x and y of `surface`.
template <class T>
BROKKR_FN void find_surface(const ProgramRun& run, const DrawRecord& draw, const ClipVertexOf<T> (&corner)[3],
                            const Float (&x)[3], const Float (&y)[3], LaneSurface& surface) {
  const Weights weights = weights_at(corner, x, y);
  const Vec3<Warp> value = surface.smooth = weights.value;
  if (run.program.bits & kProgramWindow) {
    const Float clip_w = mixed(value, corner[0].w, corner[1].w, corner[2].w);
    surface.w = 1.0f / select(clip_w == 0.0f, 1.0f, clip_w);
    surface.z = mixed(value, corner[0].z, corner[1].z, corner[2].z) * surface.w * draw.scale[2] + draw.offset[2];
    surface.linear = Vec3<Warp>(value.x * corner[0].w, value.y * corner[1].w, value.z * corner[2].w) * surface.w;
  }
  if (Warp::takes_turns && !reads_facing(run.program)) return;
  surface.front = (weights.inverse > 0.0f) != Mask((draw.bits & kDrawFrontClockwise) != 0);
  if (run.program.bits & kProgramFront) surface.front = true;
}
template <class T>
BROKKR_FN void find_surface(const ProgramRun& run, const DrawRecord& draw, const ClipVertexOf<T> (&corner)[3],
                            const LanePlaces& places, LaneSurface& surface) {
  surface.front = true;
  if (is_flat(run)) return;
  surface.x = places.x;
  surface.y = places.y;
  Float x[3], y[3];
  corners_across(draw, corner, surface.x, x);
  corners_along(draw, corner, surface.y, y);
  find_surface(run, draw, corner, x, y, surface);
}

// The number of vectors in a tile, and of their columns and rows.
inline constexpr int kTileVectors = kTileSamples / kWidth;
inline constexpr int kTileColumns = kTile / (tile_x(kWidth - 1) + 1), kTileRows = kTile / (tile_y(kWidth - 1) + 1);

// The column and row of each vector of a tile.
struct VectorPlaces {
  int column[kTileVectors], row[kTileVectors];
};
constexpr VectorPlaces vector_places() {
  VectorPlaces places{};
  for (int k = 0; k < kTileVectors; ++k) {
    places.column[k] = tile_x(k * kWidth) / (kTile / kTileColumns);
    places.row[k] = tile_y(k * kWidth) / (kTile / kTileRows);
  }
  return places;
}
inline constexpr VectorPlaces kVectorPlaces = vector_places();

// The primitives of a vector's lanes. On CUDA, where a lane is a thread, each lane has its own primitive.
struct VectorPrimitives {
  static constexpr int kMaxPrimitives = Warp::takes_turns ? Warp::width : 1;
  OneVaryings varyings[kMaxPrimitives];
  Mask lanes[kMaxPrimitives];
  int count = 0;

  // Evaluates value_of(varyings of a primitive) for the primitive of each lane.
  template <class ValueOf>
  BROKKR_FN Uint each(ValueOf value_of) const {
    Uint value = value_of(varyings[0]);
    for (int k = 1; k < count; ++k) value = select(lanes[k], value_of(varyings[k]), value);
    return value;
  }
  // A component at the three corners.
  BROKKR_FN void words(uint32_t component, Float (&word)[3]) const {
    varyings[0].words(component, word);
    for (int k = 1; k < count; ++k) {
      Float other[3];
      varyings[k].words(component, other);
      for (int i = 0; i < 3; ++i) word[i] = select(lanes[k], other[i], word[i]);
    }
  }
  BROKKR_FN Uint flat(uint32_t component) const {
    return each([&](const OneVaryings& one) { return one.flat(component); });
  }
  BROKKR_FN Uint number() const {
    return each([](const OneVaryings& one) { return one.number(); });
  }
};

// The surfaces of `count` vectors; vector i starts at lane first[i].
struct LaneVectors {
  const LaneSurface* surface;
  const int* first;
  int count;
};

// Selects varying components by component_of(input), and writes them to the vectors' lanes by give(where, value,
// surface).
template <class Places, class Varyings, class ComponentOf, class Give>
BROKKR_FN void interpolate(const ProgramRun& run, const Places& places, const Varyings& varyings, LaneVectors vectors,
                           ComponentOf component_of, Give give) {
  const ProgramInput* const inputs = run.tables.inputs + run.program.first_input;
  const uint32_t end = run.program.varying_inputs;
  uint32_t* const registers = run.registers();
  for (uint32_t i = 0; i < end; ++i) {
    const ProgramInput input = inputs[i];
    if (!places.takes(input)) continue;
    uint32_t* const input_lanes = registers + int(input.number) * kRunLanes;
    const uint32_t component = component_of(input);
    const auto give_all = [&](auto&& value_at) {
      for (int k = 0; k < vectors.count; ++k)
        give(input_lanes + vectors.first[k], value_at(vectors.surface[k]), vectors.surface[k]);
    };
    if (input.source == InputSource::flat || input.source == InputSource::primitive) {
      const Uint same = input.source == InputSource::flat ? varyings.flat(component) : varyings.number();
      give_all([&](const LaneSurface&) { return same; });
      continue;
    }
    Float word[3];
    varyings.words(component, word);
    const VaryingSteps steps(word);
    if (input.source == InputSource::smooth) {
      give_all([&](const LaneSurface& surface) { return as_uint(steps.at(surface.smooth.y, surface.smooth.z)); });
    } else {
      give_all([&](const LaneSurface& surface) { return as_uint(steps.at(surface.linear.y, surface.linear.z)); });
    }
  }
}

template <class Places, class Varyings>
BROKKR_FN_NOINLINE void interpolate_backs(Warp& w, const ProgramRun& run, const Places& places,
                                          const Varyings& varyings, LaneVectors vectors) {
  interpolate(
      run, places, varyings, vectors, [](const ProgramInput& input) { return input.back; },
      [&](uint32_t* lanes, Uint value, const LaneSurface& surface) { w.merge(lanes, value, !surface.front); });
}

// Fills the inputs of vectors.
template <class Places, class Varyings>
BROKKR_FN void interpolate_varyings(Warp& w, const ProgramRun& run, const Places& places, const Varyings& varyings,
                                    LaneVectors vectors) {
  interpolate(
      run, places, varyings, vectors, [](const ProgramInput& input) { return input.component; },
      [&](uint32_t* lanes, Uint value, const LaneSurface&) { w.store(lanes, value); });
  if (run.program.bits & kProgramTwoSided) {
    // A copy keeps `varyings` in registers: no other function has its address.
    const Varyings same = varyings;
    interpolate_backs(w, run, places, same, vectors);
  }
}

template <class Places>
BROKKR_FN Uint other_input(Warp& w, const ProgramRun& run, const Places& places, const LaneSurface& surface,
                           const ProgramInput& input, int g) {
  if (input.source != InputSource::position) return 0u;
  switch (input.component) {
    case 0: return as_uint(surface.x);
    case 1: return as_uint(surface.y);
    case 2: return as_uint(surface.z);
    case 3: return as_uint(surface.w);
    default: return places.sample_word(w, run, shader::SampleWord(input.component - kSampleComponent), g);
  }
}

template <class Places>
BROKKR_FN void fill_others(Warp& w, const ProgramRun& run, const Places& places, const LaneSurface& surface, int g) {
  const ProgramRecord& program = run.program;
  const ProgramInput* const inputs = run.tables.inputs + program.first_input + program.varying_inputs;
  for (uint32_t i = 0; i < program.other_inputs; ++i) {
    const ProgramInput input = inputs[i];
    if (!places.takes(input)) continue;
    if (input.source == InputSource::facing) {
      const uint64_t bits = uint64_t(w.ballot(surface.front)) << g;
      w.once([&] {
        uint64_t& mask = run.masks()[input.number];
        mask = (mask & ~(kVectorBits << g)) | bits;
      });
    } else {
      w.store(run.registers() + int(input.number) * kRunLanes + g, other_input(w, run, places, surface, input, g));
    }
  }
}

// Fills the inputs of lanes g .. g + width - 1, which belong to several primitives. Each lane loads the corners of its
// own primitive, so that all lanes are interpolated together.
template <class Places, class PrimitiveOf>
BROKKR_FN void fill_mixed(Warp& w, const ProgramRun& run, const Places& places, const DrawRecord& draw, int g,
                          PrimitiveOf primitive_of) {
  const Uint primitives = w.load(run.memory.lane_primitive + g);
  const bool has_corners = !is_flat(run);
  VectorPrimitives all;
  ClipVertex corner[3];
  for (ClipVertex& vertex : corner) vertex = {0.0f, 0.0f, 0.0f, 0.0f};
  w.for_distinct(primitives, true, [&](auto number, Mask same) {
    const OnePrimitive& one = primitive_of(number);
    for (int i = 0; i < 3 && has_corners; ++i) {
      corner[i] = {select(same, one.corner[i].x, corner[i].x), select(same, one.corner[i].y, corner[i].y),
                   select(same, one.corner[i].z, corner[i].z), select(same, one.corner[i].w, corner[i].w)};
    }
    all.varyings[all.count] = one.varyings;
    all.lanes[all.count++] = same;
  });
  LaneSurface surface;
  find_surface(run, draw, corner, LanePlaces(w, run, g, places), surface);
  interpolate_varyings(w, run, places, all, LaneVectors{&surface, &g, 1});
  fill_others(w, run, places, surface, g);
}

// The primitives of vectors that have several each: one primitive per lane of the table. A vector of samples then reads
// each value by one exchange of lanes.
struct PrimitiveTable {
  uint32_t number[kWidth];
  OneVaryings varyings[kWidth];
  ClipVertexOf<Warp::Spilled<float>> corner[3];  // lanes without a primitive have the first one's
  int count = 0;

  BROKKR_FN void add(uint32_t primitive_number, const OnePrimitive& one) {
    number[count] = primitive_number;
    // One field after another, as volatile reads are: a wider one would have to wait until the fields that
    // keep_primitive stored are in the cache.
    const volatile OneVaryings& source = one.varyings;
    for (int i = 0; i < 3; ++i) varyings[count].corner_words[i] = source.corner_words[i];
    varyings[count].provoking = source.provoking;
    varyings[count].triangle = source.triangle;
    for (int i = 0; i < 3 && count == 0; ++i) {
      corner[i] = {Warp::spill(one.corner[i].x), Warp::spill(one.corner[i].y), Warp::spill(one.corner[i].z),
                   Warp::spill(one.corner[i].w)};
    }
    for (int i = 0; i < 3 && count != 0; ++i) {
      corner[i].x.set(count, one.corner[i].x);
      corner[i].y.set(count, one.corner[i].y);
      corner[i].z.set(count, one.corner[i].z);
      corner[i].w.set(count, one.corner[i].w);
    }
    ++count;
  }
  // Finds the lanes of the table that hold the primitives lane_primitives[0 .. width - 1], and adds those that are
  // missing. Returns false if there is no room for them; an empty table has room for those of a vector.
  template <class PrimitiveOf>
  BROKKR_FN bool find(Warp& w, const uint32_t* lane_primitives, PrimitiveOf primitive_of, Int& place) {
    const Uint primitives = w.load(lane_primitives);
    place = 0;
    uint32_t missing = w.ballot(true);
    const auto take = [&](int k) {
      const Mask same = primitives == number[k];
      place = select(same, k, place);
      missing &= ~w.ballot(same);
    };
    for (int k = 0; k < count; ++k) take(k);
    while (missing != 0) {
      if (count == kWidth) return false;
      const uint32_t one = lane_primitives[lowest_bit(missing)];
      add(one, primitive_of(one));
      take(count - 1);
    }
    return true;
  }
  BROKKR_FN ClipVertex corner_at(int i, Int place) const {
    const auto pick = [&](const Warp::Spilled<float>& component) { return Warp::shuffle(component.lanes(), place); };
    return {pick(corner[i].x), pick(corner[i].y), pick(corner[i].z), pick(corner[i].w)};
  }
};

// Vectors of a run whose primitives are in a table, with their first lanes and the places of their primitives.
struct TableVectors {
  PrimitiveTable table;
  Int place[kTileVectors];
  int first[kTileVectors], count = 0;
};

// The words of some inputs at the corners of a table's primitives, one primitive per lane. Inputs that do not vary have
// one word.
struct TableWords {
  static constexpr uint32_t kInputs = 8;
  Warp::Spilled<uint32_t> words[kInputs][3];

  BROKKR_FN static bool varies(const ProgramInput& input) {
    return input.source != InputSource::flat && input.source != InputSource::primitive;
  }
  BROKKR_FN void collect(const PrimitiveTable& table, const ProgramInput* inputs, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      for (auto& component : words[i]) component = Warp::spill(uint32_t(0));
    }
    for (int k = 0; k < table.count; ++k) {
      const OneVaryings& one = table.varyings[k];
      const uint32_t* const corner[3] = {one.corner_words[0], one.corner_words[1], one.corner_words[2]};
      for (uint32_t i = 0; i < count; ++i) {
        const ProgramInput input = inputs[i];
        if (varies(input)) {
          for (int c = 0; c < 3; ++c) words[i][c].set(k, vertex_word(corner[c] + input.component));
        } else if (input.source == InputSource::primitive) {
          words[i][0].set(k, one.triangle);
        } else {
          words[i][0].set(k, vertex_word(one.corner_words[one.provoking] + input.component));
        }
      }
    }
  }
  BROKKR_FN Uint pick(uint32_t i, int c, Int place) const { return Warp::shuffle(words[i][c].lanes(), place); }
};

// Fills the inputs of these vectors. The program has surfaces and no inputs of back sides.
//
// Words are collected one by one and then loaded as vectors. Such a load waits until all the words are in the cache, so
// the surfaces are computed in between.
template <class Places>
BROKKR_FN_NOINLINE void fill_from_table(Warp& w, const ProgramRun& run, const Places& places, const DrawRecord& draw,
                                        const TableVectors& vectors) {
  const ProgramInput* const inputs = run.tables.inputs + run.program.first_input;
  const uint32_t end = run.program.varying_inputs;
  LaneSurface surfaces[kTileVectors];
  TableWords words;
  for (uint32_t begin = 0; begin == 0 || begin < end; begin += TableWords::kInputs) {
    const uint32_t count = end - begin < TableWords::kInputs ? end - begin : TableWords::kInputs;
    words.collect(vectors.table, inputs + begin, count);
    for (int k = 0; k < vectors.count && begin == 0; ++k) {
      const Int place = vectors.place[k];
      const PrimitiveTable& table = vectors.table;
      const ClipVertex corner[3] = {table.corner_at(0, place), table.corner_at(1, place), table.corner_at(2, place)};
      find_surface(run, draw, corner, LanePlaces(w, run, vectors.first[k], places), surfaces[k]);
      fill_others(w, run, places, surfaces[k], vectors.first[k]);
    }
    for (uint32_t i = 0; i < count; ++i) {
      const ProgramInput input = inputs[begin + i];
      if (!places.takes(input)) continue;
      uint32_t* const input_lanes = run.registers() + int(input.number) * kRunLanes;
      for (int k = 0; k < vectors.count; ++k) {
        const auto pick = [&](int c) { return words.pick(i, c, vectors.place[k]); };
        if (!TableWords::varies(input)) {
          w.store(input_lanes + vectors.first[k], pick(0));
          continue;
        }
        const Float corners[3] = {as_float(pick(0)), as_float(pick(1)), as_float(pick(2))};
        const Vec3<Warp>& weights = input.source == InputSource::smooth ? surfaces[k].smooth : surfaces[k].linear;
        w.store(input_lanes + vectors.first[k], as_uint(VaryingSteps(corners).at(weights.y, weights.z)));
      }
    }
  }
}

// Returns true if whole tiles of the program's run can be filled by fill_tile.
BROKKR_FN bool has_only_varyings(const ProgramRun& run) {
  return !is_flat(run) && run.program.other_inputs == 0 &&
         (run.program.bits & (kProgramWindow | kProgramTwoSided)) == 0;
}

// Fills the inputs of all vectors of a tile, whose samples belong to one primitive. This is the usual case inside of
// large triangles. Its loops have constant bounds, so compilers unroll them.
BROKKR_FN void fill_tile(Warp& w, const ProgramRun& run, const DrawRecord& draw, const OnePrimitive& one) {
  Float across[kTileColumns][3], along[kTileRows][3], second[kTileVectors], third[kTileVectors];
  const Float x = to_float(tile_x(w.lane()) + run.x0) + 0.5f, y = to_float(tile_y(w.lane()) + run.y0) + 0.5f;
  for (int i = 0; i < kTileColumns; ++i)
    corners_across(draw, one.corner, x + float(i * kTile / kTileColumns), across[i]);
  for (int i = 0; i < kTileRows; ++i) corners_along(draw, one.corner, y + float(i * kTile / kTileRows), along[i]);
  for (int k = 0; k < kTileVectors; ++k) {
    const Vec3<Warp> weights =
        weights_at(one.corner, across[kVectorPlaces.column[k]], along[kVectorPlaces.row[k]]).value;
    second[k] = weights.y;
    third[k] = weights.z;
  }
  const OneVaryings varyings = one.varyings;
  const ProgramInput* const inputs = run.tables.inputs + run.program.first_input;
  const uint32_t end = run.program.varying_inputs;
  uint32_t* const registers = run.registers();
  for (uint32_t i = 0; i < end; ++i) {
    const ProgramInput input = inputs[i];
    uint32_t* const input_lanes = registers + int(input.number) * kRunLanes;
    const bool interpolates = input.source == InputSource::smooth;
    if (!interpolates || varyings.is_same(input.component)) {
      const Uint same = input.source == InputSource::primitive ? varyings.number() : varyings.flat(input.component);
      for (int k = 0; k < kTileVectors; ++k) w.store(input_lanes + k * kWidth, same);
      continue;
    }
    Float word[3];
    varyings.words(input.component, word);
    const VaryingSteps steps(word);
    for (int k = 0; k < kTileVectors; ++k) w.store(input_lanes + k * kWidth, as_uint(steps.at(second[k], third[k])));
  }
}

// Fills the inputs of all active lanes, each of which may have its own primitive.
template <class Places>
BROKKR_FN void fill_inputs(Warp& w, const ProgramRun& run, const Places& places, const DrawRecord& draw,
                           NoPrimitives&) {
  const ProgramMemory& memory = run.memory;
  PrimitiveRun cached_run(run.frame, draw, memory.lane_primitive[0]);
  OnePrimitive primitive;
  Run opened;
  const auto open = [&](uint32_t number) -> const Run& {
    open_run(run.frame, number, opened);
    return opened;
  };
  for (int g = 0; g < memory.lanes; g += w.width) {
    fill_mixed(w, run, places, draw, g, [&](uint32_t number) -> const OnePrimitive& {
      find_primitive(run, draw, cached_run, number, primitive, open);
      return primitive;
    });
  }
}

// Leaves the inputs of lanes g .. g + width - 1, which belong to one primitive, to a compiled shader.
BROKKR_FN void leave_to_shader(Warp& w, shader::ShaderInputs& inputs, const OneVaryings& varyings,
                               const LaneSurface& surface, int g) {
  const int vector = g / kWidth;
  inputs.vectors |= 1u << uint32_t(vector);
  for (int i = 0; i < 3; ++i) inputs.varyings[vector][i] = varyings.corner_words[i];
  w.store(inputs.second + g, surface.smooth.y);
  w.store(inputs.third + g, surface.smooth.z);
}

// Fills the inputs of a run's vectors, whose samples belong to one primitive. `inputs`: null unless a compiled shader
// interpolates them.
template <class Places>
BROKKR_FN void fill_one(Warp& w, const ProgramRun& run, const Places& places, const DrawRecord& draw,
                        const OnePrimitive& one, shader::ShaderInputs* inputs) {
  const ProgramMemory& memory = run.memory;
  const OneVaryings varyings = one.varyings;
  LaneSurface surfaces[kTileVectors];
  int first[kTileVectors], count = 0;
  // Vectors in the same column or row of a tile share a coordinate of the corners.
  const bool shares =
      Places::kUniform && memory.in_place != 0 && !is_flat(run) && count_bits(memory.vectors) > kTileRows / 2;
  Float across[kTileColumns][3], along[kTileRows][3];
  if (shares) {
    const Float x = to_float(tile_x(w.lane()) + run.x0) + places.x(w, run, 0),
                y = to_float(tile_y(w.lane()) + run.y0) + places.y(w, run, 0);
    for (int i = 0; i < kTileColumns; ++i)
      corners_across(draw, one.corner, x + float(i * kTile / kTileColumns), across[i]);
    for (int i = 0; i < kTileRows; ++i) corners_along(draw, one.corner, y + float(i * kTile / kTileRows), along[i]);
  }
  for (uint32_t left = memory.vectors; left != 0; left &= left - 1) {
    const int g = lowest_bit(left) * w.width;
    LaneSurface& surface = surfaces[count];
    if (shares) {
      const int vector = lowest_bit(left);
      find_surface(run, draw, one.corner, across[kVectorPlaces.column[vector]], along[kVectorPlaces.row[vector]],
                   surface);
      if (run.program.other_inputs != 0) {
        const LanePlaces lanes(w, run, g, places);
        surface.x = lanes.x;
        surface.y = lanes.y;
      }
    } else {
      find_surface(run, draw, one.corner, LanePlaces(w, run, g, places), surface);
    }
    first[count++] = g;
    if (inputs != nullptr)
      leave_to_shader(w, *inputs, varyings, surface, g);
    else
      fill_others(w, run, places, surface, g);
  }
  if (inputs == nullptr) interpolate_varyings(w, run, places, varyings, LaneVectors{surfaces, first, count});
}

// The same for warps whose lanes share primitives.
template <class Places>
BROKKR_FN void fill_inputs(Warp& w, const ProgramRun& run, const Places& places, const DrawRecord& draw,
                           KeptPrimitives& kept) {
  const ProgramMemory& memory = run.memory;
  shader::ShaderInputs& inputs = kept.shader_inputs;
  const bool by_shader = Places::kUniform && (run.program.bits & kProgramSmooth) != 0 && compiled_of(run) != nullptr;
  inputs.vectors = 0;
  inputs.inputs = run.tables.inputs + run.program.first_input;
  const auto primitive_of = [&](uint32_t number) -> const OnePrimitive& {
    return kept_primitive(run, draw, kept, number);
  };
  if (memory.one_primitive != 0) {
    const OnePrimitive& one = primitive_of(memory.lane_primitive[lowest_bit(memory.vectors) * w.width]);
    if (Places::kUniform && memory.in_place != 0 && 2 * count_bits(memory.vectors) >= kTileVectors &&
        has_only_varyings(run))
      return fill_tile(w, run, draw, one);
    return fill_one(w, run, places, draw, one, by_shader ? &inputs : nullptr);
  }
  const bool by_table = !is_flat(run) && (run.program.bits & kProgramTwoSided) == 0;
  TableVectors mixed;
  const auto fill_several = [&] {
    if (mixed.count == 1)
      fill_mixed(w, run, places, draw, mixed.first[0], primitive_of);
    else if (mixed.count > 1)
      fill_from_table(w, run, places, draw, mixed);
    mixed.count = mixed.table.count = 0;
  };
  for (uint32_t left = memory.vectors; left != 0; left &= left - 1) {
    const int g = lowest_bit(left) * w.width;
    const Uint primitives = w.load(memory.lane_primitive + g);
    // Usually a vector belongs to one primitive.
    const uint32_t number = memory.lane_primitive[g];
    if (w.any(primitives != number)) {
      if (!by_table) {
        fill_mixed(w, run, places, draw, g, primitive_of);
        continue;
      }
      Int place;
      if (!mixed.table.find(w, memory.lane_primitive + g, primitive_of, place)) {
        fill_several();
        mixed.table.find(w, memory.lane_primitive + g, primitive_of, place);
      }
      mixed.place[mixed.count] = place;
      mixed.first[mixed.count++] = g;
      continue;
    }
    const OnePrimitive& one = primitive_of(number);
    const OneVaryings varyings = one.varyings;
    LaneSurface surface;
    find_surface(run, draw, one.corner, LanePlaces(w, run, g, places), surface);
    if (by_shader) {
      leave_to_shader(w, inputs, varyings, surface, g);
      continue;
    }
    interpolate_varyings(w, run, places, varyings, LaneVectors{&surface, &g, 1});
    fill_others(w, run, places, surface, g);
  }
  fill_several();
}

// Fills the inputs of a run at the centres of pixels (run_program).
struct FillAtCentres {
  template <class Primitives>
  BROKKR_FN void operator()(Warp& w, const ProgramRun& run, const DrawRecord& draw, Primitives& kept) const {
    fill_inputs(w, run, PixelCentres{}, draw, kept);
  }
};

BROKKR_MACHINE_END
