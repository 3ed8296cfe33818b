// brokkr-trace-embree: how many rays a second the path tracer follows, beside Embree, which finds hits for many
// programs. Both get the same triangles, lens and lamps, run in turns in one process, and are timed by the processor's
// time, which does not count what other programs take.
//
//   brokkr-trace-embree out/chessboard.obj --size 512x320 --runs 5 --json speed.json
//
// primary: rays from the lens to what they hit. Here they go through `bounces` 0 of the whole tracer, with its samples,
// surfaces and sums of squares; there through rtcIntersect1 and a sum. paths: light asked at each surface, and a
// direction by the cosine; here by the tracer, there by a small one of matte surfaces on rtcIntersect1 and rtcOccluded1
// that has as many bounces. Segments and shadow rays are counted by both.
#include <embree3/rtcore.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <glm/geometric.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "brokkr/load.h"
#include "trace/trace_scene.h"
#include "trace/tracer.h"

namespace {

using namespace brokkr;
using trace::TraceScene;

struct Options {
  std::vector<std::string> files;
  std::string size = "512x320", camera, json, structure = "bvh", isa;
  int runs = 5, samples = 16, workers = 2, bounces = 4, children = 0;
};

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Rays {
  uint64_t segments = 0, shadows = 0;
  double cpu_s = 0;
  double light = 0;  // mean of the picture: a check that both give the same
  double rate() const { return double(segments + shadows) / cpu_s * 1e-6; }
};

glm::vec3 vec(const float (&xyz)[3]) { return {xyz[0], xyz[1], xyz[2]}; }

// Numbers in [0, 1), good enough for rays that only have to be spread.
struct Random {
  uint64_t state;
  float next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return float(state >> 40) * 0x1p-24f;
  }
};

