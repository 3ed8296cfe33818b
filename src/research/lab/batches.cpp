#include "lab/batches.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "base/json_parse.h"
#include "base/process.h"
#include "batch/predict.h"
#include "batch/reorder.h"
#include "batch/vertex_memory.h"
#include "log/text.h"

namespace brokkr::lab {
namespace {

using Json = nlohmann::json;

constexpr int kAnswerSeconds = 240;  // enough for some millions of triangles on a slow machine

std::string counting_program() {
  if (const auto program = find_beside("brokkr-gl-bench", "src/apps/reference")) return program->string();
  throw std::runtime_error(
      "brokkr-gl-bench, which asks OpenGL, is neither beside this program nor in its libexec "
      "folder; build or install it");
}

}  // namespace

DriverCount::DriverCount(const std::string& device)
    : process_({counting_program(), "--serve", "--device", device}, {}, folder_.path() / "gl.log") {
  renderer_ = parse_json<Json>(process_.receive(kAnswerSeconds)).at("renderer").get<std::string>();
  const std::vector<uint32_t> triangle = {0, 1, 2};
  const IndexRange all = {0, 3};
  runs(triangle, {&all, 1});
}

Json DriverCount::ask(const char* what, std::span<const uint32_t> indices, Json request) {
  const std::filesystem::path path = folder_.path() / "indices.raw";
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(indices.data()), std::streamsize(indices.size_bytes()));
  file.close();
  if (!file) throw std::runtime_error(path.string() + ": cannot be written; is the disk full?");
  request["do"] = what;
  request["file"] = path.string();
  request["indices"] = indices.size();
  process_.send(request.dump());
  Json answer = parse_json<Json>(process_.receive(kAnswerSeconds));
  if (answer.contains("error")) throw std::runtime_error(answer["error"].get<std::string>());
  return answer;
}

std::vector<uint64_t> DriverCount::runs(std::span<const uint32_t> indices, std::span<const IndexRange> ranges,
                                        uint32_t attributes) {
  Json request = {{"attributes", attributes}};
  request["first"] = request["count"] = Json::array();
  for (const IndexRange& range : ranges) {
    request["first"].push_back(range.first);
    request["count"].push_back(range.count);
  }
  auto runs = ask("count", indices, std::move(request)).at("vertex_runs").get<std::vector<uint64_t>>();
  if (runs.size() != ranges.size()) throw std::runtime_error("the driver's process answered with too few counts");
  return runs;
}

RecordedRuns DriverCount::record(std::span<const uint32_t> indices) {
  const std::filesystem::path path = folder_.path() / "runs.raw";
  const Json answer = ask("record", indices, {{"runs", path.string()}});
  RecordedRuns recorded{std::vector<uint32_t>(indices.size()), {}};
  if (answer.at("waves").get<bool>()) recorded.wave_of_run.resize(answer.at("runs").get<size_t>());
  std::ifstream file(path, std::ios::binary);
  for (auto* part : {&recorded.run_of_index, &recorded.wave_of_run})
    file.read(reinterpret_cast<char*>(part->data()), std::streamsize(part->size() * sizeof(uint32_t)));
  if (!file) throw std::runtime_error(path.string() + ": the driver's process wrote too few runs");
  return recorded;
}

