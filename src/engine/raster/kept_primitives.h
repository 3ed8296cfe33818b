// Attributes of primitives, as lanes of programs and of shading modes read them, and caches of primitives. A triangle
// usually covers several vectors and several tiles, so caching saves work.
#pragma once

#include <type_traits>

#include "geometry/vertex.h"
#include "shader/compiled_call.h"

BROKKR_MACHINE_BEGIN

// The varyings of one primitive, the same in all lanes.
struct OneVaryings {
  const uint32_t* corner_words[3];
  uint32_t provoking;  // corner
  uint32_t triangle;   // gl_PrimitiveID

  // A component at the three corners.
  BROKKR_FN void words(uint32_t component, Float (&word)[3]) const {
    for (int i = 0; i < 3; ++i) word[i] = as_float(Uint(vertex_word(corner_words[i] + component)));
  }
  // Returns true if the component is the same at all corners, to the bit.
  BROKKR_FN bool is_same(uint32_t component) const {
    const uint32_t first = vertex_word(corner_words[0] + component);
    return first == vertex_word(corner_words[1] + component) && first == vertex_word(corner_words[2] + component);
  }
  BROKKR_FN Uint flat(uint32_t component) const { return Uint(vertex_word(corner_words[provoking] + component)); }
  BROKKR_FN Uint number() const { return Uint(triangle); }
};

// The corners are in clip space, with x and y scaled to pixels.
struct OnePrimitive {
  ClipVertexOf<float> corner[3];  // unset if no lane needs a surface
  OneVaryings varyings;
};

// A cache for a warp whose lanes share primitives. Each primitive can be in one place only, and neighbours have
// different places. If it has fewer places, the next row of tiles finds fewer primitives of the last one.
struct KeptPrimitives {
  static constexpr uint32_t kCount = 64;
  uint32_t number[kCount];
  OnePrimitive primitive[kCount];
  Run opened;                          // the last one, because neighbours usually belong to the same
  shader::ShaderInputs shader_inputs;  // of the current run of the program

  KeptPrimitives() {
    for (uint32_t& none : number) none = kNoPrimitive;
  }
};
struct NoPrimitives {};
using PrimitiveMemory = std::conditional_t<Warp::takes_turns, KeptPrimitives, NoPrimitives>;

// The corners of primitives that shading modes interpolate. Each lane has its own primitive, or all share one. `get`
// reads a field: get(f) is f(this), and so are the lanes of PickedSurfaces. kIsScaled: x and y of `clip` are in pixels.
// kHasMaterial: all draws have materials.
template <class T>
struct SurfaceOf {
  T position[3][4];  // in object space. w: only for captured clip-space positions
  T normal[3][3];
  T texcoord[3][2];
  ClipVertexOf<T> clip[3];

  static constexpr bool kIsScaled = false, kHasMaterial = false;
  template <class Field>
  BROKKR_FN T get(Field&& field) const {
    return field(*this);
  }
};
using OneSurface = SurfaceOf<float>;

// At most kMax primitives, one for each lane. A field is selected where it is used, so that it needs no register
// before.
template <int kMax>
struct PickedSurfaces {
  const OneSurface* surfaces[kMax];
  Mask lanes[kMax];  // the first primitive belongs to all other lanes

  static constexpr bool kIsScaled = false, kHasMaterial = false;
  template <class Field>
  BROKKR_FN Float get(Field&& field) const {
    Float value = field(*surfaces[0]);
    for (int i = 1; i < kMax; ++i) value = select(lanes[i], field(*surfaces[i]), value);
    return value;
  }
};

// The corners of primitives of one run, one primitive per lane. The lanes of a vector of samples then read each field
// by one exchange of lanes. x and y of clip space are scaled to pixels.
struct SurfaceTable {
  static constexpr int kCount = kWidth;
  SurfaceOf<Warp::Spilled<float>> surfaces{};  // lanes without a primitive hold finite numbers
  uint32_t number[kCount];                     // the primitives

  SurfaceTable() {
    for (uint32_t& none : number) none = kNoPrimitive;
  }
};
// The corners for samples, each of which has its own lane of a table.
struct SurfacesOfTable {
  const SurfaceTable& table;
  Int lane;

  static constexpr bool kIsScaled = true, kHasMaterial = true;
  template <class Field>
  BROKKR_FN Float get(Field&& field) const {
    return Warp::shuffle(field(table.surfaces).lanes(), lane);
  }
};

// A cache like KeptPrimitives, for shading modes. A primitive belongs to one run, so its number identifies it.
struct KeptSurfaces {
  static constexpr uint32_t kCount = 32;
  uint32_t number[kCount];
  OneSurface surface[kCount];
  SurfaceTable table;

  KeptSurfaces() {
    for (uint32_t& none : number) none = kNoPrimitive;
  }
};
struct NoSurfaces {};
using SurfaceMemory = std::conditional_t<Warp::takes_turns, KeptSurfaces, NoSurfaces>;

BROKKR_MACHINE_END
