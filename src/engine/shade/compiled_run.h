// Runs a compiled shader on a CPU, one vector of samples after another.
#pragma once

#include "shade/compiled_shader.h"
#include "shade/texture_plain.h"
#include "shade/varying_steps.h"
#include "shader/call.h"
#include "shader/program_tables.h"

BROKKR_MACHINE_BEGIN

BROKKR_FN Uint load(const uint32_t* p) {
  Native<uint32_t> n;
  __builtin_memcpy(&n, p, sizeof n);
  return Uint(Vector<uint32_t>(n));
}
BROKKR_FN void store(uint32_t* p, Uint a) { __builtin_memcpy(p, &a.v.n, sizeof a.v.n); }
BROKKR_FN uint32_t bits_of(Mask m) { return Warp::ballot(m); }
BROKKR_FN Mask lanes_of(uint64_t bits) {
#if defined(BROKKR_LANES_BY_AVX512) && BROKKR_HAS(cvtmask2d512)
  return Mask(MaskBits(__builtin_ia32_cvtmask2d512(uint16_t(bits))));
#endif
  Native<uint32_t> number;
  for (int i = 0; i < kWidth; ++i) number[i] = uint32_t(1) << i;
  const Uint own{Vector<uint32_t>(number)};
  return (Uint(uint32_t(bits)) & own) == own;
}

// Permutes the lanes of each quad: f(i) is the source lane of lane i. Compilers emit one instruction for an explicit
// list of lanes; a loop over lanes becomes scalar code.
#define BROKKR_FOUR_LANES(f, i) f(i), f(i + 1), f(i + 2), f(i + 3)
#if BROKKR_LANES == 16
#define BROKKR_ALL_LANES(f) \
  BROKKR_FOUR_LANES(f, 0), BROKKR_FOUR_LANES(f, 4), BROKKR_FOUR_LANES(f, 8), BROKKR_FOUR_LANES(f, 12)
#elif BROKKR_LANES == 8
#define BROKKR_ALL_LANES(f) BROKKR_FOUR_LANES(f, 0), BROKKR_FOUR_LANES(f, 4)
#elif BROKKR_LANES == 4
#define BROKKR_ALL_LANES(f) BROKKR_FOUR_LANES(f, 0)
#endif
#define BROKKR_BESIDE(i) ((i) ^ 1)
#define BROKKR_ABOVE(i) ((i) ^ 2)
#define BROKKR_FIRST(i) ((i) & ~3)
#define BROKKR_THIRD(i) (((i) & ~3) + 2)
#if defined(BROKKR_ALL_LANES) && __has_builtin(__builtin_shufflevector)
#define BROKKR_SHUFFLED(n, f) __builtin_shufflevector(n, n, BROKKR_ALL_LANES(f))
#else
template <class T, class F>
BROKKR_FN T shuffled(T n, F&& source_lane) {
  T result;
  for (int i = 0; i < kWidth; ++i) result[i] = n[source_lane(i)];
  return result;
}
#define BROKKR_SHUFFLED(n, f) shuffled(n, [](int i) { return f(i); })
#endif
#define BROKKR_SECOND(i) ((i) | 1)
#define BROKKR_UPPER(i) ((i) | 2)
#define BROKKR_EVEN(i) ((i) & ~1)
#define BROKKR_LOWER(i) ((i) & ~2)
// The value of the lane whose number differs in `bit`, which is 1 or 2.
template <class T>
BROKKR_FN T of_other_lane(T n, int bit) {
  return bit == 1 ? BROKKR_SHUFFLED(n, BROKKR_BESIDE) : BROKKR_SHUFFLED(n, BROKKR_ABOVE);
}
// The value of lane 0 or 2 of the quad.
template <class T>
BROKKR_FN T of_quad_lane(T n, int lane) {
  return lane == 0 ? BROKKR_SHUFFLED(n, BROKKR_FIRST) : BROKKR_SHUFFLED(n, BROKKR_THIRD);
}

// A sampler whose texture is known. The copy stays in registers or on the stack: compilers must assume that stores of
// outputs change the textures' table.
struct KnownSampler {
  const SampledRecord* record;  // any other one if the sampler has none, which lookups that are reached always have
  SampledRecord texture;
  int32_t quad_lane;
  mutable bool blocks;  // UsualKind::blocks, for the vectors of the run

