// Everything around the draws: state, clears, targets, references, flags and omissions; and the program does not notice
// the capture.
#include <nlohmann/json.hpp>

#include "captured_frames.h"

namespace brokkr::capture_test {
namespace {

State state_of(const Frame& frame, size_t draw) { return frame.states[draws_of(frame).at(draw).state]; }

// The state with which every case of the program starts.
State initial_state() {
  State state;
  state.viewport = {0, 0, scene::kSize, scene::kSize};
  return state;
}

// Picture, depth, query results and GL errors of every frame equal those of a run without the layer, and no state
// differs.
TEST_F(CapturedFrames, TheProgramIsUndisturbed) {
  const std::string plain = lines_with_hashes(shared()->plain.out);
  EXPECT_EQ(std::count(plain.begin(), plain.end(), '\n'), scene::kCaseCount - 1) << shared()->plain.out;
  EXPECT_EQ(lines_with_hashes(shared()->captured.out), plain);
  EXPECT_EQ(shared()->captured.out.find("left another"), std::string::npos) << shared()->captured.out;
  EXPECT_EQ(shared()->captured.out.find("disturbed"), std::string::npos) << shared()->captured.out;
  EXPECT_NE(shared()->captured.out.find(" 0 state differences in "), std::string::npos);
}

TEST_F(CapturedFrames, HeaderAndWindow) {
  const Frame captured = frame(scene::kArrays);
  EXPECT_EQ(captured.application, "test program");
  EXPECT_EQ(captured.license, "CC0-1.0");
  EXPECT_EQ(captured.frame_number, scene::kArrays);
  EXPECT_NE(captured.generator.find("brokkr"), std::string::npos);
  EXPECT_EQ(captured.window_width, scene::kSize);
  EXPECT_EQ(captured.window_height, scene::kSize);
  ASSERT_EQ(captured.targets.size(), 1u);
  EXPECT_EQ(captured.targets[0].id, 0);
  EXPECT_EQ(captured.skipped_draws, 0u);
  EXPECT_TRUE(captured.skipped_reasons.empty());
}

TEST_F(CapturedFrames, EachStateAlone) {
  const Frame captured = frame(scene::kStates);
  ASSERT_EQ(draws_of(captured).size(), 18u);  // the draw under rasterizer discard does not count
  std::vector<State> wanted(18, initial_state());
  for (State& state : wanted) state.point_sprites = true;  // always on in core profiles
  wanted[1].viewport = {16, 8, 64, 96};
  wanted[2].depth_near = 0.25f;
  wanted[2].depth_far = 0.75f;
  wanted[3].scissor = Rect{8, 16, 32, 64};
  wanted[4].depth.test = wanted[4].depth.write = false;
  wanted[5].depth.write = false;
  wanted[6].depth.func = CompareFunc::gequal;
  wanted[7].cull = CullMode::front;
  wanted[7].front_face = FrontFace::cw;
  wanted[8].polygon_mode = PolygonMode::line;
  wanted[9].polygon_offset = PolygonOffset{1.5f, -2.0f};
  wanted[10].blend =
      BlendState{{BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha, BlendEquation::reverse_subtract},
                 {BlendFactor::one, BlendFactor::constant_alpha, BlendEquation::max},
                 {0.25f, 0.5f, 0.75f, 1.0f}};
  wanted[11].color_mask = {true, false, true, false};
  wanted[12].stencil = StencilState{CompareFunc::notequal, 5, 0x0f, 0x3f, StencilOp::invert, StencilOp::increment_wrap,
                                    StencilOp::replace};
  // A draw with different stencil tests for the two sides becomes two draws.
  wanted[16].cull = CullMode::back;
  wanted[16].stencil = StencilState{.ref = 1, .pass = StencilOp::increment_wrap};
  wanted[17].cull = CullMode::front;
  wanted[17].stencil = StencilState{.ref = 1, .depth_fail = StencilOp::decrement_wrap};
  for (size_t i = 0; i < wanted.size(); i++) {
    EXPECT_TRUE(state_of(captured, i) == wanted[i]) << "draw " << i;
    const uint32_t flags = i == 13   ? uint32_t(kDepthClamp)
                           : i == 14 ? uint32_t(kOriginUpperLeft) | uint32_t(kZeroToOne)
                           : i == 15 ? uint32_t(kProvokingFirst)
                                     : 0u;
    EXPECT_EQ(draws_of(captured)[i].flags, flags) << "draw " << i;
  }
}

TEST_F(CapturedFrames, FixedFunctionState) {
  const Frame captured = frame(scene::kFixedFunction);
  ASSERT_EQ(draws_of(captured).size(), 6u);  // picking draws nothing
  EXPECT_EQ(state_of(captured, 0).alpha_test, (AlphaTest{CompareFunc::greater, 0.25f}));
  // Everything behind the clip plane, at x < -0.5 w, is gone: with fixed function, gl_ClipVertex and gl_ClipDistance.
  for (size_t number = 1; number < 4; number++) {
    const auto draws = draws_of(captured);
    const DrawCommand& clipped = draws[number];
    EXPECT_EQ(clipped.flags, 0u) << number;
    const std::vector<glm::vec4> elements = elements_of(captured, clipped);
    ASSERT_EQ(elements.size(), elements_of(captured, draws_of(captured)[1]).size());
    ASSERT_GT(elements.size(), 0u);
    size_t cut = 0;
    for (const glm::vec4& position : elements) {
      EXPECT_GE(position.x + 0.5f * position.w, -1e-6f) << number;
      cut += position.x + 0.5f * position.w < 1e-6f;
    }
    EXPECT_GT(cut, 0u) << number;
  }
  EXPECT_EQ(draws_of(captured)[4].element_count, 6u);  // glBitmap becomes a rectangle
  expect_elements(captured, 5, expected(range(12, 3)));
  EXPECT_EQ(captured.skipped_draws, 0u);
}

TEST_F(CapturedFrames, ClearsAndTheDepthBeforeThem) {
  const Frame captured = frame(scene::kClears);
  std::vector<ClearCommand> clears;
  std::vector<size_t> places;
  for (size_t i = 0; i < captured.commands.size(); i++) {
    if (const auto* clear = std::get_if<ClearCommand>(&captured.commands[i])) {
      clears.push_back(*clear);
      places.push_back(i);
    }
  }
  ASSERT_EQ(clears.size(), 8u);  // the masked clear does not count
  EXPECT_EQ(clears[0].color, glm::vec4(0.25f, 0.5f, 0.75f, 1));
  EXPECT_EQ(clears[0].depth, 1.0f);
  EXPECT_EQ(clears[0].stencil, uint8_t(0));
  EXPECT_FALSE(clears[0].scissor);
  EXPECT_EQ(clears[1].color, glm::vec4(1, 0.5f, 0.25f, 0));
  EXPECT_FALSE(clears[1].depth);
  EXPECT_EQ(clears[1].scissor, (Rect{4, 8, 64, 32}));
  EXPECT_EQ(clears[2].depth, 0.75f);
  EXPECT_FALSE(clears[2].color);
  EXPECT_EQ(clears[3].color, glm::vec4(0.5f, 0.25f, 1, 1));
  EXPECT_EQ(clears[4].depth, 0.875f);
  EXPECT_EQ(clears[5].stencil, uint8_t(9));
  EXPECT_EQ(clears[6].depth, 1.0f);
  EXPECT_EQ(clears[6].stencil, uint8_t(3));
  EXPECT_EQ(clears[7].color, glm::vec4(0.5f, 0.25f, 1, 1));
  // There are references before both clears that end a drawn depth, and at the end.
  ASSERT_EQ(captured.references.size(), 3u);
  EXPECT_EQ(captured.references[0].before, places[2]);
  EXPECT_EQ(captured.references[1].before, places[4]);
  EXPECT_EQ(captured.references[2].before, captured.commands.size());
  for (const Reference& reference : captured.references) {
    EXPECT_EQ(reference.depth.size(), size_t(scene::kSize * scene::kSize));
    ASSERT_GT(reference.color_file.size(), 4u);
    EXPECT_EQ(reference.color_file[1], uint8_t('P'));  // PNG, lossless
  }
}

TEST_F(CapturedFrames, FramebuffersThatShareDepth) {
  const Frame captured = frame(scene::kFramebuffers);
  ASSERT_EQ(captured.targets.size(), 3u);
  EXPECT_EQ(captured.targets[1].width, 64);
  EXPECT_EQ(captured.targets[1].height, 32);
  std::vector<BlitCommand> blits;
  for (const Command& command : captured.commands) {
    if (const auto* blit = std::get_if<BlitCommand>(&command)) blits.push_back(*blit);
  }
  ASSERT_EQ(blits.size(), 2u);
  // The depth moves to the second target; then its picture goes to the window, upside down.
  EXPECT_EQ(blits[0].from, 1u);
  EXPECT_EQ(blits[0].to, 2u);
  EXPECT_TRUE(blits[0].depth);
  EXPECT_FALSE(blits[0].color);
  EXPECT_EQ(blits[1].from, 2u);
  EXPECT_EQ(captured.targets[blits[1].to].id, 0);
  EXPECT_EQ(blits[1].source, (Rect{0, 0, 64, 32}));
  EXPECT_EQ(blits[1].destination, (Rect{16, 96, 64, -64}));
  EXPECT_TRUE(blits[1].color);
  EXPECT_FALSE(blits[1].depth);
}

TEST_F(CapturedFrames, PipelinesAndBinaries) {
  const Frame captured = frame(scene::kPipelines);
  ASSERT_EQ(draws_of(captured).size(), 3u);
  EXPECT_EQ(captured.skipped_draws, 0u);
  expect_elements(captured, 0, expected(range(3, 6), glm::vec4(0.125f, 0, 0, 0)));
  expect_elements(captured, 1, expected(range(24, 3), glm::vec4(0.125f, 0.25f, 0, 0)));
  expect_elements(captured, 2, expected(range(12, 6)));
}

TEST_F(CapturedFrames, ConditionalRendering) {
  const Frame captured = frame(scene::kConditions);
  ASSERT_EQ(draws_of(captured).size(), 3u);
  expect_elements(captured, 0, expected(range(3, 6)));
  expect_elements(captured, 1, expected(range(9, 3)));
  expect_elements(captured, 2, expected(range(15, 3)));
}

// The program's own feedback pauses during the layer's.
TEST_F(CapturedFrames, FeedbackOfTheProgramGoesOn) {
  const Frame captured = frame(scene::kFeedback);
  EXPECT_EQ(captured.skipped_draws, 0u);
  ASSERT_EQ(draws_of(captured).size(), 3u);
  expect_elements(captured, 0, expected(range(3, 3)));
  expect_elements(captured, 1, expected(range(6, 3)));
  expect_elements(captured, 2, expected(range(12, 3)));
}

TEST_F(CapturedFrames, DrawsThatASecondRunWouldDisturbAreCounted) {
  const Frame captured = frame(scene::kSideEffects);
  const std::vector<DrawCommand> draws = draws_of(captured);
  ASSERT_EQ(draws.size(), 3u);
  EXPECT_EQ(captured.skipped_draws, 2u);
  EXPECT_EQ(captured.skipped_triangles, 3u);
  EXPECT_EQ(draws[0].element_count, 0u);
  EXPECT_NE(draws[0].label.find("not recorded, a query of the program"), std::string::npos) << draws[0].label;
  EXPECT_NE(shared()->captured.out.find("draw #1 is not recorded"), std::string::npos);
  EXPECT_EQ(draws[1].element_count, 0u);
  EXPECT_NE(draws[1].label.find("stores to buffers"), std::string::npos) << draws[1].label;
  expect_elements(captured, 2, expected(range(24, 3)));
}

TEST_F(CapturedFrames, AssemblyProgramsAreTranslated) {
  const Frame captured = frame(scene::kAssembly);
  EXPECT_TRUE(captured.skipped_reasons.empty()) << captured.skipped_reasons.begin()->first;
  const std::vector<DrawCommand> draws = draws_of(captured);
  ASSERT_EQ(draws.size(), 64u);
  for (const DrawCommand& draw : draws) {
    EXPECT_GE(draw.inputs, 0) << draw.label;
    EXPECT_GE(draw.vertices, 0) << draw.label;
  }
  expect_elements(captured, 63, expected(range(3, 3)));
}

TEST_F(CapturedFrames, ListsThatCannotBeRecordedAreCounted) {
  const Frame captured = frame(scene::kSkippedLists);
  EXPECT_EQ(captured.skipped_draws, 1u);
  EXPECT_EQ(captured.skipped_reasons, (std::map<std::string, uint64_t>{{"pixels drawn by a display list", 1}}));
  ASSERT_EQ(draws_of(captured).size(), 1u);
  expect_elements(captured, 0, expected(range(12, 3)));
}

// A frame ends with the swap of its own window; other windows are targets with their own reference.
TEST_F(CapturedFrames, SeveralWindows) {
  const Frame captured = frame(scene::kWindows);
  EXPECT_TRUE(captured.skipped_reasons.empty());
  ASSERT_EQ(captured.targets.size(), 2u);
  EXPECT_EQ(captured.targets[0].id, 0);
  EXPECT_EQ(captured.targets[0].width, scene::kSize);
  EXPECT_NE(captured.targets[1].id, 0);
  EXPECT_EQ(captured.targets[1].width, scene::kSecondSize);
  const std::vector<DrawCommand> draws = draws_of(captured);
  ASSERT_EQ(draws.size(), 2u);
  EXPECT_EQ(captured.views[draws[0].first_view].target, 1u);
  EXPECT_EQ(captured.views[draws[1].first_view].target, 0u);
  expect_elements(captured, 0, expected(range(3, 6)));
  expect_elements(captured, 1, expected(range(12, 6)));
  ASSERT_EQ(captured.references.size(), 2u);
  EXPECT_EQ(captured.references[0].target, 1u);
  EXPECT_EQ(captured.references[0].depth.size(), size_t(scene::kSecondSize * scene::kSecondSize));
  EXPECT_EQ(captured.references[1].target, 0u);
}

TEST_F(CapturedFrames, WhatFragmentShadersDo) {
  const Frame captured = frame(scene::kShaders);
  const std::vector<DrawCommand> draws = draws_of(captured);
  ASSERT_EQ(draws.size(), 3u);
  EXPECT_EQ(draws[0].flags, uint32_t(kFragmentDiscard));
  EXPECT_EQ(draws[1].flags, 0u);
  EXPECT_EQ(draws[2].flags, uint32_t(kFragmentDepth));
}

// Two threads with contexts that share objects each draw 20 triangles into a framebuffer of their own.
TEST_F(CapturedFrames, ThreadsAndSharedContexts) {
  const Frame captured = frame(scene::kThreads);
  std::map<uint32_t, std::vector<glm::vec4>> first_vertices;
  for (const DrawCommand& draw : draws_of(captured)) {
    first_vertices[captured.views[draw.first_view].target].push_back(elements_of(captured, draw)[0]);
  }
  ASSERT_EQ(first_vertices.size(), 2u);
  for (const auto& [target, found] : first_vertices) {
    EXPECT_TRUE(found == expected(range(0, 20)) || found == expected(range(20, 20))) << "target " << target;
  }
}

// The rendered depth equals the driver's in every pixel, except where lines and points rasterize differently.
TEST_F(CapturedFrames, RenderAsTheDriverDid) {
  for (scene::Case number : {scene::kElements, scene::kInstanced, scene::kMulti, scene::kIndirect, scene::kDrawId,
                             scene::kGeometry, scene::kTessellation, scene::kClears, scene::kFramebuffers,
                             scene::kPipelines, scene::kConditions, scene::kShaders, scene::kErrors, scene::kThreads,
                             scene::kWindows, scene::kLists, scene::kClientArrays, scene::kEvaluators}) {
    const RunResult checked = run(std::string(BROKKR_PROGRAM) + " check --json - " + file(number).string());
    ASSERT_EQ(checked.code, 0) << checked.out;
    for (const auto& reference : nlohmann::json::parse(checked.out)["references"]) {
      EXPECT_GE(reference["percent"].get<double>(), 99.9) << "case " << number << ": " << reference.dump();
    }
  }
}

}  // namespace
}  // namespace brokkr::capture_test
