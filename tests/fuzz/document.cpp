#include "document.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "base/json_parse.h"
#include "frame/bkf_programs.h"

namespace brokkr::fuzz {
namespace {

using Json = nlohmann::ordered_json;
using Random = std::minstd_rand;

size_t below(Random& random, size_t count) { return count == 0 ? 0 : (size_t(random()) >> 4) % count; }

template <class Range>
auto pick(Random& random, const Range& range) {
  return range[below(random, std::size(range))];
}

// Mostly one, up to four changes, because each change may make the file invalid.
size_t few(Random& random) { return below(random, 2) == 0 ? 1 : 1 + below(random, 4); }

constexpr std::array<double, 24> kReals = {0,
                                           -0.0,
                                           1,
                                           -1,
                                           0.5,
                                           -0.5,
                                           2,
                                           8,
                                           0.00390625,
                                           1e-6,
                                           3.7,
                                           255,
                                           16384,
                                           -16384,
                                           1e10,
                                           1e15,
                                           -1e30,
                                           3.4e38,
                                           1e308,
                                           1.2e-38,
                                           1e-45,
                                           5e-324,
                                           std::numeric_limits<double>::infinity(),
                                           std::numeric_limits<double>::quiet_NaN()};
constexpr std::array<int64_t, 22> kIntegers = {0,
                                               1,
                                               2,
                                               3,
                                               4,
                                               8,
                                               16,
                                               31,
                                               64,
                                               100,
                                               255,
                                               256,
                                               4096,
                                               65535,
                                               65536,
                                               -1,
                                               -2,
                                               std::numeric_limits<int32_t>::max(),
                                               std::numeric_limits<int32_t>::min(),
                                               std::numeric_limits<uint32_t>::max(),
                                               std::numeric_limits<int64_t>::max(),
                                               std::numeric_limits<int64_t>::min()};

std::vector<std::string> split(std::string_view text, std::string_view between) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t end = text.find(between);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + between.size());
  }
}

// Collects the keys of every object in a frame file, object by object.
class KeyLists {
 public:
  static constexpr bool kReads = false;  // like a writer: all keys exist

  static std::vector<std::vector<std::string>> all() {
    KeyLists lists;
    Frame frame;
    lists.visit(frame);
    bkf::FileDraw draw;
    draw.command.indexed = draw.has_program = true;
    bkf::FileTexture texture;
    texture.texture.stored = true;
    bkf::FileReference reference;
    reference.has_color = reference.has_depth = true;
    lists.visit(draw), lists.visit(texture), lists.visit(reference);
    lists.visit_each<Target, State, ClearCommand, BlitCommand, LoadCommand, GenerateMipsCommand, CopyCommand,
                     FragmentProgram, CapturedSampler>();
    return std::move(lists.found_);
  }

  bool has(const char*) const { return true; }
  void constant(const char* key, const char*) { add(key); }
  void clamped(const char* key, const auto&) { add(key); }
  void bits(const char* key, const auto&, std::string_view) { add(key); }
  void target(const char* key, const auto&) { add(key); }
  void required(const char* key, const auto& member, const auto&...) { add(key), go_into(member); }
  void field(const char* key, const auto& member, const auto&...) { add(key), go_into(member); }
  void sparse(const char* key, const auto& member, const auto&...) { add(key), go_into(member); }
  template <typename T>
  void many(const char* key, const std::vector<T>&) {
    add(key);
    go_into(T{});
  }
  void object(const char* key, const auto& list) {
    add(key);
    open_.emplace_back();
    list(*this);
    close();
  }

 private:
  void add(const char* key) { open_.back().emplace_back(key); }
  void close() {
    found_.push_back(std::move(open_.back()));
    open_.pop_back();
  }
  void visit(const auto& value) {
    open_.emplace_back();
    bkf::visit_fields(*this, value);
    close();
  }
  template <typename... T>
  void visit_each() {
    (visit(T{}), ...);
  }
  template <typename T>
  void go_into(const T& value) {
    if constexpr (requires { bkf::visit_fields(*this, value); }) visit(value);
  }
  template <typename T>
  void go_into(const std::optional<T>&) {
    go_into(T{});
  }

  std::vector<std::vector<std::string>> open_, found_;
};

