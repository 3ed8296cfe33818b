// Files with the quirks of real programs. Each quirk gives the same frame as the plain form, and a warning names what
// the reader left out or guessed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/file_io.h"
#include "brokkr/image.h"
#include "brokkr/load.h"
#include "formats/gltf_file.h"

namespace brokkr {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

class FoundFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("brokkr-found-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    write_png(folder_ / "four.png", 2, 2, std::vector<uint32_t>{0xff0000ffu, 0xff00ff00u, 0xffff0000u, ~0u}, true);
    write_png(folder_ / "heights.png", 2, 2, std::vector<uint32_t>{0xff000000u, ~0u, 0xff000000u, ~0u}, true);
    four_ = std::string(as_text(read_file(folder_ / "four.png", 1 << 20)));
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Loads s.ENDING from `files`. Its warnings go to warnings_.
  Frame load(const Files& files, const LoadOptions& given = {}) {
    const fs::path scene = folder_ / "scene";
    fs::remove_all(scene);
    std::string main;
    for (const auto& [name, text] : files) {
      fs::create_directories((scene / name).parent_path());
      write_text(scene / name, text);
      if (name.starts_with("s.")) main = (scene / name).string();
    }
    warnings_.clear();
    LoadOptions options = given;
    options.width = options.height = 64;
    options.warning = [&](const std::string& line) { warnings_.push_back(line); };
    return load_frame(main, options);
  }

  std::string error_of(const Files& files, const LoadOptions& options = {}) {
    try {
      load(files, options);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "no error";
  }

  bool warned_of(const std::string& word) const {
    return std::ranges::any_of(warnings_,
                               [&](const std::string& line) { return line.find(word) != std::string::npos; });
  }

  // Both files give the same frame. The first gives a warning with `word`, or none if `word` is empty.
  void expect_same(const Files& quirk, const Files& plain, const std::string& word = {}) {
    const Frame right = load(plain), frame = load(quirk);
    const std::string& all = quirk.begin()->second;
    EXPECT_EQ(frame.positions, right.positions) << all;
    EXPECT_EQ(frame.indices, right.indices) << all;
    EXPECT_EQ(frame.normals, right.normals) << all;
    EXPECT_EQ(frame.texcoords, right.texcoords) << all;
    EXPECT_EQ(frame.colors, right.colors) << all;
    EXPECT_EQ(frame.models, right.models) << all;
    ASSERT_EQ(frame.textures.size(), right.textures.size()) << all;
    for (size_t i = 0; i < frame.textures.size(); i++) {
      EXPECT_EQ(frame.textures[i].texels, right.textures[i].texels) << all;
      EXPECT_EQ(frame.textures[i].sampler, right.textures[i].sampler) << all;
    }
    ASSERT_EQ(frame.commands.size(), right.commands.size()) << all;
    for (size_t i = 1; i < frame.commands.size(); i++) {
      const auto &a = std::get<DrawCommand>(frame.commands[i]), &b = std::get<DrawCommand>(right.commands[i]);
      const Material &m = frame.materials[a.material], &n = frame.materials[b.material];
      EXPECT_EQ(m.kind, n.kind) << all;
      EXPECT_EQ(m.diffuse, n.diffuse) << all;
      EXPECT_EQ(m.opacity, n.opacity) << all;
      EXPECT_EQ(m.diffuse_texture, n.diffuse_texture) << all;
      EXPECT_EQ(frame.states[a.state], right.states[b.state]) << all;
    }
    EXPECT_EQ(frame.views[0].view_projection, right.views[0].view_projection) << all;
    if (word.empty()) {
      EXPECT_TRUE(warnings_.empty()) << warnings_[0] << "\n" << all;
    } else {
      EXPECT_TRUE(warned_of(word)) << word << " in " << (warnings_.empty() ? "nothing" : warnings_[0]);
    }
  }

  fs::path folder_;
  std::string four_;
  std::vector<std::string> warnings_;
};

const std::string kCorners = "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nv 0 1.5 0\n";
const std::string kCoordinates = "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt .5 .5\n";
const std::string kPlainFaces = "f 4 3 5\nf 3 2 5\nf 2 1 5\nf 1 4 5\n";
const std::string kPicturedFaces = "f 4/4 3/3 5/5\nf 3/3 2/2 5/5\nf 2/2 1/1 5/5\nf 1/1 4/4 5/5\n";
const std::string kTwoColors = "usemtl red\nf 4 3 5\nf 3 2 5\nusemtl blue\nf 2 1 5\nf 1 4 5\n";
const std::string kTwoMaterials = "newmtl red\nKd .9 .2 .1\nnewmtl blue\nKd .1 .3 .9\n";

// An OBJ file, and the MTL file a.mtl.
Files scene(const std::string& obj, const std::string& mtl) { return {{"s.obj", obj}, {"a.mtl", mtl}}; }
Files colored(const std::string& mtl) { return scene("mtllib a.mtl\n" + kCorners + kTwoColors, mtl); }

TEST_F(FoundFiles, ObjWords) {
  const Files plain = {{"s.obj", kCorners + kPlainFaces}};
  const auto obj = [](const std::string& text) { return Files{{"s.obj", text}}; };
  expect_same(obj("\xef\xbb\xbf" + kCorners + kPlainFaces), plain);
  expect_same(obj(kCorners + "f 4 3 5 # a\nf 3 2 5#b\nf 2 1 5\t# 1 2\nf 1 4 5\n"), plain);
  expect_same(obj("v -1 0 -1 # first\n" + kCorners.substr(10) + kPlainFaces), plain);
  expect_same(obj(kCorners + "f 4 \\\n3 5\nf 3 2 \\\r\n 5\nf 2 1 5\nf 1 4 5\n"), plain);
  expect_same(obj("# C:\\models\\\n" + kCorners + kPlainFaces), plain);
  expect_same(obj(kCorners + "f 4/ 3/ 5/\nf 3// 2// 5//\nf 2 1 5\nf 1 4 5\n"), plain);
  expect_same(obj(kPlainFaces + kCorners), plain);
  expect_same(obj(kCorners + "fo 4 3 5\nf -3 -4 -1\nf 2 1 5\nf 1 4 5\n"), plain);
  std::string carriage = kCorners + kPlainFaces;
  std::replace(carriage.begin(), carriage.end(), '\n', '\r');
  expect_same(obj(carriage), plain);
  expect_same(obj(kCorners + kPicturedFaces), plain, "line 6: texture coordinate 4 is not among the 0");
  expect_same(obj(kCorners + "f 4//4 3//3 5//5\nf 3 2 5\nf 2 1 5\nf 1 4 5\n"), plain, "line 6: normal 4");
  expect_same(obj(kCorners + "f 4 3 9\n" + kPlainFaces), plain, "line 6: vertex 9 is not among the 5");
  expect_same(obj(kCorners + "f 4 3 0\nf 1 2 -9\n" + kPlainFaces), plain, "(2 times)");
  expect_same(obj(kCorners + "f 4 x 5\nf 1 2\n" + kPlainFaces), plain, "line 6: 'x' is not a corner");
  expect_same(obj(kCorners + "v nan nan nan\n" + kPlainFaces), plain);
  expect_same(obj(kCorners + "v 1e999 0 0\nv 1 2\nv 1,5 0 0\n" + kPlainFaces), plain);
  expect_same(obj(kCorners + "v nan nan nan\n" + kPlainFaces + "f 4 3 6\n"), plain, "line 11: a face's vertex 6");
  expect_same(obj(kCorners + "l 1 2\n" + kPlainFaces), plain, "lines and points");
  expect_same(obj(kCorners + "curv2 1 2\n" + kPlainFaces), plain, "'curv2'");
  expect_same(obj("v -1 0 1e-400\n" + kCorners + "f 5 4 6\nf 4 3 6\nf 3 2 6\nf 2 5 6\n"), plain);
  EXPECT_NE(error_of(obj("\xff\xfev\0 \0")).find("UTF-16"), std::string::npos);
}

TEST_F(FoundFiles, ObjPolygonsBeforeTheirVertices) {
  const std::string square = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nv 0 2 0\n";
  expect_same({{"s.obj", "f 1 2 3 4 5\n" + square}}, {{"s.obj", square + "f 1 2 3 4 5\n"}});
}

TEST_F(FoundFiles, ObjVerticesWithoutFacesArePoints) {
  EXPECT_EQ(triangle_count(load({{"s.obj", kCorners}})), 5u * 8);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(FoundFiles, ObjMaterialsAndLibraries) {
  const Files plain = colored(kTwoMaterials);
  const std::string body = kCorners + kTwoColors;
  expect_same({{"s.obj", "\xef\xbb\xbfmtllib a.mtl\n" + body}, {"a.mtl", "\xef\xbb\xbf" + kTwoMaterials}}, plain);
  expect_same({{"s.obj", "mtllib my scene.mtl\n" + body}, {"my scene.mtl", kTwoMaterials}}, plain);
  expect_same({{"s.obj", "mtllib \"my scene.mtl\"\n" + body}, {"my scene.mtl", kTwoMaterials}}, plain);
  expect_same({{"s.obj", "mtllib a.mtl b.mtl # two\n" + body},
               {"a.mtl", "newmtl red\nKd .9 .2 .1\n"},
               {"b.mtl", "newmtl blue\nKd .1 .3 .9\n"}},
              plain);
  expect_same(scene(body + "mtllib a.mtl\n", kTwoMaterials), plain);
  expect_same(scene("mtllib a.mtl\n" + kCorners + "usemtl red # a\nf 4 3 5\nf 3 2 5\nusemtl\tblue\nf 2 1 5\nf 1 4 5\n",
                    kTwoMaterials),
              plain);
  expect_same(scene("mtllib a.mtl\n" + kCorners + "usemtl red#a\nf 4 3 5\nf 3 2 5\nusemtl blue#\nf 2 1 5\nf 1 4 5\n",
                    kTwoMaterials),
              plain);
  expect_same(colored(kTwoMaterials + "map_Ka four.png\n"), plain, "line 5: 'map_ka' is not drawn");
  expect_same(colored("newmtl red # warm\nKd .9 .2 .1 # three\nnewmtl blue\nKd .1 .3 \\\n.9\n"), plain);
  expect_same(scene("mtllib A.MTL\n" + body, kTwoMaterials), plain, "'A.MTL' is taken from");
  expect_same(scene("mtllib a.mtl\n" + kCorners + "usemtl red\nf 4 3 5\nf 3 2 5\nusemtl gone\nf 2 1 5\nf 1 4 5\n",
                    kTwoMaterials),
              colored("newmtl red\nKd .9 .2 .1\nnewmtl blue\nKd .8 .8 .8\n"), "line 10: material 'gone'");
  load({{"s.obj", body}});
  EXPECT_TRUE(warned_of("material 'red'"));
  // A # in a name belongs to the name.
  expect_same(scene("mtllib a.mtl\n" + kCorners + "usemtl m #1\nf 4 3 5\nf 3 2 5\nusemtl m #2\nf 2 1 5\nf 1 4 5\n",
                    "newmtl m #1\nKd .9 .2 .1\nnewmtl m #2\nKd .1 .3 .9\n"),
              plain);
}

TEST_F(FoundFiles, MtlNumbers) {
  const Files plain = colored(kTwoMaterials);
  const Files grey = colored("newmtl red\nKd .7 .7 .7\nnewmtl blue\nKd .1 .3 .9\n");
  expect_same(colored("newmtl red\nKd .7\nnewmtl blue\nKd .1 .3 .9\n"), grey);
  expect_same(colored("newmtl red\nKd .9 .2 .1\nd -halo 1.0\nnewmtl blue\nKd .1 .3 .9\nd 1 # full\n"), plain);
  expect_same(colored("newmtl red\nKd .9 .2 .1\nTr 1.000000\nnewmtl blue\nKd .1 .3 .9\nTr 0\n"), plain, "Tr 1");
  expect_same(colored("newmtl red\nKd .9 .2 .1\nTr 0.25\nnewmtl blue\nKd .1 .3 .9\n"),
              colored("newmtl red\nKd .9 .2 .1\nd 0.75\nnewmtl blue\nKd .1 .3 .9\n"));
  expect_same(colored("newmtl red\nTr 1\nKd .9 .2 .1\nd 1\nnewmtl blue\nkd .1 .3 .9\n"), plain);
  expect_same(colored("newmtl red\nKd .9 .2 .1\nwrong 1\nNs\nnewmtl blue\nKd .1 .3 .9\n"), plain,
              "a.mtl, line 3: 'wrong'");
}

TEST_F(FoundFiles, MtlMaps) {
  const auto pictured = [&](const std::string& mtl, const std::string& coordinates = kCoordinates) {
    Files files = scene("mtllib a.mtl\n" + kCorners + coordinates + "usemtl m\n" + kPicturedFaces, "newmtl m\n" + mtl);
    files["tex.png"] = four_;
    files["in/tex2.png"] = four_;
    return files;
  };
  const Files plain = pictured("Kd 1 1 1\nmap_Kd tex.png\n");
  const Files twice = pictured("Kd 1 1 1\nmap_Kd tex.png\n", "vt 0 0\nvt 2 0\nvt 2 2\nvt 0 2\nvt 1 1\n");
  const Files moved =
      pictured("Kd 1 1 1\nmap_Kd tex.png\n", "vt .5 .25\nvt 1.5 .25\nvt 1.5 1.25\nvt .5 1.25\nvt 1 .75\n");
  expect_same(pictured("map_Kd tex.png\n"), plain);
  expect_same(pictured("Kd 1 1 1\nmap_Kd -s 2 2 1 tex.png\n"), twice);
  expect_same(pictured("Kd 1 1 1\nmap_Kd -blendu on -s 2 2 -bm 1 tex.png\n"), twice);
  expect_same(pictured("Kd 1 1 1\nmap_Kd -o .5 .25 tex.png # moved\n"), moved);
  expect_same(pictured("Kd 1 1 1\nmap_Kd tex.png -s 2 2 1\n"), twice);
  expect_same(pictured("Kd 1 1 1\nmap_Kd -blendu on \"tex.png\" -o .5 .25 # moved\n"), moved);
  expect_same(pictured("Kd 1 1 1\nmap_Kd -mm 0 1 \"tex.png\"\n"), plain);
  expect_same(pictured("Kd 1 1 1\nmap_Kd C:\\work\\art\\tex.png\n"), plain, "is taken from");
  expect_same(pictured("Kd 1 1 1\nmap_Kd /home/me/tex.png\n"), plain, "is taken from");
  expect_same(pictured("Kd 1 1 1\nmap_Kd ../art/tex.png\n"), plain, "is taken from");
  expect_same(pictured("Kd 1 1 1\nmap_Kd art/te%78.png\n"), plain, "is taken from");
  EXPECT_EQ(load(pictured("map_Kd gone.png\n")).materials.at(0).diffuse, glm::vec3(0.8f));  // as without a picture
  expect_same(pictured("Kd 1 1 1\nmap_Kd TEX.PNG\n"), plain, "is taken from");
  expect_same(pictured("Kd 1 1 1\nmap_Kd in\\tex2.png\n"), plain);
  expect_same(pictured("Kd 1 1 1\nmap_Kd IN/Tex2.png\n"), plain, "is taken from");
  expect_same(pictured("Kd 1 1 1\nmap_Kd tex.png\nmap_Ks tex.png\n"), plain, "'map_ks'");
  expect_same(pictured("Kd 1 1 1\nmap_Kd -cc on tex.png\n"), plain, "-cc");

  const Frame clamped = load(pictured("Kd 1 1 1\nmap_Kd -clamp on tex.png\n"));
  EXPECT_EQ(clamped.textures.at(0).sampler.wrap_x, Wrap::clamp_to_edge);
  const Frame clamped_behind = load(pictured("Kd 1 1 1\nmap_Kd tex.png -clamp ON\n"));
  EXPECT_EQ(clamped_behind.textures.at(0).sampler.wrap_x, Wrap::clamp_to_edge);
  const Frame darker = load(pictured("Kd 1 1 1\nmap_Kd -mm 0 0.5 tex.png\n"));
  EXPECT_EQ(darker.textures.at(0).texels[3], 0xff000080u | 0x8000u | 0x800000u);

  const Frame physical = load(pictured("Kd 1 1 1\nmap_Ke tex.png\nPr .5\nmap_Pm tex.png\nnorm tex.png\n"));
  const Material& m = physical.materials.at(0);
  EXPECT_EQ(m.kind, MaterialKind::metallic_roughness);
  EXPECT_EQ(m.emission, glm::vec3(1));
  EXPECT_GE(m.emission_texture, 0);
  EXPECT_GE(m.normal_texture, 0);
  EXPECT_EQ(m.metallic, 1);
  EXPECT_EQ(m.roughness, 0.5f);
  // The picture's red channel is the metalness and becomes the blue channel.
  EXPECT_EQ(physical.textures.at(size_t(m.metallic_roughness_texture)).texels[2], 0xff00ffffu);
  EXPECT_TRUE(warnings_.empty());

  // Heights that grow to the right: normals lean to the left there, and to the right at the edge, since pictures
  // repeat.
  Files bumped = pictured("map_Bump -bm 1 heights.png\n");
  bumped["heights.png"] = std::string(as_text(read_file(folder_ / "heights.png", 1 << 20)));
  const Frame heights = load(bumped);
  EXPECT_EQ(heights.textures.at(0).texels[0] >> 24, 0xffu);
  EXPECT_EQ(heights.materials.at(0).normal_texture, 0);
}

TEST_F(FoundFiles, PicturesThatCannotBeReadAreLeftOut) {
  const auto pictured = [&](const std::string& name) {
    Files files = scene("mtllib a.mtl\n" + kCorners + kCoordinates + "usemtl m\n" + kPicturedFaces,
                        "newmtl m\nKd 1 1 1\n" + (name.empty() ? name : "map_Kd " + name + "\n"));
    files["empty.png"] = "";
    files["tex.gif"] = "GIF89a\1";
    files["cut.png"] = four_.substr(0, 40);
    return files;
  };
  for (const std::string& name : std::vector<std::string>{"empty.png", "tex.gif", "cut.png", "gone.png"}) {
    expect_same(pictured(name), pictured(""), "a.mtl, line 3: ");
    EXPECT_EQ(warnings_.size(), 1u) << name;
    EXPECT_TRUE(warned_of(name));
  }
  LoadOptions strict;
  strict.strict = true;
  EXPECT_NE(error_of(pictured("gone.png"), strict).find("gone.png"), std::string::npos);
  EXPECT_EQ(error_of(pictured(""), strict), "no error");
}

TEST_F(FoundFiles, ColoursOfVerticesAreDrawn) {
  const Frame obj = load({{"s.obj", "v 0 0 0 1 0 0\nv 1 0 0 0 .5 0\nv 0 1 0\nf 1 2 3\n"}});
  ASSERT_EQ(obj.colors.size(), 3u);
  EXPECT_EQ(obj.colors[0], glm::vec4(1, 0, 0, 1));
  EXPECT_EQ(obj.colors[1], glm::vec4(0, .5f, 0, 1));
  EXPECT_EQ(obj.colors[2], glm::vec4(1));
  EXPECT_EQ(obj.materials[0].kind, MaterialKind::metallic_roughness);
  EXPECT_EQ(obj.materials[0].diffuse, glm::vec3(1));
  EXPECT_TRUE(warnings_.empty());
  const Frame bytes = load({{"s.obj", "v 0 0 0 255 0 0\nv 1 0 0 0 51 0\nv 0 1 0 0 0 0\nf 1 2 3\n"}});
  EXPECT_EQ(bytes.colors[1], glm::vec4(0, .2f, 0, 1));
  EXPECT_TRUE(warned_of("255"));
}

std::string ply_header(const std::string& middle) { return "ply\nformat ascii 1.0\n" + middle + "end_header\n"; }
const std::string kXyz = "property float x\nproperty float y\nproperty float z\n";
const std::string kFace = "property list uchar int vertex_indices\n";
const std::string kFiveCorners = "-1 0 -1\n1 0 -1\n1 0 1\n-1 0 1\n0 1.5 0\n";
const std::string kFourFaces = "3 3 2 4\n3 2 1 4\n3 1 0 4\n3 0 3 4\n";
const std::string kPyramid = ply_header("element vertex 5\n" + kXyz + "element face 4\n" + kFace);

TEST_F(FoundFiles, PlyWords) {
  const auto ply = [](const std::string& text) { return Files{{"s.ply", text}}; };
  const Files plain = ply(kPyramid + kFiveCorners + kFourFaces);
  std::string text = kPyramid + kFiveCorners + kFourFaces;
  std::replace(text.begin(), text.end(), '\n', '\r');
  expect_same(ply(text), plain);
  expect_same(ply("\xef\xbb\xbf" + kPyramid + kFiveCorners + kFourFaces), plain);
  expect_same(
      ply(ply_header("element vertex 5\n" + kXyz + "element tristrips 1\nproperty list int int vertex_indices\n") +
          kFiveCorners + "19 3 2 4 -1 2 1 4 -1 1 0 4 -1 0 3 4 -1 -1 -1 -1\n"),
      plain);
  expect_same(ply(kPyramid + "-1 1e-400 -1\n" + kFiveCorners.substr(8) + kFourFaces), plain);
  const std::string six = ply_header("element vertex 6\n" + kXyz + "element face 5\n" + kFace);
  const std::string six_four = ply_header("element vertex 6\n" + kXyz + "element face 4\n" + kFace);
  expect_same(ply(six_four + kFiveCorners + "nan nan nan\n" + kFourFaces), plain);
  expect_same(ply(six + kFiveCorners + "nan nan nan\n" + kFourFaces + "3 0 1 5\n"), plain,
              "face 4: vertex 5 is not finite");
  expect_same(ply(six + kFiveCorners + "-1.#IND 0 0\n" + kFourFaces + "3 0 1 9\n"), plain,
              "vertex 9 is not among the 6");
  expect_same(ply(six + kFiveCorners + "0 0 0\n" + kFourFaces + "3 0 -1 1\n"), plain, "not a whole number");
  expect_same(ply(six + kFiveCorners + "0 0 0\n" + kFourFaces + "3 0"), plain, "the data before it is drawn");
}

TEST_F(FoundFiles, PlyTexturesAndColours) {
  const std::string corners = "-1 -1 0\n1 -1 0\n1 1 0\n-1 1 0\n";
  const std::string picture = "comment TextureFile tex.png\n";
  const std::string of_corners = ply_header(picture + "element vertex 4\n" + kXyz + "element face 2\n" + kFace +
                                            "property list uchar float texcoord\n") +
                                 corners + "3 0 1 2 6 0 0 1 0 1 1\n3 0 2 3 6 0 0 1 1 0 1\n";
  const std::string of_vertices = ply_header(picture + "element vertex 4\n" + kXyz +
                                             "property float s\nproperty float t\nelement face 2\n" + kFace) +
                                  "-1 -1 0 0 0\n1 -1 0 1 0\n1 1 0 1 1\n-1 1 0 0 1\n3 0 1 2\n3 0 2 3\n";
  expect_same({{"s.ply", of_corners}, {"tex.png", four_}}, {{"s.ply", of_vertices}, {"tex.png", four_}});
  std::string above = of_vertices;
  above.replace(above.find("tex.png"), 7, "..\\up\\tex.png");
  expect_same({{"s.ply", above}, {"tex.png", four_}}, {{"s.ply", of_vertices}, {"tex.png", four_}}, "is taken from");
  load({{"s.ply", above}});
  EXPECT_TRUE(warned_of("drawn without it"));

  const std::string three = "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  const Frame vertices = load({{"s.ply", ply_header("element vertex 3\n" + kXyz + three + "element face 1\n" + kFace) +
                                             "0 0 0 255 0 0\n1 0 0 0 51 0\n0 1 0 0 0 255\n3 0 1 2\n"}});
  ASSERT_EQ(vertices.colors.size(), 3u);
  EXPECT_EQ(vertices.colors[1], glm::vec4(0, .2f, 0, 1));
  EXPECT_TRUE(warnings_.empty());
  const Frame faces = load({{"s.ply", ply_header("element vertex 4\n" + kXyz + "element face 2\n" + kFace + three) +
                                          corners + "3 0 1 2 255 0 0\n3 0 2 3 0 0 255\n"}});
  ASSERT_EQ(faces.colors.size(), 6u);
  EXPECT_EQ(faces.colors[0], glm::vec4(1, 0, 0, 1));
  EXPECT_EQ(faces.colors[3], glm::vec4(0, 0, 1, 1));
}

