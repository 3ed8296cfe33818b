// One Jacobi step of Laplace's equation on a three-dimensional grid: a thread processes a column of cells. The border
// keeps its values.

extern "C" __global__ void laplace(const float* from, float* to, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const int plane = nx * ny;
  for (int z = 0; z < nz; ++z) {
    const int i = x + y * nx + z * plane;
    float value;
    if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1) {
      value = from[i];
    } else {
      value =
          (from[i - 1] + from[i + 1] + from[i - nx] + from[i + nx] + from[i - plane] + from[i + plane]) * (1.0f / 6.0f);
    }
    to[i] = value;
  }
}
