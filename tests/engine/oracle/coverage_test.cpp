// The oracle's coverage and depth against cases that are calculated by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "oracle/frame_builder.h"
#include "oracle/triangle.h"

namespace brokkr::oracle {
namespace {

using Pixels = std::set<std::pair<int, int>>;

State state_8x8() {
  State state;
  state.viewport = {0, 0, 8, 8};
  return state;
}

std::array<glm::vec4, 3> at_window(const State& state, glm::dvec2 a, glm::dvec2 b, glm::dvec2 c) {
  return {clip_at(state.viewport, a.x, a.y), clip_at(state.viewport, b.x, b.y), clip_at(state.viewport, c.x, c.y)};
}

struct Covered {
  Fate fate = Fate::culled;
  std::vector<Sample> samples;
  Pixels certain, uncertain;
};

Covered cover_target(const std::array<glm::vec4, 3>& clip, const State& state, uint32_t flags = 0, int size = 8,
                     double tolerance = 1.0 / 128) {
  Covered result;
  result.fate = cover(clip, state, flags, drawable_pixels(state, size, size), tolerance, result.samples);
  for (const Sample& s : result.samples) (s.certain ? result.certain : result.uncertain).insert({s.x, s.y});
  return result;
}

// Legs along rows and columns of centres, hypotenuse through centres: every rule in one triangle.
TEST(OracleCoverage, BottomLeftRuleOnExactCentres) {
  const State state = state_8x8();
  const Covered lower = cover_target(at_window(state, {0.5, 0.5}, {4.5, 0.5}, {0.5, 4.5}), state);
  EXPECT_EQ(lower.fate, Fate::drawn);
  // The hypotenuse (a right edge) is exclusive, bottom and left edge are inclusive.
  EXPECT_EQ(lower.certain, (Pixels{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1}, {1, 1}, {2, 1}, {0, 2}, {1, 2}, {0, 3}}));

  const Covered upper = cover_target(at_window(state, {4.5, 0.5}, {4.5, 4.5}, {0.5, 4.5}), state);
  // The hypotenuse (now a left edge) is inclusive, top and right edge are exclusive.
  EXPECT_EQ(upper.certain, (Pixels{{3, 1}, {2, 2}, {3, 2}, {1, 3}, {2, 3}, {3, 3}}));
}

TEST(OracleCoverage, WindingDoesNotMatter) {
  const State state = state_8x8();
  const Covered ccw = cover_target(at_window(state, {0.5, 0.5}, {6.5, 1.5}, {2.5, 7.5}), state);
  const Covered cw = cover_target(at_window(state, {0.5, 0.5}, {2.5, 7.5}, {6.5, 1.5}), state);
  EXPECT_GT(ccw.certain.size(), 10u);
  EXPECT_EQ(ccw.certain, cw.certain);
}

// Four triangles share a sample as a corner. It belongs to the one on its right, where both edges are left edges.
TEST(OracleCoverage, SharedCornerOnACentre) {
  const State state = state_8x8();
  const glm::dvec2 corners[] = {{0, 0}, {7, 0}, {7, 7}, {0, 7}};
  for (int i = 0; i < 4; ++i) {  // below, right, above, left
    const Covered part = cover_target(at_window(state, {3.5, 3.5}, corners[i], corners[(i + 1) % 4]), state);
    EXPECT_EQ(part.certain.count({3, 3}), i == 1 ? 1u : 0u) << i;
  }
}

TEST(OracleCoverage, SnapsToTheNearestGridPointTiesToEven) {
  EXPECT_EQ(snap({0.5f / 256, 1.5f / 256, 0}).x, 0);
  EXPECT_EQ(snap({0.5f / 256, 1.5f / 256, 0}).y, 2);
  EXPECT_EQ(snap({-0.5f / 256, -1.5f / 256, 0}).x, 0);
  EXPECT_EQ(snap({-0.5f / 256, -1.5f / 256, 0}).y, -2);
  EXPECT_EQ(snap({100.3f, -7.01f, 0}).x, std::lround(100.3 * 256));
  EXPECT_EQ(first_pixel(128), 0);
  EXPECT_EQ(first_pixel(129), 1);
  EXPECT_EQ(last_pixel(128), 0);
  EXPECT_EQ(last_pixel(127), -1);
  EXPECT_EQ(first_pixel(-128), -1);
}

TEST(OracleCoverage, CullsByWinding) {
  State state = state_8x8();
  const auto ccw = at_window(state, {1, 1}, {7, 1}, {1, 7}), cw = at_window(state, {1, 1}, {1, 7}, {7, 1});
  const auto drawn = [&](CullMode cull, FrontFace front, uint32_t flags) {
    state.cull = cull;
    state.front_face = front;
    return std::pair{cover_target(ccw, state, flags).fate == Fate::drawn,
                     cover_target(cw, state, flags).fate == Fate::drawn};
  };
  EXPECT_EQ(drawn(CullMode::none, FrontFace::ccw, 0), std::pair(true, true));
  EXPECT_EQ(drawn(CullMode::back, FrontFace::ccw, 0), std::pair(true, false));
  EXPECT_EQ(drawn(CullMode::front, FrontFace::ccw, 0), std::pair(false, true));
  EXPECT_EQ(drawn(CullMode::back, FrontFace::cw, 0), std::pair(false, true));
  EXPECT_EQ(drawn(CullMode::front_and_back, FrontFace::ccw, 0), std::pair(false, false));
  // The mirrored image reverses the winding, and the flag reverses it back.
  EXPECT_EQ(drawn(CullMode::back, FrontFace::ccw, kOriginUpperLeft), std::pair(true, false));
}

TEST(OracleCoverage, CullsWhatHasNoAreaOrIsNotFinite) {
  const State state = state_8x8();
  EXPECT_EQ(cover_target(at_window(state, {1, 1}, {4, 4}, {7, 7}), state).fate, Fate::culled);
  EXPECT_EQ(cover_target(at_window(state, {1, 1}, {1, 1}, {7, 5}), state).fate, Fate::culled);
  // Not degenerate, but within one grid cell.
  EXPECT_EQ(cover_target(at_window(state, {3.5, 3.5}, {3.5004, 3.5}, {3.5, 3.5004}), state).fate, Fate::culled);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    for (int component = 0; component < 4; ++component) {
      auto clip = at_window(state, {1, 1}, {7, 1}, {1, 7});
      clip[1][component] = bad;
      EXPECT_EQ(cover_target(clip, state).fate, Fate::culled);
    }
  }
}

