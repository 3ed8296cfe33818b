#include "scene/bkf_writer.h"

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "scene/bkf_container.h"
#include "scene/bkf_format.h"
#include "scene/bkf_state.h"
#include "scene/file_io.h"

namespace brokkr {
namespace {

using nlohmann::json;

class Writer {
 public:
  Writer(const Frame& frame, const BkfWriteOptions& options) : frame_(frame), options_(options) {}

  std::vector<std::byte> write() {
    json commands = json::array();
    std::vector<size_t> number_of(frame_.commands.size() + 1);  // of a command in the file
    for (size_t i = 0; i < frame_.commands.size(); i++) {
      number_of[i] = commands.size();
      std::visit([&](const auto& command) { write_command(command, commands); }, frame_.commands[i]);
    }
    number_of.back() = commands.size();

    json root = {
        {"asset",
         {{"generator", frame_.generator},
          {"application", frame_.application},
          {"frame", frame_.frame_number},
          {"license", frame_.license}}},
        {"window", {frame_.window_width, frame_.window_height}},
        {"targets", json::array()},
        {"states", json::array()},
        {"commands", std::move(commands)},
        {"skipped",
         {{"draws", frame_.skipped_draws},
          {"triangles", frame_.skipped_triangles},
          {"reasons", frame_.skipped_reasons}}},
        {"references", json::array()},
    };
    for (const Target& target : frame_.targets) root["targets"].push_back(write_target(target));
    for (const State& state : frame_.states) root["states"].push_back(bkf::write_state(state));
    for (const Reference& reference : frame_.references) {
      json written = write_reference(reference, number_of[reference.before]);
      if (written.contains("color") || written.contains("depth")) root["references"].push_back(std::move(written));
    }
    root["blob"] = {{"codec", "zstd"}, {"size", blob_.size()}};
    return bkf::pack(root, blob_, options_.level);
  }

 private:
  // Identifiers need not be unique in a Frame; in the file they are what commands refer to.
  int id_of(uint32_t target) const { return ids_are_unique_ ? frame_.targets[target].id : int(target); }

  bool find_duplicate_ids() const {
    std::map<int, int> uses;
    for (const Target& target : frame_.targets) {
      if (++uses[target.id] > 1) return true;
    }
    return false;
  }

  json write_target(const Target& target) const {
    json result = {{"id", id_of(uint32_t(&target - frame_.targets.data()))},
                   {"size", {target.width, target.height}},
                   {"samples", 0}};
    if (target.layers != 1) result["layers"] = target.layers;
    if (target.format != ColorFormat::rgba8) result["format"] = bkf::name_of(bkf::kColorFormats, target.format);
    return result;
  }

  uint64_t append(const void* data, size_t bytes) {
    blob_.resize((blob_.size() + bkf::kAlignment - 1) / bkf::kAlignment * bkf::kAlignment);
    const uint64_t offset = blob_.size();
    const auto* begin = static_cast<const std::byte*>(data);
    blob_.insert(blob_.end(), begin, begin + bytes);
    return offset;
  }

  // Ranges that draws share are stored once.
  template <typename T>
  uint64_t append_shared(std::map<std::pair<uint64_t, uint64_t>, uint64_t>& stored, const std::vector<T>& values,
                         uint64_t first, uint64_t count) {
    const auto [found, is_new] = stored.emplace(std::pair(first, count), 0);
    if (is_new) found->second = append(values.data() + first, size_t(count) * sizeof(T));
    return found->second;
  }

