// A glTF file that tests change, and helpers for its frame.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "formats/gltf.h"

namespace brokkr {

using Json = nlohmann::json;

inline std::string packed(uint64_t bits, size_t bytes) {
  std::string out;
  for (size_t i = 0; i < bytes; i++) out += char(bits >> 8 * i);
  return out;
}
inline std::string packed(const std::vector<float>& values) {
  std::string out;
  for (const float value : values) out += packed(std::bit_cast<uint32_t>(value), 4);
  return out;
}

inline std::string base64(const std::string& bytes) {
  const char* const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; k++) bits = bits << 8 | (i + k < bytes.size() ? uint8_t(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; k++) out += i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63];
  }
  return out;
}

inline std::span<const std::byte> as_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

// A square in z = 0 that faces +z, with normals, texture coordinates and 16-bit indices, at one node.
struct File {
  std::string binary = packed({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}) +              // 0: positions
                       packed({0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}) +              // 48: normals
                       packed({0, 1, 1, 1, 1, 0, 0, 0}) +                          // 96: texture coordinates
                       packed(0x0000000200010000, 6) + packed(0x000300020000, 6);  // 128: indices
  Json json = Json::parse(R"({
    "asset": {"version": "2.0"},
    "buffers": [{"byteLength": 140}],
    "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 48},
                    {"buffer": 0, "byteOffset": 96, "byteLength": 32}, {"buffer": 0, "byteOffset": 128, "byteLength": 12}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                  {"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC3"},
                  {"bufferView": 2, "componentType": 5126, "count": 4, "type": "VEC2"},
                  {"bufferView": 3, "componentType": 5123, "count": 6, "type": "SCALAR"}],
    "meshes": [{"name": "square", "primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2},
                "indices": 3}]}],
    "nodes": [{"mesh": 0}],
    "scenes": [{"nodes": [0]}]
  })");

  Json& primitive() { return json["meshes"][0]["primitives"][0]; }
  // Appends `bytes` to the buffer with a view and an accessor. Returns the accessor's number.
  size_t add(const std::string& bytes, int kind, size_t count, const char* type) {
    json["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", binary.size()}, {"byteLength", bytes.size()}});
    json["accessors"].push_back(
        {{"bufferView", json["bufferViews"].size() - 1}, {"componentType", kind}, {"count", count}, {"type", type}});
    binary += bytes + std::string((4 - bytes.size() % 4) % 4, '\0');
    json["buffers"][0]["byteLength"] = binary.size();
    return json["accessors"].size() - 1;
  }
  std::string glb() const {
    std::string text = json.dump();
    text.resize((text.size() + 3) / 4 * 4, ' ');
    const std::string chunks =
        packed(text.size(), 4) + "JSON" + text + packed(binary.size(), 4) + std::string("BIN\0", 4) + binary;
    return "glTF" + packed(2, 4) + packed(12 + chunks.size(), 4) + chunks;
  }
};

inline Frame read(const std::string& file, const LoadOptions& options = {}) {
  const ResourceReader none = [](const std::string& name, Loading&) -> std::vector<std::byte> {
    throw std::runtime_error("'" + name + "' is missing; put it there");
  };
  return read_gltf(as_bytes(file), "test.glb", none, options);
}

inline std::string error_of(const std::string& file) {
  try {
    read(file);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

inline const DrawCommand& draw(const Frame& frame, size_t number) {
  return std::get<DrawCommand>(frame.commands[number + 1]);
}

inline bool warns(const Frame& frame, const std::string& word) {
  return std::ranges::any_of(frame.warnings, [&](const auto& line) { return line.find(word) != line.npos; });
}

// Corners of all triangles of all instances in the world, in order.
inline std::vector<glm::vec3> corners(const Frame& frame) {
  std::vector<glm::vec3> result;
  for (size_t i = 0; i + 1 < frame.commands.size(); i++) {
    const DrawCommand& d = draw(frame, i);
    for (uint32_t instance = 0; instance < d.instances; instance++) {
      for (uint64_t k = d.first_index; k < d.first_index + d.element_count; k++) {
        result.emplace_back(frame.models[d.first_instance + instance] *
                            frame.positions[d.first_vertex + frame.indices[k]]);
      }
    }
  }
  return result;
}

inline const std::vector<glm::vec3> kSquare = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}};

}  // namespace brokkr
