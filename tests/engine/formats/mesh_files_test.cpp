// PLY and STL: all forms give the same mesh, and errors name mistakes in files.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <glm/geometric.hpp>
#include <map>

#include "formats/sources.h"

namespace brokkr {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// The lowest `bytes` of `bits`.
std::string packed(uint64_t bits, size_t bytes, bool big) {
  std::string out;
  for (size_t i = 0; i < bytes; i++) out += char(bits >> 8 * (big ? bytes - 1 - i : i));
  return out;
}
std::string packed(float value, bool big = false) { return packed(std::bit_cast<uint32_t>(value), 4, big); }

Frame ply(const std::string& file) {
  const ResourceReader none = [](const std::string& name, Loading&) -> std::vector<std::byte> {
    throw std::runtime_error("'" + name + "' is missing; put it there");
  };
  return read_ply(bytes_of(file), "test.ply", none, {});
}
Frame stl(const std::string& file) { return read_stl(bytes_of(file), "test.stl", {}); }

std::string error_of(Frame (*read)(const std::string&), const std::string& file) {
  try {
    read(file);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

// Corners of all triangles, in order.
std::vector<glm::vec3> indexed_corners(const Frame& frame) {
  std::vector<glm::vec3> result;
  for (const uint32_t index : frame.indices) result.emplace_back(frame.positions[index]);
  return result;
}

std::string header(const std::string& format, const std::string& middle) {
  return "ply\nformat " + format + " 1.0\ncomment by hand\n" + middle + "end_header\n";
}

// A square and a triangle on one of its sides, with an unknown element between them.
const std::string kTent =
    "element vertex 5\nproperty float x\nproperty float y\nproperty double z\n"
    "element odd 2\nproperty list uchar short values\n"
    "element face 2\nproperty uchar flags\nproperty list uchar ushort vertex_indices\n";
const std::string kTentText =
    "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 0.5 1\n"
    "2 -5 7\n0\n"
    "9 4 0 1 2 3\n9 3 1 2 4\n";

std::string binary_tent(bool big) {
  std::string body;
  for (const glm::vec3& p :
       {glm::vec3(0), glm::vec3(1, 0, 0), glm::vec3(1, 1, 0), glm::vec3(0, 1, 0), glm::vec3(0.5f, 0.5f, 1)}) {
    body += packed(p.x, big) + packed(p.y, big) + packed(std::bit_cast<uint64_t>(double(p.z)), 8, big);
  }
  body += packed(2, 1, big) + packed(uint64_t(-5), 2, big) + packed(7, 2, big) + packed(0, 1, big);
  for (const std::vector<uint64_t>& face : {std::vector<uint64_t>{0, 1, 2, 3}, {1, 2, 4}}) {
    body += packed(9, 1, big) + packed(face.size(), 1, big);
    for (const uint64_t corner : face) body += packed(corner, 2, big);
  }
  return header(big ? "binary_big_endian" : "binary_little_endian", kTent) + body;
}

TEST(Ply, AllThreeFormatsGiveOneMesh) {
  const Frame text = ply(header("ascii", kTent) + kTentText);
  EXPECT_EQ(triangle_count(text), 3u);
  EXPECT_EQ(indexed_corners(text)[6], glm::vec3(1, 0, 0));
  EXPECT_EQ(indexed_corners(text)[8], glm::vec3(0.5f, 0.5f, 1));
  for (const bool big : {false, true}) EXPECT_EQ(indexed_corners(ply(binary_tent(big))), indexed_corners(text)) << big;
}

TEST(Ply, ConcavePolygonsAreCutInsideThemselves) {
  const Frame frame = ply(header("ascii",
                                 "element vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
                                 "element face 1\nproperty list int int vertex_index\n") +
                          "0 0 0\n4 0 0\n4 4 0\n2 1 0\n0 4 0\n5 0 1 2 3 4\n");
  const std::vector<glm::vec3> all = indexed_corners(frame);
  ASSERT_EQ(all.size(), 9u);
  double area = 0;
  for (size_t i = 0; i < all.size(); i += 3) {
    const float z = glm::cross(all[i + 1] - all[i], all[i + 2] - all[i]).z;
    EXPECT_GT(z, 0);
    area += double(z) / 2;
  }
  EXPECT_DOUBLE_EQ(area, 10);
}

TEST(Ply, NormalsTextureCoordinatesAndColours) {
  const std::string file = header("ascii",
                                  "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
                                  "property float nx\nproperty float ny\nproperty float nz\nproperty float s\n"
                                  "property float t\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
                                  "element face 1\nproperty list uchar uint vertex_indices\n") +
                           "0 0 0 0 0 2 0 0.25 255 0 0\n1 0 0 0 0 2 1 0 255 0 0\n0 1 0 0 0 2 0 1 255 0 51\n3 0 1 2\n";
  const Frame frame = ply(file);
  EXPECT_EQ(frame.normals[0], glm::vec3(0, 0, 1));
  EXPECT_EQ(frame.texcoords[0], glm::vec2(0, 0.25f));
  EXPECT_EQ(frame.materials[0].diffuse, glm::vec3(1));
  EXPECT_EQ(frame.colors[2], glm::vec4(1, 0, 0.2f, 1));
  EXPECT_TRUE(frame.warnings.empty());
}

TEST(Ply, WhatIsLeftOutIsNamed) {
  const std::string three = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string face = "element face 1\nproperty list uchar int vertex_indices\n";
  const std::vector<std::pair<std::string, std::string>> files = {
      {header("ascii", three + face) + "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "vertex 3 is not among the 3"},
      {header("ascii", "comment TextureFile no.png\n" + three + face) + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "no.png"},
      {binary_tent(false).substr(0, binary_tent(false).size() - 1), "too early"},
      {header("ascii", kTent) + kTentText, "element 'odd'"},
  };
  for (const auto& [file, word] : files) {
    const Frame frame = ply(file);
    EXPECT_TRUE(std::ranges::any_of(frame.warnings, [&](const auto& line) { return line.find(word) != line.npos; }))
        << word;
  }
}

// A point cloud that ends early shows its complete points. A mesh whose faces are cut off is an error, since its
// vertices alone are not a mesh.
TEST(Ply, PointCloudsThatEndEarlyAreDrawn) {
  const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
  std::string whole = header("binary_little_endian", "element vertex 3\n" + xyz);
  for (const float value : {0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f}) {
    whole.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  const std::string text = header("ascii", "element vertex 99999999999\n" + xyz) + "0 0 0\n1 0 0\n0 1 0\n";
  const size_t three = ply(whole).positions.size();
  for (const auto& [file, part] :
       std::vector<std::pair<std::string, size_t>>{{whole.substr(0, whole.size() - 1), three / 3 * 2},
                                                   {whole.substr(0, whole.size() - 20), three / 3},
                                                   {text, three}}) {
    const Frame frame = ply(file);
    EXPECT_EQ(frame.positions.size(), part);
    EXPECT_TRUE(std::ranges::any_of(frame.warnings,
                                    [](const auto& line) { return line.find("before it are drawn") != line.npos; }));
  }
  EXPECT_NE(error_of(ply, whole.substr(0, whole.size() - 36)).find("field 'vertex 0'"), std::string::npos);
}

TEST(Ply, MistakesAreNamed) {
  const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
  const std::string three = "element vertex 3\n" + xyz, points = "0 0 0\n1 0 0\n0 1 0\n";
  const std::string face = "element face 1\nproperty list uchar int vertex_indices\n";
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"", "first line"},
      {"ply\nformat ascii 1.0\n" + three, "end_header"},
      {header("morse", three), "format"},
      {header("ascii", three + "property float16 w\n"), "float16"},
      {header("ascii", "element vertex 99999999999\n" + xyz + face) + points, "element vertex"},
      {header("ascii", "element vertex -1\n" + xyz) + points, "element vertex"},
      {header("ascii", three + face) + points + "200 0 1 2\n", "longer than the file"},
      {header("ascii", three + face) + points + "3 0 1\n", "missing"},
      {header("ascii", three + face) + "0 0 inf\n1 nan 0\n0 1 x\n3 0 1 2\n", "neither faces nor points"},
      {binary_tent(false).substr(0, binary_tent(false).size() - 18), "too early"},
      {header("ascii", three + "element face 1\nproperty list uchar float vertex_indices\n") + points + "3 0 1 2\n",
       "whole numbers"},
  };
  for (const auto& [file, word] : mistakes) {
    const std::string error = error_of(ply, file);
    EXPECT_NE(error.find(word), std::string::npos) << error << " has no '" << word << "'";
    EXPECT_TRUE(error.starts_with("test.ply: ")) << error;
  }
}

const std::vector<std::array<glm::vec3, 3>> kFacets = {{glm::vec3(0), glm::vec3(1, 0, 0), glm::vec3(1, 1, 0)},
                                                       {glm::vec3(0), glm::vec3(1, 1, 0), glm::vec3(-0.0f, 1, 0)}};

std::string binary_stl(std::string title) {
  title.resize(80);
  std::string file = title + packed(kFacets.size(), 4, false);
  for (const auto& facet : kFacets) {
    file += std::string(12, '\0');
    for (const glm::vec3& p : facet) file += packed(p.x) + packed(p.y) + packed(p.z);
    file += std::string(2, '\1');
  }
  return file;
}

std::string ascii_stl() {
  std::string file = "solid two facets of vertex\n";
  for (const auto& facet : kFacets) {
    file += "  facet normal 0 0 1\n    outer loop\n";
    for (const glm::vec3& p : facet) {
      file += "      VERTEX " + std::to_string(p.x) + " +1e0 " + std::to_string(p.y) + "\n";
    }
    file += "    endloop\n  endfacet\n";
  }
  return file + "endsolid two facets\n";
}

TEST(Stl, TextAndBinaryShareTheirVertices) {
  for (const char* const title : {"made by hand", "solid lies"}) {
    const Frame frame = stl(binary_stl(title));
    EXPECT_EQ(frame.positions.size(), 4u) << title;
    EXPECT_EQ(frame.indices, (std::vector<uint32_t>{0, 1, 2, 0, 2, 3})) << title;
    EXPECT_EQ(frame.normals[0], glm::vec3(0, 0, 1));
  }
  const Frame text = stl(ascii_stl());
  EXPECT_EQ(text.positions.size(), 4u);
  EXPECT_EQ(text.positions[2], glm::vec4(1, 1, 1, 1));
  EXPECT_EQ(text.indices, (std::vector<uint32_t>{0, 1, 2, 0, 2, 3}));
  for (const char end : {'\0', '\x1a'}) EXPECT_EQ(stl(ascii_stl() + std::string(7, end)).indices, text.indices);
}

TEST(Stl, MistakesAreNamed) {
  const std::string good = binary_stl("two");
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"", "0 bytes"},
      {std::string(200, 'x'), "does not begin with 'solid'"},
      {good.substr(0, 100), "there are none"},
      {std::string(84, '\0'), "there are none"},
      {"solid\nendsolid\n", "there are none"},
      {"solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2\nendloop\n", "three numbers"},
      {"solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\nvertex 1 2 4\nendloop\n", "three vertices"},
      {"solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\n", "not have three vertices"},
      {"solid\nfacet normal 0 0 1\nouter loop\nvertex nan 2 3\nvertex 0 0 0\nvertex 1 0 0\n", "finite"},
      {"solid\n<html>\n", "not a word of STL"},
  };
  for (const auto& [file, word] : mistakes) {
    const std::string error = error_of(stl, file);
    EXPECT_NE(error.find(word), std::string::npos) << error << " has no '" << word << "'";
    EXPECT_TRUE(error.starts_with("test.stl: ")) << error;
  }
}

}  // namespace
}  // namespace brokkr