TEST_F(FoundFiles, PlyPointCloudsAreDrawn) {
  const std::string text =
      ply_header("element vertex 3\n" + kXyz + "property uchar red\nproperty uchar green\nproperty uchar blue\n") +
      "-1 0 0 255 0 0\n1 0 0 0 0 255\nnan 0 0 0 0 0\n";
  const Frame frame = load({{"s.ply", text}});
  EXPECT_EQ(triangle_count(frame), 16u);
  EXPECT_EQ(frame.colors.at(0), glm::vec4(1, 0, 0, 1));
  EXPECT_TRUE(frame.materials.at(0).unlit);
  EXPECT_TRUE(warned_of("vertex 2"));
  LoadOptions large;
  large.point_size = 30;
  const float small_width = frame.positions[0].x - frame.positions[1].x;
  const Frame larger = load({{"s.ply", text}}, large);
  EXPECT_NEAR(larger.positions[0].x - larger.positions[1].x, 10 * small_width, 0.01f * small_width);
}

std::string bytes_of(uint32_t bits, size_t count = 4) {
  std::string out;
  for (size_t i = 0; i < count; i++) out += char(bits >> 8 * i);
  return out;
}

const std::vector<std::array<glm::vec3, 3>> kFacets = {
    {glm::vec3(-1, 0, 1), glm::vec3(1, 0, 1), glm::vec3(0, 1.5f, 0)},
    {glm::vec3(1, 0, 1), glm::vec3(1, 0, -1), glm::vec3(0, 1.5f, 0)}};

