// MP-6's test: texel addresses, textures against the oracle and against an OpenGL driver, and the parts of a game
// frame's time.
#include "mp6.h"

#include <cmath>
#include <cstdio>

#include "common/check.h"
#include "common/expected.h"
#include "common/soup.h"

namespace {

using namespace course;

// Framebuffer, depth and textures of one recording.
struct Memories {
  explicit Memories(const Recording& r)
      : recording(r), framebuffer(r.width, r.height), depths(framebuffer), textures(r) {
    clear(framebuffer, pack(r.clear_color));
  }
  void draw() {
    draw_recording(recording, [&](const Draw& draw, const Shape& shape) {
      return TextureUnit(draw, shape, framebuffer, depths, textures);
    });
  }
  const Recording& recording;
  Framebuffer framebuffer;
  DepthBuffer depths;
  TextureMemory textures;
};

Picture drawn(const Recording& recording) {
  Memories memories(recording);
  memories.draw();
  return memories.framebuffer.picture();
}

void check_addresses(Check& check) {
  for (const auto& [width_log2, height_log2] : {std::pair{0, 0}, {3, 3}, {5, 2}, {1, 6}}) {
    const Texture texture{width_log2, height_log2, {}};
    for (int i = 0; i < 300; ++i) {
      const double s = (i * 37 % 100 - 40) / 16.0 + 1.0 / 512, t = (i * 53 % 100 - 60) / 16.0 + 1.0 / 512;
      const int column = int(std::floor(s * texture.width())) & (texture.width() - 1);
      const int row = int(std::floor(t * texture.height())) & (texture.height() - 1);
      const auto right = size_t(row * texture.width() + column),
                 yours = texel_address(texture, to_fixed(s), to_fixed(t));
      if (!check.claim(yours == right, "the texel at (" + std::to_string(s) + ", " + std::to_string(t) + ") of " +
                                           std::to_string(texture.width()) + " x " + std::to_string(texture.height()) +
                                           " is word " + std::to_string(right) + ", not " + std::to_string(yours)))
        return;
    }
  }
}

void check_modulation(Check& check) {
  for (const auto& [channel, texel, right] : {std::tuple{kOne, 255u, 255u},
                                              {kOne, 77u, 77u},
                                              {kOne / 2, 101u, 51u},
                                              {Fixed(0), 200u, 0u},
                                              {2 * kOne, 9u, 9u}}) {
    const uint32_t yours = modulated(channel, texel);
    if (!check.claim(yours == right, "modulated(" + std::to_string(to_double(channel)) + ", " + std::to_string(texel) +
                                         ") is " + std::to_string(yours) + " and should be " + std::to_string(right)))
      return;
  }
}

// Every fragment that passes writes its depth here and reads exactly one texel.
void check_reads(Check& check) {
  Recording soup = make_soup(40, {.textures = true});
  float depth = 0.9f;
  for (Draw& draw : soup.draws) {
    draw.depth_test = draw.depth_write = true;
    draw.depth = DepthFunction::less;
    depth = depth > -0.8f ? depth - 0.37f : depth + 1.71f;
    for (Vertex& vertex : draw.vertices) vertex.position.z = depth;
  }
  Memories memories(soup);
  memories.draw();
  check.claim(memories.depths.writes > 0, "nothing passes the depth test");
  check.claim(memories.textures.reads == memories.depths.writes,
              std::to_string(memories.textures.reads) + " texels are read for " +
                  std::to_string(memories.depths.writes) +
                  " fragments that pass the depth test: read one for each of them, and none for the others");
}

// A unit that only counts, to measure the cost and the work of the walk alone.
struct Empty {
  uint64_t &steps, &fragments;
  void start(int, int) {}
  void move(Command) { ++steps; }
  void fragment(int, int) { ++fragments; }
};

// Prints the parts of a game frame's time: the pipeline with one more stage in each line.
void print_stages(const Recording& game) {
  Memories memories(game);
  uint64_t triangles = 0, steps = 0, fragments = 0;
  const double clearing = least_nanoseconds([&] { clear(memories.framebuffer, 0); });
  const double geometry = least_nanoseconds([&] {
    triangles = 0;
    for (const Draw& draw : game.draws) for_each_triangle(game, draw, [&](const Shape&) { ++triangles; });
  });
  const double walk = least_nanoseconds([&] {
    steps = fragments = 0;
    draw_recording(game, [&](const Draw&, const Shape&) { return Empty{steps, fragments}; });
  });
  const double depth = least_nanoseconds([&] {
    memories.depths = DepthBuffer(memories.framebuffer);
    draw_recording(game, [&](const Draw& draw, const Shape& shape) {
      return DepthUnit(draw, shape, memories.framebuffer, memories.depths);
    });
  });
  const double texture = least_nanoseconds([&] {
    memories.depths = DepthBuffer(memories.framebuffer);
    memories.textures.reads = 0;
    memories.draw();
  });
  std::printf("game frame: %llu triangles in the window, %llu steps, %llu fragments, %llu pass the depth test\n",
              (unsigned long long)triangles, (unsigned long long)steps, (unsigned long long)fragments,
              (unsigned long long)memories.depths.writes);
  std::printf("  stage up to        ms     added\n");
  double before = 0;
  for (const auto& [name, ns] : {std::pair{"clear", clearing},
                                 {"geometry", clearing + geometry},
                                 {"zig-zag", clearing + walk},
                                 {"colour and depth", clearing + depth},
                                 {"texture", clearing + texture}}) {
    std::printf("  %-16s %6.2f  %8.2f\n", name, ns / 1e6, (ns - before) / 1e6);
    before = ns;
  }
}

std::string measure(const Recording& game) {
  Memories memories(game);
  memories.draw();
  const uint64_t fragments = memories.depths.reads;
  const double ns = least_nanoseconds([&] {
    memories.depths = DepthBuffer(memories.framebuffer);
    clear(memories.framebuffer, 0);
    memories.draw();
  });
  return "game frame " + one_decimal(ns / 1e6) + " ms, " + one_decimal(ns / double(std::max<uint64_t>(fragments, 1))) +
         " ns/fragment";
}

}  // namespace

int main(int count, char** words) {
  Check check("mp6", count, words);
  check.part("texel addresses", [&] { check_addresses(check); });
  check.part("modulation", [&] { check_modulation(check); });
  check.part("textures, by the oracle", [&] {
    for (uint32_t seed = 31; seed <= 36; ++seed) {
      const Recording soup = make_soup(seed, {.perspective = seed % 2 == 1, .depth = true, .textures = true});
      const Expected expected = oracle_picture(soup, Shading::textured);
      if (!check.same("soup", expected.picture, drawn(soup), 1, expected.uncertain)) return;
    }
  });
  check.part("textures, by the driver", [&] {
    const Recording recording = check.recording("textures");
    check.same("driver", check.driver_picture("textures"), drawn(recording), 2,
               oracle_picture(recording, Shading::textured).uncertain);
  });
  check.part("texels read", [&] { check_reads(check); });
  check.leaderboard([&] {
    const Recording game = check.recording("game");
    print_stages(game);
    return measure(game);
  });
  if (!check.page().empty()) write_png(check.page(), drawn(check.recording("game")));
  return check.finish("That is a pipeline. docs/course/README.md leads on.");
}
