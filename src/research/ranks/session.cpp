#include "ranks/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <variant>

#include "app/input.h"
#include "app/picture.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "brokkr/frame.h"
#include "brokkr/renderer.h"
#include "brokkr/version.h"
#include "log/text.h"
#include "plan/options.h"
#include "ranks/costs.h"
#include "ranks/render.h"
#include "ranks/square_link.h"

namespace brokkr::ranks {

// Distributes whole pictures: the views of a scene, or frame after frame.

// Ranks take pieces first, first + 1, … of the work in turn. `count`: number of pieces that this rank takes.
// `has_last`: this rank takes the last piece.
struct Turns {
  uint64_t count = 0;
  bool has_last = false;
};
Turns turns_of(uint64_t first, uint64_t count, int rank, int ranks);

namespace {

bool is_made_of_views(const Frame& frame) {
  if (!frame.programs.empty() || frame.targets.size() != 1 || frame.views.size() != size_t(frame.targets[0].layers))
    return false;
  for (size_t view = 0; view < frame.views.size(); ++view) {
    if (frame.views[view].layer != view) return false;
  }
  return std::all_of(frame.commands.begin(), frame.commands.end(), [&](const Command& command) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr) return std::holds_alternative<ClearCommand>(command);
    return draw->vertex_kind == VertexKind::transform && draw->first_view == 0 &&
           draw->view_count == frame.views.size();
  });
}

}  // namespace

// Keeps only the views rank, rank + ranks, … of the frame, and their layers; the picture of each view does not change.
// Keeps none if there are fewer views than ranks. Throws std::invalid_argument if the frame is not made of views that
// each have a layer of target 0 to themselves.
void keep_views(Frame& frame, int rank, int ranks) {
  if (frame.views.size() < 2 || !is_made_of_views(frame))
    throw std::invalid_argument("ranks: " + frame.source +
                                " has no views that can be drawn separately; give a scene --views, or use --ranks cpd");
  std::vector<View> kept;
  for (size_t view = size_t(rank); view < frame.views.size(); view += size_t(ranks)) {
    kept.push_back(frame.views[view]);
    kept.back().layer = uint32_t(kept.size() - 1);
  }
  frame.views = std::move(kept);
  frame.targets[0].layers = std::max(1, int(frame.views.size()));
  for (Command& command : frame.commands) {
    if (auto* const draw = std::get_if<DrawCommand>(&command)) draw->view_count = uint32_t(frame.views.size());
  }
}

Turns turns_of(uint64_t first, uint64_t count, int rank, int ranks) {
  const auto n = uint64_t(ranks), r = uint64_t(rank);
  // number of this rank's pieces among 0 .. end - 1
  const auto before = [&](uint64_t end) { return (end + n - 1 - r) / n; };
  if (count == 0) return {};
  return {before(first + count) - before(first), (first + count - 1) % n == r};
}

}  // namespace brokkr::ranks

namespace brokkr::app {
namespace {

// The reason why the ranks cannot continue together; empty if they can. Rank 0 derives it from the messages of all
// ranks and tells all.
std::string verdict_of(ranks::Talk& talk, const std::string& failure, const Facts& facts) {
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

// Written as one piece, because all ranks write to one terminal.
void print_error(const std::string& what) { std::cerr << "brokkr: " + what + "\n" << std::flush; }

}  // namespace

Facts common_facts(const std::string& mode, const RenderOptions& options, const ranks::RankSettings& settings) {
  const std::map<std::string, std::string> texts = option_texts(options);
  const auto text_of = [&](const char* option) {
    const auto found = texts.find(option);
    return found == texts.end() ? std::string() : found->second;
  };
  return {{"version", BROKKR_VERSION},
          {"--ranks", mode},
          {"--rank-pattern", pattern_name(settings.pattern)},
          {"--rank-bin", std::to_string(settings.bin)},
          {"--merge", std::to_string(settings.merge)},
          {"--shading", text_of("shading")},
          {"--budget", text_of("budget")},
          {"--command-limit", options.command_limit ? std::to_string(*options.command_limit) : "none"}};
}

void agree(ranks::Talk& talk, const std::string& failure, const Facts& facts) {
  if (const std::string verdict = verdict_of(talk, failure, facts); !verdict.empty()) throw Refused{verdict};
}

void agree_about(ranks::Talk& talk, const std::string& file, Facts& facts, const std::function<void()>& prepare) {
  std::string failure;
  try {
    prepare();
  } catch (const std::bad_alloc&) {
    failure = file + ": there is not enough memory";
  } catch (const std::exception& error) {
    failure = error.what();
  }
  agree(talk, failure, facts);
}

std::vector<std::string> gather_texts(ranks::Talk& talk, const std::string& text) {
  if (talk.rank() != 0) {
    talk.send(0, ranks::Channel::report, ranks::message_of(text));
    talk.flush();
    return {};
  }
  std::vector<std::string> all = {text};
  for (int from = 1; from < talk.size(); ++from)
    all.push_back(ranks::text_of(talk.receive(from, ranks::Channel::report)));
  return all;
}

int run_session(const ranks::RankSettings& settings, const std::function<void(ranks::Talk&)>& body) {
  ranks::choose_device();
  const std::unique_ptr<ranks::Transport> transport = ranks::open_transport();
  ranks::Talk talk(*transport, settings.timeout_s);
  try {
    body(talk);
    transport->finish();
    return kSuccess;
  } catch (const Refused& refused) {
    // Print before any rank ends, so that messages of mpirun come later.
    if (talk.rank() == 0) print_error(refused.why);
    transport->finish();
    return kFailure;
  } catch (const std::exception& error) {
    // Other ranks may wait for this one, so end all of them.
    const auto* const no_memory = dynamic_cast<const std::bad_alloc*>(&error);
    print_error(fmt::format("rank {} on {}: {}", talk.rank(), transport->host(),
                            no_memory != nullptr ? "there is not enough memory" : error.what()));
    transport->end_all(kFailure);
  }
  return kFailure;
}

namespace {

constexpr const char *kViews = "views", *kFrames = "frames";

// The work of one rank.
struct Spread {
  uint64_t pictures = 0;  // views or frames that this rank drew
  double draw_ms = 0;     // drawing time, including reading back the last picture
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
  uint64_t frames = 1;  // per file

