#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>

#include "base/failure.h"
#include "base/file_io.h"
#include "brokkr/drawing_order.h"
#include "frame/attributes.h"
#include "frame/bkf.h"
#include "frame/bkf_container.h"
#include "frame/bkf_fields.h"
#include "frame/bkf_filters.h"
#include "frame/bkf_programs.h"
#include "frame/plain_png.h"

namespace brokkr {
namespace {

using bkf::visit_fields;
using nlohmann::json;

// One object of the file, written by the lists of bkf_fields.h.
class ObjectWriter {
 public:
  static constexpr bool kReads = false;
  using Targets = std::vector<int>;  // identifiers by number

  explicit ObjectWriter(const Targets& targets) : targets_(targets) {}

  void field(const char* key, const auto& member, const bkf::Limits& = {}) { json_[key] = value(member); }
  void required(const char* key, const auto& member, const bkf::Limits& = {}) { field(key, member); }
  void sparse(const char* key, const auto& member, const auto& missing, const bkf::Limits& = {}) {
    if (member != missing) field(key, member);
  }
  void many(const char* key, const auto& members) {
    if (!members.empty()) field(key, members);
  }
  void clamped(const char* key, uint8_t member) { field(key, member); }
  void constant(const char* key, const char* name) { json_[key] = name; }
  void target(const char* key, uint32_t number) { json_[key] = targets_[number]; }
  void bits(const char* key, uint32_t member, std::string_view names) {
    json_[key] = json::array();
    for (size_t i = 0; !bkf::name_at(names, i).empty(); i++) {
      if (member >> i & 1) json_[key].push_back(bkf::name_at(names, i));
    }
  }
  void object(const char* key, auto&& list) {
    ObjectWriter inner(targets_);
    list(inner);
    json_[key] = std::move(inner.json_);
  }
  static constexpr bool has(const char*) { return true; }

  json take() { return std::move(json_); }

 private:
  template <typename T>
  json value(const T& member) const {
    if constexpr (requires { bkf::as_list(member); }) {
      return value(bkf::as_list(member));
    } else if constexpr (std::is_enum_v<T>) {
      return bkf::name_of(member);
    } else if constexpr (requires { visit_fields(*this, member); }) {
      ObjectWriter inner(targets_);
      visit_fields(inner, member);
      return inner.json_;
    } else {
      return member;
    }
  }
  template <typename T>
  json value(const std::optional<T>& member) const {
    return member ? value(*member) : json();
  }
  template <typename T>
  json value(const std::vector<T>& members) const {
    json array = json::array();
    for (const T& member : members) array.push_back(value(member));
    return array;
  }
  template <typename... T>
  json value(const bkf::List<T...>& list) const {
    return std::apply([&](const auto&... member) { return json::array({value(member)...}); }, list.members);
  }

  const Targets& targets_;
  json json_ = json::object();
};

bkf::PictureType picture_type(const std::vector<uint8_t>& file) {
  const bool png = file.size() > 1 && file[0] == 0x89 && file[1] == 'P';
  return png ? bkf::PictureType::png : bkf::PictureType::jpeg;
}

// Returns true if the frame holds something that only version 2 can store.
bool needs_programs(const Frame& frame) {
  const auto is_new = [](const Command& command) {
    const auto* clear = std::get_if<ClearCommand>(&command);
    return command.index() > 2 || (clear != nullptr && !clear->other_colors.empty());
  };
  return !frame.programs.empty() || !frame.captured_textures.empty() ||
         std::any_of(frame.commands.begin(), frame.commands.end(), is_new) ||
         std::any_of(frame.targets.begin(), frame.targets.end(),
                     [](const Target& t) { return !t.colors.empty() || t.samples > 1; }) ||
         std::any_of(frame.references.begin(), frame.references.end(),
                     [](const Reference& r) { return picture_type(r.color_file) == bkf::PictureType::png; });
}

// Returns true if the frame holds something that only version 3 can store.
bool needs_vertex_programs(const Frame& frame) {
  const auto is_new = [](const Command& command) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    return draw != nullptr && draw->vertices >= 0;
  };
  return std::any_of(frame.commands.begin(), frame.commands.end(), is_new) ||
         std::any_of(frame.programs.begin(), frame.programs.end(),
                     [](const FragmentProgram& program) { return bkf::is_module(program); });
}

// The bytes of a texel whose channels are bytes; 0 for other formats.
uint32_t bytes_of_byte_texel(TexelFormat format) {
  switch (format) {
    case TexelFormat::r8: return 1;
    case TexelFormat::rg8: return 2;
    case TexelFormat::rgba8:
    case TexelFormat::rgba8_srgb: return 4;
    default: return 0;
  }
}

class Writer {
 public:
  Writer(const Frame& frame, const BkfWriteOptions& options)
      : frame_(frame),
        options_(options),
        sizes_(program_sizes(frame)),
        vertex_sizes_(vertex_program_sizes(frame)),
        has_vertex_programs_(needs_vertex_programs(frame)) {
    // Identifiers need not be unique in a Frame, but commands in the file refer to targets by them.
    std::map<int, int> uses;
    for (const Target& target : frame.targets) uses[target.id]++;
    for (const Target& target : frame.targets) {
      targets_.push_back(uses.size() == frame.targets.size() ? target.id : int(targets_.size()));
    }
  }

