// glTF files with packed meshes and pictures, and with points, lines and missing pictures.
#include <gtest/gtest.h>
#include <meshoptimizer.h>

#include <glm/geometric.hpp>

#ifdef BROKKR_HAVE_DRACO
#include <draco/compression/encode.h>
#include <draco/mesh/triangle_soup_mesh_builder.h>
#endif
#ifdef BROKKR_HAVE_WEBP
#include <webp/encode.h>
#endif

#include "formats/gltf_data.h"
#include "formats/gltf_file.h"
#include "formats/image_io.h"

namespace brokkr {
namespace {

// Replaces a buffer view by bytes that meshoptimizer packed.
void pack_view(File& file, size_t view, const std::string& bytes, size_t count, size_t stride, const char* mode,
               const char* filter = "NONE") {
  const size_t offset = file.binary.size();
  file.binary += bytes + std::string((4 - bytes.size() % 4) % 4, '\0');
  file.json["buffers"][0]["byteLength"] = file.binary.size();
  file.json["buffers"][1] = {{"byteLength", count * stride},
                             {"extensions", {{"EXT_meshopt_compression", {{"fallback", true}}}}}};
  Json& to = file.json["bufferViews"][view];
  to["buffer"] = 1;
  to["byteOffset"] = 0;
  to["byteLength"] = count * stride;
  to["extensions"]["EXT_meshopt_compression"] = {
      {"buffer", 0},      {"byteOffset", offset}, {"byteLength", bytes.size()},
      {"stride", stride}, {"byteStride", stride}, {"count", count},
      {"mode", mode},     {"filter", filter}};
  file.json["extensionsUsed"] = file.json["extensionsRequired"] = {"EXT_meshopt_compression"};
}

template <class Encode>
std::string encoded(size_t bound, Encode&& encode) {
  std::string bytes(bound, '\0');
  bytes.resize(encode(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()));
  return bytes;
}

// A file that does not require the extension has the data unpacked as well, and the reader decodes nothing.
TEST(GltfPacked, PlainDataBesideMeshopt) {
  File file;
  const std::vector<glm::vec3> plain = corners(read(file.glb()));
  file.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"] = {
      {"buffer", 0}, {"byteLength", 4}, {"byteStride", 12}, {"count", 4}, {"mode", "ATTRIBUTES"}};
  file.json["extensionsUsed"] = {"EXT_meshopt_compression"};
  EXPECT_EQ(corners(read(file.glb())), plain);
  EXPECT_TRUE(read(file.glb()).warnings.empty());
  file.json["extensionsRequired"] = {"EXT_meshopt_compression"};
  EXPECT_NE(error_of(file.glb()).find("cannot be decoded"), std::string::npos) << error_of(file.glb());
}

TEST(GltfPacked, Meshopt) {
  File file;
  const std::string positions = file.binary.substr(0, 48);
  const std::vector<uint32_t> triangles = {0, 1, 2, 0, 2, 3};
  pack_view(file, 0,
            encoded(meshopt_encodeVertexBufferBound(4, 12),
                    [&](unsigned char* to, size_t size) {
                      return meshopt_encodeVertexBuffer(to, size, positions.data(), 4, 12);
                    }),
            4, 12, "ATTRIBUTES");
  pack_view(
      file, 3,
      encoded(meshopt_encodeIndexBufferBound(6, 4),
              [&](unsigned char* to, size_t size) { return meshopt_encodeIndexBuffer(to, size, triangles.data(), 6); }),
      6, 2, "TRIANGLES");
  // Normals as octahedra in four bytes.
  std::vector<float> up;
  for (int i = 0; i < 4; i++) up.insert(up.end(), {0, 0, 1, 0});
  std::string normals(16, '\0');
  meshopt_encodeFilterOct(normals.data(), 4, 4, 8, up.data());
  pack_view(file, 1,
            encoded(meshopt_encodeVertexBufferBound(4, 4),
                    [&](unsigned char* to, size_t size) {
                      return meshopt_encodeVertexBuffer(to, size, normals.data(), 4, 4);
                    }),
            4, 4, "ATTRIBUTES", "OCTAHEDRAL");
  file.json["bufferViews"][1]["byteStride"] = 4;
  file.json["accessors"][1]["componentType"] = 5120;
  file.json["accessors"][1]["normalized"] = true;
  const Frame frame = read(file.glb());
  EXPECT_TRUE(frame.warnings.empty()) << frame.warnings[0];
  EXPECT_EQ(corners(frame), kSquare);
  for (const glm::vec3& normal : frame.normals) EXPECT_NEAR(glm::distance(normal, glm::vec3(0, 0, 1)), 0, 1e-6);

  File sequence;
  pack_view(sequence, 3,
            encoded(meshopt_encodeIndexSequenceBound(6, 4),
                    [&](unsigned char* to, size_t size) {
                      return meshopt_encodeIndexSequence(to, size, triangles.data(), 6);
                    }),
            6, 2, "INDICES");
  EXPECT_EQ(corners(read(sequence.glb())), kSquare);

  // The same file with damaged bytes draws nothing.
  File damaged = sequence;
  damaged.binary[size_t(damaged.json["bufferViews"][3]["extensions"]["EXT_meshopt_compression"]["byteOffset"])] = 'x';
  EXPECT_NE(error_of(damaged.glb()).find("cannot be decoded"), std::string::npos) << error_of(damaged.glb());
}

// The square with its data in the Draco buffer, and accessors without data.
File without_plain_data(const std::string& packed) {
  File file;
  for (const size_t number : {0u, 1u, 2u, 3u}) file.json["accessors"][number].erase("bufferView");
  file.json["bufferViews"] = {{{"buffer", 0}, {"byteOffset", file.binary.size()}, {"byteLength", packed.size()}}};
  file.binary += packed + std::string((4 - packed.size() % 4) % 4, '\0');
  file.json["buffers"][0]["byteLength"] = file.binary.size();
  file.primitive()["extensions"]["KHR_draco_mesh_compression"] = {
      {"bufferView", 0}, {"attributes", {{"POSITION", 0}, {"NORMAL", 1}, {"TEXCOORD_0", 2}}}};
  file.json["extensionsUsed"] = file.json["extensionsRequired"] = {"KHR_draco_mesh_compression"};
  return file;
}

#ifdef BROKKR_HAVE_DRACO
std::string packed_square(int method) {
  draco::TriangleSoupMeshBuilder builder;
  builder.Start(2);
  const int position = builder.AddAttribute(draco::GeometryAttribute::POSITION, 3, draco::DT_FLOAT32),
            normal = builder.AddAttribute(draco::GeometryAttribute::NORMAL, 3, draco::DT_FLOAT32),
            texcoord = builder.AddAttribute(draco::GeometryAttribute::TEX_COORD, 2, draco::DT_FLOAT32);
  for (uint32_t i = 0; i < 2; i++) {
    const glm::vec3* const p = &kSquare[3 * i];
    const glm::vec3 up(0, 0, 1);
    const draco::FaceIndex face(i);
    builder.SetAttributeValuesForFace(position, face, &p[0].x, &p[1].x, &p[2].x);
    builder.SetAttributeValuesForFace(normal, face, &up.x, &up.x, &up.x);
    builder.SetAttributeValuesForFace(texcoord, face, &p[0].x, &p[1].x, &p[2].x);
  }
  const std::unique_ptr<draco::Mesh> mesh = builder.Finalize();
  draco::Encoder encoder;
  encoder.SetEncodingMethod(method);
  draco::EncoderBuffer buffer;
  EXPECT_TRUE(encoder.EncodeMeshToBuffer(*mesh, &buffer).ok());
  return {buffer.data(), buffer.size()};
}

TEST(GltfPacked, Draco) {
  const auto of_triangles = [](const Frame& frame) {
    std::vector<glm::vec3> sorted = corners(frame);
    std::ranges::sort(sorted, [](const glm::vec3& a, const glm::vec3& b) {
      return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z);
    });
    return sorted;
  };
  for (const int method : {int(draco::MESH_SEQUENTIAL_ENCODING), int(draco::MESH_EDGEBREAKER_ENCODING)}) {
    const std::string packed = packed_square(method);
    File file = without_plain_data(packed);
    const Frame frame = read(file.glb());
    EXPECT_TRUE(frame.warnings.empty()) << frame.warnings[0];
    EXPECT_EQ(of_triangles(frame), of_triangles(read(File().glb())));
    EXPECT_EQ(frame.normals.at(3), glm::vec3(0, 0, 1));

    file.json["accessors"][0]["count"] = 5;
    EXPECT_NE(error_of(file.glb()).find("Draco packs 4 vertices"), std::string::npos) << error_of(file.glb());
    for (const size_t cut : {4u, 12u, 40u}) {
      const std::string error = error_of(without_plain_data(packed.substr(0, cut)).glb());
      EXPECT_NE(error.find("Draco data"), std::string::npos) << error;
    }
    // A header that declares more triangles than any memory holds.
    std::string bomb = packed.substr(0, 11);
    if (method == draco::MESH_EDGEBREAKER_ENCODING) bomb += std::string("\0\x04", 2);
    bomb += "\xff\xff\xff\xff\x04" + packed.substr(13);
    EXPECT_NE(error_of(without_plain_data(bomb).glb()).find("cannot be decoded"), std::string::npos);
  }
}
#else
TEST(GltfPacked, Draco) {
  const std::string error = error_of(without_plain_data("DRACO").glb());
  EXPECT_NE(error.find("libdraco-dev"), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos);
}
#endif

