#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/loading.h"
#include "base/range_set.h"
#include "frame/attributes.h"
#include "frame/bkf.h"
#include "frame/bkf_container.h"
#include "frame/bkf_fields.h"
#include "frame/bkf_programs.h"

namespace brokkr {
namespace {

using bkf::names_of;
using bkf::visit_fields;
using nlohmann::json;

const char* const kAgain = "correct the file or capture it again";
constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

[[noreturn]] void fail_at_key(std::string_view place, std::string_view key, std::string_view problem) {
  fail("{}, field '{}': {}; {}", place, key, problem, kAgain);
}

// An object of the file and its name in messages, for instance "command 12". Reads by the lists of bkf_fields.h. Checks
// the type of each value and the range of each integer.
class ObjectReader {
 public:
  static constexpr bool kReads = true;
  using Targets = std::map<int, uint32_t>;  // from identifiers to numbers

  ObjectReader(const json& value, std::string place, const Targets& targets)
      : value_(value), place_(std::move(place)), targets_(targets) {
    if (!value.is_object()) fail("{}: it is not an object; {}", place_, kAgain);
  }

  const std::string& place() const { return place_; }
  bool has(const char* key) const {
    const auto found = value_.find(key);
    return found != value_.end() && !found->is_null();
  }
  // A member array; empty if the key is missing.
  const json& array(const char* key) const {
    static const json empty = json::array();
    if (!has(key)) return empty;
    if (!value_[key].is_array()) fail_at_key(place_, key, "it is not an array");
    return value_[key];
  }

  void required(const char* key, auto&& member, const bkf::Limits& limits = {}) const {
    read(key, at(key), member, limits);
  }
  void field(const char* key, auto&& member, const bkf::Limits& limits = {}) const {
    if (has(key)) required(key, member, limits);
  }
  void sparse(const char* key, auto& member, const auto&, const bkf::Limits& limits = {}) const {
    field(key, member, limits);
  }
  void many(const char* key, auto& member) const { field(key, member); }
  void clamped(const char* key, uint8_t& member) const {
    if (has(key)) member = uint8_t(std::clamp<int64_t>(integer(key, at(key), INT32_MIN, UINT32_MAX), 0, 255));
  }
  void bits(const char* key, uint32_t& member, std::string_view names) const {
    if (has(key)) member = 0;
    for (const json& name : array(key)) member |= 1u << find(key, name, names);
  }
  void constant(const char* key, const char* name) const { find(key, at(key), name); }
  void target(const char* key, uint32_t& member) const {
    int id = 0;
    required(key, id);
    const auto found = targets_.find(id);
    if (found == targets_.end()) fail_at_key(place_, key, fmt::format("no target has the id {}", id));
    member = found->second;
  }
  void object(const char* key, auto&& list) const {
    const ObjectReader inner(at(key), place_ + ", " + key, targets_);
    list(inner);
  }

 private:
  const json& at(const char* key) const {
    const auto found = value_.find(key);
    if (found == value_.end()) fail_at_key(place_, key, "it is missing");
    return *found;
  }

