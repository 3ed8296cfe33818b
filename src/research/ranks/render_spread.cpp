#include "ranks/render_spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/input.h"
#include "app/picture.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "brokkr/renderer.h"
#include "log/json_text.h"
#include "ranks/render.h"
#include "ranks/session.h"
#include "ranks/squares.h"
#include "ranks/stopwatch.h"
#include "ranks/views.h"

namespace brokkr::app {
namespace {

constexpr const char *kViews = "views", *kFrames = "frames";

// What a rank has done.
struct Spread {
  uint64_t pictures = 0;  // views or frames that it drew
  double draw_ms = 0;     // in which it did, the last picture's way to the host among it
  std::string machine;
  int workers = 0;

  void note(const Statistics& s) {
    machine = s.machine + (s.isa.empty() ? "" : " " + s.isa);
    workers = s.workers;
  }
};

struct Work {
  const Arguments& arguments;
  RenderOptions options;
  std::vector<std::string> files;
  uint64_t frames = 1;  // of each file

  std::string picture_of(const std::string& file) const {
    if (arguments.has("no-output")) return {};
    const std::string asked = arguments.text("output");
    return output_name(asked.empty() ? "{}.png" : asked, file, files.size() > 1, "--output");
  }
};

// Draws the frame so often, and reads the last one back.
RenderResult draw_times(Renderer& renderer, PreparedFrame& prepared, const RenderOptions& options, uint64_t times) {
  for (uint64_t i = 1; i < times; ++i) renderer.render(prepared, options, false);
  return renderer.render(prepared, options);
}

// Every rank has some of the frames, one after another; a file's picture is written by the one that drew it last.
void draw_frames(const Work& work, Renderer& renderer, ranks::Talk& talk, Spread& spread) {
  Facts facts = common_facts(kFrames, work.options, {});
  facts.emplace_back("FILEs", std::to_string(work.files.size()));
  facts.emplace_back("--frames", std::to_string(work.frames));
  agree(talk, "", facts);
  for (size_t number = 0; number < work.files.size(); ++number) {
    const std::string& file = work.files[number];
    const ranks::Turns turns = ranks::turns_of(number * work.frames, work.frames, talk.rank(), talk.size());
    if (turns.count == 0) continue;
    const std::string picture = work.picture_of(file);
    Progress progress;
    const Frame frame = load_input(file, work.arguments, progress);
    const uint32_t target = chosen_target(frame, work.arguments);
    const uint32_t layer = chosen_layer(frame, target, work.arguments);
    PreparedFrame prepared = renderer.prepare(frame, load_options(work.arguments));
    progress.show("rendering " + file);
    const ranks::Clock::time_point begin = ranks::Clock::now();
    const RenderResult result = draw_times(renderer, prepared, work.options, turns.count);
    spread.draw_ms += ranks::ms_since(begin);
    spread.pictures += turns.count;
    spread.note(result.statistics);
    if (turns.has_last)
      write_picture(picture, work.arguments, file, work.files.size() > 1, result.targets[target].layers, layer,
                    frame.targets[target].format);
  }
}

// The layers that ranks drew, at rank 0 in the order of the views.
std::vector<Layer> gather_views(const std::vector<Layer>& own, size_t views, ranks::Talk& talk) {
  if (talk.rank() != 0) {
    for (const Layer& layer : own) talk.send(0, ranks::Channel::picture, ranks::pack_color(layer));
    talk.flush();
    return {};
  }
  std::vector<Layer> all(views, own.front());
  for (size_t view = 0; view < views; ++view) {
    const auto from = int(view % size_t(talk.size()));
    if (from == 0)
      all[view] = own[view / size_t(talk.size())];
    else
      ranks::unpack_color(talk.receive(from, ranks::Channel::picture), from, all[view]);
  }
  return all;
}

// Every rank has some of a scene's views; rank 0 writes all.
void draw_views(const Work& work, const std::string& file, Renderer& renderer, ranks::Talk& talk, Spread& spread) {
  Frame frame;
  size_t views = 0;
  uint32_t layer = 0;
  std::optional<PreparedFrame> prepared;
  Facts facts = common_facts(kViews, work.options, {});
  facts.emplace_back("--frames", std::to_string(work.frames));
  const std::string picture = work.picture_of(file);
  facts.emplace_back("--no-output", picture.empty() ? "given" : "not given");
  agree_about(talk, file, facts, [&] {
    Progress progress;
    frame = load_input(file, work.arguments, progress);
    layer = chosen_layer(frame, 0, work.arguments);
    views = frame.views.size();
    facts.emplace_back(file, fmt::format("{:016x}", ranks::frame_hash(frame)));
    ranks::keep_views(frame, talk.rank(), talk.size());
    if (!frame.views.empty()) prepared = renderer.prepare(frame, load_options(work.arguments));
  });
  RenderResult result;
  if (prepared) {
    const ranks::Clock::time_point begin = ranks::Clock::now();
    result = draw_times(renderer, *prepared, work.options, work.frames);
    spread.draw_ms += ranks::ms_since(begin);
    spread.pictures += frame.views.size() * work.frames;
    spread.note(result.statistics);
  }
  if (picture.empty()) return;
  const std::vector<Layer> all = gather_views(prepared ? result.targets[0].layers : std::vector<Layer>(), views, talk);
  if (talk.rank() == 0)
    write_picture(picture, work.arguments, file, work.files.size() > 1, all, layer, frame.targets[0].format);
}

void print_spread(const char* mode, const std::vector<nlohmann::ordered_json>& ranks, double per_second) {
  std::vector<std::vector<std::string>> rows;
  uint64_t pictures = 0;
  for (const nlohmann::ordered_json& r : ranks) {
    pictures += r.at(mode).get<uint64_t>();
    rows.push_back({std::to_string(r.at("rank").get<int>()), r.at("machine").get<std::string>(),
                    std::to_string(r.at("workers").get<int>()), grouped(r.at(mode).get<uint64_t>()),
                    fixed(r.at("draw_ms").get<double>(), 2)});
  }
  std::cout << fmt::format("{} {} by {} ranks, {} a second\n", grouped(pictures), mode, ranks.size(),
                           fixed(per_second, 1))
            << format_table({"rank", "machine", "workers", mode, "ms"}, rows);
}

// What all ranks did: the slowest says how long it took.
void report(const Work& work, const char* mode, const Spread& spread, ranks::Talk& talk) {
  const nlohmann::ordered_json own = {{"rank", talk.rank()},       {"host", talk.transport().host()},
                                      {"machine", spread.machine}, {"workers", spread.workers},
                                      {mode, spread.pictures},     {"draw_ms", spread.draw_ms}};
  std::vector<nlohmann::ordered_json> ranks;
  for (const std::string& text : gather_texts(talk, own.dump())) ranks.push_back(parse_json(text));
  if (talk.rank() != 0) return;
  double longest = 0, pictures = 0;
  for (const nlohmann::ordered_json& r : ranks) {
    longest = std::max(longest, r.at("draw_ms").get<double>());
    pictures += r.at(mode).get<double>();
  }
  const double per_second = longest > 0 ? 1000 * pictures / longest : 0;
  if (work.arguments.has("rank-stats"))
    write_text(work.arguments.text("rank-stats"),
               json_text({{"mode", mode}, {"files", work.files}, {"per_second", per_second}, {"ranks", ranks}}));
  if (work.arguments.text("output") != "-") print_spread(mode, ranks, per_second);
}

}  // namespace

MoreModes spread_modes() {
  return {{kViews, kFrames},
          "views, each draws some of a scene's --views; frames, each draws some of FILEs and --frames; "};
}

bool is_spread(const Arguments& arguments) {
  return arguments.text("ranks") == kViews || arguments.text("ranks") == kFrames;
}

int render_spread(const Arguments& arguments) {
  const bool of_views = arguments.text("ranks") == kViews;
  for (const char* option :
       {"aov", "stats", "trace", "merge", "no-runahead", "rank-link", "rank-pattern", "rank-bin"}) {
    if (arguments.has(option))
      throw UsageError(fmt::format("--{}: is not for --ranks {}, which shares out whole pictures; leave it out", option,
                                   arguments.text("ranks")));
  }
  if (arguments.has("rank-stats")) require_ending(arguments.text("rank-stats"), {".json"}, "--rank-stats");
  if (!of_views && arguments.text("output") == "-")
    throw UsageError("--output: ranks write the pictures of the frames that they draw; name files");
  Work work{arguments, render_options(arguments), arguments.all("FILE"), uint64_t(arguments.integer("frames", 1))};
  if (work.options.workers == 0) work.options.workers = ranks::usual_workers();
  if (arguments.has("command-limit")) work.options.command_limit = uint32_t(arguments.integer("command-limit", 0));
  for (const std::string& file : work.files) work.picture_of(file);  // a wrong name is said before MPI starts
  return run_session(rank_settings(arguments), [&](ranks::Talk& talk) {
    Renderer renderer;
    Spread spread;
    if (of_views) {
      for (const std::string& file : work.files) draw_views(work, file, renderer, talk, spread);
    } else {
      draw_frames(work, renderer, talk, spread);
    }
    report(work, of_views ? kViews : kFrames, spread, talk);
  });
}

}  // namespace brokkr::app