std::string binary_stl(uint32_t count, const std::vector<uint32_t>& attributes, const std::string& title = "made") {
  std::string file = title + std::string(80 - title.size(), '\0') + bytes_of(count);
  for (size_t i = 0; i < kFacets.size(); i++) {
    file += std::string(12, '\0');
    for (const glm::vec3& p : kFacets[i]) {
      for (int k = 0; k < 3; k++) file += bytes_of(std::bit_cast<uint32_t>(p[k]));
    }
    file += bytes_of(attributes[i], 2);
  }
  return file;
}

std::string text_stl(const std::string& apex, const std::string& more = {}) {
  std::string file = "solid two\n" + more;
  for (const char* const base : {"vertex -1 0 1\nvertex 1 0 1\n", "vertex 1 0 1\nvertex 1 0 -1\n"}) {
    file += std::string("facet normal 0 0 1\nouter loop\n") + base + "vertex " + apex + "\nendloop\nendfacet\n";
  }
  return file + "endsolid two\n";
}

TEST_F(FoundFiles, StlWords) {
  const auto stl = [](const std::string& text) { return Files{{"s.stl", text}}; };
  const Files plain = stl(text_stl("0 1.5 0"));
  const std::string good = binary_stl(2, {0, 0});
  expect_same(stl(good), plain);
  expect_same(stl(good + "xy"), plain, "2 bytes after");
  EXPECT_NE(error_of(stl("\xff\xfe" + good)).find("UTF-16"), std::string::npos);
  expect_same(stl(binary_stl(0, {0, 0})), plain, "says 0 triangles");
  expect_same(stl(binary_stl(0xffffffffu, {0, 0})), plain, "has the bytes of 2");
  expect_same(stl(binary_stl(0, {0, 0}, "solid")), plain, "says 0 triangles");
  expect_same(stl("\xef\xbb\xbf" + text_stl("0 1.5 0")), plain);
  expect_same(stl(text_stl("1e-47 1.5 -2.1e-60")), plain);
  const std::string bad =
      "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 nan\nvertex 0 1 0\nendloop\nendfacet\n";
  expect_same(stl(text_stl("0 1.5 0", bad)), plain, "facet 1: a vertex is not finite");
  const std::string cut = "facet normal 0 0 0\nouter loop\nvertex 0 0\nvertex 1 0 1\nvertex 0 1 0\nendloop\nendfacet\n";
  expect_same(stl(text_stl("0 1.5 0", cut)), plain, "facet 1: a vertex does not have three numbers");
  std::string line = text_stl("0 1.5 0"), carriage = line;
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(carriage.begin(), carriage.end(), '\n', '\r');
  expect_same(stl(line), plain);
  expect_same(stl(carriage), plain);
  std::string capitals = text_stl("0 1.5 0");
  std::ranges::transform(capitals, capitals.begin(), [](unsigned char c) { return char(std::toupper(c)); });
  expect_same(stl(capitals), plain);
}

