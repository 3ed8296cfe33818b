// Programs in a frame file: their texts, their inputs from vertices, uniforms and textures, and the commands that
// textures depend on.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "captured_frames.h"

namespace brokkr::capture_test {
namespace {

const DrawInputs& inputs_of(const Frame& frame, size_t draw) {
  const int32_t inputs = draws_of(frame).at(draw).inputs;
  EXPECT_GE(inputs, 0) << "draw " << draw;
  return frame.inputs.at(size_t(std::max(inputs, 0)));
}

const FragmentProgram& program_of(const Frame& frame, size_t draw) {
  return frame.programs.at(inputs_of(frame, draw).program);
}

template <typename T>
const T& named(const std::vector<T>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const T& one) { return one.name == name; });
  EXPECT_NE(found, all.end()) << name;
  return found == all.end() ? all.at(0) : *found;
}

// The components of a varying at one vertex.
std::vector<float> varying(const Frame& frame, size_t draw, const std::string& name, uint32_t vertex) {
  const FragmentProgram& program = program_of(frame, draw);
  const ProgramVarying& found = named(program.varyings, name);
  const auto* const first = frame.varyings.data() + inputs_of(frame, draw).first_varying +
                            varying_components(program) * vertex + found.offset;
  return {first, first + size_t(found.count) * shape_of(found.type).components()};
}

std::vector<float> uniform(const Frame& frame, size_t draw, const std::string& name) {
  const FragmentProgram& program = program_of(frame, draw);
  const ProgramUniform& found = named(program.uniforms, name);
  const DrawInputs& inputs = inputs_of(frame, draw);
  const uint64_t base = found.block < 0 ? inputs.first_uniform : inputs.first_of_blocks.at(size_t(found.block));
  std::vector<float> values(size_t(found.count) * shape_of(found.type).components());
  std::memcpy(values.data(), &frame.uniforms[base + found.offset / 4], values.size() * sizeof(float));
  return values;
}

const CapturedTexture& texture_of(const Frame& frame, size_t draw) {
  const BoundTexture bound = inputs_of(frame, draw).textures.at(0);
  EXPECT_GE(bound.texture, 0);
  return frame.captured_textures.at(size_t(std::max(bound.texture, 0)));
}

uint8_t byte_of(const Frame& frame, const CapturedTexture& texture, size_t i) {
  return uint8_t(frame.texture_data.at(texture.first_byte + i));
}

