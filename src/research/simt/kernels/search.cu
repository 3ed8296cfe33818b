// Breadth-first search with one launch per level and one thread per node: a node reached in the previous level visits
// its neighbours.

extern "C" __global__ void search(const unsigned* begins, const unsigned* edges, unsigned* levels, unsigned* found,
                                  unsigned nodes, unsigned level) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nodes || levels[i] != level) return;
  for (unsigned e = begins[i]; e < begins[i + 1]; ++e) {
    const unsigned to = edges[e];
    if (levels[to] == ~0u) {
      levels[to] = level + 1;
      *found = 1;
    }
  }
}
