// glTF scenes: containers, accessors, nodes, materials, cameras, and mistakes in files.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <glm/geometric.hpp>
#include <nlohmann/json.hpp>

#include "base/file_io.h"
#include "brokkr/drawing_order.h"
#include "brokkr/image.h"
#include "formats/gltf_file.h"

namespace brokkr {
namespace {

namespace fs = std::filesystem;

TEST(Gltf, ChunksDataUrisAndFilesGiveOneScene) {
  File file;
  const Frame glb = read(file.glb());
  EXPECT_EQ(corners(glb), kSquare);
  EXPECT_EQ(glb.normals[0], glm::vec3(0, 0, 1));
  EXPECT_EQ(glb.texcoords[0], glm::vec2(0, 0));  // (0, 1) in a file whose pictures run downwards
  EXPECT_EQ(glb.materials[0].kind, MaterialKind::metallic_roughness);
  EXPECT_EQ(glb.materials[0].metallic, 1);
  EXPECT_TRUE(glb.warnings.empty());
  file.json["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64(file.binary);
  EXPECT_EQ(corners(read(file.json.dump())), kSquare);

  const fs::path folder = fs::temp_directory_path() / ("brokkr-gltf-" + std::to_string(getpid()));
  fs::create_directories(folder / "a b");
  write_text(folder / "a b" / "data.bin", file.binary);
  file.json["buffers"][0]["uri"] = "a%20b/data.bin";
  write_text(folder / "scene.gltf", file.json.dump());
  EXPECT_EQ(corners(read_gltf(folder / "scene.gltf", {})), kSquare);
  for (const char* const name : {"../data.bin", "/etc/passwd", "a b/../../x", "gone.bin"}) {
    file.json["buffers"][0]["uri"] = name;
    write_text(folder / "scene.gltf", file.json.dump());
    EXPECT_THROW(read_gltf(folder / "scene.gltf", {}), std::runtime_error) << name;
  }
  fs::remove_all(folder);
}

TEST(Gltf, StripsFansAndUnindexedTriangles) {
  File file;
  file.primitive()["indices"] = file.add(packed(0x02030100, 4), 5121, 4, "SCALAR");
  file.primitive()["mode"] = 5;
  EXPECT_EQ(corners(read(file.glb())),
            (std::vector<glm::vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}}));
  file.primitive().erase("indices");
  file.primitive()["mode"] = 6;
  EXPECT_EQ(corners(read(file.glb())), kSquare);
  file.primitive().erase("mode");
  EXPECT_EQ(corners(read(file.glb())), (std::vector<glm::vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}));
}

TEST(Gltf, SparseStridedAndQuantizedAccessors) {
  File file;
  file.add(packed(2, 2), 5123, 1, "SCALAR");
  file.add(packed({5, 6, 7}), 5126, 1, "VEC3");
  file.json["accessors"][0]["sparse"] = {
      {"count", 1}, {"indices", {{"bufferView", 4}, {"componentType", 5123}}}, {"values", {{"bufferView", 5}}}};
  EXPECT_EQ(corners(read(file.glb()))[2], glm::vec3(5, 6, 7));

  File small;  // positions as bytes, each with one unused
  small.primitive()["attributes"]["POSITION"] = small.add(
      packed(0xaa000000, 4) + packed(0xaa000001, 4) + packed(0xaa000101, 4) + packed(0xaa0001ff, 4), 5120, 4, "VEC3");
  small.json["bufferViews"][4]["byteStride"] = 4;
  EXPECT_EQ(corners(read(small.glb()))[5], glm::vec3(-1, 1, 0));
  small.json["accessors"][4]["normalized"] = true;
  EXPECT_EQ(corners(read(small.glb()))[1], glm::vec3(1 / 127.0f, 0, 0));
}

TEST(Gltf, NodesPlaceInstancesOfOneMesh) {
  File file;
  file.json["nodes"] = Json::parse(R"([
    {"translation": [10, 0, 0], "children": [1, 2]},
    {"mesh": 0, "rotation": [0, 0, 0.70710678, 0.70710678], "scale": [2, 2, 2]},
    {"mesh": 0, "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,5,1]},
    {"mesh": 0, "translation": [99, 0, 0]}])");
  const Frame frame = read(file.glb());
  ASSERT_EQ(frame.commands.size(), 2u);  // the last node is not in the scene
  EXPECT_EQ(draw(frame, 0).instances, 2u);
  EXPECT_EQ(frame.positions.size(), 4u);
  const std::vector<glm::vec3> all = corners(frame);
  EXPECT_NEAR(glm::length(all[1] - glm::vec3(10, 2, 0)), 0, 1e-5);
  EXPECT_EQ(all[7], glm::vec3(11, 0, 5));
}

