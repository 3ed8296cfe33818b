// MP-1's test: addresses, clear and pixels, against the oracle and against an OpenGL driver.
#include <random>

#include "common/check.h"
#include "common/expected.h"
#include "common/points.h"
#include "mp1.h"

namespace {

using namespace course;

void check_addresses(Check& check) {
  for (const int width : {1, 3, 160, 640, 1280, 2048}) {
    const Framebuffer framebuffer(width, 8);
    int row = 1;
    while (row < width) row *= 2;
    for (const auto& [x, y] : {std::pair{0, 0}, {width - 1, 0}, {0, 1}, {width / 2, 5}, {width - 1, 7}}) {
      const size_t right = size_t(y) * size_t(row) + size_t(x), yours = address(framebuffer, x, y);
      if (!check.claim(yours == right, "pixel (" + std::to_string(x) + ", " + std::to_string(y) +
                                           ") of a framebuffer " + std::to_string(width) + " wide is word " +
                                           std::to_string(right) + ", not " + std::to_string(yours))) {
        return;
      }
    }
  }
}

// Checks the oracle's clear, and pixels as the oracle draws them: squares of two triangles.
void check_oracle(Check& check) {
  Recording recording;
  recording.width = 50;
  recording.height = 37;
  recording.clear_color = {0.25f, 0.5f, 0.75f};
  Framebuffer framebuffer(recording.width, recording.height);
  clear(framebuffer, pack(recording.clear_color));
  if (!check.same("clear", oracle_picture(recording, Shading::flat).picture, framebuffer.picture())) return;
  std::mt19937 dice(3);
  Draw draw;
  Queues queues;
  for (uint32_t i = 0; i < 400; ++i) {
    const int x = int(dice() % 60) - 5, y = int(dice() % 47) - 5;  // some of them outside
    const Color color{float(dice() % 256) / 255, float(dice() % 256) / 255, float(dice() % 256) / 255};
    queues.vertices.push_back({x, y});
    queues.colors.push_back(pack(color));
    queues.indices.push_back({i, i});
    for (const auto& [dx, dy] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}}) {
      Vertex vertex;
      vertex.position = {2 * float(x + dx) / 50 - 1, 2 * float(y + dy) / 37 - 1, 0, 1};
      vertex.color = color;
      draw.elements.push_back(int(draw.vertices.size()));
      draw.vertices.push_back(vertex);
    }
  }
  recording.draws.push_back(draw);
  draw_pixels(framebuffer, queues);
  check.same("pixels", oracle_picture(recording, Shading::flat).picture, framebuffer.picture());
}

Queues queues_of_recording(const Recording& recording) {
  return queues_of(recording, [&](const Vertex& vertex, int& x, int& y) {
    pixel_of(recording, vertex.position, x, y);
    return true;
  });
}

Picture drawn(const Recording& recording) {
  Framebuffer framebuffer(recording.width, recording.height);
  clear(framebuffer, pack(recording.clear_color));
  draw_pixels(framebuffer, queues_of_recording(recording));
  return framebuffer.picture();
}

std::string measure(const Check& check) {
  Framebuffer framebuffer(1280, 1024);
  const double clear_ns = least_nanoseconds([&] { clear(framebuffer, 0); });
  const Recording recording = check.recording("pixels");
  const Queues queues = queues_of_recording(recording);
  const double draw_ns = least_nanoseconds([&] { draw_pixels(framebuffer, queues); });
  return "clear " + one_decimal(clear_ns * 1000 / (1280 * 1024)) + " ps/pixel, pixels " +
         one_decimal(draw_ns / double(queues.indices.size())) + " ns/pixel";
}

}  // namespace

int main(int count, char** words) {
  Check check("mp1", count, words);
  check.part("address", [&] { check_addresses(check); });
  check.part("clear and pixels, by the oracle", [&] { check_oracle(check); });
  check.part("pixels, by the driver", [&] {
    const Recording recording = check.recording("pixels");
    check.same("driver", check.driver_picture("pixels"), drawn(recording), 1);
  });
  check.leaderboard([&] { return measure(check); });
  if (!check.page().empty()) write_png(check.page(), enlarged(drawn(check.recording("pixels")), 4));
  return check.finish("Next: docs/course/mp2.");
}
