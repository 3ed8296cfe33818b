// Mistakes and oddities of a file have the same effect in OBJ, PLY, STL and glTF.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <limits>
#include <map>

#include "base/file_io.h"
#include "brokkr/image.h"
#include "brokkr/load.h"
#include "formats/gltf_file.h"

namespace brokkr {
namespace {

namespace fs = std::filesystem;

// A square of two triangles as text of each format, with the changes of a case.
struct Scene {
  std::string head;             // before everything else
  std::string comment;          // "comment" if the file has one
  bool spare_nan = false;       // adds a vertex that is not finite and that no triangle uses
  bool used_nan = false;        // adds a third triangle that uses one
  bool wrong_index = false;     // adds a third triangle with a missing vertex
  bool wrong_material = false;  // names a missing material
  std::string picture;          // the name of its picture
};

std::string obj(const Scene& scene) {
  std::string text = scene.head + (scene.comment.empty() ? "" : "# " + scene.comment + "\n") + "mtllib a.mtl\n";
  text += "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n";
  if (scene.spare_nan || scene.used_nan) text += "v nan nan nan\n";
  text += scene.wrong_material ? "usemtl gone\n" : "usemtl m\n";
  text += "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n";
  if (scene.used_nan) text += "f 1/1 2/2 5/4\n";
  if (scene.wrong_index) text += "f 1/1 2/2 9/4\n";
  return text;
}

std::string ply(const Scene& scene) {
  const bool has_nan = scene.spare_nan || scene.used_nan;
  const int faces = 2 + (scene.used_nan ? 1 : 0) + (scene.wrong_index ? 1 : 0);
  std::string text = scene.head + "ply\nformat ascii 1.0\n";
  if (!scene.comment.empty()) text += "comment " + scene.comment + "\n";
  if (!scene.picture.empty()) text += "comment TextureFile " + scene.picture + "\n";
  text += fmt::format("element vertex {}\n", has_nan ? 5 : 4) +
          "property float x\nproperty float y\nproperty float z\nproperty float s\nproperty float t\n" +
          fmt::format("element face {}\n", faces) + "property list uchar int vertex_indices\nend_header\n";
  text += "0 0 0 0 0\n1 0 0 1 0\n1 1 0 1 1\n0 1 0 0 1\n";
  if (has_nan) text += "nan nan nan 0 0\n";
  text += "3 0 1 2\n3 0 2 3\n";
  if (scene.used_nan) text += "3 0 1 4\n";
  if (scene.wrong_index) text += "3 0 1 8\n";
  return text;
}

std::string stl(const Scene& scene) {
  const auto facet = [](const char* corners) {
    return fmt::format("facet normal 0 0 1\nouter loop\n{}endloop\nendfacet\n", corners);
  };
  std::string text = scene.head + "solid " + scene.comment + "\n";
  text += facet("vertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\n") + facet("vertex 0 0 0\nvertex 1 1 0\nvertex 0 1 0\n");
  if (scene.used_nan) text += facet("vertex 0 0 0\nvertex 1 0 0\nvertex nan nan nan\n");
  return text + "endsolid\n";
}

std::string gltf(const Scene& scene) {
  File file;
  if (scene.spare_nan || scene.used_nan) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> positions = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, nan, nan, nan}, normals;
    for (int i = 0; i < 5; i++) normals.insert(normals.end(), {0, 0, 1});
    Json& attributes = file.primitive()["attributes"];
    attributes["POSITION"] = file.add(packed(positions), 5126, 5, "VEC3");
    attributes["NORMAL"] = file.add(packed(normals), 5126, 5, "VEC3");
    attributes["TEXCOORD_0"] = file.add(packed(std::vector<float>(10, 0.5f)), 5126, 5, "VEC2");
  }
  if (scene.used_nan || scene.wrong_index) {
    std::string indices;
    for (const int index : {0, 1, 2, 0, 2, 3, 0, 1, scene.used_nan ? 4 : 8}) indices += packed(uint64_t(index), 2);
    file.primitive()["indices"] = file.add(indices, 5123, 9, "SCALAR");
  }
  if (scene.wrong_material) file.primitive()["material"] = 7;
  if (!scene.picture.empty()) {
    file.json["images"] = {{{"uri", scene.picture}}};
    file.json["textures"] = {{{"source", 0}}};
    file.json["materials"] = Json::array({Json::parse(
        R"({"pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 1], "baseColorTexture": {"index": 0}}})")});
    file.primitive()["material"] = 0;
  }
  if (!scene.comment.empty()) file.json["extras"] = scene.comment;
  file.json["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64(file.binary);
  return scene.head + file.json.dump();
}