TEST(Gltf, NormalsFollowUnevenScalesAndMirrorsTurnTheFront) {
  File file;
  const float h = std::sqrt(0.5f);
  file.primitive()["attributes"]["NORMAL"] = file.add(packed({h, 0, h, h, 0, h, h, 0, h, h, 0, h}), 5126, 4, "VEC3");
  file.json["nodes"] = Json::parse(R"([{"mesh": 0, "scale": [4, 1, 1]}, {"mesh": 0, "scale": [-1, 1, 1]}])");
  file.json["scenes"][0]["nodes"] = {0, 1};
  const Frame frame = read(file.glb());
  ASSERT_EQ(frame.commands.size(), 3u);
  for (size_t i = 0; i < 2; i++) {
    const DrawCommand& d = draw(frame, i);
    const glm::mat3 model(frame.models[d.first_instance]);
    const glm::vec3 seen = glm::normalize(model * frame.normals[d.first_vertex]);
    const glm::vec3 expected = glm::normalize(glm::inverse(glm::transpose(model)) * glm::vec3(h, 0, h));
    EXPECT_NEAR(glm::length(seen - expected), 0, 1e-5) << i;
    EXPECT_EQ(frame.states[d.state].front_face == FrontFace::cw, glm::determinant(model) < 0) << i;
    EXPECT_EQ(frame.states[d.state].cull, CullMode::back);
  }
}

TEST(Gltf, MissingNormalsAreFlat) {
  File file;
  file.primitive()["attributes"].erase("NORMAL");
  const Frame frame = read(file.glb());
  EXPECT_EQ(frame.positions.size(), 6u);
  EXPECT_EQ(frame.normals[5], glm::vec3(0, 0, 1));
  EXPECT_EQ(corners(frame), kSquare);
}

// A 2 x 2 picture as PNG.
std::string png(const std::vector<uint32_t>& pixels) {
  const fs::path path = fs::temp_directory_path() / ("brokkr-gltf-" + std::to_string(getpid()) + ".png");
  write_png(path, 2, 2, pixels);
  const std::vector<std::byte> bytes = read_file(path, 1 << 20);
  fs::remove(path);
  return std::string(as_text(bytes));
}

