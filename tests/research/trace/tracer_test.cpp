// The path tracer: every structure and machine gives one picture, and light is neither lost nor made.
#include "trace/tracer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "pipeline/cpu_machine.h"
#include "scene.h"

namespace brokkr::trace_test {
namespace {

using namespace trace;

std::vector<std::string> isas() {
  std::vector<std::string> all;
  for (const char* isa : {"v2", "v3", "v4", "neon"}) {
    if (find_cpu_kernel(isa) != nullptr && cpu_supports(isa)) all.push_back(isa);
  }
  return all;
}
TraceOptions few_samples(uint32_t samples = 4) {
  TraceOptions o;
  o.samples = samples;
  o.workers = 2;
  o.grid = 16;
  return o;
}
SceneMaker soup_scene(uint32_t seed) {
  SceneMaker made(40, 28, {0.3f, 1.2f, 3.5f}, {0, 0, 0});
  made.soup(300, seed, made.material(glm::vec3(0.7f), glm::vec3(0), glm::vec3(seed % 2 ? 0.2f : 0.0f), 60));
  made.quad({-3, -1.2f, -3}, {6, 0, 0}, {0, 0, 6}, made.material({0.6f, 0.5f, 0.4f}));
  made.quad({-0.5f, 2, -0.5f}, {1, 0, 0}, {0, 0, 1}, made.material(glm::vec3(0), glm::vec3(9, 8, 7)));
  return made;
}

TEST(Tracer, AllStructuresGiveOnePicture) {
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    const Frame frame = soup_scene(seed).frame;
    TraceOptions o = few_samples();
    o.bvh_children = 8;
    const TracePicture bvh = picture_of(frame, "cpu", "", o);
    o.bvh_children = 2;
    EXPECT_EQ(bvh.rgb, picture_of(frame, "cpu", "", o).rgb) << "two children, seed " << seed;
    o.structure = StructureKind::kd;
    EXPECT_EQ(bvh.rgb, picture_of(frame, "cpu", "", o).rgb) << "kd, seed " << seed;
    o.structure = StructureKind::grug;
    for (const uint32_t grid : {4u, 32u, 128u}) {
      o.grid = grid;
      EXPECT_EQ(bvh.rgb, picture_of(frame, "cpu", "", o).rgb) << "grid " << grid << ", seed " << seed;
    }
  }
}

TEST(Tracer, AllMachinesAndWorkersGiveOnePicture) {
  const Frame frame = soup_scene(3).frame;
  for (const auto& [structure, children] : {std::pair(StructureKind::bvh, 8u),
                                            {StructureKind::bvh, 2u},
                                            {StructureKind::kd, 0u},
                                            {StructureKind::grug, 0u}}) {
    TraceOptions o = few_samples();
    o.structure = structure;
    o.bvh_children = children;
    const TracePicture first = picture_of(frame, "cpu", "", o);
    EXPECT_GT(std::accumulate(first.rgb.begin(), first.rgb.end(), 0.0f), 10.0f) << "a dark picture";
    for (const std::string& isa : isas()) EXPECT_EQ(first.rgb, picture_of(frame, "cpu", isa, o).rgb) << isa;
    if (find_cpu_kernel("emulated") != nullptr) {
      EXPECT_EQ(first.rgb, picture_of(frame, "emulated", "", o).rgb);
    }
    o.workers = 5;
    EXPECT_EQ(first.rgb, picture_of(frame, "cpu", "", o).rgb) << "five workers";
    o.seed = 2;
    EXPECT_NE(first.rgb, picture_of(frame, "cpu", "", o).rgb) << "another seed";
  }
}

// Scenes smaller than a node or a leaf, and scenes of triangles that no split separates.
TEST(Tracer, SmallAndUnpartedScenesAreHit) {
  for (const int copies : {1, 2, 7, 8, 9, 40}) {
    SceneMaker made(16, 16, {0, 0, 3}, {0, 0, 0});
    const int grey = made.material(glm::vec3(0.5f));
    for (int i = 0; i < copies; ++i) made.triangle({-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, grey);
    TraceOptions o = few_samples();
    o.structure = StructureKind::kd;
    const TracePicture kd = picture_of(made.frame, "cpu", "", o);
    o.structure = StructureKind::bvh;
    for (o.bvh_children = 2; o.bvh_children <= 8; o.bvh_children += 6)
      EXPECT_EQ(kd.rgb, picture_of(made.frame, "cpu", "", o).rgb) << copies << ", " << o.bvh_children;
  }
}

TEST(Tracer, SaysWhatOptionsCannotBe) {
  const Frame frame = soup_scene(1).frame;
  TraceOptions o = few_samples();
  o.bvh_children = 3;
  EXPECT_THROW(picture_of(frame, "cpu", "", o), std::invalid_argument);
  o.bvh_children = 0;
  o.grid = 5;
  EXPECT_THROW(picture_of(frame, "cpu", "", o), std::invalid_argument);
}

TEST(Tracer, PausesChangeNothing) {
  const Frame frame = soup_scene(2).frame;
  const TraceScene scene = make_trace_scene(frame, {});
  const TraceOptions o = few_samples(16);
  const TracePicture whole = picture_of(frame, "cpu", "", o);
  Tracer tracer(make_task_machine("cpu"), scene, o);
  int runs = 1;
  for (int ms = 0; !tracer.run(ms).is_complete; ++ms) ++runs;  // budgets grow so that the loop ends
  EXPECT_EQ(whole.rgb, tracer.picture().rgb) << runs << " runs";
  tracer.reset();
  EXPECT_EQ(tracer.picture().samples[0], 0u);
  tracer.run();
  EXPECT_EQ(whole.rgb, tracer.picture().rgb) << "begun anew";
}

// Acceleration structures are reused when view, size and number of samples change.
TEST(Tracer, AnotherViewIsThatOfASceneOfItsOwn) {
  const SceneMaker first = soup_scene(2);
  SceneMaker other = soup_scene(2);
  const glm::vec3 eye(-1.1f, 0.9f, 3.2f);
  other.frame.targets[0].width = 24;
  other.frame.targets[0].height = 32;
  other.frame.views[0].eye = eye;
  other.frame.views[0].view_projection =
      glm::perspective(0.8f, 0.75f, 0.1f, 100.0f) * glm::lookAt(eye, glm::vec3(0), glm::vec3(0, 1, 0));
  for (const bool adaptive : {false, true}) {
    TraceOptions o = few_samples(adaptive ? 4 : 8);
    o.adaptive = adaptive;
    TraceScene scene = make_trace_scene(first.frame, {});
    Tracer tracer(make_task_machine("cpu"), scene, o);
    tracer.run(0);
    ASSERT_TRUE(look_through(scene, other.frame.views[0], 24, 32, {}));
    tracer.set_view(scene.width, scene.height, scene.lens, o.samples);
    EXPECT_TRUE(tracer.run().is_complete);
    EXPECT_EQ(tracer.picture().rgb, picture_of(other.frame, "cpu", "", o).rgb) << adaptive;
  }
  TraceScene scene = make_trace_scene(first.frame, {});
  other.frame.views[0].eye = glm::vec3(0, 0, 5000);
  EXPECT_FALSE(look_through(scene, other.frame.views[0], 24, 32, {})) << "so far away, hits are less exact";
}

// The table that encodes pictures equals the formula for every level and around each step.
TEST(Tone, EncodesAsTheFormulaOfSrgb) {
  const auto formula = [](float linear) {
    const double c = std::clamp(double(linear), 0.0, 1.0);
    return uint32_t(std::lround(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055)));
  };
  TracePicture picture;
  for (uint32_t bits = 0; bits < 0x3f900000u; bits += 997) picture.rgb.push_back(std::bit_cast<float>(bits));
  for (const float value : {-1.0f, -0.0f, 0.0f, 1e-40f, 0.99999994f, 1.0f, 1.0000001f, 1e30f, INFINITY})
    picture.rgb.push_back(value);
  for (int level = 0; level < 255; ++level) {
    const double s = (level + 0.5) / 255, c = s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
    float near = std::nextafter(float(c), 0.0f);
    for (int k = 0; k < 4; ++k) {
      picture.rgb.push_back(near);
      near = std::nextafter(near, 2.0f);
    }
  }
  picture.rgb.resize(picture.rgb.size() / 3 * 3);
  picture.width = int(picture.rgb.size() / 3);
  picture.height = 1;
  picture.samples.assign(picture.rgb.size() / 3, 4);
  const std::vector<uint32_t> pixels = screen_pixels(picture, 0, Tone::clamp);
  for (size_t i = 0; i < picture.rgb.size(); ++i) {
    ASSERT_EQ(pixels[i / 3] >> (8 * (i % 3)) & 255u, formula(picture.rgb[i])) << picture.rgb[i];
  }
}

TEST(Tracer, ExposureMakesTheSceneGreyWhateverTheSkyIs) {
  TracePicture picture;
  picture.width = 4;
  picture.height = 1;
  picture.rgb = {0.09f, 0.09f, 0.09f, 0.36f, 0.36f, 0.36f, 5, 5, 5, 0, 0, 0};  // twice scene, sky, no sample
  picture.samples = {4, 4, 4, 0};
  EXPECT_NEAR(automatic_exposure(picture, glm::vec3(5)), 0.0f, 1e-5f);
  for (float& value : picture.rgb) value *= 8;
  EXPECT_NEAR(automatic_exposure(picture, glm::vec3(40)), -3.0f, 1e-5f);
  picture.rgb.assign(12, 0.0f);
  EXPECT_EQ(automatic_exposure(picture, glm::vec3(0.5f)), 0.0f) << "nothing is lit";
}

// In a uniformly lit world, white chalk is as bright as the world. No other material is brighter.
TEST(Tracer, FurnaceNeitherLosesNorMakesLight) {
  SceneOptions lit;
  lit.sky = glm::vec3(1);
  lit.sun = glm::vec3(0);
  {
    SceneMaker made(24, 24, {0, 0, 3}, {0, 0, 0});
    made.ball({0, 0, 0}, 1, 12, made.material(glm::vec3(1)));
    TraceOptions o = few_samples();
    o.bounces = 64;
    for (const float value : picture_of(made.frame, "cpu", "", o, lit).rgb) EXPECT_NEAR(value, 1.0f, 2e-3f);
  }
  for (const float specular : {0.04f, 0.5f, 1.0f}) {
    for (const float shininess : {2.0f, 40.0f, 2000.0f}) {
      SceneMaker made(24, 24, {0, 0, 3}, {0, 0, 0});
      made.ball({0, 0, 0}, 1, 16, made.material(glm::vec3(1), glm::vec3(0), glm::vec3(specular), shininess));
      const TracePicture picture = picture_of(made.frame, "cpu", "", few_samples(64), lit);
      const double mean = std::accumulate(picture.rgb.begin(), picture.rgb.end(), 0.0) / double(picture.rgb.size());
      EXPECT_LT(mean, 1.003) << specular << ", " << shininess;
      EXPECT_GT(mean, 0.5) << specular << ", " << shininess;
    }
  }
}

// A small patch far below two lights: the form factors give its radiance.
TEST(Tracer, ALightSendsWhatItsFormFactorSays) {
  SceneMaker made(8, 8, {0, 3, 0.01f}, {0, 0, 0});
  made.quad({-5, 0, -5}, {10, 0, 0}, {0, 0, 10}, made.material(glm::vec3(0.5f)));
  made.quad({-1, 4, -0.75f}, {2, 0, 0}, {0, 0, 1.5f}, made.material(glm::vec3(0), glm::vec3(10)));
  made.quad({20, 4, 20}, {1, 0, 0}, {0, 0, 1}, made.material(glm::vec3(0), glm::vec3(25)));
  Frame frame = made.frame;
  frame.views[0].view_projection = glm::perspective(0.02f, 1.0f, 0.1f, 100.0f) *
                                   glm::lookAt(glm::vec3(0, 3, 0.01f), glm::vec3(0), glm::vec3(0, 1, 0));
  TraceOptions o = few_samples(256);
  o.bounces = 1;
  SceneOptions dark;
  dark.sky = dark.sun = glm::vec3(0);
  const TracePicture picture = picture_of(frame, "cpu", "", o, dark);
  const double mean = std::accumulate(picture.rgb.begin(), picture.rgb.end(), 0.0) / double(picture.rgb.size());
  // Integral over the light of cos^2 / (pi d^2), numerically.
  double factor = 0;
  constexpr int kSteps = 200;
  for (int i = 0; i < kSteps; ++i) {
    for (int j = 0; j < kSteps; ++j) {
      const auto add = [&](double x, double z, double power) {
        const double d2 = x * x + z * z + 16;
        factor += power * 16 / d2 / (3.14159265358979 * d2) / (kSteps * kSteps);
      };
      const double u = (i + 0.5) / kSteps, v = (j + 0.5) / kSteps;
      add(2 * u - 1, 1.5 * v - 0.75, 3 * 10);
      add(20 + u, 20 + v, 25);
    }
  }
  EXPECT_NEAR(mean, 0.5 * factor, 0.01 * mean);
}

TEST(Tracer, AdaptiveSamplesGoWhereTheErrorIs) {
  SceneMaker made(64, 64, {0, 0, 3}, {0, 0, 0});
  made.quad({-4, -4, 0}, {8, 0, 0}, {0, 0, 8}, made.material(glm::vec3(0.5f)));
  made.soup(60, 9, made.material(glm::vec3(0.8f)));
  made.quad({1, 2, 1}, {0.3f, 0, 0}, {0, 0, 0.3f}, made.material(glm::vec3(0), glm::vec3(60)));
  for (const Metric metric : {Metric::gain, Metric::contrast}) {
    TraceOptions o = few_samples(16);
    o.adaptive = true;
    o.metric = metric;
    o.high_error = metric == Metric::gain ? 1.0f : 10.0f;
    o.workers = 1;
    const TracePicture picture = picture_of(made.frame, "cpu", "", o);
    const auto [least, most] = std::minmax_element(picture.samples.begin(), picture.samples.end());
    EXPECT_EQ(*least, 4u) << "regions without anything need no more than their first samples";
    EXPECT_GE(*most, 32u);
    const uint64_t sum = std::accumulate(picture.samples.begin(), picture.samples.end(), uint64_t(0));
    EXPECT_EQ(sum, uint64_t(16) * picture.samples.size());
  }
}

// Regions beside noise get samples that would have gone into it if neighbours' errors count; the sum stays.
TEST(Tracer, NeighboursErrorsRaiseARegionsPriority) {
  SceneMaker made(64, 64, {0, 0, 3}, {0, 0, 0});
  made.quad({-4, -4, 0}, {8, 0, 0}, {0, 0, 8}, made.material(glm::vec3(0.5f)));
  made.soup(60, 9, made.material(glm::vec3(0.8f)));
  made.quad({1, 2, 1}, {0.3f, 0, 0}, {0, 0, 0.3f}, made.material(glm::vec3(0), glm::vec3(60)));
  const auto sampled = [&](float neighbors) {
    TraceOptions o = few_samples(16);
    o.adaptive = true;
    o.neighbors = neighbors;
    o.workers = 1;
    TracePicture picture = picture_of(made.frame, "cpu", "", o);
    EXPECT_EQ(std::accumulate(picture.samples.begin(), picture.samples.end(), uint64_t(0)),
              uint64_t(16) * picture.samples.size());
    return std::move(picture.samples);
  };
  const std::vector<uint32_t> local = sampled(0), raised = sampled(1);
  // The sum of differences between neighbouring regions: what neighbours share makes the map smoother.
  const auto roughness = [](const std::vector<uint32_t>& samples) {
    int64_t sum = 0;
    for (size_t y = 0; y < 64; y += 8) {
      for (size_t x = 8; x < 64; x += 8) {
        sum += std::abs(int64_t(samples[y * 64 + x]) - int64_t(samples[y * 64 + x - 8]));
        sum += std::abs(int64_t(samples[x * 64 + y]) - int64_t(samples[(x - 8) * 64 + y]));
      }
    }
    return sum;
  };
  EXPECT_LT(roughness(raised), roughness(local));
  TraceOptions wrong = few_samples(4);
  wrong.neighbors = 2;
  EXPECT_THROW(picture_of(made.frame, "cpu", "", wrong), std::invalid_argument);
}

// A bound far above all errors puts every region into the lowest bucket, which is even sampling in the end; coming
// down, it finds out where the error is.
TEST(Tracer, ABoundThatComesDownTellsRegionsApart) {
  SceneMaker made(64, 64, {0, 0, 3}, {0, 0, 0});
  made.quad({-4, -4, 0}, {8, 0, 0}, {0, 0, 8}, made.material(glm::vec3(0.5f)));
  made.soup(60, 9, made.material(glm::vec3(0.8f)));
  made.quad({1, 2, 1}, {0.3f, 0, 0}, {0, 0, 0.3f}, made.material(glm::vec3(0), glm::vec3(60)));
  std::vector<std::string> machines = {"cpu"};
  if (find_cpu_kernel("emulated") != nullptr) machines.push_back("emulated");
  for (const std::string& machine : machines) {
    const TraceScene scene = make_trace_scene(made.frame, {});
    const auto max_samples_of = [&](bool decreasing) {
      TraceOptions o = few_samples(24);
      o.adaptive = true;
      o.high_error = 1e5f;
      o.decreasing_priorities = decreasing;
      Tracer tracer(make_task_machine(machine), scene, o);
      TraceReport report;
      for (int ms = 0; !report.is_complete; ++ms) report = tracer.run(ms);  // the bound persists across pauses
      EXPECT_EQ(report.halvings > 4, decreasing) << machine;
      const TracePicture picture = tracer.picture();
      EXPECT_EQ(std::accumulate(picture.samples.begin(), picture.samples.end(), uint64_t(0)), 24u * 64 * 64) << machine;
      return *std::max_element(picture.samples.begin(), picture.samples.end());
    };
    const uint32_t fixed = max_samples_of(false), decreasing = max_samples_of(true);
    EXPECT_LE(fixed, 28u) << machine << ": one bucket is a queue, in which regions take turns";
    EXPECT_GE(decreasing, 36u) << machine;
  }
}

// A region's pixels depend only on their number of samples.
TEST(Tracer, EqualCountsAreEqualPixels) {
  const Frame frame = soup_scene(5).frame;
  TraceOptions o = few_samples(16);
  o.adaptive = true;
  const TracePicture adaptive = picture_of(frame, "cpu", "", o);
  o.adaptive = false;
  for (uint32_t n = 4; n <= 16; n += 4) {
    o.samples = n;
    const TracePicture even = picture_of(frame, "cpu", "", o);
    for (size_t i = 0; i < adaptive.samples.size(); ++i) {
      if (adaptive.samples[i] != n) continue;
      for (size_t k = 0; k < 3; ++k) ASSERT_EQ(adaptive.rgb[3 * i + k], even.rgb[3 * i + k]) << i;
    }
  }
}

// Neighbouring and consecutive regions draw different random numbers.
TEST(Tracer, RegionsAreNotCorrelated) {
  SceneMaker made(64, 64, {0, 0, 3}, {0, 0, 0});
  made.quad({-9, -9, -1}, {18, 0, 0}, {0, 18, 0}, made.material(glm::vec3(0.5f)));
  made.quad({-20, -20, 4}, {40, 0, 0}, {0, 40, 0}, made.material(glm::vec3(0), glm::vec3(1)));
  made.quad({-2, -2, 2}, {0.1f, 0, 0}, {0, 0, 0.1f}, made.material(glm::vec3(0), glm::vec3(30)));
  const TracePicture p = picture_of(made.frame, "cpu", "", few_samples());
  const auto value = [&](int x, int y) { return double(p.rgb[3 * size_t(y * 64 + x)]); };
  double mean = 0, variance = 0;
  for (int i = 0; i < 4096; ++i) mean += value(i % 64, i / 64) / 4096;
  for (int i = 0; i < 4096; ++i) variance += std::pow(value(i % 64, i / 64) - mean, 2) / 4096;
  ASSERT_GT(variance, 0);
  for (const auto& [dx, dy] : {std::pair(1, 0), {0, 1}, {8, 0}, {0, 8}, {8, 8}, {32, 0}}) {
    double covariance = 0;
    for (int y = 0; y + dy < 64; ++y)
      for (int x = 0; x + dx < 64; ++x)
        covariance += (value(x, y) - mean) * (value(x + dx, y + dy) - mean) / double((64 - dx) * (64 - dy));
    EXPECT_LT(std::abs(covariance / variance), 0.12) << dx << ", " << dy;
  }
}

}  // namespace
}  // namespace brokkr::trace_test
