#include "formats/gltf_data.h"

#include <meshoptimizer.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/json_builder.h"
#include "base/json_parse.h"
#include "base/text_scanner.h"

namespace brokkr {
namespace {

constexpr uint64_t kMaxWhole = uint64_t(1) << 53;
constexpr uint64_t kMaxElements = uint64_t(1) << 31;
constexpr uint64_t kMaxJson = uint64_t(1) << 28;  // bytes
// The limit of values that are read for each byte of the file and of the files that it names. Exporters need at most
// one. This stops a file that reads the same bytes under many names.
constexpr uint64_t kValuesPerByte = 8;

uint32_t read_u32(std::span<const std::byte> bytes, size_t offset) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; i++) value |= uint32_t(bytes[offset + i]) << 8 * i;
  return value;
}

// The text without what people write into JSON and JSON does not have: comments, and commas behind the last element.
std::string plain_json(std::string_view given) {
  std::string text(given);
  size_t comma = std::string::npos;  // the last thing that is no white space is this comma
  for (size_t i = 0; i < text.size(); i++) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (text[i] == '/' && (next == '/' || next == '*')) {
      const size_t found = text.find(next == '/' ? "\n" : "*/", i + 2);
      const size_t end = found == std::string::npos ? text.size() : found + (next == '/' ? 0 : 2);
      std::fill(text.begin() + std::ptrdiff_t(i), text.begin() + std::ptrdiff_t(end), ' ');
      i = end - 1;
    } else if (text[i] == '"') {
      while (++i < text.size() && text[i] != '"') i += text[i] == '\\' ? 1 : 0;
      comma = std::string::npos;
    } else if (std::string_view(" \t\r\n").find(text[i]) == std::string_view::npos) {
      if ((text[i] == ']' || text[i] == '}') && comma != std::string::npos) text[comma] = ' ';
      comma = text[i] == ',' ? i : std::string::npos;
    }
  }
  return text;
}

// Takes the second of two members with one name under another name, which begins with its own.
class RepeatedMembers : public JsonBuilder<nlohmann::json> {
 public:
  static constexpr char kMark = '\0';
  RepeatedMembers(nlohmann::json& root, std::vector<std::string>& twice, Loading& loading)
      : JsonBuilder(root, &loading), twice_(twice) {}
  bool start_object(size_t size) {
    names_.emplace_back();
    return JsonBuilder::start_object(size);
  }
  bool end_object() {
    names_.pop_back();
    return JsonBuilder::end_object();
  }
  bool key(std::string& name) {
    if (!names_.back().insert(name).second) {
      twice_.push_back(name);
      name += kMark + fmt::format("{:012}", twice_.size());
    }
    return JsonBuilder::key(name);
  }

 private:
  std::vector<std::string>& twice_;
  std::vector<std::set<std::string>> names_;
};

// Gives the last of several members with one name that name.
void keep_last_members(nlohmann::json& value) {
  if (value.is_object()) {
    std::vector<std::string> repeated;  // in the order of the text
    for (const auto& [name, member] : value.items()) {
      if (name.find(RepeatedMembers::kMark) != std::string::npos) repeated.push_back(name);
    }
    for (const std::string& name : repeated) {
      value[name.substr(0, name.find(RepeatedMembers::kMark))] = std::move(value[name]);
      value.erase(name);
    }
  }
  for (nlohmann::json& member : value) {
    if (member.is_structured()) keep_last_members(member);
  }
}

// Names of members that an object has twice go to `twice`; the last one counts.
nlohmann::json parse_with_repeated_members(std::string_view text, std::vector<std::string>& twice, Loading& loading) {
  nlohmann::json root;
  RepeatedMembers builder(root, twice, loading);
  nlohmann::json::sax_parse(text, &builder);
  if (!twice.empty()) keep_last_members(root);
  return root;
}

