#include "cli/bench_ab.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/parse.h"
#include "app/stop_signals.h"
#include "app/text.h"
#include "app/tool.h"
#include "base/process.h"
#include "cli/bench_log.h"
#include "cli/bench_report.h"
#include "log/log_reader.h"
#include "log/manifest.h"
#include "log/text.h"

namespace brokkr::app {
namespace {

// Splits a text into words as a shell does: blanks separate words, quotes protect blanks.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  char quote = 0;
  bool inside = false;
  for (const char c : text) {
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? char(0) : c;
      if (!inside) words.emplace_back();
      inside = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      inside = true;
      words.back() += c;
    }
  }
  if (quote != 0) throw UsageError("--ab: a quote is not closed in '" + text + "'");
  return words;
}

}  // namespace

Arguments with_options(const Arguments& arguments, const std::string& text, const std::vector<Option>& known) {
  std::map<std::string, std::vector<std::string>> values;
  for (const Option& option : known) {
    if (arguments.has(key_of(option))) values[key_of(option)] = arguments.all(key_of(option));
  }
  for (const char* name : {"FILE", "suite", "captures", "shading"}) {
    if (arguments.has(name)) values[name] = arguments.all(name);
  }
  const std::vector<std::string> words = words_of(text);
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const auto option = std::find_if(known.begin(), known.end(),
                                     [&](const Option& candidate) { return "--" + key_of(candidate) == name; });
    if (option == known.end())
      throw UsageError("--ab: '" + name +
                       "' is not an option of input or pipeline; --ab adds such options to the command for B");
    if (equals == std::string::npos && i + 1 == words.size()) throw UsageError("--ab: " + name + " has no value");
    const std::string value = equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
    const std::string problem = problem_with(*option, value);
    if (!problem.empty()) throw UsageError("--ab: " + name + ": " + problem);
    values[key_of(*option)] = {value};
  }
  return Arguments(std::move(values));
}

std::vector<std::string> option_words(const Arguments& arguments, const std::vector<Option>& known) {
  std::vector<std::string> words;
  for (const Option& option : known) {
    for (const std::string& value : arguments.all(key_of(option)))
      words.insert(words.end(), {"--" + key_of(option), value});
  }
  return words;
}

namespace {

using Json = nlohmann::ordered_json;

double least(const std::vector<double>& ms) { return ms.empty() ? 0 : *std::min_element(ms.begin(), ms.end()); }

RatioEstimate ratio_of(const AbRow& row) { return race_ratio(row.race); }

}  // namespace

Json ab_json(const AbRow& row) {
  Json json = {
      {"name", row.workload.name}, {"shading", shading_name(row.workload.shading)}, {"group", row.workload.group}};
  if (!row.error.empty()) {
    json["error"] = row.error;
    return json;
  }
  if (row.width > 0)
    json.update(
        Json{{"width", row.width}, {"height", row.height}, {"layers", row.layers}, {"triangles", row.triangles}});
  json["pairs"] = row.order.size();
  json["turn_pairs"] = row.race.turn;
  json["order"] = row.order;
  for (size_t i = 0; i < 2; ++i) {
    const std::vector<double>& ms = row.race.ms[i];
    Json variant = {{"median_ms", median(ms)},
                    {"least_ms", least(ms)},
                    {"outliers", outliers(ms)},
                    {"interrupted", interrupted(ms, row.race.processor_ms[i])},
                    {"ms", ms}};
    if (!row.race.processor_ms[i].empty()) variant["processor_ms"] = row.race.processor_ms[i];
    if (!row.turns[i].empty()) variant["turns_ms"] = row.turns[i];
    if (const Statistics& s = row.last[i]; !s.machine.empty()) variant["used"] = settings_json({}, s)["used"];
    json[i == 0 ? "a" : "b"] = std::move(variant);
  }
  const RatioEstimate r = ratio_of(row);
  json["ratio"] = {{"ratio", r.ratio}, {"low", nullptr}, {"high", nullptr}, {"confidence", r.confidence}};
  if (verdict(r) != Verdict::too_few) json["ratio"].update(Json{{"low", r.low}, {"high", r.high}});
  json["verdict"] = verdict_text(verdict(r));
  json["same_picture"] = row.same_picture ? Json(*row.same_picture) : Json();
  json["load"] = load_json(row.load);
  json["warnings"] = race_warnings(row.race, row.load);
  return json;
}

