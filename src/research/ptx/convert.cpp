// Conversions between types of numbers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ptx/lanes.h"
#include "ptx/program.h"

namespace brokkr::ptx {
namespace {

// To integers: clamped. NaN becomes 0, or the smallest integer if either side has 64 bits.
template <class To, class From>
To clamped(From value) {
  if (value != value) return sizeof(From) == 8 || sizeof(To) == 8 ? To(Unsigned<To>(1) << (kBits<To> - 1)) : To(0);
  constexpr From kLow = From(std::numeric_limits<To>::min());
  const From high = From(std::ldexp(1.0, kBits<To> - (std::is_signed_v<To> ? 1 : 0)));
  if (value < kLow) return std::numeric_limits<To>::min();
  if (value >= high) return std::numeric_limits<To>::max();
  return To(value);
}
template <int kMode, class T>
T whole(T value) {
  if constexpr (kMode == Rounding::nearest) return std::nearbyint(value);
  if constexpr (kMode == Rounding::zero) return std::trunc(value);
  if constexpr (kMode == Rounding::down) return std::floor(value);
  if constexpr (kMode == Rounding::up) return std::ceil(value);
}
template <int kMode, class To>
struct ToInteger {
  template <class T>
  static To run(T value) {
    if constexpr (std::is_same_v<T, Half>)
      return clamped<To>(whole<kMode>(float(value)));
    else
      return clamped<To>(whole<kMode>(value));
  }
};
// The most frequent rounding mode has its own host instructions.
template <int kMode>
struct ToInt32 {
  template <class T>
  static int32_t run(T value) {
    const T r = whole<kMode>(value);
    const int32_t i = int32_t(r < T(-2147483648.0) ? T(-2147483648.0) : r < T(2147483648.0) ? r : T(0));
    return r >= T(2147483648.0) ? 2147483647 : value != value ? (sizeof(T) == 8 ? int32_t(0x80000000u) : 0) : i;
  }
};
template <class To>
struct Cast {
  template <class T>
  static To run(T value) {
    return To(value);
  }
};
template <int kMode>
struct Whole {
  template <class T>
  static T run(T value) {
    return whole<kMode>(value);
  }
};
template <class To>
struct Clamp {
  template <class T>
  static To run(T value) {
    using Limits = std::numeric_limits<To>;
    if constexpr (std::is_signed_v<T>) {
      const int64_t s = value;
      if constexpr (std::is_signed_v<To>)
        return To(std::clamp<int64_t>(s, Limits::min(), Limits::max()));
      else
        return s < 0 ? To(0) : uint64_t(s) > Limits::max() ? Limits::max() : To(s);
    } else {
      return uint64_t(value) > uint64_t(Limits::max()) ? Limits::max() : To(value);
    }
  }
};

template <class To, class From>
void convert_odd(Warp& w, const Instruction& in, uint32_t lanes) {
  const uint8_t mode = in.mode;
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    From value = from_word<From>(row<From>(w, in.a)[l]);
    if constexpr (std::is_same_v<From, float>) {
      if ((mode & 4) != 0) value = flushed(value);
    }
    To r;
    {
      const Rounded rounded(mode);
      if constexpr (std::is_same_v<From, To>) {
        r = (mode & 16) != 0 ? opaque(std::nearbyint(opaque(value))) : value;
      } else {
        asm volatile("" : "+m"(value));
        r = To(value);
        asm volatile("" : "+m"(r));
      }
    }
    if constexpr (!std::is_same_v<To, Half>) r = finished(r, mode);
    row<To>(w, in.d)[l] = to_word<To>(r);
  }
}

// Conversions between registers wider than their types.
template <class To, class From, bool kWideTo, bool kWideFrom>
void resize(Warp& w, const Instruction& in, uint32_t lanes) {
  using WordTo = std::conditional_t<kWideTo, uint64_t, uint32_t>;
  using WordFrom = std::conditional_t<kWideFrom, uint64_t, uint32_t>;
  const WordFrom* const a = row<WordFrom>(w, in.a);
  WordTo results[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) results[l] = WordTo(To(From(a[l])));
  keep(row<WordTo>(w, in.d), results, lanes);
}

}  // namespace

namespace {

// The handler for a rounding, from a template.
template <class F>
Handler with_mode(Rounding::Mode mode, F&& f) {
  switch (mode) {
    case Rounding::nearest: return f.template operator()<Rounding::nearest>();
    case Rounding::zero: return f.template operator()<Rounding::zero>();
    case Rounding::down: return f.template operator()<Rounding::down>();
    case Rounding::up: return f.template operator()<Rounding::up>();
  }
  return nullptr;
}

template <class To, class From>
Handler float_from_float(const Rounding& r) {
  constexpr bool kSame = std::is_same_v<To, From>;
  if constexpr (kSame && std::is_same_v<To, Half>) {
    return nullptr;
  } else if (r.flush || r.saturate || (kSame ? !r.integer : r.mode != Rounding::nearest)) {
    return &convert_odd<To, From>;
  } else if constexpr (kSame) {
    return with_mode(r.mode, []<Rounding::Mode kMode>() -> Handler { return &unary<Whole<kMode>, To, From>; });
  } else {
    return &unary<Cast<To>, To, From>;
  }
}

template <class To, class From>
Handler integer_from_float(const Rounding& r) {
  return with_mode(r.mode, []<Rounding::Mode kMode>() -> Handler {
    if constexpr (std::is_same_v<To, int32_t> && !std::is_same_v<From, Half>)
      return &unary<ToInt32<kMode>, int32_t, From>;
    else
      return &unary<ToInteger<kMode, To>, To, From>;
  });
}

}  // namespace

Handler convert_handler(Type to, Type from, const Rounding& r) {
  const auto to_float = [&](auto t) {
    using To = decltype(t);
    if (is_float(from)) return for_float(from, [&](auto f) -> Handler { return float_from_float<To, decltype(f)>(r); });
    return for_small(from, [&](auto f) -> Handler {
      using From = decltype(f);
      return rounding_mode(r) != 0 ? &convert_odd<To, From> : &unary<Cast<To>, To, From>;
    });
  };
  const auto to_integer = [&](auto t) {
    using To = decltype(t);
    if (is_float(from))
      return for_float(from, [&](auto f) -> Handler { return integer_from_float<To, decltype(f)>(r); });
    return for_small(from, [&](auto f) -> Handler {
      using From = decltype(f);
      return r.saturate ? &unary<Clamp<To>, To, From> : &unary<Cast<To>, To, From>;
    });
  };
  return is_float(to) ? for_float(to, to_float) : for_small(to, to_integer);
}

Handler resize_handler(Type to, Type from, bool wide_to, bool wide_from) {
  return for_small(to, [&](auto tv) -> Handler {
    return for_small(from, [&](auto fv) -> Handler {
      using T = decltype(tv);
      using F = decltype(fv);
      if (wide_to) return wide_from ? &resize<T, F, true, true> : &resize<T, F, true, false>;
      return wide_from ? &resize<T, F, false, true> : &resize<T, F, false, false>;
    });
  });
}

}  // namespace brokkr::ptx