// Empty if `text` is not base64. Lines may be broken, and the digits may be those for URLs.
std::optional<std::vector<std::byte>> base64_decoded(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<uint8_t, 256> digit_of;
  digit_of.fill(64);
  for (size_t i = 0; i < kDigits.size(); i++) digit_of[static_cast<unsigned char>(kDigits[i])] = uint8_t(i);
  digit_of['-'] = 62;
  digit_of['_'] = 63;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  uint32_t bits = 0, count = 0;
  for (const char c : text) {
    if (c == '=' || c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    const uint32_t digit = digit_of[static_cast<unsigned char>(c)];
    if (digit == 64) return std::nullopt;
    bits = bits << 6 | digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(std::byte(bits >> count & 0xff));
  }
  return bytes;
}

// Without white space around it.
std::string_view uri_of(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

bool is_data_uri(std::string_view uri) {
  constexpr std::string_view kData = "data:";
  return uri.size() >= kData.size() && std::ranges::equal(uri.substr(0, kData.size()), kData,
                                                          [](unsigned char a, char b) { return std::tolower(a) == b; });
}

// The content of a data: URI; empty if the URI is of another kind.
std::optional<std::vector<std::byte>> data_of(std::string_view uri) {
  const size_t comma = uri.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string kind(uri.substr(0, comma));
  std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  std::erase(kind, ' ');
  const std::string_view data = uri.substr(comma + 1);
  if (kind.ends_with(";base64")) {
    return data.find('%') == std::string_view::npos ? base64_decoded(data) : base64_decoded(percent_decoded(data));
  }
  const std::string text = percent_decoded(data);
  const auto bytes = std::as_bytes(std::span(text));
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

}  // namespace

void GltfPart::fail_at(const char* key, const std::string& problem_and_remedy) const {
  fail("{}, field '{}': {}", place_, key, problem_and_remedy);
}

const GltfPart::Json* GltfPart::find(const char* key) const {
  if (!json_->is_object()) return nullptr;
  const auto found = json_->find(key);
  return found == json_->end() || found->is_null() ? nullptr : &*found;  // null counts as missing
}

namespace {

// Numbers that are whole, "3" or "3.0".
std::optional<uint64_t> whole_of(const GltfPart::Json& value) {
  const double number = value.is_number() ? value.get<double>() : -1;
  const bool is_whole = number >= 0 && number <= double(kMaxWhole) && number == std::floor(number);
  return is_whole ? std::optional(uint64_t(number)) : std::nullopt;
}

}  // namespace

uint64_t GltfPart::whole(const char* key) const {
  const Json* value = find(key);
  if (!value) fail_at(key, "it is missing; export the file again");
  const std::optional<uint64_t> number = whole_of(*value);
  if (!number) fail_at(key, "it is no whole number from 0; export the file again");
  return *number;
}

double GltfPart::number(const char* key, double missing) const {
  const Json* value = find(key);
  if (!value) return missing;
  const double number = value->is_number() ? value->get<double>() : NAN;
  if (!std::isfinite(number)) fail_at(key, "it is not a number; export the file again");
  return number;
}

bool GltfPart::flag(const char* key, bool missing) const {
  const Json* value = find(key);
  return value && value->is_boolean() ? value->get<bool>() : missing;
}

std::string GltfPart::text(const char* key, const std::string& missing) const {
  const Json* value = find(key);
  if (!value) return missing;
  if (!value->is_string()) fail_at(key, "it is not a text; export the file again");
  return value->get<std::string>();
}

void GltfPart::read_numbers(const char* key, std::span<double> numbers) const {
  const Json& list = *find(key);
  const auto is_number = [](const Json& value) { return value.is_number() && std::isfinite(value.get<double>()); };
  if (!list.is_array() || list.size() != numbers.size() || !std::all_of(list.begin(), list.end(), is_number)) {
    fail_at(key, fmt::format("it is not a list of {} numbers; export the file again", numbers.size()));
  }
  for (size_t i = 0; i < numbers.size(); i++) numbers[i] = list[i].get<double>();
}

std::vector<uint64_t> GltfPart::wholes(const char* key) const {
  std::vector<uint64_t> result;
  const Json* list = find(key);
  if (!list) return result;
  for (const Json& value : *list) {
    const std::optional<uint64_t> number = whole_of(value);
    if (!number) fail_at(key, "it is no list of whole numbers; export the file again");
    result.push_back(*number);
  }
  return result;
}

std::vector<std::string> GltfPart::keys() const {
  std::vector<std::string> result;
  if (!json_->is_object()) return result;
  for (const auto& [key, value] : json_->items()) result.push_back(key);
  return result;
}

std::vector<float> GltfPart::floats(const char* key) const {
  std::vector<float> result;
  const Json* list = find(key);
  if (!list) return result;
  for (const Json& value : *list) {
    if (!value.is_number()) fail_at(key, "it is not a list of numbers; export the file again");
    result.push_back(value.get<float>());
  }
  return result;
}

std::vector<std::string> GltfPart::texts(const char* key) const {
  std::vector<std::string> result;
  const Json* list = find(key);
  if (!list) return result;
  for (const Json& value : *list) {
    if (!value.is_string()) fail_at(key, "it is not a list of texts; export the file again");
    result.push_back(value.get<std::string>());
  }
  return result;
}

std::vector<GltfPart> GltfPart::parts(const char* key) const {
  std::vector<GltfPart> result;
  const Json* list = find(key);
  if (!list) return result;
  if (!list->is_array()) fail_at(key, "it is not a list; export the file again");
  for (const Json& value : *list) result.emplace_back(value, fmt::format("{}, {} {}", place_, key, result.size()));
  return result;
}

GltfPart GltfPart::part(const char* key) const {
  static const Json kEmpty = Json::object();
  const Json* value = find(key);
  return {value ? *value : kEmpty, place_ + ", " + key};
}

GltfData::GltfData(std::span<const std::byte> file, const ResourceReader& resources, Loading& loading)
    : resources_(resources), loading_(loading), bytes_(file.size()) {
  open_container(file);
  if (!json_.is_object()) fail("field 'file': its JSON is not an object; name a glTF file");
  require_version();
}

// Files of glTF 1.0 have objects in the places where 2.0 has lists.
void GltfData::require_version() {
  const auto asset = json_.find("asset");
  const nlohmann::json said =
      asset != json_.end() && asset->is_object() ? asset->value("version", nlohmann::json()) : nlohmann::json();
  const std::string version = said.is_string() ? said.get<std::string>() : said.is_number() ? said.dump() : "";
  if (version.starts_with("2.") && said.is_string()) return;
  const auto meshes = json_.find("meshes");
  const bool has_lists = meshes == json_.end() || meshes->is_array();
  if (!has_lists || (!version.empty() && version[0] != '2')) {
    fail("field 'asset': version '{}' is not 2.x; export the file as glTF 2.0", version.substr(0, 20));
  }
  warn("field 'asset': its version is missing or not a text; drawn as glTF 2.0");
}

void GltfData::parse_text(std::string_view text) {
  try {
    json_ = parse_json<nlohmann::json>(text, &loading_);
    return;
  } catch (const LimitReached&) {
    throw;
  } catch (const std::runtime_error& error) {
    const std::string plain = plain_json(text);
    std::vector<std::string> twice;
    try {
      json_ = parse_with_repeated_members(plain, twice, loading_);
    } catch (const LimitReached&) {
      throw;
    } catch (const std::runtime_error&) {
      std::string message = error.what();
      std::ranges::replace_if(
          message, [](char c) { return c < ' ' || c > '~'; }, '?');
      fail("field 'JSON': {}; export the file again", message);
    }
    if (plain != text) warn("field 'JSON': it has comments, or commas behind the last element; passed over");
    for (const std::string& name : twice)
      loading_.warn("twice", "field 'JSON': '{}' is twice in one object; the last counts", name.substr(0, 40));
  }
}

void GltfData::open_container(std::span<const std::byte> file) {
  constexpr size_t kHeader = 12, kChunkHeader = 8;
  constexpr uint32_t kJson = 0x4e4f534a, kBinary = 0x004e4942;
  const auto parse = [&](std::span<const std::byte> bytes) {
    const std::string_view text = without_mark(as_text(bytes));
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
      fail("field 'file': its text is UTF-16; save it as UTF-8");
    const bool is_empty = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (is_empty) fail("field 'JSON': it is empty; export the file again");
    if (text.size() > kMaxJson)
      fail_limit("field 'JSON': it has more than 256 MiB; keep data in buffers outside of it");
    parse_text(text);
  };
  if (!as_text(file).starts_with("glTF")) return parse(file);
  if (file.size() < kHeader) fail("field 'header': the file ends in it; copy the file again");
  if (read_u32(file, 4) != 2) fail("field 'header': version {} is not 2; export glTF 2.0", read_u32(file, 4));
  const uint32_t said = read_u32(file, 8);
  if (said != file.size()) {
    loading_.warn("header length", "field 'header': it says {} bytes, and the file has {}", said, file.size());
  }
  // If the chunks are whole, a wrong length of the file is ignored.
  bool has_json = false;
  for (size_t offset = kHeader; offset + kChunkHeader <= file.size();) {
    uint32_t size = read_u32(file, offset);
    const uint32_t kind = read_u32(file, offset + 4);
    offset += kChunkHeader;
    if (size > file.size() - offset) {
      if (!has_json) fail("field 'chunk': the file ends in its JSON; copy it again");
      loading_.warn("cut", "field 'chunk': the file is incomplete; the rest of its data is drawn");
      size = uint32_t(file.size() - offset);
    }
    if (!has_json && kind != kJson) fail("field 'chunk': the first one is not JSON; export the file again");
    if (!has_json) parse(file.subspan(offset, size));
    if (has_json && kind == kBinary && binary_.empty()) binary_ = file.subspan(offset, size);
    has_json = true;
    offset += size;
  }
  if (!has_json) fail("field 'chunk': there is none; export the file again");
}

size_t GltfData::count(const char* list) const {
  const auto found = json_.find(list);
  return found != json_.end() && found->is_array() ? found->size() : 0;
}

GltfPart GltfData::element(const char* list, uint64_t number, const GltfPart& referrer, const char* key) const {
  if (number >= count(list)) {
    referrer.fail_at(key, fmt::format("{} is not among the {} {}; export the file again", number, count(list), list));
  }
  return {json_.at(list)[size_t(number)], fmt::format("{} {}", list, number)};
}

std::span<const std::byte> GltfData::contents(const std::string& uri, const GltfPart& referrer) {
  const auto known = contents_.find(uri);
  if (known != contents_.end()) return known->second;
  std::vector<std::byte> bytes;
  loading_.look(0, 1);
  if (is_data_uri(uri_of(uri))) {
    loading_.need(uri.size(), "uri");
    auto decoded = data_of(uri_of(uri));
    if (!decoded) referrer.fail_at("uri", "its data is no base64; export the file again");
    bytes = std::move(*decoded);
  } else {
    bytes = file_of(uri, referrer);
    bytes_ += bytes.size();
    loading_.need(bytes.size(), "uri");
  }
  return contents_.emplace(uri, std::move(bytes)).first->second;
}

// The file that a URI names. Some programs do not encode names, although a % must be encoded in a URI, and a URI ends
// before a ? or #.
std::vector<std::byte> GltfData::file_of(const std::string& uri, const GltfPart& referrer) {
  const std::string name = percent_decoded(uri);
  if (has_control_characters(name))
    referrer.fail_at("uri",
                     "it has a control character, such as %00; give the file a name without one, and export again");
  std::vector<std::string> others = {uri, percent_decoded(uri.substr(0, uri.find_first_of("?#")))};
  std::erase_if(others, [&](const std::string& other) { return other == name || has_control_characters(other); });
  try {
    return resources_(name, loading_);
  } catch (const MissingResource&) {
    for (const std::string& other : others) {
      try {
        return resources_(other, loading_);
      } catch (const MissingResource&) {
        continue;
      }
    }
    throw;
  }
}

std::span<const std::byte> GltfData::buffer(uint64_t number, const GltfPart& referrer) {
  const GltfPart part = element("buffers", number, referrer, "buffer");
  uint64_t size = part.whole("byteLength");
  const std::string uri = part.text("uri");
  if (uri.empty() && number != 0) part.fail_at("uri", "it is missing; export the file again");
  const std::span<const std::byte> bytes = uri.empty() ? binary_ : contents(uri, part);
  if (size > bytes.size()) {
    warn(fmt::format("{}, field 'byteLength': {} is more than the {} available bytes", part.place(), size,
                     bytes.size()));
    size = bytes.size();
  }
  return bytes.first(size_t(size));
}

// True if a view that `extension` packs also holds its data unpacked. The file must then not require the extension.
bool GltfData::has_plain_data(const GltfPart& view, const char* extension) const {
  const std::vector<std::string> required = root().texts("extensionsRequired");
  if (std::ranges::find(required, extension) != required.end()) return false;
  const uint64_t number = view.whole("buffer");
  const GltfPart buffer = element("buffers", number, view, "buffer");
  const bool is_fallback = buffer.part("extensions").part(extension).has("fallback");
  return !is_fallback && (number == 0 ? !binary_.empty() || buffer.has("uri") : buffer.has("uri"));
}

std::span<const std::byte> GltfData::view(uint64_t number, const GltfPart& referrer, const char* key,
                                          uint64_t* stride) {
  const GltfPart part = element("bufferViews", number, referrer, key);
  for (const char* const extension : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
    const GltfPart packed = part.part("extensions").part(extension);
    if (!packed.has("buffer") || has_plain_data(part, extension)) continue;
    if (stride) *stride = part.whole("byteStride", 0);
    return unpacked(number, packed);
  }
  const std::span<const std::byte> bytes = buffer(part.whole("buffer"), part);
  const uint64_t offset = part.whole("byteOffset", 0);
  uint64_t size = part.whole("byteLength");
  if (offset > bytes.size() || (offset == bytes.size() && size > 0)) {
    part.fail_at("byteLength", fmt::format("{} bytes from {} do not fit the buffer's {}; export the file again", size,
                                           offset, bytes.size()));
  }
  if (size > bytes.size() - offset) {
    warn(fmt::format("{}, field 'byteLength': {} bytes from {} do not fit the buffer's {}; what is there is read",
                     part.place(), size, offset, bytes.size()));
    size = bytes.size() - offset;
  }
  if (stride) *stride = part.whole("byteStride", 0);
  return bytes.subspan(size_t(offset), size_t(size));
}

// The content of a buffer view that meshoptimizer has compressed.
std::span<const std::byte> GltfData::unpacked(uint64_t number, const GltfPart& extension) {
  const auto known = unpacked_.find(number);
  if (known != unpacked_.end()) return known->second;
  constexpr uint64_t kMaxPerByte = 1024;  // elements; no codec packs more
  const std::span<const std::byte> all = buffer(extension.whole("buffer"), extension);
  const uint64_t offset = extension.whole("byteOffset", 0), size = extension.whole("byteLength");
  const uint64_t stride = extension.whole("byteStride"), count = extension.whole("count");
  const std::string mode = extension.text("mode"), filter = extension.text("filter", "NONE");
  if (offset > all.size() || size > all.size() - offset) {
    extension.fail_at("byteLength", "it does not fit the buffer; export the file again");
  }
  const bool is_vertices = mode == "ATTRIBUTES";
  if (stride == 0 || stride > 256 || (is_vertices ? stride % 4 != 0 : stride != 2 && stride != 4)) {
    extension.fail_at("byteStride", fmt::format("{} is unusable; export the file again", stride));
  }
  if (count == 0 || count > size * kMaxPerByte || count > kMaxElements) {
    extension.fail_at("count", fmt::format("{} elements are not in {} bytes; export the file again", count, size));
  }
  loading_.need(count * stride, "EXT_meshopt_compression");
  std::vector<std::byte> bytes(size_t(count * stride));
  const auto* const packed = reinterpret_cast<const unsigned char*>(all.data() + offset);
  int failed = 1;
  if (is_vertices) {
    failed = meshopt_decodeVertexBuffer(bytes.data(), size_t(count), size_t(stride), packed, size_t(size));
  } else if (mode == "TRIANGLES" && count % 3 == 0) {
    failed = meshopt_decodeIndexBuffer(bytes.data(), size_t(count), size_t(stride), packed, size_t(size));
  } else if (mode == "INDICES") {
    failed = meshopt_decodeIndexSequence(bytes.data(), size_t(count), size_t(stride), packed, size_t(size));
  }
  if (failed != 0) extension.fail_at("mode", "its data cannot be decoded; export the file again");
  if (is_vertices && filter == "OCTAHEDRAL" && (stride == 4 || stride == 8)) {
    meshopt_decodeFilterOct(bytes.data(), size_t(count), size_t(stride));
  } else if (is_vertices && filter == "QUATERNION" && stride == 8) {
    meshopt_decodeFilterQuat(bytes.data(), size_t(count), size_t(stride));
  } else if (is_vertices && filter == "EXPONENTIAL") {
    meshopt_decodeFilterExp(bytes.data(), size_t(count), size_t(stride));
  } else if (filter != "NONE") {
    extension.fail_at("filter", fmt::format("'{}' is unknown here; export without it", filter.substr(0, 40)));
  }
  bytes_ += bytes.size();
  return unpacked_.emplace(number, std::move(bytes)).first->second;
}

void GltfData::unpack_draco(const GltfPart& primitive) {
  const GltfPart extension = primitive.part("extensions").part("KHR_draco_mesh_compression");
  const GltfPart ids = extension.part("attributes"), attributes = primitive.part("attributes");
  const uint64_t number = extension.whole("bufferView");
  std::map<std::string, uint64_t> named;
  for (const std::string& name : ids.keys()) {
    if (attributes.has(name.c_str())) named.emplace(name, ids.whole(name.c_str()));
  }
  std::vector<uint64_t> wanted;
  for (const auto& [name, id] : named) wanted.push_back(id);
  auto found = draco_.find(number);
  if (found == draco_.end()) {
    const std::span<const std::byte> packed = view(number, extension, "bufferView", nullptr);
    try {
      found = draco_.emplace(number, decode_draco(packed, wanted, loading_)).first;
    } catch (const LimitReached&) {
      throw;
    } catch (const std::runtime_error& problem) {
      extension.fail_at("bufferView", problem.what());
    }
    for (const auto& [id, attribute] : found->second.by_id) bytes_ += attribute.values.size() * sizeof(float);
    bytes_ += found->second.indices.size() * sizeof(uint32_t);
  }
  const DracoMesh& mesh = found->second;
  for (const auto& [name, id] : named) {
    const auto attribute = mesh.by_id.find(id);
    if (attribute == mesh.by_id.end())
      ids.fail_at(name.c_str(), "another primitive unpacks the same data without it; export the file again");
    const uint64_t accessor = attributes.whole(name.c_str());
    if (elements_of(accessor, attributes, name.c_str()) != mesh.vertices)
      attributes.fail_at(name.c_str(), fmt::format("Draco packs {} vertices; export the file again", mesh.vertices));
    Plain& plain = plain_[accessor];
    plain.components = attribute->second.components;
    plain.values = attribute->second.values;
  }
  if (primitive.has("indices")) plain_[primitive.whole("indices")].indices = mesh.indices;
}

uint64_t GltfData::elements_of(uint64_t accessor, const GltfPart& referrer, const char* key) const {
  return element("accessors", accessor, referrer, key).whole("count");
}

bool GltfData::has_values(uint64_t accessor, const GltfPart& referrer, const char* key) const {
  const GltfPart part = element("accessors", accessor, referrer, key);
  return part.has("bufferView") || part.has("sparse") || plain_.contains(accessor);
}

// The storage of an accessor's elements.
struct GltfData::Layout {
  uint64_t count = 0;
  uint32_t kind = 0, bytes = 0, components = 0;  // of a component: its glTF number and size
  bool normalized = false;

  uint64_t element_bytes() const { return uint64_t(bytes) * components; }

  double value(const std::byte* element) const {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < bytes; i++) bits |= uint32_t(element[i]) << 8 * i;
    switch (kind) {
      case 5120: return normalized ? std::max(double(int8_t(bits)) / 127, -1.0) : double(int8_t(bits));
      case 5121: return normalized ? double(bits) / 255 : double(bits);
      case 5122: return normalized ? std::max(double(int16_t(bits)) / 32767, -1.0) : double(int16_t(bits));
      case 5123: return normalized ? double(bits) / 65535 : double(bits);
      case 5125: return double(bits);
      default: return double(std::bit_cast<float>(bits));
    }
  }
};

// The elements in the bytes of a buffer view. All of them lie inside.
struct GltfData::Elements {
  std::span<const std::byte> bytes;
  uint64_t stride = 0;
  const std::byte* at(uint64_t number) const { return bytes.data() + number * stride; }
};

GltfData::Layout GltfData::layout_of(const GltfPart& accessor) const {
  static constexpr std::array<std::pair<uint32_t, uint32_t>, 6> kKinds = {
      {{5120, 1}, {5121, 1}, {5122, 2}, {5123, 2}, {5125, 4}, {5126, 4}}};
  static constexpr std::array<std::pair<std::string_view, uint32_t>, 5> kTypes = {
      {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}}};
  Layout layout;
  layout.count = accessor.whole("count");
  if (layout.count == 0 || layout.count > kMaxElements) {
    accessor.fail_at("count", fmt::format("{} is outside 1..2147483648; export the file again", layout.count));
  }
  const uint64_t kind = accessor.whole("componentType");
  const auto* found = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& one) { return one.first == kind; });
  if (found == kKinds.end())
    accessor.fail_at("componentType", fmt::format("{} is unknown; export the file again", kind));
  layout.kind = found->first;
  layout.bytes = found->second;
  const std::string type = accessor.text("type");
  const auto* components = std::ranges::find(kTypes, type, &std::pair<std::string_view, uint32_t>::first);
  if (components == kTypes.end())
    accessor.fail_at("type", "it is not SCALAR, VEC2, VEC3, VEC4 or MAT4; export the file again");
  layout.components = components->second;
  layout.normalized = accessor.flag("normalized");
  return layout;
}

