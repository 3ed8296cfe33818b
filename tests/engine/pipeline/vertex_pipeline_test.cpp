// Vertex programs in the geometry stage (--vertex-stage pipeline): the bits of the host's stage on every machine, with
// every setting, and counts of runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>

#include "app/resize.h"
#include "batch/predict.h"
#include "brokkr/fragment_shader.h"
#include "brokkr/load.h"
#include "brokkr/read_back.h"
#include "brokkr/vertex_stage.h"
#include "pipeline/cpu_machine.h"
#include "plan/expand.h"
#include "program_frame.h"
#include "settings.h"
#include "shader/compiled.h"

namespace brokkr {
namespace {

using test::ProgramFrame;
using test::varying;

class VertexPipeline : public test::ProgramTest {};

RenderOptions in_pipeline(RenderOptions options = test::cpu()) {
  options.vertex_stage = VertexShading::pipeline;
  options.shading = Shading::program;
  return options;
}

// Makes what the host has computed useless, so that a launch must compute it. Draws that the host has expanded keep
// their copies.
void spoil(Frame& frame, bool with_varyings) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const Command& command : frame.commands) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr || draw->vertices < 0 || needs_expansion(*draw, frame.states[draw->state])) continue;
    const uint64_t vertices = uint64_t(draw->vertex_count) * draw->instances;
    std::fill_n(frame.positions.begin() + std::ptrdiff_t(draw->first_vertex), vertices, glm::vec4(kNan));
    if (!with_varyings || draw->inputs < 0) continue;
    const DrawInputs& inputs = frame.inputs[size_t(draw->inputs)];
    std::fill_n(frame.varyings.begin() + std::ptrdiff_t(inputs.first_varying),
                vertices * varying_components(frame.programs[inputs.program]), kNan);
  }
}