namespace {

struct Ordered {
  std::vector<std::vector<uint32_t>> draws;
  double ms = 0;
  uint64_t copies = 0;  // vertices that the post-process added
};

double ms_since(std::clock_t begin) { return double(std::clock() - begin) * 1000 / CLOCKS_PER_SEC; }

// Reorders the draws by a method. Vertices keep the file's numbers.
Ordered order_all(const BatchInput& input, const BatchRequest& request, const ReorderInfo& method,
                  const BatchModel& model, uint32_t cache = 0) {
  const std::string what = input.name + ": " + method.name + " for " + model.name;
  request.progress(cache == 0 ? what : what + " with a cache of " + std::to_string(cache));
  Ordered result;
  for (const DrawTriangles& draw : input.draws) {
    const std::clock_t begin = std::clock();
    result.draws.push_back(reorder(method.method, model, draw.indices, cache,
                                   [&](const std::string& how_far) { request.progress(what + ", " + how_far); }));
    result.ms += ms_since(begin);
  }
  return result;
}

// Returns true if a draw has vertices in several blocks of 2^16.
bool has_pages(const BatchInput& input) {
  return std::any_of(input.draws.begin(), input.draws.end(),
                     [](const DrawTriangles& draw) { return vertex_bound(draw.indices) > kPageVertices; });
}

// Applies the post-process of `brokkr optimize` to the draws: numbers vertices by first use, with copies.
Ordered post_processed(const Ordered& ordered, const BatchModel& model) {
  Ordered result = ordered;
  for (std::vector<uint32_t>& indices : result.draws) {
    if (vertex_bound(indices) <= kPageVertices) continue;
    const std::clock_t begin = std::clock();
    indices = number_by_first_use(indices).indices;
    const auto vertices = uint32_t(vertex_bound(indices));
    VertexNumbering apart = keep_pages_apart(model, indices, vertices);
    result.copies += apart.source.size() - vertices;
    indices = std::move(apart.indices);
    result.ms += ms_since(begin);
  }
  return result;
}

template <class Runs>
double rate(const std::vector<std::vector<uint32_t>>& draws, Runs&& runs_of) {
  uint64_t runs = 0, triangles = 0;
  for (const auto& indices : draws) {
    runs += runs_of(indices);
    triangles += indices.size() / 3;
  }
  return triangles == 0 ? 0 : double(runs) / double(triangles);
}

double rate(const std::vector<std::vector<uint32_t>>& draws, const BatchModel& model) {
  return rate(draws, [&](const auto& indices) { return predict_batches(model, indices).vertex_runs; });
}

// The driver's vertex shader runs per triangle; empty if no driver was requested, or if it failed.
std::string measured_rate(const std::vector<std::vector<uint32_t>>& draws, const CountingDriver& driver) {
  if (!driver.count) return "";
  std::vector<uint32_t> indices;
  std::vector<IndexRange> ranges;
  for (const std::vector<uint32_t>& draw : draws) {
    ranges.push_back({uint32_t(indices.size()), uint32_t(draw.size())});
    indices.insert(indices.end(), draw.begin(), draw.end());
  }
  const std::vector<uint64_t> runs = driver.count(indices, ranges, 0);
  if (runs.empty() || indices.empty()) return "";
  return fixed(double(std::accumulate(runs.begin(), runs.end(), uint64_t{0})) * 3 / double(indices.size()), 4);
}

template <class Cache>
uint64_t misses_of(Cache cache, std::span<const uint32_t> indices) {
  uint64_t misses = 0;
  for (const uint32_t vertex : indices) {
    misses += !cache.has(vertex, 0);
    cache.use(vertex, 0);
  }
  return misses;
}

}  // namespace

RecordedRuns predicted_runs(const BatchModel& model, std::span<const uint32_t> indices) {
  const BatchPrediction prediction = predict_batches(model, indices, true);
  RecordedRuns result;
  uint32_t before = 0, used = 0;  // runs of earlier batches, and of all so far
  size_t batch = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (i / 3 == prediction.first_triangle[batch + 1]) {
      ++batch;
      before = used;
    }
    result.run_of_index.push_back(before + prediction.run_of_index[i]);
    used = std::max(used, result.run_of_index.back() + 1);
  }
  return result;
}

std::vector<uint32_t> independent_parts(std::span<const uint32_t> run_of_index) {
  require_triangles("independent_parts", run_of_index);
  std::vector<uint32_t> last(vertex_bound(run_of_index)), parts;
  for (size_t i = 0; i < run_of_index.size(); ++i) last[run_of_index[i]] = uint32_t(i / 3);
  uint32_t reach = 0;  // the last triangle that uses a run of an earlier one
  for (uint32_t t = 0; t < run_of_index.size() / 3; ++t) {
    if (t == 0 || t > reach) parts.push_back(t);
    for (uint32_t i = 0; i < 3; ++i) reach = std::max(reach, last[run_of_index[size_t(t) * 3 + i]]);
  }
  if (!parts.empty()) parts.push_back(uint32_t(run_of_index.size() / 3));
  return parts;
}

uint64_t other_runs(std::span<const uint32_t> predicted, std::span<const uint32_t> recorded) {
  if (predicted.size() != recorded.size()) throw std::invalid_argument("other_runs: two numbers of indices");
  constexpr uint32_t kNone = ~0u;
  std::vector<uint32_t> there(vertex_bound(predicted), kNone), here(vertex_bound(recorded), kNone);
  uint64_t others = 0;
  for (size_t i = 0; i < predicted.size(); ++i) {
    uint32_t &to = there[predicted[i]], &from = here[recorded[i]];
    if (to == kNone && from == kNone) {
      to = recorded[i];
      from = predicted[i];
    }
    others += to != recorded[i] || from != predicted[i];
  }
  return others;
}

uint64_t distinct_vertices(std::span<const uint32_t> indices) {
  std::vector<bool> used(vertex_bound(indices));
  for (const uint32_t vertex : indices) used[vertex] = true;
  return uint64_t(std::count(used.begin(), used.end(), true));
}

