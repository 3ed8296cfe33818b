#include "scene/bkf_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "scene/bkf_container.h"
#include "scene/bkf_format.h"
#include "scene/bkf_json.h"
#include "scene/bkf_state.h"
#include "scene/file_io.h"

namespace brokkr {
namespace {

using bkf::JsonObject;
using nlohmann::json;

constexpr int64_t kMaxCount = std::numeric_limits<uint32_t>::max();
constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();
const char* const kAgain = "correct the file or capture it again";

// Gathers the parts of a frame file's blob that become one of the Frame's arrays.
//
// Draws share ranges, and ranges may overlap. All ranges of one element type are collected, merged where they overlap
// or touch, and copied once, one after another: the array cannot become larger than the blob, however many draws refer
// to it.
template <typename T>
class BlobRanges {
 public:
  // [offset, offset + count * sizeof(T)) lies inside the blob, and offset is aligned to alignof(T).
  void add(uint64_t offset, uint64_t count) {
    if (count > 0) ranges_.push_back({offset, offset + count * sizeof(T), 0});
  }

  // Merges what was added and copies it.
  std::vector<T> gather(std::span<const std::byte> blob) {
    std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    size_t merged = 0;
    for (const Range& range : ranges_) {
      if (merged > 0 && range.begin <= ranges_[merged - 1].end) {
        ranges_[merged - 1].end = std::max(ranges_[merged - 1].end, range.end);
      } else {
        ranges_[merged++] = range;
      }
    }
    ranges_.resize(merged);
    uint64_t total = 0;
    for (Range& range : ranges_) {
      range.first = total;
      total += (range.end - range.begin) / sizeof(T);
    }
    std::vector<T> result(static_cast<size_t>(total));
    for (const Range& range : ranges_) {
      std::memcpy(&result[size_t(range.first)], &blob[size_t(range.begin)], size_t(range.end - range.begin));
    }
    return result;
  }

  // After `gather`: where in the array the element at `offset` went; 0 for an offset that begins no range.
  uint64_t first(uint64_t offset) const {
    auto after = std::upper_bound(ranges_.begin(), ranges_.end(), offset,
                                  [](uint64_t value, const Range& range) { return value < range.begin; });
    if (after == ranges_.begin()) return 0;
    const Range& range = *std::prev(after);
    return offset < range.end ? range.first + (offset - range.begin) / sizeof(T) : 0;
  }

 private:
  struct Range {
    uint64_t begin, end;  // bytes of the blob
    uint64_t first;       // element of the array
  };
  std::vector<Range> ranges_;
};

// A checked range of the blob.
struct Extent {
  uint64_t offset = 0, count = 0;
};

class Reader {
 public:
  Reader(const bkf::Container& container, const BkfLimits& limits, const LoadProgress& progress)
      : root_(container.json, "frame"), blob_(container.blob), limits_(limits), progress_(progress) {}

  Frame read() {
    read_header();
    read_targets();
    read_states();
    frame_.materials.push_back({.name = "captured", .kind = MaterialKind::none});
    const json& commands = root_.array("commands");
    if (commands.size() >= size_t(kMaxCount)) root_.fail("commands", "there are too many", "split the frame");
    for (size_t i = 0; i < commands.size(); i++) collect_ranges(command_object(commands, i));
    report(0.5);
    frame_.indices = indices_.gather(blob_);
    frame_.positions = positions_.gather(blob_);
    report(0.6);
    frame_.commands.reserve(commands.size());
    for (size_t i = 0; i < commands.size(); i++) {
      frame_.commands.push_back(read_command(command_object(commands, i)));
      if (i % 256 == 255) report(0.6 + 0.3 * double(i) / double(commands.size()));
    }
    read_references();
    return std::move(frame_);
  }

 private:
  void report(double part) const {
    if (progress_) progress_(part);
  }

  static JsonObject command_object(const json& commands, size_t i) {
    return JsonObject(commands[i], "command " + std::to_string(i));
  }