TEST(GltfPacked, PicturesOfOtherFormats) {
  const auto pictured = [](const std::string& bytes) {
    File file;
    file.json["images"] = {{{"uri", "data:image/x;base64," + base64(bytes)}}};
    file.json["textures"] = Json::parse(R"([{"extensions": {"EXT_texture_webp": {"source": 0}}}])");
    file.json["materials"] = Json::parse(
        R"([{"pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 1], "baseColorTexture": {"index": 0}}}])");
    file.primitive()["material"] = 0;
    return read(file.glb());
  };
  for (const auto& [bytes, word] :
       std::vector<std::pair<std::string, std::string>>{{"\xabKTX 20\xbb\r\n\x1a\n", "KTX2"},
                                                        {"DDS 1234", "DDS"},
                                                        {"GIF89a", "GIF"},
                                                        {"xxxxftypavifxxxx", "AVIF"}}) {
    const Frame frame = pictured(bytes);
    EXPECT_TRUE(warns(frame, "images 0: ")) << word;
    EXPECT_TRUE(warns(frame, word));
    EXPECT_TRUE(frame.textures.empty());
  }
#ifdef BROKKR_HAVE_WEBP
  const std::vector<uint8_t> rgba = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 128};
  uint8_t* made = nullptr;
  const size_t size = WebPEncodeLosslessRGBA(rgba.data(), 2, 2, 8, &made);
  const std::string webp(reinterpret_cast<const char*>(made), size);
  WebPFree(made);
  const Frame frame = pictured(webp);
  EXPECT_TRUE(frame.warnings.empty()) << frame.warnings[0];
  EXPECT_EQ(frame.textures.at(0).texels, (std::vector<uint32_t>{0xffff0000u, ~0u, 0xff0000ffu, 0xff00ff00u}));
  EXPECT_TRUE(warns(pictured(webp.substr(0, 40)), "images 0: "));