  std::string picture_of(const std::string& file) const {
    if (arguments.has("no-output")) return {};
    const std::string asked = arguments.text("output");
    return output_name(asked.empty() ? "{}.png" : asked, file, files.size() > 1, "--output");
  }
};

// Draws the frame `times` times and reads the last one back.
RenderResult draw_times(Renderer& renderer, PreparedFrame& prepared, const RenderOptions& options, uint64_t times) {
  for (uint64_t i = 1; i < times; ++i) renderer.render(prepared, options, false);
  return renderer.render(prepared, options);
}

// Each rank draws some of the frames. The rank that drew a file's last frame writes its picture.
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
      write_picture(picture, work.arguments, file, work.files.size() > 1,
                    {result.targets[target].layers, layer, frame.targets[target].format});
  }
}

// Collects the layers that ranks drew at rank 0, in the order of the views.
std::vector<Layer> gather_views(const std::vector<Layer>& layers, size_t views, ranks::Talk& talk) {
  if (talk.rank() != 0) {
    for (const Layer& layer : layers) talk.send(0, ranks::Channel::picture, ranks::pack_color(layer));
    talk.flush();
    return {};
  }
  std::vector<Layer> all(views, layers.front());
  for (size_t view = 0; view < views; ++view) {
    const auto from = int(view % size_t(talk.size()));
    if (from == 0)
      all[view] = layers[view / size_t(talk.size())];
    else
      ranks::unpack_color(talk.receive(from, ranks::Channel::picture), from, all[view]);
  }
  return all;
}

// Each rank draws some of a scene's views; rank 0 writes all of them.
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
    write_picture(picture, work.arguments, file, work.files.size() > 1, {all, layer, frame.targets[0].format});
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

// Reports the work of all ranks; the slowest rank determines the time.
void report(const Work& work, const char* mode, const Spread& spread, ranks::Talk& talk) {
  const nlohmann::ordered_json rank_report = {{"rank", talk.rank()},       {"host", talk.transport().host()},
                                              {"machine", spread.machine}, {"workers", spread.workers},
                                              {mode, spread.pictures},     {"draw_ms", spread.draw_ms}};
  std::vector<nlohmann::ordered_json> ranks;
  for (const std::string& text : gather_texts(talk, rank_report.dump())) ranks.push_back(parse_json(text));
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
          "views, each rank draws some of a scene's --views; frames, each rank draws some of the FILEs and --frames; "};
}

bool is_spread(const Arguments& arguments) {
  return arguments.text("ranks") == kViews || arguments.text("ranks") == kFrames;
}

int render_spread(const Arguments& arguments) {
  const bool shares_views = arguments.text("ranks") == kViews;
  for (const char* option : {"aov", "json", "trace", "merge", "no-runahead", "rank-link", "rank-pattern", "rank-bin"}) {
    if (arguments.has(option))
      throw UsageError(fmt::format("--{}: is not for --ranks {}, which distributes whole pictures; leave it out",
                                   option, arguments.text("ranks")));
  }
  if (arguments.has("rank-stats")) require_ending(arguments.text("rank-stats"), {".json"}, "--rank-stats");
  if (!shares_views && arguments.text("output") == "-")
    throw UsageError("--output: ranks write the pictures of the frames that they draw; name files");
  Work work{arguments, render_options(arguments), arguments.all("FILE"), uint64_t(arguments.integer("frames", 1))};
  if (work.options.workers == 0) work.options.workers = ranks::usual_workers();
  if (arguments.has("command-limit")) work.options.command_limit = uint32_t(arguments.integer("command-limit", 0));
  for (const std::string& file : work.files) work.picture_of(file);  // report a wrong name before MPI starts
  return run_session(rank_settings(arguments), [&](ranks::Talk& talk) {
    Renderer renderer;
    Spread spread;
    if (shares_views) {
      for (const std::string& file : work.files) draw_views(work, file, renderer, talk, spread);
    } else {
      draw_frames(work, renderer, talk, spread);
    }
    report(work, shares_views ? kViews : kFrames, spread, talk);
  });
}

}  // namespace brokkr::app
