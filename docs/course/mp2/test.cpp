// MP-2's test: transforms and windows in float and in Q32.32, against the oracle and against an OpenGL driver.
#include <cmath>
#include <random>

#include "common/check.h"
#include "common/expected.h"
#include "common/points.h"
#include "mp2.h"

namespace {

using namespace course;

FixedVec4 to_fixed(const Vec4& v) {
  return {course::to_fixed(v.x), course::to_fixed(v.y), course::to_fixed(v.z), course::to_fixed(v.w)};
}
Vec4 to_float(const FixedVec4& v) {
  return {float(to_double(v.x)), float(to_double(v.y)), float(to_double(v.z)), float(to_double(v.w))};
}
FixedMat4 to_fixed(const Mat4& matrix) {
  FixedMat4 result;
  for (int i = 0; i < 16; ++i) result.m[i / 4][i % 4] = course::to_fixed(matrix.m[i / 4][i % 4]);
  return result;
}

std::string text(const Vec4& v) {
  char line[160];
  std::snprintf(line, sizeof line, "(%.6g, %.6g, %.6g, %.6g)", double(v.x), double(v.y), double(v.z), double(v.w));
  return line;
}

// The largest difference of two vectors, each component relative to the size of its vector.
float difference(const Vec4& a, const Vec4& b) {
  const float size = std::max({1.0f, std::fabs(b.x), std::fabs(b.y), std::fabs(b.z), std::fabs(b.w)});
  const float parts[] = {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
  float largest = 0;
  for (const float part : parts) largest = std::isnan(part) ? INFINITY : std::max(largest, std::fabs(part) / size);
  return largest;
}

class Random {
 public:
  float between(float low, float high) { return low + (high - low) * float(dice_() % 65536) / 65536; }
  Vec4 vector() { return {between(-9, 9), between(-9, 9), between(-9, 9), between(0.5f, 9)}; }
  Mat4 matrix() {
    Mat4 matrix;
    for (auto& row : matrix.m) {
      for (float& element : row) element = between(-3, 3);
    }
    return matrix;
  }
  Fixed fixed() { return Fixed(uint64_t(dice_()) << 16) - (Fixed(1) << 47); }

 private:
  std::mt19937 dice_{4};
};

void check_float(Check& check) {
  Random random;
  for (int i = 0; i < 200; ++i) {
    const Mat4 projection = random.matrix(), modelview = random.matrix();
    const Vec4 object = random.vector();
    const Vec4 right = oracle_product(projection, oracle_product(modelview, object));
    const Vec4 yours = to_clip(projection, modelview, object);
    if (!check.claim(difference(yours, right) < 1e-5f,
                     "to_clip gives " + text(yours) + " where it should give " + text(right)))
      return;
    const Viewport viewport{i % 7, i % 5, 100 + i, 75 + i};
    const Vec4 window = oracle_window(object, viewport), your_window = to_window(object, viewport);
    if (!check.claim(
            difference(your_window, window) < 1e-5f,
            "to_window of " + text(object) + " gives " + text(your_window) + " where it should give " + text(window)))
      return;
    const bool inside =
        std::fabs(object.x) <= object.w && std::fabs(object.y) <= object.w && std::fabs(object.z) <= object.w;
    if (!check.claim(is_in_view(object) == inside, "is_in_view is wrong for " + text(object))) return;
  }
  check.claim(!is_in_view({0.5f, 0.5f, 0.5f, -1}), "a point with w = -1 is behind the eye, and not in view");
}

void check_fixed(Check& check) {
  Random random;
  for (int i = 0; i < 200; ++i) {
    const Fixed a = random.fixed(), b = random.fixed() | 1;
    const double product = to_double(a) * to_double(b), quotient = to_double(a) / to_double(b);
    if (!check.claim(std::fabs(to_double(multiply(a, b)) - product) <= 1e-9 + std::fabs(product) * 1e-12,
                     "multiply of " + std::to_string(to_double(a)) + " and " + std::to_string(to_double(b)) +
                         " gives " + std::to_string(to_double(multiply(a, b)))))
      return;
    if (!check.claim(std::fabs(to_double(divide(a, b)) - quotient) <= 1e-9 + std::fabs(quotient) * 1e-12,
                     "divide of " + std::to_string(to_double(a)) + " by " + std::to_string(to_double(b)) + " gives " +
                         std::to_string(to_double(divide(a, b)))))
      return;
    const Mat4 matrix = random.matrix();
    const Vec4 vector = random.vector();
    const Vec4 right = oracle_product(matrix, vector), yours = to_float(multiply(to_fixed(matrix), to_fixed(vector)));
    if (!check.claim(difference(yours, right) < 1e-5f,
                     "the product in Q32.32 is " + text(yours) + " and should be " + text(right)))
      return;
    const Viewport viewport{i % 7, i % 5, 101 + i, 75 + i};
    const Vec4 window = oracle_window(vector, viewport), your_window = to_float(to_window(to_fixed(vector), viewport));
    if (!check.claim(difference(your_window, window) < 1e-5f, "to_window in Q32.32 of " + text(vector) + " gives " +
                                                                  text(your_window) + " where it should give " +
                                                                  text(window)))
      return;
  }
  check.claim(multiply(-kOne / 2, 1) == -1, "multiply rounds down: half of -1 step is -1 step");
}

constexpr float kNear = 1.0f / 128;  // pixels: a point this near to a pixel's border may fall on either side

// Sends the recording's points through matrices, division and viewport. Pixels of points near a border are uncertain.
template <typename Transform>
Picture drawn(const Recording& recording, Transform&& transform, std::vector<bool>& uncertain) {
  uncertain.assign(size_t(recording.width) * size_t(recording.height), false);
  const Queues queues = queues_of(recording, [&](const Vertex& vertex, int& x, int& y) {
    const Vec4 clip = to_clip(recording.matrices.at("projection"), recording.matrices.at("modelview"), vertex.object);
    if (!is_in_view(clip)) return false;
    const Vec4 window = transform(vertex);
    x = int(std::floor(window.x));
    y = int(std::floor(window.y));
    for (const float dx : {-kNear, kNear}) {
      for (const float dy : {-kNear, kNear}) {
        const int px = int(std::floor(window.x + dx)), py = int(std::floor(window.y + dy));
        if ((px == x && py == y) || px < 0 || py < 0 || px >= recording.width || py >= recording.height) continue;
        uncertain[size_t(py) * size_t(recording.width) + size_t(px)] = true;
        if (x >= 0 && x < recording.width && y >= 0 && y < recording.height) {
          uncertain[size_t(y) * size_t(recording.width) + size_t(x)] = true;
        }
      }
    }
    return true;
  });
  Framebuffer framebuffer(recording.width, recording.height);
  clear(framebuffer, pack(recording.clear_color));
  draw_pixels(framebuffer, queues);
  return framebuffer.picture();
}

Vec4 float_window(const Recording& recording, const Vertex& vertex) {
  return to_window(to_clip(recording.matrices.at("projection"), recording.matrices.at("modelview"), vertex.object),
                   recording.viewport());
}
Vec4 fixed_window(const Recording& recording, const Vertex& vertex) {
  const FixedVec4 eye = multiply(to_fixed(recording.matrices.at("modelview")), to_fixed(vertex.object));
  return to_float(to_window(multiply(to_fixed(recording.matrices.at("projection")), eye), recording.viewport()));
}

void check_driver(Check& check) {
  const Recording recording = check.recording("transforms");
  for (const Vertex& vertex : recording.draws.at(0).vertices) {
    const Vec4 clip = to_clip(recording.matrices.at("projection"), recording.matrices.at("modelview"), vertex.object);
    if (!check.claim(difference(clip, vertex.position) < 1e-5f, "to_clip of the object's point " + text(vertex.object) +
                                                                    " gives " + text(clip) + ", and the driver has " +
                                                                    text(vertex.position)))
      return;
  }
  std::vector<bool> uncertain;
  const Picture in_float = drawn(
      recording, [&](const Vertex& v) { return float_window(recording, v); }, uncertain);
  check.same("driver-float", check.driver_picture("transforms"), in_float, 1, uncertain);
  const Picture in_fixed = drawn(
      recording, [&](const Vertex& v) { return fixed_window(recording, v); }, uncertain);
  check.same("driver-fixed", check.driver_picture("transforms"), in_fixed, 1, uncertain);
}

std::string measure(const Check& check) {
  const Recording recording = check.recording("transforms");
  const std::vector<Vertex>& vertices = recording.draws.at(0).vertices;
  const Mat4 &projection = recording.matrices.at("projection"), &modelview = recording.matrices.at("modelview");
  const FixedMat4 fixed_projection = to_fixed(projection), fixed_modelview = to_fixed(modelview);
  std::vector<FixedVec4> objects;
  for (const Vertex& vertex : vertices) objects.push_back(to_fixed(vertex.object));
  float sum = 0;
  Fixed fixed_sum = 0;
  const double float_ns = least_nanoseconds([&] {
    for (const Vertex& vertex : vertices)
      sum += to_window(to_clip(projection, modelview, vertex.object), recording.viewport()).x;
  });
  const double fixed_ns = least_nanoseconds([&] {
    for (const FixedVec4& object : objects) {
      const FixedVec4 clip = multiply(fixed_projection, multiply(fixed_modelview, object));
      if (clip.w != 0) fixed_sum = wrapped_sum(fixed_sum, to_window(clip, recording.viewport()).x);
    }
  });
  if (sum == 1 && fixed_sum == 1) std::exit(3);  // the results are used
  return "float " + one_decimal(float_ns / double(vertices.size())) + " ns/vertex, Q32.32 " +
         one_decimal(fixed_ns / double(vertices.size())) + " ns/vertex";
}

}  // namespace

int main(int count, char** words) {
  Check check("mp2", count, words);
  check.part("in float, by the oracle", [&] { check_float(check); });
  check.part("in Q32.32, by the oracle", [&] { check_fixed(check); });
  check.part("points, by the driver", [&] { check_driver(check); });
  check.leaderboard([&] { return measure(check); });
  if (!check.page().empty()) {
    const Recording recording = check.recording("transforms");
    std::vector<bool> ignored;
    write_png(check.page(),
              enlarged(drawn(
                           recording, [&](const Vertex& v) { return float_window(recording, v); }, ignored),
                       4));
  }
  return check.finish("Next: docs/course/mp3.");
}
