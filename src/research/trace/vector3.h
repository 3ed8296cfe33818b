// Three floats per lane.
#pragma once

#include "machine/machine.h"

BROKKR_MACHINE_BEGIN
namespace trace_machine {

struct V3 {
  Float x = 0.0f, y = 0.0f, z = 0.0f;
  BROKKR_FN friend V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  BROKKR_FN friend V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  BROKKR_FN friend V3 operator*(V3 a, V3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
  BROKKR_FN friend V3 operator*(V3 a, Float s) { return {a.x * s, a.y * s, a.z * s}; }
  BROKKR_FN V3 operator-() const { return {-x, -y, -z}; }
};
BROKKR_FN V3 all_of(Float s) { return {s, s, s}; }
BROKKR_FN V3 uniform(const float (&v)[3]) { return {v[0], v[1], v[2]}; }
BROKKR_FN Float dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
BROKKR_FN V3 cross(V3 a, V3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
BROKKR_FN V3 select3(Mask m, V3 a, V3 b) { return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)}; }
BROKKR_FN V3 normalized(V3 a) {
  const Float length = sqrt(maximum(dot(a, a), 1e-30f));
  return a * (1.0f / length);
}
BROKKR_FN Float largest(V3 a) { return maximum(a.x, maximum(a.y, a.z)); }
BROKKR_FN Float luminance(V3 a) { return a.x * 0.2126f + a.y * 0.7152f + a.z * 0.0722f; }

// Gathers word `word` of record `i`; records have `words` words. gather_vector gathers three words from it on.
BROKKR_FN Float gather_word(Warp& w, const void* records, Uint i, int words, int word, Mask m) {
  return w.gather(static_cast<const float*>(records) + word, as_int(i * uint32_t(words)), m);
}
BROKKR_FN Uint gather_bits(Warp& w, const void* records, Uint i, int words, int word, Mask m) {
  return w.gather(static_cast<const uint32_t*>(records) + word, as_int(i * uint32_t(words)), m);
}
BROKKR_FN V3 gather3(Warp& w, const void* records, Uint i, int words, int word, Mask m) {
  return {gather_word(w, records, i, words, word, m), gather_word(w, records, i, words, word + 1, m),
          gather_word(w, records, i, words, word + 2, m)};
}

}  // namespace trace_machine
BROKKR_MACHINE_END
