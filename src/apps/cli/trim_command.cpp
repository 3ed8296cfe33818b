// brokkr trim: makes a captured frame smaller without changing its pictures.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/input.h"
#include "app/picture.h"
#include "app/text.h"
#include "base/file_io.h"
#include "brokkr/load.h"
#include "brokkr/renderer.h"
#include "brokkr/vertex_stage.h"
#include "cli/commands.h"
#include "frame/bkf.h"
#include "inspect/image_compare.h"
#include "inspect/packed_png.h"
#include "inspect/settings_check.h"
#include "inspect/trim.h"
#include "inspect/vertex_compare.h"

namespace brokkr::app {
namespace {

constexpr int kLevel = 19;  // of zstd; a file is compressed once and copied often

// The commands to keep, and the pictures that must not change.
struct Plan {
  TrimRequest request;
  uint32_t end = 0;                // number of commands of the original to consider
  std::vector<uint32_t> compared;  // targets of the original
  std::vector<uint32_t> moments;   // numbers of commands of the original after which targets are compared
};

Plan make_plan(const Frame& frame, const Arguments& arguments) {
  Plan plan;
  const auto count = uint32_t(frame.commands.size());
  plan.end = uint32_t(std::min<int64_t>(arguments.integer("commands", count), count));
  const std::string references = arguments.text("references", "all");
  std::set<uint32_t> moments{plan.end};
  const auto compares = [&](uint32_t target) {
    return !arguments.has("target") || target == chosen_target(frame, arguments);
  };
  for (const Reference& reference : frame.references) {
    const bool stays = references != "none" && compares(reference.target) && reference.before <= plan.end;
    plan.request.references.push_back(stays);
    if (stays) moments.insert(reference.before);
  }
  plan.moments.assign(moments.begin(), moments.end());
  for (uint32_t target = 0; target < frame.targets.size(); ++target) {
    if (compares(target)) plan.compared.push_back(target);
  }
  plan.request.commands = arguments.has("target") ? contributing_commands(frame, plan.compared.front(), plan.end)
                                                  : std::vector<bool>(plan.end, true);
  return plan;
}

// The pictures of some targets at some moments of a frame.
class Pictures {
 public:
  Pictures(Renderer& renderer, PreparedFrame& prepared, RenderOptions options, const std::vector<uint32_t>& moments,
           const std::vector<uint32_t>& targets) {
    for (const uint32_t moment : moments) {
      options.command_limit = moment;
      RenderResult result = renderer.render(prepared, options);
      false_colors_ = std::max(false_colors_, result.statistics.false_color_draws);
      std::vector<TargetImage>& images = images_.emplace_back();
      for (const uint32_t target : targets) images.push_back(std::move(result.targets[target]));
    }
  }

  uint64_t false_colors() const { return false_colors_; }

  bool equals(const Pictures& others) const {
    for (size_t i = 0; i < images_.size(); ++i)
      if (first_difference(images_[i], others.images_[i])) return false;
    return false_colors_ == others.false_colors_;
  }

  // Throws std::runtime_error that names the difference.
  void require_same(const Pictures& others, const Frame& frame, const std::vector<uint32_t>& targets) const {
    for (size_t i = 0; i < images_.size(); ++i) {
      const std::optional<PictureDifference> difference = first_difference(images_[i], others.images_[i]);
      if (!difference) continue;
      throw std::runtime_error(fmt::format(
          "{}: {} of target {} would change at ({}, {}), so nothing was written; trim it without --target and "
          "--commands, or keep the frame untrimmed",
          frame.source, difference->what, frame.targets[targets[difference->target]].id, difference->x, difference->y));
    }
    if (false_colors_ != others.false_colors_)
      throw std::runtime_error(frame.source + ": other draws would be in false colours; nothing was written");
  }