TEST_F(CapturedFrames, ProgramsAndWhatTheyRead) {
  const Frame captured = frame(scene::kPrograms);
  EXPECT_EQ(captured.skipped_reasons, (std::map<std::string, uint64_t>{}));
  const FragmentProgram& program = program_of(captured, 0);
  ASSERT_EQ(program.texts.size(), 1u);
  EXPECT_NE(program.texts[0].find("texture(base, uv) * tint"), std::string::npos);
  EXPECT_EQ(program.version, 450);
  EXPECT_EQ(named(program.varyings, "uv").interpolation, Interpolation::smooth);
  EXPECT_EQ(named(program.varyings, "number").interpolation, Interpolation::flat);
  EXPECT_TRUE(named(program.varyings, "axes").centroid);
  EXPECT_EQ(named(program.outputs, "color").location, 0u);
  ASSERT_EQ(program.blocks.size(), 1u);
  EXPECT_EQ(program.blocks[0].size, 64u);
  for (uint32_t i = 0; i < 6; i++) {
    const scene::Vertex v = scene::vertex(3 + int(i));
    EXPECT_EQ(varying(captured, 0, "uv", i), (std::vector{v.x * scene::kTint[0], v.y * scene::kTint[0]}));
    EXPECT_EQ(varying(captured, 0, "axes", i), (std::vector{v.x, v.y, v.z, -v.x, -v.y, -v.z}));
    EXPECT_EQ(varying(captured, 0, "unwritten", i), std::vector{0.0f});  // no value in GL
    int32_t number = 0;
    std::memcpy(&number, varying(captured, 0, "number", i).data(), sizeof(number));
    EXPECT_EQ(number, 3 + int32_t(i));
  }
  EXPECT_EQ(uniform(captured, 0, "tint"), std::vector<float>(scene::kTint.begin(), scene::kTint.end()));
  EXPECT_EQ(uniform(captured, 0, "weights"), std::vector<float>(scene::kWeights.begin(), scene::kWeights.end()));
  EXPECT_EQ(uniform(captured, 0, "light"), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(named(program.uniforms, "moves").matrix_stride, 16u);
  EXPECT_EQ(inputs_of(captured, 1).first_uniform, inputs_of(captured, 0).first_uniform);  // stored once
}

TEST_F(CapturedFrames, TexturesAreStoredOnceForEachContent) {
  const Frame captured = frame(scene::kPrograms);
  const CapturedTexture &first = texture_of(captured, 0), &second = texture_of(captured, 1);
  EXPECT_NE(&first, &second);
  for (const CapturedTexture* texture : {&first, &second}) {
    ASSERT_TRUE(texture->stored);
    EXPECT_EQ(texture->format, TexelFormat::rgba8);
    EXPECT_EQ(texture->width, scene::kTextureSize);
    EXPECT_EQ(texture->levels, 1);
    for (int i = 0; i < scene::kTextureSize * scene::kTextureSize * 4; i++) {
      const bool changed = texture == &second && i < 4;
      EXPECT_EQ(byte_of(captured, *texture, size_t(i)), changed ? 0xff : scene::texel(i)) << i;
    }
  }
  const CapturedSampler& sampler = captured.captured_samplers.at(size_t(inputs_of(captured, 0).textures[0].sampler));
  EXPECT_EQ(sampler.wrap[0], TextureWrap::clamp_to_edge);
  EXPECT_EQ(sampler.wrap[1], TextureWrap::repeat);
  EXPECT_EQ(sampler.swizzle[0], Swizzle::b);
  EXPECT_EQ(sampler.mip, MipFilter::linear);
}

TEST_F(CapturedFrames, TexturesThatTheFrameDraws) {
  const Frame captured = frame(scene::kPrograms);
  ASSERT_EQ(draws_of(captured).size(), 5u);
  std::vector<size_t> kinds;
  for (const Command& command : captured.commands) kinds.push_back(command.index());
  // Commands: clear, two draws; load, draw, mip levels; load and copy; two draws.
  EXPECT_EQ(kinds, (std::vector<size_t>{1, 0, 0, 3, 0, 4, 3, 5, 0, 0}));
  const auto& load = std::get<LoadCommand>(captured.commands[3]);
  const CapturedTexture& before = captured.captured_textures.at(load.texture);
  for (int i = 0; i < scene::kTextureSize * scene::kTextureSize * 4; i++) {
    EXPECT_EQ(byte_of(captured, before, size_t(i)), scene::texel(i));
  }
  const uint32_t drawn = captured.views[draws_of(captured)[2].first_view].target;
  EXPECT_EQ(load.target, drawn);
  EXPECT_EQ(captured.targets[drawn].colors, (std::vector<TargetColor>{{TexelFormat::rgba8, TexelBase::rgba}}));
  const auto& copy = std::get<CopyCommand>(captured.commands[7]);
  EXPECT_EQ(copy.from, drawn);
  EXPECT_EQ(copy.source, (Rect{0, 0, 2, 2}));
  EXPECT_EQ(copy.x, 1);
  const CapturedTexture &copied = texture_of(captured, 3), &mips = texture_of(captured, 4);
  EXPECT_FALSE(copied.stored);
  EXPECT_EQ(copied.images, (std::vector<TextureImage>{{0, 0, copy.to, TargetPlane::color0}}));
  EXPECT_FALSE(mips.stored);
  EXPECT_EQ(mips.levels, 3);
  EXPECT_EQ(mips.images, (std::vector<TextureImage>{{0, 0, drawn, TargetPlane::color0}}));
  EXPECT_EQ(&captured.captured_textures[std::get<GenerateMipsCommand>(captured.commands[5]).texture], &mips);
}

TEST_F(CapturedFrames, ProgramsAndTexturesCanBeLeftOut) {
  const auto captured = [&](const std::string& option) {
    const std::filesystem::path file = shared()->folder / (option.substr(2, 2) + ".bkf");
    const RunResult run =
        capture_test::run("LIBGL_ALWAYS_SOFTWARE=1 " BROKKR_PROGRAM " capture -o " + file.string() + " --frame " +
                          std::to_string(scene::kPrograms) + " " + option + " -- " + BROKKR_CAPTURE_PROGRAM);
    EXPECT_EQ(run.code, 0) << run.out;
    return read_bkf(file);
  };
  const Frame all = frame(scene::kPrograms);
  const Frame plain = captured("--no-programs"), bare = captured("--texture-limit 0");
  EXPECT_EQ(plain.positions, all.positions);
  EXPECT_TRUE(plain.programs.empty() && plain.captured_textures.empty() && plain.varyings.empty());
  EXPECT_EQ(plain.commands.size(), 6u);  // a clear and the draws
  EXPECT_EQ(bare.positions, all.positions);
  EXPECT_EQ(bare.varyings, all.varyings);
  EXPECT_TRUE(bare.texture_data.empty());
  EXPECT_FALSE(texture_of(bare, 0).stored);
  EXPECT_EQ(bare.skipped_reasons.count("a texture beyond --texture-limit"), 1u);
}

TEST_F(CapturedFrames, SeveralColors) {
  const Frame captured = frame(scene::kSeveralColors);
  EXPECT_EQ(captured.skipped_reasons, (std::map<std::string, uint64_t>{}));
  ASSERT_EQ(draws_of(captured).size(), 2u);
  const DrawCommand draw = draws_of(captured)[0];
  const uint32_t target = captured.views[draw.first_view].target;
  EXPECT_EQ(captured.targets[target].colors,
            (std::vector<TargetColor>{{TexelFormat::rgba8, TexelBase::rgba}, {TexelFormat::rg16f, TexelBase::rg}}));
  const State& state = captured.states[draw.state];
  ASSERT_EQ(state.buffers.size(), 2u);
  EXPECT_EQ(state.buffers[0], (DrawBuffer{0, std::nullopt, {true, true, true, true}}));
  EXPECT_EQ(state.buffers[1].plane, 1);
  ASSERT_TRUE(state.buffers[1].blend.has_value());
  EXPECT_EQ(state.buffers[1].blend->color, (BlendTerm{BlendFactor::one, BlendFactor::one}));
  EXPECT_EQ(state.buffers[1].color_mask, (std::array<bool, 4>{true, false, true, true}));
  EXPECT_EQ(named(program_of(captured, 0).outputs, "second").location, 1u);
  std::vector<ClearCommand> clears;
  for (const Command& command : captured.commands) {
    if (const auto* clear = std::get_if<ClearCommand>(&command)) clears.push_back(*clear);
  }
  ASSERT_EQ(clears.size(), 3u);  // of the window, of both colours, of the second colour
  EXPECT_TRUE(clears[1].color.has_value());
  EXPECT_EQ(clears[1].other_colors.size(), 1u);
  EXPECT_FALSE(clears[2].color.has_value());
  EXPECT_EQ(clears[2].other_colors, (std::vector<PlaneColor>{{TargetPlane::color1, {0.5f, 0.25f, 0, 0}}}));
  EXPECT_EQ(texture_of(captured, 1).images, (std::vector<TextureImage>{{0, 0, target, TargetPlane::color1}}));
}

TEST_F(CapturedFrames, ASecondSourceOfBlending) {
  const Frame captured = frame(scene::kSecondSource);
  EXPECT_EQ(captured.skipped_reasons, (std::map<std::string, uint64_t>{}));
  ASSERT_EQ(program_of(captured, 0).outputs.size(), 2u);
  EXPECT_EQ(program_of(captured, 0).outputs[0].index + program_of(captured, 0).outputs[1].index, 1u);
  const BlendTerm by_second{BlendFactor::src1_color, BlendFactor::one_minus_src1_color, BlendEquation::add};
  EXPECT_TRUE(std::any_of(captured.states.begin(), captured.states.end(), [&](const State& state) {
    return state.blend && state.blend->color == by_second && state.blend->alpha == by_second;
  }));
}

TEST_F(CapturedFrames, FixedFunctionAndBuiltInVaryings) {
  const Frame captured = frame(scene::kFixedPrograms);
  EXPECT_EQ(captured.skipped_reasons, (std::map<std::string, uint64_t>{}));
  const FragmentProgram& fog = program_of(captured, 0);
  ASSERT_TRUE(fog.fixed && fog.fixed->fog && fog.fixed->units.size() == 1);
  EXPECT_EQ(fog.fixed->fog->mode, FogMode::linear);
  EXPECT_EQ(fog.fixed->units[0].mode, EnvironmentMode::replace);
  for (uint32_t i = 0; i < 3; i++) {
    const scene::Vertex v = scene::vertex(3 + int(i));
    EXPECT_EQ(varying(captured, 0, "gl_Color", i), (std::vector{0.5f, 0.25f * float(i), 1.0f, 1.0f}));
    // t is computed from the vertex, because the plane is (0, 1, 0, 0).
    EXPECT_EQ(varying(captured, 0, "gl_TexCoord[0]", i), (std::vector{float(3 + i), v.y, 0.0f, 1.0f}));
    EXPECT_EQ(varying(captured, 0, "gl_FogFragCoord", i), std::vector{std::abs(v.z / v.w)});
  }
  const CapturedTexture& texture = texture_of(captured, 0);
  EXPECT_EQ(texture.format, TexelFormat::r8);
  EXPECT_EQ(texture.base, TexelBase::luminance);
  EXPECT_EQ(byte_of(captured, texture, 7), scene::texel(7));
  // The light falls along the normal: ambient 0.2 x 0.2, and diffuse 0.8.
  for (const float channel : {varying(captured, 1, "gl_Color", 0)[0], varying(captured, 1, "gl_Color", 2)[2]}) {
    EXPECT_NEAR(channel, 0.84f, 1e-5f);
  }
  // The default texture, before and after an upload.
  const CapturedTexture &before = texture_of(captured, 2), &after = texture_of(captured, 3);
  EXPECT_EQ(before.width, 4);
  EXPECT_EQ(before.height, 2);
  EXPECT_EQ(byte_of(captured, before, 0), scene::texel(0));
  EXPECT_EQ(byte_of(captured, after, 0), scene::texel(5));
  EXPECT_EQ(byte_of(captured, after, 7), scene::texel(7));
  const FragmentProgram& program = program_of(captured, 4);
  EXPECT_EQ(program.version, 120);
  for (uint32_t i = 0; i < 3; i++) {
    const scene::Vertex v = scene::vertex(9 + int(i));
    EXPECT_EQ(varying(captured, 4, "gl_Color", i), (std::vector{0.5f, 0.25f * float(i), 1.0f, 1.0f}));
    EXPECT_EQ(varying(captured, 4, "gl_TexCoord[1]", i), (std::vector{2.0f * float(9 + i), 0.0f, 0.0f, 2.0f}));
    EXPECT_EQ(varying(captured, 4, "own", i), (std::vector{v.x, v.y}));
  }
  EXPECT_EQ(uniform(captured, 4, "gl_Fog.color"), (std::vector<float>{0, 0, 0, 0}));
}

// The percentage of pixels in which the picture is within 2 of 255 of the driver's.
double percent_like_driver(const std::filesystem::path& file) {
  const RunResult checked = run(std::string(BROKKR_PROGRAM) + " check --color --json - " + file.string());
  EXPECT_EQ(checked.code, 0) << checked.out;
  const auto references = nlohmann::json::parse(checked.out)["references"];
  return references.empty() ? 0 : references.back()["within_2_percent"].get<double>();
}

TEST_F(CapturedFrames, PointsAndWideLines) {
  const Frame captured = frame(scene::kPoints);
  EXPECT_EQ(captured.skipped_reasons, (std::map<std::string, uint64_t>{}));
  const auto state = [&](size_t draw) { return captured.states[draws_of(captured).at(draw).state]; };
  EXPECT_EQ(state(0).point_size, 4.75f);
  EXPECT_FALSE(state(0).point_sprites);
  EXPECT_EQ(state(1).point_size, 12.25f);
  EXPECT_TRUE(state(1).point_sprites);
  EXPECT_EQ(state(1).coord_replace, 1);
  EXPECT_FALSE(state(1).point_origin_low);
  EXPECT_TRUE(state(2).point_origin_low);
  for (uint32_t i = 0; i < 5; i++) {
    const float distance = std::abs(scene::vertex(33 + int(i)).z);  // Mesa's distance
    EXPECT_NEAR(varying(captured, 3, "gl_PointSize", i).at(0), std::max(12.25f / (2 * distance), 1.0f), 1e-3f);
    if (i == 4) continue;
    EXPECT_EQ(varying(captured, 4, "gl_PointSize", i).at(0), 3 + 16 * std::abs(scene::vertex(44 + int(i)).x));
  }
  EXPECT_EQ(state(4).coord_replace, 0);
  EXPECT_EQ(state(5).line_width, 3);
  EXPECT_GE(percent_like_driver(file(scene::kPoints)), 99.9);
}

TEST_F(CapturedFrames, ColorsOfBackFaces) {
  const Frame captured = frame(scene::kBackFaces);
  EXPECT_EQ(captured.skipped_reasons, (std::map<std::string, uint64_t>{}));
  EXPECT_NEAR(varying(captured, 1, "gl_Color", 0).at(0), 1, 1e-5);
  EXPECT_NEAR(varying(captured, 1, "gl_BackColor", 0).at(2), 1, 1e-5);
  EXPECT_EQ(varying(captured, 2, "gl_BackColor", 0), (std::vector{0.0f, 0.25f, 1.0f, 1.0f}));
  for (const ProgramVarying& one : program_of(captured, 4).varyings) EXPECT_NE(one.name, "gl_BackColor");
  EXPECT_GE(percent_like_driver(file(scene::kBackFaces)), 99.9);
}

}  // namespace
}  // namespace brokkr::capture_test