  void read_header() {
    if (root_.has("asset")) {
      const JsonObject asset = root_.object("asset");
      frame_.application = asset.text_or("application", "");
      frame_.generator = asset.text_or("generator", "");
      frame_.license = asset.text_or("license", "");
      frame_.frame_number = asset.integer_or("frame", std::numeric_limits<int64_t>::min(), kMaxInt64, 0);
    }
    if (root_.has("window")) {
      std::tie(frame_.window_width, frame_.window_height) = read_size(root_, "window", 0);
    }
    if (root_.has("skipped")) {
      const JsonObject skipped = root_.object("skipped");
      frame_.skipped_draws = uint64_t(skipped.integer_or("draws", 0, kMaxInt64, 0));
      frame_.skipped_triangles = uint64_t(skipped.integer_or("triangles", 0, kMaxInt64, 0));
      if (skipped.has("reasons")) {
        const JsonObject reasons = skipped.object("reasons");
        for (const auto& [reason, count] : skipped.at("reasons").items()) {
          frame_.skipped_reasons[reason] = uint64_t(reasons.integer(reason.c_str(), 0, kMaxInt64));
        }
      }
    }
  }

  static std::pair<int, int> read_size(const JsonObject& object, const char* key, int low) {
    const json& list = object.array(key);
    std::pair<int, int> size{-1, -1};
    if (list.size() == 2 && list[0].is_number_unsigned() && list[1].is_number_unsigned()) {
      const auto width = list[0].get<uint64_t>(), height = list[1].get<uint64_t>();
      if (width <= uint64_t(kMaxTargetSize) && height <= uint64_t(kMaxTargetSize)) {
        size = {int(width), int(height)};
      }
    }
    if (size.first < low || size.second < low) {
      object.fail(key, "it is not a size in pixels, each side in " + std::to_string(low) + "..16384", kAgain);
    }
    return size;
  }

