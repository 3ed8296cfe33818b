#include "batch/batch_model.h"

#include <algorithm>
#include <stdexcept>

namespace brokkr {

std::span<const BatchModel> batch_models() {
  // AMD's batches have no separate limit on unique vertices: it equals their size. Intel's size limit is the largest
  // observed (1791 indices), its memory holds 128 vertices. llvmpipe's model is not from the thesis: it was measured,
  // and tests/apps/reference/gl_vertex_count_test.cpp verifies it.
  static const std::vector<BatchModel> models = {
      {"nvidia", "NVIDIA, Direct3D: 96 indices, 32 vertices, look-back of 42 +- 3 by corner", 96, 32,
       VertexMemory::look_back_modulo_3, 42, true, 0},
      {"nvidia-gl", "NVIDIA, OpenGL: 96 indices, 32 vertices, look-back of 42", 96, 32, VertexMemory::look_back, 42,
       true, 0},
      {"amd", "AMD: 384 indices, the 15 vertices used last", 384, 384, VertexMemory::least_recently_used, 15, false, 0},
      {"intel", "Intel: 128 vertices, first in first out", 1791, 128, VertexMemory::first_in_first_out, 128, false, 0},
      {"llvmpipe", "Mesa's software OpenGL: 1023 indices, 256 vertices by their number", 1023, 1023,
       VertexMemory::by_number, 256, false, 0},
      {"warp", "Brokkr, found while rendering: 32 vertices, 96 indices, cut at every 96th index", 96, 32,
       VertexMemory::everything, 0, false, 96},
      {"precomputed", "Brokkr, found beforehand: 32 vertices, 96 indices, cut anywhere", 96, 32,
       VertexMemory::everything, 0, false, 0},
      {"none", "no reuse", 96, 96, VertexMemory::nothing, 0, false, 96},
  };
  return models;
}

BatchModel without_pages(BatchModel model) {
  model.forgets_at_pages = false;
  return model;
}

const BatchModel& batch_model(std::string_view name) {
  const auto models = batch_models();
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const BatchModel& model) { return model.name == name; });
  if (found != models.end()) return *found;
  std::string names;
  for (const BatchModel& model : models) names += (names.empty() ? "" : ", ") + model.name;
  throw std::invalid_argument("there is no batch model '" + std::string(name) + "'; use one of " + names);
}

}  // namespace brokkr
