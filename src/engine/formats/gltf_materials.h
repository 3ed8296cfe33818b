// Materials of a glTF file with their textures: what each is in the frame.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "brokkr/frame.h"
#include "formats/gltf_data.h"

namespace brokkr {

class GltfMaterials {
 public:
  // Materials and textures are appended to `frame`. Textures have at most `max_pixels` in all.
  GltfMaterials(GltfData& data, Frame& frame, uint64_t max_pixels)
      : data_(data), frame_(frame), pixels_left_(max_pixels) {}

  struct Made {
    uint32_t number = 0;  // in Frame::materials
    bool opaque = true;   // no alpha counts
    bool blended = false, two_sided = false;
    bool second_texcoords = false;  // TEXCOORD_1 is read
  };

  // Material `number`, kGltfNone for the default one; `from` is the primitive that has it. One that cannot be read is
  // the default one, after a warning.
  Made make(uint64_t number, const GltfPart& from);

 private:
  // How the channels of a picture are used.
  enum class Channels : uint8_t { all, opaque, glossiness };

  Made read(uint64_t number, const GltfPart& from);
  Material surface(const GltfPart& part);
  void specular_glossiness(const GltfPart& part, bool opaque, Material& material);
  int texture(const GltfPart& owner, const char* key, bool srgb, Channels channels, TextureMapping& mapping);
  int load(const GltfPart& use, const GltfPart& texture, bool srgb, Channels channels);
  TextureMapping mapping(const GltfPart& use);
  Sampler sampler(const GltfPart& texture) const;

  GltfData& data_;
  Frame& frame_;
  uint64_t pixels_left_;
  std::map<uint64_t, Made> made_;
  // By picture, whether it is sRGB, its channels, and sampler; -1: it cannot be read.
  std::map<std::tuple<uint64_t, bool, Channels, uint64_t>, int> textures_;
};

}  // namespace brokkr
