// Frame files: a written frame reads back unchanged, and no damaged file is accepted or crashes the reader.
#include "frame/bkf.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "frame/attributes.h"
#include "frame/bkf_container.h"
#include "frame/bkf_filters.h"

namespace brokkr {
namespace {

bkf::Container unpack(std::span<const std::byte> file) {
  const LoadOptions options;
  Loading loading(options);
  return bkf::unpack(file, {}, loading);
}

using nlohmann::json;

FragmentProgram rich_program() {
  FragmentProgram program;
  program.texts = {"#version 330\nvoid main() { color = vec4(uv, 0, 1); }\n", "// a second text\n"};
  program.version = 330;
  program.varyings = {{"uv", ShaderType::vec2, 1, 0},
                      {"number", ShaderType::i32, 1, 2, Interpolation::flat, true, true},
                      {"axes", ShaderType::vec3, 2, 3, Interpolation::noperspective}};
  program.uniforms = {{"tint", ShaderType::vec4, 1, -1, 0},
                      {"weights", ShaderType::f32, 3, -1, 16, 4},
                      {"light", ShaderType::mat3, 2, 0, 16, 48, 16, true}};
  program.blocks = {{"Lights", 112}};
  program.samplers = {{"base", TextureKind::two, SampledType::real},
                      {"shadows", TextureKind::two_array, SampledType::real, true, 2},
                      {"ids", TextureKind::buffer, SampledType::natural}};
  program.outputs = {{"color", ShaderType::vec4, 1, 0}, {"ids", ShaderType::uvec2, 1, 1, 1}};
  return program;
}

FragmentProgram fixed_function() {
  FragmentProgram program;
  program.varyings = {{"gl_Color", ShaderType::vec4, 1, 0}, {"gl_TexCoord[1]", ShaderType::vec4, 1, 4}};
  program.samplers = {{"unit1", TextureKind::two}};
  FixedFunction& fixed = program.fixed.emplace();
  fixed.units = {{1, EnvironmentMode::combine, glm::vec4(0.5f)}};
  fixed.units[0].rgb = {CombineOp::interpolate,
                        {CombineSource::texture0, CombineSource::primary, CombineSource::previous},
                        {CombineOperand::one_minus_color, CombineOperand::alpha, CombineOperand::color},
                        4};
  fixed.separate_specular = true;
  fixed.fog = Fog{FogMode::linear, glm::vec4(0.25f), 0.5f, 10, 100};
  return program;
}

// Program inputs for the draws `list` (4 vertices) and `fan` (5) of a frame.
void add_programs(Frame& frame, DrawCommand& list, DrawCommand& fan) {
  frame.programs = {rich_program(), fixed_function()};
  frame.captured_samplers.resize(2);
  CapturedSampler& sampler = frame.captured_samplers[1];
  sampler = {.magnify_linear = false, .minify_linear = false, .mip = MipFilter::nearest};
  sampler.wrap = {TextureWrap::clamp, TextureWrap::clamp_to_border, TextureWrap::mirror_clamp_to_edge};
  sampler.lod_min = -2, sampler.lod_max = 3.5f, sampler.lod_bias = 0.25f, sampler.anisotropy = 16;
  sampler.border = {1, 0.5f, 0, 1};
  sampler.compare = CompareFunc::lequal;
  sampler.srgb_decode = false, sampler.seamless = true;
  sampler.base_level = 1, sampler.max_level = 4;
  sampler.swizzle = {Swizzle::a, Swizzle::zero, Swizzle::one, Swizzle::r};
  sampler.depth_mode = DepthMode::intensity;
  CapturedTexture mips{
      .label = "7", .format = TexelFormat::rgba8, .width = 5, .height = 3, .levels = 3, .stored = true};
  CapturedTexture packed{.format = TexelFormat::bc3, .base = TexelBase::rgb, .width = 5, .height = 4, .stored = true};
  CapturedTexture drawn{.kind = TextureKind::two_array, .format = TexelFormat::depth24, .base = TexelBase::depth};
  drawn.width = drawn.height = 4, drawn.depth = 2;
  drawn.images = {{0, 1, 1, TargetPlane::depth}};
  CapturedTexture depth{.format = TexelFormat::depth32f, .base = TexelBase::depth, .width = 4, .height = 4};
  depth.stored = true;
  for (CapturedTexture* texture : {&mips, &packed, &depth}) {
    texture->first_byte = frame.texture_data.size();
    for (uint64_t i = 0; i < texture_bytes(*texture); i++) frame.texture_data.push_back(std::byte(i * 7 & 0xff));
  }
  CapturedTexture sampled{.kind = TextureKind::multisampled, .format = TexelFormat::rgba16f};
  sampled.width = sampled.height = sampled.depth = 4;
  for (uint32_t i = 0; i < 4; i++) sampled.images.push_back({0, i, 1, TargetPlane::color0});
  frame.captured_textures = {mips, packed, drawn, depth, sampled};
  for (int i = 0; i < 100; i++) frame.varyings.push_back(float(i) / 4);
  for (uint32_t i = 0; i < 100; i++) frame.uniforms.push_back(i * i);
  frame.inputs.push_back({0, 1, 2, {9}, {{0, 0}, {2, 1}, {-1, -1}, {1, 0}}});
  frame.inputs.push_back({1, 37, 0, {}, {{1, 1}}});
  list.inputs = 0;
  fan.inputs = 1;
  frame.targets[1].colors = {{TexelFormat::rgba16f, TexelBase::rgb}, {TexelFormat::rg8, TexelBase::rg}};
  frame.targets[1].depth = TexelFormat::depth24;
  frame.targets[1].stencil = TexelFormat::stencil8;
  State& state = frame.states[1];
  state.buffers = {{1, state.blend, {true, false, true, false}}, {-1}};
  state.framebuffer_srgb = state.flat_shading = state.point_sprites = true;
  state.coord_replace = 5;
  state.point_origin_low = true;
  state.smooth_lines = true;
  state.line_width = 2;
  state.point_size = 3.5f;
  state.one_sample = state.sample_shading = state.alpha_to_coverage = state.alpha_to_one = true;
  state.sample_mask = 5;
  state.logic_op = LogicOp::xor_both;
}

// A frame that uses every feature of the format.
Frame rich_frame() {
  Frame frame;
  frame.application = "test";
  frame.generator = "bkf_test";
  frame.license = "CC0";
  frame.frame_number = 7;
  frame.window_width = 8;
  frame.window_height = 4;
  frame.targets = {{.id = 0, .width = 8, .height = 4},
                   {.id = 29, .width = 4, .height = 4, .layers = 3, .format = ColorFormat::rgba16f}};
  frame.targets[1].samples = 4;
  frame.targets[1].mirrored_samples = true;
  frame.views = {{.target = 0}, {.target = 1}, {.target = 1, .layer = 2}};
  State plain;
  plain.viewport = {0, 0, 8, 4};
  State rich = plain;
  rich.viewport = {0.5f, -1, 4, 4};
  rich.depth_near = 0.75f;
  rich.depth_far = 0.25f;
  rich.scissor = Rect{1, 2, 3, 4};
  rich.depth = {true, false, CompareFunc::gequal};
  rich.cull = CullMode::front;
  rich.front_face = FrontFace::cw;
  rich.polygon_mode = PolygonMode::line;
  rich.polygon_offset = PolygonOffset{1.5f, -2};
  rich.blend = BlendState{{BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha, BlendEquation::subtract},
                          {BlendFactor::constant_alpha, BlendFactor::one, BlendEquation::max},
                          {0.1f, 0.2f, 0.3f, 0.4f}};
  rich.color_mask = {true, false, true, false};
  rich.alpha_test = AlphaTest{CompareFunc::gequal, 0.3f};
  rich.stencil =
      StencilState{CompareFunc::notequal, 3, 0x7f, 0x0f, StencilOp::zero, StencilOp::increment_wrap, StencilOp::invert};
  frame.states = {plain, rich};
  frame.materials.resize(1);
  for (int i = 0; i < 12; i++) frame.positions.push_back({float(i), 0.1f * float(i), -0.3f, 1});
  frame.indices = {0, 1, 2, 2, 1, 3, 0xffffffffu, 0, 2, 3};
  DrawCommand list;
  list.label = "list";
  list.indexed = true;
  list.element_count = 6;
  list.vertex_count = 4;
  DrawCommand strip = list;
  strip.label = "strip";
  strip.topology = Topology::triangle_strip;
  strip.restart = true;
  strip.element_count = 10;
  strip.instances = 3;
  strip.first_view = 1;
  strip.state = 1;
  strip.flags = kFragmentDiscard | kDepthClamp | kProvokingFirst;
  DrawCommand fan;
  fan.topology = Topology::triangle_fan;
  fan.first_view = 2;
  fan.first_vertex = 4;
  fan.vertex_count = fan.element_count = 5;
  ClearCommand clear;
  clear.target = 1;
  clear.color = glm::vec4(0.1f, 0.2f, 0.3f, 1.0f);
  clear.depth = 0.5f;
  clear.stencil = uint8_t(9);
  clear.scissor = Rect{0, 0, 2, 2};
  BlitCommand blit;
  blit.from = 1;
  blit.source = {0, 0, 4, 4};
  blit.destination = {8, 0, -8, 4};
  blit.color = false;
  blit.depth = true;
  ClearCommand clear_depth;
  clear_depth.depth = 1.0f;
  add_programs(frame, list, fan);
  clear.other_colors = {{TargetPlane::color1, glm::vec4(0.5f)}};
  frame.commands = {clear_depth, list, clear, strip, fan, blit};
  frame.commands.emplace_back(LoadCommand{1, TargetPlane::depth, 3});
  frame.commands.emplace_back(GenerateMipsCommand{2});
  frame.commands.emplace_back(CopyCommand{0, 1, TargetPlane::color0, TargetPlane::color1, {1, 0, 3, 4}, 2, -1});
  Reference middle, end;
  middle.target = 1;
  middle.before = 3;
  middle.color_file = {1, 2, 3};
  end.before = 6;
  end.depth_width = 8;
  end.depth_height = 4;
  end.depth.assign(32, 0.125f);
  frame.references = {middle, end};
  frame.skipped_draws = 2;
  frame.skipped_triangles = 5;
  frame.skipped_reasons = {{"patches", 2}};
  return frame;
}

void expect_equal_draws(const Frame& a, const DrawCommand& left, const Frame& b, const DrawCommand& right) {
  EXPECT_EQ(left.label, right.label);
  EXPECT_EQ(left.topology, right.topology);
  EXPECT_EQ(left.state, right.state);
  EXPECT_EQ(left.flags, right.flags);
  EXPECT_EQ(left.restart, right.restart);
  ASSERT_EQ(left.indexed, right.indexed);
  ASSERT_EQ(left.instances, right.instances);
  ASSERT_EQ(left.element_count, right.element_count);
  ASSERT_EQ(left.vertex_count, right.vertex_count);
  EXPECT_EQ(a.views[left.first_view].target, b.views[right.first_view].target);
  EXPECT_EQ(a.views[left.first_view].layer, b.views[right.first_view].layer);
  for (uint32_t i = 0; left.indexed && i < left.element_count; i++) {
    EXPECT_EQ(a.indices[left.first_index + i], b.indices[right.first_index + i]);
  }
  for (uint64_t i = 0; i < uint64_t(left.vertex_count) * left.instances; i++) {
    EXPECT_EQ(a.positions[left.first_vertex + i], b.positions[right.first_vertex + i]);
  }
  ASSERT_EQ(left.inputs >= 0, right.inputs >= 0);
  if (left.inputs < 0) return;
  const DrawInputs &in = a.inputs.at(size_t(left.inputs)), &out = b.inputs.at(size_t(right.inputs));
  ASSERT_EQ(in.program, out.program);
  EXPECT_EQ(in.textures, out.textures);
  const FragmentProgram& program = a.programs[in.program];
  for (uint64_t i = 0; i < varying_components(program) * left.vertex_count * left.instances; i++) {
    EXPECT_EQ(a.varyings[in.first_varying + i], b.varyings[out.first_varying + i]);
  }
  for (uint64_t i = 0; i < uniform_words(program); i++) {
    EXPECT_EQ(a.uniforms[in.first_uniform + i], b.uniforms[out.first_uniform + i]);
  }
  ASSERT_EQ(in.first_of_blocks.size(), out.first_of_blocks.size());
  for (size_t block = 0; block < program.blocks.size(); block++) {
    for (uint64_t i = 0; i < program.blocks[block].size / 4; i++) {
      EXPECT_EQ(a.uniforms[in.first_of_blocks[block] + i], b.uniforms[out.first_of_blocks[block] + i]);
    }
  }
}

void expect_equal_textures(const Frame& a, const Frame& b) {
  ASSERT_EQ(a.captured_textures.size(), b.captured_textures.size());
  for (size_t t = 0; t < a.captured_textures.size(); t++) {
    const CapturedTexture &left = a.captured_textures[t], &right = b.captured_textures[t];
    EXPECT_EQ(left.label, right.label);
    EXPECT_EQ(left.kind, right.kind);
    EXPECT_EQ(left.format, right.format);
    EXPECT_EQ(left.base, right.base);
    EXPECT_EQ(left.width, right.width);
    EXPECT_EQ(left.height, right.height);
    EXPECT_EQ(left.depth, right.depth);
    EXPECT_EQ(left.levels, right.levels);
    EXPECT_EQ(left.images, right.images);
    ASSERT_EQ(left.stored, right.stored);
    for (uint64_t i = 0; left.stored && i < texture_bytes(left); i++) {
      EXPECT_EQ(a.texture_data[left.first_byte + i], b.texture_data[right.first_byte + i]);
    }
  }
}

// The rich frame with a vertex program for its draws `list` (4 vertices, 1 instance) and `fan` (5 vertices, now twice).
Frame vertex_frame() {
  Frame frame = rich_frame();
  auto& list = std::get<DrawCommand>(frame.commands[1]);
  auto& fan = std::get<DrawCommand>(frame.commands[4]);
  VertexProgram& program = frame.vertex_programs.emplace_back();
  program.texts = {"#version 330\nvoid main() { gl_Position = vec4(place, 1) + offset; }\n", "// more\n"};
  program.version = 330;
  program.attributes = {{"place", ShaderType::vec3},
                        {"color", ShaderType::vec4},
                        {"number", ShaderType::i32},
                        {"same", ShaderType::vec2}};
  program.uniforms = {{"offset", ShaderType::vec4, 1, -1, 0}, {"Moves.move", ShaderType::mat4, 1, 0, 16, 0, 16, true}};
  program.blocks = {{"Moves", 80}};
  program.samplers = {{"heights", TextureKind::two, SampledType::real}};
  const auto add = [&](const std::vector<float>& values) {
    const uint64_t first = frame.attributes.size();
    for (const float value : values) frame.attributes.push_back(std::bit_cast<uint32_t>(value));
    return first;
  };
  VertexInputs inputs{.first_uniform = 3, .first_of_blocks = {20}, .textures = {{1, 0}}};
  std::vector<float> places, colors;
  for (int i = 0; i < 15; i++) places.push_back(float(i) * 0.1f);
  for (int i = 0; i < 20; i++) colors.push_back(float(i * 12) / 255.0f);
  inputs.attributes = {{add(places), 5, 0}, {add(colors), 5, 0}};
  inputs.attributes.push_back({frame.attributes.size(), 2, 3});
  frame.attributes.insert(frame.attributes.end(), {uint32_t(-5), 70000u});
  inputs.attributes.push_back({add({0.5f, -0.0f}), 1, 1});
  inputs.base_vertex = -7;
  inputs.base_instance = 4;
  inputs.draw = 2;
  frame.vertex_inputs = {inputs, inputs};
  frame.vertex_inputs[1].base_vertex = 9;
  list.vertices = 0;
  fan.vertices = 1;
  return frame;
}

std::string read_error(std::span<const std::byte> file) {
  try {
    read_bkf(file, "f.bkf");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Bkf, RoundTripKeepsEverything) {
  const Frame a = rich_frame();
  const Frame b = read_bkf(bkf_bytes(a), "memory");
  EXPECT_EQ(a.application, b.application);
  EXPECT_EQ(a.generator, b.generator);
  EXPECT_EQ(a.license, b.license);
  EXPECT_EQ(a.frame_number, b.frame_number);
  EXPECT_EQ(b.source, "memory");
  EXPECT_EQ(a.window_width, b.window_width);
  EXPECT_EQ(a.window_height, b.window_height);
  ASSERT_EQ(a.targets.size(), b.targets.size());
  for (size_t i = 0; i < a.targets.size(); i++) {
    EXPECT_EQ(a.targets[i].id, b.targets[i].id);
    EXPECT_EQ(a.targets[i].width, b.targets[i].width);
    EXPECT_EQ(a.targets[i].height, b.targets[i].height);
    EXPECT_EQ(a.targets[i].layers, b.targets[i].layers);
    EXPECT_EQ(a.targets[i].samples, b.targets[i].samples);
    EXPECT_EQ(a.targets[i].format, b.targets[i].format);
    EXPECT_EQ(a.targets[i].colors, b.targets[i].colors);
    EXPECT_EQ(a.targets[i].depth, b.targets[i].depth);
    EXPECT_EQ(a.targets[i].stencil, b.targets[i].stencil);
  }
  EXPECT_EQ(a.states, b.states);
  EXPECT_EQ(a.programs, b.programs);
  EXPECT_EQ(a.captured_samplers, b.captured_samplers);
  expect_equal_textures(a, b);
  ASSERT_EQ(a.commands.size(), b.commands.size());
  for (size_t i : {1u, 3u, 4u}) {
    expect_equal_draws(a, std::get<DrawCommand>(a.commands[i]), b, std::get<DrawCommand>(b.commands[i]));
  }
  const auto& clear = std::get<ClearCommand>(b.commands[2]);
  EXPECT_EQ(clear.target, 1u);
  EXPECT_EQ(clear.color, glm::vec4(0.1f, 0.2f, 0.3f, 1.0f));
  EXPECT_EQ(clear.depth, 0.5f);
  EXPECT_EQ(clear.stencil, 9);
  EXPECT_EQ(clear.scissor, (Rect{0, 0, 2, 2}));
  EXPECT_EQ(clear.other_colors, (std::vector<PlaneColor>{{TargetPlane::color1, glm::vec4(0.5f)}}));
  const auto& load = std::get<LoadCommand>(b.commands[6]);
  EXPECT_EQ(load.target, 1u);
  EXPECT_EQ(load.plane, TargetPlane::depth);
  EXPECT_EQ(load.texture, 3u);
  EXPECT_EQ(std::get<GenerateMipsCommand>(b.commands[7]).texture, 2u);
  const auto& copy = std::get<CopyCommand>(b.commands[8]);
  EXPECT_EQ(copy.from, 0u);
  EXPECT_EQ(copy.to, 1u);
  EXPECT_EQ(copy.to_plane, TargetPlane::color1);
  EXPECT_EQ(copy.source, (Rect{1, 0, 3, 4}));
  EXPECT_EQ(copy.x, 2);
  EXPECT_EQ(copy.y, -1);
  EXPECT_FALSE(std::get<ClearCommand>(b.commands[0]).color.has_value());
  const auto& blit = std::get<BlitCommand>(b.commands[5]);
  EXPECT_EQ(blit.from, 1u);
  EXPECT_EQ(blit.to, 0u);
  EXPECT_EQ(blit.source, (Rect{0, 0, 4, 4}));
  EXPECT_EQ(blit.destination, (Rect{8, 0, -8, 4}));
  EXPECT_FALSE(blit.color);
  EXPECT_TRUE(blit.depth);
  EXPECT_FALSE(blit.stencil);
  ASSERT_EQ(b.references.size(), 2u);
  EXPECT_EQ(b.references[0].color_file, a.references[0].color_file);
  EXPECT_EQ(b.references[0].before, 3u);
  EXPECT_EQ(b.references[1].depth, a.references[1].depth);
  EXPECT_EQ(b.skipped_draws, 2u);
  EXPECT_EQ(b.skipped_triangles, 5u);
  EXPECT_EQ(b.skipped_reasons, a.skipped_reasons);
}

void expect_equal_vertices(const Frame& a, const VertexInputs& left, const Frame& b, const VertexInputs& right) {
  EXPECT_EQ(a.vertex_programs[left.program], b.vertex_programs[right.program]);
  const VertexProgram& program = a.vertex_programs[left.program];
  ASSERT_EQ(left.attributes.size(), right.attributes.size());
  for (size_t i = 0; i < left.attributes.size(); i++) {
    ASSERT_EQ(left.attributes[i].count, right.attributes[i].count);
    EXPECT_EQ(left.attributes[i].divisor, right.attributes[i].divisor);
    for (uint32_t k = 0; k < left.attributes[i].count * shape_of(program.attributes[i].type).components(); k++)
      EXPECT_EQ(a.attributes[left.attributes[i].first + k], b.attributes[right.attributes[i].first + k])
          << i << ' ' << k;
  }
  for (uint32_t i = 0; i < 4; i++) EXPECT_EQ(a.uniforms[left.first_uniform + i], b.uniforms[right.first_uniform + i]);
  for (uint32_t i = 0; i < 20; i++)
    EXPECT_EQ(a.uniforms[left.first_of_blocks.at(0) + i], b.uniforms[right.first_of_blocks.at(0) + i]);
  EXPECT_EQ(left.textures, right.textures);
  EXPECT_EQ(left.base_vertex, right.base_vertex);
  EXPECT_EQ(left.base_instance, right.base_instance);
  EXPECT_EQ(left.draw, right.draw);
}

TEST(Bkf, VertexProgramsAreVersionThreeAndReadBackUnchanged) {
  const Frame a = vertex_frame();
  const std::vector<std::byte> file = bkf_bytes(a);
  EXPECT_EQ(file[4], std::byte(3));
  BkfDetails details;
  const Frame b = read_bkf(file, "memory", {}, {}, &details);
  for (const size_t command : {1u, 4u}) {
    const auto &left = std::get<DrawCommand>(a.commands[command]), &right = std::get<DrawCommand>(b.commands[command]);
    expect_equal_draws(a, left, b, right);
    ASSERT_GE(right.vertices, 0);
    expect_equal_vertices(a, a.vertex_inputs[size_t(left.vertices)], b, b.vertex_inputs[size_t(right.vertices)]);
  }
  EXPECT_EQ(std::get<DrawCommand>(b.commands[3]).vertices, -1);
  EXPECT_EQ(details.has_vertices, (std::vector<bool>{false, true, false, false, true, false, false, false, false}));
  const json root = unpack(file).json;
  EXPECT_EQ(root["commands"][1]["attributes"][0]["type"], "f32");
  EXPECT_EQ(root["commands"][1]["attributes"][1]["type"], "u8");
  EXPECT_EQ(root["commands"][1]["attributes"][1]["normalized"], true);
  EXPECT_EQ(root["commands"][1]["attributes"][2]["type"], "i32");
  EXPECT_EQ(root["commands"][1]["attributes"][3]["type"], "f16");
}

TEST(Bkf, VerticesCanBeLeftOut) {
  Frame a = vertex_frame();
  a.commands.push_back(a.commands[4]);  // shares them
  const std::vector<std::byte> file = bkf_bytes(a, {.leave_out = {false, true}});
  const json root = unpack(file).json;
  EXPECT_TRUE(root["commands"][1].contains("position"));
  EXPECT_FALSE(root["commands"][4].contains("position"));
  EXPECT_FALSE(root["commands"][4].contains("varyings"));
  EXPECT_EQ(root["commands"][4]["vertexCount"], 5);
  BkfDetails details;
  const Frame b = read_bkf(file, "memory", {}, {}, &details);
  EXPECT_TRUE(details.has_vertices[1]);
  EXPECT_FALSE(details.has_vertices[4]);
  const auto &fan = std::get<DrawCommand>(b.commands[4]), &again = std::get<DrawCommand>(b.commands[9]);
  EXPECT_EQ(fan.vertex_count, 5u);
  EXPECT_EQ(fan.first_vertex, again.first_vertex);
  EXPECT_EQ(fan.vertices, again.vertices);
  EXPECT_EQ(b.inputs[size_t(fan.inputs)].first_varying, b.inputs[size_t(again.inputs)].first_varying);
  const auto& list = std::get<DrawCommand>(b.commands[1]);
  EXPECT_GE(fan.first_vertex, list.first_vertex + 4);
  for (uint32_t i = 0; i < 5; i++) EXPECT_EQ(b.positions[fan.first_vertex + i], glm::vec4(0));
  const uint64_t varyings = b.inputs[size_t(fan.inputs)].first_varying;
  for (uint32_t i = 0; i < 5 * 8; i++) EXPECT_EQ(b.varyings.at(varyings + i), 0);
}

TEST(Bkf, SpirvModulesAreStoredAsWords) {
  Frame a = vertex_frame();
  const uint32_t words[] = {0x07230203, 0x00010300, 7, 50, 0, 0xfffefdfcu};
  const std::string module(reinterpret_cast<const char*>(words), sizeof(words));
  a.vertex_programs[0].texts = {module};
  a.programs[0].texts = {module};
  const std::vector<std::byte> file = bkf_bytes(a);
  const json root = unpack(file).json;
  EXPECT_EQ(root["vertexPrograms"][0]["spirv"]["count"], 6);
  EXPECT_FALSE(root["programs"][0].contains("fragment"));
  const Frame b = read_bkf(file, "memory");
  EXPECT_EQ(b.vertex_programs[0].texts, a.vertex_programs[0].texts);
  EXPECT_EQ(b.programs[0].texts, a.programs[0].texts);
  bkf::Container container = unpack(file);
  container.json["vertexPrograms"][0]["spirv"]["offset"] = 16;  // other words
  EXPECT_NE(read_error(bkf::pack(container.json, container.blob, 3)).find("'spirv': it is not a SPIR-V module"),
            std::string::npos);
}

// Every form gives back the words that it stores, and words that it cannot hold take another.
TEST(Bkf, AttributesAreStoredInTheSmallestExactForm) {
  struct Stored {
    ShaderType type;
    std::vector<uint32_t> words;
    bkf::AttributeForm form;
  };
  const auto floats = [](std::initializer_list<float> values) {
    std::vector<uint32_t> words;
    for (const float value : values) words.push_back(std::bit_cast<uint32_t>(value));
    return words;
  };
  using enum bkf::AttributeType;
  const Stored all[] = {{ShaderType::f32, floats({0, 255, 3}), {u8}},
                        {ShaderType::vec2, floats({-128, 127}), {i8}},
                        {ShaderType::f32, floats({0, 1.0f / 255, 254.0f / 255, 1}), {u8, true}},
                        {ShaderType::f32, floats({-1, 5.0f / 127, 1}), {i8, true}},
                        {ShaderType::f32, floats({-0.25f, 0.1f}), {f32}},
                        {ShaderType::f32, floats({-1, 5.0f / 127, 0.0f}), {i8, true}},
                        {ShaderType::f32, floats({256, 65535}), {u16}},
                        {ShaderType::f32, floats({-256, 5}), {i16}},
                        {ShaderType::vec2, floats({0.5f, -0.0f}), {f16}},
                        {ShaderType::f32, floats({65504, 5.9604645e-8f, 6.1035156e-5f, 0.333251953125f}), {f16}},
                        {ShaderType::f32, floats({65536, 0.5f}), {f32}},
                        {ShaderType::f32, floats({std::numeric_limits<float>::infinity(), 1}), {f16}},
                        {ShaderType::f32, {0x7fc12345u}, {f32}},
                        {ShaderType::f32, floats({7.0f / 65535, 1}), {u16, true}},
                        {ShaderType::f32, floats({7.0f / 32767, -1}), {i16, true}},
                        {ShaderType::ivec2, {uint32_t(-1), 127}, {i8}},
                        {ShaderType::i32, {200}, {u8}},
                        {ShaderType::i32, {uint32_t(-70000)}, {i32}},
                        {ShaderType::u32, {0xfffffff0u}, {i8}},
                        {ShaderType::u32, {70000, 3}, {u32}},
                        {ShaderType::b32, {0, 1}, {u8}}};
  for (const Stored& one : all) {
    const bkf::StoredAttribute stored = bkf::store_attribute(one.type, one.words);
    const size_t number = size_t(&one - all);
    EXPECT_TRUE(bkf::may_store(one.type, stored.form)) << number;
    EXPECT_EQ(stored.bytes.size(), one.words.size() * bkf::bytes_of(stored.form.type)) << number;
    EXPECT_EQ(bkf::decode_attribute(one.type, stored.form, stored.bytes), one.words) << number;
    EXPECT_EQ(stored.form, one.form) << number << ' ' << int(stored.form.type);
  }
  EXPECT_FALSE(bkf::may_store(ShaderType::i32, {f32}));
  EXPECT_FALSE(bkf::may_store(ShaderType::i32, {u8, true}));
  EXPECT_FALSE(bkf::may_store(ShaderType::f32, {f32, true}));
  EXPECT_TRUE(bkf::may_store(ShaderType::f32, {i8, true}));
}

// Older programs still read the files that they understand.
TEST(Bkf, OnlyFramesWithProgramsAreVersionTwo) {
  Frame plain = rich_frame();
  EXPECT_EQ(bkf_bytes(plain)[4], std::byte(2));
  plain.commands.resize(6);
  std::get<DrawCommand>(plain.commands[1]).inputs = std::get<DrawCommand>(plain.commands[4]).inputs = -1;
  std::get<ClearCommand>(plain.commands[2]).other_colors.clear();
  plain.programs.clear();
  plain.captured_textures.clear();
  plain.targets[1].colors.clear();
  plain.targets[1].samples = 1;
  const std::vector<std::byte> file = bkf_bytes(plain);
  EXPECT_EQ(file[4], std::byte(1));
  EXPECT_EQ(triangle_count(read_bkf(file, "memory")), triangle_count(plain));
  plain.references[0].color_file = {0x89, 'P', 'N', 'G'};
  EXPECT_EQ(bkf_bytes(plain)[4], std::byte(2));
  EXPECT_EQ(read_bkf(bkf_bytes(plain), "memory").references[0].color_file, plain.references[0].color_file);
  const bkf::Container container = unpack(file);
  EXPECT_EQ(read_error(bkf::pack(container.json, container.blob, 3, 5)),
            "f.bkf: field 'version': it is 5, this program reads 1 to 4; use a newer brokkr");
  EXPECT_NE(read_error(bkf::pack(container.json, container.blob, 3, 0)).find("'version'"), std::string::npos);
}

// A frame with what filters are for: a texture with levels and layers, depths of a slope, and the indices of a grid.
Frame smooth_frame() {
  Frame frame = rich_frame();
  CapturedTexture texture{.kind = TextureKind::two_array, .format = TexelFormat::rgba8, .width = 61, .height = 48};
  texture.depth = 2;
  texture.levels = 6;
  texture.stored = true;
  texture.first_byte = frame.texture_data.size();
  std::mt19937 random(7);
  for (int level = 0; level < texture.levels; level++) {
    const TexelExtent extent = level_extent(texture, level);
    for (int i = 0; i < extent.width * extent.height * extent.depth; i++) {
      const int light = i % extent.width + i / extent.width + int(random() % 3);
      for (const int value : {light + 40, light + 50, light + 70, 255}) frame.texture_data.push_back(std::byte(value));
    }
  }
  frame.captured_textures.push_back(texture);
  Reference& reference = frame.references[1];
  frame.targets[0].width = reference.depth_width = 80;
  frame.targets[0].height = reference.depth_height = 50;
  reference.depth.clear();
  for (int i = 0; i < 80 * 50; i++) reference.depth.push_back(float(i % 80 * 977 + i / 80 * 353) / float(1 << 24));
  auto& draw = std::get<DrawCommand>(frame.commands[1]);
  draw.first_index = uint32_t(frame.indices.size());
  draw.element_count = 6 * 500;
  for (uint32_t i = 0; i < 500; i++) {
    for (const uint32_t corner : {0u, 1u, 30u, 30u, 1u, 31u}) frame.indices.push_back((i + corner) % draw.vertex_count);
  }
  return frame;
}

TEST(Bkf, FilteredFilesAreVersionFourSmallerAndReadBackUnchanged) {
  const Frame a = smooth_frame();
  const std::vector<std::byte> plain = bkf_bytes(a), file = bkf_bytes(a, {.filters = true});
  EXPECT_EQ(plain[4], std::byte(2));
  EXPECT_EQ(file[4], std::byte(4));
  EXPECT_LT(file.size(), plain.size() * 3 / 4);
  const Frame b = read_bkf(file, "memory");
  expect_equal_textures(a, b);
  EXPECT_EQ(a.references[1].depth, b.references[1].depth);
  expect_equal_draws(a, std::get<DrawCommand>(a.commands[1]), b, std::get<DrawCommand>(b.commands[1]));
  EXPECT_EQ(unpack(file).blob, unpack(plain).blob);
  EXPECT_EQ(bkf_bytes(b), plain);
}

// Older programs read a file that no filter makes smaller.
TEST(Bkf, FiltersThatSaveNothingAreLeftOut) {
  EXPECT_EQ(bkf_bytes(rich_frame(), {.filters = true}), bkf_bytes(rich_frame()));
}

TEST(Bkf, FiltersRestoreAnyBytes) {
  std::mt19937 random(3);
  for (int i = 0; i < 400; i++) {
    bkf::Filter filter{.kind = i % 2 ? bkf::FilterKind::words : bkf::FilterKind::texels};
    filter.width = 1 + random() % (i < 200 ? 5 : 40);
    filter.height = 1 + random() % 17;
    if (i % 2 == 0) filter.channels = 1 + random() % 4;
    std::vector<std::byte> bytes(filter.bytes()), filtered(bytes.size()), restored(bytes.size());
    const uint32_t range = i % 3 == 0 ? 4 : 256;
    for (std::byte& byte : bytes) byte = std::byte(random() % range + (256 - range));
    bkf::apply_filter(filter, bytes, filtered);
    bkf::undo_filter(filter, filtered, restored);
    EXPECT_EQ(bytes, restored) << filter.width << 'x' << filter.height << 'x' << filter.channels;
  }
}

// The layout in the file, which other readers depend on.
TEST(Bkf, FiltersStoreWhatTheFormatSays) {
  const auto filtered = [](const bkf::Filter& filter, const std::vector<uint8_t>& bytes) {
    std::vector<std::byte> result(bytes.size());
    bkf::apply_filter(filter, std::as_bytes(std::span(bytes)), result);
    std::vector<int> values;
    for (const std::byte byte : result) values.push_back(int(byte));
    return values;
  };
  // Two texels of three bytes: without green (10, 20, 5) and (12, 23, 5).
  EXPECT_EQ(filtered({.width = 2, .height = 1, .channels = 3}, {30, 20, 25, 35, 23, 28}),
            (std::vector<int>{10, 2, 20, 3, 5, 0}));
  // A texel above two others: the median of a = 7, b = 5 and 7 + 5 - 5.
  EXPECT_EQ(filtered({.width = 2, .height = 2}, {5, 5, 7, 9}), (std::vector<int>{5, 0, 2, 2}));
  // Words 3, 2 and 256 + 2: differences 3, -1 and 256.
  EXPECT_EQ(filtered({.kind = bkf::FilterKind::words, .width = 3, .height = 1}, {3, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0}),
            (std::vector<int>{6, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0}));
}

struct BadFilter {
  const char* filters;  // JSON
  const char* message;  // part of the message
};

class BadFilters : public testing::TestWithParam<BadFilter> {};

TEST_P(BadFilters, AreRejectedWithPlaceAndField) {
  bkf::Container container = unpack(bkf_bytes(rich_frame()));
  container.json["blob"]["filters"] = json::parse(GetParam().filters);
  const std::string message = read_error(bkf::pack(container.json, container.blob, 3));
  EXPECT_EQ(message.rfind("f.bkf: field 'blob.filters'", 0), 0u) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
  EXPECT_NE(message.find("; "), std::string::npos) << message;
  // The key means nothing in an older version.
  EXPECT_NO_THROW(read_bkf(bkf::pack(container.json, container.blob, 3, 3), "memory"));
}

constexpr BadFilter kBadFilters[] = {
    {"7", "it is not an array"},
    {"[7]", "0: it is not an object"},
    {R"([{"offset": 0, "width": 1, "height": 1}])", "0: 'kind' is no name"},
    {R"([{"kind": "bytes", "offset": 0, "width": 1, "height": 1}])", "0: 'kind' is none of texels, words"},
    {R"([{"kind": "words", "width": 1, "height": 1}])", "0: 'offset' is no whole number"},
    {R"([{"kind": "words", "offset": -1, "width": 1, "height": 1}])", "0: 'offset' is no whole number"},
    {R"([{"kind": "words", "offset": 0, "width": 1.5, "height": 1}])", "0: 'width' is no whole number"},
    {R"([{"kind": "words", "offset": 0, "width": 1, "height": "1"}])", "0: 'height' is no whole number"},
    {R"([{"kind": "words", "offset": 0, "width": 1, "height": 1, "channels": 2}])", "0: 'channels' is out of range"},
    {R"([{"kind": "texels", "offset": 0, "width": 1, "height": 1, "channels": 5}])", "0: 'channels' is out of range"},
    {R"([{"kind": "texels", "offset": 0, "width": 1, "height": 1, "channels": 0}])", "0: 'channels' is out of range"},
    {R"([{"kind": "words", "offset": 0, "width": 0, "height": 1}])", "0: its range is empty"},
    {R"([{"kind": "words", "offset": 4294967296, "width": 1, "height": 1}])", "0: 'offset' is before"},
    {R"([{"kind": "words", "offset": 0, "width": 4294967296, "height": 4294967296}])", "0: its range is empty"},
    {R"([{"kind": "words", "offset": 0, "width": 2, "height": 9223372036854775807}])", "0: its range is empty"},
    {R"([{"kind": "texels", "offset": 0, "width": 8, "height": 1, "channels": 4},
        {"kind": "texels", "offset": 31, "width": 8, "height": 1}])",
     "1: 'offset' is before the end"},
};
INSTANTIATE_TEST_SUITE_P(All, BadFilters, testing::ValuesIn(kBadFilters));

TEST(Bkf, BytesOfTexturesAreThoseOfTheirLevels) {
  CapturedTexture texture{.format = TexelFormat::rgba8, .width = 5, .height = 3, .levels = 3};
  EXPECT_EQ(texture_bytes(texture), (5 * 3 + 2 * 1 + 1) * 4u);
  texture.format = TexelFormat::bc1;  // blocks of 4 x 4 texels
  EXPECT_EQ(texture_bytes(texture), (2 + 1 + 1) * 8u);
  texture = {.kind = TextureKind::three, .format = TexelFormat::r8, .width = 4, .height = 4, .depth = 4, .levels = 2};
  EXPECT_EQ(texture_bytes(texture), 64u + 8u);
  texture.kind = TextureKind::two_array;
  EXPECT_EQ(texture_bytes(texture), 64u + 16u);
  texture.format = TexelFormat::rgba32f;
  texture.width = texture.height = 16384;
  texture.depth = 65536;
  texture.levels = 1;
  EXPECT_EQ(texture_bytes(texture), uint64_t(1) << 48);
}

TEST(Bkf, SharedRangesAreStoredAndLoadedOnce) {
  Frame frame = rich_frame();
  const size_t size = bkf_bytes(frame).size();
  const Command draw = frame.commands[1];
  for (int i = 0; i < 100; i++) frame.commands.push_back(draw);
  EXPECT_LT(bkf_bytes(frame).size(), size + 400);
  const Frame loaded = read_bkf(bkf_bytes(frame), "memory");
  EXPECT_EQ(std::get<DrawCommand>(loaded.commands[1]).first_vertex,
            std::get<DrawCommand>(loaded.commands[50]).first_vertex);
  EXPECT_LE(loaded.positions.size(), 12u + 4u + 5u);
}

TEST(Bkf, TransformDrawsBecomeClipSpaceDrawsOfEachView) {
  Frame frame = rich_frame();
  frame.views[2].view_projection[3] = {1, 2, 3, 1};
  frame.models = {glm::mat4(1.0f), glm::mat4(2.0f)};
  DrawCommand draw = std::get<DrawCommand>(frame.commands[1]);
  draw.vertex_kind = VertexKind::transform;
  draw.view_count = 3;
  draw.instances = 2;
  frame.commands[1] = draw;
  const Frame loaded = read_bkf(bkf_bytes(frame), "memory");
  ASSERT_EQ(loaded.commands.size(), frame.commands.size() + 2);
  EXPECT_EQ(loaded.references[0].before, 5u);
  EXPECT_EQ(triangle_count(loaded), triangle_count(frame));
  const auto& last = std::get<DrawCommand>(loaded.commands[3]);
  EXPECT_EQ(loaded.views[last.first_view].layer, 2u);
  const glm::vec4 expected = frame.views[2].view_projection * (glm::mat4(2.0f) * frame.positions[1]);
  EXPECT_EQ(loaded.positions[last.first_vertex + 5], expected);
}

TEST(Bkf, EveryCutFileIsRejected) {
  const std::vector<std::byte> file = bkf_bytes(rich_frame());
  for (size_t size = 0; size < file.size(); size++) {
    EXPECT_THROW(read_bkf(std::span(file).first(size), "cut"), std::runtime_error) << size;
  }
  std::vector<std::byte> longer = file;
  longer.push_back(std::byte(0));
  EXPECT_THROW(read_bkf(longer, "long"), std::runtime_error);
}

// Flipped bits give either a valid frame or an error (run under sanitizers).
TEST(Bkf, DamagedFilesDoNotCrash) {
  const std::vector<std::byte> files[] = {bkf_bytes(rich_frame()), bkf_bytes(vertex_frame(), {.leave_out = {true}}),
                                          bkf_bytes(smooth_frame(), {.filters = true})};
  std::mt19937 random(1);
  int rejected = 0;
  for (int i = 0; i < 3000; i++) {
    std::vector<std::byte> damaged = files[i % 3];
    for (int k = 0; k < 1 + i % 3; k++) damaged[random() % damaged.size()] ^= std::byte(1 << random() % 8);
    try {
      read_bkf(damaged, "damaged");
    } catch (const std::runtime_error&) {
      rejected++;
    }
  }
  EXPECT_GT(rejected, 1000);
}

TEST(Bkf, HostileLengthsAreRejectedWithoutAllocatingThem) {
  std::vector<std::byte> file = bkf_bytes(rich_frame());
  for (size_t field : {8u, 16u, 24u}) {
    std::vector<std::byte> hostile = file;
    for (size_t i = 0; i < 8; i++) hostile[field + i] = std::byte(i == 7 ? 0x7f : 0xff);
    EXPECT_NE(read_error(hostile).find("length"), std::string::npos);
  }
  // A short stream whose header claims the limit.
  std::vector<std::byte> claim = file;
  const uint64_t limit = BkfLimits{}.json_bytes;
  std::memcpy(&claim[16], &limit, 8);
  EXPECT_NE(read_error(claim).find("of the stated 67108864 bytes"), std::string::npos) << read_error(claim);
}

TEST(Bkf, AStreamThatHoldsAByteMoreThanStatedIsRejected) {
  std::vector<std::byte> file = bkf_bytes(rich_frame());
  uint64_t stated = 0;
  std::memcpy(&stated, &file[16], 8);
  --stated;
  std::memcpy(&file[16], &stated, 8);
  const std::string expected = "it holds more than the stated " + std::to_string(stated) + " bytes";
  EXPECT_NE(read_error(file).find(expected), std::string::npos) << read_error(file);
}

struct BadEdit {
  const char* pointer;  // JSON pointer of the changed value
  const char* value;    // JSON
  const char* message;  // part of the message
};

class BadJson : public testing::TestWithParam<BadEdit> {};

TEST_P(BadJson, IsRejectedWithPlaceAndField) {
  const std::vector<std::byte> file = bkf_bytes(rich_frame());
  bkf::Container container = unpack(file);
  container.json[json::json_pointer(GetParam().pointer)] = json::parse(GetParam().value);
  const std::string message = read_error(bkf::pack(container.json, container.blob, 3));
  EXPECT_EQ(message.rfind("f.bkf: ", 0), 0u) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
  EXPECT_NE(message.find("; "), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

constexpr BadEdit kBadEdits[] = {
    {"/commands/1/position/count", "4000000000", "command 1, position, field 'count'"},
    {"/commands/1/position/count", "-1", "command 1, position, field 'count'"},
    {"/commands/3/position/count", "3", "command 3, field 'indices': index 3"},
    {"/commands/1/position/offset", "8", "command 1, position, field 'offset'"},
    {"/commands/1/position/offset", "18446744073709551600", "command 1, position, field 'offset'"},
    {"/commands/1/position/type", "\"f32x3\"", "command 1, position, field 'type'"},
    {"/commands/1/indices/count", "100000", "command 1, indices, field 'count'"},
    {"/commands/1/indices/count", "1e3", "command 1, indices, field 'count'"},
    {"/commands/1/indices", "[]", "command 1, indices"},
    {"/commands/3/instances", "4000000000", "command 3, position, field 'count'"},
    {"/commands/3/instances", "0", "command 3, field 'instances'"},
    {"/commands/3/flags/0", "\"magic\"", "command 3, field 'flags'"},
    {"/commands/3/restart", "false", "command 3, field 'indices': index 4294967295"},
    {"/commands/1/mode", "\"quads\"", "use one of triangles, triangle_strip"},
    {"/commands/1/mode", "[[[[1]]]]", "unknown value of type array; use one of triangles"},
    {"/commands/1/state", "2", "command 1, field 'state'"},
    {"/commands/1/target", "3", "command 1, field 'target'"},
    {"/commands/4/layer", "3", "field 'layer'"},
    {"/commands/1/type", "\"dance\"", "command 1, field 'type'"},
    {"/commands/1", "5", "command 1: it is not an object"},
    {"/commands/2/depth", "-0.25", "command 2, field 'depth'"},
    {"/commands/2/depth", "1e300", "command 2, field 'depth'"},
    {"/commands/2/color", "[0, 0, 0]", "command 2, field 'color'"},
    {"/commands/2/scissor", "[0, 0, -1, 1]", "command 2, field 'scissor'"},
    {"/commands/5/from", "7", "command 5, field 'from'"},
    {"/commands/5/source/2", "2000000000", "command 5, field 'source'"},
    {"/commands/5/planes/0", "\"alpha\"", "command 5, field 'planes'"},
    {"/states/1/viewport/0", "1e38", "state 1, field 'viewport'"},
    {"/states/1/viewport", "null", "state 1, field 'viewport'"},
    {"/states/1/depthRange/1", "2", "state 1, field 'depth_far'"},
    {"/states/1/depth/func", "\"lesser\"", "state 1, depth, field 'func'"},
    {"/states/1/blend/color", "[\"one\"]", "state 1, blend, field 'color'"},
    {"/states/1/stencil/ops/1", "\"add\"", "state 1, stencil, field 'ops'"},
    {"/targets/1/size/0", "0", "target 1, field 'size'"},
    {"/targets/1/size/0", "16385", "target 1, field 'size'"},
    {"/targets/1/id", "0", "target 1, field 'id'"},
    {"/targets/1/layers", "70000", "target 1, field 'layers'"},
    {"/targets/1/coverageSamples", "0", "target 1, field 'coverageSamples'"},
    {"/targets/1/coverageSamples", "16", "target 1, field 'coverageSamples'"},
    {"/targets/1/coverageSamples", "6", "target 1, field 'samples'"},
    {"/states/1/sampleMask", "256", "state 1, field 'sampleMask'"},
    {"/states/1/sampleMask", "-1", "state 1, field 'sampleMask'"},
    {"/states/1/alphaToCoverage", "2", "state 1, field 'alphaToCoverage'"},
    {"/textures/4/images/3/layer", "4", "texture 4, field 'images'"},
    {"/textures/4/size", "[4, 4, 9]", "texture 4, field 'size'"},
    {"/textures/4/levels", "2", "texture 4, field 'levels'"},
    {"/targets/1/coverageSamples", "2", "texture 4, field 'images'"},
    {"/targets", "[]", "field 'target'"},
    {"/references/0/before", "10", "reference 0, field 'before'"},
    {"/references/0/color/size", "1000000", "reference 0, color, field 'size'"},
    {"/references/1/depth/size", "[4, 4]", "reference 1, field 'depth'"},
    {"/references/1/depth/size", "[16000, 16000]", "reference 1, depth, field 'size'"},
    {"/window/0", "100000", "field 'window'"},
    {"/commands/1/program", "2", "command 1, field 'program': there are 2 programs"},
    {"/commands/1/varyings/count", "9", "command 1, field 'varyings': the program needs 36, not 9"},
    {"/commands/1/varyings/offset", "1048576", "command 1, varyings, field 'count'"},
    {"/commands/1/uniforms/count", "8", "command 1, field 'uniforms': the program needs 7, not 8"},
    {"/commands/1/uniforms/offset", "-16", "command 1, uniforms, field 'offset'"},
    {"/commands/1/blocks", "[]", "command 1, field 'blocks': the program needs 1, not 0"},
    {"/commands/1/blocks/0", "1048576", "command 1, blocks, field 'count'"},
    {"/commands/1/textures", "[[0, 0]]", "command 1, field 'textures'"},
    {"/commands/1/textures/0/0", "5", "command 1, field 'textures'"},
    {"/commands/1/textures/0", "[0]", "command 1, field 'textures': it is not [texture, sampler]"},
    {"/commands/6/texture", "0", "command 6, field 'texture'"},
    {"/commands/6/plane", "\"color9\"", "command 6, field 'plane'"},
    {"/commands/7/texture", "5", "command 7, field 'texture'"},
    {"/commands/8/source/2", "-1", "command 8, field 'source'"},
    {"/commands/8/to", "3", "command 8, field 'to'"},
    {"/commands/2/otherColors/0/plane", "1", "command 2, otherColors 0, field 'plane'"},
    {"/programs/0/fragment", "[]", "program 0, field 'fragment'"},
    {"/programs/0/fragment/0", "7", "program 0, field 'fragment'"},
    {"/programs/0/varyings/0/type", "\"vec5\"", "program 0, varyings 0, field 'type'"},
    {"/programs/0/varyings/0/offset", "2000000", "program 0, varyings 0, field 'offset'"},
    {"/programs/0/uniforms/2/offset", "64", "program 0, field 'uniforms': one is not inside its block"},
    {"/programs/0/uniforms/2/count", "1048577", "program 0, uniforms 2, field 'count'"},
    {"/programs/0/uniforms/2/block", "1", "program 0, field 'uniforms'"},
    {"/programs/0/blocks/0/size", "114", "program 0, field 'blocks'"},
    {"/programs/0/samplers/0/kind", "\"4d\"", "program 0, samplers 0, field 'kind'"},
    {"/programs/1/samplers", "[]", "program 1, field 'samplers'"},
    {"/programs/1/fixedFunction/units/0/rgb/op", "\"mix\"", "program 1, fixedFunction, units 0, rgb, field 'op'"},
    {"/textures/0/data/size", "71", "texture 0, data, field 'size': its levels have 72 bytes, not 71"},
    {"/textures/0/size/0", "6", "texture 0, data, field 'size'"},
    {"/textures/0/levels", "29", "texture 0, field 'levels'"},
    {"/textures/0/format", "\"bc9\"", "texture 0, field 'format'"},
    {"/textures/2/images/0/level", "1", "texture 2, field 'images'"},
    {"/textures/2/images/0/target", "3", "texture 2, images 0, field 'target'"},
    {"/samplers/1/wrap/2", "\"around\"", "sampler 1, field 'wrap'"},
    {"/samplers/1/maxLevel", "-1", "sampler 1, field 'maxLevel'"},
    {"/states/1/buffers/0/plane", "8", "state 1, buffers 0, field 'plane'"},
    {"/states/1/coordReplace", "256", "state 1, field 'coordReplace'"},
    {"/states/1/pointSize", "\"large\"", "state 1, field 'pointSize'"},
    {"/targets/1/colors/0/1", "\"gray\"", "target 1, field 'colors'"},
    {"/asset/application", "5", "asset, field 'application'"},
    {"/blob/codec", "\"lz4\"", "field 'blob.codec'"},
    {"/skipped/draws", "-1", "skipped, field 'draws'"},
};

INSTANTIATE_TEST_SUITE_P(All, BadJson, testing::ValuesIn(kBadEdits));

class BadVertices : public testing::TestWithParam<BadEdit> {};

TEST_P(BadVertices, AreRejectedWithPlaceAndField) {
  bkf::Container container = unpack(bkf_bytes(vertex_frame(), {.leave_out = {false, true}}));
  container.json[json::json_pointer(GetParam().pointer)] = json::parse(GetParam().value);
  const std::string message = read_error(bkf::pack(container.json, container.blob, 3));
  EXPECT_EQ(message.rfind("f.bkf: ", 0), 0u) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
  EXPECT_NE(message.find("; "), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

constexpr BadEdit kBadVertices[] = {
    {"/vertexPrograms/0/vertex", "[]", "vertex program 0, field 'vertex': it has no text"},
    {"/vertexPrograms/0/vertex/0", "7", "vertex program 0, field 'vertex'"},
    {"/vertexPrograms/0/spirv", R"({"type": "u32", "offset": 0, "count": 4})", "field 'spirv': the program has a text"},
    {"/vertexPrograms/0/spirv", R"({"type": "u32", "offset": 0, "count": 99999999})",
     "vertex program 0, spirv, field 'count'"},
    {"/vertexPrograms/0/attributes/0/type", "\"vec5\"", "vertex program 0, attributes 0, field 'type'"},
    {"/vertexPrograms/0/attributes/0/type", "\"vec4\"",
     "command 1, attributes 0, field 'count': 15 is not a multiple of 4"},
    {"/vertexPrograms/0/attributes", "[]", "command 1, field 'attributes': the vertex program needs 0, not 4"},
    {"/vertexPrograms/0/uniforms/1/block", "1", "vertex program 0, field 'uniforms'"},
    {"/vertexPrograms/0/blocks/0/size", "60", "vertex program 0, field 'uniforms': one is not inside its block"},
    {"/commands/1/vertexProgram", "1", "command 1, field 'vertexProgram': there are 1 vertex programs"},
    {"/commands/1/vertexProgram", "-1", "command 1, field 'vertexProgram'"},
    {"/commands/1/vertexUniforms/count", "5", "field 'vertexUniforms': the vertex program needs 4, not 5"},
    {"/commands/1/vertexUniforms/offset", "1048576", "command 1, vertexUniforms, field 'count'"},
    {"/commands/1/vertexBlocks", "[]", "field 'vertexBlocks': the vertex program needs 1, not 0"},
    {"/commands/1/vertexBlocks/0", "8", "command 1, vertexBlocks, field 'offset'"},
    {"/commands/1/vertexTextures", "[]", "command 1, field 'textures'"},
    {"/commands/1/vertexTextures/0/0", "9", "command 1, field 'textures'"},
    {"/commands/1/attributes/0/type", "\"f64\"", "command 1, attributes 0, field 'type': unknown value"},
    {"/commands/1/attributes/0/normalized", "true", "field 'type': vec3 cannot be normalized f32"},
    {"/commands/1/attributes/2/type", "\"f32\"", "field 'type': int cannot be f32"},
    {"/commands/1/attributes/0/count", "9", "'place' has 3 values, and the draw reads 4"},
    {"/commands/1/attributes/0/count", "14", "14 is not a multiple of 3"},
    {"/commands/1/attributes/0/count", "0", "0 is not a multiple of 3"},
    {"/commands/1/attributes/0/count", "4000000000", "command 1, attributes 0, field 'count'"},
    {"/commands/1/attributes/0/offset", "8", "command 1, attributes 0, field 'offset'"},
    {"/commands/1/attributes/0/divisor", "-1", "command 1, attributes 0, field 'divisor'"},
    {"/commands/1/baseVertex", "4000000000", "command 1, field 'baseVertex'"},
    {"/commands/4/vertexCount", "-1", "command 4, field 'vertexCount'"},
    {"/commands/4/vertexCount", "6", "command 4, field 'attributes': 'place' has 5 values, and the draw reads 6"},
    {"/commands/4/vertexCount", "4294967295", "command 4, field 'vertexCount': all vertices and attributes together"},
    {"/commands/4/instances", "4000000000", "command 4, field 'vertexCount': all vertices and attributes together"},
};

INSTANTIATE_TEST_SUITE_P(All, BadVertices, testing::ValuesIn(kBadVertices));

// Printing or copying a value recurses into it: nesting must not overflow the stack.
TEST(Bkf, DeepValuesAreRejected) {
  bkf::Container container = unpack(bkf_bytes(rich_frame()));
  json deep = 1;
  for (int i = 0; i < 100; i++) deep = json::array({std::move(deep)});
  for (const char* pointer : {"/commands/1/mode", "/asset/application", "/future"}) {
    bkf::Container changed = container;
    changed.json[json::json_pointer(pointer)] = deep;
    const std::string message = read_error(bkf::pack(changed.json, changed.blob, 3));
    EXPECT_NE(message.find("nests arrays or objects more than 64 deep; "), std::string::npos) << message;
    EXPECT_LT(message.size(), 200u);
  }
}

TEST(Bkf, UnknownKeysAreIgnored) {
  bkf::Container container = unpack(bkf_bytes(rich_frame()));
  container.json["future"] = {1, 2, 3};
  container.json["commands"][1]["future"] = true;
  EXPECT_NO_THROW(read_bkf(bkf::pack(container.json, container.blob, 3), "memory"));
}

TEST(Bkf, StencilWithoutOperationsPasses) {
  bkf::Container container = unpack(bkf_bytes(rich_frame()));
  container.json["states"][1]["stencil"].erase("ops");
  container.json["states"][1]["stencil"]["mask"] = 2147483647;
  const Frame frame = read_bkf(bkf::pack(container.json, container.blob, 3), "memory");
  ASSERT_TRUE(frame.states[1].stencil.has_value());
  EXPECT_EQ(frame.states[1].stencil->func, CompareFunc::always);
  EXPECT_EQ(frame.states[1].stencil->mask, 0xff);
}

TEST(Bkf, OtherFilesAreNamed) {
  const char text[] = "Just some text, longer than a header is.";
  EXPECT_NE(read_error(std::as_bytes(std::span(text))).find("no frame file"), std::string::npos);
  EXPECT_THROW(read_bkf(std::filesystem::path("/nonexistent/x.bkf")), std::runtime_error);
  EXPECT_THROW(read_bkf(std::filesystem::path("/tmp")), std::runtime_error);
}

}  // namespace
}  // namespace brokkr
