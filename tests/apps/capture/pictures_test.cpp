// Brokkr's picture of a captured frame equals the driver's.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "captured_frames.h"

namespace brokkr::capture_test {
namespace {

// Only the last bits of colours may differ. `percent`: the least part of the pixels within 2/255.
void expect_same_picture(const std::string& file, double percent = 100) {
#ifndef BROKKR_HAVE_SHADERS
  GTEST_SKIP() << "Brokkr is built without run-time shaders";
#endif
  const RunResult checked = run(std::string(BROKKR_PROGRAM) + " check --color --limits exact --json - " + file);
  ASSERT_EQ(checked.code, 0) << checked.out;
  const nlohmann::json references = nlohmann::json::parse(checked.out)["references"];
  ASSERT_FALSE(references.empty());
  for (const auto& reference : references)
    EXPECT_GE(reference["within_2_percent"].get<double>(), percent) << checked.out;
}

// What the file lacks, without the reasons why draws have no vertex program.
std::vector<std::string> reasons_of(const Frame& frame) {
  std::vector<std::string> all;
  for (const auto& [reason, count] : frame.skipped_reasons) {
    if (!reason.starts_with("vertices as the driver computed them")) all.push_back(reason);
  }
  return all;
}

TEST_F(CapturedFrames, QuadsAreDividedAsTheyAreDrawn) { expect_same_picture(file(scene::kQuads).string()); }

TEST_F(CapturedFrames, SamplesOnEdgesBelongToTheSamePrimitives) { expect_same_picture(file(scene::kTies).string()); }

TEST_F(CapturedFrames, QuadsHaveTheLevelOfTheirFirstRowInMemory) {
  expect_same_picture(file(scene::kDetails).string());
}

TEST_F(CapturedFrames, MaterialsOfVertices) { expect_same_picture(file(scene::kMaterials).string()); }

TEST_F(CapturedFrames, PrimitivesHaveTheirNumbers) { expect_same_picture(file(scene::kPrimitives).string()); }

TEST_F(CapturedFrames, PlacesAreCountedAsTheShaderAsks) { expect_same_picture(file(scene::kPositions).string()); }

TEST_F(CapturedFrames, LettersAndPixels) {
  EXPECT_EQ(frame(scene::kLetters).skipped_draws, 0u);
  expect_same_picture(file(scene::kLetters).string());
}

TEST_F(CapturedFrames, LogicalOperations) {
  const Frame captured = frame(scene::kLogic);
  EXPECT_TRUE(captured.skipped_reasons.empty());
  std::set<LogicOp> seen;
  for (const State& state : captured.states) {
    if (state.logic_op) seen.insert(*state.logic_op);
  }
  EXPECT_EQ(seen.size(), 16u);
  expect_same_picture(file(scene::kLogic).string());
}

TEST_F(CapturedFrames, SamplesOfPixels) {
  const Frame captured = frame(scene::kSamples);
  EXPECT_TRUE(captured.skipped_reasons.empty());
  const auto states = [&](auto is) { return std::count_if(captured.states.begin(), captured.states.end(), is); };
  EXPECT_EQ(states([](const State& state) { return state.alpha_to_coverage; }), 2);
  EXPECT_EQ(states([](const State& state) { return state.alpha_to_one; }), 1);
  EXPECT_EQ(states([](const State& state) { return state.sample_shading; }), 1);
  EXPECT_EQ(states([](const State& state) { return state.one_sample; }), 1);
  EXPECT_EQ(states([](const State& state) { return state.sample_mask == 0xf6; }), 1);
  EXPECT_EQ(states([](const State& state) { return state.sample_mask == 0xfc; }), 1);
  expect_same_picture(file(scene::kSamples).string());
}

TEST_F(CapturedFrames, AssemblyPrograms) { expect_same_picture(file(scene::kAssembly).string()); }

TEST_F(CapturedFrames, StippledLines) {
  const Frame captured = frame(scene::kStipples);
  ASSERT_EQ(captured.skipped_reasons.size(), 1u);
  EXPECT_NE(captured.skipped_reasons.begin()->first.find("stippled lines"), std::string::npos);
  expect_same_picture(file(scene::kStipples).string());
}

TEST_F(CapturedFrames, StippledTriangles) {
  const Frame captured = frame(scene::kPatterns);
  EXPECT_TRUE(captured.skipped_reasons.empty());
  const auto is_stippled = [](const FragmentProgram& program) {
    return std::any_of(program.uniforms.begin(), program.uniforms.end(),
                       [](const ProgramUniform& uniform) { return uniform.name == kStippleUniform; });
  };
  EXPECT_EQ(std::count_if(captured.programs.begin(), captured.programs.end(), is_stippled), 2);
  expect_same_picture(file(scene::kPatterns).string(), 99.99);  // a pixel of the outline differs by 5/255
}

TEST_F(CapturedFrames, WholePixelsOfSamples) {
  const Frame captured = frame(scene::kWhole);
  EXPECT_TRUE(captured.skipped_reasons.empty());
  EXPECT_TRUE(
      std::any_of(captured.states.begin(), captured.states.end(), [](const State& one) { return one.one_sample; }));
  expect_same_picture(file(scene::kWhole).string(), 99.98);  // two pixels of a smooth line
}

TEST_F(CapturedFrames, LayersOfSamples) {
  const Frame captured = frame(scene::kSampleLayers);
  EXPECT_TRUE(captured.skipped_reasons.empty());
  ASSERT_EQ(captured.captured_textures.size(), 1u);
  EXPECT_EQ(captured.captured_textures[0].depth, 16);
  expect_same_picture(file(scene::kSampleLayers).string());
}

TEST_F(CapturedFrames, PointsOfSamplesHaveTheirCoordinates) {
  EXPECT_TRUE(frame(scene::kPointPlaces).skipped_reasons.empty());
  expect_same_picture(file(scene::kPointPlaces).string());
}

TEST_F(CapturedFrames, OutlinesAndFlatPolygons) {
  const Frame captured = frame(scene::kOutlines);
  EXPECT_TRUE(captured.skipped_reasons.empty());
  const std::vector<DrawCommand> draws = draws_of(captured);
  const auto are_lines = [](const DrawCommand& draw) {
    return draw.topology == Topology::lines && draw.element_count > 0;
  };
  EXPECT_EQ(std::count_if(draws.begin(), draws.end(), are_lines), 6);
  expect_same_picture(file(scene::kOutlines).string());
}

TEST_F(CapturedFrames, WritesThatAreNoDraws) {
  EXPECT_TRUE(reasons_of(frame(scene::kWritten)).empty());
  expect_same_picture(file(scene::kWritten).string());
}

TEST_F(CapturedFrames, LayersAndViewportsOfOneDraw) {
  EXPECT_TRUE(reasons_of(frame(scene::kLayers)).empty());
  expect_same_picture(file(scene::kLayers).string(), 99.9);  // edges through pixel centres
}

TEST_F(CapturedFrames, LevelsStoresAndScaledBlits) {
  EXPECT_TRUE(reasons_of(frame(scene::kStores)).empty());
  expect_same_picture(file(scene::kStores).string(), 99.9);
}

TEST_F(CapturedFrames, PartsOfColorsAndStencils) {
  EXPECT_TRUE(reasons_of(frame(scene::kParts)).empty());
  expect_same_picture(file(scene::kParts).string());
}

TEST_F(CapturedFrames, FormatsOfFewBits) {
  const Frame captured = frame(scene::kNarrow);
  EXPECT_TRUE(reasons_of(captured).empty());
  std::set<TexelFormat> formats;
  for (const Target& target : captured.targets) formats.insert(target.colors.at(0).format);
  for (const TexelFormat format : {TexelFormat::rgb565, TexelFormat::rgba4, TexelFormat::rgb5_a1})
    EXPECT_EQ(formats.count(format), 1u);
  expect_same_picture(file(scene::kNarrow).string());
}

TEST_F(CapturedFrames, OutlinesInLists) {
  EXPECT_TRUE(reasons_of(frame(scene::kListOutlines)).empty());
  expect_same_picture(file(scene::kListOutlines).string());
}

TEST_F(CapturedFrames, Subroutines) { expect_same_picture(file(scene::kSubroutines).string()); }
TEST_F(CapturedFrames, DeletedShaders) { expect_same_picture(file(scene::kDeletedShaders).string()); }
TEST_F(CapturedFrames, PointsHaveWholeSizes) { expect_same_picture(file(scene::kPointSizes).string()); }

TEST_F(CapturedFrames, ColorsThatListsLeave) { expect_same_picture(file(scene::kColors).string()); }

// Captures the only frame of the program with that window.
std::string capture_window(const std::filesystem::path& folder, const std::string& option,
                           const std::string& environment = "") {
  const std::string path = (folder / ("window" + option + ".bkf")).string();
  const RunResult captured = run("LIBGL_ALWAYS_SOFTWARE=1 " + environment + BROKKR_PROGRAM + " capture --frame 1 -o " +
                                 path + " -- " + BROKKR_CAPTURE_PROGRAM + " " + option);
  EXPECT_EQ(captured.code, 0) << captured.out;
  return path;
}

TEST_F(CapturedFrames, WindowsThatEncodeColors) {
  const std::string path = capture_window(shared()->folder / "", "--srgb");
  const Frame encoded = read_bkf(path);
  ASSERT_EQ(encoded.targets.size(), 1u);
  EXPECT_EQ(encoded.targets[0].colors.at(0).format, TexelFormat::rgba8_srgb);
  EXPECT_EQ(draws_of(encoded).size(), 4u);
  expect_same_picture(path);
}

TEST_F(CapturedFrames, WindowsThatKeepColors) {
  const std::string path = capture_window(shared()->folder / "", "--kept");
  const Frame kept = read_bkf(path);
  ASSERT_EQ(kept.targets.size(), 3u);
  for (const Target& target : kept.targets)
    EXPECT_EQ(target.colors.at(0).format == TexelFormat::rgba8_srgb, &target == &kept.targets[1]) << target.id;
  EXPECT_TRUE(kept.skipped_reasons.empty());
  expect_same_picture(path);
}

// A context below 3.0 has no names for the parts of its window.
TEST_F(CapturedFrames, WindowsOfOldContexts) {
  for (const std::string option : {"--old", "--old-srgb"}) {
    SCOPED_TRACE(option);
    const std::string path = capture_window(shared()->folder / "", option, "MESA_GL_VERSION_OVERRIDE=2.1 ");
    const Frame old = read_bkf(path);
    ASSERT_EQ(old.targets.size(), 1u);
    EXPECT_EQ(old.targets[0].samples, option == "--old" ? 4 : 1);
    EXPECT_EQ(old.targets[0].colors.at(0).format == TexelFormat::rgba8_srgb, option == "--old-srgb");
    EXPECT_EQ(draws_of(old).size(), 4u);
    EXPECT_TRUE(old.skipped_reasons.empty());
    expect_same_picture(path);
  }
}

// Frame 0 ends with the first swap, although the first calls were in another window, which is never shown.
TEST_F(CapturedFrames, TheFirstFrameBeganInAnotherWindow) {
  const std::string file = (shared()->folder / "elsewhere.bkf").string();
  const RunResult captured =
      run(std::string("LIBGL_ALWAYS_SOFTWARE=1 ") + BROKKR_PROGRAM + " capture --frame 0 --timeout 60 -o " + file +
          " -- " + BROKKR_CAPTURE_PROGRAM + " --elsewhere");
  ASSERT_EQ(captured.code, 0) << captured.out;
  const Frame frame = read_bkf(file);
  EXPECT_EQ(frame.window_width, scene::kSize);
  const std::vector<DrawCommand> draws = draws_of(frame);
  ASSERT_EQ(draws.size(), 9u);
  const Target& window = frame.targets[frame.views[draws[0].first_view].target];
  EXPECT_EQ(window.id, 0);
  EXPECT_EQ(window.width, scene::kSize);
  EXPECT_EQ(std::count_if(frame.targets.begin(), frame.targets.end(), [](const Target& t) { return t.id == 0; }), 1);
  ASSERT_FALSE(frame.references.empty());
  EXPECT_EQ(frame.targets[frame.references.back().target].id, 0);
}

// A context that draws beside that of the window draws on after a frame was captured.
TEST_F(CapturedFrames, ContextsBesideThatOfTheWindow) {
  const std::string program = std::string(BROKKR_CAPTURE_PROGRAM) + " --beside";
  const RunResult captured =
      run(std::string("LIBGL_ALWAYS_SOFTWARE=1 ") + BROKKR_PROGRAM + " capture --keep-running --frame 1 --every 2 " +
          "--count 2 -o " + (shared()->folder / "beside-{}.bkf").string() + " -- " + program);
  ASSERT_EQ(captured.code, 0) << captured.out;
  EXPECT_EQ(lines_with_hashes(captured.out), lines_with_hashes(run("LIBGL_ALWAYS_SOFTWARE=1 " + program).out));
  EXPECT_EQ(draws_of(read_bkf((shared()->folder / "beside-3.bkf").string())).size(),
            draws_of(read_bkf((shared()->folder / "beside-1.bkf").string())).size());
}

// A program of OpenGL ES draws the same with and without the capture, which leaves its state and its answers alone.
class CapturedFramesOfEs : public CapturedFrames {
 protected:
  static void SetUpTestSuite() {
    shared() = std::make_unique<Shared>();
    const std::string environment =
        "LIBGL_ALWAYS_SOFTWARE=1 MESA_SHADER_CACHE_DIR=" + (shared()->folder / "cache").string() + " ";
    const std::string program = std::string(BROKKR_CAPTURE_PROGRAM) + " --es";
    run(environment + program);
    shared()->plain = run(environment + program);
    shared()->captured = run(environment + BROKKR_PROGRAM + " capture -o " + (shared()->folder / "es-{}.bkf").string() +
                             " --frame 1 --every 1 --count 5 --check-state -- " + program);
  }

