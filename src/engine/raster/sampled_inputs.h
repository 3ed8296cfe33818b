// The inputs of programs in pixels of several samples (raster/sampled.h). A run belongs to one sample of its pixels, or
// to all of them; then most inputs are those of the pixel's centre.
#pragma once

#include "raster/program_run.h"
#include "target/samples.h"

BROKKR_MACHINE_BEGIN

// The samples of the tile's pixels, as a run sees them.
struct SamplesOfRun {
  uint32_t samples;  // of a pixel
  int sample;        // the run belongs to this sample; -1: to all
  const DrawRecord& draw;
  // By sample, one bit for each pixel of the tile: the primitive covers the sample; the sample also passed the tests
  // before the program. Null in order-free phases, whose programs do not read them (kProgramCoverage).
  const uint64_t *covered, *passed;

  BROKKR_FN bool whole() const { return (draw.bits & kDrawOneSample) != 0; }
  BROKKR_FN bool mirrored() const { return (draw.bits & kDrawMirroredSamples) != 0; }

  // Fills the inputs of the run's lanes (run_program).
  template <class Primitives>
  BROKKR_FN void operator()(Warp& w, const ProgramRun& run, const DrawRecord&, Primitives& kept) const;
};

// Inputs with one place within the pixel, with the interface of PixelCentres.
struct SampledPlaces {
  static constexpr bool kUniform = false;
  const SamplesOfRun& run_samples;
  InputPlace place;

  BROKKR_FN bool takes(const ProgramInput& input) const { return input.place == place; }
  BROKKR_FN Float x(Warp& w, const ProgramRun& run, int g) const {
    return coordinate(w, run, g, [](SampleOffset offset) { return offset.x; });
  }
  BROKKR_FN Float y(Warp& w, const ProgramRun& run, int g) const {
    const int sign = run_samples.mirrored() ? -1 : 1;
    return coordinate(w, run, g, [=](SampleOffset offset) { return sign * offset.y; });
  }
  BROKKR_FN Uint sample_word(Warp& w, const ProgramRun& run, shader::SampleWord word, int g) const {
    const SampledPlaces centroid{run_samples, InputPlace::centroid}, sample{run_samples, InputPlace::sample};
    switch (word) {
      case shader::SampleWord::number:
        return run_samples.whole() || run_samples.sample < 0 ? 0u : uint32_t(run_samples.sample);
      case shader::SampleWord::position_x: return as_uint(sample.x(w, run, g));
      case shader::SampleWord::position_y: return as_uint(sample.y(w, run, g));
      case shader::SampleWord::mask: return mask(w, run, g);
      case shader::SampleWord::count: return run_samples.samples;
      case shader::SampleWord::centroid_x: return as_uint(centroid.x(w, run, g) - 0.5f);
      case shader::SampleWord::centroid_y: return as_uint(centroid.y(w, run, g) - 0.5f);
      case shader::SampleWord::places_x: return run_samples.whole() ? 8u : sample_places_x(run_samples.samples);
      case shader::SampleWord::places_y: return run_samples.whole() ? 8u : places_y();
    }
    return 0u;
  }

 private:
  BROKKR_FN uint32_t places_y() const {
    const uint32_t places = sample_places_y(run_samples.samples);
    if (!run_samples.mirrored()) return places;
    uint32_t turned = 0;
    for (uint32_t i = 0; i < run_samples.samples; ++i) turned |= (16 - (places >> (4 * i) & 15u)) << (4 * i);
    return turned;
  }
  // The lanes g .. g + width - 1 whose pixels are in `pixels`.
  BROKKR_FN static Mask lanes_in(Warp& w, const ProgramRun& run, int g, uint64_t pixels) {
    if (Warp::takes_turns && run.memory.in_place != 0) return w.lanes_of(uint32_t(pixels >> g));
    const Int pixel = as_int(w.load(run.memory.sample + g));
    const Uint half = select(pixel < 32, Uint(uint32_t(pixels)), Uint(uint32_t(pixels >> 32)));
    return ((half >> as_uint(pixel & 31)) & 1) != 0;
  }
  template <class Axis>
  BROKKR_FN float coordinate_of_sample(uint32_t i, Axis axis) const {
    return 0.5f + float(axis(sample_offset(run_samples.samples, i))) * 0x1p-8f;
  }
  template <class Axis>
  BROKKR_FN Float coordinate(Warp& w, const ProgramRun& run, int g, Axis axis) const {
    if (run_samples.whole() || place == InputPlace::centre) return 0.5f;
    if (place == InputPlace::sample)
      return run_samples.sample < 0 ? Float(0.5f) : Float(coordinate_of_sample(uint32_t(run_samples.sample), axis));
    if (run_samples.passed == nullptr) return 0.5f;
    Float centroid = 0.5f;
    Mask all = true;
    for (uint32_t i = run_samples.samples; i-- > 0;) {
      const Mask has = lanes_in(w, run, g, run_samples.passed[i]);
      centroid = select(has, coordinate_of_sample(i, axis), centroid);
      all = all && has;
    }
    return select(all, 0.5f, centroid);
  }
  BROKKR_FN Uint mask(Warp& w, const ProgramRun& run, int g) const {
    if (run_samples.whole() || (run_samples.sample < 0 && run_samples.covered == nullptr)) return 1u;
    if (run_samples.sample >= 0) return 1u << uint32_t(run_samples.sample);
    Uint bits = 0u;
    for (uint32_t i = 0; i < run_samples.samples; ++i)
      bits = bits | select(lanes_in(w, run, g, run_samples.covered[i]), Uint(1u << i), Uint(0u));
    return bits;
  }
};

template <class Primitives>
BROKKR_FN void SamplesOfRun::operator()(Warp& w, const ProgramRun& run, const DrawRecord&, Primitives& kept) const {
  const ProgramInput* const inputs = run.tables.inputs + run.program.first_input;
  uint32_t places = 1u << uint32_t(InputPlace::centre);
  for (uint32_t i = 0; i < run.program.varying_inputs + run.program.other_inputs; ++i)
    places |= 1u << uint32_t(inputs[i].place);
  for (uint32_t i = 0; i < kInputPlaces; ++i) {
    if ((places >> i & 1) != 0) fill_inputs(w, run, SampledPlaces{*this, InputPlace(i)}, draw, kept);
  }
}

// Runs a program on pixels of several samples, like run_program.
BROKKR_FN uint64_t run_sampled(Warp& w, ShadeContext& context, const ProgramRun& run, uint64_t wanted,
                               bool one_primitive, const SamplesOfRun& samples) {
  if ((run.program.bits & kProgramPlaced) == 0) return run_program(w, context, run, wanted, one_primitive);
  return run_program(w, context, run, wanted, one_primitive, samples);
}

BROKKR_MACHINE_END