  template <typename T>
  void read(const char* key, const json& value, T& member, const bkf::Limits& limits) const {
    if constexpr (requires { bkf::as_list(member); }) {
      read(key, value, bkf::as_list(member), limits);
    } else if constexpr (std::is_enum_v<T>) {
      member = T(find(key, value, names_of(T{})));
    } else if constexpr (std::is_integral_v<T>) {
      member = T(integer(key, value, std::max<int64_t>(limits.low, std::numeric_limits<T>::min()),
                         int64_t(std::min<uint64_t>(uint64_t(limits.high), std::numeric_limits<T>::max()))));
    } else {
      const ObjectReader inner(value, place_ + ", " + key, targets_);
      visit_fields(inner, member);
    }
  }
  template <typename T>
  void read(const char* key, const json& value, std::optional<T>& member, const bkf::Limits& limits) const {
    read(key, value, member.emplace(), limits);
  }
  template <typename... T>
  void read(const char* key, const json& value, bkf::List<T...> list, const bkf::Limits& limits) const {
    if (!value.is_array() || value.size() != sizeof...(T))
      fail_at_key(place_, key, fmt::format("it is not {}", list.meaning));
    size_t i = 0;
    std::apply([&](auto&... member) { (read(key, value[i++], member, limits), ...); }, list.members);
  }
  template <typename T>
  void read(const char* key, const json& value, std::vector<T>& members, const bkf::Limits& limits) const {
    if (!value.is_array()) fail_at_key(place_, key, "it is not an array");
    members.reserve(value.size());
    for (size_t i = 0; i < value.size(); i++) {
      if constexpr (requires { bkf::as_list(members[0]); } || std::is_integral_v<T> || std::is_same_v<T, std::string>) {
        read(key, value[i], members.emplace_back(), limits);
      } else {
        const ObjectReader inner(value[i], fmt::format("{}, {} {}", place_, key, i), targets_);
        visit_fields(inner, members.emplace_back());
      }
    }
  }
  void read(const char* key, const json& value, float& member, const bkf::Limits&) const {
    const double number = value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
    if (!(std::abs(number) <= double(std::numeric_limits<float>::max())))
      fail_at_key(place_, key, "it is not a finite number");
    member = float(number);
  }
  void read(const char* key, const json& value, bool& member, const bkf::Limits&) const {
    if (!value.is_boolean()) fail_at_key(place_, key, "it is neither true nor false");
    member = value.get<bool>();
  }
  void read(const char* key, const json& value, std::string& member, const bkf::Limits&) const {
    if (!value.is_string()) fail_at_key(place_, key, "it is not a text");
    member = value.get<std::string>();
  }
  // OpenGL's masks and values have 32 bits. An 8-bit stencil buffer uses the low 8.
  void read(const char* key, const json& value, uint8_t& member, const bkf::Limits&) const {
    member = uint8_t(integer(key, value, INT32_MIN, UINT32_MAX) & 0xff);
  }
  void read(const char* key, const json& value, std::map<std::string, uint64_t>& counts, const bkf::Limits&) const {
    const ObjectReader object(value, place_ + ", " + key, targets_);
    for (const auto& [name, count] : value.items()) object.required(name.c_str(), counts[name]);
  }
  // A scissor rectangle that reaches beyond anything drawable is clamped, as in OpenGL. Its left and lower sides move,
  // but its right and upper sides stay.
  void read(const char* key, const json& value, std::optional<Rect>& scissor, const bkf::Limits& limits) const {
    constexpr int kFar = 1 << 29;  // beyond any target's edge
    Rect& rect = scissor.emplace();
    read(key, value, rect, limits);
    if (rect.width < 0 || rect.height < 0) fail_at_key(place_, key, "its size is negative");
    const int64_t right = std::min<int64_t>(int64_t(rect.x) + rect.width, kFar);
    const int64_t top = std::min<int64_t>(int64_t(rect.y) + rect.height, kFar);
    rect.x = std::clamp(rect.x, -kFar, kFar);
    rect.y = std::clamp(rect.y, -kFar, kFar);
    rect.width = int(std::max<int64_t>(right - rect.x, 0));
    rect.height = int(std::max<int64_t>(top - rect.y, 0));
  }

  size_t find(const char* key, const json& value, std::string_view names) const {
    if (value.is_string()) {
      for (size_t i = 0; !bkf::name_at(names, i).empty(); i++) {
        if (bkf::name_at(names, i) == value.get_ref<const std::string&>()) return i;
      }
    }
    const std::string found = value.is_structured() ? std::string("of type ") + value.type_name()
                                                    : value.dump(-1, ' ', true, json::error_handler_t::replace);
    fail("{}, field '{}': unknown value {}; use one of {}", place_, key, found.substr(0, 40), names);
  }

  int64_t integer(const char* key, const json& value, int64_t low, int64_t high) const {
    // Values above 2^63 are stored as unsigned; every accepted limit is below it.
    const bool fits =
        value.is_number_integer() && (!value.is_number_unsigned() || value.get<uint64_t>() <= uint64_t(kMaxInt64));
    const int64_t number = fits ? value.get<int64_t>() : 0;
    if (!fits || number < low || number > high) {
      fail_at_key(place_, key, fmt::format("it is not an integer in {}..{}", low, high));
    }
    return number;
  }