GltfData::Elements GltfData::elements(const GltfPart& part, const Layout& layout, uint64_t count) {
  constexpr uint64_t kMaxStride = 1 << 16;
  Elements result;
  result.bytes = view(part.whole("bufferView"), part, "bufferView", &result.stride);
  const uint64_t size = layout.element_bytes();
  if (result.stride == 0) result.stride = size;
  if (result.stride < size || result.stride > kMaxStride) {
    part.fail_at("bufferView", fmt::format("its stride of {} bytes is unusable; export the file again", result.stride));
  }
  const uint64_t offset = part.whole("byteOffset", 0), last = count == 0 ? 0 : (count - 1) * result.stride + size;
  if (offset > result.bytes.size() || last > result.bytes.size() - offset) {
    part.fail_at("count", fmt::format("{} elements do not fit its buffer view; export the file again", count));
  }
  result.bytes = result.bytes.subspan(size_t(offset));
  return result;
}

// Reduces the count to the elements that are there, for a buffer view that ends early.
void GltfData::take_whole_elements(const GltfPart& part, Layout& layout) {
  uint64_t stride = 0;
  const uint64_t there = view(part.whole("bufferView"), part, "bufferView", &stride).size();
  const uint64_t size = layout.element_bytes(), offset = part.whole("byteOffset", 0);
  if (stride == 0) stride = size;
  if (offset <= there && there - offset >= size && stride >= size) {
    const uint64_t whole = (there - offset - size) / stride + 1;
    if (whole < layout.count) {
      warn(fmt::format("{}, field 'count': {} elements do not fit its buffer view; the first {} are drawn",
                       part.place(), layout.count, whole));
      layout.count = whole;
    }
  }
  elements(part, layout, layout.count);  // says what else is wrong
}

