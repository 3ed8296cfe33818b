#include "formats/sources.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

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

// Collects triangles.
class Facets {
 public:
  explicit Facets(Loading& loading) : loading_(loading), numbers_(loading) {}

  // Adds facet `number` of the file, counted from 1, with three or more corners.
  void add(std::span<const glm::vec3> corners, uint64_t number, const glm::vec3* color = nullptr) {
    for (const glm::vec3& corner : corners) {
      if (is_usable(corner)) continue;
      return loading_.warn("nan", "facet {}: a vertex is not finite or beyond 1e15; the facet is left out", number);
    }
    if (mesh_.triangles.size() + corners.size() > kMaxTriangles) {
      fail_limit("field 'facet {}': there are more than 67 million triangles; split the model", number);
    }
    cut_.clear();
    if (corners.size() == 3) {
      cut_.push_back({0, 1, 2});
    } else {
      triangulate(corners, cut_, &loading_);
    }
    for (const std::array<uint32_t, 3>& triangle : cut_) {
      ObjTriangle added;
      added.material = 0;
      for (size_t i = 0; i < 3; i++) added.corners[i].position = number_of(corners[triangle[i]]);
      push_in_steps(mesh_.triangles, added, loading_);
      if (color != nullptr) push_in_steps(mesh_.face_colors, *color, loading_);
    }
    if (mesh_.triangles.size() / kCheckEvery == checked_) return;
    checked_ = mesh_.triangles.size() / kCheckEvery;
    check_mesh(mesh_, loading_, "facet");
    loading_.check(mesh_.positions.size() * kTableBytes, "facet");
  }
  ObjMesh take() { return std::move(mesh_); }

 private:
  static constexpr size_t kCheckEvery = 1024;
  static constexpr uint64_t kTableBytes = VertexNumbers<3>::kBytes;

  int number_of(glm::vec3 position) {
    position += 0.0f;  // -0 and 0 are the same place
    const uint32_t number =
        numbers_.number_of({std::bit_cast<uint32_t>(position.x), std::bit_cast<uint32_t>(position.y),
                            std::bit_cast<uint32_t>(position.z)});
    if (number == mesh_.positions.size()) push_in_steps(mesh_.positions, position, loading_);
    return int(number);
  }

  Loading& loading_;
  ObjMesh mesh_;
  VertexNumbers<3> numbers_;
  std::vector<std::array<uint32_t, 3>> cut_;
  size_t checked_ = 0;
};

uint32_t read_u32(std::span<const std::byte> bytes, size_t offset) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; i++) value |= uint32_t(bytes[offset + i]) << 8 * i;
  return value;
}

// Returns true if `word` is the letters `lower` in any case: no other characters become letters by the bit that tells
// cases apart.
bool is_word(std::string_view word, std::string_view lower) {
  if (word.size() != lower.size()) return false;
  for (size_t i = 0; i < word.size(); i++) {
    if (char(word[i] | 0x20) != lower[i]) return false;
  }
  return true;
}

// Text begins with "solid", but so do some binary files; their zeros identify them.
bool is_text(std::span<const std::byte> file) {
  constexpr size_t kLooked = 512;
  const std::string_view begin = as_text(file.first(std::min(file.size(), kLooked)));
  return std::ranges::all_of(begin, [](unsigned char c) { return c >= ' ' || c == '\t' || c == '\r' || c == '\n'; });
}

uint32_t attribute_of(std::span<const std::byte> file, uint64_t facet) {
  return read_u32(file, kHeader + facet * kFacet + kFacet - 4) >> 16;
}

// The colour of a facet is in its last two bytes, five bits per channel. Magics writes the file's colour in the header
// and marks facets that have no colour of their own; VisCAM and others mark those that have one. Some programs do both:
// if all facets are marked and have several colours, these colours are used.
class FacetColors {
 public:
  FacetColors(std::span<const std::byte> file, uint64_t facets) {
    constexpr std::string_view kMark = "COLOR=";
    const std::string_view header = as_text(file.first(kCountAt));
    const size_t mark = header.find(kMark);
    is_magics_ = mark != std::string_view::npos && mark + kMark.size() + 3 <= header.size();
    for (int i = 0; i < 3 && is_magics_; i++)
      common_[i] = float(static_cast<unsigned char>(header[mark + kMark.size() + size_t(i)])) / 255.0f;
    bool all_marked = true, differ = false;
    for (uint64_t i = 0; i < facets; i++) {
      const uint32_t bits = attribute_of(file, i);
      all_marked &= (bits & kFlag) != 0;
      differ |= bits != attribute_of(file, 0);
      has_any_ |= bits != 0;
      has_marked_ |= (bits & kFlag) != 0;
    }
    if (all_marked && differ) is_magics_ = false;
  }

