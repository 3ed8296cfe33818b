// brokkr schedule: the experiments of [Kerbl18, chapter 5].
#include "app/pipeline_options.h"
#include "brokkr/frame.h"
#include "lab/command/commands.h"
#include "lab/command/experiment_output.h"
#include "lab/schedule_experiments.h"

namespace brokkr::app {
namespace {

int run_schedule(const Arguments& arguments) {
  lab::LabOptions o = lab_options_of(arguments, 1, 3, "choose fewer --tasks, --decisions or --workers");
  o.workers = uint32_t(arguments.integer("workers", 0));
  o.decisions = uint32_t(arguments.integer("decisions", o.quick ? 2000 : 10000));
  o.most_tasks = uint32_t(arguments.integer("tasks", 1000000));
  o.scene = arguments.text("scene", o.scene);
  o.views = int(arguments.integer("views", 0));
  o.view_size = int(arguments.integer("view-size", 0));
  o.render = render_options(arguments.without("machine").without("isa"));
  const LabPlace place = lab_place_of(arguments);
  for (const auto& choice : Choices<MachineKind>::all) {
    if (place.machine == choice.name) o.render.machine = choice.value;
  }
  o.render.isa = place.isa;
  std::vector<std::string> names = arguments.all("EXPERIMENT");
  if (names.empty()) {
    names = names_of(lab::schedule_experiments());
    // Most captured frames have one view, so the comparison of views runs on them only if it is named.
    if (o.scene.ends_with(".bkf")) std::erase(names, "views");
  }
  return run_lab("schedule", lab::schedule_experiments(), names, o, arguments);
}

}  // namespace

Command schedule_command() {
  const std::vector<Option> own = {
      integer_option("--workers", "Warps that run tasks, blocks of a frame (one per core, at least 2)", 2, 65536),
      integer_option("--decisions", "Decisions in the experiment with quotas (10000)", 100, 1000000),
      integer_option("--tasks", "Most tasks queued at once in the experiment with accuracy (1000000)", 100, 1000000),
      text_option("--scene", "SCENE", "Frame or scene of the experiments foveated and views (generated:city)"),
      text_option("--fixation", "X,Y", "Fixation point, in pixels from the lower left corner (the middle)"),
      integer_option("--views", "Views in the experiment with views (4)", 2, kMaxTargetLayers),
      integer_option("--view-size", "Pixels per side of each of them (720)", 1, kMaxTargetSize)};
  return {"schedule", "Measure scheduling policies beside each other",
          lab_options("schedule", lab::schedule_experiments(), "Few tasks and points: some seconds for everything", own,
                      "Where tasks and frames run", 3),
          run_schedule};
}

}  // namespace brokkr::app
