// The wide interpreter of run-time shaders. Each instruction works on several vectors at once, which divides the cost
// of decoding by their number. A bool of the shader is a word with one bit per lane. One scalar instruction therefore
// combines masks of all lanes, and control flow tests whether a word is 0.
#pragma once

#include "shade/lane_functions.h"
#include "shade/texture_aniso.h"
#include "shader/call.h"

BROKKR_MACHINE_BEGIN

// Vectors per register. A register has 64 lanes on every machine, as a mask has bits and a tile samples. Instructions
// work on the vectors that hold samples (ShaderCall::vectors).
BROKKR_CONSTANT int kShaderVectors = 64 / kWidth;

// `kVectors`: vectors per register.
template <int kVectors>
class InterpreterOf {
 public:
  BROKKR_FN InterpreterOf(Warp& warp, shader::ShaderCall& c)
      : w(warp), call(c), vectors_(c.vectors != 0 ? int(c.vectors) : kVectors) {}

  BROKKR_FN void run() {
    uint32_t iterations[shader::kMaxLoopDepth], iterations_of_run = 0;
    uint64_t keep = call.keep;
    const shader::CodeInstruction* const code = call.code;
    const uint32_t end = call.end;
    for (uint32_t number = call.begin; number < end; ++number) {
      const shader::CodeInstruction& o = code[number];
      switch (o.op) {
        case shader::Op::begin_loop: iterations[o.depth] = 0; [[fallthrough]];
        case shader::Op::begin_if:
          if (call.masks[o.operand[0]] == 0) number = o.extra;
          break;
        case shader::Op::repeat:
          if (call.masks[o.operand[0]] == 0) break;
          if (++iterations[o.depth] < shader::kMaxIterations && goes_on(iterations_of_run))
            number = o.extra;
          else
            w.once([&] { call.cut = 1; });
          break;
        case shader::Op::discard:
          keep &= ~call.masks[o.operand[0]];
          if (keep == 0) number = end;
          break;
        default: compute(o); break;
      }
    }
    w.sync();
    w.once([&] { call.keep = keep; });
  }

  // Executes an operation that asks a sampler (shader::asks_a_sampler).
  BROKKR_FN void ask_sampler(const shader::CodeInstruction& o) {
    switch (o.op) {
      case Op::detail: detail(o); break;
      case Op::sample: sample(o); break;
      case Op::texture_size: texture_size(o); break;
      default: detail_levels(o); break;
    }
  }

 private:
  using Op = shader::Op;
  using Word = Uint;
  static constexpr int kLanes = kVectors * kWidth;

  Warp& w;
  shader::ShaderCall& call;
  const int vectors_;

  // The number of vectors that instructions work on. On CUDA a lane has few, so all are computed.
  BROKKR_FN int vectors() const {
    if constexpr (Warp::takes_turns && kVectors > 1) return vectors_;
    return kVectors;
  }

  // Returns true if another iteration may begin; `iterations_of_run` counts the iterations of all loops. Returns false
  // after an abort.
  BROKKR_FN bool goes_on(uint32_t& iterations_of_run) const {
    if (iterations_of_run >= shader::kMaxIterationsOfRun) return false;
    const auto aborted = [&] { return device_atomic<uint32_t>(*const_cast<uint32_t*>(call.abort)).load(kRelaxed); };
    if (++iterations_of_run % 256 == 0 && call.abort != nullptr && w.uniform(aborted) != 0)
      iterations_of_run = shader::kMaxIterationsOfRun;
    return iterations_of_run < shader::kMaxIterationsOfRun;
  }

  BROKKR_FN uint32_t* place(uint16_t number, int vector) const {
    return call.registers + int(number) * kLanes + vector * kWidth;
  }
  BROKKR_FN static Uint word_of(Uint a) { return a; }
  BROKKR_FN static Uint word_of(Int a) { return as_uint(a); }
  BROKKR_FN static Uint word_of(Float a) { return as_uint(a); }

