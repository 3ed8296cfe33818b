// MP-4's test: interpolated colours, against the oracle and against an OpenGL driver.
#include "mp4.h"

#include <cmath>

#include "common/check.h"
#include "common/expected.h"
#include "common/soup.h"

namespace {

using namespace course;

Picture drawn(const Recording& recording) {
  Framebuffer framebuffer(recording.width, recording.height);
  clear(framebuffer, pack(recording.clear_color));
  draw_recording(recording, [&](const Draw&, const Shape& shape) { return ColorUnit(shape, framebuffer); });
  return framebuffer.picture();
}

void check_planes(Check& check) {
  Triangle triangle;
  setup({{0, 0, 0, 1}, {8, 0, 0, 1}, {0, 4, 0, 1}}, triangle);
  const Plane plane = plane_through(triangle, {0.5, 0.75, 0.25}, 1, 2);
  const double value = to_double(plane.value), dx = to_double(plane.dx), dy = to_double(plane.dy);
  const double right[] = {0.5 + 1.5 / 32 - 2.5 / 16, 1.0 / 32, -1.0 / 16};
  check.claim(std::fabs(value - right[0]) + std::fabs(dx - right[1]) + std::fabs(dy - right[2]) < 1e-6,
              "the plane through 0.5 at (0, 0), 0.75 at (8, 0) and 0.25 at (0, 4), from pixel (1, 2) on, is " +
                  std::to_string(value) + ", dx " + std::to_string(dx) + ", dy " + std::to_string(dy) +
                  "; it should be " + std::to_string(right[0]) + ", " + std::to_string(right[1]) + ", " +
                  std::to_string(right[2]));
}

void check_commands(Check& check) {
  Interpolator value({10 * kOne, kOne, 100 * kOne});
  const std::pair<Command, int> steps[] = {
      {Command::move_left, 9},       {Command::move_left, 8},         {Command::pop_move_right, 11},
      {Command::move_right, 12},     {Command::push_move_down, -88},  {Command::move_right, -87},
      {Command::pop_move_left, -89}, {Command::push_move_down, -189}, {Command::pop_move_right, -188}};
  for (size_t i = 0; i < std::size(steps); ++i) {
    value.move(steps[i].first);
    if (!check.claim(value.value() == steps[i].second * kOne, "from 10 on, with dx 1 and dy 100, step " +
                                                                  std::to_string(i + 1) +
                                                                  " of left, left, pop right, right, down, right, "
                                                                  "pop left, down, pop right leads to " +
                                                                  std::to_string(to_double(value.value())) +
                                                                  " and should to " + std::to_string(steps[i].second)))
      return;
  }
}

void check_codes(Check& check) {
  const std::pair<Fixed, uint32_t> pairs[] = {{0, 0},          {kOne, 255},    {kOne / 2, 128},
                                              {kOne / 255, 1}, {-kOne / 9, 0}, {3 * kOne, 255}};
  for (const auto& [channel, code] : pairs) {
    if (!check.claim(code_of(channel) == code, "code_of(" + std::to_string(to_double(channel)) + ") is " +
                                                   std::to_string(code_of(channel)) + " and should be " +
                                                   std::to_string(code)))
      return;
  }
}

std::string measure(const Check& check) {
  const Recording recording = check.recording("colors");
  Framebuffer framebuffer(recording.width, recording.height);
  uint64_t triangles = 0, fragments = 0;
  struct Counting : ColorUnit {
    Counting(const Shape& shape, Framebuffer& f, uint64_t& n) : ColorUnit(shape, f), all_fragments(n) {}
    void fragment(int x, int y) { ++all_fragments, ColorUnit::fragment(x, y); }
    uint64_t& all_fragments;
  };
  draw_recording(recording,
                 [&](const Draw&, const Shape& shape) { return ++triangles, Counting(shape, framebuffer, fragments); });
  const double ns = least_nanoseconds([&] {
    draw_recording(recording, [&](const Draw&, const Shape& shape) { return ColorUnit(shape, framebuffer); });
  });
  return "colours " + one_decimal(ns / double(triangles)) + " ns/triangle, " + one_decimal(ns / double(fragments)) +
         " ns/fragment";
}

}  // namespace

int main(int count, char** words) {
  Check check("mp4", count, words);
  check.part("planes", [&] { check_planes(check); });
  check.part("commands", [&] { check_commands(check); });
  check.part("codes", [&] { check_codes(check); });
  check.part("colours, by the oracle", [&] {
    for (uint32_t seed = 11; seed <= 14; ++seed) {
      const Recording soup = make_soup(seed, {});
      if (!check.same("soup", oracle_picture(soup, Shading::smooth).picture, drawn(soup), 1)) return;
    }
  });
  check.part("colours, by the driver",
             [&] { check.same("driver", check.driver_picture("colors"), drawn(check.recording("colors")), 2); });
  check.leaderboard([&] { return measure(check); });
  if (!check.page().empty()) write_png(check.page(), enlarged(drawn(check.recording("colors")), 4));
  return check.finish("Next: docs/course/mp5.");
}