TEST(Gltf, MaterialsAreRead) {
  File file;
  file.json["images"] = {{{"uri", "data:image/png;base64," + base64(png({0x80112233u, 1, 2, 3}))}}};
  file.json["textures"] = {{{"source", 0}}};
  file.json["materials"] = Json::parse(R"([
    {"name": "gold", "pbrMetallicRoughness": {"baseColorFactor": [1, 0.8, 0.2, 0.5], "metallicFactor": 0.75,
      "roughnessFactor": 0.25, "baseColorTexture": {"index": 0}, "metallicRoughnessTexture": {"index": 0}},
     "normalTexture": {"index": 0, "scale": 0.5}, "emissiveTexture": {"index": 0}, "emissiveFactor": [1, 1, 0.5],
     "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 4}}, "doubleSided": true},
    {"alphaMode": "MASK", "alphaCutoff": 0.25, "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}},
    {"alphaMode": "BLEND", "pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 0.5]},
     "extensions": {"KHR_materials_unlit": {}}}])");
  Json& primitives = file.json["meshes"][0]["primitives"];
  for (const int material : {2, 1, 0}) {
    primitives.push_back(primitives[0]);
    primitives.back()["material"] = material;
  }
  primitives.erase(0);
  const Frame frame = read(file.glb());
  ASSERT_EQ(frame.commands.size(), 4u);
  EXPECT_EQ(frame.positions.size(), 4u);
  const auto material = [&](size_t i) -> const Material& { return frame.materials[draw(frame, i).material]; };
  const auto state = [&](size_t i) -> const State& { return frame.states[draw(frame, i).state]; };
  EXPECT_EQ(material(0).alpha_cutoff, 0.25f);  // blended draws come last
  EXPECT_EQ(state(0).cull, CullMode::back);
  const Material& gold = material(1);
  EXPECT_EQ(gold.diffuse, glm::vec3(1, 0.8f, 0.2f));
  EXPECT_EQ(gold.opacity, 1);
  EXPECT_EQ(gold.metallic, 0.75f);
  EXPECT_EQ(gold.roughness, 0.25f);
  EXPECT_EQ(gold.normal_scale, 0.5f);
  EXPECT_EQ(gold.emission, glm::vec3(4, 4, 2));
  EXPECT_EQ(gold.emission_texture, gold.diffuse_texture);
  EXPECT_EQ(gold.normal_texture, gold.metallic_roughness_texture);
  EXPECT_EQ(state(1).cull, CullMode::none);
  EXPECT_TRUE(frame.textures[size_t(gold.diffuse_texture)].srgb);
  EXPECT_EQ(frame.textures[size_t(gold.diffuse_texture)].texels[0], 0xff112233u);
  EXPECT_FALSE(frame.textures[size_t(gold.normal_texture)].srgb);
  EXPECT_EQ(frame.textures[size_t(material(0).diffuse_texture)].texels[0], 0x80112233u);
  EXPECT_TRUE(state(2).blend.has_value());
  EXPECT_TRUE(material(2).unlit);
}

TEST(Gltf, FirstPerspectiveCameraIsThePreferredOne) {
  File file;
  file.json["cameras"] = Json::parse(R"([{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.5}}])");
  file.json["nodes"].push_back({{"camera", 0}, {"translation", {0.5, 0.5, 3}}});
  file.json["scenes"][0]["nodes"] = {0, 1};
  const Frame frame = read(file.glb(), {.width = 64, .height = 64});
  EXPECT_EQ(frame.views[0].eye, glm::vec3(0.5f, 0.5f, 3));
  const glm::vec4 corner = frame.views[0].view_projection * glm::vec4(1, 1, 0, 1);
  EXPECT_NEAR(corner.y / corner.w, 0.5 / 3 / std::tan(0.5), 1e-5);
  EXPECT_EQ(read(file.glb(), {.camera = "eye=9,9,9"}).views[0].eye, glm::vec3(9));
}

// Textures 0 .. 2 with the same picture; 1 and 2 have samplers.
void add_textures(File& file) {
  file.json["images"] = {{{"uri", "data:image/png;base64," + base64(png({0x80112233u, 1, 2, 3}))}}};
  file.json["samplers"] =
      Json::parse(R"([{"wrapS": 33071, "wrapT": 33648, "magFilter": 9728, "minFilter": 9985}, {}])");
  file.json["textures"] = Json::parse(R"([{"source": 0}, {"source": 0, "sampler": 0}, {"source": 0, "sampler": 1}])");
}

TEST(Gltf, SamplersAreRead) {
  File file;
  add_textures(file);
  file.json["materials"] = Json::parse(R"([{"pbrMetallicRoughness": {"baseColorTexture": {"index": 1},
    "metallicRoughnessTexture": {"index": 0}}, "normalTexture": {"index": 2}}])");
  file.primitive()["material"] = 0;
  const Frame frame = read(file.glb());
  const Material& material = frame.materials[0];
  EXPECT_EQ(frame.textures[size_t(material.diffuse_texture)].sampler,
            (Sampler{Wrap::clamp_to_edge, Wrap::mirrored_repeat, MipFilter::nearest, false, true}));
  EXPECT_EQ(frame.textures[size_t(material.metallic_roughness_texture)].sampler, Sampler{});
  EXPECT_EQ(frame.textures[size_t(material.normal_texture)].sampler, Sampler{});
  const std::array<Sampler, 6> filters = {{{.mip = MipFilter::none, .minify_linear = false},
                                           {.mip = MipFilter::none},
                                           {.mip = MipFilter::nearest, .minify_linear = false},
                                           {.mip = MipFilter::nearest},
                                           {.mip = MipFilter::linear, .minify_linear = false},
                                           {}}};
  const std::array<int, 6> numbers = {9728, 9729, 9984, 9985, 9986, 9987};
  for (size_t i = 0; i < filters.size(); i++) {
    file.json["samplers"][0] = {{"minFilter", numbers[i]}};
    EXPECT_EQ(read(file.glb()).textures[0].sampler, filters[i]) << numbers[i];
  }
  for (const char* const field : {"minFilter", "magFilter", "wrapS", "wrapT"}) {
    file.json["samplers"][0] = {{field, 9999}};
    EXPECT_TRUE(warns(read(file.glb()), std::string("samplers 0, field '") + field));
  }
}

// The position in the picture, whose rows run downwards, of a texture's coordinates (u, v) in the file.
glm::vec2 placed(const TextureMapping& mapping, const glm::vec2& uv) {
  const glm::vec2 at = mapping.linear * glm::vec2(uv.x, 1 - uv.y) + mapping.offset;
  return {at.x, 1 - at.y};
}

