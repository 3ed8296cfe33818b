// brokkr info: describes the contents of a file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/vec3.hpp>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>
#include <variant>

#include "app/input.h"
#include "app/text.h"
#include "brokkr/load.h"
#include "cli/commands.h"
#include "frame/bkf_fields.h"
#include "frame/primitive_counts.h"
#include "log/text.h"

namespace brokkr::app {
namespace {

using Json = nlohmann::ordered_json;

struct TargetSummary {
  uint64_t draws = 0, triangles = 0;
};

// The contents of a frame as numbers.
struct FrameSummary {
  uint64_t draws = 0, clears = 0, blits = 0, loads = 0, mips = 0, copies = 0, indices = 0;
  std::vector<uint64_t> program_draws;         // by index in Frame::programs
  std::vector<uint64_t> vertex_program_draws;  // by index in Frame::vertex_programs
  uint64_t unique_vertices = 0;                // sum of the distinct vertices of each draw times its instances
  uint64_t instances = 0;                      // sum over all draws
  std::map<std::string, uint64_t> topologies;  // draws with each
  std::map<std::string, uint64_t> flags;       // draws with each flag, named as in frame files
  std::map<std::string, uint64_t> states;      // draws with each kind of state: "blend", "stencil", …
  std::vector<TargetSummary> targets;          // by index in Frame::targets
  // The bounds of all finite positions: clip space divided by w where w > 0, or object space.
  glm::vec3 lower{0}, upper{0};
  uint64_t behind_eye = 0;  // clip-space positions with w <= 0
  uint64_t not_finite = 0;
};

// Counts the distinct vertices in ranges of an index list, for all ranges in one pass over the list. In each range, a
// vertex is counted at its last occurrence.
class DistinctIndices {
 public:
  explicit DistinctIndices(const std::vector<uint32_t>& indices) : indices_(indices) {}

  void add(uint64_t begin, uint64_t end) { counts_[{end, begin}] = 0; }
  uint64_t count(uint64_t begin, uint64_t end) const { return counts_.at({end, begin}); }

  void count() {
    constexpr uint32_t kRestart = 0xffffffffu;
    const uint64_t end = counts_.empty() ? 0 : counts_.rbegin()->first.first;
    std::unordered_map<uint32_t, uint64_t> last;
    sums_.assign(end + 1, 0);
    uint64_t index = 0;
    for (auto& [range, count] : counts_) {
      for (; index < range.first; ++index) {
        if (indices_[index] == kRestart) continue;
        const auto [found, is_new] = last.try_emplace(indices_[index], index);
        if (!is_new) change(std::exchange(found->second, index), ~uint32_t(0));
        change(index, 1);
      }
      count = before(range.first) - before(range.second);
    }
  }

 private:
  // A Fenwick tree of partial sums; `delta` is modulo 2^32.
  void change(uint64_t index, uint32_t delta) {
    for (++index; index < sums_.size(); index += index & (~index + 1)) sums_[index] += delta;
  }
  uint32_t before(uint64_t index) const {
    uint32_t sum = 0;
    for (; index > 0; index -= index & (~index + 1)) sum += sums_[index];
    return sum;
  }

  const std::vector<uint32_t>& indices_;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> counts_;  // by end and begin of a range
  std::vector<uint32_t> sums_;
};

void count_state(const State& state, std::map<std::string, uint64_t>& states) {
  if (state.depth.test) ++states["depth test"];
  if (state.depth.test && state.depth.write) ++states["depth write"];
  if (state.cull != CullMode::none) ++states["cull"];
  if (state.scissor) ++states["scissor"];
  if (state.blend && !state.logic_op) ++states["blend"];
  if (state.logic_op) ++states["logical operation"];
  if (state.alpha_test) ++states["alpha test"];
  if (state.stencil) ++states["stencil"];
  if (state.polygon_offset) ++states["polygon offset"];
  if (state.polygon_mode != PolygonMode::fill) ++states["polygon mode"];
  if (!std::all_of(state.color_mask.begin(), state.color_mask.end(), [](bool on) { return on; })) {
    ++states["colour mask"];
  }
}

// Looks at each draw once, however much data the draws share.
class Summarizer {
 public:
  Summarizer(const Frame& frame, FrameSummary& summary)
      : frame_(frame), summary_(summary), primitives_(frame), distinct_(frame.indices) {}