TEST_F(FoundFiles, StlColours) {
  constexpr uint32_t kMark = 0x8000, kRed = 31 << 10, kBlue = 31;
  for (const std::string& title : {std::string("made"), std::string("COLOR=\xff\xff\xff\xff")}) {
    const Frame frame = load({{"s.stl", binary_stl(2, {kMark | kRed, kMark | kBlue}, title)}});
    ASSERT_EQ(frame.colors.size(), 6u);
    EXPECT_EQ(frame.colors[0], glm::vec4(1, 0, 0, 1));
    EXPECT_EQ(frame.colors[3], glm::vec4(0, 0, 1, 1));
  }
  // Magics: a facet with the mark has the file's colour, and the other facets have red in the lowest bits.
  const Frame magics = load({{"s.stl", binary_stl(2, {kMark, kBlue}, std::string("COLOR=") + "\xff\xff\x33\xff")}});
  EXPECT_EQ(magics.colors.at(0), glm::vec4(1, 1, .2f, 1));
  EXPECT_EQ(magics.colors.at(3), glm::vec4(1, 0, 0, 1));
  load({{"s.stl", binary_stl(2, {1, 2})}});
  EXPECT_TRUE(warned_of("attribute bytes"));
}

// Names as programs write them, where a URI would encode a % and end at a ?.
TEST_F(FoundFiles, GltfNamesOfFiles) {
  File file;
  const Files plain = {{"s.glb", file.glb()}};
  for (const auto& [uri, name] : std::vector<std::pair<std::string, std::string>>{{"a%41.bin", "a%41.bin"},
                                                                                  {"a%41.bin", "aA.bin"},
                                                                                  {"a.bin?v=2", "a.bin"},
                                                                                  {"a%20b.bin#x", "a b.bin"},
                                                                                  {"a#1.bin", "a#1.bin"}}) {
    file.json["buffers"][0]["uri"] = uri;
    expect_same({{"s.gltf", file.json.dump()}, {name, file.binary}}, plain);
  }
  file.json["buffers"][0]["uri"] = "gone.bin?v=2";
  EXPECT_NE(error_of({{"s.gltf", file.json.dump()}}).find("gone.bin?v=2' is missing"), std::string::npos)
      << error_of({{"s.gltf", file.json.dump()}});
}

}  // namespace
}  // namespace brokkr