TEST(Gltf, TexturesAreMovedAndHaveTwoSetsOfCoordinates) {
  File file;
  add_textures(file);
  file.primitive()["attributes"]["TEXCOORD_1"] = file.add(packed({0, 0, 2, 0, 2, 4, 0, 4}), 5126, 4, "VEC2");
  // The first mapping is the specification's example: a quarter of the picture at its lower left, turned.
  file.json["materials"] = Json::parse(R"([{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0, "texCoord": 1,
    "extensions": {"KHR_texture_transform": {"offset": [0, 1], "rotation": 1.57079632679, "scale": [0.5, 0.5]}}}},
    "normalTexture": {"index": 0, "extensions": {"KHR_texture_transform": {"offset": [0.25, -3], "scale": [2, 8],
      "texCoord": 1}}}, "occlusionTexture": {"index": 0, "strength": 0.25}}])");
  file.primitive()["material"] = 0;
  const Frame frame = read(file.glb());
  const Material& m = frame.materials[0];
  const auto expect_at = [](const glm::vec2& at, const glm::vec2& expected) {
    EXPECT_NEAR(at.x, expected.x, 1e-6);
    EXPECT_NEAR(at.y, expected.y, 1e-6);
  };
  expect_at(placed(m.diffuse_mapping, {0, 0}), {0, 1});
  expect_at(placed(m.diffuse_mapping, {1, 0}), {0, 0.5});
  expect_at(placed(m.diffuse_mapping, {0, 1}), {0.5, 1});
  expect_at(placed(m.normal_mapping, {0.5, 0.25}), {1.25, -1});
  EXPECT_EQ(m.diffuse_mapping.set, 1u);
  EXPECT_EQ(m.normal_mapping.set, 1u);
  EXPECT_EQ(m.occlusion_mapping, TextureMapping{});
  EXPECT_EQ(m.occlusion_strength, 0.25f);
  EXPECT_GE(m.occlusion_texture, 0);
  ASSERT_EQ(frame.second_texcoords.size(), frame.positions.size());
  EXPECT_EQ(frame.second_texcoords[2], glm::vec2(2, -3));
  EXPECT_TRUE(frame.warnings.empty());
  // A file may name a set of coordinates that its vertices do not have.
  file.primitive()["attributes"].erase("TEXCOORD_1");
  EXPECT_EQ(read(file.glb()).second_texcoords, std::vector<glm::vec2>(4, glm::vec2(0)));
}

TEST(Gltf, VerticesHaveColours) {
  File file;
  file.json["materials"] = Json::parse(R"([{}, {"alphaMode": "BLEND"}])");
  Json& primitives = file.json["meshes"][0]["primitives"];
  const size_t bytes =
      file.add(packed(0x80ff0000, 4) + packed(0x40000033, 4) + packed(0, 4) + packed(~0u, 4), 5121, 4, "VEC4");
  file.json["accessors"][bytes]["normalized"] = true;
  const size_t floats = file.add(packed({0.5f, 0, 2, -1, 0.25f, NAN, 0, 0, 0, 1, 1, 1}), 5126, 4, "VEC3");
  for (const size_t color : {bytes, floats}) {
    primitives.push_back(primitives[0]);
    primitives.back()["attributes"]["COLOR_0"] = color;
    primitives.back()["material"] = color == bytes ? 1 : 0;
  }
  const Frame frame = read(file.glb());
  ASSERT_EQ(frame.colors.size(), 12u);
  EXPECT_EQ(frame.colors[3], glm::vec4(1));  // the first primitive has none
  EXPECT_EQ(frame.colors[4], glm::vec4(0, 0, 1, 128 / 255.0f));
  EXPECT_EQ(frame.colors[5], glm::vec4(0.2f, 0, 0, 64 / 255.0f));
  EXPECT_EQ(frame.colors[8], glm::vec4(0.5f, 0, 1, 1));
  EXPECT_EQ(frame.colors[9], glm::vec4(0, 0.25f, 0, 1));
  EXPECT_TRUE(frame.warnings.empty());
  // An opaque surface ignores alpha; flat faces and scaled copies keep their colours.
  primitives[1]["material"] = 0;
  primitives[1]["attributes"].erase("NORMAL");
  EXPECT_EQ(read(file.glb()).colors[4 + 1], glm::vec4(0.2f, 0, 0, 1));
  file.json["nodes"][0]["scale"] = {4, 1, 1};
  const Frame scaled = read(file.glb());
  EXPECT_EQ(scaled.colors.size(), scaled.positions.size());
  EXPECT_EQ(std::count(scaled.colors.begin(), scaled.colors.end(), glm::vec4(0.5f, 0, 1, 1)), 2);
  file.json["accessors"][floats]["count"] = 3;
  EXPECT_TRUE(warns(read(file.glb()), "COLOR_0"));
}