  void write_command(const DrawCommand& draw, json& commands) {
    for (uint32_t i = 0; i < draw.view_count; i++) {
      const View& view = frame_.views[draw.first_view + i];
      const bool clip_space = draw.vertex_kind == VertexKind::clip_space;
      const uint64_t offset = clip_space ? append_shared(stored_positions_, frame_.positions, draw.first_vertex,
                                                         uint64_t(draw.vertex_count) * draw.instances)
                                         : append_transformed(draw, view);
      json command = {{"type", "draw"},
                      {"label", draw.label},
                      {"target", id_of(view.target)},
                      {"state", draw.state},
                      {"mode", bkf::name_of(bkf::kTopologies, draw.topology)},
                      {"position", {{"offset", offset}, {"type", "f32x4"}, {"count", draw.vertex_count}}}};
      if (view.layer != 0) command["layer"] = view.layer;
      if (draw.instances != 1) command["instances"] = draw.instances;
      if (draw.restart) command["restart"] = true;
      write_elements(draw, command);
      for (size_t bit = 0; bit < bkf::kDrawFlags.size(); bit++) {
        if (draw.flags >> bit & 1) command["flags"].push_back(bkf::kDrawFlags[bit]);
      }
      commands.push_back(std::move(command));
    }
  }

  // In the file, a draw without indices uses all its positions. A draw that uses fewer is written with indices.
  void write_elements(const DrawCommand& draw, json& command) {
    if (draw.indexed) {
      const uint64_t offset = append_shared(stored_indices_, frame_.indices, draw.first_index, draw.element_count);
      command["indices"] = {{"offset", offset}, {"type", "u32"}, {"count", draw.element_count}};
    } else if (draw.element_count != draw.vertex_count) {
      std::vector<uint32_t> numbers(draw.element_count);
      for (uint32_t i = 0; i < draw.element_count; i++) numbers[i] = i;
      const uint64_t offset = append(numbers.data(), numbers.size() * sizeof(uint32_t));
      command["indices"] = {{"offset", offset}, {"type", "u32"}, {"count", draw.element_count}};
    }
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
    return append(positions.data(), positions.size() * sizeof(glm::vec4));
  }

  void write_command(const ClearCommand& clear, json& commands) {
    json command = {{"type", "clear"}, {"target", id_of(clear.target)}};
    if (clear.color) command["color"] = {clear.color->x, clear.color->y, clear.color->z, clear.color->w};
    if (clear.depth) command["depth"] = *clear.depth;
    if (clear.stencil) command["stencil"] = *clear.stencil;
    if (clear.scissor) command["scissor"] = bkf::write_rect(*clear.scissor);
    commands.push_back(std::move(command));
  }

  void write_command(const BlitCommand& blit, json& commands) {
    json planes = json::array();
    if (blit.color) planes.push_back("color");
    if (blit.depth) planes.push_back("depth");
    if (blit.stencil) planes.push_back("stencil");
    commands.push_back({{"type", "blit"},
                        {"from", id_of(blit.from)},
                        {"to", id_of(blit.to)},
                        {"source", bkf::write_rect(blit.source)},
                        {"destination", bkf::write_rect(blit.destination)},
                        {"planes", planes}});
  }

  json write_reference(const Reference& reference, size_t before) {
    json result = {{"target", id_of(reference.target)}, {"before", before}};
    if (options_.reference_colors && !reference.color_jpeg.empty()) {
      const uint64_t offset = append(reference.color_jpeg.data(), reference.color_jpeg.size());
      result["color"] = {{"offset", offset}, {"size", reference.color_jpeg.size()}, {"type", "jpeg"}};
    }
    if (options_.reference_depths && !reference.depth.empty()) {
      const uint64_t offset = append(reference.depth.data(), reference.depth.size() * sizeof(float));
      result["depth"] = {{"offset", offset},
                         {"type", "f32"},
                         {"size", {reference.depth_width, reference.depth_height}},
                         {"origin", "bottom-left"}};
    }
    return result;
  }

  const Frame& frame_;
  const BkfWriteOptions& options_;
  const bool ids_are_unique_ = !find_duplicate_ids();
  std::vector<std::byte> blob_;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> stored_indices_, stored_positions_;
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
    const bool named = message.rfind(path.string(), 0) == 0;
    throw std::runtime_error(named ? message : path.string() + ": " + message);
  }
}

}  // namespace brokkr