struct Case {
  const char* name;
  Scene scene;
  const char* warning;  // a word of the only warning; empty: there is none
  const char* formats;  // formats that can express the mistake
  bool has_picture = false;
};

TEST(Alike, MistakesAndQuirksMeanTheSameInAllFormats) {
  const fs::path folder = fs::temp_directory_path() / ("brokkr-alike-" + std::to_string(getpid()));
  fs::create_directories(folder / "pictures");
  write_png(folder / "pictures" / "four.png", 2, 2, std::vector<uint32_t>{1, 2, 3, 4}, true);
  const std::map<std::string, std::string (*)(const Scene&)> writers = {
      {"obj", obj}, {"ply", ply}, {"stl", stl}, {"gltf", gltf}};
  const Case cases[] = {
      {"plain", {}, "", "obj ply stl gltf"},
      {"byte order mark", {.head = "\xef\xbb\xbf"}, "", "obj ply stl gltf"},
      {"comment", {.comment = "by hand, \\ and \" in it"}, "", "obj ply stl gltf"},
      {"NaN that nobody uses", {.spare_nan = true}, "", "obj ply gltf"},
      {"NaN of a triangle", {.used_nan = true}, "not finite", "obj ply stl gltf"},
      {"index out of range", {.wrong_index = true}, "is not among the", "obj ply gltf"},
      {"unknown material", {.wrong_material = true}, "drawn with the default material", "obj gltf"},
      {"missing picture", {.picture = "gone.png"}, "gone.png", "obj ply gltf"},
      {"picture", {.picture = "pictures/four.png"}, "", "obj ply gltf", true},
      {"foreign separator", {.picture = "pictures\\four.png"}, "", "obj ply gltf", true},
      {"other capitals", {.picture = "Pictures/FOUR.PNG"}, "is taken from", "obj ply gltf", true},
      {"absolute name of Windows", {.picture = "C:\\art\\pictures\\four.png"}, "C:", "obj ply gltf"},
  };
  for (const Case& one : cases) {
    for (const auto& [format, write] : writers) {
      if (std::string_view(one.formats).find(format) == std::string_view::npos) continue;
      SCOPED_TRACE(format + ": " + one.name);
      const std::string path = (folder / ("s." + format)).string();
      write_text(path, write(one.scene));
      write_text(folder / "a.mtl",
                 "newmtl m\nKd 1 1 1\n" + (one.scene.picture.empty() ? "" : "map_Kd " + one.scene.picture + "\n"));
      std::vector<std::string> lines;
      LoadOptions options;
      options.warning = [&](const std::string& line) { lines.push_back(line); };
      const bool is_silent = *one.warning == '\0';
      const Frame frame = load_frame(path, options);
      EXPECT_EQ(triangle_count(frame), 2u);
      EXPECT_EQ(frame.textures.size(), one.has_picture ? 1u : 0u);
      ASSERT_EQ(lines.size(), is_silent ? 0u : 1u) << (lines.empty() ? "no warning" : lines.back());
      EXPECT_EQ(frame.warnings.size(), lines.size());
      options.strict = true;
      if (is_silent) {
        EXPECT_NO_THROW(load_frame(path, options));
        continue;
      }
      EXPECT_NE(lines[0].find(one.warning), std::string::npos) << lines[0];
      EXPECT_TRUE(lines[0].starts_with(path)) << lines[0];
      EXPECT_EQ(lines[0].find('\n'), std::string::npos);
      EXPECT_THROW(load_frame(path, options), std::runtime_error);
    }
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace brokkr