void GltfData::charge(uint64_t values, const GltfPart& accessor) {
  decoded_ += values;
  if (decoded_ > kValuesPerByte * bytes_) {
    fail_limit("{}, field 'count': the file reads the same bytes again and again; share accessors, or split the file",
               accessor.place());
  }
  // The accessor's floats or indices, and the frame's lists that are made from them. Lists are copied when they grow.
  constexpr uint64_t kElement = 4 * sizeof(float) * 3;
  loading_.check(decoded_ * kElement, "accessors");
}

// Calls store(number, bytes) for the stored elements. The substitutes of a sparse accessor come last.
template <typename Store>
void GltfData::each_element(const GltfPart& accessor, const Layout& layout, Store&& store) {
  const bool is_sparse = accessor.has("sparse");
  if (accessor.has("bufferView")) {
    const Elements all = elements(accessor, layout, layout.count);
    for (uint64_t i = 0; i < layout.count; i++) {
      store(i, all.at(i));
      loading_.step(i, layout.count);
    }
  }
  if (!is_sparse) return;
  const GltfPart sparse = accessor.part("sparse"), index_part = sparse.part("indices");
  const uint64_t count = sparse.whole("count");
  if (count > layout.count) sparse.fail_at("count", "it is more than the accessor's; export the file again");
  Layout scalar{
      .count = count, .kind = uint32_t(std::min<uint64_t>(index_part.whole("componentType"), 6000)), .components = 1};
  scalar.bytes = scalar.kind == 5121 ? 1 : scalar.kind == 5123 ? 2 : scalar.kind == 5125 ? 4 : 0;
  if (scalar.bytes == 0) index_part.fail_at("componentType", "it is not an unsigned integer; export the file again");
  const Elements numbers = elements(index_part, scalar, count), values = elements(sparse.part("values"), layout, count);
  for (uint64_t i = 0; i < count; i++) {
    const auto number = uint64_t(scalar.value(numbers.at(i)));
    if (number >= layout.count)
      index_part.fail_at("bufferView", "an index is beyond the accessor; export the file again");
    store(number, values.at(i));
    loading_.step(i, count);
  }
}