TEST(OracleCoverage, OnlyPixelsOfTargetScissorAndViewport) {
  State state;
  state.viewport = {1.25f, 2, 4, 3.75f};  // centres from 1.5 to below 5.25, from 2.5 to below 5.75
  const std::array<glm::vec4, 3> all{glm::vec4(-3, -3, 0, 1), glm::vec4(9, -3, 0, 1), glm::vec4(-3, 9, 0, 1)};
  const PixelRect viewport = drawable_pixels(state, 8, 8);
  EXPECT_EQ((std::array{viewport.left, viewport.bottom, viewport.right, viewport.top}), (std::array{1, 2, 5, 6}));
  EXPECT_EQ(cover_target(all, state).certain.size(), 16u);
  state.scissor = Rect{3, -2, 100, 6};
  EXPECT_EQ(cover_target(all, state).certain, (Pixels{{3, 2}, {4, 2}, {3, 3}, {4, 3}}));
  state.scissor = Rect{1 << 30, 1 << 30, 1 << 30, 1 << 30};
  EXPECT_TRUE(cover_target(all, state).samples.empty());
}

// z_ndc = x_ndc / 2 over the window: window depth is 0.5 + 0.25 * x_ndc, exactly representable at centres.
TEST(OracleCoverage, DepthIsThePlane) {
  State state = state_8x8();
  std::array<glm::vec4, 3> clip{clip_at(state.viewport, 0, 0, -0.5), clip_at(state.viewport, 8, 0, 0.5),
                                clip_at(state.viewport, 0, 8, -0.5)};
  for (const Sample& s : cover_target(clip, state).samples) {
    EXPECT_FLOAT_EQ(s.depth, 0.25f + 0.5f * (float(s.x) + 0.5f) / 8);
  }
  state.depth_near = 0.75f;  // reversed and narrowed
  state.depth_far = 0.25f;
  for (const Sample& s : cover_target(clip, state).samples) {
    EXPECT_FLOAT_EQ(s.depth, 0.625f - 0.25f * (float(s.x) + 0.5f) / 8);
  }
  for (glm::vec4& v : clip) v.z += 0.5f;  // 0..1 under the other convention
  for (const Sample& s : cover_target(clip, state, kZeroToOne).samples) {
    EXPECT_FLOAT_EQ(s.depth, 0.75f - 0.5f * (float(s.x) + 0.5f) / 8);
  }
}

// Depth is linear in window space for any w.
TEST(OracleCoverage, DepthDoesNotFollowPerspective) {
  const State state = state_8x8();
  const std::array<glm::vec4, 3> clip{clip_at(state.viewport, 0, 0, -0.5, 1), clip_at(state.viewport, 8, 0, 0.5, 16),
                                      clip_at(state.viewport, 0, 8, -0.5, 3)};
  const Covered covered = cover_target(clip, state);
  EXPECT_EQ(covered.fate, Fate::drawn);
  for (const Sample& s : covered.samples) {
    EXPECT_NEAR(s.depth, 0.25f + 0.5f * (float(s.x) + 0.5f) / 8, 1e-6f);
  }
}

