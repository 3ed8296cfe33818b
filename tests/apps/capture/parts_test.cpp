// The parts of the layer that make no GL calls: indices, primitives, shader texts.
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "capture/arb_program.h"
#include "capture/glsl_scan.h"
#include "capture/numbers.h"
#include "capture/primitives.h"
#include "run.h"

namespace brokkr::capture {
namespace {

using Indices = std::vector<uint32_t>;

TEST(Indices, AreWidenedFromEachType) {
  const uint16_t words[] = {1, 0xffff, 2};
  EXPECT_EQ(widen_indices(std::as_bytes(std::span(words)), GL_UNSIGNED_SHORT), (Indices{1, 0xffff, 2}));
  const uint8_t bytes[] = {0, 255, 7};
  EXPECT_EQ(widen_indices(std::as_bytes(std::span(bytes)), GL_UNSIGNED_BYTE), (Indices{0, 255, 7}));
  const uint32_t longs[] = {0xffffffffu, 70000};
  EXPECT_EQ(widen_indices(std::as_bytes(std::span(longs)), GL_UNSIGNED_INT), (Indices{0xffffffffu, 70000}));
  EXPECT_EQ(index_size(GL_FLOAT), 0u);
}

TEST(Indices, CompactKeepsReuseAndOrder) {
  const CompactIndices compact = compact_indices({900, 5, 900, 7, 5}, std::nullopt);
  EXPECT_EQ(compact.vertices, (Indices{5, 7, 900}));
  EXPECT_EQ(compact.indices, (Indices{2, 0, 2, 1, 0}));
  EXPECT_FALSE(compact.has_restart);
}

TEST(Indices, CompactKeepsRestartsApart) {
  const CompactIndices compact = compact_indices({4, 5, 255, 6}, 255u);
  EXPECT_EQ(compact.vertices, (Indices{4, 5, 6}));
  EXPECT_EQ(compact.indices, (Indices{0, 1, kRestartIndex, 2}));
  EXPECT_TRUE(compact.has_restart);
}

TEST(ArbPrograms, RangesOfParametersAreIndexedInTheirUniformArray) {
  const ArbTranslation made = translate_arb_program(
      "!!ARBvp1.0\nPARAM bones[] = { program.local[4..9] };\nADDRESS a;\nARL a.x, vertex.attrib[3].y;\n"
      "MOV result.position, bones[a.x + 2];\nEND\n");
  EXPECT_EQ(made.problem, "");
  EXPECT_NE(made.text.find("arb_vertex_local[v1_a + 2 + 4]"), std::string::npos) << made.text;
  EXPECT_NE(made.text.find("uniform vec4 arb_vertex_local[10];"), std::string::npos) << made.text;
  EXPECT_EQ(made.attributes, (std::vector<int>{3}));
  EXPECT_EQ(made.local, 10);
  EXPECT_EQ(made.env, 0);
}

TEST(ArbPrograms, WhatIsUnknownIsNamed) {
  const auto problem = [](const std::string& text) { return translate_arb_program(text).problem; };
  EXPECT_EQ(problem("!!ARBvp1.0\nOPTION NV_vertex_program3;\nEND\n"),
            "an ARB program with the option NV_vertex_program3");
  EXPECT_EQ(problem("!!ARBfp1.0\nDDX result.color, fragment.color;\nEND\n"), "an ARB program with the instruction DDX");
  EXPECT_EQ(problem("!!ARBvp1.0\nMOV result.position, vertex.weight;\nEND\n"),
            "an ARB program with the input vertex.weight");
  EXPECT_EQ(problem("!!ARBvp1.0\nMOV result.position, state.matrix.palette[1].row[0];\nEND\n"),
            "an ARB program with the binding state.matrix.palette[1]");
  EXPECT_EQ(problem("!!VP1.0\nEND\n"), "an ARB program with another version");
  EXPECT_EQ(problem("!!ARBvp1.0\nMOV result.position"), "an ARB program with '' instead of ','");
  // Every beginning of a program is read to its end or refused.
  const std::string whole =
      "!!ARBfp1.0\nPARAM c = { 1, -2.5e-1 };\nTEMP r;\nTEX r, fragment.texcoord[2], texture[1], 2D;\n"
      "MAD_SAT result.color.xyz, r.x, c, -program.env[3];\nEND\n";
  for (size_t length = 0; length <= whole.size(); ++length) translate_arb_program(whole.substr(0, length));
  EXPECT_EQ(problem(whole), "");
}

TEST(PointCoordinates, AreMovedWhereTheyAreRead) {
  EXPECT_EQ(with_moved_point_coord("a = gl_PointCoord.x; gl_PointCoords;", -1),
            "a = (gl_PointCoord + 0.5 * vec2(dFdx(gl_PointCoord.x), -dFdy(gl_PointCoord.y))).x; gl_PointCoords;");
}

TEST(Numbers, EqualValuesHaveOneAndOthersTheirOwn) {
  Numbers<State> numbers;
  std::vector<State> all;
  State first, other;
  first.viewport = {0, 0, 64, 64};
  first.blend.emplace();
  other = first;
  other.blend->alpha.dst = BlendFactor::src1_alpha;
  EXPECT_EQ(numbers.number_of(first, all), 0u);
  EXPECT_EQ(numbers.number_of(other, all), 1u);
  for (float i = 1; i < 1000; ++i) {
    State next = first;
    next.viewport.x = i;
    EXPECT_EQ(numbers.number_of(next, all), size_t(i) + 1);
  }
  first.viewport.x = -0.0f;  // equal to 0
  EXPECT_EQ(numbers.number_of(first, all), 0u);
  EXPECT_EQ(numbers.number_of(other, all), 1u);
  EXPECT_EQ(all.size(), 1001u);
  State never = first;  // equal to nothing, not even to itself
  never.line_width = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(numbers.number_of(never, all), 1001u);
  EXPECT_EQ(numbers.number_of(never, all), 1002u);
}

TEST(Numbers, ProgramsAndSamplersAreToldApartByAllTheyHave) {
  Numbers<FragmentProgram> numbers;
  std::vector<FragmentProgram> all;
  FragmentProgram program;
  program.fixed.emplace().units.resize(2);
  EXPECT_EQ(numbers.number_of(program, all), 0u);
  program.fixed->units[1].alpha.scale = 2;
  EXPECT_EQ(numbers.number_of(program, all), 1u);
  program.fixed->fog.emplace().density = 0.5f;
  EXPECT_EQ(numbers.number_of(program, all), 2u);
  program.varyings.push_back({.name = "gl_Color"});
  EXPECT_EQ(numbers.number_of(program, all), 3u);
  program.fixed->units[1].alpha.scale = 1;
  program.fixed->fog.reset();
  program.varyings.clear();
  EXPECT_EQ(numbers.number_of(program, all), 0u);
  Numbers<CapturedSampler> of_samplers;
  std::vector<CapturedSampler> samplers;
  EXPECT_EQ(of_samplers.number_of({.lod_min = 1}, samplers), 0u);
  EXPECT_EQ(of_samplers.number_of({.compare = CompareFunc::less}, samplers), 1u);
  EXPECT_EQ(of_samplers.number_of({.lod_min = 1}, samplers), 0u);
}

// A draw of vertices at x = 0, 1, 2 … with a smooth, a noperspective and a flat component; the plane keeps x <= 1.5.
ClippedDraw row(Topology topology, uint32_t vertices, uint32_t instances = 1) {
  ClippedDraw draw{.assembly = {.topology = topology}, .vertices = vertices, .instances = instances};
  for (uint32_t i = 0; i < vertices * instances; i++) {
    const auto x = float(i % vertices);
    draw.positions.emplace_back(x, 0, 0, 1 + x);
    for (const float value : {10 * x, 10 * x, x}) draw.varyings.push_back(value);
  }
  return draw;
}
std::vector<float> before(const ClippedDraw& draw) {
  std::vector<float> distances;
  for (const glm::vec4& position : draw.positions) distances.push_back(1.5f - position.x);
  return distances;
}
const ClipRules kRules{{Interpolation::smooth, Interpolation::noperspective, Interpolation::flat}};

TEST(Clip, LeavesWhatNothingIsCutFrom) {
  ClippedDraw draw = row(Topology::triangle_strip, 2);
  clip(draw, before(draw), 1, kRules);
  EXPECT_FALSE(draw.assembly.indexed);
  EXPECT_EQ(draw.assembly.topology, Topology::triangle_strip);
}

TEST(Clip, LinesEndAtThePlane) {
  ClippedDraw draw = row(Topology::line_strip, 4, 2);
  clip(draw, before(draw), 1, kRules);
  EXPECT_EQ(draw.assembly.topology, Topology::lines);
  EXPECT_EQ(draw.instances, 1u);
  EXPECT_EQ(draw.assembly.indices, (Indices{0, 1, 8, 9, 4, 5, 10, 11}));  // the second line of each instance is cut
  EXPECT_EQ(draw.positions[9], glm::vec4(1.5f, 0, 0, 2.5f));
  // From the vertex behind the plane, which is the last one and has the flat component of both.
  EXPECT_EQ(draw.varyings[9 * 3], 15.0f);
  EXPECT_FLOAT_EQ(draw.varyings[9 * 3 + 1], 20 - 10 * 0.5f * 2 / 2.5f);
  EXPECT_EQ(draw.varyings[8 * 3 + 2], 2.0f);
  EXPECT_EQ(draw.varyings[9 * 3 + 2], 2.0f);
}

TEST(Clip, TrianglesBecomeFansWithTheirProvokingVertex) {
  for (const bool first : {false, true}) {
    ClippedDraw draw = row(Topology::triangle_strip, 4);
    ClipRules rules = kRules;
    rules.provoking_first = first;
    clip(draw, before(draw), 1, rules);
    // (0, 1, 2) leaves four corners, (1, 2, 3) three.
    EXPECT_EQ(draw.assembly.topology, Topology::triangles);
    EXPECT_EQ(draw.assembly.indices, (Indices{4, 5, 6, 4, 6, 7, 8, 9, 10}));
    for (size_t corner = 4; corner < 11; corner++) {
      EXPECT_LE(draw.positions[corner].x, 1.5f);
      EXPECT_EQ(draw.varyings[corner * 3 + 2], float(first ? corner / 8 : 2 + corner / 8)) << corner;
    }
  }
}

TEST(Clip, PointsGoAndPlanesAddUp) {
  ClippedDraw draw = row(Topology::points, 4);
  std::vector<float> distances;
  for (const glm::vec4& position : draw.positions) {
    distances.push_back(1.5f - position.x);
    distances.push_back(position.x - 0.5f);
  }
  clip(draw, distances, 2, kRules);
  EXPECT_EQ(draw.assembly.indices, (Indices{1}));
}

TEST(Assembly, StripsAndFansStay) {
  for (const auto& [mode, topology] : {std::pair<GLenum, Topology>{GL_TRIANGLE_STRIP, Topology::triangle_strip},
                                       {GL_TRIANGLE_FAN, Topology::triangle_fan},
                                       {GL_POLYGON, Topology::triangle_fan},
                                       {GL_LINE_LOOP, Topology::line_loop}}) {
    const auto assembly = assemble(mode, nullptr, 5, {});
    ASSERT_TRUE(assembly);
    EXPECT_EQ(assembly->topology, topology);
    EXPECT_FALSE(assembly->indexed);
  }
}

TEST(Assembly, FlatPolygonsHaveOneProvokingVertex) {
  EXPECT_EQ(assemble_flat_polygons(nullptr, 5, false).indices, (Indices{1, 2, 0, 2, 3, 0, 3, 4, 0}));
  EXPECT_EQ(assemble_flat_polygons(nullptr, 4, true).indices, (Indices{0, 1, 2, 0, 2, 3}));
}

TEST(Assembly, OutlinesHaveNoInnerEdges) {
  const auto quads = assemble_outlines(GL_QUADS, nullptr, 9);
  ASSERT_TRUE(quads);
  EXPECT_EQ(quads->lines.topology, Topology::lines);
  EXPECT_EQ(quads->lines.indices, (Indices{3, 0, 0, 1, 1, 2, 2, 3, 7, 4, 4, 5, 5, 6, 6, 7}));
  EXPECT_EQ(quads->sizes, (Indices{4, 4}));
  EXPECT_EQ(assemble_outlines(GL_QUAD_STRIP, nullptr, 4)->lines.indices, (Indices{3, 2, 2, 0, 0, 1, 1, 3}));
  const CompactIndices indices{{}, {4, 3, 2, 1, kRestartIndex, 1, 2, 3}, true};
  const auto polygons = assemble_outlines(GL_POLYGON, &indices, 8);
  EXPECT_EQ(polygons->lines.indices, (Indices{4, 3, 3, 2, 2, 1, 1, 4, 1, 2, 2, 3, 3, 1}));
  EXPECT_EQ(polygons->sizes, (Indices{4, 3}));
  EXPECT_FALSE(assemble_outlines(GL_LINES, nullptr, 4));
}

TEST(Assembly, OutlinesOfCulledFacesGo) {
  // The second triangle turns clockwise in window space, where one of its corners is behind the eye.
  const std::vector<glm::vec4> positions = {{0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1},
                                            {0, 0, 0, 1}, {0, 1, 0, 1}, {1, 1, 0, -1}};
  for (const bool front : {false, true}) {
    auto outlines = assemble_outlines(GL_TRIANGLES, nullptr, 6);
    ASSERT_TRUE(outlines);
    cull_outlines(*outlines, positions, {!front, front});
    ASSERT_EQ(outlines->sizes.size(), 1u);
    EXPECT_EQ(outlines->lines.indices[0], front ? 5u : 2u);
  }
}

TEST(Assembly, QuadsBecomeTrianglesAsTheDriverSplitsThem) {
  const auto last = assemble(GL_QUADS, nullptr, 9, {});
  ASSERT_TRUE(last);
  EXPECT_EQ(last->topology, Topology::triangles);
  EXPECT_EQ(last->indices, (Indices{0, 1, 3, 1, 2, 3, 4, 5, 7, 5, 6, 7}));
  const QuadSplit other{{0, 1, 2, 0, 2, 3}, {0, 1, 3, 0, 3, 2}};
  EXPECT_EQ(assemble(GL_QUADS, nullptr, 4, other)->indices, (Indices{0, 1, 2, 0, 2, 3}));
  EXPECT_EQ(assemble(GL_QUAD_STRIP, nullptr, 6, other)->indices, (Indices{0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4}));
}

TEST(Assembly, RestartsInListsCutIncompletePrimitives) {
  const CompactIndices indices{{}, {0, 1, 2, 3, kRestartIndex, 4, 5, 6}, true};
  const auto triangles = assemble(GL_TRIANGLES, &indices, 7, {});
  EXPECT_EQ(triangles->indices, (Indices{0, 1, 2, 4, 5, 6}));
  EXPECT_FALSE(triangles->restart);
  const auto loop = assemble(GL_LINE_LOOP, &indices, 7, {});
  EXPECT_EQ(loop->topology, Topology::lines);
  EXPECT_EQ(loop->indices, (Indices{0, 1, 1, 2, 2, 3, 3, 0, 4, 5, 5, 6, 6, 4}));
  EXPECT_TRUE(assemble(GL_TRIANGLE_STRIP, &indices, 7, {})->restart);
}

TEST(Assembly, AdjacencyVerticesAreLeftOut) {
  EXPECT_EQ(assemble(GL_LINES_ADJACENCY, nullptr, 8, {})->indices, (Indices{1, 2, 5, 6}));
  EXPECT_EQ(assemble(GL_LINE_STRIP_ADJACENCY, nullptr, 5, {})->indices, (Indices{1, 2, 2, 3}));
  EXPECT_EQ(assemble(GL_TRIANGLES_ADJACENCY, nullptr, 6, {})->indices, (Indices{0, 2, 4}));
  EXPECT_EQ(assemble(GL_TRIANGLE_STRIP_ADJACENCY, nullptr, 8, {})->indices, (Indices{0, 2, 4, 4, 2, 6}));
  EXPECT_FALSE(assemble(GL_PATCHES, nullptr, 8, {}));
}

// Lines in a viewport of 64 x 64 pixels; x in pixels, y is 0.
ClippedDraw lines_at(Topology topology, const std::vector<glm::vec3>& corners) {
  ClippedDraw draw{{topology, false, false, {}}, uint32_t(corners.size()), 1, {}, {}};
  for (const glm::vec3& corner : corners) {
    draw.positions.push_back(glm::vec4((corner.x / 32 - 1) * corner.z, 0, corner.y * corner.z, corner.z));
    draw.varyings.insert(draw.varyings.end(), {corner.x, corner.x});
  }
  return draw;
}
LineStipple stipple_of(uint16_t pattern, uint32_t factor) {
  return {.pattern = pattern, .factor = factor, .viewport = {0, 0, 64, 64}};
}
// The ends of the dashes in pixels.
std::vector<float> dashes_of(const ClippedDraw& draw) {
  std::vector<float> ends;
  for (const uint32_t i : draw.assembly.indices) ends.push_back((draw.positions[i].x / draw.positions[i].w + 1) * 32);
  return ends;
}
const ClipRules kSmoothAndFlat{{Interpolation::smooth, Interpolation::flat}, false};

TEST(Dashes, AreCountedInPixels) {
  ClippedDraw draw = lines_at(Topology::lines, {{8, 0, 1}, {40, 0, 1}, {60, 0, 1}, {48, 0, 1}});
  cut_into_dashes(draw, stipple_of(0x0ff0, 1), kSmoothAndFlat);
  EXPECT_EQ(draw.assembly.topology, Topology::lines);
  EXPECT_EQ(dashes_of(draw), (std::vector<float>{12, 20, 28, 36, 56, 48}));
  EXPECT_EQ(draw.vertices, draw.positions.size());
  // Flat components are those of the last vertex.
  const uint32_t first = draw.assembly.indices[0];
  EXPECT_EQ(draw.varyings[2 * first], 12);
  EXPECT_EQ(draw.varyings[2 * first + 1], 40);
}

TEST(Dashes, OfStripsAndLoopsContinue) {
  ClippedDraw draw = lines_at(Topology::line_loop, {{0, 0, 1}, {12, 0, 1}, {24, 0, 1}});
  cut_into_dashes(draw, stipple_of(0x5555, 8), kSmoothAndFlat);
  EXPECT_EQ(dashes_of(draw), (std::vector<float>{0, 8, 16, 24, 16, 8}));
}

TEST(Dashes, BeginAtTheNearPlane) {
  ClippedDraw draw = lines_at(Topology::lines, {{0, -2, 1}, {32, 0, 1}});
  cut_into_dashes(draw, stipple_of(0x00ff, 1), kSmoothAndFlat);
  EXPECT_EQ(dashes_of(draw), (std::vector<float>{16, 24}));
  ClippedDraw behind = lines_at(Topology::lines, {{0, -2, 1}, {32, -3, 1}});
  cut_into_dashes(behind, stipple_of(0x00ff, 1), kSmoothAndFlat);
  EXPECT_TRUE(behind.assembly.indices.empty());
}

TEST(Dashes, InPerspectiveKeepTheirDepth) {
  ClippedDraw draw = lines_at(Topology::lines, {{0, 0, 1}, {32, 1, 3}});
  cut_into_dashes(draw, stipple_of(0x00ff, 2), kSmoothAndFlat);
  EXPECT_EQ(dashes_of(draw), (std::vector<float>{0, 16}));
  const glm::vec4 end = draw.positions[draw.assembly.indices[1]];
  EXPECT_FLOAT_EQ(end.w, 1.5f);  // 1 / w is the mean
  EXPECT_FLOAT_EQ(end.z / end.w, 0.5f);
}

TEST(ShaderScan, FindsDiscardThatCanRun) {
  EXPECT_TRUE(scan_shader("void main() { if (x) discard; }").discard);
  EXPECT_TRUE(scan_shader("void a() { discard; } void b() { a(); } void main() { b(); }").discard);
  EXPECT_TRUE(scan_shader("#define KILL discard\nvoid main() { KILL; }").discard);
  EXPECT_TRUE(scan_shader("#define ON 2\n#if ON > 1\nvoid main() { discard; }\n#endif").discard);
  EXPECT_TRUE(scan_shader("void main() {\n#ifdef GL_ES\n#else\ndiscard;\n#endif\n}").discard);
}

TEST(ShaderScan, LeavesOutCodeThatCannot) {
  EXPECT_FALSE(scan_shader("void main() { } // discard").discard);
  EXPECT_FALSE(scan_shader("/* discard; */ void main() { }").discard);
  EXPECT_FALSE(scan_shader("void unused() { discard; } void main() { }").discard);
  EXPECT_FALSE(scan_shader("#define A 0\nvoid main() {\n#if A || defined(B)\ndiscard;\n#endif\n}").discard);
  EXPECT_FALSE(scan_shader("#ifndef A\n#define A\n#endif\nvoid main() {\n#ifndef A\ndiscard;\n#endif\n}").discard);
}

TEST(ShaderScan, FindsDepthAndDrawNumber) {
  EXPECT_TRUE(scan_shader("void main() { gl_FragDepth = 0.5; }").fragment_depth);
  EXPECT_TRUE(scan_shader("void main() { x = gl_DrawIDARB; }").draw_id);
  EXPECT_FALSE(scan_shader("void main() { x = 1; }").draw_id);
}

TEST(ShaderScan, FindsCullDistancesAndViewports) {
  EXPECT_TRUE(scan_shader("void main() { gl_CullDistance[0] = 1.0; }").cull_distance);
  EXPECT_FALSE(scan_shader("out gl_PerVertex { float gl_CullDistance[1]; }; void main() { }").cull_distance);
  EXPECT_TRUE(scan_shader("void main() { gl_ViewportIndex = 1; EmitVertex(); }").viewport_index);
  EXPECT_FALSE(scan_shader("void main() { EmitVertex(); }").viewport_index);
}

TEST(ShaderScan, FindsStores) {
  EXPECT_TRUE(scan_shader("layout(std430) buffer B { uint a; }; void main() { }").stores);
  EXPECT_FALSE(scan_shader("layout(std430) readonly buffer B { uint a; }; void main() { }").stores);
  EXPECT_TRUE(scan_shader("readonly buffer A { uint a; }; buffer B { uint b; }; void main() { }").stores);
  EXPECT_TRUE(scan_shader("void main() { imageStore(i, ivec2(0), vec4(0)); }").stores);
  EXPECT_TRUE(scan_shader("void main() { x = atomicCounterIncrement(c); }").stores);
  EXPECT_FALSE(scan_shader("void main() { x = atomicCounter(c); }").stores);
  EXPECT_FALSE(scan_shader("uniform samplerBuffer buffers; void main() { x = imageSize; }").stores);
}

// A shader's text is whatever the program passes.
TEST(ShaderScan, SurvivesAnyText) {
  for (const char* text :
       {"discard", "#if\ndiscard", "}}}} discard {{{", "#define A A\nvoid main() { A discard; }", "/* discard",
        "void main( { discard", "#elif 1\n#else\n#endif\ndiscard", "#if 1/0\ndiscard"}) {
    scan_shader(text);
  }
}

// The preloaded library cannot serve a 32-bit program; saying nothing would leave the user waiting.
TEST(Capture, ProgramsOfAnotherWordSizeAreRefused) {
  const capture_test::TemporaryFolder folder;
  const std::filesystem::path program = folder / "program";
  std::ofstream(program, std::ios::binary) << "\177ELF" << '\1' << std::string(59, '\0');
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const capture_test::RunResult result = capture_test::run(std::string(BROKKR_PROGRAM) + " capture --frame 1 -o " +
                                                           (folder / "x.bkf").string() + " -- " + program.string());
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.out.find("different word sizes"), std::string::npos) << result.out;
}

TEST(GlslScan, InputsAndHowTheyAreInterpolated) {
  const auto inputs = scan_inputs(R"(#version 450
    #define OFF 0
    uniform vec4 color;
    layout(location = 0) in vec2 uv;
    flat in int a, b[2];
    #if OFF
    noperspective in float uv;
    #endif
    noperspective centroid in vec3 axes[2];
    layout(location = 4) in Block { vec2 uv; flat int number; } block;
    struct Local { vec3 in_name; };
    float f(in vec2 parameter) { return parameter.x; }
    out vec4 result;
    void main() { result = color; })");
  EXPECT_EQ(inputs.size(), 6u);
  EXPECT_EQ(inputs.at("uv").interpolation, Interpolation::smooth);
  EXPECT_EQ(inputs.at("a").interpolation, Interpolation::flat);
  EXPECT_EQ(inputs.at("b").interpolation, Interpolation::flat);
  EXPECT_EQ(inputs.at("axes").interpolation, Interpolation::noperspective);
  EXPECT_TRUE(inputs.at("axes").centroid);
  EXPECT_EQ(inputs.at("Block.uv").interpolation, Interpolation::smooth);
  EXPECT_EQ(inputs.at("Block.number").interpolation, Interpolation::flat);
  EXPECT_EQ(scan_inputs("varying vec4 v; varying float f;").count("f"), 1u);
}

TEST(GlslScan, AnotherMainKeepsTheVersionFirst) {
  EXPECT_EQ(shader_version("// text\n  # version 330 core\nvoid main() {}"), 330);
  EXPECT_EQ(shader_version("void main() {}"), 110);
  EXPECT_EQ(with_renamed_main("#version 120\nvoid main() {}", "other"),
            "#version 120\n#define main other\n\nvoid main() {}");
  EXPECT_EQ(with_renamed_main("void main() {}", "other"), "#define main other\nvoid main() {}");
}

TEST(CullDistances, TheirSizeAndTheirCopy) {
  const std::string text = "#version 450\nout float gl_CullDistance[2];\nvoid main() { gl_CullDistance[1] = 1.0; }";
  EXPECT_EQ(cull_distance_size(text), 2u);
  EXPECT_EQ(cull_distance_size("void main() { gl_CullDistance[1] = 1.0; }"), 0u);
  EXPECT_NE(with_cull_copy(text, "copy", 2).find("copy[i] = gl_CullDistance[i]"), std::string::npos);
}

// Two triangles, of which the second lies behind the second plane as a whole; a vertex behind it alone changes nothing.
TEST(CullDistances, RemoveWholePrimitives) {
  ClippedDraw draw{{Topology::triangles, false, false, {}}, 6, 1, std::vector<glm::vec4>(6, glm::vec4(1.0f)), {}};
  cull(draw, {1, -1, 1, 1, 1, 1, 1, -1, 1, -2, 1, -3}, 2, {});
  EXPECT_EQ(draw.assembly.indices, (std::vector<uint32_t>{0, 1, 2}));
}

TEST(Routes, PrimitivesOfALayerKeepTheirOrder) {
  ClippedDraw draw{{Topology::points, false, false, {}}, 5, 1, {}, {}};
  for (int i = 0; i < 5; i++) draw.positions.emplace_back(float(i));
  const std::vector<Route> routes = {{0, 0}, {1, 0}, {0, 0}, {0, 2}, {0, 0}};
  const std::vector<RoutedDraw> all = route(draw, routes, {});
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].draw.positions.size(), 2u);
  EXPECT_EQ(all[1].route, (Route{1, 0}));
  EXPECT_EQ(all[2].route, (Route{0, 2}));
  EXPECT_EQ(all[3].draw.positions.front().x, 4.0f);
}

TEST(Outlines, OfTrianglesThatQuadsAndPolygonsWereSplitInto) {
  const QuadSplit split;
  // One quad: 0, 1, 3 and 1, 2, 3.
  const auto quads = outlines_of_triangles(GL_QUADS, 6, split, {});
  ASSERT_TRUE(quads);
  EXPECT_EQ(quads->sizes, (std::vector<uint32_t>{4}));
  // A polygon of five corners, each triangle with its first one last, and one of three.
  const std::vector<int> corners = {1, 2, 0, 2, 3, 0, 3, 4, 0, 6, 7, 5};
  const auto polygons =
      outlines_of_triangles(GL_POLYGON, 12, split, [&](uint32_t a, uint32_t b) { return corners[a] == corners[b]; });
  ASSERT_TRUE(polygons);
  EXPECT_EQ(polygons->sizes, (std::vector<uint32_t>{5, 3}));
  EXPECT_FALSE(outlines_of_triangles(GL_QUADS, 9, split, {}));
}

}  // namespace
}  // namespace brokkr::capture