// A grid of `side` x `side` quads in two triangles each, drawn in several instances. Its program reads attributes of
// vertices and of instances, numbers, uniforms, a block's worth of branches and a loop, and writes varyings of several
// kinds and a colour that is clamped.
struct Grid {
  explicit Grid(uint32_t side, uint32_t instances = 3) : builder(96, 64) {
    const uint32_t fragment = builder.program(
        "in vec4 gl_Color_; in vec3 shade; flat in int number; out vec4 color0;\n"
        "void main() { color0 = vec4(shade * 0.5 + 0.5, float(number % 7) / 7.0) + gl_Color_ * 0.25; }",
        {varying("gl_Color_", ShaderType::vec4, 0), varying("shade", ShaderType::vec3, 4),
         varying("number", ShaderType::i32, 7, Interpolation::flat)});
    Frame& f = builder.frame;
    f.programs[fragment].texts = {
        "#version 330 compatibility\nin vec3 shade; flat in int number; out vec4 color0;\n"
        "void main() { color0 = vec4(shade * 0.5 + 0.5, float(number % 7) / 7.0) + gl_Color * 0.25; }"};
    f.programs[fragment].varyings[0].name = "gl_Color";
    const uint32_t corners = (side + 1) * (side + 1);
    std::vector<test::ProgramVertex> places(size_t(corners) * instances);
    for (test::ProgramVertex& one : places) one.varyings.assign(8, 0.0f);
    State state = builder.default_state();
    state.depth = {.test = true, .write = true, .func = CompareFunc::less};
    DrawCommand& draw = builder.draw_with(fragment, state, places);
    draw.indexed = true;
    draw.first_index = f.indices.size();
    for (uint32_t y = 0; y < side; ++y) {
      for (uint32_t x = 0; x < side; ++x) {
        const uint32_t a = y * (side + 1) + x, b = a + side + 1;
        for (const uint32_t index : {a, a + 1, b, b, a + 1, b + 1}) f.indices.push_back(index);
      }
    }
    draw.element_count = side * side * 6;
    draw.vertex_count = corners;
    draw.instances = instances;
    draw.vertices = 0;
    f.vertex_programs.push_back({.texts = {R"(#version 460 compatibility
in vec2 at; in float of_instance; uniform vec4 wave[2]; uniform int steps;
out vec3 shade; flat out int number;
void main() {
  float high = 0.0;
  for (int i = 0; i < steps; ++i) high += sin(at.x * wave[i & 1].x + float(i)) * wave[i & 1].y;
  if (gl_InstanceID == 1) high = -high;
  gl_Position = vec4(at * wave[0].z + vec2(of_instance, high * 0.25), high * 0.3 + of_instance * 0.1, 1.0 + at.y * 0.2);
  shade = vec3(sin(high), cos(at.y * 3.0), at.x * at.y);
  number = gl_VertexID + gl_InstanceID;
  gl_FrontColor = vec4(high * 2.0, -high, at.x, 0.5);
})"},
                                 .version = 460});
    VertexProgram& program = f.vertex_programs[0];
    program.attributes = {{"at", ShaderType::vec2}, {"of_instance", ShaderType::f32}};
    program.uniforms.push_back({.name = "wave", .type = ShaderType::vec4, .count = 2});
    program.uniforms.push_back({.name = "steps", .type = ShaderType::i32, .offset = 32});
    VertexInputs inputs;
    inputs.base_vertex = 5;
    inputs.first_uniform = f.uniforms.size();
    const auto word = [](float value) { return std::bit_cast<uint32_t>(value); };
    for (const float value : {2.0f, 0.5f, 0.8f, 0.0f, 3.0f, 0.3f, 0.0f, 0.0f}) f.uniforms.push_back(word(value));
    f.uniforms.push_back(3);
    inputs.attributes.push_back({f.attributes.size(), corners, 0});
    for (uint32_t i = 0; i < corners; ++i) {
      f.attributes.push_back(word(float(i % (side + 1)) / float(side) * 2 - 1));
      f.attributes.push_back(word(float(i / (side + 1)) / float(side) * 2 - 1));
    }
    inputs.attributes.push_back({f.attributes.size(), (instances + 1) / 2, 2});
    for (uint32_t i = 0; i < (instances + 1) / 2; ++i) f.attributes.push_back(word(float(i) * 0.4f - 0.2f));
    f.vertex_inputs.push_back(inputs);
    EXPECT_EQ(shade_vertices(f), std::vector<std::string>{});
  }
  // Makes the vertex program also read a texture, by the number of the vertex.
  void read_texture() {
    Frame& f = frame();
    CapturedTexture texture;
    texture.width = 4;
    texture.stored = true;
    for (const int height : {0, 90, 30, 200})
      f.texture_data.insert(f.texture_data.end(), {std::byte(height), std::byte(7), std::byte(9), std::byte(255)});
    f.captured_textures = {texture};
    f.captured_samplers = {CapturedSampler{}};
    VertexProgram& program = f.vertex_programs[0];
    program.samplers = {ProgramSampler{"heights"}};
    std::string& text = program.texts[0];
    text.replace(text.find("in vec2 at;"), 0, "uniform sampler2D heights; ");
    const std::string sum = "  float high = 0.0;";
    text.replace(text.find(sum), sum.size(), "  float high = texelFetch(heights, ivec2(gl_VertexID & 3, 0), 0).r;");
    f.vertex_inputs[0].textures = {{0, 0}};
    const std::vector<glm::vec4> before = f.positions;
    EXPECT_EQ(shade_vertices(f), std::vector<std::string>{});
    EXPECT_NE(f.positions, before);
  }

  Frame& frame() { return builder.frame; }
  DrawCommand& draw() { return std::get<DrawCommand>(frame().commands.back()); }
  std::vector<uint32_t> indices() {
    const auto first = frame().indices.begin() + std::ptrdiff_t(draw().first_index);
    return {first, first + draw().element_count};
  }

  ProgramFrame builder;
};

