// brokkr render over several ranks: each loads the frame and draws its share, rank 0 writes the picture.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/input.h"
#include "app/picture.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "brokkr/renderer.h"
#include "cli/commands.h"
#include "cli/rank_options.h"
#include "log/json_text.h"
#include "pipeline/options.h"
#include "ranks/render.h"
#include "scene/file_io.h"
#include "scene/json_parse.h"

namespace brokkr::app {
namespace {

constexpr const char* kOff = "off";
const std::vector<std::string> kNotWithRanks = {"aov", "trace", "stats", "budget"};

ranks::RankSettings rank_settings(const Arguments& arguments) {
  ranks::RankSettings settings;
  for (const auto& choice : Choices<ranks::ShareMode>::all) {
    if (arguments.text("ranks") == choice.name) settings.mode = choice.value;
  }
  settings.merge = uint32_t(arguments.integer("merge", settings.merge));
  settings.runahead = !arguments.has("no-runahead");
  settings.timeout_s = arguments.real("timeout", settings.timeout_s);
  read_owner_options(arguments, settings);
  return settings;
}

// What every rank must have alike, in words that a message can show.
std::vector<std::pair<std::string, std::string>> common_facts(const RenderOptions& options,
                                                              const ranks::RankSettings& settings) {
  const std::map<std::string, std::string> texts = option_texts(options);
  const auto shading = texts.find("shading");
  return {{"version", BROKKR_VERSION},
          {"--ranks", name_of(settings.mode)},
          {"--rank-pattern", pattern_name(settings.pattern)},
          {"--rank-bin", std::to_string(settings.bin)},
          {"--merge", std::to_string(settings.merge)},
          {"--shading", shading == texts.end() ? "" : shading->second},
          {"--command-limit", options.command_limit ? std::to_string(*options.command_limit) : "none"}};
}

// Why the ranks cannot draw together, or nothing: found by rank 0 from what all say, and told to all.
std::string agree(ranks::Talk& talk, const std::string& failure,
                  const std::vector<std::pair<std::string, std::string>>& facts) {
  nlohmann::ordered_json mine = {{"failure", failure}, {"facts", facts}};
  if (talk.rank() != 0) {
    talk.send(0, ranks::Channel::hello,
              ranks::message_of(mine.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)));
    return ranks::text_of(talk.receive(0, ranks::Channel::hello));
  }
  std::string verdict = failure.empty() ? "" : "rank 0: " + failure;
  for (int from = 1; from < talk.size(); ++from) {
    const auto theirs = parse_json(ranks::text_of(talk.receive(from, ranks::Channel::hello)));
    if (!verdict.empty()) continue;
    if (const auto said = theirs.at("failure").get<std::string>(); !said.empty()) {
      verdict = fmt::format("rank {}: {}", from, said);
      continue;
    }
    for (size_t i = 0; i < facts.size() && verdict.empty(); ++i) {
      const auto value = theirs.at("facts").at(i).at(1).get<std::string>();
      if (value != facts[i].second)
        verdict = fmt::format("rank {}: {} is '{}' there and '{}' at rank 0; give all ranks the same", from,
                              facts[i].first, value, facts[i].second);
    }
  }
  talk.send_all(ranks::Channel::hello, ranks::message_of(verdict));
  talk.flush();
  return verdict;
}

// Thrown where all ranks have heard why, so that rank 0 says it alone.
struct Refused {
  std::string why;
};

struct Loaded {
  Frame frame;
  uint32_t target = 0, layer = 0;
  std::optional<PreparedFrame> prepared;
};

// Each rank loads the file itself; all end together where one cannot.
void load_together(Renderer& renderer, const std::string& file, const Arguments& arguments,
                   const RenderOptions& options, const ranks::RankSettings& settings, ranks::Talk& talk,
                   Loaded& loaded) {
  std::string failure;
  auto facts = common_facts(options, settings);
  try {
    Progress progress;
    loaded.frame = load_input(file, arguments, progress);
    loaded.target = chosen_target(loaded.frame, arguments);
    loaded.layer = chosen_layer(loaded.frame, loaded.target, arguments);
    ranks::check_options(options, settings);
    ranks::owned_bins(loaded.frame, settings, talk.rank(), talk.size());
    loaded.prepared = renderer.prepare(loaded.frame, load_options(arguments));
    facts.emplace_back(file, fmt::format("{:016x}", ranks::frame_hash(loaded.frame)));
    facts.emplace_back("--target", std::to_string(loaded.target));
  } catch (const std::bad_alloc&) {
    failure = file + ": there is not enough memory";
  } catch (const std::exception& error) {
    failure = error.what();
  }
  const std::string verdict = agree(talk, failure, facts);
  if (!verdict.empty()) throw Refused{verdict};
}

// The reports of all ranks, at rank 0.
std::vector<nlohmann::ordered_json> collect(const ranks::RankReport& own, ranks::Talk& talk) {
  std::vector<nlohmann::ordered_json> reports = {to_json(own)};
  if (talk.rank() != 0) {
    talk.send(0, ranks::Channel::report, ranks::message_of(reports.front().dump()));
    talk.flush();
    return {};
  }
  for (int from = 1; from < talk.size(); ++from)
    reports.push_back(parse_json(ranks::text_of(talk.receive(from, ranks::Channel::report))));
  return reports;
}

void print_ranks(const std::string& shown, const Target& target, const ranks::RankSettings& settings,
                 const std::vector<double>& times, const std::vector<nlohmann::ordered_json>& reports) {
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  std::cout << fmt::format("{}: {}x{}, {} ranks, {}\n", shown, target.width, target.height, reports.size(),
                           name_of(settings.mode));
  std::cout << fmt::format(
      "  frame      {} ms{}\n", fixed(sorted[sorted.size() / 2], 2),
      times.size() > 1 ? fmt::format(" (median of {}, least {})", times.size(), fixed(sorted[0], 2)) : std::string());
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
    write_text(path, ranks::to_csv(reports));
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

void render_together(Renderer& renderer, const std::string& file, const Arguments& arguments, bool several,
                     const RenderOptions& options, const ranks::RankSettings& settings, ranks::Talk& talk) {
  const std::string asked = arguments.text("output");
  const std::string picture =
      arguments.has("no-output") ? "" : output_name(asked.empty() ? "{}.png" : asked, file, several, "--output");
  Loaded loaded;
  load_together(renderer, file, arguments, options, settings, talk, loaded);
  const std::vector<ranks::PlaneUse> composed = {{loaded.target, kPlaneColor}};
  RenderResult result;
  ranks::RankReport report;
  std::vector<double> times;
  for (int64_t frame = 0; frame < arguments.integer("frames", 1); ++frame) {
    result = ranks::render(renderer, *loaded.prepared, options, settings, composed, talk, report);
    times.push_back(report.frame_ms);
  }
  const std::vector<nlohmann::ordered_json> reports = collect(report, talk);
  if (talk.rank() != 0) return;
  const Target& target = loaded.frame.targets[loaded.target];
  if (!picture.empty()) write_color(picture, result.targets[loaded.target].layers[loaded.layer], target.format);
  if (arguments.has("rank-stats"))
    write_reports(output_name(arguments.text("rank-stats"), file, several, "--rank-stats"), file, settings, times,
                  reports);
  if (picture != "-") print_ranks(picture.empty() ? file : picture, target, settings, times, reports);
}

// As one piece: all ranks write to one terminal.
void print_error(const std::string& what) { std::cerr << "brokkr: " + what + "\n" << std::flush; }

int run_ranks(const Arguments& arguments, ranks::Transport& transport) {
  const std::vector<std::string> files = arguments.all("FILE");
  const ranks::RankSettings settings = rank_settings(arguments);
  RenderOptions options = render_options(arguments);
  if (arguments.has("command-limit")) options.command_limit = uint32_t(arguments.integer("command-limit", 0));
  ranks::Talk talk(transport, settings.timeout_s);
  try {
    Renderer renderer;
    for (const std::string& file : files)
      render_together(renderer, file, arguments, files.size() > 1, options, settings, talk);
    transport.finish();
    return kSuccess;
  } catch (const Refused& refused) {
    // Before any rank ends: what mpirun says of that comes later.
    if (talk.rank() == 0) print_error(refused.why);
    transport.finish();
    return kFailure;
  } catch (const std::exception& error) {
    // The others may wait for this rank: nobody goes on.
    const auto* const no_memory = dynamic_cast<const std::bad_alloc*>(&error);
    print_error(fmt::format("rank {} on {}: {}", talk.rank(), transport.host(),
                            no_memory != nullptr ? "there is not enough memory" : error.what()));
    transport.end_all(kFailure);
    return kFailure;
  }
}

int run_render_or_ranks(const Arguments& arguments) {
  const bool asked = arguments.has("ranks");
  const bool together = asked ? arguments.text("ranks") != kOff : ranks::started_ranks() > 1;
  if (!together) {
    for (const char* option : {"rank-pattern", "rank-bin", "merge", "no-runahead", "timeout", "rank-stats"}) {
      if (arguments.has(option))
        throw UsageError(std::string("--") + option + ": is for several ranks; start them with mpirun");
    }
    return render_command().run(arguments);
  }
  for (const std::string& option : kNotWithRanks) {
    if (arguments.has(option))
      throw UsageError("--" + option + ": is not put together of several ranks; add --ranks off, or start one");
  }
  if (arguments.all("FILE").empty()) throw UsageError("FILE is missing");
  if (arguments.has("output")) require_picture(arguments.text("output"), {".png", ".exr"}, "--output");
  if (arguments.has("rank-stats")) require_ending(arguments.text("rank-stats"), {".json", ".csv"}, "--rank-stats");
  // The pattern is read before MPI starts: a wrong name is an error of the command line.
  rank_settings(arguments);
  const std::unique_ptr<ranks::Transport> transport = ranks::open_transport();
  return run_ranks(arguments, *transport);
}

}  // namespace

Command with_ranks(Command render) {
  std::vector<std::string> modes = {kOff};
  for (const auto& choice : Choices<ranks::ShareMode>::all) modes.emplace_back(choice.name);
  std::vector<Option> own = {
      choice_option("--ranks", "MODE",
                    "How ranks that mpirun starts share a frame (cpd): duplicate, every rank does all geometry; cpd, "
                    "they project together and hand each other numbers of primitives; off",
                    modes)};
  own = joined(std::move(own), owner_options());
  own =
      joined(std::move(own),
             {
                 integer_option("--merge", "Draws are merged until they have more primitives than this (4096; 0: none)",
                                0, 4294967295.0),
                 flag("--no-runahead", "Project no draws while earlier ones are distributed"),
                 real_option("--timeout", "S",
                             "Seconds after which a rank that does not answer ends all (60; 0: never)", 0, 86400),
                 file_option("--rank-stats", "FILE", "Write what each rank did, to .json or .csv"),
             });
  for (Option& option : own) option.group = "Ranks";
  render.options = joined(std::move(render.options), own);
  render.run = run_render_or_ranks;
  return render;
}

}  // namespace brokkr::app
