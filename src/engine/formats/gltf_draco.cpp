#include "formats/gltf_data.h"

#include <algorithm>

#include "base/failure.h"

#ifdef BROKKR_HAVE_DRACO
#include <draco/compression/decode.h>
#endif

namespace brokkr {

#ifdef BROKKR_HAVE_DRACO
namespace {

const char* const kDamaged = "its Draco data cannot be decoded; export the file again";

// The number of triangles in Draco's header. The decoder allocates memory for all of them before it reads the data.
uint64_t triangles_of(std::span<const std::byte> data) {
  constexpr size_t kVersion = 5, kKind = 7, kMethod = 8, kConnectivity = 11;  // offsets in bytes
  constexpr int kMesh = 1, kEdgebreaker = 1, kOldest = 2 << 8 | 2;            // glTF asks for bitstream 2.2
  if (data.size() <= kConnectivity + 1) fail("{}", kDamaged);
  const auto byte = [&](size_t offset) { return int(data[offset]); };
  if (byte(kVersion) << 8 < (kOldest & 0xff00) || (byte(kVersion) << 8 | byte(kVersion + 1)) < kOldest ||
      byte(kKind) != kMesh) {
    fail("its Draco data is not a mesh of version 2.2 or later; export the file again");
  }
  size_t offset = kConnectivity;
  const auto number = [&] {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (offset >= data.size()) fail("{}", kDamaged);
      const auto bits = uint64_t(data[offset++]);
      value |= (bits & 127) << shift;
      if ((bits & 128) == 0) return value;
    }
    fail("{}", kDamaged);
  };
  if (byte(kMethod) == kEdgebreaker) {
    offset++;  // the kind of traversal
    number();  // vertices
  }
  return number();
}

}  // namespace

DracoMesh decode_draco(std::span<const std::byte> data, std::span<const uint64_t> ids, Loading& loading) {
  constexpr uint64_t kMaxPerByte = 1024;    // triangles; no encoder packs more
  constexpr uint64_t kTriangleBytes = 160;  // size of the decoder's tables
  const uint64_t triangles = triangles_of(data);
  if (triangles > data.size() * kMaxPerByte) fail("{}", kDamaged);
  loading.check(triangles * kTriangleBytes, "KHR_draco_mesh_compression");
  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char*>(data.data()), data.size());
  draco::Decoder decoder;
  auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
  if (!decoded.ok()) fail("{}", kDamaged);
  const std::unique_ptr<draco::Mesh> mesh = std::move(decoded).value();
  DracoMesh result;
  result.vertices = mesh->num_points();
  loading.need(uint64_t(mesh->num_faces()) * 3 * sizeof(uint32_t), "KHR_draco_mesh_compression");
  for (uint32_t i = 0; i < mesh->num_faces(); i++) {
    loading.step(i, mesh->num_faces());
    for (const draco::PointIndex& corner : mesh->face(draco::FaceIndex(i))) result.indices.push_back(corner.value());
  }
  for (const uint64_t id : ids) {
    const draco::PointAttribute* const attribute = mesh->GetAttributeByUniqueId(uint32_t(id));
    if (attribute == nullptr) fail("its Draco data has no attribute {}; export the file again", id);
    DracoMesh::Attribute& copied = result.by_id[id];
    copied.components = uint32_t(std::clamp(int(attribute->num_components()), 0, 16));
    loading.need(result.vertices * copied.components * sizeof(float), "KHR_draco_mesh_compression");
    copied.values.resize(size_t(result.vertices) * copied.components);
    for (uint32_t i = 0; i < result.vertices; i++) {
      loading.step(i, result.vertices);
      const draco::AttributeValueIndex value = attribute->mapped_index(draco::PointIndex(i));
      if (!attribute->ConvertValue<float>(value, int8_t(copied.components),
                                          &copied.values[size_t(i) * copied.components]))
        fail("{}", kDamaged);
    }
  }
  return result;
}
#else
DracoMesh decode_draco(std::span<const std::byte>, std::span<const uint64_t>, Loading&) {
  fail("it is packed by Draco, which this build cannot read; install libdraco-dev and build again, or export without");
}
#endif

}  // namespace brokkr