  // The vectors of a register as T. Its place is computed once: a compiler cannot know that storing vectors changes
  // neither `call` nor the instruction.
  template <class T>
  class Vectors {
   public:
    BROKKR_FN Vectors(const InterpreterOf& interpreter, uint16_t number) {
      if constexpr (std::is_same_v<T, Mask>)
        source_ = interpreter.call.masks[number];
      else
        source_ = interpreter.place(number, 0);
    }
    BROKKR_FN T operator()(int vector) const {
      if constexpr (std::is_same_v<T, Mask>) {
        return Warp::lanes_of(uint32_t(source_ >> (vector * kWidth)));
      } else if constexpr (std::is_same_v<T, Float>) {
        return as_float(Warp::load(source_ + vector * kWidth));
      } else if constexpr (std::is_same_v<T, Int>) {
        return as_int(Warp::load(source_ + vector * kWidth));
      } else {
        return Warp::load(source_ + vector * kWidth);
      }
    }

   private:
    std::conditional_t<std::is_same_v<T, Mask>, uint64_t, const uint32_t*> source_;
  };
  // A register's vector as T.
  template <class T>
  BROKKR_FN T get(uint16_t number, int vector) const {
    return Vectors<T>(*this, number)(vector);
  }
  template <class T>
  BROKKR_FN void store(uint16_t number, int vector, T a) {
    w.store(place(number, vector), word_of(a));
  }

  // Masks belong to the warp. All lanes must have read a mask before one lane changes it.
  BROKKR_FN void put_mask(uint16_t number, uint64_t bits) {
    w.sync();
    w.once([&] { call.masks[number] = bits; });
  }
  // Sets each vector of the register to f(vector).
  template <class T, class F>
  BROKKR_FN void put(uint16_t number, F&& f) {
    if constexpr (std::is_same_v<T, Mask>) {
      uint64_t bits = 0;
      for (int k = 0, end = vectors(); k < end; ++k) bits |= uint64_t(w.ballot(f(k))) << (k * kWidth);
      put_mask(number, bits);
    } else {
      uint32_t* const words = place(number, 0);
      if constexpr (Warp::takes_turns && kVectors > 1) {
        if (vectors_ == kVectors) {  // a whole tile: compilers unroll this loop
          for (int k = 0; k < kVectors; ++k) w.store(words + k * kWidth, word_of(T(f(k))));
          return;
        }
      }
      for (int k = 0, end = vectors(); k < end; ++k) w.store(words + k * kWidth, word_of(T(f(k))));
    }
  }

#define BROKKR_SHADER_OP1(name, R, A, ...)      \
  case Op::name: {                              \
    const Vectors<A> of_a(*this, o.operand[0]); \
    put<R>(o.result[0], [&](int k) {            \
      const A a = of_a(k);                      \
      return __VA_ARGS__;                       \
    });                                         \
    break;                                      \
  }
#define BROKKR_SHADER_OP2(name, R, A, B, ...)   \
  case Op::name: {                              \
    const Vectors<A> of_a(*this, o.operand[0]); \
    const Vectors<B> of_b(*this, o.operand[1]); \
    put<R>(o.result[0], [&](int k) {            \
      const A a = of_a(k);                      \
      const B b = of_b(k);                      \
      return __VA_ARGS__;                       \
    });                                         \
    break;                                      \
  }
#define BROKKR_SHADER_OP3(name, R, A, B, C, ...) \
  case Op::name: {                               \
    const Vectors<A> of_a(*this, o.operand[0]);  \
    const Vectors<B> of_b(*this, o.operand[1]);  \
    const Vectors<C> of_c(*this, o.operand[2]);  \
    put<R>(o.result[0], [&](int k) {             \
      const A a = of_a(k);                       \
      const B b = of_b(k);                       \
      const C c = of_c(k);                       \
      return __VA_ARGS__;                        \
    });                                          \
    break;                                       \
  }
#define BROKKR_SHADER_MASK1(name, ...)           \
  case Op::name: {                               \
    const uint64_t a = call.masks[o.operand[0]]; \
    put_mask(o.result[0], __VA_ARGS__);          \
    break;                                       \
  }
#define BROKKR_SHADER_MASK2(name, ...)                                         \
  case Op::name: {                                                             \
    const uint64_t a = call.masks[o.operand[0]], b = call.masks[o.operand[1]]; \
    put_mask(o.result[0], __VA_ARGS__);                                        \
    break;                                                                     \
  }
#define BROKKR_SHADER_MASK3(name, ...)                                                                       \
  case Op::name: {                                                                                           \
    const uint64_t a = call.masks[o.operand[0]], b = call.masks[o.operand[1]], c = call.masks[o.operand[2]]; \
    put_mask(o.result[0], __VA_ARGS__);                                                                      \
    break;                                                                                                   \
  }