  const json& value_;
  std::string place_;
  const Targets& targets_;
};

// The ranges of the blob that form one of the Frame's arrays. Overlapping ranges are merged and copied once, so the
// array never becomes larger than the blob, however many draws share it.
template <typename T>
std::vector<T> gather(RangeSet& ranges, std::span<const std::byte> blob, Loading& loading) {
  const uint64_t size = ranges.pack([](uint64_t, uint64_t, uint64_t) {});
  loading.need(size * sizeof(T), "commands");
  std::vector<T> result(size);
  ranges.pack([&](uint64_t source, uint64_t target, uint64_t count) {
    loading.look(target, size);
    std::memcpy(&result[target], &blob[source * sizeof(T)], count * sizeof(T));
  });
  return result;
}

class Reader {
 public:
  Reader(const bkf::Container& container, const BkfLimits& limits, Loading& loading, BkfDetails& details)
      : root_(container.json, "frame", targets_),
        blob_(container.blob),
        limits_(limits),
        loading_(loading),
        details_(details) {}

  Frame read() {
    visit_fields(root_, frame_);
    loading_.need(root_.array("commands").size() * sizeof(Command) + root_.array("states").size() * sizeof(State),
                  "commands");
    each("target", "targets", [&](const ObjectReader& object) { read_target(object); });
    each("state", "states", [&](const ObjectReader& object) { visit_fields(object, frame_.states.emplace_back()); });
    frame_.materials.push_back({.name = "captured", .kind = MaterialKind::none});
    each("program", "programs", [&](const ObjectReader& object) { read_program(object, frame_.programs); });
    each("vertex program", "vertexPrograms",
         [&](const ObjectReader& object) { read_program(object, frame_.vertex_programs); });
    sizes_ = program_sizes(frame_);
    vertex_sizes_ = vertex_program_sizes(frame_);
    each("texture", "textures", [&](const ObjectReader& object) { read_texture(object); });
    each("sampler", "samplers",
         [&](const ObjectReader& object) { visit_fields(object, frame_.captured_samplers.emplace_back()); });
    const size_t commands = root_.array("commands").size();
    if (commands >= std::numeric_limits<uint32_t>::max()) fail_at_key(root_.place(), "commands", "there are too many");
    each("command", "commands", [&](const ObjectReader& object) { frame_.commands.push_back(read_command(object)); });
    gather_parts();
    each("reference", "references", [&](const ObjectReader& object) { read_reference(object); });
    return std::move(frame_);
  }

 private:
  // Calls `read` for each object of the frame's array `key`.
  void each(const char* name, const char* key, auto&& read) const {
    const json& array = root_.array(key);
    for (size_t i = 0; i < array.size(); i++) {
      read(ObjectReader(array[i], fmt::format("{} {}", name, i), targets_));
      loading_.look(i, array.size());
    }
  }

  void read_target(const ObjectReader& object) {
    const auto number = uint32_t(frame_.targets.size());
    Target& target = frame_.targets.emplace_back();
    visit_fields(object, target);
    pixels_ += uint64_t(target.width) * uint64_t(target.height) * uint64_t(target.layers) * uint64_t(target.samples);
    if (pixels_ > limits_.target_pixels) fail_at_key(object.place(), "size", "all targets together are too large");
    if (!targets_.emplace(target.id, number).second) {
      fail_at_key(object.place(), "id", fmt::format("{} is used twice", target.id));
    }
    frame_.views.push_back({.target = number});
  }

  template <class Program>
  void read_program(const ObjectReader& object, std::vector<Program>& programs) {
    auto file = read_as<bkf::FileProgram<Program>>(object);
    if (file.has_module) {
      check_part(object.place() + ", spirv", file.module, "count", sizeof(uint32_t));
      if (!file.program.texts.empty()) fail_at_key(object.place(), "spirv", "the program has a text as well");
      const auto* const bytes = reinterpret_cast<const char*>(blob_.data()) + file.module.offset;
      file.program.texts.emplace_back(bytes, file.module.count * sizeof(uint32_t));
      if (!bkf::is_module(file.program)) fail_at_key(object.place(), "spirv", "it is not a SPIR-V module");
    }
    programs.push_back(std::move(file.program));
  }