TEST(Gltf, WhatIsLeftOutIsNamed) {
  File file;
  add_textures(file);
  file.json["materials"] = Json::parse(R"([{"normalTexture": {"index": 0, "texCoord": 2}}])");
  file.primitive()["material"] = 0;
  file.json["meshes"][0]["primitives"].push_back({{"attributes", {{"POSITION", 0}}}, {"mode", 0}});
  file.json["animations"] = Json::parse("[{}]");
  file.json["extensionsUsed"] = {"KHR_texture_transform", "KHR_materials_clearcoat", "KHR_materials_ior"};
  file.json["extensionsRequired"] = {"KHR_texture_transform", "KHR_materials_ior"};
  file.json["nodes"][0]["skin"] = 0;
  const Frame frame = read(file.glb());
  EXPECT_EQ(frame.warnings.size(), 5u);
  for (const char* const word :
       {"TEXCOORD_2", "animations", ": KHR_materials_clearcoat", "skin", "KHR_materials_ior is required"}) {
    EXPECT_TRUE(warns(frame, word)) << word;
  }
}

// Each file is drawn, and its warning contains the word.
TEST(Gltf, MistakesAreDrawnAround) {
  const std::vector<std::tuple<const char*, Json, const char*>> mistakes = {
      {"/buffers/0/byteLength", 141, "byteLength"},
      {"/accessors/1/count", 3, "NORMAL"},
      {"/accessors/2/type", "SCALAR", "primitive is left out"},
      {"/meshes/0/primitives/0/material", 1, "material"},
      {"/nodes/0/children", {0}, "is a child of itself"},
      {"/scenes/0/nodes", {0, 0}, "is there twice"},
      {"/scenes/0/nodes", {0, 7}, "7 is not among"},
      {"/scene", 3, "the first is drawn"},
      {"/scene", "main", "the first scene is drawn"},
      {"/asset/version", 2.0, "drawn as glTF 2.0"},
      {"/asset", nullptr, "drawn as glTF 2.0"},
      {"/extensionsRequired", {"KHR_texture_basisu"}, "KHR_texture_basisu is required"},
      {"/meshes/0/primitives/1", {{"attributes", {{"POSITION", 9}}}}, "primitive is left out"},
  };
  for (const auto& [pointer, value, word] : mistakes) {
    File file;
    if (std::string_view(word) == "primitive is left out") {
      file.json["meshes"][0]["primitives"].push_back({{"attributes", {{"POSITION", 0}}}});
    }
    file.json[Json::json_pointer(pointer)] = value;
    const Frame frame = read(file.glb());
    EXPECT_GE(triangle_count(frame), 1u) << pointer;
    EXPECT_TRUE(warns(frame, word)) << pointer << ": " << (frame.warnings.empty() ? "nothing" : frame.warnings[0]);
  }
}

TEST(Gltf, TrianglesWithoutUsableVerticesAreLeftOut) {
  File file;
  file.binary = packed({0, 0, 0, 1, 0, 0, 1, 1, 0, NAN, 1, 0}) + file.binary.substr(48);
  const Frame frame = read(file.glb());
  EXPECT_EQ(triangle_count(frame), 1u);
  EXPECT_TRUE(warns(frame, "not finite"));
  File indices;
  indices.binary[138] = 9;  // the last index
  EXPECT_EQ(triangle_count(read(indices.glb())), 1u);
  EXPECT_TRUE(warns(read(indices.glb()), "vertex 9 is not among the 4"));
}

TEST(Gltf, ContainersAsProgramsWriteThem) {
  File file;
  const std::vector<glm::vec3> plain = corners(read(file.glb()));
  std::string padded = file.glb();
  padded.replace(8, 4, packed(padded.size() + 4, 4));
  EXPECT_EQ(corners(read(padded)), plain);
  EXPECT_TRUE(warns(read(padded), "field 'header'"));
  for (const size_t length : {size_t(0), file.glb().size() - 4, file.glb().size() - 40}) {
    std::string other = file.glb();
    other.replace(8, 4, packed(length, 4));
    EXPECT_EQ(corners(read(other)), plain) << length;
    EXPECT_TRUE(warns(read(other), "field 'header'")) << length;
  }
  std::string data = base64(file.binary);
  for (size_t i = 40; i < data.size(); i += 41) data.insert(i, i % 2 == 0 ? "\n" : "\r\n");
  for (const char* const kind : {"data:application/octet-stream;base64,", "DATA:application/gltf-buffer;BASE64,"}) {
    file.json["buffers"][0]["uri"] = std::string(kind) + data;
    EXPECT_EQ(corners(read(file.json.dump())), plain) << kind;
  }
  EXPECT_EQ(corners(read("\xef\xbb\xbf" + file.json.dump())), plain);
  std::string percent;
  for (const char c : file.binary) percent += fmt::format("%{:02x}", uint8_t(c));
  file.json["buffers"][0]["uri"] = "data:," + percent;
  EXPECT_EQ(corners(read(file.json.dump())), plain);
}