// Names that files use, in lists; the names of one list may replace each other.
const std::vector<std::vector<std::string>>& name_lists() {
  static const std::vector<std::vector<std::string>> all = [] {
    std::vector<std::vector<std::string>> found = KeyLists::all();
    for (const std::string_view list :
         {bkf::names_of(CompareFunc{}),
          bkf::names_of(CullMode{}),
          bkf::names_of(FrontFace{}),
          bkf::names_of(PolygonMode{}),
          bkf::names_of(Topology{}),
          bkf::names_of(ColorFormat{}),
          bkf::names_of(BlendFactor{}),
          bkf::names_of(BlendEquation{}),
          bkf::names_of(StencilOp{}),
          bkf::names_of(bkf::CommandType{}),
          bkf::kDrawFlags,
          bkf::names_of(ShaderType{}),
          bkf::names_of(Interpolation{}),
          bkf::names_of(TextureKind{}),
          bkf::names_of(TexelFormat{}),
          bkf::names_of(TexelBase{}),
          bkf::names_of(TargetPlane{}),
          bkf::names_of(TextureWrap{}),
          bkf::names_of(CombineOp{}),
          bkf::names_of(CombineSource{}),
          bkf::names_of(CombineOperand{}),
          bkf::names_of(EnvironmentMode{}),
          bkf::names_of(FogMode{}),
          bkf::names_of(SampledType{}),
          bkf::names_of(MipFilter{}),
          bkf::names_of(Swizzle{}),
          bkf::names_of(DepthMode{}),
          bkf::names_of(bkf::PictureType{}),
          std::string_view("asset, window, blob, targets, states, programs, textures, samplers, commands, skipped, "
                           "references, data, count, size, offset, type"),
          std::string_view("format, SCALAR, VEC2, VEC3, VEC4, MAT4, "
                           "POSITION, NORMAL, TEXCOORD_0, COLOR_0, sparse, normalized, byteStride, byteOffset, "
                           "matrix, rotation, scale, translation, children, mesh, camera, MASK, BLEND, OPAQUE, mode, "
                           "KHR_materials_unlit, data:;base64,AAAA, missing, complete, frames"),
          std::string_view("SCALAR, VEC2, VEC3, VEC4, MAT4"),
          std::string_view("MASK, BLEND, OPAQUE"),
          std::string_view("f32x2, f32x3, f32x4, u16, u32")}) {
      found.push_back(split(list, ", "));
    }
    return found;
  }();
  return all;
}

std::string any_name(Random& random) {
  const std::vector<std::string>& list = name_lists()[below(random, name_lists().size())];
  return pick(random, list);
}

// Mostly another name from a list that contains `name`.
std::string other_name(const std::string& name, Random& random) {
  std::vector<const std::vector<std::string>*> with;
  for (const std::vector<std::string>& list : name_lists()) {
    if (std::find(list.begin(), list.end(), name) != list.end()) with.push_back(&list);
  }
  if (with.empty() || below(random, 8) == 0) return any_name(random);
  return pick(random, *pick(random, with));
}

// A value inside an array or an object.
struct Place {
  Json* container;
  size_t number;
  Json& value() const { return *at(); }
  const std::string& key() const { return at().key(); }

 private:
  Json::iterator at() const { return std::next(container->begin(), std::ptrdiff_t(number)); }
};

void collect(Json& json, std::vector<Place>& places) {
  for (size_t i = 0; i < json.size() && json.is_structured(); ++i) {
    places.push_back({&json, i});
    collect(places.back().value(), places);
  }
}

std::vector<Place> places_of(Json& json) {
  std::vector<Place> places;
  collect(json, places);
  return places;
}

void change_number(Json& value, Random& random) {
  switch (below(random, 8)) {
    case 0: value = pick(random, kIntegers); break;
    case 1: value = pick(random, kReals); break;
    case 2:
    case 3:
    case 4:
      value = value.is_number_integer() ? Json(int64_t(uint64_t(value.get<int64_t>()) + below(random, 5) - 2))
                                        : Json(value.get<double>() * (double(below(random, 9)) - 4));
      break;
    default: value = int64_t(below(random, 40)); break;
  }
}

