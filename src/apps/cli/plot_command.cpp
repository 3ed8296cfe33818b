// brokkr plot: draws frame-time logs as a picture.
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/frame_plot.h"
#include "app/picture.h"
#include "app/text.h"
#include "app/tool.h"
#include "cli/commands.h"
#include "log/frame_statistics.h"
#include "log/manifest.h"

namespace brokkr::app {
namespace {

int run_plot(const Arguments& arguments) {
  const std::vector<std::string>& files = arguments.all("FILE");
  const std::string output = arguments.text("output"), json = arguments.text("json");
  if (output.empty() && json.empty()) throw UsageError("--output is missing; name the picture, FILE.svg or FILE.png");
  if (!output.empty()) require_picture(output, {".svg", ".png"}, "--output");
  if (files.size() > kMaxPlottedLogs) {
    throw UsageError(std::to_string(files.size()) + " logs are too many for one picture; name up to " +
                     std::to_string(kMaxPlottedLogs));
  }
  const std::vector<FrameLog> curves = read_curves(files, arguments.text("application"), arguments.has("strict"));
  if (!output.empty()) frame_plot(arguments.text("title"), curves).write(written_path(output));
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const FrameLog& curve : curves) {
    all.push_back({{"name", curve.name},
                   {"application", curve.application},
                   {"statistics", statistics_json(frame_statistics(curve.frame_ms))}});
  }
  if (write_document(json, all) || output.empty() || output == "-") return kSuccess;
  std::cout << output << ": frame times of " << counted(files.size(), "log");
  if (curves.size() != files.size()) std::cout << " in " << curves.size() << " curves";
  std::cout << '\n';
  return kSuccess;
}

}  // namespace

Command plot_command() {
  return {"plot",
          "Draw frame-time logs: the time of every frame, and how the times are distributed",
          {needed(several(file_option(
               "FILE", "FILE.csv",
               "Logs of `brokkr bench --log`, of the viewer, PresentMon or MangoHud; up to six on common axes"))),
           output_option("-o,--output", "FILE", "Picture file, .svg or .png; - writes SVG to standard output"),
           json_option("Write the statistics of each curve as JSON, an array; no picture is needed then"),
           text_option("--title", "TEXT", "Heading of the picture (Frame times)"),
           text_option("--application", "NAME", "Of logs with several programs the curves of this one, \"game.exe\""),
           flag("--strict", "Make an error of every warning: rows without a time, recordings that were cut off")},
          run_plot};
}

}  // namespace brokkr::app