  BROKKR_FN KnownSampler(const CompiledCall& call, uint32_t sampler)
      : record(call.sampled + (call.samplers[sampler].record < 0 ? 0 : call.samplers[sampler].record)),
        texture(*record),
        quad_lane(call.samplers[sampler].quad_lane),
        blocks(true) {}
};

// Shaders with at most this many lookups contain them; more would take compilers too long. clang computes once what
// lookups share, such as the row of those along a line.
#if defined(__clang__)
inline constexpr uint32_t kMaxInlined = 16;
#else
inline constexpr uint32_t kMaxInlined = 4;
#endif

// Shaders with at most this many lookups also contain the filters of texels at the edges of levels, which small
// textures use often.
inline constexpr uint32_t kMaxInlinedEdges = 2;

// A lookup whose parameters are in `kKnown` (KnownBit). At least one lane of m is set.
template <uint32_t kKnown, bool kApart>
BROKKR_FN Vec4<Warp> look_up_usual(const UsualLookup& look, bool* blocks, Float u, Float v, Float detail) {
  Warp w;
  const KnownUsualKind<kKnown, kApart> kind{blocks};
  if constexpr ((kKnown & shader::kKnownNearest) != 0) return nearest_two(w, look, kind, u, v, detail);
  return usual_two(w, look, kind, u, v, detail);
}

// In shaders with many lookups, those with the same parameters share one function.
template <uint32_t kKnown>
BROKKR_FN_NOINLINE Vec4<Warp> look_up_shared(const SampledRecord* texture, const uint32_t* texels, Mask m, Float u,
                                             Float v, Float detail) {
  return look_up_usual<kKnown, true>({texture, texels, m, texture}, nullptr, u, v, detail);
}
// The same for a plain texture (KnownBit) of kAxes axes.
template <uint32_t kKnown, int kAxes>
BROKKR_FN_NOINLINE Vec4<Warp> look_up_plain(const SampledRecord* texture, const uint32_t* texels, Mask m,
                                            const Uint (&coordinates)[3], Float detail) {
  Warp w;
  return plain_lookup<kAxes>(w, {texture, texels, m, 0.0f}, KnownPlainKind<kKnown, false>(),
                             {as_float(coordinates[0]), as_float(coordinates[1]), as_float(coordinates[2])}, detail);
}
// The same for a lookup that compares. The reference follows the `coordinates`.
template <uint32_t kKnown, int kAxes>
BROKKR_FN_NOINLINE Vec4<Warp> look_up_compared(const SampledRecord* texture, const uint32_t* texels, Mask m,
                                               const Uint (&coordinates)[3], Float detail) {
  Warp w;
  const Float given = as_float(coordinates[kAxes]), reference = texture->clamps_reference ? saturate(given) : given;
  return plain_lookup<kAxes>(w, {texture, texels, m, reference}, KnownPlainKind<kKnown, true>(),
                             {as_float(coordinates[0]), as_float(coordinates[1]), 0.0f}, detail);
}

inline constexpr uint64_t kVectorBits = (uint64_t(1) << kWidth) - 1;

// State of one vector of a run.
struct VectorRun {
  static constexpr uint32_t kLanes = 64;  // CompiledCall::lanes as a constant, which becomes a part of addresses

  CompiledCall& call;
  uint32_t first;  // first lane
  uint32_t keep;   // bit i belongs to lane first + i

  BROKKR_FN VectorRun(CompiledCall& c, uint32_t vector)
      : call(c), first(vector * kWidth), keep(uint32_t(c.keep >> first & kVectorBits)) {}

  BROKKR_FN Uint input(uint32_t number) const { return load(call.registers + number * kLanes + first); }
  BROKKR_FN Uint preset(uint32_t index) const { return Uint(call.presets[index].bits); }
  BROKKR_FN Mask mask(uint32_t number) const { return lanes_of(call.masks[number] >> first); }
  BROKKR_FN void output(uint32_t word, Uint value) const { store(call.outputs + word * kLanes + first, value); }

