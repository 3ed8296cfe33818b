// Sums over pixels that have the same bits in any order. Each contribution is rounded to a multiple of a unit. The unit
// is a power of two, small enough for precision and large enough that the sum of all contributions fits in 63 bits.
// Integer sums do not depend on the order. A stage with sums runs twice: first with Largest, which finds the largest
// magnitude of each channel, then with Adder.
#pragma once

#include "diff/data.h"
#include "machine/machine.h"

BROKKR_MACHINE_BEGIN

// The pixels of a row that a warp processes together: x, and `m` for those inside. `pixel` is the number of the first.
struct PixelGroup {
  int image, y, first_x;
  uint64_t pixel;
  Int x;
  Mask m;
};

template <class F>
BROKKR_FN void for_pixels(const DiffShape& s, DiffPart part, F&& f) {
  const uint64_t in_row = uint64_t((s.width + Warp::width - 1) / Warp::width);
  const uint64_t count = in_row * uint64_t(s.height) * uint64_t(s.images);
  const uint64_t end = count * (part.index + 1) / part.count;
  for (uint64_t i = count * part.index / part.count; i < end; ++i) {
    const uint64_t row = i / in_row;
    PixelGroup g;
    g.first_x = int(i % in_row) * Warp::width;
    g.image = int(row / uint64_t(s.height));
    g.y = int(row % uint64_t(s.height));
    g.pixel = row * uint64_t(s.width) + uint64_t(g.first_x);
    g.x = Warp::lane() + g.first_x;
    g.m = Warp::lane() < s.width - g.first_x;
    f(g);
  }
}

// read_pixels reads component k of arrays [pixels, n]; write_pixels writes it.
BROKKR_FN Float read_pixels(const float* p, const PixelGroup& g, int n, int k, Mask m) {
  return Warp::gather(p + g.pixel * uint64_t(n) + k, Warp::lane() * n, m);
}
BROKKR_FN void write_pixels(float* p, const PixelGroup& g, int n, int k, Float a, Mask m) {
  Warp::scatter(p + g.pixel * uint64_t(n) + k, Warp::lane() * n, a, m);
}

// The first run finds the largest magnitudes.
struct Largest {
  static constexpr bool kAdds = false;
  uint32_t* largest;

  BROKKR_FN Largest(const DiffSums& s, DiffPart part)
      : largest(s.largest + uint64_t(part.index) * s.channels * kDiffLanes) {}
  BROKKR_FN void begin(Int, Mask) {}
  BROKKR_FN void add(uint64_t, Int, int channel, Double value, Mask m) {
    uint32_t* const p = largest + channel * kDiffLanes;
    const Uint magnitude = as_uint(to_float(value)) & 0x7fffffffu;
    Warp::store(p, maximum(Warp::load(p), select(m, magnitude, 0u)));
  }
};

// The second run adds.
struct Adder {
  static constexpr bool kAdds = true;
  static constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52: a double near it is the sum of it and an integer
  uint64_t* words;
  const double* units;
  bool is_shared;
  bool is_one = false;  // all lanes add to the same element
  int first = 0;        // the first lane that adds

  BROKKR_FN Adder(const DiffSums& s, DiffPart part)
      : words(s.words + (s.owners == 1 ? 0 : uint64_t(part.index) * s.size)),
        units(s.units),
        is_shared(s.owners == 1) {}
  // Lanes with the same key add to the same elements until the next call.
  BROKKR_FN void begin(Int key, Mask m) {
    const uint32_t bits = Warp::ballot(m);
    first = bits == 0 ? 0 : lowest_bit(bits);
    is_one = Warp::all(!m || key == Warp::broadcast(key, first));
  }
  BROKKR_FN void add(uint64_t base, Int elements, int channel, Double value, Mask m) {
    const double unit = Warp::uniform([&] { return units[channel]; });
    const Ulong whole = as_ulong(value * unit + kShift) - as_ulong(Double(kShift));
    uint64_t* const sums = words + base;
    if (is_one) {
      const uint64_t sum = Warp::reduce_add(select(m, whole, uint64_t(0)));
      const int place = Warp::broadcast(elements, first);
      Warp::once([&] { add_to(sums[place], sum); });
    } else {
      const auto wholes = Warp::spill(whole);
      const auto places = Warp::spill(elements);
      Warp::for_lanes(m, [&](int i) { add_to(sums[places[i]], wholes[i]); });
    }
  }

 private:
  BROKKR_FN void add_to(uint64_t& word, uint64_t value) const {
    if (is_shared)
      device_atomic<uint64_t>(word).fetch_add(value, kRelaxed);
    else
      word += value;
  }
};

// Computes units from the largest magnitudes. One warp does this.
BROKKR_FN void find_units(const DiffSums& s, DiffPart) {
  for (uint32_t k = 0; k < s.channels; ++k) {
    Uint largest = 0u;
    for (uint32_t p = 0; p < s.parts; ++p)
      largest = maximum(largest, Warp::load(s.largest + (p * s.channels + k) * kDiffLanes));
    const uint32_t bits = Warp::reduce_max(largest);
    // The magnitude is below 2^(exponent + 1).
    const int exponent = int(bits >> 23) == 0 ? -126 : int(bits >> 23) - 127;
    const int power = s.bits - exponent - 1;
    double unit = 0;
    if (bits >= 0x7f800000u)
      unit = -1;
    else if (bits != 0) {
      unit = 1;
      for (int i = 0; i < power; ++i) unit *= 2;
      for (int i = 0; i > power; --i) unit *= 0.5;
    }
    Warp::once([&] { s.units[k] = unit; });
  }
}

// Writes sums as float32.
BROKKR_FN void write_sums(const DiffSums& s, DiffPart part) {
  const uint64_t count = (s.size + uint64_t(Warp::width) - 1) / uint64_t(Warp::width);
  const uint64_t end = count * (part.index + 1) / part.count;
  const float per_channel = 1.0f / float(s.channels);
  for (uint64_t i = count * part.index / part.count; i < end; ++i) {
    const uint64_t e = i * uint64_t(Warp::width), left = s.size - e;
    const Mask m = Warp::lane() < int(left < uint64_t(Warp::width) ? left : uint64_t(Warp::width));
    Ulong sum = Warp::load(s.words + e, m);
    for (uint32_t o = 1; o < s.owners; ++o) sum += Warp::load(s.words + o * s.size + e, m);
    Int channel = Warp::lane() + int(e % s.channels);
    channel = channel - to_int(floor((to_float(channel) + 0.5f) * per_channel)) * int(s.channels);
    const Double unit = Warp::gather(s.units, channel, m);
    const Double value = Double(Int(sum >> uint64_t(32))) * 4294967296.0 + Double(Uint(sum));
    Float result = to_float(select(unit > 0.0, value / select(unit > 0.0, unit, 1.0), 0.0));
    result = select(unit < 0.0, as_float(Uint(0x7fc00000u)), result);
    const Mask is_first = m && Warp::lane() < int(e >= s.split                          ? 0
                                                  : s.split - e < uint64_t(Warp::width) ? s.split - e
                                                                                        : uint64_t(Warp::width));
    if (s.out != nullptr) Warp::store(s.out + e, result, is_first);
    if (s.out_rest != nullptr && Warp::any(m && !is_first)) {
      // Lanes before the split address words before the array.
      Warp::scatter(s.out_rest, Warp::lane() + int(int64_t(e) - int64_t(s.split)), result, m && !is_first);
    }
  }
}

BROKKR_MACHINE_END