  void read_texture(const ObjectReader& object) {
    auto [texture, data] = read_as<bkf::FileTexture>(object);
    if (texture.stored) {
      check_part(object.place() + ", data", data, "size", 1);
      if (data.count != texture_bytes(texture)) {
        fail_at_key(object.place() + ", data", "size",
                    fmt::format("its levels have {} bytes, not {}", texture_bytes(texture), data.count));
      }
      texture.first_byte = data.offset;
      texels_.add(data.offset, data.count);
    }
    frame_.captured_textures.push_back(std::move(texture));
  }

  // Lays out the ranges of the blob that draws and textures use, and moves their offsets accordingly.
  void gather_parts() {
    frame_.indices = gather<uint32_t>(indices_, blob_, loading_);
    frame_.positions = gather<glm::vec4>(positions_, blob_, loading_);
    frame_.varyings = gather<float>(varyings_, blob_, loading_);
    frame_.uniforms = gather<uint32_t>(uniforms_, blob_, loading_);
    frame_.texture_data = gather<std::byte>(texels_, blob_, loading_);
    for (Command& command : frame_.commands) {
      auto* draw = std::get_if<DrawCommand>(&command);
      if (draw == nullptr) continue;
      draw->first_vertex = positions_.moved(draw->first_vertex);
      draw->first_index = indices_.moved(draw->first_index);
    }
    for (DrawInputs& inputs : frame_.inputs) {
      inputs.first_varying = varyings_.moved(inputs.first_varying);
      inputs.first_uniform = uniforms_.moved(inputs.first_uniform);
      for (uint64_t& first : inputs.first_of_blocks) first = uniforms_.moved(first);
    }
    for (VertexInputs& inputs : frame_.vertex_inputs) {
      inputs.first_uniform = uniforms_.moved(inputs.first_uniform);
      for (uint64_t& first : inputs.first_of_blocks) first = uniforms_.moved(first);
    }
    add_left_out();
    for (CapturedTexture& texture : frame_.captured_textures) texture.first_byte = texels_.moved(texture.first_byte);
  }

  // Gives room to the vertices that the file leaves out, which are 0 until their programs compute them.
  void add_left_out() {
    for (const LeftOut& one : left_out_) {
      for (const size_t command : one.commands) {
        auto& draw = std::get<DrawCommand>(frame_.commands[command]);
        draw.first_vertex = frame_.positions.size();
        if (draw.inputs >= 0) frame_.inputs[size_t(draw.inputs)].first_varying = frame_.varyings.size();
      }
      frame_.positions.resize(frame_.positions.size() + one.vertices);
      frame_.varyings.resize(frame_.varyings.size() + one.varyings);
    }
  }

  // Counts bytes that a file may need without holding them.
  void need_vertices(const std::string& place, const char* key, uint64_t bytes) {
    vertex_bytes_ += bytes;
    if (vertex_bytes_ > limits_.vertex_bytes)
      fail_at_key(place, key, "all vertices and attributes together are too large");
    loading_.need(bytes, "commands");
  }

  // Checks that `part`, with elements of `element_size` bytes, lies inside the blob `repeat` times.
  void check_part(const std::string& place, const bkf::Part& part, const char* count_key, size_t element_size,
                  uint64_t repeat = 1) const {
    if (part.offset % bkf::kAlignment != 0) fail_at_key(place, "offset", "it is not a multiple of 16");
    const uint64_t room = part.offset <= blob_.size() ? (blob_.size() - part.offset) / element_size : 0;
    if (part.count > room / repeat) {
      fail_at_key(place, count_key, fmt::format("the range ends beyond the blob of {} bytes", blob_.size()));
    }
  }

  Command read_command(const ObjectReader& object) {
    bkf::CommandType type{};
    object.required("type", type);
    switch (type) {
      case bkf::CommandType::draw: return read_draw(object);
      case bkf::CommandType::clear: return read_as<ClearCommand>(object);
      case bkf::CommandType::load: return read_as<LoadCommand>(object);
      case bkf::CommandType::generate_mips: return read_as<GenerateMipsCommand>(object);
      case bkf::CommandType::copy: return read_as<CopyCommand>(object);
      case bkf::CommandType::blit: break;
    }
    return read_as<BlitCommand>(object);
  }

