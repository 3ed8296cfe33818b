#include "lab/driver_count.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/json_parse.h"
#include "base/process.h"

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

std::vector<uint64_t> DriverCount::runs(std::span<const uint32_t> indices, std::span<const IndexRange> ranges) {
  const std::filesystem::path path = folder_.path() / "indices.raw";
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(indices.data()), std::streamsize(indices.size_bytes()));
  file.close();
  if (!file) throw std::runtime_error(path.string() + ": cannot be written; is the disk full?");
  Json request = {{"do", "count"}, {"file", path.string()}, {"indices", indices.size()}};
  request["first"] = request["count"] = Json::array();
  for (const IndexRange& range : ranges) {
    request["first"].push_back(range.first);
    request["count"].push_back(range.count);
  }
  process_.send(request.dump());
  const Json answer = parse_json<Json>(process_.receive(kAnswerSeconds));
  if (answer.contains("error")) throw std::runtime_error(answer["error"].get<std::string>());
  auto runs = answer.at("vertex_runs").get<std::vector<uint64_t>>();
  if (runs.size() != ranges.size()) throw std::runtime_error("the driver's process answered with too few counts");
  return runs;
}

}  // namespace brokkr::lab