TEST(OracleCoverage, PolygonOffsetAddsSlopeAndUnits) {
  State state = state_8x8();
  state.polygon_offset = PolygonOffset{2, 1024};
  const std::array<glm::vec4, 3> clip{clip_at(state.viewport, 0, 0, -0.5), clip_at(state.viewport, 8, 0, 0.5),
                                      clip_at(state.viewport, 0, 8, -0.5)};
  // Largest slope 0.5 / 8 per pixel; largest depth 0.75, whose last place is 2^-24.
  const float offset = 2 * 0.0625f + std::ldexp(1024.0f, -24);
  for (const Sample& s : cover_target(clip, state).samples) {
    EXPECT_FLOAT_EQ(s.depth, 0.25f + 0.5f * (float(s.x) + 0.5f) / 8 + offset);
  }
}

// z = 4x - 1 over w = 1: before the near plane where x < 0, beyond the far plane where x > 1/2.
TEST(OracleClip, NearAndFarCutTheWindow) {
  const State state = state_8x8();
  const std::array<glm::vec4, 3> clip{glm::vec4(-4, -2, -17, 1), glm::vec4(4, -2, 15, 1), glm::vec4(0, 20, -1, 1)};
  const Covered strip = cover_target(clip, state);
  EXPECT_EQ(strip.fate, Fate::clipped);
  EXPECT_TRUE(strip.uncertain.empty());
  EXPECT_EQ(strip.certain.size(), 16u);
  for (const auto& [x, y] : strip.certain) EXPECT_TRUE(x == 4 || x == 5) << x;
  const Covered whole = cover_target(clip, state, kDepthClamp);
  EXPECT_EQ(whole.certain.size(), 64u);
  for (const Sample& s : whole.samples) {
    const float z = 4 * ((float(s.x) + 0.5f) / 4 - 1) - 1;
    EXPECT_NEAR(s.depth, std::clamp(0.5f * z + 0.5f, 0.0f, 1.0f), 1e-6f);
  }
}

// A floor y = -1 that extends behind the eye. The eye at the origin looks down -z and sees the floor below the horizon
// and beyond the near plane w = 1/4.
TEST(OracleClip, FloorThroughTheEye) {
  State state;
  state.viewport = {0, 0, 64, 64};
  const auto project = [](double x, double distance) {  // z = w - 1/2: near plane at w = 1/4, no far plane
    return glm::vec4(float(x), -1, float(distance - 0.5), float(distance));
  };
  const std::array<glm::vec4, 3> floor{project(-4000, -10), project(4000, -10), project(0, 1000)};
  const Covered covered = cover_target(floor, state, 0, 64);
  EXPECT_EQ(covered.fate, Fate::clipped);
  for (int y = 0; y < 64; ++y) {
    // y_ndc = -1 / distance; the near plane's -4 is far below the window.
    for (int x = 0; x < 64; ++x) EXPECT_EQ(covered.certain.count({x, y}) != 0, y < 32) << x << ", " << y;
  }
  for (const Sample& s : covered.samples) {
    const double ndc_y = (s.y + 0.5) / 32 - 1, distance = -1 / ndc_y;
    EXPECT_NEAR(s.depth, 0.5 * (distance - 0.5) / distance + 0.5, 1e-5);
  }
}

TEST(OracleClip, WhollyBehindIsCulled) {
  const State state = state_8x8();
  EXPECT_EQ(cover_target({glm::vec4(0, 0, 1, -1), glm::vec4(1, 0, 1, -2), glm::vec4(0, 1, 0, -1)}, state).fate,
            Fate::culled);
  EXPECT_EQ(cover_target({glm::vec4(0, 0, 2, 1), glm::vec4(1, 0, 3, 2), glm::vec4(0, 1, 4, 1)}, state).fate,
            Fate::culled);
}

// Beyond the guard band the homogeneous path decides. Its certain samples equal those of a smaller triangle with the
// same edges in the window, which integers decide.
TEST(OracleClip, GuardBandAgreesWithTheIntegers) {
  State state;
  state.viewport = {0, 0, 64, 64};
  const auto scaled = [&](double scale) {  // about (20, 20): the edges keep their lines
    std::array<glm::vec4, 3> clip;
    const glm::dvec2 corners[] = {{20, 20}, {20 + 90 * scale, 20 + 40 * scale}, {20 - 30 * scale, 20 + 80 * scale}};
    for (size_t i = 0; i < 3; ++i) clip[i] = clip_at(state.viewport, corners[i].x, corners[i].y);
    return clip;
  };
  const Covered small = cover_target(scaled(8), state, 0, 64);
  const Covered large = cover_target(scaled(4096), state, 0, 64);
  EXPECT_EQ(small.fate, Fate::drawn);
  EXPECT_EQ(large.fate, Fate::clipped);
  EXPECT_GT(large.certain.size(), 500u);
  EXPECT_LT(large.uncertain.size(), 20u);
  for (const auto& pixel : large.certain) EXPECT_EQ(small.certain.count(pixel), 1u);
  for (const auto& pixel : small.certain) EXPECT_EQ(large.certain.count(pixel) + large.uncertain.count(pixel), 1u);
}

}  // namespace
}  // namespace brokkr::oracle
