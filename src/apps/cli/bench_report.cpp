#include "cli/bench_report.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

#include "app/text.h"
#include "base/file_io.h"
#include "brokkr/version.h"
#include "log/machine_facts.h"
#include "log/text.h"

namespace brokkr::app {
namespace {

using Json = nlohmann::ordered_json;

Json series_json(const Series& series) {
  return {{"median_ms", series.median()},
          {"least_ms", series.least()},
          {"rounds_ms", series.medians},
          {"rounds_least_ms", series.leasts}};
}

Json ratio_json(const Ratio& ratio) {
  return {{"median", ratio.median}, {"low", ratio.low}, {"high", ratio.high}, {"least", ratio.least}};
}

// Peers in the order of their first appearance.
std::vector<std::string> peer_names(const std::vector<BenchRow>& rows) {
  for (const BenchRow& row : rows) {
    if (!row.error.empty()) continue;
    std::vector<std::string> names;
    for (const PeerResult& peer : row.peers) names.push_back(peer.peer);
    return names;
  }
  return {};
}

// The fastest peer; null if there is none.
const PeerResult* best_peer(const BenchRow& row) {
  const auto faster = [](const PeerResult& a, const PeerResult& b) { return a.times.median() < b.times.median(); };
  const auto best = std::min_element(row.peers.begin(), row.peers.end(), faster);
  return best == row.peers.end() ? nullptr : &*best;
}

struct Geomean {
  size_t rows = 0;
  std::map<std::string, double> ratios;
  // Geometric means of the ratios to the best peer and to BenchRow::beside, over the rows that have them.
  size_t beside_rows = 0;
  double beside = 0;
};

std::map<std::string, Geomean> geomeans(const std::vector<BenchRow>& rows) {
  std::map<std::string, Geomean> result;
  for (const BenchRow& row : rows) {
    if (!row.error.empty() || row.cut_off) continue;
    const std::string& group = row.workload.group;
    for (const std::string& name : {group + " " + shading_name(row.workload.shading), group, std::string("all")}) {
      Geomean& mean = result[name];
      ++mean.rows;
      const auto add = [&](const std::string& peer, const PeerResult& theirs) {
        mean.ratios[peer] += std::log(ratio_of(theirs.times, row.brokkr).median);
      };
      for (const PeerResult& peer : row.peers) add(peer.peer, peer);
      if (const PeerResult* best = best_peer(row)) {
        add("best", *best);
        if (!row.beside_isa.empty()) {
          mean.beside += std::log(ratio_of(best->times, row.beside).median);
          ++mean.beside_rows;
        }
      }
    }
  }
  for (auto& [name, mean] : result) {
    for (auto& [peer, ratio] : mean.ratios) ratio = std::exp(ratio / double(mean.rows));
    if (mean.beside_rows != 0) mean.beside = std::exp(mean.beside / double(mean.beside_rows));
  }
  return result;
}

std::string time_text(const Series& series) { return fmt::format("{:.2f} ({:.2f})", series.median(), series.least()); }

// Nanoseconds per triangle, pixel, draw, view or layer, as the curve requires; per frame for the curve of workers.
double cost_ns(const BenchRow& row, const Series& times) {
  return times.median() * 1e6 / (row.workload.group == "workers" ? 1 : row.x);
}

std::string curve_table(const std::vector<BenchRow>& rows, const std::vector<std::string>& peers) {
  std::vector<std::string> heading = {"curve", "scene", "at", "Brokkr ms (min)", "Brokkr ns each"};
  for (const std::string& peer : peers) heading.insert(heading.end(), {peer + " ms", "ns each"});
  heading.emplace_back("peak MiB");
  std::vector<std::vector<std::string>> lines;
  for (const BenchRow& row : rows) {
    std::vector<std::string> line = {row.workload.group, row.series, grouped(static_cast<uint64_t>(row.x))};
    if (!row.error.empty()) {
      line.emplace_back("failed");
      line.resize(heading.size());
      lines.push_back(line);
      continue;
    }
    line.insert(line.end(), {time_text(row.brokkr), fixed(cost_ns(row, row.brokkr), 1)});
    for (const PeerResult& peer : row.peers)
      line.insert(line.end(), {fixed(peer.times.median(), 2), fixed(cost_ns(row, peer.times), 1)});
    line.resize(heading.size() - 1);
    line.push_back(grouped(row.peak_kib / 1024));
    lines.push_back(line);
  }
  return format_table(heading, lines);
}

Json start_json(const Start& start) {
  const ShaderWork& work = start.work;
  Json json = {{"first_ms", start.first_ms}, {"shaders", start.shaders}};
  if (start.loaded) json.update(Json{{"load_ms", start.load_ms}, {"prepare_ms", start.prepare_ms}});
  json["shader_work"] = {{"translate_ms", work.translate_ms},
                         {"cache_ms", work.cache_ms},
                         {"compile_ms", work.compile_ms},
                         {"compiled", work.compiled},
                         {"cached", work.cached}};
  return json;
}

// Time to the first picture of frames with programs, as a user who opens one experiences it. Empty if there are none.
std::string starts_table(const std::vector<BenchRow>& rows) {
  std::vector<std::vector<std::string>> lines;
  for (const BenchRow& row : rows) {
    const Start& start = row.start;
    if (!row.error.empty() || row.workload.shading != BenchShading::program || !start.loaded) continue;
    const ShaderWork& work = start.work;
    lines.push_back({row.workload.name, start.shaders, fixed(start.load_ms, 0), fixed(start.prepare_ms, 0),
                     fixed(work.translate_ms, 0), fixed(start.first_ms, 0), fixed(work.compile_ms, 0),
                     fixed(work.cache_ms, 0), grouped(work.compiled), grouped(work.cached)});
  }
  if (lines.empty()) return "";
  return "\n" + format_table({"start", "shaders", "load ms", "prepare ms", "translating ms", "first frame ms",
                              "compiling ms", "cache ms", "compiled", "cached"},
                             lines);
}

// The second instruction set that rows were timed with; empty: none.
std::string beside_isa(const std::vector<BenchRow>& rows) {
  for (const BenchRow& row : rows) {
    if (!row.beside_isa.empty()) return row.beside_isa;
  }
  return {};
}

std::string means_table(const std::vector<BenchRow>& rows, const std::vector<std::string>& peers) {
  const std::string beside = beside_isa(rows);
  std::vector<std::vector<std::string>> means;
  for (const auto& [name, mean] : geomeans(rows)) {
    std::vector<std::string> line = {name, std::to_string(mean.rows)};
    for (const std::string& peer : peers) line.push_back(fixed(mean.ratios.at(peer), 2));
    line.push_back(fixed(mean.ratios.at("best"), 2));
    if (!beside.empty()) line.push_back(mean.beside_rows == 0 ? "-" : fixed(mean.beside, 2));
    means.push_back(line);
  }
  std::vector<std::string> names = {"geometric mean", "frames"};
  for (const std::string& peer : peers) names.push_back(peer + " / Brokkr");
  names.emplace_back("best / Brokkr");
  if (!beside.empty()) names.push_back("best / Brokkr " + beside);
  return "\n" + format_table(names, means);
}

}  // namespace

Json computer_environment() {
  const MachineFacts facts = machine_facts();
  return {{"processor", facts.processor.empty() ? "unknown" : facts.processor},
          {"cores", facts.cores},
          {"virtual", facts.virtual_machine},
          {"memory_gib", double(facts.memory_kib) / (1 << 20)},
          {"system", "Linux " + facts.kernel},
          {"date", utc_now()},
          {"version", BROKKR_VERSION},
          {"commit", program_commit()},
          {"niceness", getpriority(PRIO_PROCESS, 0)},
          {"load_before", load_average()},
          {"command", command_line()}};
}

Json bench_environment(const Bench& bench) {
  Json json = computer_environment();
  json.update(Json{{"frames", bench.options().frames},
                   {"rounds", bench.options().rounds},
                   {"turn_ms", bench.options().turn_ms},
                   {"workers_asked", bench.options().render.workers}});
  json["peers"] = Json::object();
  for (const auto& peer : bench.peers()) {
    json["peers"][peer->setup().name] = {
        {"renderer", peer->renderer()}, {"version", peer->version()}, {"environment", peer->setup().environment}};
  }
  return json;
}

Json row_json(const BenchRow& row) {
  Json json = {
      {"name", row.workload.name}, {"shading", shading_name(row.workload.shading)}, {"group", row.workload.group}};
  if (!row.series.empty()) json.update(Json{{"curve", row.workload.group}, {"series", row.series}, {"x", row.x}});
  if (!row.error.empty()) {
    json["error"] = row.error;
    return json;
  }
  if (row.cut_off) json["cut_off"] = true;
  const Statistics& s = row.statistics;
  json.update(Json{{"width", row.width},
                   {"height", row.height},
                   {"layers", row.layers},
                   {"triangles", row.triangles},
                   {"draws", s.draws},
                   {"fragments", s.fragments},
                   {"fragments_shaded", s.fragments_shaded},
                   {"machine", s.machine},
                   {"isa", s.isa},
                   {"lanes", s.width},
                   {"workers", s.workers},
                   {"rasterizers", s.rasterizers},
                   {"start", start_json(row.start)},
                   {"brokkr", series_json(row.brokkr)},
                   {"launch", series_json(row.launch)},
                   {"memory",
                    {{"resident_kib", row.memory_kib},
                     {"peak_kib", row.peak_kib},
                     {"store_bytes", s.store_bytes},
                     {"target_bytes", s.target_bytes},
                     {"frame_bytes", s.frame_bytes}}},
                   {"load", load_json(row.load)}});
  if (!row.beside_isa.empty()) {
    json["beside"] = series_json(row.beside);
    json["beside"]["isa"] = row.beside_isa;
    for (const PeerResult& peer : row.peers)
      json["beside"]["ratios"][peer.peer] = ratio_json(ratio_of(peer.times, row.beside));
  }
  for (const PeerResult& peer : row.peers) {
    Json& entry = json["peers"][peer.peer] = series_json(peer.times);
    entry["family"] = peer.family;
    entry["ratio"] = ratio_json(ratio_of(peer.times, row.brokkr));
    entry["depth_differs_percent"] = peer.depth_percent;
    entry["color_differs_percent"] = peer.color_percent;
    entry["peak_kib"] = peer.memory_kib;
  }
  if (const PeerResult* best = best_peer(row)) json["best_peer"] = best->peer;
  if (row.series.empty()) return json;
  json["brokkr"]["cost_ns"] = cost_ns(row, row.brokkr);
  for (const PeerResult& peer : row.peers) json["peers"][peer.peer]["cost_ns"] = cost_ns(row, peer.times);
  return json;
}

Json geomeans_json(const std::vector<BenchRow>& rows) {
  Json json = Json::object();
  for (const auto& [name, mean] : geomeans(rows)) {
    json[name] = {{"rows", mean.rows}, {"ratios", mean.ratios}};
    if (mean.beside_rows != 0) json[name]["beside"] = {{"rows", mean.beside_rows}, {"best", mean.beside}};
  }
  return json;
}

std::string rows_csv(const std::vector<BenchRow>& rows) {
  const std::vector<std::string> peers = peer_names(rows);
  std::vector<std::string> heading = {
      "name",       "shading",   "group",           "series",      "machine",      "isa",
      "lanes",      "curve_x",   "width",           "height",      "layers",       "triangles",
      "fragments",  "brokkr_ms", "brokkr_least_ms", "launch_ms",   "resident_kib", "peak_kib",
      "beside_isa", "beside_ms", "beside_least_ms", "beside_ratio"};
  for (const std::string& peer : peers)
    heading.insert(heading.end(), {peer + " ms", peer + " least_ms", peer + " ratio"});
  heading.emplace_back("error");
  std::string csv = csv_row(heading);
  for (const BenchRow& row : rows) {
    std::vector<std::string> cells = {row.workload.name, std::string(shading_name(row.workload.shading)),
                                      row.workload.group, row.series};
    const auto add = [&](const auto&... value) { (cells.push_back(fmt::format("{}", value)), ...); };
    const auto add_time = [&](double value) { cells.push_back(fmt::format("{:g}", value)); };
    if (row.error.empty()) {
      const Statistics& s = row.statistics;
      add(s.machine, s.isa, s.width, row.x, row.width, row.height, row.layers, row.triangles, s.fragments);
      for (const double ms : {row.brokkr.median(), row.brokkr.least(), row.launch.median()}) add_time(ms);
      add(row.memory_kib, row.peak_kib, row.beside_isa);
      if (row.beside_isa.empty()) {
        cells.resize(cells.size() + 3);
      } else {
        add_time(row.beside.median());
        add_time(row.beside.least());
        const PeerResult* const best = best_peer(row);
        if (best != nullptr)
          add_time(ratio_of(best->times, row.beside).median);
        else
          cells.emplace_back();
      }
      for (const PeerResult& peer : row.peers) {
        for (const double value : {peer.times.median(), peer.times.least(), ratio_of(peer.times, row.brokkr).median})
          add_time(value);
      }
    }
    cells.resize(heading.size() - 1);
    cells.push_back(row.error);
    csv += csv_row(cells);
  }
  return csv;
}

std::string rows_table(const std::vector<BenchRow>& rows) {
  const std::vector<std::string> peers = peer_names(rows);
  if (std::any_of(rows.begin(), rows.end(), [](const BenchRow& row) { return !row.series.empty(); }))
    return curve_table(rows, peers);
  std::vector<std::string> heading = {"frame", "shading", "size", "triangles", "Brokkr ms (min)"};
  heading.insert(heading.end(), peers.begin(), peers.end());
  if (!peers.empty()) heading.insert(heading.end(), {peers.front() + " / Brokkr", "best peer / Brokkr"});
  const std::string beside = beside_isa(rows);
  if (!beside.empty()) heading.push_back("Brokkr " + beside);
  if (!beside.empty() && !peers.empty()) heading.push_back("best peer / Brokkr " + beside);
  std::vector<std::vector<std::string>> lines;
  for (const BenchRow& row : rows) {
    std::vector<std::string> line = {row.workload.name, shading_name(row.workload.shading)};
    if (!row.error.empty()) {
      line.resize(heading.size());
      line[2] = "failed";
      lines.push_back(line);
      continue;
    }
    line.push_back(fmt::format("{}x{}", row.width, row.height));
    if (row.layers > 1) line.back() += fmt::format(" x {}", row.layers);
    line.push_back(grouped(row.triangles));
    line.push_back(time_text(row.brokkr));
    for (const std::string& name : peers) {
      const auto found =
          std::find_if(row.peers.begin(), row.peers.end(), [&](const PeerResult& peer) { return peer.peer == name; });
      line.push_back(found == row.peers.end() ? "-" : time_text(found->times));
    }
    if (!row.peers.empty() && row.peers.size() == peers.size()) {
      for (const PeerResult* peer : std::vector<const PeerResult*>{&row.peers.front(), best_peer(row)}) {
        const Ratio ratio = ratio_of(peer->times, row.brokkr);
        line.push_back(fmt::format("{:.2f} ({:.2f}-{:.2f})", ratio.median, ratio.low, ratio.high));
      }
    }
    if (!row.beside_isa.empty()) {
      line.resize(heading.size() - (peers.empty() ? 1 : 2));
      line.push_back(time_text(row.beside));
      if (const PeerResult* best = best_peer(row)) line.push_back(fixed(ratio_of(best->times, row.beside).median, 2));
    }
    line.resize(heading.size());
    lines.push_back(line);
  }
  const std::string means = peers.empty() ? "" : means_table(rows, peers);
  return format_table(heading, lines) + starts_table(rows) + means;
}

}  // namespace brokkr::app