TEST(Gltf, MorphTargetsSkinsAndInstancesOfTheFileArePosed) {
  File morphed;
  const size_t up = morphed.add(packed({0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2}), 5126, 4, "VEC3");
  morphed.primitive()["targets"] = {{{"POSITION", up}}};
  morphed.json["meshes"][0]["weights"] = {0.5};
  EXPECT_EQ(corners(read(morphed.glb()))[2], glm::vec3(1, 1, 1));
  EXPECT_TRUE(read(morphed.glb()).warnings.empty());
  morphed.json["nodes"][0]["weights"] = {0.25};  // the node's weights come first
  EXPECT_EQ(corners(read(morphed.glb()))[2], glm::vec3(1, 1, 0.5f));

  File skinned;
  const size_t joints = skinned.add(std::string("\0\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0", 16), 5121, 4, "VEC4");
  const size_t weights = skinned.add(packed({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}), 5126, 4, "VEC4");
  const size_t inverse = skinned.add(packed({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0,  0, 0, 1,  //
                                             1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 1}),
                                     5126, 2, "MAT4");
  skinned.primitive()["attributes"]["JOINTS_0"] = joints;
  skinned.primitive()["attributes"]["WEIGHTS_0"] = weights;
  skinned.json["skins"] = {{{"joints", {1, 2}}, {"inverseBindMatrices", inverse}}};
  skinned.json["nodes"] = Json::parse(
      R"([{"mesh": 0, "skin": 0, "translation": [5, 5, 5]}, {"children": [2]}, {"translation": [1, 0, 3]}])");
  skinned.json["scenes"][0]["nodes"] = {0, 1};
  // The first and last vertex stay. The others follow the second joint, which was bound at (1, 0, 0), 3 up.
  const Frame posed = read(skinned.glb());
  EXPECT_EQ(corners(posed), (std::vector<glm::vec3>{{0, 0, 0}, {1, 0, 3}, {1, 1, 3}, {0, 0, 0}, {1, 1, 3}, {0, 1, 0}}));
  EXPECT_EQ(posed.normals[1], glm::vec3(0, 0, 1));
  EXPECT_TRUE(posed.warnings.empty());

  File several;
  const size_t places = several.add(packed({0, 0, 0, 3, 0, 0}), 5126, 2, "VEC3");
  several.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["TRANSLATION"] = places;
  const Frame frame = read(several.glb());
  EXPECT_EQ(draw(frame, 0).instances, 2u);
  EXPECT_EQ(corners(frame)[7], glm::vec3(4, 0, 0));
}

