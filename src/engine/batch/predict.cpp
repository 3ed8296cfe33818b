#include "batch/predict.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "batch/vertex_memory.h"

namespace brokkr {

std::span<const BatchModel> batch_models() {
  // AMD's batches have no separate limit on unique vertices: it equals their size. Intel's size limit is the largest
  // observed (1791 indices), its memory holds 128 vertices. [Kerbl18] finds no simple rule for Intel; intel-steps is
  // the least one that has its observations: limits in proportion to the vertices, and with three of them reuse of all
  // within 66 indices, of two within 208, and the third shaded three times as often. llvmpipe's model is not from the
  // thesis: it was measured, and tests/apps/reference/gl_vertex_count_test.cpp verifies it.
  static const std::vector<BatchModel> models = {
      {"nvidia", "NVIDIA, Direct3D: 96 indices, 32 vertices, look-back of 42 +- 3 by corner", 96, 32,
       VertexMemory::look_back_modulo_3, 42, true, 0},
      {"nvidia-gl", "NVIDIA, OpenGL: 96 indices, 32 vertices, look-back of 42", 96, 32, VertexMemory::look_back, 42,
       true, 0},
      {"amd", "AMD: 384 indices, the 15 vertices used last", 384, 384, VertexMemory::least_recently_used, 15, false, 0},
      {"intel", "Intel: 128 vertices, first in first out", 1791, 128, VertexMemory::first_in_first_out, 128, false, 0},
      {"intel-steps", "Intel: 208 indices with three vertices to 1791 with 128; the newest is forgotten at times", 1791,
       128, VertexMemory::forgets_newest, 128, false, 0, 208},
      {"llvmpipe", "Mesa's software OpenGL: 1023 indices, 256 vertices by their number", 1023, 1023,
       VertexMemory::by_number, 256, false, 0},
      {"warp", "Brokkr, found while rendering: 32 vertices, 96 indices, cut at every 96th index", 96, 32,
       VertexMemory::everything, 0, false, 96},
      {"precomputed", "Brokkr, found beforehand: 32 vertices, 96 indices, cut anywhere", 96, 32,
       VertexMemory::everything, 0, false, 0},
      {"block", "Brokkr, as blocks of four warps: 128 vertices, 384 indices, cut at every 384th index", 384, 128,
       VertexMemory::everything, 0, false, 384},
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

namespace {

// The paper's listing detects a full batch in the middle of a triangle, and reloads the triangle's corners into the new
// batch's memory. We try a whole triangle and, if it does not fit, try it again in a new batch. The batches are the
// same, because memory is emptied at the cut. (The listing does not undo what `added` counted before the cut. It must,
// because the new batch shades these vertices once.)
template <class Memory>
BatchPrediction predict(const BatchModel& model, std::span<const uint32_t> indices, bool keep_runs, size_t vertices,
                        Memory& memory, const Watch& watch) {
  BatchPrediction result;
  const auto triangles = uint32_t(indices.size() / 3);
  if (triangles == 0) return result;
  if (keep_runs) result.run_of_index.resize(indices.size());
  PerBatch<uint16_t> latest(keep_runs ? vertices : 0);
  uint32_t size = 0, uniques = 0;
  constexpr size_t kWatchEvery = 256;  // batches between two calls of `watch`: at most a millisecond
  const auto cut = [&](uint32_t triangle) {
    if (watch && result.first_triangle.size() % kWatchEvery == 0) watch();
    result.first_triangle.push_back(triangle);
    memory.reset();
    latest.reset();
    size = uniques = 0;
  };
  cut(0);
  for (uint32_t t = 0; t < triangles; ++t) {
    const uint32_t* corner = indices.data() + size_t(t) * 3;
    const bool at_segment = model.segment > 0 && uint64_t(t) * 3 % model.segment == 0;
    if (size > 0 && (size + 3 > model.max_size || at_segment)) cut(t);
    for (;;) {
      uint32_t added = 0;
      for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t v = corner[i];
        const bool found = memory.has(v, size + i);
        memory.use(v, size + i);
        if (keep_runs && !found) latest[v] = uint16_t(uniques + added);
        if (keep_runs) result.run_of_index[size_t(t) * 3 + i] = latest[v];
        added += !found;
      }
      if (model.fits(size + 3, uniques + added)) {
        uniques += added;
        result.vertex_runs += added;
        break;
      }
      cut(t);
    }
    size += 3;
  }
  result.first_triangle.push_back(triangles);
  return result;
}

}  // namespace

void require_triangles(const char* function, std::span<const uint32_t> indices) {
  if (indices.size() % 3 == 0) return;
  throw std::invalid_argument(
      fmt::format("{}: {} indices are not a triangle list; give a multiple of 3", function, indices.size()));
}

BatchPrediction predict_batches(const BatchModel& model, std::span<const uint32_t> indices, bool keep_runs,
                                const Watch& watch) {
  require_triangles("predict_batches", indices);
  if (model.max_size < 3 || model.max_uniques < 3 || model.max_uniques > 65535) {
    throw std::invalid_argument("predict_batches: a batch must hold a triangle");
  }
  const bool looks_back = model.memory == VertexMemory::look_back || model.memory == VertexMemory::look_back_modulo_3;
  if (looks_back && model.max_size > LookBackMemory::kMaxPositions) {
    throw std::invalid_argument(fmt::format("predict_batches: batches that look back have at most {} indices",
                                            uint32_t(LookBackMemory::kMaxPositions)));
  }
  const size_t vertices = vertex_bound(indices);
  return with_memory(model, vertices,
                     [&](auto& memory) { return predict(model, indices, keep_runs, vertices, memory, watch); });
}

}  // namespace brokkr