TEST_F(VertexPipeline, EverySettingGivesTheBitsOfTheHost) {
  Grid grid(17);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(grid.frame());
  RenderOptions host = in_pipeline();
  host.vertex_stage = VertexShading::prepare;
  host.keep_ids = true;
  const RenderResult expected = test::render_to_end(renderer, prepared, host);
  const Layer& layer = expected.targets[0].layers[0];
  EXPECT_GT(std::count_if(layer.visible_id.begin(), layer.visible_id.end(), [](uint32_t id) { return id != ~0u; }),
            1000);
  EXPECT_EQ(expected.statistics.vertex_program_runs, 0u);
  EXPECT_EQ(expected.statistics.false_color_draws, 0u);
  spoil(grid.frame(), true);
  for (const Setting& setting : all_settings()) {
    SCOPED_TRACE(setting.name);
    const RenderResult result = test::render_to_end(renderer, prepared, in_pipeline(setting.options));
    test::expect_same_pictures(expected.targets, result.targets);
    EXPECT_EQ(result.statistics.vertex_program_draws, 1u);
    EXPECT_EQ(result.statistics.vertex_prepared_draws, 0u);
    EXPECT_EQ(result.statistics.vertex_program_runs, result.statistics.vertex_shader_runs);
    if (HasFailure()) return;
  }
}

// Vertices that do not pass through a program stay, and shadings without programs see the same vertices.
TEST_F(VertexPipeline, ShadingsWithoutProgramsSeeTheSameVertices) {
  Grid grid(6);
  const std::vector<test::ProgramVertex> other = test::rectangle(60, 40, 90, 60, 0.5, std::vector<float>(8, 0.5f));
  grid.builder.draw_with(0, grid.builder.default_state(), other);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(grid.frame());
  std::vector<RenderResult> expected;
  constexpr Shading kShadings[] = {Shading::flat, Shading::normal, Shading::draw, Shading::program};
  for (const Shading shading : kShadings) {
    RenderOptions options = test::cpu();
    options.shading = shading;
    expected.push_back(test::render_to_end(renderer, prepared, options));
  }
  const DrawCommand& draw = std::get<DrawCommand>(grid.frame().commands[grid.frame().commands.size() - 2]);
  ASSERT_EQ(draw.vertices, 0);
  spoil(grid.frame(), true);
  for (const MachineKind machine : test::machines()) {
    for (size_t i = 0; i < std::size(kShadings); ++i) {
      SCOPED_TRACE(std::string(name_of(machine)) + ", " + name_of(kShadings[i]));
      RenderOptions options = in_pipeline();
      options.machine = machine;
      options.shading = kShadings[i];
      const RenderResult result = test::render_to_end(renderer, prepared, options);
      test::expect_same_pictures(expected[i].targets, result.targets);
      EXPECT_EQ(result.statistics.vertex_program_draws, 1u);
      EXPECT_GT(result.statistics.vertex_shader_runs, result.statistics.vertex_program_runs);
    }
  }
}

// Runs equal the prediction of the strategy's model.
TEST_F(VertexPipeline, RunsEqualThePrediction) {
  Grid grid(20, 2);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(grid.frame());
  for (const auto& [mode, model] :
       std::vector<std::pair<ReuseMode, const char*>>{{ReuseMode::automatic, "warp"},
                                                      {ReuseMode::none, "none"},
                                                      {ReuseMode::warp, "warp"},
                                                      {ReuseMode::nvidia, "nvidia"},
                                                      {ReuseMode::amd, "amd"},
                                                      {ReuseMode::intel, "intel"},
                                                      {ReuseMode::precomputed, "precomputed"},
                                                      {ReuseMode::block, "block"}}) {
    SCOPED_TRACE(model);
    const auto predict = [&](const char* name) {
      return 2 * predict_batches(batch_model(name), grid.indices(), false).vertex_runs;
    };
    for (const MachineKind machine : test::machines()) {
      RenderOptions options = in_pipeline();
      options.machine = machine;
      options.reuse = mode;
      const Statistics s = test::render_to_end(renderer, prepared, options).statistics;
      const bool finds_none = mode == ReuseMode::automatic && s.width != 32;
      const uint64_t predicted = predict(finds_none ? "none" : model);
      EXPECT_EQ(s.vertex_program_runs, predicted) << name_of(machine);
      EXPECT_EQ(s.asr, double(predicted) / double(s.triangles_in));
    }
  }
}