TEST(Gltf, JsonAsPeopleWriteIt) {
  File file;
  file.json["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64(file.binary);
  file.json["extras"] = R"(http://a.b/*c*/, ] \" //)";
  const std::string text = file.json.dump();
  EXPECT_TRUE(read(text).warnings.empty());
  const std::string open = text.substr(1, text.size() - 2);
  for (const std::string& one : {"// by hand\n{" + open + "}", "{" + open + ", /* the last */ }  // end",
                                 "{/* a, */" + open + ",\n\t}\n", "{\"extras\": [1, [2, ], ], " + open + "}"}) {
    const Frame frame = read(one);
    EXPECT_EQ(corners(frame).size(), 6u) << one;
    EXPECT_TRUE(warns(frame, "it has comments, or commas behind the last element")) << one;
  }
  const Frame twice = read("{\"nodes\": [], " + open + ", \"nodes\": [{\"mesh\": 0}]}");
  EXPECT_EQ(corners(twice).size(), 6u);
  EXPECT_TRUE(warns(twice, "'nodes' is twice in one object; the last counts"));
  for (const std::string bad : {"{\"a\": 1,, }", "{\"a\" /* ", "/", "{\"a\": \"", "{'a': 1}", "{\"a\": 01}"})
    EXPECT_NE(error_of(bad).find("field 'JSON'"), std::string::npos) << bad << error_of(bad);
}

TEST(Gltf, FilesThatEndEarly) {
  File file;
  const std::string whole = file.glb();
  // The last of six 16-bit indices is gone.
  const Frame frame = read(whole.substr(0, whole.size() - 2));
  EXPECT_EQ(corners(frame).size(), 3u);
  EXPECT_TRUE(warns(frame, "6 elements do not fit its buffer view; the first 5 are drawn"));
  EXPECT_NE(error_of(whole.substr(0, whole.size() - 12)).find("do not fit"), std::string::npos);
}

TEST(Gltf, DataWithBlanksAndTextsOfOtherEncodings) {
  File file;
  for (const char* const head : {"data:application/octet-stream; base64,", " \ndata:;base64,", "Data: ; Base64 ,"}) {
    file.json["buffers"][0]["uri"] = head + base64(file.binary);
    EXPECT_EQ(corners(read(file.json.dump())).size(), 6u) << head;
  }
  EXPECT_NE(error_of(std::string("\xff\xfe{\0}\0", 6)).find("UTF-16"), std::string::npos);
  const std::string message = error_of("{\"a\": \xe9}");
  EXPECT_TRUE(std::ranges::all_of(message, [](char c) { return c >= ' ' && c <= '~'; })) << message;
}

TEST(Gltf, WhatIsBlendedIsSortedForEachView) {
  File file;
  file.json["materials"] = Json::parse(R"([{"name": "a", "alphaMode": "BLEND"}, {"name": "b", "alphaMode": "BLEND"}])");
  file.json["meshes"].push_back(file.json["meshes"][0]);
  file.json["meshes"][0]["primitives"][0]["material"] = 0;
  file.json["meshes"][1]["primitives"][0]["material"] = 1;
  file.json["nodes"] =
      Json::parse(R"([{"mesh": 0, "translation": [0, 0, 2]}, {"mesh": 1, "translation": [0, 0, -2]}])");
  file.json["scenes"][0]["nodes"] = {0, 1};
  LoadOptions options;
  options.views = 2;
  options.camera = "eye=0,0,20 target=0,0,0";
  const Frame frame = read(file.glb(), options);
  std::string order;
  for (size_t i = 0; i + 1 < frame.commands.size(); i++) {
    const DrawCommand& d = draw(frame, i);
    order += fmt::format("{}{} ", d.first_view, frame.materials[d.material].name);
    EXPECT_EQ(d.flags, kBackToFront);
  }
  EXPECT_EQ(order, "0b 0a 1a 1b ");  // from the front, then from behind
}

TEST(Gltf, SpecularGlossinessLightsAndOrthographicCameras) {
  File file;
  file.json["materials"] = Json::parse(R"([{"extensions": {"KHR_materials_pbrSpecularGlossiness":
      {"diffuseFactor": [0.5, 0.25, 0, 1], "specularFactor": [0.02, 0.02, 0.02], "glossinessFactor": 0.25}}}])");
  file.primitive()["material"] = 0;
  file.json["nodes"].push_back(Json::parse(
      R"({"rotation": [0, 0.70710678, 0, 0.70710678], "extensions": {"KHR_lights_punctual": {"light": 0}}})"));
  file.json["nodes"].push_back({{"camera", 0}, {"translation", {0.5, 0.5, 4}}});
  file.json["cameras"] = Json::parse(R"([{"type": "orthographic", "orthographic": {"xmag": 2, "ymag": 2, "znear": 1,
      "zfar": 9}}])");
  file.json["extensions"]["KHR_lights_punctual"]["lights"] = {{{"type", "directional"}}};
  file.json["scenes"][0]["nodes"] = {0, 1, 2};
  LoadOptions options;
  options.width = options.height = 100;
  const Frame frame = read(file.glb(), options);
  EXPECT_EQ(frame.materials[0].diffuse, glm::vec3(0.5f, 0.25f, 0));
  EXPECT_EQ(frame.materials[0].roughness, 0.75f);
  EXPECT_EQ(frame.materials[0].metallic, 0);
  EXPECT_NEAR(frame.light_direction.x, 1, 1e-6);
  EXPECT_TRUE(warns(frame, "lights"));
  EXPECT_TRUE(warns(frame, "orthographic"));
  // A square of 1 in a picture of 4 is half a clip unit wide.
  const auto clip = [&](const glm::vec3& p) {
    const glm::vec4 c = frame.views[0].view_projection * glm::vec4(p, 1);
    return c.x / c.w;
  };
  EXPECT_NEAR(clip({1, 0, 0}) - clip({0, 0, 0}), 0.5, 1e-3);
}