 private:
  std::vector<std::vector<TargetImage>> images_;  // by moment, then by target
  uint64_t false_colors_ = 0;                     // number of draws
};

// The trimmed frame, and the number of texel bytes it keeps.
class Trimming {
 public:
  Trimming(const ComparedFrame& compared, const Arguments& arguments, Progress& progress)
      : compared_frame_(compared), frame_(compared.frame), plan_(make_plan(frame_, arguments)), progress_(progress) {
    options_.machine = MachineKind::cpu;
    options_.memory_limit = int(arguments.integer("memory-limit", 0));
    load_ = load_options(arguments);
    trimmed_ = trim_frame(frame_, plan_.request);
    if (arguments.has("references")) keep_parts(arguments.text("references"));
    for (Reference& reference : trimmed_.frame.references) reference.color_file = png_for_filters(reference.color_file);
    texel_bytes_ = trimmed_.frame.texture_data.size();
    find_moments();
    draw_original();
    if (!trimmed_.frame.captured_textures.empty() && !arguments.has("all-texels")) {
      forget_texels();
      forget_covered_loads();
    }
  }

  // Returns the compressed file after checking that it gives the same pictures. Throws std::runtime_error if it does
  // not.
  std::vector<std::byte> file() {
    progress_.show("compressing");
    const Frame complete = with_drivers_vertices();
    std::vector<std::byte> bytes = bkf_bytes(complete, {.level = kLevel, .filters = true, .leave_out = left_out_});
    progress_.show("drawing the trimmed frame");
    Frame written = read_bkf(bytes, frame_.source, {}, load_);
    shade_vertices(written, load_);
    PreparedFrame prepared = renderer_.prepare(written, load_);
    original_->require_same(Pictures(renderer_, prepared, options_, moments_, targets_), frame_, compared_);
    return bytes;
  }

  // The trimmed frame with the driver's vertices in those draws that keep them.
  Frame with_drivers_vertices() {
    left_out_.assign(trimmed_.frame.vertex_inputs.size(), true);
    std::vector<bool> original(frame_.vertex_inputs.size(), true);
    kept_draws_ = 0;
    for (size_t i = 0; i < frame_.commands.size(); ++i) {
      const auto* const draw = std::get_if<DrawCommand>(&frame_.commands[i]);
      if (draw == nullptr || draw->vertices < 0) continue;
      const std::optional<VertexComparison>& found = compared_frame_.draws[i];
      if (compared_frame_.runs(*draw) && (!found || found->worst <= kMaxPixels)) continue;
      original[size_t(draw->vertices)] = false;
      kept_draws_ += i < plan_.request.commands.size() && plan_.request.commands[i];
    }
    for (size_t i = 0; i < left_out_.size(); ++i) left_out_[i] = original[trimmed_.vertex_inputs[i]];
    count_left_out();
    if (!compared_frame_.is_compared()) return trimmed_.frame;
    Frame before = frame_;
    before.positions = compared_frame_.positions;
    before.varyings = compared_frame_.varyings;
    Frame result = trim_frame(before, plan_.request).frame;
    result.references = trimmed_.frame.references;
    result.texture_data = trimmed_.frame.texture_data;
    return result;
  }

  // Counts the bytes that the file leaves out.
  void count_left_out() {
    const Frame& frame = trimmed_.frame;
    std::set<uint64_t> positions, varyings;  // ranges that are counted, by their first elements
    for (const brokkr::Command& command : frame.commands) {
      const auto* const draw = std::get_if<DrawCommand>(&command);
      if (draw == nullptr || draw->vertices < 0 || !left_out_[size_t(draw->vertices)]) continue;
      const uint64_t vertices = uint64_t(draw->vertex_count) * draw->instances;
      if (positions.insert(draw->first_vertex).second) left_out_positions_ += vertices * sizeof(glm::vec4);
      if (draw->inputs < 0) continue;
      const DrawInputs& inputs = frame.inputs[size_t(draw->inputs)];
      if (varyings.insert(inputs.first_varying).second)
        left_out_varyings_ += vertices * varying_components(frame.programs[inputs.program]) * sizeof(float);
    }
  }

  // Bytes of a kind before and after.
  struct KindBytes {
    std::string kind;
    uint64_t before, after;
  };
  std::vector<KindBytes> kinds() const {
    std::vector<KindBytes> all;
    const auto before = bytes_by_kind(frame_), after = bytes_by_kind(trimmed_.frame);
    for (size_t i = 0; i < before.size(); ++i) {
      const std::string_view kind = before[i].first;
      const uint64_t bytes = i == 0                ? texel_bytes_
                             : kind == "positions" ? after[i].second - left_out_positions_
                             : kind == "varyings"  ? after[i].second - left_out_varyings_
                                                   : after[i].second;
      all.push_back({before[i].first, before[i].second, bytes});
    }
    return all;
  }