  std::vector<std::byte> write() {
    json programs = json::array(), vertex_programs = json::array(), textures = json::array(), samplers = json::array();
    for (const FragmentProgram& program : frame_.programs) programs.push_back(as_json(with_module(program)));
    for (size_t i = 0; i < frame_.vertex_programs.size() && has_vertex_programs_; i++)
      vertex_programs.push_back(as_json(with_module(frame_.vertex_programs[i])));
    for (const CapturedTexture& texture : frame_.captured_textures) textures.push_back(as_json(with_data(texture)));
    for (const CapturedSampler& sampler : frame_.captured_samplers) samplers.push_back(as_json(sampler));
    std::vector<size_t> number_of;  // command number in the file
    for (const Command& command : frame_.commands) {
      number_of.push_back(commands_.size());
      std::visit([&](const auto& one) { write_command(one); }, command);
    }
    number_of.push_back(commands_.size());

    json root = as_json(frame_);
    root["commands"] = std::move(commands_);
    root["targets"] = root["states"] = root["references"] = json::array();
    for (Target target : frame_.targets) {
      target.id = targets_[root["targets"].size()];
      root["targets"].push_back(as_json(target));
      root["targets"].back()["samples"] = 0;
    }
    for (const State& state : frame_.states) root["states"].push_back(as_json(state));
    for (const Reference& reference : frame_.references) {
      const bkf::FileReference written = append(reference, uint32_t(number_of[reference.before]));
      if (written.has_color || written.has_depth) root["references"].push_back(as_json(written));
    }
    for (const auto& [key, list] : {std::pair("programs", &programs), std::pair("vertexPrograms", &vertex_programs),
                                    std::pair("textures", &textures), std::pair("samplers", &samplers)}) {
      if (!list->empty()) root[key] = std::move(*list);
    }
    root["blob"] = {{"codec", "zstd"}, {"size", blob_.size()}};
    const std::vector<bkf::Filter> filters = filter_blob();
    if (!filters.empty()) root["blob"]["filters"] = bkf::filters_as_json(filters);
    return bkf::pack(root, blob_, options_.level,
                     !filters.empty()         ? bkf::kFilterVersion
                     : has_vertex_programs_   ? bkf::kVertexVersion
                     : needs_programs(frame_) ? bkf::kProgramVersion
                                              : bkf::kPlainVersion);
  }

 private:
  json as_json(const auto& value) const {
    ObjectWriter object(targets_);
    visit_fields(object, value);
    return object.take();
  }
  void add(bkf::CommandType type, const auto& command) {
    commands_.push_back(as_json(command));
    commands_.back()["type"] = bkf::name_of(type);
  }

  template <typename T>
  uint64_t append(const T* values, size_t count) {
    blob_.resize((blob_.size() + bkf::kAlignment - 1) / bkf::kAlignment * bkf::kAlignment);
    const uint64_t offset = blob_.size();
    const auto bytes = std::as_bytes(std::span(values, count));
    blob_.insert(blob_.end(), bytes.begin(), bytes.end());
    return offset;
  }

  // Stores a range that several draws share only once.
  template <typename T>
  uint64_t append_shared(std::map<std::pair<uint64_t, uint64_t>, uint64_t>& stored, const std::vector<T>& values,
                         uint64_t first, uint64_t count) {
    const auto [found, is_new] = stored.emplace(std::pair(first, count), 0);
    if (is_new) found->second = append(values.data() + first, size_t(count));
    return found->second;
  }

  // A range that a filter may shrink. Ranges that are shared are named once.
  void may_filter(const bkf::Filter& filter) {
    if (options_.filters && filter.bytes() >= bkf::kLeastFiltered) ranges_.emplace(filter.offset, filter);
  }

  void may_filter_words(uint64_t offset, uint64_t width, uint64_t height = 1) {
    may_filter({.kind = bkf::FilterKind::words, .offset = offset, .width = width, .height = height});
  }

  void may_filter_texels(const CapturedTexture& texture, uint64_t offset) {
    const uint32_t bytes = bytes_of_byte_texel(texture.format);
    if (bytes == 0) return;
    for (int level = 0; level < texture.levels; level++) {
      const auto width = uint64_t(level_extent(texture, level).width);
      const uint64_t all = level_bytes(texture, level);
      may_filter({.offset = offset, .width = width, .height = all / (width * bytes), .channels = bytes});
      offset += all;
    }
  }

