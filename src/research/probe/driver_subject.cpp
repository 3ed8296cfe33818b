#include "probe/driver_subject.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/process.h"
#include "probe/shader_text.h"

namespace brokkr::probe {
namespace {

using Json = nlohmann::json;

constexpr int kAnswerSeconds = 240;
constexpr double kMsOfTick = 1e-6;  // GL_EXT_shader_realtime_clock: nanoseconds on the drivers that support it
// kSoftware is for a CPU's driver, whose loops take a nanosecond per addition and which has few threads.
constexpr Costs kSoftware = {400000, 100}, kHardware = {1000000, 10000};

std::string drawing_program() {
  if (const auto program = find_beside("brokkr-gl-bench", "src/apps/reference")) return program->string();
  throw std::runtime_error(
      "brokkr-gl-bench, which asks OpenGL, is neither beside this program nor in its libexec "
      "folder; build or install it");
}

template <class T>
std::vector<T> take(std::span<const std::byte>& bytes, size_t count) {
  if (bytes.size() < count * sizeof(T)) throw std::runtime_error("the driver's process wrote too short a film");
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  bytes = bytes.subspan(count * sizeof(T));
  return values;
}

}  // namespace

DriverSubject::DriverSubject(const std::string& device, int runs)
    : process_({drawing_program(), "--serve", "--device", device}, {}, folder_.path() / "gl.log"), runs_(runs) {
  const Json said = parse_json<Json>(process_.receive(kAnswerSeconds));
  name_ = said.at("renderer").get<std::string>();
  is_software_ = said.at("software").get<bool>();
  costs_ = is_software_ ? kSoftware : kHardware;
}

Json DriverSubject::ask(const Drawing& drawing, bool film) {
  check_drawing(drawing);
  constexpr uint32_t kModes[] = {4, 1, 0, 5};  // OpenGL's modes, by PrimitiveKind
  const std::filesystem::path vertices = folder_.path() / "vertices.raw";
  write_file(vertices, std::as_bytes(std::span(drawing.vertices)));
  Json batches = Json::array();
  for (const uint32_t primitives : drawing.batches) batches.push_back(primitives * drawing.vertices_of_primitive());
  Json slow = Json::array();
  for (const SlowPixel& p : drawing.slow) slow.push_back({p.x, p.y, p.cost, p.branch});
  process_.send(Json({{"do", "probe"},
                      {"work", kWorkText},
                      {"width", drawing.width},
                      {"height", drawing.height},
                      {"mode", kModes[size_t(drawing.kind)]},
                      {"file", vertices.string()},
                      {"vertices", drawing.vertices.size()},
                      {"batches", batches},
                      {"background", drawing.background},
                      {"waits", drawing.waits},
                      {"slow", slow},
                      {"stars", {drawing.stars.every, drawing.stars.cost, drawing.stars.kinds, 0}},
                      {"mask", int(drawing.mask)},
                      {"runs", film ? 1 : runs_},
                      {"film", film ? (folder_.path() / "film.raw").string() : ""}})
                    .dump());
  const Json answer = parse_json<Json>(process_.receive(kAnswerSeconds));
  if (answer.contains("error")) throw std::runtime_error(answer["error"].get<std::string>());
  return answer;
}

double DriverSubject::cost(const Drawing& drawing) { return ask(drawing, false).at("ms").get<double>(); }

Film DriverSubject::draw(const Drawing& drawing) {
  const Json answer = ask(drawing, true);
  Film film{.width = drawing.width, .height = drawing.height, .cost = answer.at("ms").get<double>()};
  const size_t pixels = size_t(drawing.width) * size_t(drawing.height);
  const std::vector<std::byte> bytes = read_file(folder_.path() / "film.raw", uint64_t(1) << 30);
  std::span<const std::byte> rest(bytes);
  film.order = take<uint32_t>(rest, pixels);
  if (answer.at("units").get<bool>()) {
    film.unit = take<int32_t>(rest, pixels);
    film.warp = take<int32_t>(rest, pixels);
  }
  if (answer.at("times").get<bool>()) {
    const std::vector<uint64_t> ticks = take<uint64_t>(rest, pixels);
    uint64_t first = ~uint64_t(0);
    for (size_t i = 0; i < pixels; ++i) first = film.order[i] == kNever ? first : std::min(first, ticks[i]);
    for (const uint64_t tick : ticks) film.time.push_back(tick < first ? 0 : double(tick - first) * kMsOfTick);
  }
  return film;
}

}  // namespace brokkr::probe