  // Discards the lanes of m. Returns true if any sample is left.
  BROKKR_FN bool discard(Mask m) {
    keep &= ~bits_of(m);
    return keep != 0;
  }
  // Ends a loop iteration; `iterations` counts the iterations of this loop.
  BROKKR_FN bool repeat(Mask m, uint32_t& iterations) const {
    constexpr uint32_t kMaxOfRun = shader::kMaxIterationsOfRun;
    if (!any(m)) return false;
    if (++iterations >= shader::kMaxIterations || call.iterations >= kMaxOfRun) {
      call.cut = 1;
      return false;
    }
    if (++call.iterations % 256 == 0 && call.abort != nullptr &&
        *static_cast<const volatile uint32_t*>(call.abort) != 0)
      call.iterations = kMaxOfRun;
    return call.iterations < kMaxOfRun;
  }
  BROKKR_FN static Uint change(Uint a, Mask m, int bit) {
    const Float own = as_float(a), beside = Float(Vector<float>(of_other_lane(own.v.n, bit)));
    const Mask both = m && Mask(MaskBits(of_other_lane(m.m.n, bit)));
    Native<uint32_t> upper;
    for (int i = 0; i < kWidth; ++i) upper[i] = uint32_t(i & bit);
    const Float difference = select(Uint(Vector<uint32_t>(upper)) != Uint(0u), own - beside, beside - own);
    return as_uint(select(both, difference, 0.0f));
  }
  // The same if no quad has lanes both inside and outside m.
  BROKKR_FN static Uint change_in_quad(Uint a, int bit) {
    const Native<float> own = as_float(a).v.n;
    const Native<float> high = bit == 1 ? BROKKR_SHUFFLED(own, BROKKR_SECOND) : BROKKR_SHUFFLED(own, BROKKR_UPPER);
    const Native<float> low = bit == 1 ? BROKKR_SHUFFLED(own, BROKKR_EVEN) : BROKKR_SHUFFLED(own, BROKKR_LOWER);
    return as_uint(Float(Vector<float>(high - low)));
  }
  BROKKR_FN static uint32_t inside(uint32_t index, uint32_t length) {
    const auto i = int32_t(index);
    return i < 0 ? 0 : index < length ? index : length - 1;
  }
  BROKKR_FN static Uint element(const Uint* cells, uint32_t length, Uint index) {
    Uint a;
    for (int i = 0; i < kWidth; ++i) a.v.n[i] = cells[inside(index.v.n[i], length)].v.n[i];
    return a;
  }
  BROKKR_FN static void set_element(Uint* cells, uint32_t length, Uint index, Uint value, Mask m) {
    for (int i = 0; i < kWidth; ++i) {
      if (m.m.n[i] != 0) cells[inside(index.v.n[i], length)].v.n[i] = value.v.n[i];
    }
  }
  BROKKR_FN Uint uniform_at(Uint index) const {
    Uint a;
    for (int i = 0; i < kWidth; ++i) a.v.n[i] = call.uniforms[inside(index.v.n[i], call.uniform_words)];
    return a;
  }

