// Breadth-first search, one launch a level: a thread for each node, which looks at its neighbours where the node was
// reached in the level before.

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
