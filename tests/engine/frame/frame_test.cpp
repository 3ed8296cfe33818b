// Counting and validating frames.
#include "brokkr/frame.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <span>

namespace brokkr {
namespace {

Frame small_frame() {
  Frame frame;
  frame.targets = {{.id = 0, .width = 4, .height = 4}, {.id = 1, .width = 8, .height = 8, .layers = 2}};
  frame.views = {{.target = 0}, {.target = 1, .layer = 1}};
  frame.states.resize(1);
  frame.states[0].viewport = {0, 0, 4, 4};
  frame.materials.resize(1);
  frame.positions.resize(12, glm::vec4(0, 0, 0, 1));
  frame.indices = {0, 1, 2, 3, 0xffffffffu, 2, 1, 0};
  frame.models.resize(2, glm::mat4(1.0f));
  DrawCommand draw;
  draw.indexed = true;
  draw.element_count = 4;
  draw.vertex_count = 4;
  ClearCommand clear;
  clear.depth = 1.0f;
  frame.commands = {clear, draw, BlitCommand{}};
  return frame;
}

DrawCommand& draw_of(Frame& frame) { return std::get<DrawCommand>(frame.commands[1]); }
ClearCommand& clear_of(Frame& frame) { return std::get<ClearCommand>(frame.commands[0]); }

TEST(Frame, PrimitiveCounts) {
  const uint64_t expected[][8] = {
      // elements:            0  1  2  3  4  5  6  7
      /* triangles      */ {0, 0, 0, 1, 1, 1, 2, 2},
      /* triangle_strip */ {0, 0, 0, 1, 2, 3, 4, 5},
      /* triangle_fan   */ {0, 0, 0, 1, 2, 3, 4, 5},
      /* points         */ {0, 1, 2, 3, 4, 5, 6, 7},
      /* lines          */ {0, 0, 1, 1, 2, 2, 3, 3},
      /* line_strip     */ {0, 0, 1, 2, 3, 4, 5, 6},
      /* line_loop      */ {0, 0, 2, 3, 4, 5, 6, 7},
  };
  for (size_t topology = 0; topology < 7; topology++) {
    for (uint64_t elements = 0; elements < 8; elements++) {
      EXPECT_EQ(primitive_count(Topology(topology), elements), expected[topology][elements])
          << topology << ' ' << elements;
    }
  }
}

TEST(Frame, TriangleCountKnowsRestartInstancesAndViews) {
  Frame frame = small_frame();
  DrawCommand& draw = draw_of(frame);
  draw.topology = Topology::triangle_strip;
  draw.restart = true;
  draw.element_count = 8;
  draw.instances = 3;
  EXPECT_EQ(triangle_count(frame), 9u);  // strips of 4 and 3 indices
  draw.view_count = 2;
  EXPECT_EQ(triangle_count(frame), 18u);
  draw.topology = Topology::line_strip;
  EXPECT_EQ(triangle_count(frame), 0u);
}

TEST(Frame, MainTargetIsWhereMostTrianglesGo) {
  Frame frame = small_frame();
  EXPECT_EQ(main_target(frame), 0u);
  DrawCommand other = draw_of(frame);
  other.first_view = 1;
  other.instances = 2;
  frame.commands.emplace_back(other);
  EXPECT_EQ(main_target(frame), 1u);
  frame.commands.clear();
  EXPECT_EQ(main_target(frame), 0u);
}

TEST(Frame, ValidFramesPass) {
  Frame frame = small_frame();
  EXPECT_NO_THROW(validate(frame));
  draw_of(frame).instances = 3;  // 3 * 4 = 12 positions
  EXPECT_NO_THROW(validate(frame));
  draw_of(frame).vertex_kind = VertexKind::transform;
  draw_of(frame).instances = 2;
  EXPECT_NO_THROW(validate(frame));
  frame.positions[0].x = std::numeric_limits<float>::quiet_NaN();  // the pipeline handles this
  EXPECT_NO_THROW(validate(frame));
}

struct Damage {
  const char* message;  // part of the expected message
  std::function<void(Frame&)> apply;
};

void expect_named(std::span<const Damage> damages, const std::function<Frame()>& make) {
  for (const Damage& damage : damages) {
    Frame frame = make();
    damage.apply(frame);
    try {
      validate(frame);
      ADD_FAILURE() << damage.message << " was accepted";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(damage.message), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("; "), std::string::npos) << error.what();
    }
  }
}

TEST(Frame, EveryDamageIsNamed) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const Damage damages[] = {
      {"'targets'", [](Frame& f) { f.targets.clear(); }},
      {"target 1, field 'width'", [](Frame& f) { f.targets[1].width = 16385; }},
      {"target 1, field 'layers'", [](Frame& f) { f.targets[1].layers = 0; }},
      {"target 1, field 'layers'",
       [](Frame& f) {
         f.targets[1] = {1, 16384, 16384, 9, ColorFormat::rgba8};
       }},
      {"target 1, field 'samples'", [](Frame& f) { f.targets[1].samples = 3; }},
      {"target 1, field 'samples'", [](Frame& f) { f.targets[1].samples = 16; }},
      {"target 1, field 'samples'",
       [](Frame& f) {
         f.targets[1] = {1, 16384, 16384, 2, ColorFormat::rgba8};
         f.targets[1].samples = 8;
       }},
      {"target 0, field 'format'", [](Frame& f) { f.targets[0].format = ColorFormat(9); }},
      {"view 0, field 'target'", [](Frame& f) { f.views[0].target = 2; }},
      {"view 1, field 'layer'", [](Frame& f) { f.views[1].layer = 2; }},
      {"view 0, field 'view_projection'", [&](Frame& f) { f.views[0].view_projection[2][1] = nan; }},
      {"state 0, field 'viewport'", [&](Frame& f) { f.states[0].viewport.x = infinity; }},
      {"state 0, field 'viewport'", [](Frame& f) { f.states[0].viewport.z = -1; }},
      {"state 0, field 'depth_near'", [&](Frame& f) { f.states[0].depth_near = nan; }},
      {"state 0, field 'scissor'",
       [](Frame& f) {
         f.states[0].scissor = Rect{0, 0, -1, 0};
       }},
      {"state 0, field 'polygon_offset'",
       [&](Frame& f) {
         f.states[0].polygon_offset = PolygonOffset{nan, 0};
       }},
      {"state 0, field 'cull'", [](Frame& f) { f.states[0].cull = CullMode(4); }},
      {"material 0, field 'diffuse_texture'", [](Frame& f) { f.materials[0].diffuse_texture = 0; }},
      {"texture 0, field 'texels'",
       [](Frame& f) {
         f.textures.push_back({"t", 2, 2, true, {1, 2, 3}});
       }},
      {"field 'normals'", [](Frame& f) { f.normals.resize(11); }},
      {"model 1", [&](Frame& f) { f.models[1][0][0] = nan; }},
      {"command 0, field 'target'", [](Frame& f) { clear_of(f).target = 2; }},
      {"command 0, field 'depth'", [](Frame& f) { clear_of(f).depth = -0.1f; }},
      {"command 0, field 'depth'", [&](Frame& f) { clear_of(f).depth = nan; }},
      {"command 0, field 'color'", [&](Frame& f) { clear_of(f).color = glm::vec4(0, nan, 0, 0); }},
      {"command 2, field 'from'", [](Frame& f) { std::get<BlitCommand>(f.commands[2]).from = 2; }},
      {"command 2, field 'destination'",
       [](Frame& f) { std::get<BlitCommand>(f.commands[2]).destination.width = -2000000000; }},
      {"command 1, field 'first_view'", [](Frame& f) { draw_of(f).first_view = 0xffffffffu; }},
      {"command 1, field 'first_view'", [](Frame& f) { draw_of(f).view_count = 3; }},
      {"command 1, field 'view_count'", [](Frame& f) { draw_of(f).view_count = 0; }},
      {"command 1, field 'instances'", [](Frame& f) { draw_of(f).instances = 0; }},
      {"command 1, field 'state'", [](Frame& f) { draw_of(f).state = 1; }},
      {"command 1, field 'material'", [](Frame& f) { draw_of(f).material = 1; }},
      {"command 1, field 'first_index'", [](Frame& f) { draw_of(f).first_index = 5; }},
      {"command 1, field 'first_index'", [](Frame& f) { draw_of(f).first_index = ~uint64_t(0) - 1; }},
      {"command 1, field 'first_vertex'", [](Frame& f) { draw_of(f).first_vertex = ~uint64_t(0) - 1; }},
      {"command 1, field 'first_vertex'", [](Frame& f) { draw_of(f).instances = 4; }},
      {"command 1, field 'first_vertex'", [](Frame& f) { draw_of(f).instances = 0xffffffffu; }},
      {"command 1, field 'indices': index 3", [](Frame& f) { draw_of(f).vertex_count = 3; }},
      {"command 1, field 'indices': index 4294967295", [](Frame& f) { draw_of(f).element_count = 8; }},
      {"command 1, field 'element_count'",
       [](Frame& f) {
         draw_of(f).indexed = false;
         draw_of(f).element_count = 5;
       }},
      {"command 1, field 'first_instance'",
       [](Frame& f) {
         draw_of(f).vertex_kind = VertexKind::transform;
         draw_of(f).first_instance = 2;
       }},
      {"command 1, field 'flags'", [](Frame& f) { draw_of(f).flags = 1u << 31; }},
      {"command 1, field 'topology'", [](Frame& f) { draw_of(f).topology = Topology(7); }},
      {"command 1, field 'material'", [](Frame& f) { f.materials[0].kind = MaterialKind::blinn_phong; }},
      {"reference 0, field 'target'",
       [](Frame& f) {
         f.references.push_back({2, 0, {}, 0, 0, {}});
       }},
      {"reference 0, field 'before'",
       [](Frame& f) {
         f.references.push_back({0, 4, {}, 0, 0, {}});
       }},
      {"reference 0, field 'depth'",
       [](Frame& f) {
         f.references.push_back({0, 0, {}, 4, 4, {1, 1}});
       }},
  };
  expect_named(damages, small_frame);
}

