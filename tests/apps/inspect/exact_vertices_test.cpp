// Positions of the bundled frames' vertex programs beside an evaluation in extended precision: how many lie within two
// units in the last place, and that the rounding of single precision explains every other one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/loading.h"
#include "brokkr/load.h"
#include "inspect/vertex_compare.h"
#include "oracle/vertex_program.h"
#include "plan/vertex_stage.h"
#include "shader/captured.h"

namespace brokkr {
namespace {

struct Tally {
  uint64_t positions = 0, close = 0, unknown = 0, unexplained = 0;
  uint64_t close_as_vectors = 0;  // each number within two units in the last place of the position's largest number
  double worst_pixels = 0;        // of a position that is not close
  double worst_cancellation = 0;  // how many units in the last place the bound of such a number is, at most
  std::set<std::string> problems;
};

// One word of the input of vertex `vertex` of instance `instance`.
uint32_t input_word(const Frame& frame, const VertexInputs& inputs, const shader::VertexWord& word, uint64_t vertex,
                    uint64_t instance) {
  switch (word.source) {
    case shader::VertexSource::attribute: {
      const VertexStream& stream = inputs.attributes[word.attribute];
      const ShaderType type = frame.vertex_programs[inputs.program].attributes[word.attribute].type;
      const uint64_t number = stream.divisor == 0 ? vertex : instance / stream.divisor;
      const uint64_t element = std::min<uint64_t>(number, stream.count - 1);
      return frame.attributes[stream.first + element * shape_of(type).components() + word.component];
    }
    case shader::VertexSource::vertex: return uint32_t(vertex) + (word.with_base ? uint32_t(inputs.base_vertex) : 0);
    case shader::VertexSource::instance:
      return uint32_t(instance) + (word.with_base ? uint32_t(inputs.base_instance) : 0);
    case shader::VertexSource::base_vertex: return uint32_t(inputs.base_vertex);
    case shader::VertexSource::base_instance: return uint32_t(inputs.base_instance);
    case shader::VertexSource::draw: return uint32_t(inputs.draw);
    case shader::VertexSource::zero: return 0;
  }
  return 0;
}

// A texel of single-precision floats.
std::optional<std::array<uint32_t, 4>> texel(const Frame& frame, const VertexInputs& inputs,
                                             const shader::CapturedVertexProgram& program, uint32_t extra,
                                             std::array<int32_t, 2> place) {
  const uint32_t number = program.textures[extra & shader::kSamplerMask];
  if (number >= inputs.textures.size() || inputs.textures[number].texture < 0) return std::nullopt;
  const CapturedTexture& texture = frame.captured_textures[size_t(inputs.textures[number].texture)];
  if (texture.format != TexelFormat::rgba32f || !texture.stored) return std::nullopt;
  std::array<uint32_t, 4> words{};
  if (place[0] < 0 || place[0] >= texture.width || place[1] < 0 || place[1] >= texture.height) return words;
  const uint64_t index = uint64_t(place[1]) * uint64_t(texture.width) + uint64_t(place[0]);
  std::memcpy(words.data(), frame.texture_data.data() + texture.first_byte + index * sizeof(words), sizeof(words));
  return words;
}

void compare(const glm::vec4& ours, const oracle::ExactVertex& exact, const glm::vec4& viewport, Tally& tally) {
  ++tally.positions;
  if (!exact.problem.empty()) {
    ++tally.unknown;
    tally.problems.insert(exact.problem);
    return;
  }
  bool is_close = true, is_explained = true, is_close_as_vector = true;
  float largest = 0;
  for (const oracle::ExactNumber& number : exact.position) largest = std::max(largest, std::abs(float(number.value)));
  const long double largest_unit = std::nextafter(largest, INFINITY) - largest;
  for (int axis = 0; axis < 4; ++axis) {
    const oracle::ExactNumber& number = exact.position[size_t(axis)];
    const auto nearest = float(number.value);
    const long double error = std::abs((long double)(ours[axis]) - number.value);
    is_close_as_vector = is_close_as_vector && error <= kCloseUlps * largest_unit;
    if (ulps_between(ours[axis], nearest) <= kCloseUlps) continue;
    is_close = false;
    is_explained = is_explained && error <= number.bound;
    const float unit = std::nextafter(std::abs(nearest), INFINITY) - std::abs(nearest);
    tally.worst_cancellation = std::max(tally.worst_cancellation, double(number.bound / (long double)(unit)));
  }
  tally.close += is_close;
  tally.close_as_vectors += is_close_as_vector;
  tally.unexplained += !is_explained;
  const long double w = exact.position[3].value;
  if (is_close || w <= 0 || ours.w <= 0) return;
  for (int axis = 0; axis < 2; ++axis) {
    const long double place = exact.position[size_t(axis)].value / w;
    if (std::abs(place) > 1) continue;
    const double apart = std::abs(double(place - (long double)(ours[axis]) / ours.w)) * double(viewport[axis + 2]) / 2;
    tally.worst_pixels = std::max(tally.worst_pixels, apart);
  }
}

Tally compare(const Frame& frame) {
  Tally tally;
  Loading loading{LoadOptions{}};
  const std::vector<shader::CapturedVertexProgram> programs = shader::translate_vertex_programs(frame, loading);
  std::set<std::pair<int32_t, uint64_t>> seen;  // draws that are repeated for their back faces
  for (const Command& command : frame.commands) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr || draw->vertices < 0 || !seen.emplace(draw->vertices, draw->first_vertex).second) continue;
    const VertexInputs& inputs = frame.vertex_inputs[size_t(draw->vertices)];
    const shader::CapturedVertexProgram& program = programs[inputs.program];
    if (!program.failure.empty()) continue;
    const std::vector<uint32_t> uniforms = vertex_uniforms(frame, inputs, program);
    std::vector<uint32_t> words(program.inputs.size());
    for (uint64_t i = 0; i < uint64_t(draw->vertex_count) * draw->instances; ++i) {
      for (size_t word = 0; word < words.size(); ++word) {
        words[word] = input_word(frame, inputs, program.inputs[word], i % draw->vertex_count, i / draw->vertex_count);
      }
      compare(frame.positions[draw->first_vertex + i],
              oracle::evaluate(program.program, words, uniforms, program.position,
                               [&](uint32_t extra, std::array<int32_t, 2> place) {
                                 return texel(frame, inputs, program, extra, place);
                               }),
              frame.states[draw->state].viewport, tally);
    }
  }
  return tally;
}