  BROKKR_FN void compute(const shader::CodeInstruction& o) {
    switch (o.op) {
#include "shader/operations.def"
      case Op::reinterpret: put<Word>(o.result[0], Vectors<Word>(*this, o.operand[0])); break;
      case Op::change_x: change(o, 1); break;
      case Op::change_y: change(o, 2); break;
      case Op::set: {
        const Vectors<Word> value(*this, o.operand[0]), old(*this, o.result[0]);
        const Vectors<Mask> lanes(*this, o.operand[1]);
        put<Word>(o.result[0], [&](int k) { return select(lanes(k), value(k), old(k)); });
        break;
      }
      case Op::mask_set: {
        const uint64_t lanes = call.masks[o.operand[1]];
        put_mask(o.result[0], (call.masks[o.operand[0]] & lanes) | (call.masks[o.result[0]] & ~lanes));
        break;
      }
      case Op::element: read_element(o); break;
      case Op::set_element: write_element(o); break;
      case Op::uniform_at: read_uniform(o); break;
      case Op::detail:
      case Op::sample:
      case Op::texture_size:
      case Op::detail_levels: ask_sampler(o); break;
      case Op::output: {
        const Vectors<Word> value(*this, o.operand[0]);
        uint32_t* const words = call.outputs + o.extra * uint32_t(kLanes);
        for (int k = 0, end = vectors(); k < end; ++k) w.store(words + k * kWidth, value(k));
        break;
      }
      default: break;  // control flow is executed by `run`
    }
  }

  // The difference between the two lanes of a pair whose numbers differ in `bit`: the lane with the bit minus the
  // other. It is 0 if the mask lacks a lane of the pair.
  BROKKR_FN void change(const shader::CodeInstruction& o, int bit) {
    const uint64_t lanes = call.masks[o.operand[1]];
    const uint64_t lower = bit == 1 ? 0x5555555555555555u : 0x3333333333333333u;
    const uint64_t pairs = lanes & (lanes >> bit) & lower, both = pairs | pairs << bit;
    const Vectors<Float> value(*this, o.operand[0]);
    put<Float>(o.result[0], [&](int k) {
      const Float own = value(k), other = w.shuffle(own, w.lane() ^ bit);
      const Float difference = select((w.lane() & bit) != 0, own - other, other - own);
      return select(w.lanes_of(uint32_t(both >> (k * kWidth))), difference, 0.0f);
    });
  }

  // The index in `registers` of cell number `index` for each lane; cell 0 is register `first`.
  BROKKR_FN Int element_place(uint16_t first, uint32_t length, Int index, int vector) const {
    const Int cell = clamp_to(index, 0, int(length) - 1) + int(first);
    return cell * kLanes + vector * kWidth + w.lane();
  }
  // Operand 0 is the array's first cell, operand 1 the index.
  BROKKR_FN void read_element(const shader::CodeInstruction& o) {
    put<Word>(o.result[0], [&](int k) {
      const Int index = element_place(o.operand[0], o.extra, get<Int>(o.operand[1], k), k);
      return w.gather(call.registers, index, Mask(true));
    });
  }
  // Operand 0 is the array's first cell, 1 the index, 2 the value, 3 the lanes.
  BROKKR_FN void write_element(const shader::CodeInstruction& o) {
    for (int k = 0, end = vectors(); k < end; ++k) {
      const Int index = element_place(o.operand[0], o.extra, get<Int>(o.operand[1], k), k);
      w.scatter(call.registers, index, get<Word>(o.operand[2], k), get<Mask>(o.operand[3], k));
    }
    w.sync();
  }
  BROKKR_FN void read_uniform(const shader::CodeInstruction& o) {
    put<Word>(o.result[0], [&](int k) {
      const Int index = clamp_to(get<Int>(o.operand[0], k), 0, int(call.uniform_words) - 1);
      return w.gather(call.uniforms, index, Mask(true));
    });
  }