void change_value(Json& value, const std::vector<Place>& donors, Random& random) {
  if (value.is_boolean() && below(random, 4) != 0) {
    value = !value.get<bool>();
  } else if (value.is_number() && below(random, 4) != 0) {
    change_number(value, random);
  } else if (value.is_string() && below(random, 4) != 0) {
    value = other_name(value.get<std::string>(), random);
  } else if (!donors.empty() && below(random, 8) != 0) {
    // Mostly a value of the same kind.
    const Json* fresh = &pick(random, donors).value();
    for (int tries = 0; tries < 8 && fresh->type() != value.type(); ++tries) fresh = &pick(random, donors).value();
    value = Json(*fresh);
  } else if (below(random, 2) == 0) {
    value = nullptr;
  } else {
    change_number(value = 0, random);
  }
}

// The value that one of `places` has under this key; null if there is none.
const Json* value_of(const std::string& key, const std::vector<Place>& places, Random& random) {
  const size_t first = below(random, places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[(first + i) % places.size()];
    if (place.container->is_object() && place.key() == key) return &place.value();
  }
  return nullptr;
}

// Removes a value, duplicates it, or inserts another one beside it.
void change_container(const Place& place, const std::vector<Place>& donors, Random& random) {
  Json& container = *place.container;
  const auto here = std::next(container.begin(), std::ptrdiff_t(place.number));
  Json fresh = donors.empty() ? Json(0) : Json(pick(random, donors).value());
  if (below(random, 3) == 0) {
    container.erase(here);
  } else if (container.is_array()) {
    const size_t times = below(random, 16) == 0 ? below(random, 40) : 1;
    if (below(random, 2) == 0) fresh = Json(*here);
    for (size_t i = 0; i < times; ++i) container.insert(container.begin() + std::ptrdiff_t(place.number), fresh);
  } else {
    // Mostly a key that such an object may have, with a value that occurred under it.
    const std::string key = other_name(place.key(), random);
    const Json* const known = value_of(key, donors, random);
    container[key] = known == nullptr ? std::move(fresh) : Json(*known);
  }
}

