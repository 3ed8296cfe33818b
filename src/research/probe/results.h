// Outputs of the probe: tables on standard output, CSV, pictures and films in a folder, JSON in a file.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/command.h"
#include "probe/experiments.h"
#include "probe/tile_map.h"

namespace brokkr::probe {

class Results {
 public:
  // Creates the folder of --output first. Throws std::runtime_error.
  explicit Results(const app::Arguments& arguments);

  // Adds a table, and the film of its drawing.
  void add(const std::string& name, const std::string& title, const ResultOf& result, Subject& subject);
  // Adds the map: its rule, a picture, and the pattern as a file that all commands accept.
  void add_map(const std::string& subject, const TileMap& map, const MapRule& rule);
  // Writes the file of --json.
  void finish(const std::string& subject);

 private:
  void add_film(const std::string& name, const Drawing& drawing, Subject& subject);
  std::filesystem::path file(const std::string& name) const { return folder_ / ("probe-" + name); }

  std::filesystem::path folder_;
  std::string json_, save_;
  int film_ = 0;  // number of the next picture
  nlohmann::ordered_json document_ = nlohmann::ordered_json::object();
};

std::vector<app::Option> result_options();

}  // namespace brokkr::probe