  void add(const DrawCommand& draw) {
    ++summary_.draws;
    summary_.instances += draw.instances;
    if (draw.indexed) summary_.indices += draw.element_count;
    if (draw.indexed && draw.element_count > 0) distinct_.add(draw.first_index, draw.first_index + draw.element_count);
    ++summary_.topologies[std::string(bkf::name_of(draw.topology))];
    for (size_t bit = 0; !bkf::name_at(bkf::kDrawFlags, bit).empty(); ++bit) {
      if ((draw.flags >> bit & 1) != 0) ++summary_.flags[std::string(bkf::name_at(bkf::kDrawFlags, bit))];
    }
    count_state(frame_.states[draw.state], summary_.states);
    if (draw.inputs >= 0) ++summary_.program_draws[frame_.inputs[size_t(draw.inputs)].program];
    const bool triangles = draw.topology <= Topology::triangle_fan;
    const uint64_t of_view = triangles ? primitives_.count(draw) * draw.instances : 0;
    if (draw.vertices >= 0) ++summary_.vertex_program_draws[frame_.vertex_inputs[size_t(draw.vertices)].program];
    // Consecutive views mostly share a target; a draw counts once for each run of such views.
    for (uint32_t view = draw.first_view; view < draw.first_view + draw.view_count;) {
      const uint32_t target = frame_.views[view].target;
      const uint32_t end = std::min(same_target_until(view), draw.first_view + draw.view_count);
      summary_.targets[target].triangles += of_view * (end - view);
      if (last_draw_[target] != summary_.draws) ++summary_.targets[target].draws;
      last_draw_[target] = summary_.draws;
      view = end;
    }
  }

  void finish() {
    distinct_.count();
    for (const auto& command : frame_.commands) {
      const auto* draw = std::get_if<DrawCommand>(&command);
      if (draw == nullptr || draw->element_count == 0) continue;
      const uint64_t first = draw->first_index;
      summary_.unique_vertices +=
          (draw->indexed ? distinct_.count(first, first + draw->element_count) : draw->element_count) * draw->instances;
    }
  }

 private:
  uint32_t same_target_until(uint32_t view) {
    if (run_end_.empty()) {
      run_end_.resize(frame_.views.size());
      for (size_t i = frame_.views.size(); i-- > 0;) {
        const bool last = i + 1 == frame_.views.size() || frame_.views[i + 1].target != frame_.views[i].target;
        run_end_[i] = last ? uint32_t(i + 1) : run_end_[i + 1];
      }
    }
    return run_end_[view];
  }

