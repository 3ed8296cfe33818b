// An OpenGL driver as a subject of the probe, in a process of its own (brokkr-gl-bench), which a fault of the driver
// ends.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/line_process.h"
#include "app/tool.h"
#include "probe/subject.h"

namespace brokkr::probe {

class DriverSubject : public Subject {
 public:
  // `device`: as EglContext takes it ("", "software", a number). `runs`: a cost is the minimum over so many runs.
  // Throws std::runtime_error if brokkr-gl-bench or OpenGL is missing, and as draw() does.
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