  bool has_colors() const { return is_magics_ || has_marked_; }
  bool has_others() const { return has_any_ && !has_colors(); }

  glm::vec3 color(uint32_t bits) const {
    if (((bits & kFlag) != 0) == is_magics_) return common_;
    const auto part = [&](int shift) { return float(bits >> shift & 31) / 31.0f; };
    return is_magics_ ? glm::vec3(part(0), part(5), part(10)) : glm::vec3(part(10), part(5), part(0));
  }

 private:
  static constexpr uint32_t kFlag = 0x8000;
  bool is_magics_ = false, has_any_ = false, has_marked_ = false;
  glm::vec3 common_{1.0f};
};

ObjMesh read_binary(std::span<const std::byte> file, Loading& loading) {
  const uint64_t said = read_u32(file, kCountAt), there = (file.size() - kHeader) / kFacet;
  uint64_t count = said;
  if (said > there || said == 0) {
    // Some programs never return to the header, and leave 0 or ffffffff there.
    count = there;
    if (there > 0) loading.warn("count", "it says {} triangles but has the bytes of {}, which are drawn", said, there);
  } else if (file.size() != kHeader + kFacet * said) {
    loading.warn("count", "{} bytes after its {} triangles are left out", file.size() - kHeader - kFacet * said, said);
  }
  const FacetColors colors(file, count);
  if (colors.has_others()) loading.warn("attribute", "the attribute bytes of facets are not colours; left out");
  Facets facets(loading);
  for (uint64_t i = 0; i < count; i++) {
    const size_t facet = kHeader + size_t(i) * kFacet;
    loading.step(facet, file.size());
    std::array<glm::vec3, 3> corners{};
    for (size_t corner = 0; corner < 3; corner++) {
      for (size_t k = 0; k < 3; k++) {
        corners[corner][int(k)] =
            std::bit_cast<float>(read_u32(file, facet + kNormalBytes + corner * kPositionBytes + k * 4));
      }
    }
    const glm::vec3 color = colors.color(attribute_of(file, i));
    facets.add(corners, i + 1, colors.has_colors() ? &color : nullptr);
  }
  return facets.take();
}

class TextReader {
 public:
  TextReader(std::string_view text, Loading& loading)
      : scanner_(text), size_(text.size()), loading_(loading), facets_(loading) {}

  ObjMesh read() {
    for (std::string_view word = scanner_.word(); !word.empty(); word = scanner_.word()) {
      loading_.step(size_ - scanner_.rest().size(), size_);
      if (is_word(word, "vertex")) {
        read_vertex();
      } else if (is_word(word, "facet")) {
        end_facet();
        number_++;
        read_normal();
      } else if (is_word(word, "endloop") || is_word(word, "endfacet")) {
        end_facet();
      } else if (is_word(word, "solid") || is_word(word, "endsolid")) {
        skip_name();
      } else if (word.starts_with('#')) {
        scanner_.line();
      } else if (!is_word(word, "outer") && !is_word(word, "loop")) {
        loading_.warn("word", "facet {}: '{}' is not a word of STL; its line is left out", number_, word.substr(0, 40));
        scanner_.line();
      }
    }
    end_facet();
    return facets_.take();
  }

 private:
  // Skips any words to the end of the line, or to the first facet if the whole file is one line.
  void skip_name() {
    const std::string_view rest = scanner_.rest(), line = scanner_.line();
    for (const std::string_view mark : {std::string_view("facet normal"), std::string_view("FACET NORMAL")}) {
      const size_t found = line.find(mark);
      if (found != std::string_view::npos) scanner_ = TextScanner(rest.substr(found));
    }
  }

