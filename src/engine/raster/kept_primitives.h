// Attributes of primitives as lanes of programs read them, and a cache of primitives: a triangle usually covers several
// vectors and several tiles.
#pragma once

#include <type_traits>

#include "geometry/vertex.h"

BROKKR_MACHINE_BEGIN

// The varyings of one primitive, the same in all lanes.
struct OneVaryings {
  const uint32_t* of[3];
  uint32_t provoking;  // corner
  uint32_t triangle;   // gl_PrimitiveID

  BROKKR_FN Uint word(int corner, uint32_t component) const { return Uint(of[corner][component]); }
  BROKKR_FN Uint flat(uint32_t component) const { return Uint(of[provoking][component]); }
  BROKKR_FN Uint number() const { return Uint(triangle); }
};

// The corners are in clip space, with x and y scaled to pixels.
struct OnePrimitive {
  ClipVertexOf<float> corner[3];  // unset if no lane needs a surface
  OneVaryings varyings;
};

// A cache of a warp whose lanes share primitives. Each primitive has one possible place, chosen so that neighbours do
// not evict each other.
struct KeptPrimitives {
  static constexpr uint32_t kCount = 16;
  uint32_t number[kCount];
  OnePrimitive primitive[kCount];

  KeptPrimitives() {
    for (uint32_t& none : number) none = kNoPrimitive;
  }
};
struct NoPrimitives {};
using PrimitiveMemory = std::conditional_t<Warp::takes_turns, KeptPrimitives, NoPrimitives>;

BROKKR_MACHINE_END