  void read_targets() {
    uint64_t pixels = 0;
    const json& targets = root_.array("targets");
    for (size_t i = 0; i < targets.size(); i++) {
      const JsonObject object(targets[i], "target " + std::to_string(i));
      Target target;
      target.id = int(object.integer("id", std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
      std::tie(target.width, target.height) = read_size(object, "size", 1);
      target.layers = int(object.integer_or("layers", 1, kMaxTargetLayers, 1));
      target.format = object.name_or("format", bkf::kColorFormats, target.format);
      pixels += uint64_t(target.width) * uint64_t(target.height) * uint64_t(target.layers);
      if (pixels > limits_.target_pixels) object.fail("size", "all targets together are too large", kAgain);
      if (!target_of_id_.emplace(target.id, uint32_t(i)).second) {
        object.fail("id", std::to_string(target.id) + " is used twice", kAgain);
      }
      frame_.targets.push_back(target);
      frame_.views.push_back({.target = uint32_t(i)});
    }
  }

  void read_states() {
    const json& states = root_.array("states");
    for (size_t i = 0; i < states.size(); i++) {
      frame_.states.push_back(bkf::read_state(JsonObject(states[i], "state " + std::to_string(i))));
    }
  }

  // A member {"offset", `count_key`} of `element_size` bytes per element, `repeat` times, inside the blob.
  Extent read_extent(const JsonObject& object, const char* count_key, size_t element_size, uint64_t repeat) const {
    Extent extent;
    extent.offset = uint64_t(object.integer("offset", 0, kMaxInt64));
    extent.count = uint64_t(object.integer(count_key, 0, kMaxCount));
    if (extent.offset % bkf::kAlignment != 0) object.fail("offset", "it is not a multiple of 16", kAgain);
    const uint64_t room = extent.offset <= blob_.size() ? (blob_.size() - extent.offset) / element_size : 0;
    if (extent.count > room / std::max<uint64_t>(repeat, 1)) {
      object.fail(count_key, "the range ends beyond the blob of " + std::to_string(blob_.size()) + " bytes", kAgain);
    }
    return extent;
  }

  static uint32_t read_instances(const JsonObject& draw) {
    return uint32_t(draw.integer_or("instances", 1, kMaxCount, 1));
  }

  Extent read_positions(const JsonObject& draw) const {
    const JsonObject object = draw.object("position");
    static constexpr std::array<std::string_view, 1> kTypes = {"f32x4"};
    object.find("type", object.at("type"), kTypes);
    return read_extent(object, "count", sizeof(glm::vec4), read_instances(draw));
  }

  Extent read_indices(const JsonObject& draw) const {
    const JsonObject object = draw.object("indices");
    static constexpr std::array<std::string_view, 1> kTypes = {"u32"};
    object.find("type", object.at("type"), kTypes);
    return read_extent(object, "count", sizeof(uint32_t), 1);
  }

  void collect_ranges(const JsonObject& command) {
    if (command.text_or("type", "") != "draw") return;
    const Extent positions = read_positions(command);
    positions_.add(positions.offset, positions.count * read_instances(command));
    if (!command.has("indices")) return;
    const Extent indices = read_indices(command);
    indices_.add(indices.offset, indices.count);
  }

  Command read_command(const JsonObject& command) {
    static constexpr std::array<std::string_view, 3> kTypes = {"draw", "clear", "blit"};
    switch (command.find("type", command.at("type"), kTypes)) {
      case 0: return read_draw(command);
      case 1: return read_clear(command);
      default: return read_blit(command);
    }
  }

  uint32_t read_target(const JsonObject& object, const char* key) const {
    const auto id = int(object.integer(key, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
    const auto found = target_of_id_.find(id);
    if (found == target_of_id_.end()) object.fail(key, "no target has the id " + std::to_string(id), kAgain);
    return found->second;
  }

  // The view of a target's layer; all but those of layer 0 are made on first use.
  uint32_t view_of(uint32_t target, uint32_t layer) {
    if (layer == 0) return target;
    const auto [found, is_new] = view_of_layer_.emplace(std::pair(target, layer), uint32_t(frame_.views.size()));
    if (is_new) frame_.views.push_back({.target = target, .layer = layer});
    return found->second;
  }

  DrawCommand read_draw(const JsonObject& command) {
    DrawCommand draw;
    const uint32_t target = read_target(command, "target");
    draw.first_view = view_of(target, uint32_t(command.integer_or("layer", 0, kMaxTargetLayers - 1, 0)));
    draw.state = uint32_t(command.integer("state", 0, int64_t(frame_.states.size()) - 1));
    draw.topology = command.name<Topology>("mode", bkf::kTopologies);
    draw.restart = command.boolean_or("restart", false);
    draw.instances = read_instances(command);
    draw.label = command.text_or("label", "");
    for (const json& flag : command.array("flags")) draw.flags |= 1u << command.find("flags", flag, bkf::kDrawFlags);
    const Extent positions = read_positions(command);
    draw.first_vertex = positions_.first(positions.offset);
    draw.vertex_count = draw.element_count = uint32_t(positions.count);
    draw.indexed = command.has("indices");
    if (draw.indexed) {
      const Extent indices = read_indices(command);
      draw.first_index = indices_.first(indices.offset);
      draw.element_count = uint32_t(indices.count);
    }
    return draw;
  }

  ClearCommand read_clear(const JsonObject& command) const {
    ClearCommand clear;
    clear.target = read_target(command, "target");
    if (command.has("color")) command.numbers("color", std::span<float>(&clear.color.emplace()[0], 4));
    if (command.has("depth")) clear.depth = command.number("depth");
    if (command.has("stencil")) clear.stencil = uint8_t(command.integer("stencil", INT32_MIN, UINT32_MAX) & 0xff);
    if (command.has("scissor")) clear.scissor = bkf::read_scissor(command, "scissor");
    return clear;
  }

  BlitCommand read_blit(const JsonObject& command) const {
    static constexpr std::array<std::string_view, 3> kPlanes = {"color", "depth", "stencil"};
    BlitCommand blit;
    blit.from = read_target(command, "from");
    blit.to = read_target(command, "to");
    blit.source = bkf::read_rect(command, "source");
    blit.destination = bkf::read_rect(command, "destination");
    if (command.has("planes")) {
      std::array<bool, 3> planes{};
      for (const json& plane : command.array("planes")) planes[command.find("planes", plane, kPlanes)] = true;
      blit.color = planes[0];
      blit.depth = planes[1];
      blit.stencil = planes[2];
    }
    return blit;
  }

  void count_reference_bytes(const JsonObject& object, uint64_t bytes) {
    reference_bytes_ += bytes;
    if (reference_bytes_ > limits_.reference_bytes) object.fail("size", "all references are too large", kAgain);
  }

  void read_references() {
    const json& references = root_.array("references");
    for (size_t i = 0; i < references.size(); i++) {
      const JsonObject object(references[i], "reference " + std::to_string(i));
      Reference reference;
      reference.target = read_target(object, "target");
      reference.before = uint32_t(object.integer("before", 0, int64_t(frame_.commands.size())));
      if (object.has("color")) read_reference_color(object.object("color"), reference);
      if (object.has("depth")) read_reference_depth(object.object("depth"), reference);
      frame_.references.push_back(std::move(reference));
    }
  }

  void read_reference_color(const JsonObject& object, Reference& reference) {
    static constexpr std::array<std::string_view, 1> kTypes = {"jpeg"};
    object.find("type", object.at("type"), kTypes);
    const Extent extent = read_extent(object, "size", 1, 1);
    count_reference_bytes(object, extent.count);
    const auto* begin = reinterpret_cast<const uint8_t*>(blob_.data()) + extent.offset;
    reference.color_jpeg.assign(begin, begin + extent.count);
  }

  void read_reference_depth(const JsonObject& object, Reference& reference) {
    static constexpr std::array<std::string_view, 1> kTypes = {"f32"};
    static constexpr std::array<std::string_view, 1> kOrigins = {"bottom-left"};
    object.find("type", object.at("type"), kTypes);
    if (object.has("origin")) object.find("origin", object.at("origin"), kOrigins);
    std::tie(reference.depth_width, reference.depth_height) = read_size(object, "size", 1);
    const uint64_t bytes = uint64_t(reference.depth_width) * uint64_t(reference.depth_height) * sizeof(float);
    const auto offset = uint64_t(object.integer("offset", 0, kMaxInt64));
    if (offset > blob_.size() || bytes > blob_.size() - offset) {
      object.fail("size", "the picture ends beyond the blob of " + std::to_string(blob_.size()) + " bytes", kAgain);
    }
    count_reference_bytes(object, bytes);
    reference.depth.resize(size_t(bytes / sizeof(float)));
    std::memcpy(reference.depth.data(), blob_.data() + offset, size_t(bytes));
  }

  JsonObject root_;
  std::span<const std::byte> blob_;
  const BkfLimits& limits_;
  const LoadProgress& progress_;
  Frame frame_;
  std::map<int, uint32_t> target_of_id_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> view_of_layer_;
  BlobRanges<uint32_t> indices_;
  BlobRanges<glm::vec4> positions_;
  uint64_t reference_bytes_ = 0;
};

}  // namespace

Frame read_bkf(std::span<const std::byte> file, std::string_view name, const BkfLimits& limits,
               const LoadProgress& progress) {
  try {
    if (progress) progress(0.1);
    const bkf::Container container = bkf::unpack(file, limits);
    if (progress) progress(0.4);
    Frame frame = Reader(container, limits, progress).read();
    frame.source = name;
    if (progress) progress(0.9);
    validate(frame);
    return frame;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string(name) + ": " + error.what());
  }
}

Frame read_bkf(const std::filesystem::path& path, const BkfLimits& limits, const LoadProgress& progress) {
  return read_bkf(read_file(path, limits.file_bytes), path.string(), limits, progress);
}

}  // namespace brokkr