  // The normal is ignored, because the reader computes normals.
  void read_normal() {
    const TextScanner before = scanner_;
    if (!is_word(scanner_.word(), "normal")) {
      scanner_ = before;
      return;
    }
    for (int i = 0; i < 3; i++) {
      const TextScanner next = scanner_;
      const std::string_view word = scanner_.word();
      if (!is_word(word, "outer") && !is_word(word, "vertex")) continue;
      scanner_ = next;
      return;
    }
  }

  void read_vertex() {
    glm::vec3 position(0.0f);
    for (int i = 0; i < 3 && !bad_; i++) {
      // A word that is not a number belongs to the next statement.
      const TextScanner before = scanner_;
      const std::string_view word = scanner_.word();
      const auto number = TextScanner(word).number<float>();
      bad_ = !number;
      position[i] = number.value_or(0);
      if (bad_ && (word.empty() || std::isalpha(static_cast<unsigned char>(word[0])))) scanner_ = before;
    }
    if (corners_.size() > kMaxPolygon) {
      fail_limit("field 'facet {}': it has more than 1024 vertices; triangulate the model", number_);
    }
    corners_.push_back(position);
  }

  void end_facet() {
    if (corners_.empty()) return;
    if (bad_) {
      loading_.warn("vertex", "facet {}: a vertex does not have three numbers; the facet is left out", number_);
    } else if (corners_.size() < 3) {
      loading_.warn("corners", "facet {}: it does not have three vertices; the facet is left out", number_);
    } else {
      facets_.add(corners_, number_);
    }
    corners_.clear();
    bad_ = false;
  }

  TextScanner scanner_;
  size_t size_;
  Loading& loading_;
  Facets facets_;
  std::vector<glm::vec3> corners_;
  uint64_t number_ = 0;
  bool bad_ = false;
};

ObjMesh parse(std::span<const std::byte> file, Loading& loading) {
  const bool exact = file.size() >= kHeader && file.size() == kHeader + kFacet * uint64_t(read_u32(file, kCountAt));
  if (exact) return read_binary(file, loading);
  const std::string_view begin = as_text(file.first(std::min<size_t>(file.size(), 2)));
  if (begin == "\xff\xfe" || begin == "\xfe\xff") fail("field 'file': its text is UTF-16; save it as UTF-8");
  // Zeros behind a text, or the end that DOS gave it, make it no binary file.
  size_t size = file.size();
  while (size > 0 && (file[size - 1] == std::byte(0) || file[size - 1] == std::byte(0x1a))) size--;
  if (is_text(file.first(size))) {
    const std::string_view text = without_mark(as_text(file.first(size)));
    if (is_word(TextScanner(text.substr(0, 64)).word(), "solid") ||
        is_word(TextScanner(text.substr(0, 64)).word(), "facet")) {
      return TextReader(text, loading).read();
    }
    fail("field 'file': its {} bytes are text that does not begin with 'solid'; name an STL file", file.size());
  }
  if (file.size() < kHeader) fail("field 'file': {} bytes are not an STL file; name another one", file.size());
  return read_binary(file, loading);
}

}  // namespace

Frame read_stl(std::span<const std::byte> file, std::string_view name, const LoadOptions& options) {
  return named_frame(name, options, [&](Loading& loading) {
    loading.holds(file.size(), "file");
    loading.until(0.6);
    ObjMesh mesh = parse(file, loading);
    if (mesh.triangles.empty()) {
      const std::vector<std::string> warnings = loading.warnings();
      if (warnings.empty()) fail("field 'triangles': there are none; name an STL file with triangles");
      fail("field 'triangles': there are none that can be drawn ({}); export the file again", warnings[0]);
    }
    ObjMaterial& surface = mesh.materials.emplace_back();
    surface.material.name = "default";
    if (!mesh.face_colors.empty()) surface.material.diffuse = glm::vec3(1);
    return make_frame(std::move(mesh), {}, options, loading);
  });
}

Frame read_stl(const std::filesystem::path& path, const LoadOptions& options) {
  Loading loading(options);
  return read_stl(read_file(path, kMaxStlBytes, &loading), path.string(), options);
}

}  // namespace brokkr