TEST(Gltf, MistakesAreNamed) {
  const std::string good = File().glb();
  const auto with = [](const char* pointer, const Json& value) {
    File file;
    file.json[Json::json_pointer(pointer)] = value;
    return file.glb();
  };
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"", "field 'JSON': it is empty"},
      {" \n", "field 'JSON': it is empty"},
      {"glTF", "header"},
      {good.substr(0, good.size() - 12), "bufferViews 3"},
      {good.substr(0, 100), "ends in its JSON"},
      {"[" + std::string(200, '['), "deep"},
      {"[]", "not an object"},
      {with("/asset/version", "1.0"), "version"},
      {with("/buffers/0/uri", "no.bin"), "no.bin"},
      {with("/buffers/0/uri", "data:;base64,*"), "base64"},
      {with("/bufferViews/0/byteOffset", 1e15), "bufferViews 0"},
      {with("/bufferViews/0/byteStride", 4), "stride"},
      {with("/accessors/0/count", 5), "accessors 0"},
      {with("/accessors/0/count", 4294967295u), "accessors 0"},
      {with("/accessors/0/count", -1), "accessors 0"},
      {with("/accessors/0/byteOffset", 9007199254740992.0), "accessors 0"},
      {with("/accessors/0/type", "MAT2"), "type"},
      {with("/accessors/0/componentType", 5130), "componentType"},
      {with("/accessors/3/componentType", 5126), "indices"},
      {with("/accessors/0/sparse", {{"count", 9}}), "sparse"},
      {with("/meshes/0/primitives/0/attributes/POSITION", 9), "POSITION"},
      {with("/meshes/0/primitives/0/mode", 9), "mode"},
      {with("/nodes/0/mesh", 7), "shows nothing that can be drawn"},
      {with("/nodes/0/mesh", 1), "mesh"},
      {with("/nodes/0/scale", {1e30, 1, 1}), "nodes 0"},
      {with("/scenes/0/nodes", {7}), "7 is not among"},
  };
  for (size_t i = 0; i < mistakes.size(); i++) {
    const auto& [file, word] = mistakes[i];
    const std::string error = error_of(file);
    EXPECT_NE(error.find(word), std::string::npos) << i << ": " << error << " has no '" << word << "'";
    EXPECT_TRUE(error.starts_with("test.glb: ")) << error;
  }
}

// A node that is listed twice is named where it is listed the second time, with the place of the first.
TEST(Gltf, NodesThatAreListedTwiceAreNamedWhereTheyAre) {
  struct Case {
    const char *nodes, *roots, *error;
  };
  const Case cases[] = {
      {R"([{"children": [1, 1]}, {}])", "[0]", "nodes 0, field 'children': node 1 is there twice"},
      {R"([{"children": [1]}, {}])", "[0, 1]", "nodes 0, field 'children': node 1 is in the scene's own list"},
      {R"([{"children": [1]}, {}])", "[1, 0]", "nodes 0, field 'children': node 1 is in the scene's own list"},
      {R"([{"children": [2]}, {"children": [2]}, {}])", "[0, 1]",
       "nodes 1, field 'children': node 2 is a child of node 0 as well"},
      {R"([{"children": [1]}, {"children": [2]}, {"children": [1]}])", "[0]",
       "nodes 2, field 'children': node 1 is a child of node 0 as well"},
      {R"([{"children": [1]}, {"children": [1]}])", "[0]", "nodes 1, field 'children': node 1 is a child of itself"},
      {R"([{}, {}, {}])", "[2, 0, 1, 0]", "scenes 0, field 'nodes': node 0 is there twice"},
      {R"([{"children": [9]}])", "[0]", "nodes 0, field 'children': 9 is not among"},
  };
  for (const Case& one : cases) {
    File file;
    file.json["nodes"] = Json::parse(one.nodes);
    file.json["scenes"][0]["nodes"] = Json::parse(one.roots);
    const std::string error = error_of(file.glb());
    EXPECT_NE(error.find(one.error), std::string::npos) << error << " has no '" << one.error << "'";
  }
}

TEST(Gltf, ControlCharactersInNamesOfFilesAreRefused) {
  for (const std::string& uri : std::vector<std::string>{"x%00/../../etc/passwd", "a%0ab.bin", std::string("a\0b", 3),
                                                         "%1b[31m.bin", "a\tb", "%7f", "%00"}) {
    File file;
    file.json["buffers"][0]["uri"] = uri;
    const std::string error = error_of(file.glb());
    EXPECT_NE(error.find("buffers 0, field 'uri': it has a control character"), std::string::npos) << error;
  }
}

// Many meshes over the same bytes cannot make the program allocate memory out of proportion to the file.
TEST(Gltf, ReadingTheSameBytesAgainAndAgainEnds) {
  File file;
  for (int i = 0; i < 8; i++) file.binary += file.binary;
  file.json["buffers"][0]["byteLength"] = file.binary.size();
  file.json["bufferViews"][0] = {{"buffer", 0}, {"byteLength", file.binary.size()}};
  file.json["accessors"] = Json::array();
  file.json["meshes"][0]["primitives"] = Json::array();
  for (int i = 0; i < 400; i++) {
    file.json["accessors"].push_back(
        {{"bufferView", 0}, {"componentType", 5121}, {"count", file.binary.size() / 3}, {"type", "VEC3"}});
    file.json["meshes"][0]["primitives"].push_back({{"attributes", {{"POSITION", i}}}});
  }
  EXPECT_NE(error_of(file.glb()).find("again and again"), std::string::npos) << error_of(file.glb());
}

}  // namespace
}  // namespace brokkr