  // Filters those ranges that become smaller by it, and returns their filters.
  std::vector<bkf::Filter> filter_blob() {
    std::vector<bkf::Filter> used;
    for (const auto& [offset, filter] : ranges_) {
      const std::span<std::byte> range = std::span(blob_).subspan(size_t(offset), size_t(filter.bytes()));
      std::vector<std::byte> filtered(range.size());
      bkf::apply_filter(filter, range, filtered);
      if (bkf::packed_size(filtered) >= bkf::packed_size(range)) continue;
      std::ranges::copy(filtered, range.begin());
      used.push_back(filter);
    }
    return used;
  }

  void write_command(const DrawCommand& draw) {
    for (uint32_t i = 0; i < draw.view_count; i++) {
      const View& view = frame_.views[draw.first_view + i];
      const bool clip_space = draw.vertex_kind == VertexKind::clip_space;
      bkf::FileDraw written{.command = draw, .target = view.target, .layer = view.layer};
      written.command.flags &= ~kBackToFront;  // the file has one camera, and the list is in its order
      written.positions.count = draw.vertex_count;
      written.indices.count = draw.element_count;
      written.has_vertex_program = draw.vertices >= 0;
      written.has_positions = !(written.has_vertex_program && options_.leaves_out_vertices(draw));
      if (written.has_positions) {
        written.positions.offset = clip_space ? append_shared(stored_positions_, frame_.positions, draw.first_vertex,
                                                              uint64_t(draw.vertex_count) * draw.instances)
                                              : append_transformed(draw, view);
      }
      // In the file, a draw without indices uses all its positions. A draw that uses fewer is written with indices.
      if (draw.indexed) {
        written.indices.offset = append_shared(stored_indices_, frame_.indices, draw.first_index, draw.element_count);
        may_filter_words(written.indices.offset, draw.element_count);
      } else if (draw.element_count != draw.vertex_count) {
        std::vector<uint32_t> numbers(draw.element_count);
        std::iota(numbers.begin(), numbers.end(), 0u);
        written.indices.offset = append(numbers.data(), numbers.size());
        written.command.indexed = true;
      }
      if (draw.inputs >= 0 && clip_space) append_inputs(written);
      if (written.has_vertex_program) append_vertices(written);
      add(bkf::CommandType::draw, written);
    }
  }

  void append_inputs(bkf::FileDraw& written) {
    const DrawCommand& draw = written.command;
    written.has_program = true;
    written.inputs = frame_.inputs[size_t(draw.inputs)];
    const FragmentProgram& program = frame_.programs[written.inputs.program];
    const ProgramNeeds& sizes = sizes_[written.inputs.program];
    const auto uniforms = [&](uint64_t first, uint64_t words) {
      return append_shared(stored_uniforms_, frame_.uniforms, first, words);
    };
    const uint64_t components = sizes.varying_components * draw.vertex_count * draw.instances;
    if (written.has_positions) {
      written.varyings = {append_shared(stored_varyings_, frame_.varyings, written.inputs.first_varying, components),
                          components};
    }
    written.uniforms.count = sizes.uniform_words;
    written.uniforms.offset = uniforms(written.inputs.first_uniform, written.uniforms.count);
    for (size_t i = 0; i < program.blocks.size(); i++) {
      uint64_t& first = written.inputs.first_of_blocks[i];
      first = uniforms(first, program.blocks[i].size / sizeof(uint32_t));
    }
  }

  void append_vertices(bkf::FileDraw& written) {
    written.vertices = frame_.vertex_inputs[size_t(written.command.vertices)];
    VertexInputs& inputs = written.vertices;
    const VertexProgram& program = frame_.vertex_programs[inputs.program];
    const auto uniforms = [&](uint64_t first, uint64_t words) {
      return append_shared(stored_uniforms_, frame_.uniforms, first, words);
    };
    written.vertex_uniforms.count = vertex_sizes_[inputs.program].uniform_words;
    written.vertex_uniforms.offset = uniforms(inputs.first_uniform, written.vertex_uniforms.count);
    for (size_t i = 0; i < program.blocks.size(); i++) {
      uint64_t& first = inputs.first_of_blocks[i];
      first = uniforms(first, program.blocks[i].size / sizeof(uint32_t));
    }
    for (size_t i = 0; i < program.attributes.size(); i++) {
      written.attributes.push_back(stored_attribute(program.attributes[i].type, inputs.attributes[i]));
      written.attributes.back().divisor = inputs.attributes[i].divisor;
    }
  }