// A target with two colours, a draw with a program that writes both, and all commands that name planes.
Frame frame_of_planes() {
  Frame frame = small_frame();
  frame.targets[0].colors = {{}, {TexelFormat::rg16f, TexelBase::rg}};
  frame.states[0].buffers = {{.plane = 0}, {.plane = -1}, {.plane = 1}};
  frame.programs.resize(1);
  frame.programs[0].texts = {"void main() {}"};
  frame.inputs.resize(1);
  draw_of(frame).inputs = 0;
  clear_of(frame).other_colors = {{TargetPlane::color1, {}}};
  CapturedTexture texture;
  texture.width = texture.height = 4;
  texture.stored = true;
  frame.texture_data.resize(texture_bytes(texture));
  frame.captured_textures = {texture, texture};
  frame.captured_textures[1].stored = false;
  frame.captured_textures[1].images = {{.level = 0, .layer = 0, .target = 0, .plane = TargetPlane::color1}};
  frame.commands.emplace_back(LoadCommand{0, TargetPlane::color1, 0});
  frame.commands.emplace_back(CopyCommand{0, 0, TargetPlane::color1, TargetPlane::color0, {0, 0, 2, 2}, 1, 1});
  return frame;
}

TEST(Frame, PlanesThatATargetLacksAreNamed) {
  EXPECT_NO_THROW(validate(frame_of_planes()));
  const auto load = [](Frame& f) -> LoadCommand& { return std::get<LoadCommand>(f.commands[3]); };
  const auto copy = [](Frame& f) -> CopyCommand& { return std::get<CopyCommand>(f.commands[4]); };
  const Damage damages[] = {
      {"command 1, field 'state': target 0 has no colour 2", [](Frame& f) { f.states[0].buffers[1].plane = 2; }},
      {"command 1, field 'state': target 1 has no colour 1", [](Frame& f) { draw_of(f).first_view = 1; }},
      {"command 0, field 'otherColors'", [](Frame& f) { clear_of(f).other_colors[0].plane = TargetPlane::color2; }},
      {"command 0, field 'otherColors'", [](Frame& f) { clear_of(f).other_colors[0].plane = TargetPlane::depth; }},
      {"command 0, field 'otherColors'", [](Frame& f) { clear_of(f).target = 1; }},
      {"command 3, field 'plane'", [&](Frame& f) { load(f).plane = TargetPlane::color6; }},
      {"command 4, field 'fromPlane'", [&](Frame& f) { copy(f).from_plane = TargetPlane::color7; }},
      {"command 4, field 'toPlane'", [&](Frame& f) { copy(f).to_plane = TargetPlane::color2; }},
      {"command 4, field 'toPlane'", [&](Frame& f) { copy(f).to_plane = TargetPlane::depth; }},
      {"command 4, field 'toPlane'", [&](Frame& f) { copy(f).from_plane = TargetPlane::stencil; }},
      {"texture 1, field 'images'", [](Frame& f) { f.captured_textures[1].images[0].plane = TargetPlane::color2; }},
      {"texture 1, field 'target'", [](Frame& f) { f.captured_textures[1].images[0].target = 2; }},
  };
  expect_named(damages, frame_of_planes);
}

