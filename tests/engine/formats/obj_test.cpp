// OBJ scenes: geometry, materials, textures, and mistakes in files.
#include "formats/obj.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <glm/geometric.hpp>
#include <map>
#include <numbers>

#include "base/file_io.h"
#include "brokkr/image.h"

namespace brokkr {
namespace {

namespace fs = std::filesystem;

// Files in memory; all other files are missing.
using Files = std::map<std::string, std::string>;

std::vector<std::byte> to_bytes(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

Frame read(const std::string& obj, const Files& files = {}, const LoadOptions& options = {}) {
  const ResourceReader resources = [&](const std::string& name, Loading&) {
    const auto found = files.find(name);
    if (found == files.end()) throw MissingResource("'" + name + "' is missing; put it there");
    return to_bytes(found->second);
  };
  return read_obj(obj, "test.obj", resources, options);
}

std::string error_of(const std::string& obj, const Files& files = {}) {
  try {
    read(obj, files);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

// A 2 x 2 picture as PNG.
std::string png(const std::vector<uint32_t>& pixels, bool opaque) {
  const fs::path path = fs::temp_directory_path() / ("brokkr-obj-" + std::to_string(getpid()) + ".png");
  write_png(path, 2, 2, pixels, opaque);
  const std::vector<std::byte> bytes = read_file(path, 1 << 20);
  fs::remove(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const DrawCommand& draw_of(const Frame& frame, size_t number) {
  return std::get<DrawCommand>(frame.commands[number + 1]);
}

const std::string kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(Obj, CubeHasFlatNormalsAndSharedCorners) {
  const Frame frame = read(
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
      "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  EXPECT_EQ(triangle_count(frame), 12u);
  EXPECT_EQ(frame.positions.size(), 24u);  // each corner has three normals
  for (size_t i = 0; i < frame.indices.size(); i += 3) {
    const glm::vec3 a(frame.positions[frame.indices[i]]), b(frame.positions[frame.indices[i + 1]]);
    const glm::vec3 c(frame.positions[frame.indices[i + 2]]);
    const glm::vec3 normal = glm::normalize(glm::cross(b - a, c - a));
    for (size_t k = 0; k < 3; k++) {
      EXPECT_NEAR(glm::length(frame.normals[frame.indices[i + k]] - normal), 0, 1e-6f);
    }
    EXPECT_GT(glm::dot(normal, (a + b + c) / 3.0f - glm::vec3(0.5f)), 0);
  }
}

TEST(Obj, CurvedSurfacesAreSmooth) {
  std::string obj;
  constexpr int kSides = 24;
  for (int i = 0; i < kSides; i++) {
    const double angle = 2 * std::numbers::pi * i / kSides;
    for (int z : {0, 1}) {
      obj += "v " + std::to_string(std::cos(angle)) + " " + std::to_string(std::sin(angle)) + " " + std::to_string(z) +
             "\n";
    }
  }
  for (int i = 0; i < kSides; i++) {
    const int a = 2 * i + 1, b = 2 * ((i + 1) % kSides) + 1;
    obj += "f " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(b + 1) + " " +
           std::to_string(a + 1) + "\n";
  }
  const Frame frame = read(obj);
  EXPECT_EQ(frame.positions.size(), size_t(2 * kSides));
  for (size_t i = 0; i < frame.positions.size(); i++) {
    const glm::vec3 outward(frame.positions[i].x, frame.positions[i].y, 0);
    EXPECT_GT(glm::dot(frame.normals[i], glm::normalize(outward)), 0.99f);
  }
}

TEST(Obj, GivenNormalsAndTextureCoordinatesAreKept) {
  const Frame frame = read(kSquare + "vt 0.25 0.75\nvt 2 -1\nvn 0 0 2\nvn 0 3 4\nf 1/1/1 2/2/2 3/-2/-2\n");
  ASSERT_EQ(frame.positions.size(), 3u);
  EXPECT_EQ(frame.texcoords[0], glm::vec2(0.25f, 0.75f));
  EXPECT_EQ(frame.texcoords[1], glm::vec2(2, -1));
  EXPECT_EQ(frame.texcoords[2], glm::vec2(0.25f, 0.75f));
  EXPECT_NEAR(glm::length(frame.normals[0] - glm::vec3(0, 0, 1)), 0, 1e-6f);
  EXPECT_NEAR(glm::length(frame.normals[1] - glm::vec3(0, 0.6f, 0.8f)), 0, 1e-6f);
  EXPECT_EQ(read(kSquare + "f 1 2 3\n").texcoords[0], glm::vec2(0));
}

// Triangles of a polygon are n - 2, all of its orientation, and cover exactly its area.
TEST(Obj, PolygonsAreTriangulated) {
  const std::vector<std::vector<glm::vec2>> polygons = {
      {{0, 0}, {1, 0}, {1, 1}, {0, 1}},
      {{0, 0}, {4, 0}, {4, 4}, {2, 1}, {0, 4}},                          // one reflex corner
      {{0, 0}, {3, 0}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}},  // U
      {{0, 0}, {2, 0}, {4, 0}, {4, 1}, {2, 1}, {0, 1}},                  // corners in a row
      {{0, 3}, {-1, 1}, {-3, 1}, {-1.2f, -0.5f}, {-2, -3}, {0, -1.2f}, {2, -3}, {1.2f, -0.5f}, {3, 1}, {1, 1}},
  };
  const auto area = [](const glm::vec3& a, const glm::vec3& b, const glm::vec3& c, const glm::vec3& up) {
    return 0.5f * glm::dot(glm::cross(b - a, c - a), up);
  };
  const glm::vec3 axes[][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                               {{0, 1, 0}, {1, 0, 0}, {0, 0, -1}},
                               {{0, 0.6f, 0.8f}, {0, -0.8f, 0.6f}, {1, 0, 0}}};
  for (const auto& polygon : polygons) {
    for (const auto& [right, up, normal] : axes) {
      std::vector<glm::vec3> corners;
      float expected = 0;
      for (size_t i = 0; i < polygon.size(); i++) {
        const glm::vec2 a = polygon[i], b = polygon[(i + 1) % polygon.size()];
        corners.push_back(a.x * right + a.y * up);
        expected += 0.5f * (a.x * b.y - b.x * a.y);
      }
      std::vector<std::array<uint32_t, 3>> triangles;
      triangulate(corners, triangles);
      ASSERT_EQ(triangles.size(), polygon.size() - 2);
      float total = 0;
      for (const auto& [a, b, c] : triangles) {
        const float part = area(corners[a], corners[b], corners[c], normal);
        EXPECT_GE(part, -1e-5f);
        total += part;
      }
      EXPECT_NEAR(total, expected, 1e-4f);
    }
  }
}

TEST(Obj, MaterialsBecomeDraws) {
  const Files files = {
      {"a.mtl",
       "newmtl glass\nKd 0.1 0.2 0.3\nd 0.25\nnewmtl stone\nKd 0.5 0.6 0.7\nKs 0.1 0.1 0.1\nKe 1 0 0\nNs 40\n"
       "newmtl unused\nmap_Kd nowhere.png\n"}};
  const Frame frame =
      read("mtllib a.mtl\n" + kSquare + "usemtl glass\nf 1 2 3\nusemtl stone\nf 1 3 4\nf 2 3 4\n", files);
  ASSERT_EQ(frame.commands.size(), 3u);
  const DrawCommand &first = draw_of(frame, 0), &second = draw_of(frame, 1);
  EXPECT_EQ(first.label, "stone");
  EXPECT_EQ(first.element_count, 6u);
  const Material& stone = frame.materials[first.material];
  EXPECT_EQ(stone.kind, MaterialKind::blinn_phong);
  EXPECT_EQ(stone.diffuse, glm::vec3(0.5f, 0.6f, 0.7f));
  EXPECT_EQ(stone.emission, glm::vec3(1, 0, 0));
  EXPECT_EQ(stone.shininess, 40);
  EXPECT_FALSE(frame.states[first.state].blend.has_value());
  EXPECT_TRUE(frame.states[first.state].depth.write);
  EXPECT_EQ(second.label, "glass");  // blended draws come last
  EXPECT_EQ(frame.materials[second.material].opacity, 0.25f);
  EXPECT_TRUE(frame.states[second.state].blend.has_value());
  EXPECT_FALSE(frame.states[second.state].depth.write);
}

TEST(Obj, TexturesAndMasks) {
  const std::vector<uint32_t> cut = {0xff0000ffu, 0x0000ff00u, 0xffff0000u, 0xffffffffu};
  const Files files = {{"a.mtl",
                        "newmtl leaf\nmap_Kd leaf.png\nnewmtl wall\nmap_Kd wall.png\nnewmtl mask\nmap_d leaf.png\n"
                        "newmtl pane\nd 0.5\nmap_Kd leaf.png\n"},
                       {"leaf.png", png(cut, false)},
                       {"wall.png", png(cut, true)}};
  const Frame frame =
      read("mtllib a.mtl\n" + kSquare +
               "usemtl leaf\nf 1 2 3\nusemtl wall\nf 1 2 3\nusemtl mask\nf 1 2 3\nusemtl pane\nf 1 2 3\n",
           files);
  ASSERT_EQ(frame.textures.size(), 3u);  // the reader loads leaf.png once as a picture and once as a mask
  const auto material = [&](size_t number) { return frame.materials[draw_of(frame, number).material]; };
  EXPECT_EQ(material(0).alpha_cutoff, 0.5f);
  EXPECT_EQ(material(1).alpha_cutoff, 0);
  EXPECT_EQ(material(2).alpha_cutoff, 0.5f);
  EXPECT_EQ(material(3).alpha_cutoff, 0);
  EXPECT_EQ(material(0).diffuse_texture, material(3).diffuse_texture);
  EXPECT_EQ(frame.textures[size_t(material(0).diffuse_texture)].texels, cut);
  EXPECT_TRUE(frame.textures[size_t(material(0).diffuse_texture)].srgb);
  const Texture& mask = frame.textures[size_t(material(2).alpha_texture)];
  EXPECT_FALSE(mask.srgb);
  EXPECT_EQ(mask.texels, (std::vector<uint32_t>{0xffffffffu, 0, 0xffffffffu, 0xffffffffu}));
}

TEST(Obj, SeveralViewsAndCameras) {
  LoadOptions options;
  options.views = 12;
  const Frame frame = read(kSquare + "f 1 2 3 4\n", {}, options);
  EXPECT_EQ(frame.targets[0].layers, 12);
  EXPECT_EQ(frame.targets[0].width, 128);
  EXPECT_EQ(draw_of(frame, 0).view_count, 12u);
  options.views = 1;
  options.camera = "eye=0,0,9";
  EXPECT_EQ(read(kSquare + "f 1 2 3 4\n", {}, options).views[0].eye, glm::vec3(0, 0, 9));
  options.camera = "eye=here";
  EXPECT_THROW(read(kSquare + "f 1 2 3 4\n", {}, options), std::runtime_error);
}

TEST(Obj, WhatIsMissingIsAWarning) {
  const Files files = {{"a.mtl", "newmtl a\nKd 1 0 0\nmap_Kd gone.png\nmap_d gone.png\nnewmtl b\nmap_Kd gone.png\n"}};
  std::vector<std::string> warnings;
  LoadOptions options;
  options.warning = [&](const std::string& text) { warnings.push_back(text); };
  const Frame frame = read("mtllib a.mtl\n" + kSquare + "usemtl a\nf 1 2 3\nusemtl b\nf 1 2 3\n", files, options);
  EXPECT_EQ(warnings, std::vector<std::string>{
                          "test.obj: a.mtl, line 3: 'gone.png' is missing; put it there; drawn without it (2 times)"});
  EXPECT_TRUE(frame.textures.empty());
  EXPECT_EQ(frame.materials[0].diffuse, glm::vec3(1, 0, 0));
  EXPECT_EQ(frame.materials[0].diffuse_texture, -1);
  EXPECT_EQ(frame.materials[0].alpha_texture, -1);

  warnings.clear();
  const Frame plain = read("mtllib none.mtl\n" + kSquare + "usemtl x\nf 1 2 3\n", {}, options);
  EXPECT_EQ(warnings, std::vector<std::string>{
                          "test.obj: line 1: 'none.mtl' is missing; put it there; drawn with the default material"});
  EXPECT_EQ(plain.materials.at(draw_of(plain, 0).material).name, "default");
  EXPECT_EQ(error_of("mtllib none.mtl\n" + kSquare + "f 1 2 3\n"), "no error");  // there is no listener
}

TEST(Obj, MistakesAreNamed) {
  std::string many = kSquare + "f";
  for (int i = 0; i < 1025; i++) many += " 1";
  const std::pair<std::string, const char*> mistakes[] = {
      {"", "no faces"},
      {"hello", "no faces"},
      {kSquare + "f 1 2 5\n", "line 5: vertex 5 is not among the 4"},
      {"v 0 0 0\nv 1 nan 0\nv 1 1 0\nf 1 2 3\n",
       "line 4: a face's vertex 2 is not finite, not a number or beyond 1e15"},
      {"v 0 0 0\n \tv -1.#IND 0 0\nv 1 1 0\nf 1 2 3\n", "(the first is in line 2)"},
      {"v 0 0 0\nv 1 0 inf\nv 1 1 0\nf 1 2 3\n", "vertex 2"},
      {"v 0 0 0\nv 1 0\nv 1 1 0\nf 1 2 3\n", "vertex 2"},
      {kSquare + "f 1 2 -5\n", "line 5: vertex"},
      {kSquare + "f 1 2 0\n", "line 5: vertex 0"},
      {kSquare + "f 2147483647 2 3\n", "vertex 2147483647"},
      {"v 1e999 0 0\nv 1 1 1\nv 0 1 1\nf 1 2 3\n", "vertex 1"},
      {"v 0 1e20 0\nv 1 1 1\nv 0 1 1\nf 1 2 3\n", "vertex 1"},
      {many, "1024 corners"},
  };
  for (const auto& [obj, message] : mistakes) {
    const std::string error = error_of(obj);
    EXPECT_EQ(error.rfind("test.obj: ", 0), 0u) << error;
    EXPECT_NE(error.find(message), std::string::npos) << error << " for " << obj.substr(0, 80);
  }
  EXPECT_THROW(read_obj(fs::path("/nonexistent/a.obj"), {}), std::runtime_error);
}

// The reader buffers a whole line, so its length is limited. No zero follows the text, so that a sanitizer sees a read
// beyond it.
TEST(Obj, StatementsThatEndTheFileAreReadNoFurther) {
  for (const char* const last : {"f", "fo", "v", "v 1 2 -", "v 1 +", "vn", "vn 0 0 -", "vt", "vt -", "f ", "f 1",
                                 "f 1/", "f -", "usemtl", "mtllib", "g", "o"}) {
    const std::string text = std::string("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n") + last;
    const std::vector<char> bytes(text.begin(), text.end());
    const ResourceReader none = [](const std::string& name, Loading&) -> std::vector<std::byte> {
      throw MissingResource(name);
    };
    EXPECT_EQ(read_obj({bytes.data(), bytes.size()}, "test.obj", none, {}).positions.size(), 3u) << last;
  }
}

TEST(Obj, LinesOfAMegabyteAreRefused) {
  const std::string triangle = kSquare + "f 1 2 3\n";
  EXPECT_EQ(error_of("#" + std::string(1 << 19, 'a') + "\n" + triangle), "no error");
  EXPECT_NE(error_of(triangle + "g" + std::string(1 << 21, ' ')).find("field 'line 6'"), std::string::npos);
  EXPECT_NE(
      error_of("mtllib a.mtl\n" + triangle, {{"a.mtl", "\n#" + std::string(1 << 21, 'a')}}).find("field 'line 2'"),
      std::string::npos);
}

// A scene from elsewhere cannot name files outside its folder.
TEST(Obj, FilesOutsideOfItsFolderAreMissing) {
  const fs::path above = fs::temp_directory_path() / ("brokkr-obj-outside-" + std::to_string(getpid()));
  const fs::path folder = above / "scene";
  fs::create_directories(folder);
  const std::string picture = png({~0u, ~0u, ~0u, ~0u}, true);
  write_file(above / "secret.png", to_bytes(picture));
  write_file(folder / "near.png", to_bytes(picture));
  for (const std::string& name :
       {std::string("../secret.png"), (above / "secret.png").string(), std::string("near.png")}) {
    write_text(folder / "a.mtl", "newmtl a\nmap_Kd " + name + "\n");
    write_text(folder / "a.obj", "mtllib a.mtl\n" + kSquare + "usemtl a\nf 1 2 3\n");
    std::vector<std::string> warnings;
    LoadOptions options;
    options.warning = [&](const std::string& text) { warnings.push_back(text); };
    const Frame frame = read_obj(folder / "a.obj", options);
    const bool is_near = name == "near.png";
    EXPECT_EQ(frame.textures.size(), is_near ? 1u : 0u) << name;
    ASSERT_EQ(warnings.size(), is_near ? 0u : 1u) << name;
    if (is_near) continue;
    EXPECT_NE(warnings[0].find("is not in the scene's folder or below it"), std::string::npos) << warnings[0];
  }
  fs::remove_all(above);
}

TEST(Obj, FilesWithoutMaterialsUseADefault) {
  const Frame frame = read(kSquare + "usemtl whatever\nf 1 2 3\n");
  EXPECT_EQ(frame.materials[draw_of(frame, 0).material].name, "default");
  EXPECT_EQ(frame.materials[draw_of(frame, 0).material].kind, MaterialKind::blinn_phong);
}

TEST(Obj, NamesWithSpacesAndWindowsPaths) {
  const Files files = {{"dir/a.mtl", "newmtl a b\r\nmap_Kd dir\\t.png\r\n"}, {"dir/t.png", png({1, 2, 3, 4}, true)}};
  const Frame frame = read("mtllib dir/a.mtl\r\n" + kSquare + "usemtl a b \r\nf 1 2 3\r\n", files);
  EXPECT_EQ(frame.textures.size(), 1u);
}

TEST(Obj, TheBundledSceneLoads) {
  const Frame frame = read_obj(fs::path(BROKKR_SOURCE_DIR) / "assets" / "courtyard.obj", {});
  EXPECT_GT(triangle_count(frame), 8000u);
  EXPECT_EQ(frame.textures.size(), 4u);
  size_t blended = 0, tested = 0;
  for (size_t i = 1; i < frame.commands.size(); i++) {
    blended += frame.states[draw_of(frame, i - 1).state].blend.has_value();
    tested += frame.materials[draw_of(frame, i - 1).material].alpha_cutoff > 0;
  }
  EXPECT_EQ(blended, 1u);
  EXPECT_EQ(tested, 1u);
}

}  // namespace
}  // namespace brokkr
