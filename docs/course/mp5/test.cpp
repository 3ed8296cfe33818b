// MP-5's test: depth functions, soups with depth, and the sine test, against the oracle and against an OpenGL driver.
#include "mp5.h"

#include "common/check.h"
#include "common/expected.h"
#include "common/soup.h"

namespace {

using namespace course;

Picture drawn(const Recording& recording) {
  Framebuffer framebuffer(recording.width, recording.height);
  clear(framebuffer, pack(recording.clear_color));
  DepthBuffer depths(framebuffer);
  draw_recording(recording,
                 [&](const Draw& draw, const Shape& shape) { return DepthUnit(draw, shape, framebuffer, depths); });
  return framebuffer.picture();
}

void check_functions(Check& check) {
  const char* const names[] = {"never", "less", "equal", "lequal", "greater", "notequal", "gequal", "always"};
  for (int function = 0; function < 8; ++function) {
    for (const auto& [depth, stored] : {std::pair{3u, 5u}, {5u, 5u}, {7u, 5u}, {0u, kFarthest}, {kFarthest, 0u}}) {
      const bool right = oracle_passes(DepthFunction(function), float(depth), float(stored));
      if (!check.claim(passes(DepthFunction(function), depth, stored) == right,
                       std::string(names[function]) + ": depth " + std::to_string(depth) +
                           (right ? " should pass" : " should not pass") + " against " + std::to_string(stored)))
        return;
    }
  }
}

void check_codes(Check& check) {
  const std::pair<Fixed, uint32_t> pairs[] = {{0, 0},   {kOne, kFarthest}, {kOne / 4, 4194304},
                                              {256, 1}, {-kOne / 9, 0},    {3 * kOne, kFarthest}};
  for (const auto& [depth, code] : pairs) {
    if (!check.claim(depth_code_of(depth) == code, "depth_code_of(" + std::to_string(to_double(depth)) + ") is " +
                                                       std::to_string(depth_code_of(depth)) + " and should be " +
                                                       std::to_string(code)))
      return;
  }
}

// Without a depth test, nothing is read. A test without writing leaves all depths unchanged.
void check_accesses(Check& check) {
  Recording soup = make_soup(20, {.triangles = 40});
  for (const bool test : {false, true}) {
    for (Draw& draw : soup.draws) draw.depth_test = test, draw.depth = DepthFunction::less, draw.depth_write = false;
    Framebuffer framebuffer(soup.width, soup.height);
    DepthBuffer depths(framebuffer);
    draw_recording(soup,
                   [&](const Draw& draw, const Shape& shape) { return DepthUnit(draw, shape, framebuffer, depths); });
    check.claim(depths.writes == 0, "depths are written though depth_write is off");
    check.claim((depths.reads > 0) == test,
                test ? "no depth is read though depth_test is on" : "depths are read though depth_test is off");
  }
}

std::string measure(const Check& check) {
  const Recording recording = check.recording("depth");
  Framebuffer framebuffer(recording.width, recording.height);
  DepthBuffer depths(framebuffer);
  uint64_t triangles = 0;
  draw_recording(recording, [&](const Draw& draw, const Shape& shape) {
    return ++triangles, DepthUnit(draw, shape, framebuffer, depths);
  });
  const uint64_t fragments = depths.reads;
  const double ns = least_nanoseconds([&] {
    draw_recording(recording,
                   [&](const Draw& draw, const Shape& shape) { return DepthUnit(draw, shape, framebuffer, depths); });
  });
  return "depth " + one_decimal(ns / double(triangles)) + " ns/triangle, " + one_decimal(ns / double(fragments)) +
         " ns/fragment";
}

}  // namespace

int main(int count, char** words) {
  Check check("mp5", count, words);
  check.part("the eight functions", [&] { check_functions(check); });
  check.part("codes", [&] { check_codes(check); });
  check.part("reads and writes", [&] { check_accesses(check); });
  check.part("depth, by the oracle", [&] {
    for (uint32_t seed = 21; seed <= 24; ++seed) {
      const Recording soup = make_soup(seed, {.depth = true});
      const Expected expected = oracle_picture(soup, Shading::smooth);
      if (!check.same("soup", expected.picture, drawn(soup), 1, expected.uncertain)) return;
    }
  });
  check.part("the sine test, by the driver", [&] {
    const Recording recording = check.recording("depth");
    check.same("driver", check.driver_picture("depth"), drawn(recording), 2,
               oracle_picture(recording, Shading::smooth).uncertain);
  });
  check.leaderboard([&] { return measure(check); });
  if (!check.page().empty()) write_png(check.page(), enlarged(drawn(check.recording("depth")), 4));
  return check.finish("Next: docs/course/mp6.");
}
