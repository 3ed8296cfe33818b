#include "app/pipeline_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "app/text.h"

namespace brokkr::app {
namespace {

template <typename T>
struct Named {
  const char* name;
  T value;
};

constexpr std::array<Named<MachineKind>, 4> kMachines = {{{"auto", MachineKind::automatic},
                                                          {"cuda", MachineKind::cuda},
                                                          {"cpu", MachineKind::cpu},
                                                          {"emulated", MachineKind::emulated}}};
constexpr std::array<Named<Ownership>, 2> kOwnerships = {
    {{"static", Ownership::fixed}, {"stealing", Ownership::stealing}}};
constexpr std::array<Named<OrderMode>, 2> kOrders = {{{"auto", OrderMode::automatic}, {"strict", OrderMode::strict}}};
constexpr std::array<Named<ReuseMode>, 8> kReuses = {{{"auto", ReuseMode::automatic},
                                                      {"none", ReuseMode::none},
                                                      {"warp", ReuseMode::warp},
                                                      {"nvidia", ReuseMode::nvidia},
                                                      {"nvidia-gl", ReuseMode::nvidia_gl},
                                                      {"amd", ReuseMode::amd},
                                                      {"intel", ReuseMode::intel},
                                                      {"precomputed", ReuseMode::precomputed}}};
constexpr std::array<Named<Policy>, kPolicies> kPolicyNames = {{{"fill-level", Policy::fill_level},
                                                                {"geometry-first", Policy::geometry_first},
                                                                {"raster-first", Policy::raster_first},
                                                                {"round-robin", Policy::round_robin},
                                                                {"fair", Policy::fair},
                                                                {"edf", Policy::edf},
                                                                {"priority", Policy::priority},
                                                                {"foveated", Policy::foveated}}};
constexpr std::array<Named<Shading>, 10> kShadings = {{{"material", Shading::material},
                                                       {"draw", Shading::draw},
                                                       {"triangle", Shading::triangle},
                                                       {"batch", Shading::batch},
                                                       {"depth", Shading::depth},
                                                       {"normal", Shading::normal},
                                                       {"overdraw", Shading::overdraw},
                                                       {"flat", Shading::flat},
                                                       {"wireframe", Shading::wireframe},
                                                       {"multiply-add", Shading::multiply_add}}};

constexpr std::array<Named<bool>, 2> kSwitches = {{{"on", true}, {"off", false}}};

template <typename Table>
std::vector<std::string> names(const Table& table) {
  std::vector<std::string> result;
  for (const auto& entry : table) result.emplace_back(entry.name);
  return result;
}

// The value named by option `name`, or `fallback` where it was not given.
template <typename Table, typename T>
T chosen(const Table& table, const Arguments& arguments, const char* name, T fallback) {
  for (const auto& entry : table) {
    if (arguments.text(name) == entry.name) return entry.value;
  }
  return fallback;
}

template <typename Table, typename T>
std::string name_of(const Table& table, T value) {
  for (const auto& entry : table) {
    if (entry.value == value) return entry.name;
  }
  return {};
}

// As short as it can be and still the same number.
std::string shortest(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::string(text.data(), end) : std::string();
}

Option choice(const char* name, const char* value, const char* help, std::vector<std::string> choices) {
  std::string list;
  for (const std::string& each : choices) list += (list.empty() ? "" : ", ") + each;
  return {.names = name,
          .kind = ValueKind::choice,
          .value = value,
          .help = std::string(help) + ": " + list,
          .choices = std::move(choices),
          .group = "Pipeline"};
}

Option list(const char* name, const char* value, const char* help) {
  return {.names = name, .kind = ValueKind::text, .value = value, .help = help, .group = "Pipeline"};
}

// Numbers of min .. max, separated by commas; `count` of them, or any number where that is 0.
std::vector<double> numbers(const Arguments& arguments, const char* name, size_t count, double min, double max) {
  std::vector<double> values;
  const std::string text = arguments.text(name);
  const auto fail = [&] {
    throw UsageError(std::string("--") + name + ": '" + printable(text) + "' is not " +
                     (count > 0 ? std::to_string(count) + " numbers" : "a list of numbers") + " in " + fixed(min, 0) +
                     " .. " + fixed(max, 0) + ", separated by commas");
  };
  const char *at = text.data(), *end = at + text.size();
  for (;;) {
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !(value >= min && value <= max)) fail();
    values.push_back(value);
    if (next == end) break;
    if (*next != ',') fail();
    at = next + 1;
  }
  if (count > 0 && values.size() != count) fail();
  return values;
}

Option number(const char* name, double min, double max, const char* help, ValueKind kind = ValueKind::integer) {
  return {.names = name, .kind = kind, .value = "N", .help = help, .min = min, .max = max, .group = "Pipeline"};
}

Option pattern_option() {
  Option option = choice("--pattern", "P", "Which rasterizer owns which bin", pattern_names());
  option.kind = ValueKind::choice_or_file;
  option.help += ", or a FILE that `brokkr patterns` saved";
  return option;
}

}  // namespace

