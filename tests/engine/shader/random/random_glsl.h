// Random valid fragment shaders in GLSL 4.50, for differential tests and the fuzzer: a seed gives a text, and the
// inputs for its samplers and uniforms.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shader/bound_textures.h"
#include "shader/program.h"

namespace brokkr::shader::test {

// Numbers of a seed [Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014].
class RandomBits {
 public:
  explicit RandomBits(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  // 0 .. count - 1; 0 for a count of 0.
  uint32_t below(uint32_t count) { return uint32_t((next() >> 32) * count >> 32); }
  bool one_in(uint32_t count) { return below(count) == 0; }

 private:
  uint64_t state_;
};

// Types, control flow, functions, textures of all kinds, uniforms, arrays, derivatives. All variables have a value.
// Every loop ends after a few iterations.
// `defined`: OpenGL defines the picture except for the last bits. Integers alone decide control flow, numbers stay
// small and continuous, textures are read at an explicit level, and inputs are "at" and "uv".
std::string random_shader(uint64_t seed, bool defined = false);

// Textures for the samplers of a program, in order: some get none, one without alpha, or one that they cannot read. If
// `defined`, all are filtered and readable.
void bind_random_textures(uint64_t seed, const Program& program, BoundTextures& textures, bool defined = false);

// The bits of all uniform words, and those that the folder knows. Numbers are between -2 and 2, integers are small. If
// not `defined`, some are at the limits of their types.
std::vector<uint32_t> random_uniforms(uint64_t seed, const Program& program, bool defined = false);
std::map<uint32_t, uint32_t> random_known(uint64_t seed, const std::vector<uint32_t>& uniforms);

// Bits of an input word for a sample.
uint32_t random_input(uint64_t seed, uint32_t word, int sample);

}  // namespace brokkr::shader::test