  template <typename T>
  static T read_as(const ObjectReader& object) {
    T result;
    visit_fields(object, result);
    return result;
  }

  // Until all ranges are gathered, first_vertex, first_index and the offsets of a program's inputs are relative to the
  // blob's start.
  DrawCommand read_draw(const ObjectReader& object) {
    bkf::FileDraw file = read_as<bkf::FileDraw>(object);
    DrawCommand& draw = file.command;
    const bkf::Part &positions = file.positions, &indices = file.indices;
    draw.first_view = view_of(file.target, file.layer);
    if (file.has_positions) {
      check_part(object.place() + ", position", positions, "count", sizeof(glm::vec4), draw.instances);
      draw.first_vertex = positions.offset / sizeof(glm::vec4);
      positions_.add(draw.first_vertex, positions.count * draw.instances);
    }
    draw.vertex_count = draw.element_count = uint32_t(positions.count);
    if (draw.indexed) {
      check_part(object.place() + ", indices", indices, "count", sizeof(uint32_t));
      draw.first_index = indices.offset / sizeof(uint32_t);
      indices_.add(draw.first_index, indices.count);
      draw.element_count = uint32_t(indices.count);
    }
    if (file.has_program) read_inputs(object, file);
    if (file.has_vertex_program) read_vertices(object, file);
    details_.has_vertices.resize(frame_.commands.size() + 1);
    details_.has_vertices.back() = file.has_vertex_program && file.has_positions;
    return std::move(draw);
  }

  // Draws with the same inputs and program share them, and vertices that the file leaves out.
  void read_vertices(const ObjectReader& object, bkf::FileDraw& file) {
    const std::string& place = object.place();
    VertexInputs& inputs = file.vertices;
    DrawCommand& draw = file.command;
    if (inputs.program >= frame_.vertex_programs.size()) {
      fail_at_key(place, "vertexProgram", fmt::format("there are {} vertex programs", frame_.vertex_programs.size()));
    }
    const VertexProgram& program = frame_.vertex_programs[inputs.program];
    const auto require = [&](const char* key, uint64_t count, uint64_t wanted) {
      if (count != wanted) fail_at_key(place, key, fmt::format("the vertex program needs {}, not {}", wanted, count));
    };
    require("vertexUniforms", file.vertex_uniforms.count, vertex_sizes_[inputs.program].uniform_words);
    require("vertexBlocks", inputs.first_of_blocks.size(), program.blocks.size());
    require("attributes", file.attributes.size(), program.attributes.size());
    const auto add = [&](const char* key, uint64_t& first, uint64_t offset, uint64_t count) {
      check_part(place + ", " + key, {offset, count}, "count", sizeof(uint32_t));
      first = offset / sizeof(uint32_t);
      uniforms_.add(first, count);
    };
    add("vertexUniforms", inputs.first_uniform, file.vertex_uniforms.offset, file.vertex_uniforms.count);
    for (size_t i = 0; i < program.blocks.size(); i++) {
      uint64_t& first = inputs.first_of_blocks[i];
      add("vertexBlocks", first, first, program.blocks[i].size / sizeof(uint32_t));
    }
    for (size_t i = 0; i < program.attributes.size(); i++) {
      inputs.attributes.push_back(
          read_attribute(fmt::format("{}, attributes {}", place, i), program.attributes[i].type, file.attributes[i]));
    }
    const auto [known, is_new] = known_inputs_.emplace(key_of(inputs), int32_t(frame_.vertex_inputs.size()));
    draw.vertices = known->second;
    if (is_new) frame_.vertex_inputs.push_back(std::move(inputs));
    if (file.has_positions) return;
    const uint64_t vertices = uint64_t(draw.vertex_count) * draw.instances;
    const uint64_t components =
        file.has_program ? sizes_[frame_.inputs[size_t(draw.inputs)].program].varying_components : 0;
    const int64_t fragment_program = file.has_program ? int64_t(frame_.inputs[size_t(draw.inputs)].program) : -1;
    const auto [same, is_first] = known_left_out_.emplace(
        std::tuple(draw.vertices, draw.vertex_count, draw.instances, fragment_program), left_out_.size());
    if (is_first) {
      const uint64_t room = limits_.vertex_bytes / sizeof(float) / (components + 4);
      if (vertices > room) fail_at_key(place, "vertexCount", "all vertices and attributes together are too large");
      need_vertices(place, "vertexCount", vertices * (components + 4) * sizeof(float));
      left_out_.push_back({.commands = {}, .vertices = vertices, .varyings = vertices * components});
    }
    left_out_[same->second].commands.push_back(frame_.commands.size());
  }