std::vector<std::string> pattern_names() {
  std::vector<std::string> result;
  for (const PatternInfo& pattern : patterns()) result.emplace_back(pattern.name);
  return result;
}

void choose_pattern(const std::string& text, RenderOptions& options) {
  const auto& known = patterns();
  const auto named = std::find_if(known.begin(), known.end(), [&](const PatternInfo& p) { return text == p.name; });
  if (named != known.end()) {
    options.pattern = named->kind;
    return;
  }
  options.saved_pattern = std::make_shared<const SavedPattern>(load_pattern(text));
}

std::vector<Option> pipeline_options() {
  return {
      choice("--machine", "M", "What runs the pipeline", names(kMachines)),
      choice("--isa", "ISA", "Instruction set of the CPU machine (default: the best that runs here)",
             {"v2", "v3", "v4", "neon"}),
      number("--workers", 0, 65536, "Blocks that work at once (0: as many as the machine runs)"),
      number("--warps", 0, 8, "Warps per block of the emulated machine (0: 2)"),
      number("--rasterizers", 0, kMaxRasterizers, "Rasterizers that share the bins (0: chosen from size and layers)"),
      number("--bin", 8, 256, "Edge of a bin in pixels, a power of two (64)", ValueKind::power_of_two),
      pattern_option(),
      choice("--ownership", "O", "Which block works for a rasterizer", names(kOwnerships)),
      choice("--order", "O", "auto finds order-free phases; strict sorts every draw", names(kOrders)),
      choice("--reuse", "R", "How vertices are shared inside a batch", names(kReuses)),
      number("--vertex-work", 0, 1e6, "Multiply-adds that every vertex shader run does on top (0)"),
      choice("--policy", "P", "What a block prefers to work on", names(kPolicyNames)),
      list("--quotas", "G,R", "Policy fair: shares of time for geometry and for rasterization, in any unit (1,1)"),
      list("--fixation", "X,Y", "Policy foveated: pixels from the main target's lower left corner (its middle)"),
      list("--view-priority", "LIST", "Policy priority: of each view, the highest first, as in 0,5 (0)"),
      list("--view-deadline", "LIST", "Policy edf: of each view, milliseconds, as in 8,16 (none)"),
      choice("--hierarchical-depth", "H", "off also counts fragments in tiles that are hidden already",
             names(kSwitches)),
      choice("--shading", "S", "How surfaces are shown", names(kShadings)),
      number("--store", 0, 1 << 24, "Triangle store in blocks of 32 triangles (0: default)"),
      number("--budget", 0, 3.6e6, "Milliseconds after which a frame is cut off (0: never)", ValueKind::real),
  };
}