#else
  EXPECT_TRUE(warns(pictured(std::string("RIFF\0\0\0\0WEBP", 12)), "libwebp-dev"));
#endif
}

TEST(GltfPacked, MissingPictures) {
  const auto material = [](const char* text) {
    File file;
    file.json["images"] = {{{"uri", "gone.png"}}};
    file.json["textures"] = {{{"source", 0}}};
    file.json["materials"] = Json::array({Json::parse(text)});
    file.primitive()["material"] = 0;
    const Frame frame = read(file.glb());
    EXPECT_TRUE(warns(frame, "images 0: 'gone.png' is missing")) << text;
    return frame.materials.at(0);
  };
  // The picture contained all of the colour; without it the default material remains.
  const Material plain =
      material(R"({"pbrMetallicRoughness": {"metallicFactor": 0, "baseColorTexture": {"index": 0}}})");
  EXPECT_EQ(plain.metallic, 1);
  EXPECT_EQ(plain.diffuse, glm::vec3(1));
  const Material red = material(
      R"({"pbrMetallicRoughness": {"metallicFactor": 0, "baseColorFactor": [1, 0, 0, 1], "baseColorTexture": {"index": 0}}})");
  EXPECT_EQ(red.metallic, 0);
  EXPECT_EQ(red.diffuse, glm::vec3(1, 0, 0));
  const Material bumped = material(R"({"pbrMetallicRoughness": {"metallicFactor": 0}, "normalTexture": {"index": 0}})");
  EXPECT_EQ(bumped.metallic, 0);
}

TEST(GltfPacked, PointsAndLinesAreDrawn) {
  const auto marks = [](int mode) {
    File file;
    file.primitive() = {{"attributes", {{"POSITION", 0}}}, {"mode", mode}};
    LoadOptions options;
    options.camera = "eye=0.5,0.5,4 target=0.5,0.5,0";
    options.width = options.height = 100;
    return read(file.glb(), options);
  };
  constexpr uint64_t kPoint = 8, kLine = 12;  // triangles
  EXPECT_EQ(triangle_count(marks(0)), 4 * kPoint);
  EXPECT_EQ(triangle_count(marks(1)), 2 * kLine);
  EXPECT_EQ(triangle_count(marks(2)), 4 * kLine);
  EXPECT_EQ(triangle_count(marks(3)), 3 * kLine);
  const Frame frame = marks(3);
  EXPECT_TRUE(frame.warnings.empty());
  EXPECT_TRUE(frame.materials[draw(frame, 0).material].unlit);
  // A line one pixel wide: a corner is at most that far from its line.
  for (const glm::vec3& corner : corners(frame)) {
    EXPECT_LT(std::abs(corner.z), 0.04f);
    EXPECT_LT(std::min({std::abs(corner.y), std::abs(corner.x - 1), std::abs(corner.y - 1)}), 0.04f);
  }
  File indexed;
  indexed.primitive()["mode"] = 0;
  indexed.json["accessors"][3]["count"] = 3;
  EXPECT_EQ(triangle_count(read(indexed.glb())), 3 * kPoint);
  indexed.binary[128] = 9;
  EXPECT_EQ(triangle_count(read(indexed.glb())), 2 * kPoint);
  EXPECT_TRUE(warns(read(indexed.glb()), "vertex 9 is not among the 4; its point is left out"));
}

}  // namespace
}  // namespace brokkr
