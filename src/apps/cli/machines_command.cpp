// brokkr machines: lists the machines of this computer.
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/text.h"
#include "brokkr/renderer.h"
#include "cli/commands.h"
#include "log/text.h"

namespace brokkr::app {
namespace {

int run_machines(const Arguments& arguments) {
  const std::vector<MachineInfo> machines = find_machines();
  if (arguments.has("json")) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const MachineInfo& machine : machines) {
      list.push_back({{"machine", name_of(machine.kind)},
                      {"name", machine.name},
                      {"isa", machine.isa},
                      {"width", machine.width},
                      {"workers", machine.workers},
                      {"available", machine.available},
                      {"note", machine.note}});
    }
    if (write_document(arguments.text("json"), list)) return kSuccess;
  }
  std::vector<std::vector<std::string>> rows;
  for (const MachineInfo& machine : machines) {
    const bool there = machine.available;
    rows.push_back({name_of(machine.kind), machine.name, machine.isa, there ? std::to_string(machine.width) : "-",
                    there ? std::to_string(machine.workers) : "-", there ? "yes" : "no",
                    machine.note.empty() ? "" : "  " + machine.note});
  }
  std::cout << format_table({"machine", "name", "isa", "lanes", "workers", "available", ""}, rows);
  return kSuccess;
}

}  // namespace

Command machines_command() {
  return {"machines", "List the machines of this computer", {json_option("Write the machines as JSON")}, run_machines};
}

}  // namespace brokkr::app