std::string ab_csv(const std::vector<AbRow>& rows) {
  const std::vector<std::string> heading = {"name",       "shading", "group",      "pairs", "a_ms",
                                            "a_least_ms", "b_ms",    "b_least_ms", "ratio", "low",
                                            "high",       "verdict", "warnings",   "error"};
  std::string csv = csv_row(heading);
  for (const AbRow& row : rows) {
    std::vector<std::string> cells = {row.workload.name, shading_name(row.workload.shading), row.workload.group};
    if (row.error.empty()) {
      const RatioEstimate r = ratio_of(row);
      const auto& [a, b] = row.race.ms;
      cells.push_back(std::to_string(row.order.size()));
      for (const double value : {median(a), least(a), median(b), least(b), r.ratio})
        cells.push_back(fmt::format("{}", value));
      const bool has_interval = verdict(r) != Verdict::too_few;
      for (const double bound : {r.low, r.high}) cells.push_back(has_interval ? fmt::format("{}", bound) : "");
      cells.insert(cells.end(), {verdict_text(verdict(r)), std::to_string(race_warnings(row.race, row.load).size())});
    }
    cells.resize(heading.size());
    cells.back() = row.error;
    csv += csv_row(cells);
  }
  return csv;
}

std::string ab_table(const std::vector<AbRow>& rows) {
  std::vector<std::vector<std::string>> lines;
  std::string said;
  for (const AbRow& row : rows) {
    const std::string name = printable(row.workload.name);
    std::vector<std::string> line = {name, shading_name(row.workload.shading)};
    if (!row.error.empty()) {
      line.insert(line.end(), {"failed", "", "", ""});
      lines.push_back(line);
      continue;
    }
    for (const std::vector<double>& ms : row.race.ms)
      line.push_back(fmt::format("{:.3f} ({:.3f})", median(ms), least(ms)));
    line.insert(line.end(), {std::to_string(outliers(row.race.ms[0])) + ", " + std::to_string(outliers(row.race.ms[1])),
                             std::to_string(row.order.size())});
    lines.push_back(line);
    const RatioEstimate r = ratio_of(row);
    const std::string before = rows.size() > 1 ? name + ": " : "";
    said += before + ratio_text(r) + ": " + verdict_text(verdict(r)) + "\n";
    if (row.same_picture == false) said += before + "A and B draw different pictures\n";
    for (const std::string& warning : race_warnings(row.race, row.load)) said += before + "warning: " + warning + "\n";
  }
  return format_table({"frame", "shading", "A ms (min)", "B ms (min)", "outliers", "pairs"}, lines) + said;
}

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr int kPairs = 100, kProgramPairs = 12, kProgramFrames = 15;
constexpr int kWarmUp = 2;
// fewer would spend more time on warm-up, more would leave fewer turns for the comparison
constexpr int kTurnPairs = 5;
constexpr std::array<const char*, 2> kNames = {"A", "B"};

double processor_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

// Decides at random which variant comes first in each pair, and which renderer draws which variant in each turn. This
// makes the sign test exact, whatever other load the computer has and whichever renderer it affects.
class Coin {
 public:
  size_t toss() { return random_() >> 63; }

 private:
  std::mt19937_64 random_{std::random_device{}()};
};

// A renderer of this process that draws one of the variants. There are two because the memory of a launch depends on
// the options.
class Contestant {
 public:
  void become(const std::shared_ptr<const Frame>& frame, const RenderOptions& options, const LoadOptions& load) {
    options_ = options;
    if (frame_ == frame) return;
    prepared_.reset();
    frame_ = frame;
    prepared_.emplace(renderer_.prepare(*frame_, load));
  }
  RenderResult draw(bool read_back) { return renderer_.render(*prepared_, options_, read_back); }

