#include "probe/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>

#include "app/picture.h"
#include "app/text.h"
#include "base/file_io.h"
#include "log/text.h"
#include "probe/film.h"

namespace brokkr::probe {
namespace {

using Json = nlohmann::ordered_json;

std::string cell(double value) { return fmt::format("{:.4g}", value); }

std::string table_csv(const ResultOf& result) {
  std::string text = "measurement,paper,subject,unit,verdict,advice,note\n";
  for (const Measurement& m : result.rows)
    text += csv_row(std::vector<std::string>{m.what, m.paper ? cell(*m.paper) : "", cell(m.value), m.unit,
                                             verdict_of(m), advice_of(m), m.note});
  return text;
}

// The results as a text table; empty if there are no rows.
std::string table_text(const ResultOf& result) {
  std::vector<std::vector<std::string>> rows;
  size_t longest = 0;
  for (const Measurement& m : result.rows) {
    const std::string advice = advice_of(m), between = advice.empty() || m.note.empty() ? "" : "; ";
    rows.push_back(
        {m.what, m.paper ? cell(*m.paper) : "-", cell(m.value), m.unit, verdict_of(m), advice + between + m.note});
    longest = std::max(longest, rows.back().back().size());
  }
  for (std::vector<std::string>& row : rows) row.back().resize(longest, ' ');  // the table pads cells on the left
  return rows.empty() ? "" : app::format_table({"", "paper", "here", "unit", "", ""}, rows);
}

Json table_json(const ResultOf& result) {
  Json rows = Json::array();
  for (const Measurement& m : result.rows) {
    Json row = {{"measurement", m.what}};
    if (m.paper) row["paper"] = *m.paper;
    row.update({{"subject", m.value}, {"unit", m.unit}, {"verdict", verdict_of(m)}});
    if (m.is_gain) row["advice"] = advice_of(m);
    row["note"] = m.note;
    rows.push_back(row);
  }
  return rows;
}

std::string tiles_text(int period) { return period > 0 ? std::to_string(period) : "none seen"; }

}  // namespace

Results::Results(const app::Arguments& arguments)
    : folder_(arguments.text("output")),
      json_(arguments.text("json")),
      save_(arguments.text("save")),
      film_(int(arguments.integer("film", 0))) {
  if (film_ > 0 && folder_.empty()) throw app::UsageError("--film needs --output DIR, the folder for its pictures");
  if (!folder_.empty()) make_folder(folder_);
}

void Results::add(const std::string& name, const std::string& title, const ResultOf& result, Subject& subject) {
  if (json_ != "-") {
    std::cout << name << ": " << title << "\n" << table_text(result) << "\n" << std::flush;
  }
  if (!result.rows.empty()) document_[name] = table_json(result);
  if (folder_.empty()) return;
  if (!result.rows.empty()) write_text(file(name + ".csv"), table_csv(result));
  if (result.shown) add_film(name, *result.shown, subject);
}

void Results::add_film(const std::string& name, const Drawing& drawing, Subject& subject) {
  const Watched watched = watch(subject, drawing);
  const Film& film = watched.film;
  if (film.order.empty()) return;
  const auto write = [&](const std::string& ending, const std::vector<uint32_t>& pixels) {
    app::write_pixels(file(name + ending).string(), film.width, film.height, pixels);
  };
  write_text(file(name + "-pixels.csv"), pixels_csv(film, watched.stall.black));
  write(".png", film_picture(film, 1));
  for (int i = 0; i < film_; ++i) write(fmt::format("-{:03}.png", i), watched.picture(double(i + 1) / film_));
  if (watched.stall.now > 0) write("-stall.png", stall_picture(film, watched.stall, watched.slow));
  constexpr int kZoom = 10;
  if (watched.slow.empty()) return;
  if (const WarpPicture warp = warp_picture(film, watched.slow.front(), kZoom); !warp.pixels.empty())
    app::write_pixels(file(name + "-warp.png").string(), warp.width, warp.height, warp.pixels);
}

void Results::add_map(const std::string& subject, const TileMap& map, const MapRule& rule) {
  const std::string equal = rule.equal.empty() ? "none" : fmt::format("{}", fmt::join(rule.equal, ", "));
  if (json_ != "-") {
    std::cout << fmt::format("tile     {} x {} pixels\nowners   {}\nperiod   {} x {} tiles\nrule     {}\n", map.tile_x,
                             map.tile_y, map.shared ? std::to_string(map.owners) : "none", tiles_text(rule.period_x),
                             tiles_text(rule.period_y), formula(map, rule));
    std::cout << "equals   " << equal << "\n";
    if (rule.equal.empty() && !rule.moved.empty())
      std::cout << "moved    " << fmt::format("{}", fmt::join(rule.moved, ", ")) << "\n";
  }
  document_["map"] = {{"tile", {map.tile_x, map.tile_y}},
                      {"looked_at", {map.columns, map.rows}},
                      {"owners", map.shared ? map.owners : 0},
                      {"period", {rule.period_x, rule.period_y}},
                      {"rule", formula(map, rule)},
                      {"shifts", rule.shifts},
                      {"equals", rule.equal},
                      {"moved", rule.moved},
                      {"owner", map.owner}};
  if (!folder_.empty()) {
    const int width = map.columns * map.tile_x, height = map.rows * map.tile_y;
    app::write_pixels(file("map.png").string(), width, height, map_picture(map, width, height));
  }
  const std::string saved = !save_.empty() ? save_ : !folder_.empty() && map.shared ? file("map.json").string() : "";
  if (saved.empty()) return;
  if (!map.shared)
    throw std::runtime_error("--save " + saved + ": the subject has no owners of tiles; leave out this option");
  save_pattern(
      saved,
      {.name = "probed", .description = "found by brokkr probe for " + subject, .pattern = pattern_of(map, rule)});
  if (json_ != "-") std::cout << "pattern  " << saved << "\n";
}

void Results::finish(const std::string& subject) {
  app::write_document(json_, {{"kind", "brokkr probe"}, {"subject", subject}, {"results", document_}});
}

std::vector<app::Option> result_options() {
  using namespace app;
  return {announced(output_option("-o,--output", "DIR",
                                  "Also write tables, pixels (CSV), pictures and the map into this folder")),
          integer_option("--film", "Pictures of each film, PNG (0)", 0, 1000),
          announced(output_option("--save", "FILE.json", "Experiment map: the pattern, as a file for --pattern")),
          json_option("Write all results")};
}

}  // namespace brokkr::probe
