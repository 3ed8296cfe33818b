// brokkr render over several ranks: each rank loads the frame and draws its share, and rank 0 writes the picture.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "app/aov.h"
#include "app/input.h"
#include "app/picture.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "brokkr/renderer.h"
#include "log/frame_statistics.h"
#include "log/text.h"
#include "ranks/render.h"
#include "ranks/session.h"
#include "ranks/settings.h"
#include "ranks/square_link.h"

namespace brokkr::app {
namespace {

// The same request for each frame.
struct Asked {
  RenderOptions options;
  std::vector<AovRequest> aovs;
  bool several = false;  // there are several input files

  // The options for another frame that counts fragments, if --aov overdraw is combined with another shading.
  std::optional<RenderOptions> counting() const {
    if (!wants(aovs, Aov::overdraw) || options.shading == Shading::overdraw) return std::nullopt;
    RenderOptions counts = options;
    counts.shading = Shading::overdraw;
    counts.keep_ids = counts.trace = false;
    return counts;
  }
  // The planes of the target that rank 0 needs completely.
  ranks::PlaneUse planes(uint32_t target) const {
    return {target, kPlaneColor | (aovs.empty() ? 0u : uint32_t(kPlaneDepth))};
  }
};

Asked read_asked(const Arguments& arguments) {
  Asked asked;
  asked.options = render_options(arguments);
  if (arguments.has("command-limit")) asked.options.command_limit = uint32_t(arguments.integer("command-limit", 0));
  asked.aovs = read_aovs(arguments);
  asked.options.keep_ids = wants(asked.aovs, Aov::draw) || wants(asked.aovs, Aov::triangle);
  asked.options.trace = arguments.has("trace");
  asked.several = arguments.all("FILE").size() > 1;
  return asked;
}

void require_drawable(const PreparedFrame& frame, const RenderOptions& options) {
  if (const std::string why = ranks::why_not(frame, options); !why.empty()) throw std::invalid_argument(why);
}

// A file's frame. Each rank loads it itself; if one of them fails, all end together.
struct Loaded {
  Frame frame;
  uint32_t target = 0, layer = 0;
  std::optional<PreparedFrame> prepared;