  nlohmann::ordered_json to_json(const std::string& output, uint64_t file_before, uint64_t file_after) const {
    const auto pair = [](uint64_t before, uint64_t after) {
      return nlohmann::ordered_json{{"before", before}, {"after", after}};
    };
    nlohmann::ordered_json bytes;
    for (const KindBytes& one : kinds()) bytes[one.kind] = pair(one.before, one.after);
    bytes["file"] = pair(file_before, file_after);
    return {{"input", frame_.source},
            {"output", output},
            {"commands", pair(frame_.commands.size(), trimmed_.frame.commands.size())},
            {"textures", pair(frame_.captured_textures.size(), trimmed_.frame.captured_textures.size())},
            {"bytes", bytes},
            {"draws_with_drivers_vertices", kept_draws_},
            {"draws_in_false_colours", original_->false_colors()}};
  }

  void print(const std::string& output, uint64_t file_before, uint64_t file_after) const {
    std::vector<std::vector<std::string>> cells;
    for (const KindBytes& one : kinds()) cells.push_back({one.kind, grouped(one.before), grouped(one.after)});
    cells.push_back({"file", grouped(file_before), grouped(file_after)});
    std::cout << output << ": " << trimmed_.frame.commands.size() << " of "
              << counted(frame_.commands.size(), "command") << ", " << trimmed_.frame.captured_textures.size() << " of "
              << counted(frame_.captured_textures.size(), "texture") << "\n"
              << format_table({"bytes of", "before", "after"}, cells);
    if (kept_draws_ > 0)
      std::cout << fmt::format("{} with the driver's vertices, because the programs cannot run or compute others\n",
                               counted(kept_draws_, "draw"));
    if (original_->false_colors() > 0)
      std::cout << counted(original_->false_colors(), "draw") << " in false colours: all texels were kept\n";
  }

 private:
  void keep_parts(const std::string& references) {
    const Frame& frame = trimmed_.frame;
    for (Reference& reference : trimmed_.frame.references) {
      const bool is_earlier = references == "final" && &reference != original_of(frame, reference.target);
      if (references == "depth" || is_earlier) reference.color_file.clear();
      if (references == "color" || references == "final")
        reference.depth.clear(), reference.depth_width = reference.depth_height = 0;
    }
    std::erase_if(trimmed_.frame.references,
                  [](const Reference& one) { return one.depth.empty() && one.color_file.empty(); });
  }

  // Maps the moments and targets of the original to the trimmed frame.
  void find_moments() {
    for (const uint32_t moment : plan_.moments) {
      const std::vector<bool>& kept = plan_.request.commands;
      moments_.push_back(uint32_t(std::count(kept.begin(), kept.begin() + std::ptrdiff_t(moment), true)));
    }
    for (uint32_t i = 0; i < trimmed_.targets.size(); ++i) {
      const uint32_t original = trimmed_.targets[i];
      if (std::find(plan_.compared.begin(), plan_.compared.end(), original) == plan_.compared.end()) continue;
      targets_.push_back(i);
      compared_.push_back(original);
    }
  }

  void draw_original() {
    progress_.show("drawing the frame");
    PreparedFrame prepared = renderer_.prepare(frame_, load_);
    original_.emplace(renderer_, prepared, options_, plan_.moments, compared_);
  }

  // Does nothing if a program could not run: it reads no texels now, but may once it can run.
  void forget_texels() {
    if (original_->false_colors() > 0) return;
    progress_.show("finding the texels that are read");
    PreparedFrame prepared = renderer_.prepare(trimmed_.frame, load_);
    TexelWatch watch(prepared);
    watch.begin();
    const Pictures drawn(renderer_, prepared, options_, moments_, targets_);
    watch.end();
    texel_bytes_ = forget_unread_texels(trimmed_.frame, prepared, watch);
  }