class Embree {
 public:
  explicit Embree(const TraceScene& scene) : scene_(scene), device_(rtcNewDevice(nullptr)) {
    if (device_ == nullptr) throw std::runtime_error("Embree: no device");
    rtc_ = rtcNewScene(device_);
    RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
    const size_t count = scene.triangles.size();
    auto* points = static_cast<float*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), 3 * count));
    auto* numbers = static_cast<unsigned*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), count));
    for (size_t i = 0; i < count; ++i) {
      const trace::TriangleRecord& t = scene.triangles[i];
      const glm::vec3 a = vec(t.corner), corners[3] = {a, a + vec(t.edge1), a + vec(t.edge2)};
      for (size_t k = 0; k < 3; ++k) {
        for (int c = 0; c < 3; ++c) points[9 * i + 3 * k + size_t(c)] = corners[k][c];
        numbers[3 * i + k] = unsigned(3 * i + k);
      }
    }
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(rtc_, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(rtc_);
  }
  ~Embree() {
    rtcReleaseScene(rtc_);
    rtcReleaseDevice(device_);
  }
  Embree(const Embree&) = delete;
  Embree& operator=(const Embree&) = delete;

  Rays run(int bounces, int samples, int workers) const {
    std::atomic<int> row{0};
    std::vector<Rays> parts(static_cast<size_t>(workers));
    const double begin = cpu_seconds();
    std::vector<std::thread> threads;
    for (Rays& part : parts) {
      threads.emplace_back([&] {
        for (int y; (y = row.fetch_add(1)) < scene_.height;) trace_row(y, bounces, samples, part);
      });
    }
    for (std::thread& thread : threads) thread.join();
    Rays all;
    all.cpu_s = cpu_seconds() - begin;
    for (const Rays& part : parts) {
      all.segments += part.segments;
      all.shadows += part.shadows;
      all.light += part.light;
    }
    all.light /= double(scene_.width) * scene_.height * samples;
    return all;
  }

 private:
  struct Hit {
    float t = 0;
    uint32_t triangle = 0;
    glm::vec3 normal{0};
  };
  bool find(const glm::vec3& from, const glm::vec3& direction, Hit& hit) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRayHit ray{};
    ray.ray = ray_of(from, direction, 3e38f);
    ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(rtc_, &context, &ray);
    if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    const glm::vec3 normal = glm::normalize(glm::vec3(ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z));
    hit = {ray.ray.tfar, ray.hit.primID, glm::dot(normal, direction) > 0 ? -normal : normal};
    return true;
  }
  bool is_lit(const glm::vec3& from, const glm::vec3& direction, float limit) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRay ray = ray_of(from, direction, limit);
    rtcOccluded1(rtc_, &context, &ray);
    return ray.tfar >= 0;
  }
  static RTCRay ray_of(const glm::vec3& from, const glm::vec3& direction, float limit) {
    RTCRay ray{};
    ray.org_x = from.x, ray.org_y = from.y, ray.org_z = from.z;
    ray.dir_x = direction.x, ray.dir_y = direction.y, ray.dir_z = direction.z;
    ray.tfar = limit;
    ray.mask = ~0u;
    return ray;
  }

  void trace_row(int y, int bounces, int samples, Rays& rays) const {
    const trace::LensRecord& lens = scene_.lens;
    Random random{uint64_t(y) * 7919 + 1};
    for (int x = 0; x < scene_.width; ++x) {
      for (int s = 0; s < samples; ++s) {
        const float px = float(x) + random.next(), py = float(y) + random.next();
        const glm::vec3 direction = glm::normalize(vec(lens.corner) + vec(lens.right) * px + vec(lens.up) * py);
        rays.light += double(follow(vec(lens.eye), direction, bounces, random, rays));
      }
    }
  }

  float follow(glm::vec3 from, glm::vec3 direction, int bounces, Random& random, Rays& rays) const {
    float carries = 1, light = 0;
    for (int bounce = 0;; ++bounce) {
      ++rays.segments;
      Hit hit;
      if (!find(from, direction, hit)) return light + carries * scene_.sky.y;
      const trace::MaterialRecord& m = scene_.materials[scene_.triangles[hit.triangle].material];
      if (bounce == 0) light += m.emission[1];
      if (bounce >= bounces) return light;
      from += direction * hit.t + hit.normal * (2 * scene_.tolerance);
      light += carries * m.base[1] * asked(from, hit.normal, random, rays);
      const float angle = 6.2831853f * random.next(), u = random.next(), radius = std::sqrt(u);
      const glm::vec3 n = hit.normal, aside = std::abs(n.x) > 0.5f ? glm::vec3(0, 1, 0) : glm::vec3(1, 0, 0);
      const glm::vec3 t = glm::normalize(glm::cross(n, aside)), b = glm::cross(n, t);
      direction = t * (radius * std::cos(angle)) + b * (radius * std::sin(angle)) + n * std::sqrt(1 - u);
      carries *= m.base[1];
      if (bounce >= 3) {
        const float survives = std::min(carries, 1.0f);
        if (random.next() >= survives) return light;
        carries /= survives;
      }
    }
  }
  // The light of one lamp, or of the sun.
  float asked(const glm::vec3& from, const glm::vec3& normal, Random& random, Rays& rays) const {
    if (scene_.lights.empty()) {
      const float facing = glm::dot(scene_.to_sun, normal);
      if (facing <= 0 || scene_.sun.y <= 0) return 0;
      ++rays.shadows;
      return is_lit(from, scene_.to_sun, 3e38f) ? scene_.sun.y * facing / 3.14159265f : 0;
    }
    const float which = random.next();
    const auto light = std::lower_bound(scene_.lights.begin(), scene_.lights.end() - 1, which,
                                        [](const trace::LightRecord& l, float value) { return l.sum < value; });
    const trace::TriangleRecord& t = scene_.triangles[light->triangle];
    const float root = std::sqrt(random.next()), v = root * random.next(), u = root - v;
    const glm::vec3 e1 = vec(t.edge1), e2 = vec(t.edge2), away = vec(t.corner) + e1 * u + e2 * v - from;
    const float distance = glm::length(away);
    const glm::vec3 direction = away / distance;
    const float facing = std::abs(glm::dot(glm::normalize(glm::cross(e1, e2)), direction));
    const float cosine = glm::dot(direction, normal);
    if (cosine <= 0 || facing <= 1e-6f) return 0;
    ++rays.shadows;
    if (!is_lit(from, direction, distance * (1 - 1e-4f))) return 0;
    const trace::MaterialRecord& m = scene_.materials[t.material];
    return m.emission[1] * cosine * facing / (m.light_density * distance * distance * 3.14159265f);
  }

  const TraceScene& scene_;
  RTCDevice device_;
  RTCScene rtc_ = nullptr;
};

Rays run_tracer(trace::Tracer& tracer) {
  tracer.reset();
  const double begin = cpu_seconds();
  const trace::TraceReport report = tracer.run();
  Rays rays{report.segments, report.shadow_rays, cpu_seconds() - begin, 0};
  const trace::TracePicture picture = tracer.picture();
  for (size_t i = 1; i < picture.rgb.size(); i += 3) rays.light += double(picture.rgb[i]);
  rays.light /= double(picture.samples.size());
  return rays;
}

Rays median_of(std::vector<Rays> runs) {
  std::sort(runs.begin(), runs.end(), [](const Rays& a, const Rays& b) { return a.rate() < b.rate(); });
  return runs[runs.size() / 2];
}

