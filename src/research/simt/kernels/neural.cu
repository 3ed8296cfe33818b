// A layer of a neural network: one thread per neuron and sample. The activation is v / (1 + |v|).

extern "C" __global__ void neural(const float* weights, const float* in, float* out, unsigned inputs, unsigned neurons,
                                  unsigned samples) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= neurons * samples) return;
  const float* const w = weights + i % neurons * (inputs + 1);
  const float* const x = in + i / neurons * inputs;
  float sum = w[inputs];
  for (unsigned k = 0; k < inputs; ++k) sum = sum + w[k] * x[k];
  out[i] = sum / (1.0f + (sum < 0.0f ? -sum : sum));
}