std::vector<float> GltfData::floats(uint64_t accessor, std::span<const uint32_t> components, const GltfPart& referrer,
                                    const char* key, uint32_t* has_components) {
  const GltfPart part = element("accessors", accessor, referrer, key);
  const Layout layout = layout_of(part);
  if (std::find(components.begin(), components.end(), layout.components) == components.end()) {
    referrer.fail_at(key, fmt::format("its accessor has {} components; export the file again", layout.components));
  }
  if (layout.kind == 5125) referrer.fail_at(key, "its accessor holds 32-bit integers; export the file again");
  if (const auto plain = plain_.find(accessor); plain != plain_.end()) {
    if (plain->second.components != layout.components)
      referrer.fail_at(key, "Draco packs another number of components; export the file again");
    charge(layout.count, part);
    if (has_components) *has_components = layout.components;
    return plain->second.values;
  }
  if (part.has("bufferView")) elements(part, layout, layout.count);  // before memory for them is allocated
  charge(layout.count, part);
  std::vector<float> values(size_t(layout.count) * layout.components, 0.0f);
  each_element(part, layout, [&](uint64_t number, const std::byte* bytes) {
    for (uint32_t i = 0; i < layout.components; i++) {
      values[size_t(number) * layout.components + i] = float(layout.value(bytes + size_t(i) * layout.bytes));
    }
  });
  if (has_components) *has_components = layout.components;
  return values;
}