  // Draws that share an attribute share its bytes.
  bkf::FileAttribute stored_attribute(ShaderType type, const VertexStream& stream) {
    const uint64_t words = uint64_t(stream.count) * shape_of(type).components();
    const auto [found, is_new] = stored_attributes_.try_emplace(std::tuple(stream.first, words, type));
    if (is_new) {
      const bkf::StoredAttribute stored =
          bkf::store_attribute(type, std::span(frame_.attributes).subspan(stream.first, words));
      found->second = {.data = {append(stored.bytes.data(), stored.bytes.size()), words},
                       .type = stored.form.type,
                       .normalized = stored.form.normalized};
    }
    return found->second;
  }

  template <class Program>
  bkf::FileProgram<Program> with_module(const Program& program) {
    bkf::FileProgram<Program> written{.program = program, .has_module = bkf::is_module(program)};
    if (!written.has_module) return written;
    const std::string& bytes = program.texts[0];
    written.module = {append(bytes.data(), bytes.size() / sizeof(uint32_t) * sizeof(uint32_t)),
                      bytes.size() / sizeof(uint32_t)};
    written.program.texts.clear();
    return written;
  }

  bkf::FileTexture with_data(const CapturedTexture& texture) {
    bkf::FileTexture written{.texture = texture};
    if (texture.stored) {
      written.data.count = texture_bytes(texture);
      written.data.offset = append_shared(stored_texels_, frame_.texture_data, texture.first_byte, written.data.count);
      may_filter_texels(texture, written.data.offset);
    }
    return written;
  }

  uint64_t append_transformed(const DrawCommand& draw, const View& view) {
    std::vector<glm::vec4> positions;
    positions.reserve(size_t(draw.vertex_count) * draw.instances);
    for (uint32_t instance = 0; instance < draw.instances; instance++) {
      const glm::mat4& model = frame_.models[draw.first_instance + instance];
      for (uint32_t vertex = 0; vertex < draw.vertex_count; vertex++) {
        positions.push_back(view.view_projection * (model * frame_.positions[draw.first_vertex + vertex]));
      }
    }
    return append(positions.data(), positions.size());
  }

  void write_command(const ClearCommand& clear) { add(bkf::CommandType::clear, clear); }
  void write_command(const BlitCommand& blit) { add(bkf::CommandType::blit, blit); }
  void write_command(const LoadCommand& load) { add(bkf::CommandType::load, load); }
  void write_command(const GenerateMipsCommand& generate) { add(bkf::CommandType::generate_mips, generate); }
  void write_command(const CopyCommand& copy) { add(bkf::CommandType::copy, copy); }

  // `before`: the command's number in the file.
  bkf::FileReference append(const Reference& reference, uint32_t before) {
    bkf::FileReference written{.target = reference.target, .before = before};
    written.has_color = options_.reference_colors && !reference.color_file.empty();
    written.has_depth = options_.reference_depths && !reference.depth.empty();
    if (written.has_color) {
      written.picture = picture_type(reference.color_file);
      written.color = {append(reference.color_file.data(), reference.color_file.size()), reference.color_file.size()};
      if (std::optional<bkf::Filter> rows = bkf::filter_of_plain_png(reference.color_file)) {
        rows->offset += written.color.offset;
        may_filter(*rows);
      }
    }
    if (written.has_depth) {
      written.depth_offset = append(reference.depth.data(), reference.depth.size());
      written.depth_width = reference.depth_width;
      written.depth_height = reference.depth_height;
      may_filter_words(written.depth_offset, uint64_t(reference.depth_width), uint64_t(reference.depth_height));
    }
    return written;
  }

  const Frame& frame_;
  const BkfWriteOptions& options_;
  std::vector<ProgramNeeds> sizes_, vertex_sizes_;  // by program
  bool has_vertex_programs_;
  ObjectWriter::Targets targets_;
  json commands_ = json::array();
  std::vector<std::byte> blob_;
  using Stored = std::map<std::pair<uint64_t, uint64_t>, uint64_t>;
  std::map<uint64_t, bkf::Filter> ranges_;  // by offset
  Stored stored_indices_, stored_positions_, stored_varyings_, stored_uniforms_, stored_texels_;
  std::map<std::tuple<uint64_t, uint64_t, ShaderType>, bkf::FileAttribute> stored_attributes_;
};

}  // namespace

std::vector<std::byte> bkf_bytes(const Frame& frame, const BkfWriteOptions& options) {
  validate(frame);
  return Writer(frame, options).write();
}

void write_bkf(const Frame& frame, const std::filesystem::path& path, const BkfWriteOptions& options) {
  try {
    write_file(path, bkf_bytes(frame, options));
  } catch (const std::runtime_error& error) {
    const std::string message = error.what();
    if (message.starts_with(path.string())) throw;
    fail("{}: {}", path.string(), message);
  }
}

}  // namespace brokkr