  // The attribute's words are decoded once, however many draws share them.
  VertexStream read_attribute(const std::string& place, ShaderType type, const bkf::FileAttribute& file) {
    const bkf::AttributeForm form{file.type, file.normalized};
    const uint32_t components = shape_of(type).components();
    if (!bkf::may_store(type, form)) {
      fail_at_key(place, "type",
                  fmt::format("{} cannot be {}{}", bkf::name_of(type), file.normalized ? "normalized " : "",
                              bkf::name_of(file.type)));
    }
    if (file.data.count % components != 0 || file.data.count == 0) {
      fail_at_key(place, "count", fmt::format("{} is not a multiple of {} above 0", file.data.count, components));
    }
    check_part(place, file.data, "count", bkf::bytes_of(file.type));
    const auto [known, is_new] = known_attributes_.emplace(
        std::tuple(file.data.offset, file.data.count, file.type, file.normalized, type), frame_.attributes.size());
    if (is_new) {
      need_vertices(place, "count", file.data.count * sizeof(uint32_t));
      const std::vector<uint32_t> words = bkf::decode_attribute(
          type, form, blob_.subspan(file.data.offset, file.data.count * bkf::bytes_of(file.type)));
      frame_.attributes.insert(frame_.attributes.end(), words.begin(), words.end());
    }
    return {known->second, uint32_t(file.data.count / components), file.divisor};
  }

  // Everything that tells the inputs of draws apart.
  static std::vector<uint64_t> key_of(const VertexInputs& inputs) {
    std::vector<uint64_t> key = {inputs.program, inputs.first_uniform, uint64_t(uint32_t(inputs.base_vertex)),
                                 uint64_t(uint32_t(inputs.base_instance)), uint64_t(uint32_t(inputs.draw))};
    for (const VertexStream& stream : inputs.attributes)
      key.insert(key.end(), {stream.first, stream.count, stream.divisor});
    key.insert(key.end(), inputs.first_of_blocks.begin(), inputs.first_of_blocks.end());
    for (const BoundTexture& bound : inputs.textures)
      key.push_back(uint64_t(uint32_t(bound.texture)) << 32 | uint32_t(bound.sampler));
    return key;
  }

  void read_inputs(const ObjectReader& object, bkf::FileDraw& file) {
    const std::string& place = object.place();
    DrawInputs& inputs = file.inputs;
    if (inputs.program >= frame_.programs.size()) {
      fail_at_key(place, "program", fmt::format("there are {} programs", frame_.programs.size()));
    }
    const FragmentProgram& program = frame_.programs[inputs.program];
    const ProgramNeeds& sizes = sizes_[inputs.program];
    const auto require = [&](const char* key, uint64_t count, uint64_t wanted) {
      if (count != wanted) fail_at_key(place, key, fmt::format("the program needs {}, not {}", wanted, count));
    };
    const uint64_t vertices = file.positions.count * file.command.instances;
    if (file.has_positions) require("varyings", file.varyings.count, sizes.varying_components * vertices);
    require("uniforms", file.uniforms.count, sizes.uniform_words);
    require("blocks", inputs.first_of_blocks.size(), program.blocks.size());
    const auto add = [&](const char* key, RangeSet& ranges, uint64_t& first, uint64_t offset, uint64_t count) {
      check_part(place + ", " + key, {offset, count}, "count", sizeof(uint32_t));
      first = offset / sizeof(uint32_t);
      ranges.add(first, count);
    };
    if (file.has_positions) add("varyings", varyings_, inputs.first_varying, file.varyings.offset, file.varyings.count);
    add("uniforms", uniforms_, inputs.first_uniform, file.uniforms.offset, file.uniforms.count);
    for (size_t i = 0; i < program.blocks.size(); i++) {
      uint64_t& first = inputs.first_of_blocks[i];
      add("blocks", uniforms_, first, first, program.blocks[i].size / sizeof(uint32_t));
    }
    file.command.inputs = int32_t(frame_.inputs.size());
    frame_.inputs.push_back(std::move(inputs));
  }