  // The frame is complete, its vertex programs give the driver's positions, and its picture is the driver's.
  static void expect_whole(scene::CaseEs number, size_t draws) {
    const std::string path = (shared()->folder / ("es-" + std::to_string(number) + ".bkf")).string();
    const Frame captured = read_bkf(path);
    EXPECT_EQ(captured.skipped_draws, 0u);
    EXPECT_EQ(draws_of(captured).size(), draws);
    EXPECT_FALSE(captured.references.empty() || captured.references.back().depth.empty());
    for (const auto& [reason, count] : captured.skipped_reasons)
      EXPECT_TRUE(reason.find("geometry") != std::string::npos || reason.find("a clear") != std::string::npos)
          << reason;
#ifdef BROKKR_HAVE_SHADERS
    const RunResult checked = run(std::string(BROKKR_PROGRAM) + " check --color --limits exact " + path);
    EXPECT_EQ(checked.code, 0) << checked.out;
#endif
  }
};

TEST_F(CapturedFramesOfEs, StaysUnchanged) {
  const std::string plain = lines_with_hashes(shared()->plain.out);
  EXPECT_EQ(std::count(plain.begin(), plain.end(), '\n'), scene::kCaseCountEs - 1) << shared()->plain.out;
  EXPECT_EQ(lines_with_hashes(shared()->captured.out), plain);
  EXPECT_EQ(shared()->captured.out.find("left another"), std::string::npos) << shared()->captured.out;
  EXPECT_NE(shared()->captured.out.find(" 0 state differences in "), std::string::npos) << shared()->captured.out;
}

TEST_F(CapturedFramesOfEs, Version100) { expect_whole(scene::kOldEs, 2); }
TEST_F(CapturedFramesOfEs, Version300) { expect_whole(scene::kBlocksEs, 2); }
TEST_F(CapturedFramesOfEs, Version310) { expect_whole(scene::kPointsEs, 2); }
TEST_F(CapturedFramesOfEs, Version320) { expect_whole(scene::kWideEs, 1); }
TEST_F(CapturedFramesOfEs, PartsOfColorsAndStencils) { expect_whole(scene::kPartsEs, 4); }

}  // namespace
}  // namespace brokkr::capture_test
