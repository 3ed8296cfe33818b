// Exact DNA matching: for each query, the longest prefix that occurs in a text, by binary search in the text's suffix
// array [Manber93].

static __device__ unsigned common(const char* text, unsigned length, unsigned at, const char* query, unsigned most,
                                  unsigned known) {
  while (known < most && at + known < length && text[at + known] == query[known]) ++known;
  return known;
}

extern "C" __global__ void match(const char* text, unsigned length, const unsigned* suffixes, const char* queries,
                                 const unsigned* begins, unsigned* lengths, unsigned* places, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const char* const query = queries + begins[i];
  const unsigned most = begins[i + 1] - begins[i];
  unsigned low = 0, high = length, best = 0, place = 0;
  while (low < high) {
    const unsigned middle = (low + high) / 2, at = suffixes[middle];
    const unsigned n = common(text, length, at, query, most, 0);
    if (n > best) {
      best = n;
      place = at;
    }
    if (n == most) break;
    const bool less = at + n >= length || text[at + n] < query[n];
    if (less)
      low = middle + 1;
    else
      high = middle;
  }
  lengths[i] = best;
  places[i] = place;
}