  // Textures that loads copy into planes and that no program and no other command reads.
  std::vector<size_t> only_loaded() const {
    const Frame& frame = trimmed_.frame;
    std::set<size_t> loaded;
    for (const brokkr::Command& command : frame.commands) {
      const auto* const load = std::get_if<LoadCommand>(&command);
      if (load != nullptr && frame.captured_textures[load->texture].stored) loaded.insert(load->texture);
    }
    const auto erase = [&](const std::vector<BoundTexture>& all) {
      for (const BoundTexture& bound : all) loaded.erase(size_t(bound.texture));
    };
    for (const DrawInputs& inputs : frame.inputs) erase(inputs.textures);
    for (const VertexInputs& inputs : frame.vertex_inputs) erase(inputs.textures);
    return {loaded.begin(), loaded.end()};
  }

  // Sets the contents of loads to 0 if no picture shows them, as where draws cover the whole of the window's old
  // picture.
  void forget_covered_loads() {
    if (original_->false_colors() > 0) return;
    Frame& frame = trimmed_.frame;
    for (const size_t number : only_loaded()) {
      progress_.show("finding the loads that are covered");
      const CapturedTexture& texture = frame.captured_textures[number];
      const auto begin = frame.texture_data.begin() + std::ptrdiff_t(texture.first_byte);
      const auto end = begin + std::ptrdiff_t(texture_bytes(texture));
      const std::vector<std::byte> kept(begin, end);
      const auto used = uint64_t(std::count_if(begin, end, [](std::byte byte) { return byte != std::byte(0); }));
      if (used == 0) continue;
      std::fill(begin, end, std::byte(0));
      PreparedFrame prepared = renderer_.prepare(frame, load_);
      if (original_->equals(Pictures(renderer_, prepared, options_, moments_, targets_)))
        texel_bytes_ -= std::min<uint64_t>(texel_bytes_, kept.size());
      else
        std::copy(kept.begin(), kept.end(), begin);
    }
  }

  // Half of the grid on which the pipeline places vertices.
  static constexpr double kMaxPixels = 1.0 / 512;

  const ComparedFrame& compared_frame_;
  const Frame& frame_;
  const Plan plan_;
  Progress& progress_;
  Renderer renderer_;
  RenderOptions options_;
  LoadOptions load_;
  TrimmedFrame trimmed_;
  std::vector<uint32_t> moments_;             // plan_.moments as numbers of commands of the trimmed frame
  std::vector<uint32_t> targets_, compared_;  // targets to compare: in the trimmed frame, in the original
  std::optional<Pictures> original_;
  uint64_t texel_bytes_ = 0;
  std::vector<bool> left_out_;  // by Frame::vertex_inputs of the trimmed frame
  uint64_t kept_draws_ = 0, left_out_positions_ = 0, left_out_varyings_ = 0;
};

int run_trim(const Arguments& arguments) {
  const std::string input = arguments.text("INPUT"), output = arguments.text("output");
  if (output.empty()) throw UsageError("-o is missing; name a .bkf file");
  require_ending(output, {".bkf"}, "-o");
  Progress progress;
  progress.show("reading " + input);
  const ComparedFrame frame = read_compared(input, load_options(arguments));
  std::error_code error;  // pipes have no size
  const uintmax_t size = std::filesystem::file_size(input, error);
  const uint64_t file_before = error ? 0 : uint64_t(size);
  Trimming trimming(frame, arguments, progress);
  const std::vector<std::byte> bytes = trimming.file();
  write_file(output, bytes);
  if (!write_document(arguments.text("json"), trimming.to_json(output, file_before, bytes.size())))
    trimming.print(output, file_before, bytes.size());
  return kSuccess;
}

}  // namespace

Command trim_command() {
  return {
      "trim",
      "Make a captured frame small without changing its picture",
      {needed(file_option("INPUT", "INPUT", "Captured frame (.bkf)")),
       output_option("-o,--output", "FILE.bkf",
                     "File to write, after checking that both frames draw the same pictures"),
       integer_option("--target", "Keep only what this target needs, by its number in the file", 0, 2147483647.0, "T"),
       integer_option("--commands", "Keep only the first N commands", 1, 4294967295.0),
       choice_option("--references", "WHAT",
                     "The game's own pictures and depths to keep (all); final: the last picture of each target",
                     {"all", "color", "depth", "final", "none"}),
       flag("--all-texels", "Keep texels that the frame's programs do not read, for other shaders"),
       json_option("Write the numbers as JSON"), memory_option()},
      run_trim};
}

}  // namespace brokkr::app
