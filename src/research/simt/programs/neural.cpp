// A neural network.
#include "simt/programs.h"
#include "simt/programs/expect.h"

namespace brokkr::simt {

void run_neural(Runner& runner, const ProgramSize& size) {
  const uint32_t samples = 28 * size.scale;
  constexpr uint32_t kLayers[] = {64, 100, 50, 10};
  Numbers numbers(9);
  std::vector<float> values(samples * kLayers[0]);
  for (float& v : values) v = numbers.unit() - 0.5f;
  const float* device = runner.buffer(values);
  for (uint32_t layer = 0; layer < 3; ++layer) {
    const uint32_t inputs = kLayers[layer], neurons = kLayers[layer + 1];
    std::vector<float> weights(neurons * (inputs + 1)), next;
    for (float& w : weights) w = numbers.unit() - 0.5f;
    for (uint32_t s = 0; s < samples; ++s) {
      for (uint32_t n = 0; n < neurons; ++n) {
        float sum = weights[n * (inputs + 1) + inputs];
        for (uint32_t k = 0; k < inputs; ++k) sum += weights[n * (inputs + 1) + k] * values[s * inputs + k];
        next.push_back(sum / (1.0f + (sum < 0.0f ? -sum : sum)));
      }
    }
    float* const out = runner.buffer<float>(next.size());
    runner.launch("neural", {(neurons * samples + 127) / 128}, {128}, runner.buffer(weights), device, out, inputs,
                  neurons, samples);
    device = out;
    values = next;
  }
  if (!runner.was_stopped()) expect_same("nn", device, values);
}

}  // namespace brokkr::simt
