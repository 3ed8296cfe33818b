#include "app/simt_options.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/text.h"
#include "pipeline/simt_device.h"

namespace brokkr::app {

std::vector<Option> simt_options() {
  Option config = text_option("--simt-config", "FILE",
                              "Machine simt: count cycles, on a machine that `brokkr simt --list` names, or a JSON "
                              "file (none: as fast as it goes)");
  config.group = "Pipeline";
  config.use = FileUse::read;
  return {config};
}

void set_up_simt(const Arguments& arguments, const std::string& machine) {
  if (machine != "simt") {
    if (arguments.has("simt-config")) throw UsageError("--simt-config is for --machine simt");
    return;
  }
  simt_device().set_up(arguments.text("simt-config"), 0);
}

std::string simt_report(const Arguments& arguments) {
  return arguments.has("simt-config") ? simt_device().report() : "";
}

std::vector<std::string> simt_lines(const std::string& report) {
  std::vector<std::string> lines;
  if (report.empty()) return lines;
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(report);
  const auto share = [](double part, double whole) { return fixed(whole > 0 ? 100 * part / whole : 0, 1) + " %"; };
  for (const auto& k : json.at("kernels")) {
    const auto number = [&](const char* name) { return k.at(name).get<double>(); };
    const auto& occupancy = k.at("occupancy");
    double chances = 0;
    for (const auto& [name, n] : occupancy.items()) chances += n.get<double>();
    lines.push_back(fmt::format(
        "{}: {} cycles, {} instructions a cycle, {} lanes used, {} stalled, {} idle, L1 {}, L2 {} hits",
        k.at("kernel").get<std::string>(), grouped(k.at("cycles").get<uint64_t>()),
        fixed(number("instructions_per_cycle"), 2), fixed(100 * number("lanes_used"), 1) + " %",
        share(occupancy.at("stalled").get<double>(), chances), share(occupancy.at("idle").get<double>(), chances),
        share(number("l1_hits"), number("l1_hits") + number("l1_misses")),
        share(number("l2_hits"), number("l2_hits") + number("l2_misses"))));
  }
  return lines;
}

}  // namespace brokkr::app