  const Frame& frame_;
  FrameSummary& summary_;
  PrimitiveCounts primitives_;
  DistinctIndices distinct_;
  std::vector<uint32_t> run_end_;
  std::map<uint32_t, uint64_t> last_draw_;  // by target
};

void add_bounds(const Frame& frame, FrameSummary& summary) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  glm::vec3 lower(kInfinity), upper(-kInfinity);
  for (const glm::vec4& position : frame.positions) {
    if (!std::isfinite(position.x) || !std::isfinite(position.y) || !std::isfinite(position.z) ||
        !std::isfinite(position.w)) {
      ++summary.not_finite;
    } else if (position.w <= 0) {
      ++summary.behind_eye;
    } else {
      const glm::vec3 point = glm::vec3(position) / position.w;
      for (int axis = 0; axis < 3; ++axis) {
        lower[axis] = std::min(lower[axis], point[axis]);
        upper[axis] = std::max(upper[axis], point[axis]);
      }
    }
  }
  if (lower.x <= upper.x) {
    summary.lower = lower;
    summary.upper = upper;
  }
}

FrameSummary summarize(const Frame& frame) {
  FrameSummary summary;
  summary.targets.resize(frame.targets.size());
  summary.program_draws.resize(frame.programs.size());
  summary.vertex_program_draws.resize(frame.vertex_programs.size());
  Summarizer summarizer(frame, summary);
  for (const auto& command : frame.commands) {
    if (const auto* draw = std::get_if<DrawCommand>(&command)) {
      summarizer.add(*draw);
    } else {
      uint64_t* const counts[] = {&summary.draws, &summary.clears, &summary.blits,
                                  &summary.loads, &summary.mips,   &summary.copies};
      ++*counts[command.index()];
    }
  }
  summarizer.finish();
  add_bounds(frame, summary);
  return summary;
}

// By reason, the draws that have no vertex program although their frame was captured with them.
std::map<std::string, uint64_t> expanded_reasons(const Frame& frame) {
  std::map<std::string, uint64_t> reasons;
  for (const auto& [reason, count] : frame.skipped_reasons) {
    if (reason.starts_with(bkf::kExpandedReason)) reasons[reason.substr(bkf::kExpandedReason.size())] = count;
  }
  return reasons;
}

// The other reasons.
std::map<std::string, uint64_t> other_reasons(const Frame& frame) {
  std::map<std::string, uint64_t> reasons = frame.skipped_reasons;
  std::erase_if(reasons, [](const auto& one) { return one.first.starts_with(bkf::kExpandedReason); });
  return reasons;
}

std::string_view content_of(const CapturedTexture& texture) {
  return texture.stored ? "stored" : texture.images.empty() ? "missing" : "of targets";
}

bool is_jpeg(const Reference& reference) { return reference.color_file[0] == 0xff; }

uint64_t text_bytes(const std::vector<std::string>& texts) {
  uint64_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  return bytes;
}

// Describes what programs of both stages have.
void add_common(Json& json, const auto& program) {
  for (const char* list : {"uniforms", "blocks", "samplers"}) json[list] = Json::array();
  for (const ProgramUniform& u : program.uniforms) {
    json["uniforms"].push_back({{"name", u.name},
                                {"type", bkf::name_of(u.type)},
                                {"count", u.count},
                                {"block", u.block},
                                {"offset", u.offset}});
  }
  for (const ProgramBlock& block : program.blocks) {
    json["blocks"].push_back({{"name", block.name}, {"size", block.size}});
  }
  for (const ProgramSampler& s : program.samplers) {
    json["samplers"].push_back(
        {{"name", s.name}, {"kind", bkf::name_of(s.kind)}, {"shadow", s.shadow}, {"count", s.count}});
  }
}

Json to_json(const VertexProgram& program, uint64_t draws) {
  Json json = {{"version", program.version},
               {"draws", draws},
               {"text_bytes", text_bytes(program.texts)},
               {"uniform_words", uniform_words(program)},
               {"attributes", Json::array()}};
  for (const VertexAttribute& attribute : program.attributes)
    json["attributes"].push_back({{"name", attribute.name}, {"type", bkf::name_of(attribute.type)}});
  add_common(json, program);
  return json;
}

Json to_json(const FragmentProgram& program, uint64_t draws) {
  Json json = {{"version", program.version},
               {"fixed_function", program.fixed.has_value()},
               {"draws", draws},
               {"text_bytes", text_bytes(program.texts)},
               {"varying_components", varying_components(program)},
               {"uniform_words", uniform_words(program)},
               {"varyings", Json::array()}};
  for (const ProgramVarying& v : program.varyings) {
    json["varyings"].push_back({{"name", v.name},
                                {"type", bkf::name_of(v.type)},
                                {"count", v.count},
                                {"offset", v.offset},
                                {"interpolation", bkf::name_of(v.interpolation)}});
  }
  add_common(json, program);
  json["outputs"] = Json::array();
  for (const ProgramOutput& o : program.outputs) {
    json["outputs"].push_back({{"name", o.name}, {"type", bkf::name_of(o.type)}, {"location", o.location}});
  }
  return json;
}

// Describes programs and their textures.
void add_programs(Json& json, const Frame& frame, const FrameSummary& summary) {
  json["programs"] = json["captured_textures"] = Json::array();
  for (size_t i = 0; i < frame.programs.size(); ++i) {
    json["programs"].push_back(to_json(frame.programs[i], summary.program_draws[i]));
  }
  json["vertex_programs"] = Json::array();
  for (size_t i = 0; i < frame.vertex_programs.size(); ++i)
    json["vertex_programs"].push_back(to_json(frame.vertex_programs[i], summary.vertex_program_draws[i]));
  json["expanded_draws"] = expanded_reasons(frame);
  for (const CapturedTexture& texture : frame.captured_textures) {
    json["captured_textures"].push_back({{"label", texture.label},
                                         {"kind", bkf::name_of(texture.kind)},
                                         {"format", bkf::name_of(texture.format)},
                                         {"base", bkf::name_of(texture.base)},
                                         {"size", {texture.width, texture.height, texture.depth}},
                                         {"levels", texture.levels},
                                         {"content", content_of(texture)},
                                         {"bytes", texture.stored ? texture_bytes(texture) : 0}});
  }
  json["captured_samplers"] = frame.captured_samplers.size();
}

// `warnings`: warnings of the loader.
Json to_json(const Frame& frame, const FrameSummary& summary, const std::vector<std::string>& warnings) {
  Json json = {{"file", frame.source},
               {"application", frame.application},
               {"generator", frame.generator},
               {"license", frame.license},
               {"frame", frame.frame_number},
               {"window", {frame.window_width, frame.window_height}},
               {"commands", frame.commands.size()},
               {"draws", summary.draws},
               {"clears", summary.clears},
               {"blits", summary.blits},
               {"loads", summary.loads},
               {"generated_mips", summary.mips},
               {"copies", summary.copies},
               {"instances", summary.instances},
               {"triangles", triangle_count(frame)},
               {"unique_vertices", summary.unique_vertices},
               {"indices", summary.indices},
               {"views", frame.views.size()},
               {"states", frame.states.size()},
               {"materials", frame.materials.size()},
               {"textures", frame.textures.size()},
               {"draws_by_topology", summary.topologies},
               {"draws_by_state", summary.states},
               {"draws_by_flag", summary.flags}};
  json["bounds"] = {{"lower", {summary.lower.x, summary.lower.y, summary.lower.z}},
                    {"upper", {summary.upper.x, summary.upper.y, summary.upper.z}},
                    {"behind_eye", summary.behind_eye},
                    {"not_finite", summary.not_finite}};
  json["targets"] = Json::array();
  for (size_t i = 0; i < frame.targets.size(); ++i) {
    const Target& target = frame.targets[i];
    json["targets"].push_back({{"id", target.id},
                               {"size", {target.width, target.height}},
                               {"layers", target.layers},
                               {"format", bkf::name_of(target.format)},
                               {"draws", summary.targets[i].draws},
                               {"triangles", summary.targets[i].triangles},
                               {"main", i == main_target(frame)}});
  }
  json["references"] = Json::array();
  for (const Reference& reference : frame.references) {
    json["references"].push_back({{"target", frame.targets[reference.target].id},
                                  {"before", reference.before},
                                  {"depth", {reference.depth_width, reference.depth_height}},
                                  {"color_bytes", reference.color_file.size()}});
  }
  add_programs(json, frame, summary);
  json["warnings"] = warnings;
  json["skipped"] = {
      {"draws", frame.skipped_draws}, {"triangles", frame.skipped_triangles}, {"reasons", other_reasons(frame)}};
  return json;
}

std::string size_text(int width, int height) { return fmt::format("{}x{}", width, height); }

std::string counts(const std::map<std::string, uint64_t>& by_name) {
  std::string text;
  for (const auto& [name, count] : by_name) text += (text.empty() ? "" : ", ") + grouped(count) + " " + name;
  return text;
}

std::string commands_text(const FrameSummary& summary) {
  std::string text = fmt::format("{}, {}, {}", counted(summary.draws, "draw"), counted(summary.clears, "clear"),
                                 counted(summary.blits, "blit"));
  for (const auto& [count, name] : {std::pair(summary.loads, "loads"), std::pair(summary.mips, "generated mip chains"),
                                    std::pair(summary.copies, "copies")}) {
    if (count > 0) text += ", " + grouped(count) + " " + name;
  }
  return text;
}

std::string programs_text(const Frame& frame, const FrameSummary& summary) {
  if (frame.programs.empty()) return "";
  uint64_t fixed = 0, draws = 0;
  for (const FragmentProgram& program : frame.programs) fixed += program.fixed.has_value();
  for (const uint64_t count : summary.program_draws) draws += count;
  return fmt::format("{} for {}, {} from fixed function; {} varyings, {} words of uniforms",
                     grouped(frame.programs.size()), counted(draws, "draw"), grouped(fixed),
                     grouped(frame.varyings.size()), grouped(frame.uniforms.size()));
}

std::string vertex_programs_text(const Frame& frame, const FrameSummary& summary) {
  if (frame.vertex_programs.empty()) return "";
  uint64_t draws = 0;
  for (const uint64_t count : summary.vertex_program_draws) draws += count;
  return fmt::format("{} for {}, {} words of attributes", grouped(frame.vertex_programs.size()), counted(draws, "draw"),
                     grouped(frame.attributes.size()));
}

std::string captured_textures_text(const Frame& frame) {
  if (frame.captured_textures.empty()) return "";
  std::map<std::string_view, uint64_t> content;
  for (const CapturedTexture& texture : frame.captured_textures) ++content[content_of(texture)];
  std::string text =
      fmt::format("{}, {} bytes", grouped(frame.captured_textures.size()), grouped(frame.texture_data.size()));
  for (const auto& [name, count] : content) text += fmt::format(", {} {}", grouped(count), name);
  return text;
}

void print(const Frame& frame, const FrameSummary& summary, const std::vector<std::string>& warnings) {
  const auto vertices = [](uint64_t count) { return count == 0 ? "" : grouped(count) + " vertices"; };
  const glm::vec3 &low = summary.lower, &high = summary.upper;
  const std::pair<const char*, std::string> lines[] = {
      {"file", frame.source},
      {"application", frame.application},
      {"captured by", frame.generator},
      {"license", frame.license},
      {"window", size_text(frame.window_width, frame.window_height)},
      {"commands", commands_text(summary)},
      {"triangles", grouped(triangle_count(frame))},
      {"unique vertices", grouped(summary.unique_vertices)},
      {"indices", grouped(summary.indices)},
      {"instances", grouped(summary.instances)},
      {"states", grouped(frame.states.size())},
      {"views", grouped(frame.views.size())},
      {"materials", grouped(frame.materials.size()) + ", textures " + grouped(frame.textures.size())},
      {"programs", programs_text(frame, summary)},
      {"vertex programs", vertex_programs_text(frame, summary)},
      {"without them", counts(expanded_reasons(frame))},
      {"their textures", captured_textures_text(frame)},
      {"draws as", counts(summary.topologies)},
      {"draws with", counts(summary.states)},
      {"draws flagged", counts(summary.flags)},
      {"bounds", fmt::format("({:.3f}, {:.3f}, {:.3f}) to ({:.3f}, {:.3f}, {:.3f})", low.x, low.y, low.z, high.x,
                             high.y, high.z)},
      {"behind the eye", vertices(summary.behind_eye)},
      {"not finite", vertices(summary.not_finite)},
      {"not captured", frame.skipped_draws == 0
                           ? ""
                           : fmt::format("{}, {}: {}", counted(frame.skipped_draws, "draw"),
                                         counted(frame.skipped_triangles, "triangle"), counts(other_reasons(frame)))}};
  for (const auto& [name, text] : lines) {
    if (!text.empty()) std::cout << fmt::format("{:17}{}\n", name, printable(text));
  }
  for (const std::string& line : warnings) std::cout << fmt::format("{:17}{}\n", "warning", printable(line));
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < frame.targets.size(); ++i) {
    const Target& target = frame.targets[i];
    rows.push_back({std::to_string(target.id), size_text(target.width, target.height), std::to_string(target.layers),
                    std::string(bkf::name_of(target.format)), grouped(summary.targets[i].draws),
                    grouped(summary.targets[i].triangles), i == main_target(frame) ? "main" : ""});
  }
  std::cout << '\n' << format_table({"target", "size", "layers", "format", "draws", "triangles", ""}, rows);
  rows.clear();
  for (const Reference& reference : frame.references) {
    rows.push_back({std::to_string(frame.targets[reference.target].id), std::to_string(reference.before),
                    reference.depth.empty() ? "-" : size_text(reference.depth_width, reference.depth_height),
                    reference.color_file.empty() ? "-"
                    : is_jpeg(reference)         ? "JPEG"
                                                 : "PNG"});
  }
  if (!rows.empty()) {
    std::cout << '\n' << format_table({"reference of target", "before command", "depth", "colour"}, rows);
  }
}