RenderOptions render_options(const Arguments& arguments) {
  RenderOptions options;
  options.machine = chosen(kMachines, arguments, "machine", options.machine);
  options.isa = arguments.text("isa");
  options.workers = static_cast<int>(arguments.integer("workers", options.workers));
  options.warps_per_block = static_cast<int>(arguments.integer("warps", options.warps_per_block));
  options.rasterizers = static_cast<int>(arguments.integer("rasterizers", options.rasterizers));
  options.bin = static_cast<int>(arguments.integer("bin", options.bin));
  if (arguments.has("pattern")) choose_pattern(arguments.text("pattern"), options);
  options.ownership = chosen(kOwnerships, arguments, "ownership", options.ownership);
  options.order = chosen(kOrders, arguments, "order", options.order);
  options.reuse = chosen(kReuses, arguments, "reuse", options.reuse);
  options.vertex_work = static_cast<uint32_t>(arguments.integer("vertex-work", options.vertex_work));
  options.policy = chosen(kPolicyNames, arguments, "policy", options.policy);
  if (arguments.has("quotas")) {
    const auto quotas = numbers(arguments, "quotas", 2, 1, 1000000);
    options.quotas = {static_cast<uint32_t>(quotas[0]), static_cast<uint32_t>(quotas[1])};
  }
  if (arguments.has("fixation")) {
    const auto point = numbers(arguments, "fixation", 2, -1e6, 1e6);
    options.fixation = {{static_cast<float>(point[0]), static_cast<float>(point[1])}};
  }
  if (arguments.has("view-priority")) {
    for (const double p : numbers(arguments, "view-priority", 0, 0, 4294967295.0)) {
      options.view_priorities.push_back(static_cast<uint32_t>(p));
    }
  }
  if (arguments.has("view-deadline")) {
    options.view_deadlines_ms = numbers(arguments, "view-deadline", 0, 0, 3.6e6);
  }
  options.hierarchical_depth = chosen(kSwitches, arguments, "hierarchical-depth", options.hierarchical_depth);
  options.shading = chosen(kShadings, arguments, "shading", options.shading);
  options.store_blocks = static_cast<int>(arguments.integer("store", options.store_blocks));
  options.frame_budget_ms = arguments.real("budget", options.frame_budget_ms);
  return options;
}

std::map<std::string, std::string> option_texts(const RenderOptions& options) {
  std::map<std::string, std::string> texts = {
      {"machine", name_of(kMachines, options.machine)},
      {"isa", options.isa},
      {"workers", std::to_string(options.workers)},
      {"warps", std::to_string(options.warps_per_block)},
      {"rasterizers", std::to_string(options.rasterizers)},
      {"bin", std::to_string(options.bin)},
      {"pattern", options.saved_pattern ? options.saved_pattern->file.string() : pattern_name(options.pattern)},
      {"ownership", name_of(kOwnerships, options.ownership)},
      {"order", name_of(kOrders, options.order)},
      {"reuse", name_of(kReuses, options.reuse)},
      {"policy", name_of(kPolicyNames, options.policy)},
      {"hierarchical-depth", name_of(kSwitches, options.hierarchical_depth)},
      {"shading", name_of(kShadings, options.shading)},
      {"store", std::to_string(options.store_blocks)},
      {"budget", shortest(options.frame_budget_ms)},
      {"vertex-work", std::to_string(options.vertex_work)},
  };
  if (options.isa.empty()) texts.erase("isa");
  const auto joined_texts = [](const auto& values) {
    std::string text;
    for (const auto value : values) text += (text.empty() ? "" : ",") + shortest(static_cast<double>(value));
    return text;
  };
  texts["quotas"] = joined_texts(options.quotas);
  if (options.fixation) texts["fixation"] = joined_texts(*options.fixation);
  if (!options.view_priorities.empty()) texts["view-priority"] = joined_texts(options.view_priorities);
  if (!options.view_deadlines_ms.empty()) texts["view-deadline"] = joined_texts(options.view_deadlines_ms);
  return texts;
}

std::vector<Option> joined(std::vector<Option> first, const std::vector<Option>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace brokkr::app