uint64_t cache_misses(CachePolicy policy, std::span<const uint32_t> indices, uint32_t size) {
  return policy == CachePolicy::lru ? misses_of(LruMemory(0, size), indices)
                                    : misses_of(FifoMemory(vertex_bound(indices), size), indices);
}

std::optional<ReuseMode> reuse_of(const std::string& model) {
  for (const auto& choice : Choices<ReuseMode>::all) {
    if (model == choice.name) return choice.value;
  }
  return std::nullopt;
}

namespace {

void measure_asr(const BatchInput& input, const BatchRequest& request, Rows& rows) {
  uint64_t distinct = 0, triangles = 0;
  for (const DrawTriangles& draw : input.draws) {
    distinct += distinct_vertices(draw.indices);
    triangles += draw.indices.size() / 3;
  }
  const double perfect = triangles == 0 ? 0 : double(distinct) / double(triangles);
  for (const BatchModel& model : request.models) {
    Rows none, all, ours;
    for (const ReorderInfo& method : request.methods) {
      const auto row_of = [&](const char* post, const Ordered& ordered) {
        return row(input.name, triangles, model.name, method.name, post, fixed(rate(ordered.draws, model), 4),
                   fixed(perfect, 4), distinct, ordered.copies, fixed(ordered.ms, 1), request.driver.name,
                   measured_rate(ordered.draws, request.driver));
      };
      Ordered ordered = order_all(input, request, method, model);
      none.push_back(row_of("none", ordered));
      if (!model.forgets_at_pages) continue;
      // Our methods know the 16-bit rule, and may ignore it if numbers change afterwards.
      if (method.method >= ReorderMethod::batch && has_pages(input)) {
        ordered = order_all(input, request, method, without_pages(model));
      }
      all.push_back(row_of("all", post_processed(ordered, model)));
      ours.push_back(method.method >= ReorderMethod::batch ? all.back() : none.back());
      ours.back()[4] = "ours";
    }
    for (Rows* part : {&none, &all, &ours}) append(rows, std::move(*part));
  }
}

void measure_caches(const BatchInput& input, const BatchRequest& request, Rows& rows) {
  for (const BatchModel& model : request.models) {
    if (model.memory == VertexMemory::everything || model.memory == VertexMemory::nothing) continue;
    for (const ReorderInfo& method : request.methods) {
      const Ordered ordered = order_all(input, request, method, model);
      const std::string asr = fixed(rate(ordered.draws, model), 4);
      const std::string measured = measured_rate(ordered.draws, request.driver);
      for (uint32_t size = 1; size <= request.max_cache; ++size) {
        for (const auto& [policy, policy_name] : {std::pair{CachePolicy::fifo, "fifo"}, {CachePolicy::lru, "lru"}}) {
          const double predicted =
              rate(ordered.draws, [&, p = policy](const auto& indices) { return cache_misses(p, indices, size); });
          rows.push_back(row(input.name, model.name, method.name, asr, policy_name, size, fixed(predicted, 4),
                             request.driver.name, measured));
        }
      }
    }
  }
}

void measure_sweep(const BatchInput& input, const BatchRequest& request, Rows& rows) {
  for (const BatchModel& model : request.models) {
    for (const ReorderInfo& method : request.methods) {
      if (method.cache_size == 0) continue;
      for (uint32_t size = 3; size <= request.max_cache; size += size < 24 ? 1 : 4) {
        const Ordered ordered = order_all(input, request, method, model, size);
        rows.push_back(row(input.name, model.name, method.name, size, fixed(rate(ordered.draws, model), 4),
                           request.driver.name, measured_rate(ordered.draws, request.driver)));
      }
    }
  }
}

void measure_render(const BatchInput& input, const BatchRequest& request, Rows& rows) {
  Renderer renderer;
  for (const BatchModel& model : request.models) {
    for (const bool reordered : {false, true}) {
      Frame frame = input.frame;
      if (reordered) optimize_frame(frame, model, {});
      uint64_t runs = 0, triangles = 0;
      for (const DrawTriangles& draw : indexed_triangles(frame)) {
        const auto& d = std::get<DrawCommand>(frame.commands[draw.command]);
        runs += predict_batches(model, draw.indices).vertex_runs * d.instances * d.view_count;
        triangles += draw.indices.size() / 3 * d.instances * d.view_count;
      }
      const double predicted = triangles == 0 ? 0 : double(runs) / double(triangles);
      PreparedFrame prepared = renderer.prepare(frame, {.memory_limit = request.render.memory_limit});
      for (const uint32_t multiply_adds : {0u, request.work}) {
        RenderOptions o = request.render;
        o.reuse = reuse_of(model.name).value();
        o.vertex_work = multiply_adds;
        double ms = 0;
        Statistics s;
        for (int i = 0; i <= request.frames; ++i) {
          request.progress(input.name + ": frame " + std::to_string(i) + " with " + model.name);
          s = renderer.render(prepared, o, false).statistics;
          if (i == 1 || (i > 1 && s.launch_ms < ms)) ms = s.launch_ms;
        }
        rows.push_back(row(input.name, s.machine, s.isa, s.width, model.name, reordered ? "batch" : "original",
                           multiply_adds, fixed(ms, 3), s.vertex_shader_runs, s.triangles_in, fixed(s.asr, 4),
                           fixed(predicted, 4)));
      }
    }
  }
}

// Measures sequences of three repeated vertices, which do not depend on the file.
void measure_steps(const BatchInput&, const BatchRequest& request, Rows& rows) {
  if (!rows.empty()) return;
  std::vector<uint32_t> indices;
  std::vector<IndexRange> drawn;
  for (uint32_t i = 0; i < kStepIndices; ++i) indices.push_back(i % 3);
  for (uint32_t n = 3; n <= kStepIndices; n += 3) drawn.push_back({0, n});
  std::vector<std::vector<uint64_t>> measured;  // per number of attributes
  for (const uint32_t attributes : kStepAttributes)
    measured.push_back(request.driver.count ? request.driver.count(indices, drawn, attributes)
                                            : std::vector<uint64_t>{});
  for (const BatchModel& model : request.models) {
    for (size_t i = 0; i < drawn.size(); ++i) {
      const uint64_t runs = predict_batches(model, std::span(indices).first(drawn[i].count)).vertex_runs;
      rows.push_back(row(model.name, drawn[i].count, runs, request.driver.name));
      for (const std::vector<uint64_t>& counts : measured)
        rows.back().push_back(counts.empty() ? "" : std::to_string(counts[i]));
    }
  }
}

void measure_runs(const BatchInput& input, const BatchRequest& request, Rows& rows) {
  if (!request.driver.record) return;
  for (const ReorderInfo& method : request.methods) {
    for (const BatchModel& model : request.models) {
      const Ordered ordered = order_all(input, request, method, model);
      uint64_t indices = 0, batches = 0, parts = 0, recorded_parts = 0, both = 0, others = 0, runs = 0, waves = 0;
      for (const std::vector<uint32_t>& draw : ordered.draws) {
        const RecordedRuns recorded = request.driver.record(draw);
        if (recorded.run_of_index.size() != draw.size()) return;
        const RecordedRuns predicted = predicted_runs(model, draw);
        const std::vector<uint32_t> a = independent_parts(predicted.run_of_index);
        const std::vector<uint32_t> b = independent_parts(recorded.run_of_index);
        std::vector<uint32_t> common;
        std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
        indices += draw.size();
        batches += predict_batches(model, draw).batches();
        parts += a.size() - 1;
        recorded_parts += b.size() - 1;
        both += common.size() - 1;
        others += other_runs(predicted.run_of_index, recorded.run_of_index);
        runs += vertex_bound(recorded.run_of_index);
        waves += recorded.wave_of_run.empty() ? 0 : vertex_bound(recorded.wave_of_run);
      }
      rows.push_back(row(input.name, method.name, model.name, indices, batches, parts, request.driver.name, runs,
                         recorded_parts, both, others, waves));
    }
  }
}

constexpr BatchExperiment kBatchExperiments[] = {
    {"asr", nullptr, "file,triangles,model,method,post,asr,perfect,vertices,copies,ms,driver,measured", measure_asr},
    {"steps", "steps", "model,indices,vertex_runs,driver,measured,with_1,with_4,with_16,with_60,with_124",
     measure_steps},
    {"caches", "caches", "file,model,method,asr,policy,size,predicted,driver,measured", measure_caches},
    {"sweep", "sweep", "file,model,method,size,asr,driver,measured", measure_sweep},
    {"render", "frames", "file,machine,detail,lanes,reuse,order,vertex_work,ms,vertex_runs,triangles,asr,predicted_asr",
     measure_render},
    {"runs", "runs",
     "file,method,model,indices,batches,parts,driver,recorded_runs,recorded_parts,common_parts,other_runs,waves",
     measure_runs},
};

}  // namespace

std::span<const BatchExperiment> batch_experiments() { return kBatchExperiments; }

}  // namespace brokkr::lab
