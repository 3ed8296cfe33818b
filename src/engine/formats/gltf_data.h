// The parts of a glTF 2.0 file: its JSON, and the content of its accessors, buffer views and buffers. Sizes and offsets
// are checked before anything is read. Every error is a std::runtime_error whose message names the part and the field.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/loading.h"
#include "formats/resources.h"

namespace brokkr {

// Meshes that KHR_draco_mesh_compression has packed. A build without libdraco (BROKKR_DRACO) cannot read them.
struct DracoMesh {
  struct Attribute {
    uint32_t components = 0;
    std::vector<float> values;  // vertex by vertex; normalized integers become -1 or 0 to 1
  };
  uint64_t vertices = 0;
  std::vector<uint32_t> indices;        // three for each triangle
  std::map<uint64_t, Attribute> by_id;  // by Draco's unique number
};

inline constexpr bool kHasDraco =
#ifdef BROKKR_HAVE_DRACO
    true;
#else
    false;
#endif

// Throws std::runtime_error with the problem and the remedy, and LimitReached.
DracoMesh decode_draco(std::span<const std::byte> data, std::span<const uint64_t> ids, Loading& loading);

// The value of a number that the file need not contain.
inline constexpr uint64_t kGltfNone = ~uint64_t(0);

// One object of the JSON, with its name in messages: "accessor 3". Missing members have defaults.
class GltfPart {
 public:
  using Json = nlohmann::json;
  GltfPart(const Json& json, std::string place) : json_(&json), place_(std::move(place)) {}

  bool has(const char* key) const { return find(key) != nullptr; }
  // The number of an array's element, a count or an offset: 0 .. 2^53.
  uint64_t whole(const char* key) const;  // it must exist
  uint64_t whole(const char* key, uint64_t missing) const { return has(key) ? whole(key) : missing; }
  double number(const char* key, double missing) const;  // finite
  bool flag(const char* key, bool missing = false) const;
  const std::string& place() const { return place_; }
  std::string text(const char* key, const std::string& missing = {}) const;
  template <size_t kCount>
  std::array<double, kCount> numbers(const char* key, std::array<double, kCount> missing) const {
    if (has(key)) read_numbers(key, missing);
    return missing;
  }
  std::vector<uint64_t> wholes(const char* key) const;    // a list; empty if it is missing
  std::vector<std::string> texts(const char* key) const;  // a list; empty if it is missing
  std::vector<std::string> keys() const;                  // the keys of all its members
  std::vector<GltfPart> parts(const char* key) const;     // a list of objects; empty if it is missing
  GltfPart part(const char* key) const;                   // an object; empty if it is missing
  std::vector<float> floats(const char* key) const;       // a list; empty if it is missing
  [[noreturn]] void fail_at(const char* key, const std::string& problem_and_remedy) const;

 private:
  const Json* find(const char* key) const;
  void read_numbers(const char* key, std::span<double> numbers) const;

  const Json* json_;
  std::string place_;
};

class GltfData {
 public:
  // `file` is the text of a .gltf or the bytes of a .glb, and must outlive this object. `resources` reads the files
  // that it names.
  GltfData(std::span<const std::byte> file, const ResourceReader& resources, Loading& loading);

  // Counts the memory that is read, and decides whether to continue.
  Loading& loading() const { return loading_; }
  // Reports a line about something that is left out, once.
  void warn(const std::string& line) const { loading_.warn(line, "{}", line); }

  GltfPart root() const { return {json_, "file"}; }
  // Element `number` of a list of the file, such as "meshes". `referrer` and `key` name the part that refers to it.
  GltfPart element(const char* list, uint64_t number, const GltfPart& referrer, const char* key) const;
  size_t count(const char* list) const;

  // An accessor's values, `components` per element, as floats. Normalized integers become -1 or 0 to 1.
  std::vector<float> floats(uint64_t accessor, std::span<const uint32_t> components, const GltfPart& referrer,
                            const char* key, uint32_t* has_components = nullptr);
  std::vector<uint32_t> indices(uint64_t accessor, const GltfPart& referrer, const char* key);
  uint64_t elements_of(uint64_t accessor, const GltfPart& referrer, const char* key) const;
  // Returns true if the accessor's values are in the file, and not all zero.
  bool has_values(uint64_t accessor, const GltfPart& referrer, const char* key) const;
  // Unpacks the triangles of a primitive that Draco has packed. Its accessors then have their values.
  void unpack_draco(const GltfPart& primitive);
  // The file of an image.
  std::span<const std::byte> image(const GltfPart& image);

 private:
  struct Layout;
  struct Elements;
  void open_container(std::span<const std::byte> file);
  void parse_text(std::string_view text);
  void require_version();
  std::vector<std::byte> file_of(const std::string& uri, const GltfPart& referrer);
  bool has_plain_data(const GltfPart& view, const char* extension) const;
  std::span<const std::byte> buffer(uint64_t number, const GltfPart& referrer);
  std::span<const std::byte> view(uint64_t number, const GltfPart& referrer, const char* key, uint64_t* stride);
  std::span<const std::byte> unpacked(uint64_t number, const GltfPart& extension);
  std::span<const std::byte> contents(const std::string& uri, const GltfPart& referrer);
  Layout layout_of(const GltfPart& accessor) const;
  Elements elements(const GltfPart& part, const Layout& layout, uint64_t count);
  void take_whole_elements(const GltfPart& part, Layout& layout);
  void charge(uint64_t values, const GltfPart& accessor);
  template <typename Store>
  void each_element(const GltfPart& accessor, const Layout& layout, Store&& store);

  const ResourceReader& resources_;
  Loading& loading_;
  nlohmann::json json_;
  std::span<const std::byte> binary_;                       // the binary chunk of a .glb
  std::map<std::string, std::vector<std::byte>> contents_;  // by URI
  std::map<uint64_t, std::vector<std::byte>> unpacked_;     // buffer views that were compressed
  // Values of accessors that Draco has packed: components and floats, or indices.
  struct Plain {
    uint32_t components = 1;
    std::vector<float> values;
    std::vector<uint32_t> indices;
  };
  std::map<uint64_t, Plain> plain_;
  std::map<uint64_t, DracoMesh> draco_;  // by buffer view
  uint64_t bytes_ = 0, decoded_ = 0;     // available bytes, and values read from them
};

}  // namespace brokkr