  Loaded(Renderer& renderer, const std::string& file, const Arguments& arguments, const Asked& asked,
         const ranks::RankSettings& settings, ranks::Talk& talk) {
    Facts facts = common_facts(name_of(settings.mode), asked.options, settings);
    std::string aovs;
    for (const AovRequest& aov : asked.aovs) aovs += std::to_string(int(aov.aov));
    facts.emplace_back("--aov", aovs);
    for (const char* option : {"json", "trace", "no-output"})
      facts.emplace_back(std::string("--") + option, arguments.has(option) ? "given" : "not given");
    agree_about(talk, file, facts, [&] {
      Progress progress;
      frame = load_input(file, arguments, progress);
      target = chosen_target(frame, arguments);
      layer = chosen_layer(frame, target, arguments);
      ranks::owned_bins(frame, settings, talk.rank(), talk.size());
      prepared = renderer.prepare(frame, load_options(arguments));
      require_drawable(*prepared, asked.options);
      if (const auto counting = asked.counting()) require_drawable(*prepared, *counting);
      facts.emplace_back(file, fmt::format("{:016x}", ranks::frame_hash(frame)));
      facts.emplace_back("--target", std::to_string(target));
    });
  }
  Loaded(const Loaded&) = delete;  // `prepared` points to the frame
};

// Collects the reports of all ranks at rank 0.
std::vector<nlohmann::ordered_json> collect(const ranks::RankReport& report, ranks::Talk& talk) {
  std::vector<nlohmann::ordered_json> reports;
  for (const std::string& text : gather_texts(talk, to_json(report).dump())) reports.push_back(parse_json(text));
  return reports;
}

void print_ranks(const std::string& shown, const Target& target, const ranks::RankSettings& settings,
                 const std::vector<double>& times, const std::vector<nlohmann::ordered_json>& reports) {
  const double least = *std::min_element(times.begin(), times.end());
  std::cout << fmt::format("{}: {}x{}, {} ranks, {}\n", shown, target.width, target.height, reports.size(),
                           name_of(settings.mode));
  const bool cut_off = std::any_of(reports.begin(), reports.end(),
                                   [](const nlohmann::ordered_json& r) { return r.at("cut_off").get<bool>(); });
  std::cout << fmt::format(
      "  frame      {} ms{}{}\n", fixed(median(times), 2),
      times.size() > 1 ? fmt::format(" (median of {}, minimum {})", times.size(), fixed(least, 2)) : std::string(),
      cut_off ? ", cut off: the picture is partial" : "");
  std::vector<std::vector<std::string>> rows;
  for (const nlohmann::ordered_json& r : reports) {
    const auto count = [&](const char* key) { return grouped(r.at(key).get<uint64_t>()); };
    const auto ms = [&](const char* key) { return fixed(r.at(key).get<double>(), 2); };
    rows.push_back({std::to_string(r.at("rank").get<int>()), r.at("machine").get<std::string>(),
                    std::to_string(r.at("workers").get<int>()), count("projected"), count("drawn"), count("id_bytes"),
                    count("exchange_bytes"), ms("no_primitive_ms"), ms("stall_ms"), ms("sync_ms"), ms("picture_ms")});
  }
  std::cout << format_table({"rank", "machine", "workers", "projected", "drawn", "id bytes", "exchanged bytes",
                             "no primitive ms", "stall ms", "sync ms", "picture ms"},
                            rows);
}

void write_reports(const std::string& path, const std::string& file, const ranks::RankSettings& settings,
                   const std::vector<double>& times, const std::vector<nlohmann::ordered_json>& reports) {
  if (path.ends_with(".csv")) {
    write_text(path, csv_table(reports));
    return;
  }
  const nlohmann::ordered_json document = {{"file", file},
                                           {"mode", name_of(settings.mode)},
                                           {"pattern", pattern_name(settings.pattern)},
                                           {"bin", settings.bin},
                                           {"merge", settings.merge},
                                           {"runahead", settings.runahead},
                                           {"frame_ms", times},
                                           {"ranks", reports}};
  write_text(path, json_text(document));
}

// Writes the counts of each rank separately.
void write_statistics(const std::string& path, const std::string& file, const std::vector<double>& times,
                      const std::vector<nlohmann::ordered_json>& reports, const std::vector<std::string>& statistics) {
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
  for (size_t rank = 0; rank < reports.size(); ++rank)
    ranks.push_back({{"rank", rank}, {"host", reports[rank].at("host")}, {"statistics", parse_json(statistics[rank])}});
  write_text(path,
             json_text({{"file", file},
                        {"frames",
                         {{"count", times.size()}, {"min_ms", sorted.front()}, {"median_ms", quantile(sorted, 0.5)}}},
                        {"ranks", ranks}}));
}

// Writes the time lines of all ranks to one file. Each rank is a process there, whose time starts with its frame.
void write_trace(const std::string& path, const std::vector<nlohmann::ordered_json>& reports,
                 const std::vector<std::string>& traces) {
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  for (size_t rank = 0; rank < traces.size(); ++rank) {
    const std::string name = fmt::format("rank {} on {}", rank, reports[rank].at("host").get<std::string>());
    events.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", rank}, {"args", {{"name", name}}}});
    const auto rank_trace = parse_json(traces[rank]);
    for (nlohmann::ordered_json event : rank_trace.at("traceEvents")) {
      event["pid"] = rank;
      events.push_back(std::move(event));
    }
  }
  write_text(path, nlohmann::ordered_json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump() + "\n");
}

// The file name for an option's {}; empty if the option was not given.
std::string asked_file(const Arguments& arguments, const char* option, const std::string& file, bool several) {
  const std::string path = arguments.text(option);
  return path.empty() || path == "-" ? path : output_name(path, file, several, std::string("--") + option);
}

void render_together(Renderer& renderer, const std::string& file, const Arguments& arguments, const Asked& asked,
                     const ranks::RankSettings& settings, ranks::Talk& talk) {
  const std::string output = arguments.text("output");
  std::string picture = arguments.has("no-output")
                            ? ""
                            : output_name(output.empty() ? "{}.png" : output, file, asked.several, "--output");
  const std::string stats = asked_file(arguments, "json", file, asked.several);
  const std::string trace = asked_file(arguments, "trace", file, asked.several);
  Loaded loaded(renderer, file, arguments, asked, settings, talk);
  const bool wants_none = picture.empty() && asked.aovs.empty();
  std::vector<ranks::PlaneUse> composed;
  if (!wants_none) composed.push_back(asked.planes(loaded.target));
  RenderResult result, counted;
  ranks::RankReport report;
  std::vector<double> times;
  for (int64_t frame = 0; frame < arguments.integer("frames", 1); ++frame) {
    std::tie(result, report) = ranks::render(renderer, *loaded.prepared, asked.options, settings, composed, talk);
    times.push_back(report.frame_ms);
  }
  if (const auto counting = asked.counting())
    counted = ranks::render(renderer, *loaded.prepared, *counting, settings, composed, talk).first;
  const std::vector<nlohmann::ordered_json> reports = collect(report, talk);
  std::vector<std::string> statistics, traces;
  if (!stats.empty()) statistics = gather_texts(talk, result.statistics.to_json());
  if (!trace.empty()) traces = gather_texts(talk, result.statistics.to_chrome_trace());
  if (talk.rank() != 0) return;
  const Target& target = loaded.frame.targets[loaded.target];
  if (!wants_none) {
    const std::vector<Layer>& layers = result.targets[loaded.target].layers;
    picture = write_picture(picture, arguments, file, asked.several, {layers, loaded.layer, target.format});
    const Layer& layer = layers[loaded.layer];
    write_aovs(asked.aovs, layer, counted.targets.empty() ? layer : counted.targets[loaded.target].layers[loaded.layer],
               *loaded.prepared, {loaded.target, loaded.layer, 1, file, asked.several});
  }
  if (!stats.empty()) write_statistics(written_path(stats), file, times, reports, statistics);
  if (!trace.empty()) write_trace(written_path(trace), reports, traces);
  if (arguments.has("rank-stats"))
    write_reports(output_name(arguments.text("rank-stats"), file, asked.several, "--rank-stats"), file, settings, times,
                  reports);
  if (picture != "-" && stats != "-" && trace != "-")
    print_ranks(picture.empty() ? file : picture, target, settings, times, reports);
}

std::optional<int> render_with_ranks(const Arguments& arguments) {
  if (!draws_together(arguments)) return std::nullopt;
  if (arguments.all("FILE").empty()) throw UsageError("FILE is missing");
  if (arguments.has("output")) require_picture(arguments.text("output"), {".png", ".exr"}, "--output");
  if (arguments.has("rank-stats")) require_ending(arguments.text("rank-stats"), {".json", ".csv"}, "--rank-stats");
  const auto takes_stdout = [&](const char* option) { return arguments.text(option) == "-" ? 1 : 0; };
  if (takes_stdout("output") + takes_stdout("json") + takes_stdout("trace") > 1)
    throw UsageError("--output, --json, --trace: only one of them can be standard output (-)");
  if (is_spread(arguments)) return render_spread(arguments);
  // Read options before MPI starts, because a wrong name is an error of the command line.
  const ranks::RankSettings settings = rank_settings(arguments);
  const Asked asked = read_asked(arguments);
  return run_session(settings, [&](ranks::Talk& talk) {
    agree(talk, "", common_facts(name_of(settings.mode), asked.options, settings));
    ranks::link_devices(talk, asked.options, settings.link);
    Renderer renderer;
    for (const std::string& file : arguments.all("FILE"))
      render_together(renderer, file, arguments, asked, settings, talk);
  });
}

}  // namespace

Module ranks_module() {
  Module module;
  module.commands = {ranks_command()};
  module.render_options = rank_options(spread_modes());
  module.render_options.push_back(rank_link_option());
  module.render_options.push_back(
      announced(output_option("--rank-stats", "FILE", "Write the work of each rank to .json or .csv")));
  for (Option& option : module.render_options) {
    option.group = module.render_options.front().group;
    option.rare = true;
  }
  module.render = render_with_ranks;
  module.view = ranks_view_part();
  return module;
}

}  // namespace brokkr::app
