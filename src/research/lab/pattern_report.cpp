#include "lab/pattern_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/file_io.h"

namespace brokkr::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kStyle =
    R"(body{font:15px/1.5 system-ui,sans-serif;max-width:78em;margin:2em auto;padding:0 1em;color:#1f2430}
h1,h2{font-weight:600}img{max-width:100%}figure{display:inline-block;margin:.4em;text-align:center;font-size:.8em}
figure img{max-height:15em}.pattern img{width:9em;image-rendering:pixelated}details div{overflow-x:auto}
table{border-collapse:collapse;font-size:.85em}td,th{padding:.15em .6em;border-bottom:1px solid #ddd;text-align:right}
td:first-child,th:first-child{text-align:left}summary{cursor:pointer;color:#1d3557})";

std::string html(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::string cells_of(const std::vector<std::string>& cells, const char* tag) {
  std::string text = "<tr>";
  for (const std::string& cell : cells) text += fmt::format("<{0}>{1}</{0}>", tag, html(cell));
  return text + "</tr>";
}

std::string html_of(const TextTable& table) {
  std::string text =
      fmt::format("<details><summary>{}</summary><div><table>{}", html(table.title), cells_of(table.head, "th"));
  for (const auto& row : table.rows) text += cells_of(row, "td");
  return text + "</table></div></details>\n";
}

std::string figure_of_file(const std::string& file, const std::string& caption, const char* kind) {
  return fmt::format("<figure{}><img src=\"{}\" alt=\"\"><figcaption>{}</figcaption></figure>\n", kind, html(file),
                     html(caption));
}

// "cpu (AMD EPYC, 8 lanes)".
std::string machine_of(const Json& settings) {
  return fmt::format("{} ({}, {} lanes)", settings.at("machine").get<std::string>(),
                     settings.at("detail").get<std::string>(), settings.at("lanes").get<int>());
}

// Says what was measured, and with what.
std::string heading(const Json& settings) {
  return fmt::format(
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Bin patterns</title><style>{}</style>\n<h1>Bin "
      "patterns</h1><p>Brokkr {} on {}, seed {}, {} run, {} threads. The numbers are in <code>patterns-*.csv</code> "
      "beside "
      "this file.</p>\n",
      kStyle, settings.at("version").get<std::string>(), html(machine_of(settings)),
      settings.at("seed").get<uint32_t>(), settings.at("quick").get<bool>() ? "quick" : "full",
      settings.at("workers").get<int>());
}

std::string maps_and_patterns(const std::filesystem::path& folder, const Json& settings) {
  std::string text = "<h2>Frames: fragments per pixel</h2>\n";
  for (const Json& frame : settings.at("frames")) {
    for (const Json& map : frame.at("maps")) {
      const auto name = map.at("name").get<std::string>();
      text += figure_of_file("map-" + name + ".png",
                             fmt::format("{}: {} x {}, {} triangles, {} fragments", name, map.at("width").get<int>(),
                                         map.at("height").get<int>(), frame.at("triangles").get<uint64_t>(),
                                         map.at("fragments").get<uint64_t>()),
                             "");
    }
  }
  text += "<h2>Patterns, 8 rasterizers</h2>\n";
  for (const std::filesystem::path& path : paths_in(folder)) {
    const std::string name = path.filename().string(), kind = "pattern-";
    if (name.starts_with(kind) && name.ends_with(".png"))
      text += figure_of_file(name, path.stem().string().substr(kind.size()), " class=\"pattern\"");
  }
  return text;
}

// The title of an experiment, with its figure in the paper.
std::string title_of(const Json& settings, const PatternDrawing& drawing) {
  if (std::string_view(drawing.name) == "prediction") return "Does c_v predict the speed-up?";
  for (const Json& experiment : settings.at("experiments")) {
    if (experiment.at("name") != drawing.experiment) continue;
    const auto figure = experiment.at("figure").get<std::string>();
    return experiment.at("title").get<std::string>() +
           (figure.empty() ? "" : " (Kerbl et al. 2017, Fig. " + figure + ")");
  }
  return drawing.name;
}

}  // namespace

std::filesystem::path write_pattern_report(const std::filesystem::path& folder, const Json& settings,
                                           const std::map<std::string, PatternRows>& rows) {
  std::string page = heading(settings) + maps_and_patterns(folder, settings);
  for (const PatternDrawing& drawing : pattern_drawings()) {
    const auto found = rows.find(drawing.experiment);
    if (found == rows.end() || found->second.size() == 0) continue;
    PatternFigure made = drawing.draw(found->second);
    page += fmt::format("<h2 id=\"{}\">{}</h2>\n", drawing.name, html(title_of(settings, drawing)));
    if (made.figure) {
      const std::string what = made.figure->title.empty() ? "" : ", " + made.figure->title;
      made.figure->title = fmt::format("brokkr patterns: {}{}, {}, {}", drawing.name, what,
                                       counted(settings.at("frames").size(), "frame"), machine_of(settings));
      const app::Drawing picture = app::draw_figure(*made.figure);
      const std::string name = fmt::format("patterns-{}", drawing.name);
      picture.write((folder / (name + ".svg")).string());
      if (app::has_drawing_font()) picture.write((folder / (name + ".png")).string());
      page += fmt::format("<p><img src=\"{}.svg\" alt=\"{}\"></p>\n", name, drawing.name);
    }
    for (const TextTable& table : made.tables) page += html_of(table);
  }
  const std::filesystem::path path = folder / "report.html";
  write_text(path, page + "</html>\n");
  return path;
}

}  // namespace brokkr::lab