Frame read_frame(const std::string& file, const Arguments& arguments, std::vector<std::string>& warnings) {
  Progress progress;
  progress.show("reading " + file);
  const std::string name = file + ": ";
  LoadOptions options = load_options(arguments);
  options.warning = [&](const std::string& line) {
    warnings.push_back(line.starts_with(name) ? line.substr(name.size()) : line);
  };
  require_file(file);
  return load_frame(file, options);
}

// After a file that cannot be read, the next one follows.
int run_info(const Arguments& arguments) {
  const std::vector<std::string> files = without_folders(arguments.all("FILE"));
  Json all = Json::array();
  bool first = true, all_read = true;
  for (const std::string& file : files) {
    try {
      std::vector<std::string> warnings;
      const Frame frame = read_frame(file, arguments, warnings);
      const FrameSummary summary = summarize(frame);
      if (arguments.has("json")) all.push_back(to_json(frame, summary, warnings));
      if (arguments.text("json") != "-") {
        if (!first) std::cout << '\n';
        print(frame, summary, warnings);
      }
      first = false;
    } catch (const std::runtime_error& error) {
      if (files.size() == 1) throw;
      complain(error.what());
      all_read = false;
    }
  }
  if (arguments.has("json")) write_document(arguments.text("json"), files.size() == 1 ? all[0] : all);
  return all_read ? kSuccess : kFailure;
}

}  // namespace

Command info_command() {
  return {"info",
          "Show the contents of a frame or scene file",
          {needed(several(file_option(
               "FILE", "FILE", "Frame (.bkf) or scene (.obj, .gltf, .glb, .ply, .stl) files, or folders of them"))),
           json_option("Write the contents as JSON, an array for several files"), memory_option()},
          run_info};
}

}  // namespace brokkr::app