  // The texture that the instruction's sampler reads. Null if there is none, or if the sampler has another kind or
  // number type.
  BROKKR_FN const SampledRecord* texture_of(const shader::CodeInstruction& o) const {
    const int32_t number = call.samplers[o.extra & shader::kSamplerMask].record;
    if (number < 0) return nullptr;
    const SampledRecord* const texture = call.frame->sampled.get() + number;
    return shader::fits(o.extra, *texture) ? texture : nullptr;
  }
  // Gets the operands in `count` registers in vector `vector`, such as the coordinates, in the shader's order.
  template <class T, int kCount>
  BROKKR_FN void get_all(const uint16_t* registers, int count, T (&values)[kCount], int vector) const {
    for (int i = 0; i < kCount; ++i) values[i] = i < count ? get<T>(registers[i], vector) : T(0);
  }

  BROKKR_FN void sample(const shader::CodeInstruction& o) {
    const SampledRecord* const texture = texture_of(o);
    if (texture == nullptr) {
      const Uint one = shader::type_of_sample(o.extra) == SampledType::real ? as_uint(Float(1.0f)) : Uint(1u);
      for (int i = 0; i < shader::kMaxResults; ++i)
        put<Word>(o.result[i], [&](int) { return i == 3 ? one : Uint(0u); });
      return;
    }
    if (goes_usual(o, *texture)) return sample_usual(o, *texture);
    const int count = shader::coordinates_of(texture->kind);
    for (int k = 0, end = vectors(); k < end; ++k) {
      const uint16_t* operand = o.operand + count;
      const Float reference = (o.extra & shader::kSampleCompare) != 0 ? get<Float>(*operand++, k) : Float(0.0f);
      const uint16_t level = (o.extra & shader::kSampleGather) != 0 ? uint16_t(0) : *operand++;
      TextureLookup look{texture, call.frame->sampled_texels.get(), o.extra,
                         texture->clamps_reference ? saturate(reference) : reference, get<Mask>(*operand, k)};
      Int offset[2];
      if (shader::gives_offset(o.extra)) {
        get_all(operand + 1, 2, offset, k);
        look.offset = offset;
      }
      const Vec4<Warp> texel = is_ellipse(o, *texture) ? sampled_ellipse(o, look, count, level, operand + 1, k)
                                                       : sampled(o, look, count, level, k);
      store(o.result[0], k, texel.x);
      store(o.result[1], k, texel.y);
      store(o.result[2], k, texel.z);
      store(o.result[3], k, texel.w);
    }
  }
  // The lane of each lane's quad that determines the level of detail and the derivatives.
  BROKKR_FN Int lane_of_quad(const shader::CodeInstruction& o) const {
    return (w.lane() & ~3) + int(call.samplers[o.extra & shader::kSamplerMask].quad_lane);
  }
  // Returns true for an anisotropic lookup.
  BROKKR_FN static bool is_ellipse(const shader::CodeInstruction& o, const SampledRecord& texture) {
    return texture.anisotropic && (o.extra & shader::kSampleOfQuad) != 0;
  }
  // Returns true if the lookup can take usual_two, or nearest_two on machines where one more function costs nothing.
  BROKKR_FN static bool goes_usual(const shader::CodeInstruction& o, const SampledRecord& texture) {
    constexpr uint32_t kOther = shader::kSampleCompare | shader::kSampleFetch | shader::kSampleGather;
    const bool is_known = (texture.usual && texture.kind == TextureKind::two) || (Warp::takes_turns && texture.nearest);
    return is_known && (o.extra & kOther) == 0 && !shader::has_offset(o.extra) && !is_ellipse(o, texture);
  }
  // Looks up all vectors. `kind`: that of the texture; `opaque`: alpha is 1.
  template <class Kind>
  BROKKR_FN void sample_vectors(const shader::CodeInstruction& o, const SampledRecord& texture, const Kind& kind,
                                bool opaque) {
    constexpr bool kMayBeNearest = Warp::takes_turns && std::is_same_v<Kind, UsualKind>;
    for (int k = 0, end = vectors(); k < end; ++k) {
      const UsualLookup look{&texture, call.frame->sampled_texels.get(), get<Mask>(o.operand[3], k), &texture};
      if (!w.any(look.lanes)) continue;
      const Float u = get<Float>(o.operand[0], k), v = get<Float>(o.operand[1], k), d = get<Float>(o.operand[2], k);
      const Vec4<Warp> texel =
          kMayBeNearest && texture.nearest ? nearest_two(w, look, kind, u, v, d) : usual_two(w, look, kind, u, v, d);
      store(o.result[0], k, texel.x);
      store(o.result[1], k, texel.y);
      store(o.result[2], k, texel.z);
      store(o.result[3], k, Warp::takes_turns && opaque ? Float(1.0f) : texel.w);
    }
  }
  // The same for a texture of a common kind: whatever is equal for all vectors is decided once.
  template <bool kRepeats>
  BROKKR_FN_NOINLINE void sample_common(const shader::CodeInstruction& o, const SampledRecord& texture) {
    bool blocks = texture.levels == 1;  // pictures without levels are often drawn with one texel per pixel
    const CommonUsualKind<kRepeats> kind{usual_kind(texture).mip, &blocks};
    sample_vectors(o, texture, kind, texture.channel[3] == kChannelOne);
  }
  BROKKR_FN_NOINLINE void sample_usual(const shader::CodeInstruction& o, const SampledRecord& texture) {
    const UsualKind kind = usual_kind(texture);
    if constexpr (Warp::takes_turns && kVectors > 1) {
      if (!texture.nearest && is_common(kind))
        return kind.repeats[0] ? sample_common<true>(o, texture) : sample_common<false>(o, texture);
    }
    sample_vectors(o, texture, kind, false);
  }
  // `level`: the register of the level or of the level of detail.
  BROKKR_FN Vec4<Warp> sampled(const shader::CodeInstruction& o, const TextureLookup& look, int count, uint16_t level,
                               int k) {
    if ((o.extra & shader::kSampleFetch) != 0) {
      Int coordinates[4];
      get_all(o.operand, count, coordinates, k);
      return fetched(w, look, coordinates, get<Int>(level, k));
    }
    Float coordinates[4];
    get_all(o.operand, count, coordinates, k);
    return (o.extra & shader::kSampleGather) != 0 ? gathered(w, look, coordinates)
                                                  : looked_up(w, look, coordinates, get<Float>(level, k));
  }