TEST_F(VertexPipeline, CompiledProgramsGiveTheSameBits) {
  if (shader::find_compiler().empty()) GTEST_SKIP() << "there is no compiler";
  Grid grid(13);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(grid.frame());
  RenderOptions options = in_pipeline();
  options.vertex_stage = VertexShading::prepare;
  options.shaders = ShaderCode::interpreted;
  const RenderResult expected = test::render_to_end(renderer, prepared, options);
  spoil(grid.frame(), true);
  options = in_pipeline();
  options.shaders = ShaderCode::compiled;
  for (const MachineInfo& machine : find_machines()) {
    if (machine.kind != MachineKind::cpu || !machine.available) continue;
    for (const ReuseMode reuse : {ReuseMode::automatic, ReuseMode::none, ReuseMode::amd}) {
      options.isa = machine.isa.substr(machine.isa.rfind('v'));
      options.reuse = reuse;
      SCOPED_TRACE(options.isa + ", " + name_of(reuse));
      const RenderResult result = test::render_to_end(renderer, prepared, options, 300);
      test::expect_same_pictures(expected.targets, result.targets);
      EXPECT_EQ(result.statistics.shaders, "compiled");
      EXPECT_EQ(result.statistics.shader_work.compiled + result.statistics.shader_work.cached, 2u);
    }
  }
}

// New uniforms move vertices without the host.
TEST_F(VertexPipeline, NewUniformsReachTheNextLaunch) {
  Grid grid(9);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(grid.frame());
  for (const MachineKind machine : test::machines()) {
    RenderOptions options = in_pipeline();
    options.machine = machine;
    std::vector<uint32_t> last = test::render_to_end(renderer, prepared, options).targets[0].layers[0].color;
    for (const float scale : {0.5f, 0.8f}) {
      grid.frame().uniforms[grid.frame().vertex_inputs[0].first_uniform + 2] = std::bit_cast<uint32_t>(scale);
      prepared.update_views();
      const RenderResult result = test::render_to_end(renderer, prepared, options);
      Frame shaded = grid.frame();
      EXPECT_EQ(shade_vertices(shaded), std::vector<std::string>{});
      PreparedFrame of_host = renderer.prepare(shaded);
      RenderOptions on_host = options;
      on_host.vertex_stage = VertexShading::prepare;
      test::expect_same_pictures(test::render_to_end(renderer, of_host, on_host).targets, result.targets);
      EXPECT_NE(result.targets[0].layers[0].color, last);
      last = result.targets[0].layers[0].color;
    }
  }
}

// The host makes triangles of lines and points, so it shades their vertices.
TEST_F(VertexPipeline, LinesStayWithTheHost) {
  Grid grid(5);
  DrawCommand lines = grid.draw();
  lines.topology = Topology::lines;
  lines.element_count = 24;
  grid.frame().commands.emplace_back(lines);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(grid.frame());
  RenderOptions host = in_pipeline();
  host.vertex_stage = VertexShading::prepare;
  const RenderResult expected = test::render_to_end(renderer, prepared, host);
  const RenderResult result = test::render_to_end(renderer, prepared, in_pipeline());
  test::expect_same_pictures(expected.targets, result.targets);
  EXPECT_EQ(result.statistics.vertex_program_draws, 1u);
  EXPECT_EQ(result.statistics.vertex_prepared_draws, 1u);
}

// The launch cannot know whether other vertices of the draw end the loop, so it cannot leave the draw out.
TEST_F(VertexPipeline, EndlessLoopsEndTheFrameWithALine) {
  Grid grid(2);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(grid.frame());
  grid.frame().uniforms[grid.frame().vertex_inputs[0].first_uniform + 8] = 0x7fffffff;
  prepared.update_views();
  try {
    test::render_to_end(renderer, prepared, in_pipeline(), 120);
    ADD_FAILURE();
  } catch (const MachineError& error) {
    EXPECT_EQ(std::string(error.what()),
              "vertex-stage: a loop of a vertex program does not end within 65536 iterations; choose prepare, which "
              "leaves out the draws of such programs");
  }
}