// A large index anywhere in a range is found, and one just outside it does not matter.
TEST(Frame, IndexMaximumIsExact) {
  Frame frame = small_frame();
  frame.indices.assign(100'000, 3);
  DrawCommand& draw = draw_of(frame);
  for (uint64_t first : {uint64_t(0), uint64_t(1), uint64_t(63), uint64_t(64), uint64_t(4095), uint64_t(70'001)}) {
    for (uint32_t count : {1u, 63u, 64u, 65u, 4096u, 4097u, 29'000u}) {
      draw.first_index = first;
      draw.element_count = count;
      for (uint64_t at : {first, first + count / 2, first + count - 1}) {
        frame.indices[at] = 4;
        EXPECT_THROW(validate(frame), std::runtime_error) << first << ' ' << count << ' ' << at;
        frame.indices[at] = 3;
      }
      if (first > 0) frame.indices[first - 1] = 4;
      frame.indices[first + count] = 4;
      EXPECT_NO_THROW(validate(frame)) << first << ' ' << count;
      if (first > 0) frame.indices[first - 1] = 3;
      frame.indices[first + count] = 3;
    }
  }
}

// A file of one kilobyte can hold this. A check of all uniforms for every draw would take minutes.
TEST(Frame, ManyDrawsOfAProgramOfManyUniformsTakeLinearTime) {
  constexpr size_t kUniforms = 400000, kDraws = 200000;
  Frame frame = small_frame();
  frame.programs.resize(1);
  frame.programs[0].texts = {"void main() {}"};
  frame.programs[0].uniforms.assign(kUniforms, {.name = "u", .type = ShaderType::f32});
  frame.uniforms.resize(1);
  frame.inputs.resize(1);
  draw_of(frame).inputs = 0;
  frame.commands.resize(kDraws, frame.commands[1]);
  EXPECT_NO_THROW(validate(frame));
  frame.uniforms.clear();
  EXPECT_THROW(validate(frame), std::runtime_error);
}

TEST(Frame, TooManyPrimitivesAreRejected) {
  Frame frame = small_frame();
  DrawCommand& draw = draw_of(frame);
  draw.vertex_kind = VertexKind::transform;
  frame.models.resize(1 << 16, glm::mat4(1.0f));
  frame.indices.assign(3 << 16, 0);
  draw.element_count = 3 << 16;
  draw.instances = 1 << 16;
  EXPECT_THROW(validate(frame), std::runtime_error);
  draw.instances = (1 << 16) - 1;
  EXPECT_NO_THROW(validate(frame));
}

}  // namespace
}  // namespace brokkr