  // `changes`: the registers of the changes to the right, then of the changes upwards.
  BROKKR_FN Vec4<Warp> sampled_ellipse(const shader::CodeInstruction& o, const TextureLookup& look, int count,
                                       uint16_t level, const uint16_t* changes, int k) {
    Float coordinates[4], own[4], of_quad[4];
    get_all(o.operand, count, coordinates, k);
    const Int first = lane_of_quad(o);
    if (shader::is_cube(look.texture->kind)) return covered_of_face(w, look, coordinates, get<Float>(level, k), first);
    get_all(changes, 4, own, k);
    Mask is_there(false);  // the quad's sample is active in this lookup
    for (int i = 0; i < 4; ++i) {
      of_quad[i] = w.shuffle(own[i], first);
      is_there = is_there || of_quad[i] != 0.0f;
    }
    const auto change = [&](int i) { return select(is_there, of_quad[i], own[i]); };
    return covered(w, look, coordinates, get<Float>(level, k), {{change(0), change(1)}, {change(2), change(3)}});
  }

  BROKKR_FN void detail(const shader::CodeInstruction& o) {
    const SampledRecord* const texture = texture_of(o);
    const bool is_asked = (o.extra & shader::kDetailOfQuery) != 0;
    if (texture == nullptr || (!texture->has_details && !is_asked))
      return put<Float>(o.result[0], [&](int) { return Float(0.0f); });
    if (Warp::takes_turns && texture->kind == TextureKind::two) return detail_two(o, *texture);
    const int count = shader::directions_of(texture->kind);
    const uint16_t* const changes = o.operand + (shader::is_cube(texture->kind) ? 3 : 0);
    put<Float>(o.result[0], [&](int k) {
      Float coordinates[3], dx[3], dy[3];
      get_all(o.operand, count, coordinates, k);
      get_all(changes, count, dx, k);
      get_all(changes + count, count, dy, k);
      if (shader::is_cube(texture->kind) && is_ellipse(o, *texture))
        return detail_of_faces(w, *texture, coordinates, dx, dy, lane_of_quad(o));
      const Float own = detail_of(*texture, coordinates, dx, dy, (o.extra & shader::kSampleOfQuad) != 0);
      if ((o.extra & shader::kSampleOfQuad) == 0 || shader::is_cube(texture->kind)) return own;
      // As in llvmpipe, an inactive sample has no derivatives.
      const Float of_quad = w.shuffle(own, lane_of_quad(o));
      return select(of_quad > kLeastDetail, of_quad, own);
    });
  }
  // The same for a texture of kind two.
  BROKKR_FN_NOINLINE void detail_two(const shader::CodeInstruction& o, const SampledRecord& texture) {
    const Float width = float(texture.width), height = float(texture.height);
    const Vectors<Float> u_dx(*this, o.operand[0]), v_dx(*this, o.operand[1]);
    const Vectors<Float> u_dy(*this, o.operand[2]), v_dy(*this, o.operand[3]);
    const bool of_quad = (o.extra & shader::kSampleOfQuad) != 0, is_least = of_quad && texture.anisotropic;
    const Int lane = of_quad ? lane_of_quad(o) : w.lane();
    put<Float>(o.result[0], [&](int k) {
      const auto span = [&](Float u, Float v) {
        const Float x = u * width, y = v * height;
        return x * x + y * y;
      };
      const Float right = span(u_dx(k), v_dx(k)), upwards = span(u_dy(k), v_dy(k));
      const Float own = detail_of_span(is_least ? minimum(right, upwards) : maximum(right, upwards));
      if (!of_quad) return own;
      const Float quad_value = w.shuffle(own, lane);
      return select(quad_value > kLeastDetail, quad_value, own);
    });
  }
  BROKKR_FN void detail_levels(const shader::CodeInstruction& o) {
    const SampledRecord* const texture = texture_of(o);
    const auto biased = [&](int k) {
      const Float detail = get<Float>(o.operand[0], k);
      return texture == nullptr ? Float(0.0f) : clamped_detail(*texture, detail);
    };
    put<Float>(o.result[0], [&](int k) {
      if (texture == nullptr || texture->mip == MipFilter::none) return Float(0.0f);
      const Float inside = clamp_to(biased(k), 0.0f, float(texture->levels - 1));
      return texture->mip == MipFilter::nearest ? floor(inside + 0.5f) : inside;
    });
    put<Float>(o.result[1], biased);
  }
  BROKKR_FN void texture_size(const shader::CodeInstruction& o) {
    const SampledRecord* const texture = texture_of(o);
    const auto at_level = [&](uint32_t size, int k) {
      return side_of_level(size, clamp_to(get<Int>(o.operand[0], k), 0, 31));
    };
    const uint32_t depth = texture == nullptr ? 1 : texture->depth / (shader::is_cube(texture->kind) ? 6 : 1);
    const bool halves = texture != nullptr && texture->kind == TextureKind::three;
    put<Int>(o.result[0], [&](int k) { return at_level(texture == nullptr ? 1 : texture->width, k); });
    put<Int>(o.result[1], [&](int k) { return at_level(texture == nullptr ? 1 : texture->height, k); });
    put<Int>(o.result[2], [&](int k) { return halves ? at_level(depth, k) : Int(int(depth)); });
    put<Int>(o.result[3], [&](int) { return Int(texture == nullptr ? 1 : int(texture->levels)); });
  }
};
using Interpreter = InterpreterOf<kShaderVectors>;

BROKKR_MACHINE_END