// CUDA links the programs of both stages into one kernel, and vertex programs alone if a shading needs no others.
TEST_F(VertexPipeline, CudaLinksProgramsOfBothStages) {
  if (!test::is_there(MachineKind::cuda)) GTEST_SKIP() << "there is no GPU and no PTX interpreter";
  std::string cache = (std::filesystem::temp_directory_path() / "brokkr-cache-XXXXXX").string();
  ASSERT_NE(mkdtemp(cache.data()), nullptr);
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  Grid grid(7);
  grid.read_texture();
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(grid.frame());
  std::map<Shading, RenderResult> expected;
  for (const Shading shading : {Shading::program, Shading::normal}) {
    RenderOptions options = test::cpu();
    options.shading = shading;
    options.shaders = ShaderCode::interpreted;
    expected.emplace(shading, test::render_to_end(renderer, prepared, options));
  }
  spoil(grid.frame(), true);
  RenderOptions options = in_pipeline();
  options.machine = MachineKind::cuda;
  options.shaders = ShaderCode::compiled;
  std::string problem;
  try {
    for (const auto& [shading, reuse] :
         std::vector<std::pair<Shading, ReuseMode>>{{Shading::program, ReuseMode::warp},
                                                    {Shading::program, ReuseMode::none},
                                                    {Shading::program, ReuseMode::amd},
                                                    {Shading::normal, ReuseMode::warp}}) {
      SCOPED_TRACE(std::string(name_of(shading)) + ", " + name_of(reuse));
      options.shading = shading;
      options.reuse = reuse;
      const RenderResult result = test::render_to_end(renderer, prepared, options, 300);
      test::expect_same_pictures(expected.at(shading).targets, result.targets);
      EXPECT_EQ(result.statistics.kernel, "linked-vertices");
      EXPECT_EQ(result.statistics.shaders, "compiled");
      EXPECT_EQ(result.statistics.shaders_problem, "");
      EXPECT_GT(result.statistics.vertex_program_runs, 0u);
    }
    // Without vertex programs in the launch, the kernel that has none of their code draws the same frame.
    options.vertex_stage = VertexShading::prepare;
    options.shading = Shading::program;
    EXPECT_EQ(test::render_to_end(renderer, prepared, options, 300).statistics.kernel, "linked");
  } catch (const MachineError& error) {
    problem = error.what();
  }
  unsetenv("XDG_CACHE_HOME");
  std::filesystem::remove_all(cache);
  if (problem.find("was not found; install CUDA's toolkit") != std::string::npos) GTEST_SKIP() << problem;
  EXPECT_EQ(problem, "");
}

// The planes of triangles come from the vertices of the launch, not from those that the host computed before.
TEST_F(VertexPipeline, PlanesFollowNewUniforms) {
  Grid grid(9);
  Frame& frame = grid.frame();
  Renderer renderer;
  const Target& target = frame.targets[0];
  using Planes = std::vector<std::vector<std::byte>>;
  const auto read = [&](PreparedFrame& prepared, const RenderOptions& options) {
    constexpr PixelPlane kPlanes[] = {PixelPlane::depth,  PixelPlane::triangle, PixelPlane::barycentric,
                                      PixelPlane::normal, PixelPlane::position, PixelPlane::texcoord};
    Planes planes;
    ReadBack wanted;
    planes.reserve(std::size(kPlanes));
    for (const PixelPlane plane : kPlanes) {
      planes.emplace_back(bytes_per_pixel(plane) * size_t(target.width) * size_t(target.height));
      wanted.planes.push_back({plane, planes.back()});
    }
    EXPECT_FALSE(renderer.render(prepared, options, wanted).aborted);
    return planes;
  };
  for (const MachineKind machine : test::machines()) {
    SCOPED_TRACE(name_of(machine));
    RenderOptions options = in_pipeline();
    options.machine = machine;
    RenderOptions on_host = options;
    on_host.vertex_stage = VertexShading::prepare;
    PreparedFrame prepared = renderer.prepare(frame);
    Planes last = read(prepared, options);
    for (const float scale : {0.4f, 0.7f}) {
      frame.uniforms[frame.vertex_inputs[0].first_uniform + 2] = std::bit_cast<uint32_t>(scale);
      prepared.update_views();
      const Planes planes = read(prepared, options);
      Frame shaded = frame;
      EXPECT_EQ(shade_vertices(shaded), std::vector<std::string>{});
      PreparedFrame of_host = renderer.prepare(shaded);
      EXPECT_EQ(read(of_host, on_host), planes) << scale;
      for (size_t i = 0; i + 1 < planes.size(); ++i) EXPECT_NE(planes[i], last[i]) << i;  // there are no coordinates
      last = planes;
    }
  }
}