 private:
  std::shared_ptr<const Frame> frame_;
  Renderer renderer_;
  std::optional<PreparedFrame> prepared_;
  RenderOptions options_;
};

// Both variants of a workload and the renderers that draw them. The placement of its memory can make one renderer up to
// one percent faster than the other. The renderers swap roles between the quarters of a run, so that this cancels.
class Contest {
 public:
  Contest(const std::array<AbVariant, 2>& variants, size_t number) {
    for (size_t i = 0; i < 2; ++i) {
      const Workload &workload = variants[i].workloads[number], &first = variants[0].workloads[number];
      const bool shared = i == 1 && workload.frame_key() == first.frame_key();
      frames_[i] = shared ? frames_[0] : std::make_shared<const Frame>(load_workload(workload.file, workload.load));
      options_[i] = variants[i].render;
      loads_[i] = workload.load;
      options_[i].shading = workload.brokkr_shading();
    }
    take_roles(0);
  }

  const Frame& frame(size_t variant) const { return *frames_[variant]; }
  const RenderOptions& options(size_t variant) const { return options_[variant]; }
  RenderResult draw(size_t variant, bool read_back = false) { return renderers_[variant ^ roles_].draw(read_back); }

  void take_roles(size_t roles) {
    if (roles_ == roles) return;
    roles_ = roles;
    for (size_t i = 0; i < 2; ++i) renderers_[i ^ roles_].become(frames_[i], options_[i], loads_[i]);
    for (int i = 0; i < kWarmUp; ++i) {
      for (Contestant& renderer : renderers_) renderer.draw(false);
    }
  }

 private:
  std::array<std::shared_ptr<const Frame>, 2> frames_;
  std::array<RenderOptions, 2> options_;
  std::array<LoadOptions, 2> loads_;
  std::array<Contestant, 2> renderers_;
  size_t roles_ = 2;  // 0: the first renderer draws A, 1: it draws B, 2: not yet assigned
};

bool same(const RenderResult& a, const RenderResult& b) {
  const auto same_layer = [](const Layer& x, const Layer& y) {
    return x.width == y.width && x.height == y.height && x.color == y.color && x.color_float == y.color_float &&
           x.depth == y.depth && x.stencil == y.stencil;
  };
  return std::equal(a.targets.begin(), a.targets.end(), b.targets.begin(), b.targets.end(),
                    [&](const TargetImage& x, const TargetImage& y) {
                      return std::equal(x.layers.begin(), x.layers.end(), y.layers.begin(), y.layers.end(), same_layer);
                    });
}

// Turns "run.csv" into "run-a.csv" or "run-b.csv".
std::string log_of(const std::string& path, size_t variant) {
  fs::path name(path);
  name.replace_filename(name.stem().string() + (variant == 0 ? "-a" : "-b") + name.extension().string());
  return name.string();
}

class AbRun {
 public:
  AbRun(const Arguments& arguments, const std::array<AbVariant, 2>& variants)
      : arguments_(arguments), variants_(variants), programs_(!variants[1].program.empty()) {
    pairs_ = static_cast<int>(arguments.integer("pairs", programs_ ? kProgramPairs : kPairs));
    frames_ = static_cast<int>(arguments.integer("frames", kProgramFrames));
  }