// `percent`: the least part of the positions within two units of the exact ones, of those that the evaluator knows.
void expect_exact(const char* name, double percent) {
#if !defined(BROKKR_HAVE_SHADERS)
  GTEST_SKIP() << "built without run-time shaders";
#endif
  const std::string file = std::string(BROKKR_SOURCE_DIR) + "/scenes/" + name + ".bkf";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is missing";
  const Tally tally = compare(load_frame(file, {}));
  const uint64_t known = tally.positions - tally.unknown;
  ASSERT_GT(known, 0u) << (tally.problems.empty() ? "" : *tally.problems.begin());
  const double share = 100.0 * double(tally.close) / double(known);
  std::printf(
      "%s: %llu positions, %llu not evaluated, %.4f %% within 2 units (%.4f %% within 2 units of the largest "
      "coordinate), others at most %.6f pixels apart, bound at most %.0f units, %llu beyond it\n",
      name, (unsigned long long)tally.positions, (unsigned long long)tally.unknown, share,
      100.0 * double(tally.close_as_vectors) / double(known), tally.worst_pixels, tally.worst_cancellation,
      (unsigned long long)tally.unexplained);
  for (const std::string& problem : tally.problems) std::printf("  lacks %s\n", problem.c_str());
  EXPECT_EQ(tally.unexplained, 0u);
  EXPECT_GE(share, percent);
}

TEST(ExactVertices, SuperTuxKart) { expect_exact("supertuxkart", 86); }
TEST(ExactVertices, Minetest) { expect_exact("minetest", 98); }
TEST(ExactVertices, OpenArena) { expect_exact("openarena", 83); }
TEST(ExactVertices, Neverball) { expect_exact("neverball", 94); }
TEST(ExactVertices, ExtremeTuxRacer) { expect_exact("extremetuxracer", 77); }
TEST(ExactVertices, Terrain) { expect_exact("terrain", 87); }
TEST(ExactVertices, Harmonics) { expect_exact("harmonics", 97); }
TEST(ExactVertices, ZeroAD) { expect_exact("0ad", 15); }
TEST(ExactVertices, Glxgears) { expect_exact("glxgears", 87); }

}  // namespace
}  // namespace brokkr