// In the stage `prepare`, shade_vertices and update_views bring new uniforms to the planes.
TEST_F(VertexPipeline, PlanesFollowTheHost) {
  Grid grid(9);
  Frame& frame = grid.frame();
  Renderer renderer;
  RenderOptions options = in_pipeline();
  options.vertex_stage = VertexShading::prepare;
  const auto positions_of = [&](PreparedFrame& prepared) {
    std::vector<float> positions(3 * size_t(frame.targets[0].width) * size_t(frame.targets[0].height));
    ReadBack wanted;
    wanted.planes = {{PixelPlane::position, std::as_writable_bytes(std::span(positions))}};
    EXPECT_FALSE(renderer.render(prepared, options, wanted).aborted);
    return positions;
  };
  PreparedFrame prepared = renderer.prepare(frame);
  const std::vector<float> before = positions_of(prepared);
  frame.uniforms[frame.vertex_inputs[0].first_uniform + 2] = std::bit_cast<uint32_t>(0.4f);
  EXPECT_EQ(shade_vertices(frame), std::vector<std::string>{});
  prepared.update_views();
  const std::vector<float> after = positions_of(prepared);
  EXPECT_NE(after, before);
  PreparedFrame again = renderer.prepare(frame);
  EXPECT_EQ(positions_of(again), after);
}

// A user's vertex shader, with given attributes and uniforms.
TEST_F(VertexPipeline, UserShadersRunInThePipeline) {
  LoadOptions load;
  load.width = 96;
  load.height = 64;
  Frame frame = load_frame("generated:city?triangles=2400&instanced=1", load);
  FragmentShader shader{.text = plain_fragment_text()};
  shader.vertex.text =
      "in vec3 b_position, b_normal;\nuniform mat4 b_model, b_view, b_projection; uniform float b_time;\n"
      "void main() { vec4 world = b_model * vec4(b_position + b_normal * 0.01, 1.0);\n"
      "world.y += 0.3 * sin(world.x * 2.0 + b_time); gl_Position = b_projection * b_view * world; }";
  shader.time = 1;
  set_fragment_shader(frame, shader);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions host = in_pipeline();
  host.vertex_stage = VertexShading::prepare;
  const RenderResult expected = test::render_to_end(renderer, prepared, host);
  spoil(frame, false);
  for (const MachineKind machine : test::machines()) {
    RenderOptions options = in_pipeline();
    options.machine = machine;
    const RenderResult result = test::render_to_end(renderer, prepared, options);
    test::expect_same_pictures(expected.targets, result.targets);
    EXPECT_GT(result.statistics.vertex_program_runs, 0u);
  }
}

// Captured frames with the games' own vertex programs.
class CapturedVertices : public testing::TestWithParam<const char*> {};

TEST_P(CapturedVertices, LookTheSameAsPrepared) {
#if !defined(BROKKR_HAVE_SHADERS)
  GTEST_SKIP() << "built without run-time shaders";
#endif
  const auto path = test::find_capture(GetParam());
  ASSERT_FALSE(path.empty());
  Frame frame = load_frame(path.string(), {});
  app::resize_frame(frame, main_target(frame), 160, 90);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions host = in_pipeline();
  host.vertex_stage = VertexShading::prepare;
  const RenderResult expected = test::render_to_end(renderer, prepared, host, 300);
  spoil(frame, false);
  for (const Setting& setting : some_settings()) {
    SCOPED_TRACE(setting.name);
    RenderOptions options = in_pipeline(setting.options);
    options.keep_ids = false;
    const RenderResult result = test::render_to_end(renderer, prepared, options, 300);
    test::expect_same_pictures(expected.targets, result.targets);
    EXPECT_GT(result.statistics.vertex_program_runs, 0u);
    if (HasFailure()) return;
  }
}

std::string name_of_case(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Bundled, CapturedVertices, testing::Values("vertex-glxgears.bkf", "vertex-glmark2-ideas.bkf"),
                         name_of_case);

}  // namespace
}  // namespace brokkr