  std::vector<AbRow> rows(Progress& progress, const StopSignals& signals) {
    std::vector<AbRow> rows;
    for (size_t i = 0; i < variants_[0].workloads.size() && !signals.stopped(); ++i) {
      AbRow row;
      row.workload = variants_[0].workloads[i];
      try {
        programs_ ? measure_programs(i, row, progress, signals) : measure(i, row, progress, signals);
      } catch (const UsageError&) {
        throw;
      } catch (const std::invalid_argument&) {
        throw;  // an option is out of range for every workload
      } catch (const LoadCancelled&) {
        break;  // a signal came during loading
      } catch (const std::exception& error) {
        row.error = error.what();
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  std::array<std::optional<RunningLog>, 2> logs(const Contest& contest, const Workload& workload) const {
    std::array<std::optional<RunningLog>, 2> logs;
    if (!arguments_.has("log")) return logs;
    const std::string path = arguments_.text("log");
    const LogFormat format = *log_format(arguments_.text("log-format", "presentmon"));
    const LogSession common = log_session(path, format, workload.load.camera);
    for (size_t i = 0; i < 2; ++i) {
      LogSession session = common;
      session.log = log_of(path, i);
      session.camera = variants_[i].workloads.front().load.camera;
      session.asked = static_cast<uint64_t>(pairs_);
      session.variant = kNames[i];
      session.race_turn = kTurnPairs;
      session.raced_with = fs::path(log_of(path, 1 - i)).filename().string();
      logs[i].emplace(session, scene_json(workload.file, contest.frame(i)), contest.options(i));
    }
    return logs;
  }

  void measure(size_t number, AbRow& row, Progress& progress, const StopSignals& signals) {
    progress.show("loading " + row.workload.name);
    Contest contest(variants_, number);
    const Target& target = contest.frame(0).targets[main_target(contest.frame(0))];
    row.width = target.width;
    row.height = target.height;
    row.layers = target.layers;
    row.triangles = triangle_count(contest.frame(0));
    const RenderResult a = contest.draw(0, true), b = contest.draw(1, true);
    if (a.aborted || b.aborted) throw std::runtime_error("the frame was cut off; raise --budget");
    row.same_picture = same(a, b);
    row.race.turn = kTurnPairs;
    auto logs = this->logs(contest, row.workload);
    LoadWatch watch;
    watch.begin();
    for (int pair = 0; pair < pairs_ && !signals.stopped(); ++pair) {
      if (pair % 16 == 0) progress.show(fmt::format("{}: pair {} of {}", row.workload.name, pair, pairs_));
      if (pair % kTurnPairs == 0) contest.take_roles(coin_.toss());
      draw_pair(contest, row, logs);
    }
    watch.end();
    row.load = watch.load();
    for (auto& log : logs) {
      if (log) log->finish(row.load, signals.name());
    }
  }

  void draw_pair(Contest& contest, AbRow& row, std::array<std::optional<RunningLog>, 2>& logs) {
    std::array<RenderResult, 2> results;
    const size_t first = coin_.toss();
    for (const size_t i : {first, 1 - first}) {
      const double processor_before = processor_ms();
      const auto begin = Clock::now();
      results[i] = contest.draw(i);
      row.race.ms[i].push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
      row.race.processor_ms[i].push_back(processor_ms() - processor_before);
    }
    row.order += kNames[first];
    for (size_t i = 0; i < 2; ++i) {
      row.last[i] = results[i].statistics;
      if (!logs[i]) continue;
      // A log's clock runs only while its variant draws.
      const std::vector<double>& ms = row.race.ms[i];
      logs[i]->add(std::move(results[i]), ms.back(), std::accumulate(ms.begin(), ms.end(), 0.0) / 1000, ms.back());
    }
  }

  // The frame times of one turn, without warm-up frames. A turn is a process, `brokkr bench FILE --log -`, which other
  // builds of Brokkr also understand.
  std::vector<double> program_turn(const AbVariant& variant, const Workload& workload, const fs::path& folder) const {
    const fs::path out = folder / "turn.csv", said = folder / "turn.txt";
    const auto open_file = [](const fs::path& path) {
      return open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    };
    std::vector<std::string> words = {"brokkr",
                                      "bench",
                                      workload.file,
                                      "--log",
                                      "-",
                                      "--frames",
                                      std::to_string(frames_ + kWarmUp),
                                      "--shading",
                                      shading_name(workload.shading)};
    words.insert(words.end(), variant.words.begin(), variant.words.end());
    const int lines = open_file(out), errors = open_file(said);
    pid_t process = -1;
    try {
      process = start_program(variant.program, words, {}, {-1, lines, errors});
    } catch (...) {
      close(lines);
      close(errors);
      throw;
    }
    close(lines);
    close(errors);
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      std::string last;
      std::ifstream file(said);
      for (std::string line; std::getline(file, line);) last = line;
      throw std::runtime_error(variant.program.string() + " failed" + (last.empty() ? "" : "; it said: " + last));
    }
    std::error_code unknown;
    if (fs::file_size(out, unknown) == 0)
      throw std::runtime_error(variant.program.string() + " wrote no frame times; name another build of brokkr");
    std::vector<double> ms = read_frame_log(out).frame_ms;
    if (ms.size() != size_t(frames_) + size_t(kWarmUp))
      throw std::runtime_error(variant.program.string() + ": its log has a different number of frames than requested");
    ms.erase(ms.begin(), ms.begin() + kWarmUp);
    return ms;
  }

  void measure_programs(size_t number, AbRow& row, Progress& progress, const StopSignals& signals) {
    const TemporaryFolder folder;
    LoadWatch watch;
    watch.begin();
    for (int pair = 0; pair < pairs_ && !signals.stopped(); ++pair) {
      progress.show(fmt::format("{}: pair {} of {}", row.workload.name, pair, pairs_));
      std::array<std::vector<double>, 2> turns;
      const size_t first = coin_.toss();
      try {
        for (const size_t i : {first, 1 - first})
          turns[i] = program_turn(variants_[i], variants_[i].workloads[number], folder.path());
      } catch (const std::runtime_error&) {
        if (signals.stopped()) break;  // Ctrl-C ended that program too
        throw;
      }
      row.order += kNames[first];
      for (size_t i = 0; i < 2; ++i) {
        row.race.ms[i].push_back(median(turns[i]));
        row.turns[i].push_back(std::move(turns[i]));
      }
    }
    watch.end();
    row.load = watch.load();
  }

  const Arguments& arguments_;
  const std::array<AbVariant, 2>& variants_;
  bool programs_ = false;
  int pairs_ = 0, frames_ = 0;
  Coin coin_;
};

Json environment(const Arguments& arguments, const std::array<AbVariant, 2>& variants) {
  Json json = computer_environment();
  for (size_t i = 0; i < 2; ++i)
    json[i == 0 ? "a" : "b"] = {{"options", variants[i].options}, {"program", variants[i].program.string()}};
  if (arguments.has("log")) json["logs"] = {log_of(arguments.text("log"), 0), log_of(arguments.text("log"), 1)};
  return json;
}

// Makes a signal stop the loading of workloads.
std::array<AbVariant, 2> stopped_by(const StopSignals& signals, std::array<AbVariant, 2> variants) {
  for (AbVariant& variant : variants) {
    for (Workload& workload : variant.workloads) {
      workload.load.progress = [&signals](double) {
        if (signals.stopped()) throw LoadCancelled();
      };
    }
  }
  return variants;
}

}  // namespace

int run_ab(const Arguments& arguments, const std::array<AbVariant, 2>& variants) {
  if (arguments.has("log")) check_log_name(arguments.text("log"));
  Json document = {{"kind", "brokkr bench race"}, {"format", kBenchFormat}};
  document["environment"] = environment(arguments, variants);
  std::vector<AbRow> rows;
  const StopSignals signals;
  {
    Progress progress;
    const std::array<AbVariant, 2> watched = stopped_by(signals, variants);
    rows = AbRun(arguments, watched).rows(progress, signals);
  }
  document["ended_by"] = signals.stopped() ? Json(signals.name()) : Json();
  document["results"] = Json::array();
  for (const AbRow& row : rows) document["results"].push_back(ab_json(row));
  if (arguments.has("json")) write_out(arguments.text("json"), json_text(document));
  if (arguments.has("csv")) write_out(arguments.text("csv"), ab_csv(rows));
  if (arguments.text("json") != "-" && arguments.text("csv") != "-") {
    for (size_t i = 0; i < 2; ++i) {
      const std::string program = variants[i].program.empty() ? "" : variants[i].program.string() + " ";
      std::cout << kNames[i] << ": " << printable(program + variants[i].options) << '\n';
    }
    std::cout << ab_table(rows) << std::flush;
  }
  for (const AbRow& row : rows) {
    if (!row.error.empty()) throw std::runtime_error(row.workload.name + ": " + row.error);
  }
  return signals.exit_code();
}

}  // namespace brokkr::app
