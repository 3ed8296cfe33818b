#include "formats/stl.h"

#include <bit>
#include <cctype>
#include <cstring>
#include <string>
#include <utility>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/growth.h"
#include "base/text_scanner.h"
#include "formats/obj.h"
#include "formats/scene_setup.h"
#include "formats/vertex_numbers.h"

namespace brokkr {
namespace {

constexpr size_t kHeader = 84, kFacet = 50, kCountAt = 80, kNormalBytes = 12, kPositionBytes = 12;

// Collects corners, three to a triangle.
class Facets {
 public:
  explicit Facets(Loading& loading) : loading_(loading), numbers_(loading) {}

  void add(glm::vec3 position) {
    if (!is_usable(position)) {
      fail("field 'facet {}': a vertex is not finite or beyond 1e15; scale the model", corners_ / 3 + 1);
    }
    position += 0.0f;  // -0 and 0 are one place
    const uint32_t number =
        numbers_.number_of({std::bit_cast<uint32_t>(position.x), std::bit_cast<uint32_t>(position.y),
                            std::bit_cast<uint32_t>(position.z)});
    if (number == mesh_.positions.size()) push_in_steps(mesh_.positions, position, loading_);
    if (corners_ % 3 == 0) {
      if (mesh_.triangles.size() == kMaxTriangles) fail("there are more than 67 million triangles; split the model");
      push_in_steps(mesh_.triangles, {}, loading_);
      if (mesh_.triangles.size() % kCheckEvery == 0) {
        check_mesh(mesh_, loading_, "facet");
        loading_.check(mesh_.positions.size() * kTableBytes, "facet");
      }
    }
    mesh_.triangles.back().corners[corners_++ % 3].position = int(number);
  }
  size_t corners() const { return corners_; }
  ObjMesh take() { return std::move(mesh_); }

 private:
  static constexpr size_t kCheckEvery = 1024;
  static constexpr uint64_t kTableBytes = VertexNumbers<3>::kBytes;

  Loading& loading_;
  ObjMesh mesh_;
  VertexNumbers<3> numbers_;
  size_t corners_ = 0;
};

uint32_t read_u32(std::span<const std::byte> bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; i++) value |= uint32_t(bytes[at + i]) << 8 * i;
  return value;
}

bool is_binary(std::span<const std::byte> file) {
  return file.size() >= kHeader && file.size() == kHeader + kFacet * uint64_t(read_u32(file, kCountAt));
}

ObjMesh read_binary(std::span<const std::byte> file, Loading& loading) {
  Facets facets(loading);
  for (size_t at = kHeader; at + kFacet <= file.size(); at += kFacet) {
    loading.step(at, file.size());
    for (size_t corner = 0; corner < 3; corner++) {
      glm::vec3 position(0.0f);
      for (size_t i = 0; i < 3; i++) {
        position[int(i)] = std::bit_cast<float>(read_u32(file, at + kNormalBytes + corner * kPositionBytes + i * 4));
      }
      facets.add(position);
    }
  }
  return facets.take();
}

bool is_word(std::string_view word, std::string_view lower) {
  if (word.size() != lower.size()) return false;
  for (size_t i = 0; i < word.size(); i++) {
    if (std::tolower(static_cast<unsigned char>(word[i])) != lower[i]) return false;
  }
  return true;
}

ObjMesh read_ascii(std::string_view text, Loading& loading) {
  Facets facets(loading);
  TextScanner scanner(text);
  for (std::string_view word = scanner.word(); !word.empty(); word = scanner.word()) {
    loading.step(text.size() - scanner.rest().size(), text.size());
    const size_t facet = facets.corners() / 3 + 1;
    if (is_word(word, "solid") || is_word(word, "endsolid") || is_word(word, "facet")) {
      scanner.line();  // the solid's name, which may be any words, or the facet's normal
    } else if (is_word(word, "vertex")) {
      glm::vec3 position(0.0f);
      for (int i = 0; i < 3; i++) {
        const auto number = scanner.number<float>();
        if (!number) fail("field 'facet {}': a vertex has no three numbers; export the file again", facet);
        position[i] = *number;
      }
      facets.add(position);
    } else if (is_word(word, "endloop")) {
      if (facets.corners() % 3 != 0) fail("field 'facet {}': it has no three vertices; export the file again", facet);
    } else if (!is_word(word, "outer") && !is_word(word, "loop") && !is_word(word, "endfacet")) {
      fail("field 'facet {}': '{}' is no word of STL; export the file again", facet, word.substr(0, 40));
    }
  }
  if (facets.corners() % 3 != 0) fail("field 'facet': the last one is cut short; copy the file again");
  return facets.take();
}

ObjMesh parse(std::span<const std::byte> file, Loading& loading) {
  if (is_binary(file)) return read_binary(file, loading);
  if (is_word(TextScanner(as_text(file.first(std::min<size_t>(file.size(), 64)))).word(), "solid")) {
    return read_ascii(as_text(file), loading);
  }
  if (file.size() < kHeader) fail("field 'file': {} bytes are no STL file; name another one", file.size());
  const uint32_t count = read_u32(file, kCountAt);
  fail("field 'triangles': its {} bytes are not the 84 + 50 n of the {} triangles that it says; copy the file again",
       file.size(), count);
}

}  // namespace

Frame read_stl(std::span<const std::byte> file, std::string_view name, const LoadOptions& options) {
  return named_frame(name, options, [&](Loading& loading) {
    loading.holds(file.size(), "file");
    loading.until(0.6);
    ObjMesh mesh = parse(file, loading);
    if (mesh.triangles.empty()) fail("field 'triangles': there are none; name an STL file with triangles");
    return make_frame(std::move(mesh), {}, options, loading);
  });
}

Frame read_stl(const std::filesystem::path& path, const LoadOptions& options) {
  Loading loading(options);
  return read_stl(read_file(path, kMaxStlBytes, &loading), path.string(), options);
}

}  // namespace brokkr