  // Computes detail_of for a texture of kind one, two or three. With `of_quad`, all lanes use one sample's level.
  template <int kAxes>
  BROKKR_FN static Uint detail_along(const KnownSampler& sampler, bool of_quad, const Uint (&dx)[kAxes],
                                     const Uint (&dy)[kAxes]) {
    const float size[3] = {float(sampler.texture.width), float(sampler.texture.height), float(sampler.texture.depth)};
    const auto span = [&](const Uint(&change)[kAxes]) {
      Float sum = 0.0f;
      for (int axis = 0; axis < kAxes; ++axis) {
        const Float x = as_float(change[axis]) * size[axis];
        sum = axis == 0 ? x * x : sum + x * x;
      }
      return sum;
    };
    const Float right = span(dx), upwards = span(dy);
    const Float rho = of_quad && sampler.texture.anisotropic ? minimum(right, upwards) : maximum(right, upwards);
    const Float own = detail_of_span(rho);
    if (!of_quad) return as_uint(own);
    const Float quad_value = Float(Vector<float>(of_quad_lane(own.v.n, sampler.quad_lane)));
    return as_uint(select(quad_value > kLeastDetail, quad_value, own));
  }
  BROKKR_FN static void take(Uint* results, const Vec4<Warp>& texel) {
    results[0] = as_uint(texel.x);
    results[1] = as_uint(texel.y);
    results[2] = as_uint(texel.z);
    results[3] = as_uint(texel.w);
  }
  BROKKR_FN static void take_nothing(Uint* results) {
    for (int i = 0; i < shader::kMaxResults; ++i) results[i] = Uint(0u);
  }
  // `kLookups`: the number of the shader's lookups.
  template <uint32_t kKnown, uint32_t kLookups>
  BROKKR_FN void look_up_usual(const KnownSampler& sampler, Uint* results, Mask m, Uint u, Uint v, Uint detail) const {
    if (!any(m)) return take_nothing(results);
    if constexpr (kLookups <= kMaxInlined) {
      constexpr bool kHasLevels = shader::mip_of_known(kKnown) != MipFilter::none;
      const UsualLookup look{&sampler.texture, call.texels, m, sampler.record};
      bool* const blocks = kHasLevels ? nullptr : &sampler.blocks;
      constexpr bool kApart = kLookups > kMaxInlinedEdges;
      take(results, brokkr::look_up_usual<kKnown, kApart>(look, blocks, as_float(u), as_float(v), as_float(detail)));
    } else {
      take(results,
           brokkr::look_up_shared<kKnown>(sampler.record, call.texels, m, as_float(u), as_float(v), as_float(detail)));
    }
  }
  BROKKR_FN const SampledRecord* texture(uint32_t sampler) const {
    return call.sampled + call.samplers[sampler].record;
  }
  template <uint32_t kKnown, int kAxes>
  BROKKR_FN void look_up_plain(uint32_t sampler, Uint* results, Mask m, const Uint (&coordinates)[3],
                               Uint detail) const {
    if (!any(m)) return take_nothing(results);
    take(results,
         brokkr::look_up_plain<kKnown, kAxes>(texture(sampler), call.texels, m, coordinates, as_float(detail)));
  }
  template <uint32_t kKnown, int kAxes>
  BROKKR_FN void look_up_compared(uint32_t sampler, Uint* results, Mask m, const Uint (&coordinates)[3],
                                  Uint detail) const {
    if (!any(m)) return take_nothing(results);
    take(results,
         brokkr::look_up_compared<kKnown, kAxes>(texture(sampler), call.texels, m, coordinates, as_float(detail)));
  }
  template <class... Operands>
  BROKKR_FN void look_up(uint32_t op, uint32_t extra, Uint* results, Mask m, Operands... operands) const {
    alignas(64) uint32_t values[(shader::kMaxResults + shader::kMaxOperands) * kWidth];
    uint32_t* next = values + shader::kMaxResults * kWidth;
    ((store(next, operands), next += kWidth), ...);
    call.look_up(call.host, op, extra, bits_of(m), values);
    for (int i = 0; i < shader::kMaxResults; ++i) results[i] = load(values + i * kWidth);
  }
};

// The inputs of vectors whose samples belong to one primitive: `kCount` smooth varyings. Consecutive vectors usually
// share the primitive, so its steps are kept.
template <uint32_t kCount>
class SmoothInputs {
 public:
  // Takes the inputs of the run's vector. Returns false if the shader does not interpolate them.
  BROKKR_FN bool take(const VectorRun& run) {
    const shader::ShaderInputs* const all = run.call.inputs;
    const uint32_t vector = run.first / kWidth;
    if (all == nullptr || (all->vectors >> vector & 1) == 0) return false;
    const uint32_t* const(&corner_words)[3] = all->varyings[vector];
    if (corner_words[0] != corner_words_[0] || corner_words[1] != corner_words_[1] ||
        corner_words[2] != corner_words_[2]) {
      for (int k = 0; k < 3; ++k) corner_words_[k] = corner_words[k];
      for (uint32_t i = 0; i < kCount; ++i) {
        const uint32_t component = all->inputs[i].component;
        steps_[i] =
            VaryingSteps({as_float(Uint(corner_words[0][component])), as_float(Uint(corner_words[1][component])),
                          as_float(Uint(corner_words[2][component]))});
      }
    }
    __builtin_memcpy(&second_.v.n, all->second + run.first, sizeof second_.v.n);
    __builtin_memcpy(&third_.v.n, all->third + run.first, sizeof third_.v.n);
    return true;
  }
  BROKKR_FN Uint at(uint32_t i) const { return as_uint(steps_[i].at(second_, third_)); }

 private:
  const uint32_t* corner_words_[3] = {};
  VaryingSteps steps_[kCount];
  Float second_, third_;
};

// Runs `vector` for each vector of the run that has active lanes. Works on a copy of the call, which stores cannot
// change, so that its pointers stay in registers.
template <class F>
BROKKR_FN void run_vectors(CompiledCall& given, F&& vector) {
  CompiledCall call = given;
  uint64_t keep = 0;
  for (uint32_t rest = call.vectors; rest != 0; rest &= rest - 1) {
    VectorRun run(call, uint32_t(lowest_bit(rest)));
    if (vector(run)) keep |= uint64_t(run.keep) << run.first;
  }
  given.keep = keep;
  given.cut = call.cut;
}

BROKKR_MACHINE_END
