// brokkr plot: draws frame-time logs as a picture.
#include <iostream>

#include "app/frame_plot.h"
#include "app/picture.h"
#include "app/tool.h"
#include "cli/commands.h"

namespace brokkr::app {
namespace {

int run_plot(const Arguments& arguments) {
  const std::vector<std::string>& files = arguments.all("FILE");
  if (!arguments.has("output")) throw UsageError("--output is missing; name the picture, FILE.svg or FILE.png");
  const std::string output = arguments.text("output");
  require_picture(output, {".svg", ".png"}, "--output");
  if (files.size() > kMaxPlottedLogs) {
    throw UsageError(std::to_string(files.size()) + " logs are too many for one picture; name up to " +
                     std::to_string(kMaxPlottedLogs));
  }
  const size_t curves = plot_logs(files, written_path(output), arguments.text("title"), arguments.text("application"),
                                  arguments.has("strict"));
  if (output == "-") return kSuccess;
  std::cout << output << ": frame times of " << counted(files.size(), "log");
  if (curves != files.size()) std::cout << " in " << curves << " curves";
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
           text_option("--title", "TEXT", "Heading of the picture (Frame times)"),
           text_option("--application", "NAME", "Of logs with several programs the curves of this one, \"game.exe\""),
           flag("--strict", "Make an error of every warning: rows without a time, recordings that were cut off")},
          run_plot};
}

}  // namespace brokkr::app
