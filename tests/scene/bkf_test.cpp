// Frame files: what is written is read back the same, and no damaged file gets through or crashes.
#include "scene/bkf.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "scene/bkf_container.h"

namespace brokkr {
namespace {

bkf::Container unpack(std::span<const std::byte> file) {
  const LoadOptions options;
  Loading loading(options);
  return bkf::unpack(file, {}, loading);
}

using nlohmann::json;

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
  frame.commands = {clear_depth, list, clear, strip, fan, blit};
  Reference middle, end;
  middle.target = 1;
  middle.before = 3;
  middle.color_jpeg = {1, 2, 3};
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
    EXPECT_EQ(a.targets[i].format, b.targets[i].format);
  }
  EXPECT_EQ(a.states, b.states);
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
  EXPECT_EQ(b.references[0].color_jpeg, a.references[0].color_jpeg);
  EXPECT_EQ(b.references[0].before, 3u);
  EXPECT_EQ(b.references[1].depth, a.references[1].depth);
  EXPECT_EQ(b.skipped_draws, 2u);
  EXPECT_EQ(b.skipped_triangles, 5u);
  EXPECT_EQ(b.skipped_reasons, a.skipped_reasons);
}

TEST(Bkf, SharedRangesAreStoredAndLoadedOnce) {
  Frame frame = rich_frame();
  const size_t size = bkf_bytes(frame).size();
  const Command draw = frame.commands[1];
  for (int i = 0; i < 100; i++) frame.commands.push_back(draw);
  EXPECT_LT(bkf_bytes(frame).size(), size + 300);
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

// Flipped bits either leave a valid frame or give an error: nothing else may happen (run under sanitizers).
TEST(Bkf, DamagedFilesDoNotCrash) {
  const std::vector<std::byte> file = bkf_bytes(rich_frame());
  std::mt19937 random(1);
  int rejected = 0;
  for (int i = 0; i < 3000; i++) {
    std::vector<std::byte> damaged = file;
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
  // A stream that holds a little, with a header that claims the limit.
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
  const char* pointer;  // JSON pointer of what is changed
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
    {"/commands/1/position/count", "3", "command 1, field 'indices': index 3"},
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
    {"/targets", "[]", "field 'target'"},
    {"/references/0/before", "7", "reference 0, field 'before'"},
    {"/references/0/color/size", "1000000", "reference 0, color, field 'size'"},
    {"/references/1/depth/size", "[4, 4]", "reference 1, field 'depth'"},
    {"/references/1/depth/size", "[16000, 16000]", "reference 1, depth, field 'size'"},
    {"/window/0", "100000", "field 'window'"},
    {"/asset/application", "5", "asset, field 'application'"},
    {"/blob/codec", "\"lz4\"", "field 'blob.codec'"},
    {"/skipped/draws", "-1", "skipped, field 'draws'"},
};

INSTANTIATE_TEST_SUITE_P(All, BadJson, testing::ValuesIn(kBadEdits));

// Whoever prints or copies a value goes down into it: nothing may nest so deep that the stack ends.
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