std::string mutate_json(const std::string& text, const std::string& donor_text, Random& random) {
  Json json = parse_json_or_null<Json>(text), donor = parse_json_or_null<Json>(donor_text);
  if (!json.is_structured() || json.empty()) return donor_text;
  for (size_t changes = few(random); changes > 0; --changes) {
    const std::vector<Place> places = places_of(json), donors = places_of(donor);
    if (places.empty()) break;
    const Place place = pick(random, places);
    if (below(random, 8) == 0)
      change_container(place, donors, random);
    else
      change_value(place.value(), donors, random);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string number_text(Random& random) {
  constexpr std::array<const char*, 6> kOdd = {"nan", "inf", "-", "1e999", "0x10", "99999999999999999999"};
  switch (below(random, 5)) {
    case 0: return std::to_string(pick(random, kIntegers));
    case 1: return Json(pick(random, kReals)).dump();
    case 2: return pick(random, kOdd);
    default: return std::to_string(int64_t(below(random, 24)) - 4);
  }
}

// Changes one word; blanks, commas and slashes separate words.
void change_word(std::string& line, const std::string& donor, Random& random) {
  constexpr const char* kBetween = " ,/\t";
  std::vector<std::pair<size_t, size_t>> words;
  for (size_t at = 0; at < line.size();) {
    const size_t begin = line.find_first_not_of(kBetween, at);
    if (begin == std::string::npos) break;
    at = std::min(line.find_first_of(kBetween, begin), line.size());
    words.emplace_back(begin, at - begin);
  }
  if (words.empty()) return void(line = donor);
  const auto [begin, size] = pick(random, words);
  const std::vector<std::string> others = split(donor, " ");
  switch (below(random, 6)) {
    case 0: line.erase(begin, size); break;
    case 1: line.insert(begin, line.substr(begin, size) + pick(random, std::string_view(" ,/"))); break;
    case 2: line.replace(begin, size, pick(random, others)); break;
    default: line.replace(begin, size, number_text(random)); break;
  }
}

std::string mutate_lines(const std::string& text, const std::string& donor_text, Random& random) {
  std::vector<std::string> lines = split(text, "\n");
  const std::vector<std::string> donors = split(donor_text, "\n");
  for (size_t changes = few(random); changes > 0; --changes) {
    const size_t line = below(random, lines.size());
    const std::string other = pick(random, donors);
    const auto here = lines.begin() + std::ptrdiff_t(line);
    switch (below(random, 10)) {
      case 0:
        if (lines.size() > 1) lines.erase(here);
        break;
      case 1: lines.insert(here, 1 + (below(random, 8) == 0 ? below(random, 64) : 0), std::string(*here)); break;
      case 2: lines.insert(here, other); break;
      case 3: std::swap(*here, lines[below(random, lines.size())]); break;
      default: change_word(*here, other, random); break;
    }
  }
  std::string result = lines.front();
  for (size_t i = 1; i < lines.size(); ++i) result += "\n" + lines[i];
  return result;
}

// Changes arrays of 32-bit floats and integers.
std::string mutate_numbers(std::string bytes, const std::string& donor, Random& random) {
  if (bytes.size() < 4) return donor;
  for (size_t changes = 1 + below(random, 6); changes > 0; --changes) {
    const size_t at = below(random, bytes.size() / 4) * 4;
    uint32_t value = uint32_t(pick(random, kIntegers));
    const float real = below(random, 2) == 0 ? float(pick(random, kReals)) : float(below(random, 513)) / 128 - 2;
    if (below(random, 4) != 0) std::memcpy(&value, &real, 4);
    if (donor.size() >= 4 && below(random, 8) == 0)
      std::memcpy(&value, donor.data() + below(random, donor.size() / 4) * 4, 4);
    std::memcpy(bytes.data() + at, &value, 4);
  }
  if (below(random, 8) == 0) bytes += donor.substr(0, below(random, donor.size() + 1) / 16 * 16);
  if (below(random, 16) == 0) bytes.resize(below(random, bytes.size() + 1));
  return bytes;
}

std::string mutate_bytes(const std::string& bytes, ChangeBytes change) {
  std::vector<uint8_t> room(bytes.begin(), bytes.end());
  room.resize(bytes.size() + 256);
  const size_t size = change(room.data(), bytes.size(), room.size());
  return {room.begin(), room.begin() + std::ptrdiff_t(size)};
}

}  // namespace

std::vector<PartForm> forms_of(char kind) {
  using enum PartForm;
  switch (kind) {
    case 'F':
    case 'G': return {json, numbers};
    case 'O': return {lines, lines, bytes};
    case 'P': return {json};
    case 'L': return {lines, json};
    case 'Y': return {lines};
    case 'S': return {numbers};
    case 'R': return {bytes};
    default: return {};
  }
}

std::optional<Document> parse_document(std::string_view input) {
  if (input.empty() || forms_of(input[0]).empty()) return {};
  Document document{input[0], {}};
  input.remove_prefix(1);
  for (size_t left = forms_of(document.kind).size(); left > 0; --left) {
    const size_t end = left == 1 ? input.size() : std::min(input.find('\0'), input.size());
    document.parts.emplace_back(input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return document;
}

std::string input_of(const Document& document) {
  std::string input(1, document.kind);
  for (size_t i = 0; i < document.parts.size(); ++i) {
    if (i > 0) input += '\0';
    input += document.parts[i];
  }
  return input;
}

void mutate(Document& document, const Document& donor, std::minstd_rand& random, ChangeBytes bytes) {
  const std::vector<PartForm> forms = forms_of(document.kind);
  // The first part determines the meaning of the others, so it is changed half the time.
  const size_t number = below(random, 2) == 0 ? 0 : below(random, forms.size());
  std::string& part = document.parts[number];
  const std::string& from = donor.kind == document.kind ? donor.parts[number] : part;
  if (below(random, 16) == 0) return void(part = mutate_bytes(part, bytes));
  switch (forms[number]) {
    case PartForm::json: part = mutate_json(part, from, random); break;
    case PartForm::lines: part = mutate_lines(part, from, random); break;
    case PartForm::numbers: part = mutate_numbers(part, from, random); break;
    case PartForm::bytes: part = mutate_bytes(part, bytes); break;
  }
}

}  // namespace brokkr::fuzz
