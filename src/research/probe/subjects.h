// The subjects of the probe: the pipeline on any of its machines, and an OpenGL driver.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/tool.h"
#include "brokkr/renderer.h"
#include "probe/drawing.h"
#include "probe/tile_map.h"

namespace brokkr::probe {

// The pipeline as a subject of the probe, on any of its machines. Its fragments have stamps.
class BrokkrSubject : public Subject {
 public:
  // Every block works only for its own rasterizers (Ownership::fixed), like a processor with fixed tiles.
  explicit BrokkrSubject(RenderOptions options);
  ~BrokkrSubject() override;

  std::string name() const override { return name_; }
  const char* unit() const override { return "ms"; }
  // Interpreted shaders take about 50 ns per addition.
  Costs costs() const override { return {20000, 20}; }
  // Draws every fragment, in the order of the primitives, without a depth test. The cost is the time of the block that
  // worked longest (on the CPU, its processor time), which is the frame's time on a machine with one core per block.
  Film draw(const Drawing& drawing) override;

 private:
  struct Prepared;
  RenderOptions options_;
  std::string name_;
  Renderer renderer_;
  std::unique_ptr<Prepared> prepared_;
};

// The stamps of a layer (RenderOptions::keep_stamps) as a film; units are blocks.
Film film_of(const Layer& layer);

// The map of a pattern, derived from the stamps of a frame in which a triangle covers two of the pattern's periods, up
// to 4096 pixels, with one block per rasterizer. Throws std::runtime_error if the machine runs fewer blocks.
TileMap map_of_pipeline(RenderOptions options);

// An OpenGL driver as a subject of the probe. It runs in a separate process (brokkr-gl-bench), so that a crash of the
// driver ends only that process.
class DriverSubject : public Subject {
 public:
  // `device`: in the form that EglContext takes ("", "software", a number). `runs`: each cost is the minimum of this
  // many runs. Throws std::runtime_error if brokkr-gl-bench or OpenGL is missing, and as draw() does.
  DriverSubject(const std::string& device, int runs);

  std::string name() const override { return name_; }
  const char* unit() const override { return "ms"; }
  Costs costs() const override { return costs_; }
  bool is_in_order() const override { return is_software_; }
  // Throws std::runtime_error with the driver's message, or with the last message of its process if that has ended.
  Film draw(const Drawing& drawing) override;
  double cost(const Drawing& drawing) override;

 private:
  nlohmann::json ask(const Drawing& drawing, bool film);

  app::TemporaryFolder folder_;
  app::LineProcess process_;
  std::string name_;
  Costs costs_;
  bool is_software_ = false;
  int runs_;
};

}  // namespace brokkr::probe