  // The view of a target's layer. Views of layers other than 0 are created on first use.
  uint32_t view_of(uint32_t target, uint32_t layer) {
    if (layer == 0) return target;
    const auto [found, is_new] = view_of_layer_.emplace(std::pair(target, layer), uint32_t(frame_.views.size()));
    if (is_new) frame_.views.push_back({.target = target, .layer = layer});
    return found->second;
  }

  // The bytes of a picture in the blob.
  std::span<const std::byte> picture(const std::string& place, const bkf::Part& part, size_t element_size) {
    check_part(place, part, "size", element_size);
    reference_bytes_ += part.count * element_size;
    if (reference_bytes_ > limits_.reference_bytes) fail_at_key(place, "size", "all references are too large");
    loading_.need(part.count * element_size, "references");
    return blob_.subspan(part.offset, part.count * element_size);
  }

  void read_reference(const ObjectReader& object) {
    const auto file = read_as<bkf::FileReference>(object);
    Reference& reference = frame_.references.emplace_back();
    reference.target = file.target;
    reference.before = file.before;
    if (file.has_color) {
      const auto bytes = picture(object.place() + ", color", file.color, 1);
      reference.color_file.resize(bytes.size());
      if (!bytes.empty()) std::memcpy(reference.color_file.data(), bytes.data(), bytes.size());
    }
    if (file.has_depth) {
      const bkf::Part part{file.depth_offset, uint64_t(file.depth_width) * uint64_t(file.depth_height)};
      const auto bytes = picture(object.place() + ", depth", part, sizeof(float));
      reference.depth_width = file.depth_width;
      reference.depth_height = file.depth_height;
      reference.depth.resize(part.count);
      if (!bytes.empty()) std::memcpy(reference.depth.data(), bytes.data(), bytes.size());
    }
  }

  ObjectReader::Targets targets_;
  ObjectReader root_;
  std::span<const std::byte> blob_;
  const BkfLimits& limits_;
  Loading& loading_;
  Frame frame_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> view_of_layer_;
  RangeSet indices_, positions_, varyings_, uniforms_, texels_;
  std::vector<ProgramNeeds> sizes_, vertex_sizes_;  // by program
  // Vertices that the file leaves out, and the draws that share them.
  struct LeftOut {
    std::vector<size_t> commands;
    uint64_t vertices = 0, varyings = 0;
  };
  std::vector<LeftOut> left_out_;
  std::map<std::tuple<int32_t, uint32_t, uint32_t, int64_t>, size_t> known_left_out_;
  std::map<std::vector<uint64_t>, int32_t> known_inputs_;
  std::map<std::tuple<uint64_t, uint64_t, bkf::AttributeType, bool, ShaderType>, uint64_t> known_attributes_;
  BkfDetails& details_;
  uint64_t pixels_ = 0, reference_bytes_ = 0, vertex_bytes_ = 0;
};

}  // namespace

Frame read_bkf(std::span<const std::byte> file, std::string_view name, const BkfLimits& limits,
               const LoadOptions& options, BkfDetails* details) {
  try {
    Loading loading(options);
    loading.holds(file.size(), "file");
    loading.at(0.1);
    loading.until(0.3);
    const bkf::Container container = bkf::unpack(file, limits, loading);
    loading.until(0.8);
    BkfDetails found;
    Frame frame = Reader(container, limits, loading, found).read();
    found.has_vertices.resize(frame.commands.size());
    if (details != nullptr) *details = std::move(found);
    frame.source = name;
    loading.at(0.9);
    loading.until(1);
    validate(frame, loading);
    return frame;
  } catch (const std::runtime_error& error) {
    fail("{}: {}", name, error.what());
  }
}

Frame read_bkf(const std::filesystem::path& path, const BkfLimits& limits, const LoadOptions& options,
               BkfDetails* details) {
  Loading loading(options);
  return read_bkf(read_file(path, limits.file_bytes, &loading), path.string(), limits, options, details);
}

}  // namespace brokkr