nlohmann::ordered_json measure(const std::string& file, const Options& options) {
  LoadOptions load;
  const size_t x = options.size.find('x');
  load.width = std::stoi(options.size.substr(0, x));
  load.height = std::stoi(options.size.substr(x + 1));
  load.camera = options.camera;
  const Frame frame = load_frame(file, load);
  const auto emits = [](const Material& m) { return m.emission != glm::vec3(0); };
  trace::SceneOptions lit;
  if (std::any_of(frame.materials.begin(), frame.materials.end(), emits)) lit.sky = lit.sun = glm::vec3(0);
  const TraceScene scene = trace::make_trace_scene(frame, lit);
  const Embree embree(scene);
  nlohmann::ordered_json result = {{"file", file}, {"triangles", scene.triangles.size()}};
  for (const bool paths : {false, true}) {
    trace::TraceOptions o;
    o.samples = uint32_t(options.samples);
    o.bounces = paths ? uint32_t(options.bounces) : 0;
    o.workers = uint32_t(options.workers);
    o.bvh_children = uint32_t(options.children);
    o.structure = options.structure == "kd"     ? trace::StructureKind::kd
                  : options.structure == "grug" ? trace::StructureKind::grug
                                                : trace::StructureKind::bvh;
    trace::Tracer tracer(make_task_machine("cpu", options.isa), scene, o);
    std::vector<Rays> ours, theirs;
    for (int run = 0; run < options.runs; ++run) {
      ours.push_back(run_tracer(tracer));
      theirs.push_back(embree.run(int(o.bounces), options.samples, options.workers));
    }
    const Rays a = median_of(ours), b = median_of(theirs);
    const double ratio = b.rate() / a.rate();
    std::printf(
        "%-22s %-8s here %7.3f M rays/s and core (%.2f shadow rays a segment), Embree %7.3f (%.2f): %.2f times "
        "as many; light %.4f, %.4f\n",
        file.substr(file.rfind('/') + 1).c_str(), paths ? "paths" : "primary", a.rate(),
        double(a.shadows) / double(a.segments), b.rate(), double(b.shadows) / double(b.segments), ratio, a.light,
        b.light);
    std::fflush(stdout);
    const auto json_of = [](const Rays& r) {
      return nlohmann::ordered_json{{"segments", r.segments},
                                    {"shadow_rays", r.shadows},
                                    {"cpu_s", r.cpu_s},
                                    {"rays_per_core_s", r.rate() * 1e6},
                                    {"segments_per_core_s", double(r.segments) / r.cpu_s},
                                    {"light", r.light}};
    };
    result[paths ? "paths" : "primary"] = {
        {"here", json_of(a)}, {"embree", json_of(b)}, {"embree_times_as_fast", ratio}};
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Rays a second of brokkr's path tracer and of Embree, in turns, by the processor's time");
  app.add_option("FILE", options.files, "scenes")->required();
  app.add_option("--size", options.size, "pixels (512x320)")->check([](const std::string& text) {
    int width = 0, height = 0, used = 0;
    const bool fits = std::sscanf(text.c_str(), "%dx%d%n", &width, &height, &used) == 2 && used == int(text.size()) &&
                      width > 0 && height > 0;
    return fits ? std::string() : std::string("a size is WIDTHxHEIGHT");
  });
  app.add_option("--camera", options.camera, "camera, in the form of brokkr trace");
  app.add_option("--runs", options.runs, "runs of each; the median counts (5)")->check(CLI::Range(1, 1000));
  app.add_option("--samples", options.samples, "samples per pixel (16)")->check(CLI::Range(4, 65536));
  app.add_option("--bounces", options.bounces, "bounces of paths (4)")->check(CLI::Range(1, 256));
  app.add_option("--workers", options.workers, "threads of both (2)")->check(CLI::Range(1, 1024));
  app.add_option("--structure", options.structure, "bvh, kd, grug")->check(CLI::IsMember({"bvh", "kd", "grug"}));
  app.add_option("--children", options.children, "children of a BVH node, 2 or 8 (8 with short warps)")
      ->check(CLI::IsMember({2, 8}));
  app.add_option("--isa", options.isa, "instruction set of Brokkr (the best of this processor)");
  app.add_option("--json", options.json, "writes all numbers");
  CLI11_PARSE(app, argc, argv);
  try {
    nlohmann::ordered_json results = nlohmann::ordered_json::array();
    for (const std::string& file : options.files) results.push_back(measure(file, options));
    if (!options.json.empty()) {
      std::ofstream out(options.json);
      out << results.dump(1) << "\n";
      if (!out) throw std::runtime_error(options.json + ": cannot be written");
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "brokkr-trace-embree: %s\n", error.what());
    return 1;
  }
  return 0;
}