std::vector<uint32_t> GltfData::indices(uint64_t accessor, const GltfPart& referrer, const char* key) {
  const GltfPart part = element("accessors", accessor, referrer, key);
  Layout layout = layout_of(part);
  const bool is_unsigned = layout.kind == 5121 || layout.kind == 5123 || layout.kind == 5125;
  if (layout.components != 1 || !is_unsigned || layout.normalized) {
    referrer.fail_at(key, "its accessor does not hold unsigned integers; export the file again");
  }
  if (const auto plain = plain_.find(accessor); plain != plain_.end()) {
    charge(plain->second.indices.size(), part);
    return plain->second.indices;
  }
  if (part.has("bufferView")) take_whole_elements(part, layout);
  charge(layout.count, part);
  std::vector<uint32_t> values(size_t(layout.count), 0u);
  each_element(part, layout, [&](uint64_t number, const std::byte* bytes) {
    values[size_t(number)] = uint32_t(layout.value(bytes));
  });
  return values;
}

std::span<const std::byte> GltfData::image(const GltfPart& image) {
  if (image.has("bufferView")) return view(image.whole("bufferView"), image, "bufferView", nullptr);
  const std::string uri = image.text("uri");
  if (uri.empty()) image.fail_at("uri", "it is missing; export the file again");
  return contents(uri, image);
}

}  // namespace brokkr
